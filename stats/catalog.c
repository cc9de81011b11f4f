/*
 * Sorting the instances of a machine into classes.
 *
 * Instances keep the order of their ids and classes are sorted by group, so
 * two machines of one description give the same catalogue whatever the order
 * in which they were built.
 */
#include "stats/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/glob.h"

/* One component or policy, before sorting. */
struct part {
    char group[LOOM_STAT_NAME];
    const char *type, *doc, *path;
    struct loom_stats stats;
    struct loom_energies energies;
    const void *block;
    size_t size;
    bool is_policy;
    uint32_t order;
};

bool loom_path_strip(const char *path, char separator, char *text, size_t size)
{
    size_t length = 0;

    for (; *path != '\0'; path++) {
        char c = *path;

        if (c == '[') {
            while (path[1] != '\0' && *path != ']') {
                path++;
            }
            continue;
        }
        if (length + 1 >= size) {
            return false;
        }
        text[length++] = c == '.' || c == '/' ? separator : c;
    }
    text[length] = '\0';
    return true;
}

/* By group, then type, then id. */
static int by_class(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = strcmp(x->group, y->group);

    if (order == 0) {
        order = strcmp(x->type, y->type);
    }
    if (order == 0) {
        order = (x->order > y->order) - (x->order < y->order);
    }
    return order;
}

static bool same_class(const struct part *a, const struct part *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->type, b->type) == 0 &&
           a->is_policy == b->is_policy;
}

static struct part component_part(struct loom_component *component)
{
    const struct loom_component_type *type = loom_component_type_of(component);

    return (struct part){.type = type->name,
                         .doc = type->doc,
                         .path = loom_component_path(component),
                         .stats = type->stats,
                         .energies = type->energies,
                         .block = loom_stats_of(component),
                         .size = type->stats_size};
}

static struct part policy_part(struct loom_policy *policy)
{
    const struct loom_policy_type *type = loom_policy_type_of(policy);

    return (struct part){.type = type->name,
                         .doc = type->doc,
                         .path = loom_policy_path(policy),
                         .stats = type->stats,
                         .energies = type->energies,
                         .block = loom_policy_stats(policy),
                         .size = type->stats_size,
                         .is_policy = true};
}

static bool collect(struct loom_machine *machine, struct part *part,
                    uint32_t components, uint32_t count, struct loom_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        part[i] =
            i < components
                ? component_part(loom_machine_component(machine, i))
                : policy_part(loom_machine_policy(machine, i - components));
        part[i].order = i;
        if (!loom_path_strip(part[i].path, '/', part[i].group,
                             sizeof(part[i].group) - 64)) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "path '%.80s..' is too long for results",
                             part[i].path);
        }
    }
    qsort(part, count, sizeof(*part), by_class);
    return true;
}

/* Is `group` that of another class than the one that starts at `self`? */
static bool is_taken(const struct part *part, uint32_t count,
                     const struct part *self, const char *group)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_class(&part[i], self) && strcmp(part[i].group, group) == 0) {
            return true;
        }
    }
    return false;
}

/* The class whose first instance is part[at], of `size` instances. */
static bool fill_class(struct loom_class *item, const struct part *part,
                       uint32_t count, uint32_t at, uint32_t size)
{
    const struct part *first = &part[at];
    char group[LOOM_STAT_NAME];

    snprintf(group, sizeof(group), "%s", first->group);
    if (is_taken(part, count, first, group)) {
        snprintf(group, sizeof(group), "%.190s/%.60s", first->group,
                 first->type);
        while (is_taken(part, count, first, group) &&
               strlen(group) < sizeof(group) - 1) {
            memcpy(group + strlen(group), "_", 2);
        }
    }
    item->group = strdup(group);
    item->type = first->type;
    item->doc = first->doc;
    item->is_policy = first->is_policy;
    item->stats = first->stats;
    item->size = first->size;
    item->count = size;
    item->path = calloc(size, sizeof(*item->path));
    item->block = calloc(size, sizeof(*item->block));
    if (item->group == NULL || item->path == NULL || item->block == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        item->path[i] = part[at + i].path;
        item->block[i] = part[at + i].block;
    }
    return true;
}

static bool fill(struct loom_catalog *catalog, const struct part *part,
                 uint32_t count, const struct loom_energy_model *model,
                 struct loom_error *err)
{
    for (uint32_t at = 0, size; at < count; at += size) {
        struct loom_class *item = &catalog->item[catalog->count];

        size = 1;
        while (at + size < count && same_class(&part[at], &part[at + size])) {
            size++;
        }
        catalog->count++;
        if (!fill_class(item, part, count, at, size)) {
            return loom_fail(err, LOOM_ERR_MEMORY,
                             "no memory for the statistics");
        }
        if (model != NULL &&
            !loom_class_energy_add(item, part[at].energies, model, err)) {
            return false;
        }
        item->first = catalog->stat_count;
        catalog->stat_count += (uint32_t)item->stats.count;
    }
    return true;
}

struct loom_catalog *loom_catalog_create(struct loom_machine *machine,
                                         const struct loom_energy_model *model,
                                         struct loom_error *err)
{
    uint32_t components = loom_machine_component_count(machine);
    uint32_t count = components + loom_machine_policy_count(machine);
    struct part *part = calloc(count + 1, sizeof(*part));
    struct loom_catalog *catalog = calloc(1, sizeof(*catalog));

    if (catalog != NULL) {
        catalog->machine = machine;
        catalog->item = calloc(count + 1, sizeof(*catalog->item));
    }
    if (part == NULL || catalog == NULL || catalog->item == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the statistics");
        goto failed;
    }
    if (!collect(machine, part, components, count, err)) {
        goto failed;
    }
    if (!fill(catalog, part, count, model, err)) {
        goto failed;
    }
    free(part);
    return catalog;
failed:
    free(part);
    loom_catalog_destroy(catalog);
    return NULL;
}

/* Of a mark: the rest of its classes is not its own. */
static void drop_copies(struct loom_class *item)
{
    for (uint32_t row = 0; item->block != NULL && row < item->count; row++) {
        loom_block_drop(item, (char *)(uintptr_t)item->block[row]);
    }
    free(item->block);
}

void loom_catalog_destroy(struct loom_catalog *catalog)
{
    if (catalog == NULL) {
        return;
    }
    for (uint32_t i = 0; catalog->item != NULL && i < catalog->count; i++) {
        if (catalog->is_mark) {
            drop_copies(&catalog->item[i]);
            continue;
        }
        free(catalog->item[i].group);
        free(catalog->item[i].path);
        free(catalog->item[i].block);
        loom_class_energy_remove(&catalog->item[i]);
    }
    free(catalog->item);
    free(catalog);
}

const struct loom_class *loom_catalog_class(const struct loom_catalog *catalog,
                                            uint32_t number)
{
    uint32_t i = 0;

    LOOM_CHECK(number < catalog->stat_count);
    while (number >= catalog->item[i].first + catalog->item[i].stats.count) {
        i++;
    }
    return &catalog->item[i];
}

const struct loom_stat *loom_catalog_stat(const struct loom_catalog *catalog,
                                          uint32_t number)
{
    const struct loom_class *item = loom_catalog_class(catalog, number);

    return &item->stats.item[number - item->first];
}

void loom_catalog_name(const struct loom_catalog *catalog, uint32_t number,
                       char name[LOOM_STAT_NAME])
{
    const struct loom_class *item = loom_catalog_class(catalog, number);

    snprintf(name, LOOM_STAT_NAME, "%s.%s", item->group,
             item->stats.item[number - item->first].name);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '.' : *c;
    }
}

static bool unmatched(const struct loom_catalog *catalog, const char *pattern,
                      struct loom_error *err)
{
    char name[LOOM_STAT_NAME], nearest[LOOM_STAT_NAME] = "";
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < catalog->stat_count; i++) {
        uint32_t distance;

        loom_catalog_name(catalog, i, name);
        distance = loom_glob_distance(pattern, name);
        if (distance < least) {
            least = distance;
            memcpy(nearest, name, sizeof(nearest));
        }
    }
    if (least != UINT32_MAX && loom_glob_near(pattern, least)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "pattern '%.120s' matches no statistic; did you mean "
                         "'%.200s'?",
                         pattern, nearest);
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "pattern '%.200s' matches none of the %u statistics",
                     pattern, catalog->stat_count);
}

bool loom_catalog_select(const struct loom_catalog *catalog,
                         const char *const *pattern, size_t patterns,
                         bool *chosen, struct loom_error *err)
{
    char name[LOOM_STAT_NAME];

    for (size_t p = 0; p < patterns; p++) {
        bool found = false;

        for (uint32_t i = 0; i < catalog->stat_count; i++) {
            loom_catalog_name(catalog, i, name);
            if (loom_glob(pattern[p], name)) {
                chosen[i] = found = true;
            }
        }
        if (!found) {
            return unmatched(catalog, pattern[p], err);
        }
    }
    return true;
}

const struct loom_class *loom_catalog_find(const struct loom_catalog *catalog,
                                           const char *path, uint32_t *row)
{
    for (uint32_t i = 0; i < catalog->count; i++) {
        for (uint32_t k = 0; k < catalog->item[i].count; k++) {
            if (strcmp(catalog->item[i].path[k], path) == 0) {
                *row = k;
                return &catalog->item[i];
            }
        }
    }
    return NULL;
}

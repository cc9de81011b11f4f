/*
 * Aggregation of statistics over instances.
 */
#include "stats/query.h"

#include <stdlib.h>
#include <string.h>

#include "stats/estimate.h"
#include "stats/glob.h"

static bool is_separator(char c)
{
    return c == '.' || c == '/';
}

/* Compares segment by segment; `path` may leave out indices. */
static bool path_leads_to(const char *path, const char *instance, bool below)
{
    for (;; path++, instance++) {
        if (*instance == '[' && *path != '[') {
            instance = strchr(instance, ']');
            if (instance == NULL) {
                return false;
            }
            instance++;
        }
        if (is_separator(*path) && is_separator(*instance)) {
            continue;
        }
        if (below && *path == '\0' && is_separator(*instance)) {
            return true;
        }
        if (*path != *instance) {
            return false;
        }
        if (*path == '\0') {
            return true;
        }
    }
}

bool loom_path_matches(const char *path, const char *instance)
{
    return path_leads_to(path, instance, false);
}

bool loom_path_holds(const char *path, const char *instance)
{
    return path_leads_to(path, instance, true);
}

static bool class_matches(const struct loom_class *class, const char *path)
{
    if (loom_path_matches(path, class->group)) {
        return true;
    }
    for (uint32_t i = 0; i < class->count; i++) {
        if (loom_path_matches(path, class->path[i])) {
            return true;
        }
    }
    return false;
}

static const char *nearest_group(const struct loom_catalog *catalog,
                                 const char *path)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < catalog->count; i++) {
        uint32_t distance = loom_glob_distance(path, catalog->item[i].group);

        if (distance < least) {
            least = distance;
            nearest = catalog->item[i].group;
        }
    }
    return nearest != NULL && loom_glob_near(path, least) ? nearest : NULL;
}

const struct loom_class *loom_query_class(const struct loom_catalog *catalog,
                                          const char *path,
                                          struct loom_error *err)
{
    const struct loom_class *found = NULL;
    const char *nearest;

    for (uint32_t i = 0; i < catalog->count; i++) {
        if (!class_matches(&catalog->item[i], path)) {
            continue;
        }
        if (found != NULL) {
            loom_fail(err, LOOM_ERR_CONFIG,
                      "'%.120s' is both '%.120s' and '%.120s'", path,
                      found->group, catalog->item[i].group);
            return NULL;
        }
        found = &catalog->item[i];
    }
    if (found == NULL) {
        nearest = nearest_group(catalog, path);
        loom_fail(err, LOOM_ERR_CONFIG, "the machine has no '%.160s'%s%.160s%s",
                  path, nearest == NULL ? "" : "; did you mean '",
                  nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
    }
    return found;
}

static const struct loom_stat *find_stat(const struct loom_class *class,
                                         const char *name,
                                         struct loom_error *err)
{
    const struct loom_stat *stat = loom_stats_find(class->stats, name);
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    if (stat != NULL) {
        return stat;
    }
    for (size_t i = 0; i < class->stats.count; i++) {
        uint32_t distance = loom_glob_distance(name, class->stats.item[i].name);

        if (distance < least) {
            least = distance;
            nearest = class->stats.item[i].name;
        }
    }
    if (nearest != NULL && !loom_glob_near(name, least)) {
        nearest = NULL;
    }
    loom_fail(err, LOOM_ERR_CONFIG, "'%.160s' has no statistic '%.120s'%s%s%s",
              class->group, name, nearest == NULL ? "" : "; did you mean '",
              nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
    return NULL;
}

static void merge(struct loom_histogram *into, const struct loom_histogram *one)
{
    for (uint32_t i = 0; i < LOOM_HISTOGRAM_BINS; i++) {
        into->bin[i] += one->bin[i];
    }
    if (one->count == 0) {
        return;
    }
    into->min = into->count == 0 || one->min < into->min ? one->min : into->min;
    into->max = one->max > into->max ? one->max : into->max;
    into->count += one->count;
    into->sum += one->sum;
}

static bool add_items(struct loom_reading *reading, const uint64_t *item,
                      uint32_t count)
{
    if (count > reading->items) {
        uint64_t *grown =
            realloc(reading->item, count * sizeof(*reading->item));

        if (grown == NULL) {
            return false;
        }
        memset(grown + reading->items, 0,
               (count - reading->items) * sizeof(*grown));
        reading->item = grown;
        reading->items = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        reading->item[i] += item[i];
        reading->total += item[i];
    }
    return true;
}

/* Adds one instance. */
static bool add_instance(struct loom_reading *reading,
                         const struct loom_class *class, uint32_t row,
                         double seconds)
{
    const struct loom_stat *stat = reading->stat;
    const char *block = class->block[row];
    const void *field;
    const struct loom_array *array;

    if (stat->kind == LOOM_STAT_ENERGY || stat->kind == LOOM_STAT_POWER) {
        reading->value += loom_class_energy_read(class, stat, row, seconds);
        return true;
    }
    field = block + stat->offset;
    array = field;
    switch (stat->kind) {
    case LOOM_STAT_RATIO:
        reading->denominator +=
            *(const uint64_t *)(const void *)(block + stat->den_offset);
        reading->total += *(const uint64_t *)field;
        return true;
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_RATE:
        reading->total += *(const uint64_t *)field;
        return true;
    case LOOM_STAT_VECTOR:
        return add_items(reading, field, stat->count);
    case LOOM_STAT_ARRAY:
        return add_items(reading, array->item, array->count);
    case LOOM_STAT_HISTOGRAM:
        merge(&reading->histogram, field);
        return true;
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        break;
    }
    LOOM_BUG("kind %d", (int)stat->kind);
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : LOOM_NAN;
}

static void finish(struct loom_reading *reading, double seconds)
{
    const struct loom_histogram *histogram = &reading->histogram;

    reading->is_integer = false;
    switch (reading->stat->kind) {
    case LOOM_STAT_RATIO:
        reading->value =
            quotient((double)reading->total, (double)reading->denominator);
        return;
    case LOOM_STAT_RATE:
        reading->value = quotient((double)reading->total, seconds);
        return;
    case LOOM_STAT_HISTOGRAM:
        reading->total = histogram->count;
        reading->value =
            quotient((double)histogram->sum, (double)histogram->count);
        return;
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_VECTOR:
    case LOOM_STAT_ARRAY:
        reading->is_integer = true;
        reading->value = (double)reading->total;
        return;
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        return; /* summed already */
    }
}

/* What happened between two readings that have not been divided. */
static void subtract(struct loom_reading *now, const struct loom_reading *then,
                     double seconds, double before)
{
    switch (now->stat->kind) {
    case LOOM_STAT_GAUGE:
        return;
    case LOOM_STAT_POWER:
        now->value = quotient(now->value * seconds - then->value * before,
                              seconds - before);
        return;
    case LOOM_STAT_ENERGY:
        now->value -= then->value;
        return;
    case LOOM_STAT_HISTOGRAM:
        for (uint32_t i = 0; i < LOOM_HISTOGRAM_BINS; i++) {
            now->histogram.bin[i] -= then->histogram.bin[i];
        }
        now->histogram.count -= then->histogram.count;
        now->histogram.sum -= then->histogram.sum;
        return;
    case LOOM_STAT_VECTOR:
    case LOOM_STAT_ARRAY:
        for (uint32_t i = 0; i < then->items; i++) {
            now->item[i] -= then->item[i];
        }
        break;
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
        break;
    }
    now->total -= then->total;
    now->denominator -= then->denominator;
}

/* Which instances are put together: those that `path` names, or `row`, or
 * all. */
struct choice {
    const char *path; /* NULL: see row */
    uint32_t row;
};

static bool chosen(const struct choice *choice, const struct loom_class *class,
                   uint32_t row)
{
    if (choice->path != NULL) {
        return loom_path_matches(choice->path, class->path[row]);
    }
    return choice->row == LOOM_ALL_ROWS || choice->row == row;
}

static bool add(struct loom_reading *reading, const struct loom_class *class,
                const struct choice *choice, double seconds,
                struct loom_error *err)
{
    for (uint32_t i = 0; i < class->count; i++) {
        if (!chosen(choice, class, i)) {
            continue;
        }
        if (!add_instance(reading, class, i, seconds)) {
            loom_reading_release(reading);
            return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%.120s'",
                             reading->stat->name);
        }
        reading->instances++;
    }
    return true;
}

static bool read_class(const struct loom_catalog *catalog,
                       const struct loom_catalog *since, uint32_t number,
                       const struct choice *choice,
                       struct loom_reading *reading, struct loom_error *err)
{
    struct loom_reading then = {.stat = reading->stat};
    double seconds = catalog->seconds, before = 0;

    if (!catalog->is_restored) {
        seconds = (double)loom_machine_now(catalog->machine) / 1e15;
    }
    if (!add(reading, &catalog->item[number], choice, seconds, err)) {
        return false;
    }
    if (since != NULL) {
        before = since->seconds;
        if (!add(&then, &since->item[number], choice, before, err)) {
            loom_reading_release(reading);
            return false;
        }
        subtract(reading, &then, seconds, before);
        loom_reading_release(&then);
    }
    finish(reading, seconds - before);
    return true;
}

bool loom_read_since(const struct loom_catalog *catalog,
                     const struct loom_catalog *since, struct loom_rows_of what,
                     struct loom_reading *reading, struct loom_error *err)
{
    struct choice choice = {.row = what.row};

    *reading = (struct loom_reading){.stat = what.stat};
    return read_class(catalog, since, what.number, &choice, reading, err);
}

bool loom_query_since(const struct loom_catalog *catalog,
                      const struct loom_catalog *since, const char *path,
                      const char *stat, struct loom_reading *reading,
                      struct loom_error *err)
{
    const struct loom_class *class = loom_query_class(catalog, path, err);
    struct choice choice = {.path = path, .row = LOOM_ALL_ROWS};

    if (class == NULL) {
        return false;
    }
    *reading = (struct loom_reading){.stat = find_stat(class, stat, err)};
    if (reading->stat == NULL) {
        return false;
    }
    if (!catalog->is_restored) {
        loom_estimate_settle(catalog);
    }
    if (loom_path_matches(path, class->group)) {
        choice.path = NULL;
    }
    return read_class(catalog, since, (uint32_t)(class - catalog->item),
                      &choice, reading, err);
}

bool loom_query(const struct loom_catalog *catalog, const char *path,
                const char *stat, struct loom_reading *reading,
                struct loom_error *err)
{
    return loom_query_since(catalog, NULL, path, stat, reading, err);
}

bool loom_query_error(const struct loom_catalog *catalog, const char *path,
                      const char *stat, uint32_t key, double *error,
                      struct loom_error *err)
{
    const struct loom_class *class = loom_query_class(catalog, path, err);
    const struct loom_stat *found =
        class == NULL ? NULL : find_stat(class, stat, err);
    uint32_t row = 0, rows = 0;

    if (found == NULL) {
        return false;
    }
    *error = 0;
    if (catalog->estimate == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < class->count; i++) {
        if (loom_path_matches(path, class->path[i])) {
            row = i;
            rows++;
        }
    }
    if (loom_path_matches(path, class->group)) {
        row = class->count;
    } else if (rows != 1) {
        *error = LOOM_NAN;
        return true;
    }
    loom_estimate_settle(catalog);
    *error = loom_estimate_error(catalog->estimate,
                                 (uint32_t)(class - catalog->item),
                                 (size_t)(found - class->stats.item), row, key);
    return true;
}

void loom_reading_release(struct loom_reading *reading)
{
    free(reading->item);
    reading->item = NULL;
    reading->items = 0;
}

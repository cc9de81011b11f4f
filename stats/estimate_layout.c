/*
 * What quantities estimates have: every number of every instance.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/estimate_private.h"

enum {
    HISTOGRAM_WIDTH = LOOM_HISTOGRAM_BINS + 2 /* count and sum */
};

const void *loom_estimate_field(const struct loom_class *class,
                                const void *block, size_t stat)
{
    return (const char *)block + class->stats.item[stat].offset;
}

size_t loom_estimate_width(const struct loom_class *class, size_t stat)
{
    size_t most = 0;

    switch (class->stats.item[stat].kind) {
    case LOOM_STAT_VECTOR:
        return class->stats.item[stat].count;
    case LOOM_STAT_ARRAY:
        for (uint32_t i = 0; i < class->count; i++) {
            const struct loom_array *array =
                loom_estimate_field(class, class->block[i], stat);

            most = array->count > most ? array->count : most;
        }
        return most;
    case LOOM_STAT_HISTOGRAM:
        return HISTOGRAM_WIDTH;
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        return 1;
    }
    LOOM_BUG("kind %d", (int)class->stats.item[stat].kind);
}

static bool lay_out(struct loom_estimate_group *group,
                    const struct loom_class *class, size_t first)
{
    group->class = class;
    group->first = first;
    group->at = calloc(class->stats.count + 1, sizeof(*group->at));
    group->shadow = calloc(class->count, sizeof(*group->shadow));
    if (group->at == NULL || group->shadow == NULL) {
        return false;
    }
    for (size_t i = 0; i < class->stats.count; i++) {
        group->at[i] = group->width;
        group->width += loom_estimate_width(class, i);
    }
    for (uint32_t row = 0; row < class->count; row++) {
        group->shadow[row] = loom_block_copy(class, row);
        if (group->shadow[row] == NULL) {
            return false;
        }
    }
    return true;
}

size_t loom_estimate_quantity(const struct loom_estimate_group *group,
                              uint32_t row, size_t stat)
{
    return group->first + row * group->width + group->at[stat];
}

/* The quantities of the counters at this place of the struct; SIZE_MAX: they
 * are gauges. */
static size_t input_at(const struct loom_estimate_group *group, uint32_t row,
                       size_t offset)
{
    const struct loom_stats *stats = &group->class->stats;

    for (size_t i = 0; i < stats->count; i++) {
        if (stats->item[i].kind == LOOM_STAT_COUNTER &&
            stats->item[i].offset == offset) {
            return loom_estimate_quantity(group, row, i);
        }
    }
    return SIZE_MAX;
}

struct loom_estimate_pair
loom_estimate_pair_of(const struct loom_estimate *e,
                      const struct loom_estimate_group *group, uint32_t row,
                      size_t stat)
{
    const struct loom_stat *s = &group->class->stats.item[stat];
    struct loom_estimate_pair pair = {loom_estimate_quantity(group, row, stat),
                                      SIZE_MAX, e->count - 1};

    switch (s->kind) {
    case LOOM_STAT_RATIO:
        pair.bottom = input_at(group, row, s->den_offset);
        pair.top = input_at(group, row, s->offset);
        break;
    case LOOM_STAT_RATE:
        pair.top = input_at(group, row, s->offset);
        break;
    case LOOM_STAT_POWER: /* the sum of energies is the one before it */
        pair.top = pair.of - 1;
        break;
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_VECTOR:
    case LOOM_STAT_ARRAY:
    case LOOM_STAT_HISTOGRAM:
    case LOOM_STAT_ENERGY:
        break;
    }
    return pair;
}

/* Adds the pairs of a class, or counts them where there is no list yet, and
 * says what is exact. */
static void find_pairs(struct loom_estimate *e,
                       const struct loom_estimate_group *group)
{
    const struct loom_stats *stats = &group->class->stats;

    for (uint32_t row = 0; row <= group->class->count; row++) {
        for (size_t i = 0; i < stats->count; i++) {
            struct loom_estimate_pair pair =
                loom_estimate_pair_of(e, group, row, i);

            if (pair.top != SIZE_MAX && pair.bottom != SIZE_MAX) {
                if (e->pair != NULL) {
                    e->pair[e->pairs] = pair;
                }
                e->pairs++;
            }
        }
    }
}

static void find_exact(struct loom_estimate *e,
                       const struct loom_estimate_group *group)
{
    const struct loom_stats *stats = &group->class->stats;

    for (uint32_t row = 0; row <= group->class->count; row++) {
        for (size_t i = 0; i < stats->count; i++) {
            for (size_t k = 0; k < loom_estimate_width(group->class, i); k++) {
                e->exact[loom_estimate_quantity(group, row, i) + k] =
                    stats->item[i].exact;
            }
        }
    }
}

static bool take_memory(struct loom_estimate *e)
{
    double **list[] = {&e->begin,
                       &e->now,
                       &e->left,
                       &e->change,
                       &e->wrong,
                       &e->correction,
                       &e->variance,
                       &e->scratch,
                       &e->squares[LOOM_BASE_INSTS],
                       &e->squares[LOOM_BASE_ACCESSES],
                       &e->local[LOOM_BASE_INSTS],
                       &e->local[LOOM_BASE_ACCESSES]};

    e->exact = calloc(e->count, sizeof(*e->exact));
    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        *list[i] = calloc(e->count, sizeof(**list[i]));
        if (*list[i] == NULL) {
            return false;
        }
    }
    return e->exact != NULL;
}

static bool lay_out_all(struct loom_estimate *e)
{
    struct loom_catalog *catalog = e->catalog;

    for (uint32_t i = 0; i < catalog->count; i++) {
        if (!lay_out(&e->group[i], &catalog->item[i], e->count)) {
            return false;
        }
        e->count += (catalog->item[i].count + 1u) * e->group[i].width;
    }
    e->count++;
    for (uint32_t i = 0; i < catalog->count; i++) {
        find_pairs(e, &e->group[i]);
    }
    e->pair = calloc(e->pairs + 1, sizeof(*e->pair));
    if (e->pair == NULL || !take_memory(e)) {
        return false;
    }
    e->pairs = 0;
    for (uint32_t i = 0; i < catalog->count; i++) {
        find_pairs(e, &e->group[i]);
        find_exact(e, &e->group[i]);
    }
    return true;
}

struct loom_estimate *
loom_estimate_create(struct loom_machine *machine,
                     const struct loom_energy_model *model,
                     struct loom_error *err)
{
    struct loom_estimate *e = calloc(1, sizeof(*e));
    struct loom_catalog *catalog = loom_catalog_create(machine, model, err);

    if (catalog == NULL) {
        free(e);
        return NULL;
    }
    if (e != NULL) {
        e->catalog = catalog;
        e->group = calloc(catalog->count + 1u, sizeof(*e->group));
    }
    if (e == NULL || e->group == NULL || !lay_out_all(e)) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for estimates");
        if (e == NULL) {
            loom_catalog_destroy(catalog);
        }
        loom_estimate_destroy(e);
        return NULL;
    }
    return e;
}

static void release_series(struct loom_estimate_series *s)
{
    if (s != NULL) {
        free(s->begin);
        free(s->change);
        free(s->squares);
        free(s->wrong);
    }
    free(s);
}

static struct loom_estimate_series *make_series(size_t count)
{
    struct loom_estimate_series *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        return NULL;
    }
    s->begin = calloc(count, sizeof(*s->begin));
    s->change = calloc(count, sizeof(*s->change));
    s->squares = calloc(count, sizeof(*s->squares));
    s->wrong = calloc(count, sizeof(*s->wrong));
    if (s->begin == NULL || s->change == NULL || s->squares == NULL ||
        s->wrong == NULL) {
        release_series(s);
        return NULL;
    }
    return s;
}

bool loom_estimate_group(struct loom_estimate *e, uint32_t *number)
{
    size_t bytes = (e->groups + 1u) * sizeof(struct loom_estimate_series *);
    struct loom_estimate_series **series = realloc(e->series, bytes);

    if (series == NULL) {
        return false;
    }
    e->series = series;
    series[e->groups] = make_series(e->count);
    if (series[e->groups] == NULL) {
        return false;
    }
    *number = e->groups++;
    return true;
}

static void release(struct loom_estimate_group *group)
{
    const struct loom_class *class = group->class;

    for (uint32_t row = 0; group->shadow != NULL && row < class->count; row++) {
        loom_block_drop(class, group->shadow[row]);
    }
    free(group->shadow);
    free(group->at);
}

void loom_estimate_destroy(struct loom_estimate *e)
{
    if (e == NULL) {
        return;
    }
    for (uint32_t i = 0; e->group != NULL && i < e->catalog->count; i++) {
        if (e->group[i].class != NULL) {
            release(&e->group[i]);
        }
    }
    loom_catalog_destroy(e->catalog);
    for (uint32_t i = 0; i < e->groups; i++) {
        release_series(e->series[i]);
    }
    free(e->series);
    free(e->group);
    free(e->pair);
    free(e->exact);
    free(e->begin);
    free(e->now);
    free(e->left);
    free(e->change);
    free(e->correction);
    for (enum loom_estimate_base b = 0; b < LOOM_BASES; b++) {
        free(e->squares[b]);
        free(e->local[b]);
    }
    free(e->variance);
    free(e->scratch);
    free(e->wrong);
    free(e);
}

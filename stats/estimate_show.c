/*
 * Estimates in place of counters, and their standard errors.
 */
#include <string.h>

#include "stats/estimate_private.h"

static uint64_t corrected(uint64_t counter, double correction)
{
    double value = (double)counter + correction;

    if (correction == 0) {
        return counter;
    }
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

static void correct_items(uint64_t *to, const uint64_t *from, size_t count,
                          const double *correction)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = corrected(from[i], correction[i]);
    }
}

static void correct(const struct loom_class *class, uint32_t row, size_t stat,
                    char *shadow, const double *correction)
{
    const struct loom_stat *s = &class->stats.item[stat];
    const void *own;
    void *to;
    const struct loom_array *array;
    struct loom_histogram *histogram;

    if (s->kind == LOOM_STAT_ENERGY || s->kind == LOOM_STAT_POWER ||
        s->kind == LOOM_STAT_RATIO || s->kind == LOOM_STAT_RATE) {
        return;
    }
    own = loom_estimate_field(class, class->block[row], stat);
    to = shadow + s->offset;
    switch (s->kind) {
    case LOOM_STAT_COUNTER:
        correct_items(to, own, 1, correction);
        return;
    case LOOM_STAT_VECTOR:
        correct_items(to, own, s->count, correction);
        return;
    case LOOM_STAT_ARRAY:
        array = own;
        correct_items(((const struct loom_array *)to)->item, array->item,
                      array->count, correction);
        return;
    case LOOM_STAT_HISTOGRAM:
        histogram = to;
        *histogram = *(const struct loom_histogram *)own;
        correct_items(histogram->bin, histogram->bin, LOOM_HISTOGRAM_BINS,
                      correction);
        correct_items(&histogram->count, &histogram->count, 1,
                      correction + LOOM_HISTOGRAM_BINS);
        correct_items(&histogram->sum, &histogram->sum, 1,
                      correction + LOOM_HISTOGRAM_BINS + 1);
        return;
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        memcpy(to, own, sizeof(uint64_t));
        return;
    }
}

static void refresh(struct loom_estimate *e)
{
    loom_estimate_read(e);
    for (uint32_t i = 0; i < e->catalog->count; i++) {
        const struct loom_estimate_group *group = &e->group[i];

        for (uint32_t row = 0; row < group->class->count; row++) {
            for (size_t k = 0; k < group->class->stats.count; k++) {
                correct(group->class, row, k, group->shadow[row],
                        e->correction + loom_estimate_quantity(group, row, k));
            }
        }
    }
}

void loom_estimate_settle(const struct loom_catalog *catalog)
{
    loom_machine_settle(catalog->machine);
    if (catalog->estimate != NULL) {
        refresh(catalog->estimate);
    }
}

void loom_estimate_show(struct loom_estimate *e, struct loom_catalog *catalog)
{
    LOOM_CHECK(catalog->count == e->catalog->count);
    for (uint32_t i = 0; i < catalog->count; i++) {
        for (uint32_t row = 0; row < catalog->item[i].count; row++) {
            catalog->item[i].block[row] = e->group[i].shadow[row];
        }
    }
    catalog->estimate = e;
}

/* ---- errors ---- */

/* The estimate that stands for a quantity now, of a row or of all. */
static double estimated(const struct loom_estimate *e, size_t q)
{
    return e->now[q] + e->correction[q];
}

static double quotient_error(const struct loom_estimate *e,
                             const struct loom_estimate_pair *pair)
{
    double bottom = estimated(e, pair->bottom);
    double ratio = estimated(e, pair->top) / bottom;
    double variance = e->variance[pair->top] -
                      2 * ratio * e->variance[pair->of] +
                      ratio * ratio * e->variance[pair->bottom];

    if (!(bottom > 0)) {
        return LOOM_NAN;
    }
    return variance > 0 ? __builtin_sqrt(variance) / bottom : 0;
}

double loom_estimate_error(const struct loom_estimate *e, uint32_t class,
                           size_t stat, uint32_t row, uint32_t key)
{
    const struct loom_estimate_group *group = &e->group[class];
    const struct loom_stat *s = &group->class->stats.item[stat];
    size_t q = loom_estimate_quantity(group, row, stat) + key;
    struct loom_estimate_pair pair = loom_estimate_pair_of(e, group, row, stat);

    if (s->exact || s->kind == LOOM_STAT_GAUGE) {
        return 0;
    }
    if (e->blind) {
        return LOOM_NAN;
    }
    if (s->kind != LOOM_STAT_RATIO && s->kind != LOOM_STAT_RATE &&
        s->kind != LOOM_STAT_POWER) {
        return __builtin_sqrt(e->variance[q]);
    }
    if (pair.top == SIZE_MAX || pair.bottom == SIZE_MAX) {
        return 0; /* of gauges */
    }
    return quotient_error(e, &pair) * (s->kind == LOOM_STAT_RATIO ? 1 : 1e15);
}

double loom_estimate_time_error(const struct loom_estimate *e)
{
    return e->blind ? LOOM_NAN
                    : __builtin_sqrt(e->variance[e->count - 1]) / 1e15;
}

uint64_t loom_estimate_left_out(const struct loom_estimate *e)
{
    return (uint64_t)e->out;
}

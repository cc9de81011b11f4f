/*
 * Reading all quantities of estimates.
 */
#include <string.h>

#include "stats/estimate_private.h"

static void read_items(double *into, const uint64_t *item, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        into[i] = (double)item[i];
    }
}

static void read_stat(const struct loom_class *class, uint32_t row, size_t stat,
                      double seconds, double *into)
{
    const struct loom_stat *s = &class->stats.item[stat];
    const void *field = class->block[row];
    const struct loom_array *array;
    const struct loom_histogram *histogram;

    switch (s->kind) {
    case LOOM_STAT_COUNTER:
        read_items(into, loom_estimate_field(class, field, stat), 1);
        return;
    case LOOM_STAT_VECTOR:
        read_items(into, loom_estimate_field(class, field, stat), s->count);
        return;
    case LOOM_STAT_ARRAY:
        array = loom_estimate_field(class, field, stat);
        read_items(into, array->item, array->count);
        return;
    case LOOM_STAT_HISTOGRAM:
        histogram = loom_estimate_field(class, field, stat);
        read_items(into, histogram->bin, LOOM_HISTOGRAM_BINS);
        read_items(into + LOOM_HISTOGRAM_BINS, &histogram->count, 1);
        read_items(into + LOOM_HISTOGRAM_BINS + 1, &histogram->sum, 1);
        return;
    case LOOM_STAT_ENERGY:
        *into = loom_class_energy_read(class, s, row, seconds);
        return;
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_POWER:
        return;
    }
}

/* All quantities, now. */
void loom_estimate_read(struct loom_estimate *e)
{
    struct loom_machine *machine = e->catalog->machine;
    double now = (double)loom_machine_now(machine);

    loom_machine_settle(machine);
    for (uint32_t i = 0; i < e->catalog->count; i++) {
        const struct loom_estimate_group *group = &e->group[i];
        const struct loom_class *class = group->class;
        double *sum = e->now + group->first + class->count * group->width;

        memset(sum, 0, group->width * sizeof(*sum));
        for (uint32_t row = 0; row < class->count; row++) {
            double *own = e->now + group->first + row * group->width;

            for (size_t k = 0; k < class->stats.count; k++) {
                read_stat(class, row, k, now / 1e15, own + group->at[k]);
            }
            for (size_t k = 0; k < group->width; k++) {
                sum[k] += own[k];
            }
        }
    }
    e->now[e->count - 1] = now;
}

/* The sum of an exact counter over all components of a type. */
static double read_work(const struct loom_estimate *e, const char *type,
                        const char *name)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < e->catalog->count; i++) {
        const struct loom_class *class = &e->catalog->item[i];
        const struct loom_stat *stat = NULL;

        if (strcmp(class->type, type) == 0 && !class->is_policy) {
            stat = loom_stats_find(class->stats, name);
        }
        for (uint32_t row = 0; stat != NULL && row < class->count; row++) {
            sum += *(const uint64_t *)(const void
                                           *)((const char *)class->block[row] +
                                              stat->offset);
        }
    }
    return (double)sum;
}

/* How much was executed so far. */
struct loom_estimate_work loom_estimate_read_work(const struct loom_estimate *e)
{
    struct loom_estimate_work work;

    work.of[LOOM_BASE_INSTS] = read_work(e, "sm", "warp_insts");
    work.of[LOOM_BASE_ACCESSES] = read_work(e, "sm", "loads") +
                                  read_work(e, "sm", "stores") +
                                  read_work(e, "sm", "atomics");
    return work;
}

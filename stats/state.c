/*
 * Hashing counters: numbers go in as 8 bytes, lowest first, so that hosts of
 * either byte order agree.
 */
#include "stats/state.h"

#include <string.h>

static void add_text(struct loom_digest *digest, const char *text)
{
    loom_digest_add(digest, text, strlen(text) + 1);
}

static void add_stat(struct loom_digest *digest, const struct loom_stat *stat,
                     const char *block)
{
    const void *field = block + stat->offset;
    const struct loom_array *array = field;
    const struct loom_histogram *histogram = field;
    uint64_t length;

    switch (stat->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
        loom_digest_add_numbers(digest, field, 1);
        return;
    case LOOM_STAT_VECTOR:
        loom_digest_add_numbers(digest, field, stat->count);
        return;
    case LOOM_STAT_ARRAY:
        length = array->count;
        loom_digest_add_numbers(digest, &length, 1);
        loom_digest_add_numbers(digest, array->item, array->count);
        return;
    case LOOM_STAT_HISTOGRAM:
        loom_digest_add_numbers(digest, histogram->bin, LOOM_HISTOGRAM_BINS);
        loom_digest_add_numbers(digest, &histogram->count, 1);
        loom_digest_add_numbers(digest, &histogram->sum, 1);
        loom_digest_add_numbers(digest, &histogram->min, 1);
        loom_digest_add_numbers(digest, &histogram->max, 1);
        return;
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        return; /* computed from counters that are in already */
    }
}

static void add_part(struct loom_digest *digest, const char *path,
                     struct loom_stats stats, const void *block)
{
    add_text(digest, path);
    for (size_t i = 0; i < stats.count; i++) {
        add_text(digest, stats.item[i].name);
        add_stat(digest, &stats.item[i], block);
    }
}

void loom_state_digest(struct loom_machine *machine, struct loom_digest *digest)
{
    loom_machine_settle(machine);
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        struct loom_component *component = loom_machine_component(machine, i);

        add_part(digest, loom_component_path(component),
                 loom_component_type_of(component)->stats,
                 loom_stats_of(component));
    }
    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        struct loom_policy *policy = loom_machine_policy(machine, i);

        add_part(digest, loom_policy_path(policy),
                 loom_policy_type_of(policy)->stats, loom_policy_stats(policy));
    }
}

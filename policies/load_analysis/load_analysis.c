/*
 * load_analysis: misses per load instruction (observes only).
 *
 * Figure 2 of DaCache (003): a load is fully cached if none of its accesses
 * missed in the L1, partially if some did, uncached if all did.  Coherent
 * loads make up to `coherent_accesses` accesses, divergent ones more.  And a
 * table by load.
 *
 * A load is counted when its last access is back.
 */
#include "policies/lib/launch_list.h"
#include "policies/lib/load_table.h"
#include "policies/observe_hook.h"

struct load_analysis_config {
    uint32_t load_rows, coherent_accesses;
    struct loom_list launches;
};

enum {
    GROUPS = 5 /* misses of a load: 0 1 2 3-31 32 and more */
};

enum cached {
    FULLY,
    PARTIALLY,
    UNCACHED,
    CACHED
};

struct load_analysis_stats {
    uint64_t loads, accesses, hits, bypasses, other_loads;
    uint64_t coherent_misses[GROUPS], divergent_misses[GROUPS];
    uint64_t coherent[CACHED], divergent[CACHED];
    struct loom_histogram misses_per_load, accesses_per_load;
    struct loom_load_ids load;
    struct loom_array load_count, load_accesses, load_hits;
    struct loom_array load_bypasses, load_fully, load_partially;
};

struct load_analysis {
    struct loom_load_table table;
};

static bool load_init(struct loom_policy *self, struct loom_error *err)
{
    const struct load_analysis_config *config = loom_policy_config(self);
    struct load_analysis *l = loom_policy_state(self);
    struct load_analysis_stats *s = loom_policy_stats(self);
    struct loom_array *const array[] = {&s->load_count, &s->load_accesses,
                                        &s->load_hits,  &s->load_bypasses,
                                        &s->load_fully, &s->load_partially};

    loom_load_ids_init(&s->load, self, config->load_rows);
    for (size_t i = 0; i < LOOM_COUNTOF(array); i++) {
        loom_policy_array(self, array[i], config->load_rows);
    }
    return loom_load_table_init(&l->table, self, config->load_rows, err);
}

static void load_given(struct loom_policy *self, const void *work,
                       uint32_t kind)
{
    struct load_analysis *l = loom_policy_state(self);
    struct load_analysis_stats *s = loom_policy_stats(self);

    loom_load_table_given(&l->table, work, kind);
    loom_load_ids_publish(&s->load, &l->table);
}

static uint32_t group_of(uint32_t misses)
{
    return misses < 3 ? misses : misses < 32 ? 3 : 4;
}

static void count_by_load(struct loom_policy *self,
                          const struct loom_event *event, enum cached cached)
{
    struct load_analysis *l = loom_policy_state(self);
    struct load_analysis_stats *s = loom_policy_stats(self);
    uint32_t used = l->table.used;
    uint32_t row = loom_load_table_note(&l->table, event->kernel, event->inst);

    if (row == LOOM_NO_ROW) {
        s->other_loads++;
        return;
    }
    if (l->table.used != used) {
        loom_load_ids_publish(&s->load, &l->table);
    }
    s->load_count.item[row]++;
    s->load_accesses.item[row] += event->count;
    s->load_hits.item[row] += event->hits;
    s->load_bypasses.item[row] += event->bypasses;
    s->load_fully.item[row] += cached == FULLY;
    s->load_partially.item[row] += cached == PARTIALLY;
}

static void load_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct load_analysis_config *config = loom_policy_config(self);
    struct load_analysis_stats *s = loom_policy_stats(self);
    uint32_t misses = event->count - event->hits;
    bool divergent = event->count > config->coherent_accesses;
    enum cached cached = misses == 0              ? FULLY
                         : misses == event->count ? UNCACHED
                                                  : PARTIALLY;

    if (event->kernel->inst[event->inst].op != LOOM_OP_LOAD ||
        event->count == 0 ||
        !loom_launch_listed(&config->launches, event->kernel->number)) {
        return;
    }
    s->loads++;
    s->accesses += event->count;
    s->hits += event->hits;
    s->bypasses += event->bypasses;
    (divergent ? s->divergent_misses : s->coherent_misses)[group_of(misses)]++;
    (divergent ? s->divergent : s->coherent)[cached]++;
    loom_histogram_add(&s->misses_per_load, misses);
    loom_histogram_add(&s->accesses_per_load, event->count);
    count_by_load(self, event, cached);
}

static uint64_t sum(const uint64_t *item, uint32_t count)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        total += item[i];
    }
    return total;
}

static bool load_check(struct loom_policy *self, struct loom_error *err)
{
    const struct load_analysis_stats *s = loom_policy_stats(self);

    if (sum(s->coherent, CACHED) + sum(s->divergent, CACHED) != s->loads ||
        sum(s->coherent_misses, GROUPS) + sum(s->divergent_misses, GROUPS) !=
            s->loads ||
        sum(s->load_count.item, s->load_count.count) + s->other_loads !=
            s->loads ||
        s->hits + s->bypasses > s->accesses ||
        s->misses_per_load.sum != s->accesses - s->hits) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "tables do not add up to %llu loads",
                         (unsigned long long)s->loads);
    }
    return true;
}

static const struct loom_observe_ops load_observe = {
    .events = LOOM_EVENT(MEM_COMPLETE), .observe = load_watch};

static const char *const group_keys[GROUPS] = {"0", "1", "2", "3_31", "32"};
static const char *const cached_keys[CACHED] = {"fully", "partially",
                                                "uncached"};

static const struct loom_param load_params[] = {
    LOOM_PARAM(struct load_analysis_config, load_rows, .def = {.u = 512},
               .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Rows of the tables of loads"),
    LOOM_LAUNCHES_PARAM(struct load_analysis_config),
    LOOM_PARAM(struct load_analysis_config, coherent_accesses,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 2}, .min = {.u = 1},
               .max = {.u = 128}, .doc = "A load of more accesses is divergent",
               .source = "DaCache (003): one or two cache blocks"),
};

#define BY_LOAD(field, unit_, doc_)                                            \
    LOOM_ARRAY(struct load_analysis_stats, field, "load", LOOM_UNIT_##unit_,   \
               doc_)

static const struct loom_stat load_stat_table[] = {
    LOOM_COUNTER(struct load_analysis_stats, loads, LOOM_UNIT_WARP_INST,
                 "Loads of global and local memory that are complete"),
    LOOM_COUNTER(struct load_analysis_stats, accesses, LOOM_UNIT_REQUEST,
                 "Their accesses"),
    LOOM_COUNTER(struct load_analysis_stats, hits, LOOM_UNIT_REQUEST,
                 "Of these, answered by data in the L1"),
    LOOM_COUNTER(struct load_analysis_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Of these, sent around the L1"),
    LOOM_VECTOR(struct load_analysis_stats, coherent_misses, "miss_count",
                group_keys, LOOM_UNIT_WARP_INST,
                "Coherent loads by their misses"),
    LOOM_VECTOR(struct load_analysis_stats, divergent_misses, "miss_count",
                group_keys, LOOM_UNIT_WARP_INST,
                "Divergent loads by their misses"),
    LOOM_VECTOR(struct load_analysis_stats, coherent, "cached", cached_keys,
                LOOM_UNIT_WARP_INST, "Coherent loads, how far cached"),
    LOOM_VECTOR(struct load_analysis_stats, divergent, "cached", cached_keys,
                LOOM_UNIT_WARP_INST, "Divergent loads, how far cached"),
    LOOM_HISTOGRAM(struct load_analysis_stats, misses_per_load,
                   LOOM_UNIT_REQUEST, "Misses of a load"),
    LOOM_HISTOGRAM(struct load_analysis_stats, accesses_per_load,
                   LOOM_UNIT_REQUEST, "Accesses of a load"),
    LOOM_LOAD_IDS(struct load_analysis_stats, load),
    BY_LOAD(load_count, WARP_INST, "How often it was executed"),
    BY_LOAD(load_accesses, REQUEST, "Its accesses"),
    BY_LOAD(load_hits, REQUEST, "Its hits"),
    BY_LOAD(load_bypasses, REQUEST, "Its accesses sent around"),
    BY_LOAD(load_fully, WARP_INST, "How often it was fully cached"),
    BY_LOAD(load_partially, WARP_INST, "How often it was partially cached"),
    LOOM_COUNTER(struct load_analysis_stats, other_loads, LOOM_UNIT_WARP_INST,
                 "Loads that have no row"),
};

const struct loom_policy_type load_analysis_policy = {
    .name = "load_analysis",
    .doc = "Observes how many accesses of each load hit in the L1",
    .state_size = sizeof(struct load_analysis),
    .config_size = sizeof(struct load_analysis_config),
    .stats_size = sizeof(struct load_analysis_stats),
    .params = LOOM_SLICE(load_params),
    .stats = LOOM_SLICE(load_stat_table),
    .facets = LOOM_FACETS({&loom_ldst_observe_hook, &load_observe}),
    .init = load_init,
    .given = load_given,
    .check = load_check,
    .cost = loom_cost_none,
};

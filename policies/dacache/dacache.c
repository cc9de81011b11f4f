/*
 * dacache: divergence-aware management of an L1 (Wang, Yu, Sun and Wang,
 * "DaCache: Memory Divergence-Aware GPU Cache Management", ICS 2015).
 *
 * Blocks of warps that are scheduled first are inserted near the most
 * recently used end, those of warps scheduled last at the other, so that the
 * loads of a few warps hit with all of their accesses instead of those of
 * all warps with some.  docs/policies/dacache.md says what the paper leaves
 * open and what is done here.
 */
#include <string.h>

#include "policies/dacache/dacache_private.h"
#include "policies/sm_hook.h"

static bool take_tables(struct loom_policy *self, struct loom_error *err)
{
    struct dacache *d = loom_policy_state(self);
    struct dacache_stats *s = loom_policy_stats(self);
    struct loom_array *rows[] = {
        &s->load_class,  &s->load_insts,    &s->load_full,
        &s->load_partly, &s->load_bypasses, &s->load_mru,
        &s->load_gauged, &s->load_lru,      &s->load_positions};

    loom_load_ids_init(&s->load, self, d->config->loads);
    for (size_t i = 0; i < LOOM_COUNTOF(rows); i++) {
        loom_policy_array(self, rows[i], d->config->loads);
    }
    d->victim =
        loom_policy_alloc(self, d->config->victim_entries, sizeof(*d->victim));
    d->profile = loom_policy_alloc(self, d->config->profiler_entries,
                                   sizeof(*d->profile));
    d->evicted = loom_policy_alloc(self, d->config->loads, sizeof(*d->evicted));
    return loom_policy_has_memory(self, err);
}

static bool init(struct loom_policy *self, struct loom_error *err)
{
    struct dacache *d = loom_policy_state(self);
    const struct dacache_config *config = loom_policy_config(self);

    d->config = config;
    d->stats = loom_policy_stats(self);
    d->constraint = strcmp(config->constrained, "bypass") == 0  ? DACACHE_BYPASS
                    : strcmp(config->constrained, "stall") == 0 ? DACACHE_STALL
                                                                : DACACHE_OFF;
    d->dynamic = strcmp(config->partition, "dynamic") == 0;
    return loom_load_table_init(&d->table, self, config->loads, err) &&
           take_tables(self, err);
}

static bool validate(const void *data, struct loom_error *err)
{
    const struct dacache_config *config = data;

    if (config->narrow_accesses < config->coherent_accesses) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'narrow_accesses' is %u, expected at least "
                         "'coherent_accesses' (%u)",
                         config->narrow_accesses, config->coherent_accesses);
    }
    if (config->fcw_max != 0 && config->fcw_max < config->fcw_min) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'fcw_max' is %u, expected at least 'fcw_min' (%u)",
                         config->fcw_max, config->fcw_min);
    }
    if (config->replaceable_ways == 0 &&
        strcmp(config->constrained, "stall") == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'replaceable_ways' is 0, expected at least 1 where "
                         "'constrained' is 'stall': a miss would wait for a "
                         "way forever");
    }
    return true;
}

/* ---- the SM ---- */

static bool bind_sm(struct loom_policy *self,
                    const struct loom_observe_shape *shape,
                    struct loom_error *err)
{
    struct dacache *d = loom_policy_state(self);

    if (!shape->ranked) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "the scheduler of this SM does not rank its warps, "
                         "expected one with a lasting order (gto or oldest, "
                         "for example): dacache places blocks by it");
    }
    if (shape->warps > DACACHE_WARPS) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "dacache tells %u warps of an SM apart, not %u",
                         (unsigned)DACACHE_WARPS, shape->warps);
    }
    if (d->config->fcw_min > shape->warps) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'fcw_min' is %u, expected at most the SM's 'warps' "
                         "(%u)",
                         d->config->fcw_min, shape->warps);
    }
    d->schedulers = shape->schedulers;
    d->fcw_max = d->config->fcw_max != 0 && d->config->fcw_max < shape->warps
                     ? d->config->fcw_max
                     : shape->warps;
    dacache_start(d);
    return true;
}

static void given(struct loom_policy *self, const void *work, uint32_t kind)
{
    struct dacache *d = loom_policy_state(self);

    loom_load_table_given(&d->table, work, kind);
    loom_load_ids_publish(&d->stats->load, &d->table);
}

/* Loads of a trace, whose instructions come to be known one by one. */
static void observe_ldst(struct loom_policy *self,
                         const struct loom_event *event)
{
    struct dacache *d = loom_policy_state(self);
    uint32_t used = d->table.used;

    (void)loom_load_table_note(&d->table, event->kernel, event->inst);
    if (d->table.used != used) {
        loom_load_ids_publish(&d->stats->load, &d->table);
    }
}

static const struct loom_observe_ops sm_observer = {.bind = bind_sm};

static const struct loom_observe_ops ldst_observer = {
    .events = LOOM_EVENT(MEM_ISSUE),
    .observe = observe_ldst,
};

/* ---- the cache ---- */

static void observe_cache(struct loom_policy *self,
                          const struct loom_event *event)
{
    struct dacache *d = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_EVICT) {
        dacache_evicted(d, event);
    } else {
        dacache_accessed(d, event);
    }
}

static const struct loom_observe_ops cache_observer = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(BYPASS) | LOOM_EVENT(EVICT),
    .observe = observe_cache,
};

static bool check(struct loom_policy *self, struct loom_error *err)
{
    const struct dacache *d = loom_policy_state(self);

    if (d->dynamic && (d->fcw > d->fcw_max || d->fcw < d->fcw_min)) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%u fully cached warps, expected %u to %u", d->fcw,
                         d->fcw_min, d->fcw_max);
    }
    for (size_t set = 0; set < d->sets; set++) {
        const uint16_t *stack = d->stack + set * d->ways;

        for (uint32_t i = 0; i < d->ways; i++) {
            for (uint32_t k = 0; k < i; k++) {
                if (stack[i] == stack[k]) {
                    return loom_fail(err, LOOM_ERR_LAW,
                                     "way %u is twice in the stack of set %zu",
                                     stack[i], set);
                }
            }
        }
    }
    return true;
}

/* ---- what it is made of ---- */

static void cost(const void *data, const struct loom_cost_shape *shape,
                 struct loom_cost *cost)
{
    const struct dacache_config *config = data;
    uint64_t lines = (uint64_t)shape->sets * shape->ways;

    loom_cost_add(cost, "order", lines, loom_bits_for(shape->ways),
                  "Place of a line in its set's order");
    if (config->profiled) {
        loom_cost_add(cost, "victim_pc", config->victim_entries, shape->pc_bits,
                      "Load that brought a victim");
        loom_cost_add(cost, "victim_tag", config->victim_entries,
                      shape->address_bits - loom_bits_for(shape->line_bytes),
                      "Line of a victim");
        loom_cost_add(cost, "profiler", config->profiler_entries,
                      shape->pc_bits + 1, "Load, and whether it has locality");
        loom_cost_add(cost, "line_pc", lines,
                      loom_bits_for(config->profiler_entries + 1u),
                      "Which coherent load brought a line");
    }
    if (strcmp(config->partition, "dynamic") == 0) {
        loom_cost_add(cost, "counter", 1, loom_bits_for(config->counter_max),
                      "CNT");
        loom_cost_add(cost, "fcw", 1, loom_bits_for(shape->warps),
                      "Fully cached warps aimed at");
    }
    loom_cost_add(cost, "load", 1, 2, "Div-reg and FCW-reg");
}

static const struct loom_param params[] = {
    LOOM_PARAM(struct dacache_config, constrained, .def = {.s = "bypass"},
               .choices = LOOM_CHOICES("bypass", "stall", "off"),
               .doc = "What a miss does whose set has no replaceable line "
                      "outside of the locality region; off: all ways may be "
                      "replaced",
               .source = "DaCache 4.3"),
    LOOM_PARAM(struct dacache_config, partition, .def = {.s = "dynamic"},
               .choices = LOOM_CHOICES("dynamic", "static"),
               .doc = "Is the locality region of fixed size",
               .source = "DaCache 4.4"),
    LOOM_PARAM(struct dacache_config, f, .def = {.f = 0.5}, .max = {.f = 1.0},
               .unit = LOOM_UNIT_RATIO,
               .doc = "Static partition: F, the share of the ways that the "
                      "locality region has at `width` = sets",
               .source = "DaCache 4.3: p = 3"),
    LOOM_PARAM(struct dacache_config, width, .def = {.u = 32}, .min = {.u = 1},
               .max = {.u = 1024}, .unit = LOOM_UNIT_REQUEST,
               .doc = "Width of equation 1: accesses of a divergent load",
               .source = "DaCache 4.2: 32 threads of a warp"),
    LOOM_PARAM(struct dacache_config, promotion, .def = {.u = 4},
               .max = {.u = 1024},
               .doc = "Positions by which a hit promotes; 0: to the most "
                      "recently used",
               .source = "DaCache 5.6"),
    LOOM_PARAM(struct dacache_config, gauged, .def = {.b = true},
               .doc = "Divergent loads of locality warps are inserted by "
                      "equation 1, not at the most recently used position",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, coherent_first, .def = {.b = true},
               .doc = "Coherent loads go before divergent ones",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, profiled, .def = {.b = true},
               .doc = "Coherent loads without locality are found by the victim "
                      "cache and inserted last",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, coherent_accesses, .def = {.u = 2},
               .min = {.u = 1}, .max = {.u = 128}, .unit = LOOM_UNIT_REQUEST,
               .doc = "A load of at most so many accesses is coherent",
               .source = "DaCache 2"),
    LOOM_PARAM(struct dacache_config, narrow_accesses, .def = {.u = 5},
               .min = {.u = 1}, .max = {.u = 128}, .unit = LOOM_UNIT_REQUEST,
               .doc = "A divergent load of at most so many accesses is "
                      "inserted first",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, counter_max, .def = {.u = 256},
               .min = {.u = 2}, .max = {.u = 65536},
               .doc = "Cmax: what CNT is saturated at",
               .source = "DaCache 4.4"),
    LOOM_PARAM(struct dacache_config, fall_count, .def = {.s = "half"},
               .choices = LOOM_CHOICES("half", "zero"),
               .doc = "CNT when the fully cached warps became fewer: half of "
                      "counter_max, or zero",
               .source = "DaCache 4.4: \"reset\""),
    LOOM_PARAM(struct dacache_config, fcw_initial, .def = {.u = 4},
               .max = {.u = 256}, .unit = LOOM_UNIT_WARP,
               .doc = "Fully cached warps of an SM at the start",
               .source = "DaCache 4.4"),
    LOOM_PARAM(struct dacache_config, fcw_min, .def = {.u = 0},
               .max = {.u = 256}, .unit = LOOM_UNIT_WARP,
               .doc = "Least number of them, up to the SM's warps; 0: one for "
                      "each scheduler, up to fcw_max",
               .source = "DaCache 4.4"),
    LOOM_PARAM(struct dacache_config, fcw_max, .def = {.u = 0},
               .max = {.u = 256}, .unit = LOOM_UNIT_WARP,
               .doc = "Largest number of them; 0: the SM's warps",
               .source = "DaCache 4.4: Wmax"),
    LOOM_PARAM(struct dacache_config, replaceable_ways, .def = {.u = 1},
               .max = {.u = 1024},
               .doc = "Ways of a set that always stay outside of the locality "
                      "region; at least 1 where misses stall"),
    LOOM_PARAM(struct dacache_config, pending_is_cached, .def = {.b = false},
               .doc = "A hit on a line whose data is on the way counts as "
                      "cached"),
    LOOM_PARAM(struct dacache_config, bypass_is_miss, .def = {.b = true},
               .doc = "A bypassed access counts as a miss of its load"),
    LOOM_BYPASS_PARAMS(struct dacache_config),
    LOOM_PARAM(struct dacache_config, profiler_entries, .def = {.u = 32},
               .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Loads that the coherent load profiler knows",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, victim_entries, .def = {.u = 16},
               .min = {.u = 1}, .max = {.u = 4096}, .unit = LOOM_UNIT_LINE,
               .doc = "Lines that the victim cache remembers",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, unknown_first, .def = {.b = true},
               .doc = "A coherent load is inserted first until it is known; "
                      "or last"),
    LOOM_PARAM(struct dacache_config, verdict_victims, .def = {.u = 0},
               .max = {.u = 1u << 20}, .unit = LOOM_UNIT_LINE,
               .doc = "Victims of a coherent load, none of them missed again, "
                      "that tell that it has no locality; 0: as soon as one "
                      "leaves the victim cache"),
    LOOM_PARAM(struct dacache_config, sampled_warps, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 256}, .unit = LOOM_UNIT_WARP,
               .doc = "Warps of an SM, by rank, whose coherent loads are "
                      "watched",
               .source = "DaCache 4.2"),
    LOOM_PARAM(struct dacache_config, loads, .def = {.u = 64}, .min = {.u = 1},
               .max = {.u = 65536}, .doc = "Rows of the statistics per load"),
};

static const char *const outcomes[] = {"full", "partly", "missed"};
static const char *const ends[] = {"mru", "gauged", "lru"};

#define COUNTER(field, unit, doc)                                              \
    LOOM_COUNTER(struct dacache_stats, field, unit, doc)
#define GAUGE(field, unit, doc)                                                \
    LOOM_GAUGE(struct dacache_stats, field, unit, doc)
#define ROW(field, unit, doc)                                                  \
    LOOM_ARRAY(struct dacache_stats, field, "load", unit, doc)

static const struct loom_stat stat_table[] = {
    LOOM_VECTOR(struct dacache_stats, coherent_loads, "outcome", outcomes,
                LOOM_UNIT_WARP_INST,
                "Coherent loads by how much of them was cached"),
    LOOM_VECTOR(struct dacache_stats, divergent_loads, "outcome", outcomes,
                LOOM_UNIT_WARP_INST,
                "Divergent loads by how much of them was cached"),
    LOOM_VECTOR(struct dacache_stats, insertions, "end", ends, LOOM_UNIT_LINE,
                "Lines inserted, by the rule that placed them"),
    LOOM_ARRAY(struct dacache_stats, insert_position, "position",
               LOOM_UNIT_LINE, "Lines inserted, by position; 0: first"),
    COUNTER(promotions, LOOM_UNIT_EVENT, "Hits that moved a line up"),
    COUNTER(constrained_bypasses, LOOM_UNIT_REQUEST,
            "Misses sent around for want of a replaceable line"),
    COUNTER(constrained_stalls, LOOM_UNIT_EVENT,
            "Times that a miss was told to wait for a replaceable line"),
    COUNTER(fcw_raised, LOOM_UNIT_EVENT,
            "Increments of the fully cached warps "
            "aimed at"),
    COUNTER(fcw_lowered, LOOM_UNIT_EVENT, "Decrements of them"),
    GAUGE(fcw, LOOM_UNIT_WARP, "Fully cached warps aimed at"),
    GAUGE(count, LOOM_UNIT_NONE,
          "CNT: balance of fully and partly cached "
          "loads"),
    GAUGE(region, LOOM_UNIT_LINE, "Ways of the locality region"),
    COUNTER(victims, LOOM_UNIT_LINE, "Lines put into the victim cache"),
    COUNTER(victim_hits, LOOM_UNIT_REQUEST, "Misses found in it"),
    COUNTER(with_locality, LOOM_UNIT_EVENT,
            "Coherent loads found to have locality"),
    COUNTER(without_locality, LOOM_UNIT_EVENT,
            "Coherent loads found to have none"),
    COUNTER(untracked_loads, LOOM_UNIT_WARP_INST,
            "Loads that found no row in the tables per load"),
    LOOM_LOAD_IDS(struct dacache_stats, load),
    ROW(load_class, LOOM_UNIT_NONE,
        "How wide it was last: 0 coherent, 1 narrow, 2 divergent"),
    ROW(load_insts, LOOM_UNIT_WARP_INST, "Times it was executed"),
    ROW(load_full, LOOM_UNIT_WARP_INST, "Times it was fully cached"),
    ROW(load_partly, LOOM_UNIT_WARP_INST, "Times it was partly cached"),
    ROW(load_bypasses, LOOM_UNIT_REQUEST, "Its accesses sent around"),
    ROW(load_mru, LOOM_UNIT_LINE, "Its lines inserted first"),
    ROW(load_gauged, LOOM_UNIT_LINE, "Its lines inserted by rank"),
    ROW(load_lru, LOOM_UNIT_LINE, "Its lines inserted last"),
    ROW(load_positions, LOOM_UNIT_NONE,
        "The positions at which its lines were inserted, summed up"),
};

const struct loom_policy_type dacache_policy = {
    .name = "dacache",
    .doc = "Inserts blocks by the rank of their warps, for fully cached warps",
    .state_size = sizeof(struct dacache),
    .config_size = sizeof(struct dacache_config),
    .stats_size = sizeof(struct dacache_stats),
    .params = LOOM_SLICE(params),
    .stats = LOOM_SLICE(stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &dacache_replacement},
                          {&loom_allocation_hook, &dacache_allocation},
                          {&loom_candidates_hook, &dacache_candidates},
                          {&loom_cache_observe_hook, &cache_observer},
                          {&loom_sm_observe_hook, &sm_observer},
                          {&loom_ldst_observe_hook, &ldst_observer}),
    .validate = validate,
    .init = init,
    .given = given,
    .check = check,
    .joins = true,
    .cost = cost,
};

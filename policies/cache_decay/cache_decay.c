/*
 * cache_decay: lines that are not accessed for an interval are gated.
 *
 * Cache decay (Kaxiras, Hu and Martonosi, ISCA 2001).  A counter of two bits
 * per line is cleared by accesses and counts the ticks of one global counter,
 * 2^bits of which are an interval; a line whose counter would overflow is
 * gated, after its data is written back if it is dirty.  Lines whose
 * write-back finds no room hold up the others of the tick, a cycle at a time.
 */
#include "policies/lib/gating.h"

struct decay_config {
    uint32_t interval, counter_bits;
    bool start_gated, reuse_gated;
};

struct decay_stats {
    uint64_t gatings, induced_misses, delayed_ticks;
    struct loom_array on_cycles;
};

struct decay {
    struct loom_gating lines;
    uint8_t *age;   /* [lines] ticks since the last access */
    uint32_t next;  /* line that the tick goes on with */
    uint32_t ticks; /* cycles from tick to tick */
    uint8_t limit;
    bool armed;
};

static bool decay_validate(const void *config, struct loom_error *err)
{
    const struct decay_config *k = config;

    if (k->interval >> k->counter_bits == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'interval' is %u, expected at least the "
                         "%u ticks of its counter",
                         k->interval, 1u << k->counter_bits);
    }
    return true;
}

/* Lines that are on grow old: a tick is due. */
static void arm(struct loom_policy *self, loom_cycle now)
{
    struct decay *d = loom_policy_state(self);

    if (!d->armed && d->lines.on != 0) {
        d->armed = true;
        loom_policy_wake(self, (now / d->ticks + 1) * d->ticks);
    }
}

static bool decay_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct decay_config *config = loom_policy_config(self);
    struct decay *d = loom_policy_state(self);
    struct decay_stats *stats = loom_policy_stats(self);

    d->limit = (uint8_t)((1u << config->counter_bits) - 1);
    d->ticks = config->interval >> config->counter_bits;
    d->lines.on_cycles = &stats->on_cycles;
    if (!loom_gating_bind(&d->lines, self, shape,
                          config->start_gated ? LOOM_LINE_GATED : LOOM_LINE_ON,
                          err)) {
        return false;
    }
    d->age = loom_policy_alloc(self, d->lines.lines, sizeof(*d->age));
    return loom_policy_has_memory(self, err);
}

/* False: its write-back has to wait. */
static bool grow_old(struct loom_policy *self, uint32_t at, loom_cycle now)
{
    struct decay *d = loom_policy_state(self);
    struct decay_stats *stats = loom_policy_stats(self);
    const struct loom_cache_host *host = d->lines.host;
    uint32_t set = at / d->lines.ways, way = at % d->lines.ways;

    if (loom_gating_is_off(&d->lines, set, way) ||
        host->reserved(host->cache, set, way)) {
        return true;
    }
    if (d->age[at] < d->limit) {
        d->age[at]++;
        return true;
    }
    if (!host->power(host->cache, set, way, LOOM_LINE_GATED, now)) {
        return false;
    }
    loom_gating_set(&d->lines, set, way, LOOM_LINE_GATED, now);
    stats->gatings++;
    return true;
}

static void decay_timer(struct loom_policy *self, loom_cycle now)
{
    struct decay *d = loom_policy_state(self);
    struct decay_stats *stats = loom_policy_stats(self);

    for (; d->next < d->lines.lines; d->next++) {
        if (!grow_old(self, d->next, now)) {
            stats->delayed_ticks++;
            loom_policy_wake(self, now + 1);
            return;
        }
    }
    d->next = 0;
    d->armed = false;
    arm(self, now);
}

static enum loom_line_power decay_after(struct loom_policy *self,
                                        enum loom_event_kind event,
                                        const struct loom_mem_request *request,
                                        uint32_t set, uint32_t way)
{
    struct decay *d = loom_policy_state(self);
    loom_cycle now = loom_policy_now(self);

    (void)request;
    if (event == LOOM_EVENT_EVICT) { /* holds nothing until it is allocated */
        return loom_gating_set(&d->lines, set, way, LOOM_LINE_GATED, now);
    }
    d->age[(size_t)set * d->lines.ways + way] = 0;
    loom_gating_set(&d->lines, set, way, LOOM_LINE_ON, now);
    arm(self, now);
    return LOOM_LINE_ON;
}

static void decay_restrict(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           struct loom_ways *ways)
{
    const struct decay_config *config = loom_policy_config(self);
    const struct decay *d = loom_policy_state(self);

    (void)request;
    if (config->reuse_gated) {
        loom_gating_prefer(&d->lines, set, ways);
    }
}

static void decay_watch(struct loom_policy *self,
                        const struct loom_event *event)
{
    const struct decay *d = loom_policy_state(self);
    struct decay_stats *stats = loom_policy_stats(self);

    stats->induced_misses +=
        event->way < d->lines.ways &&
        loom_gating_is_off(&d->lines, event->set, event->way);
}

static void decay_settle(struct loom_policy *self, loom_cycle now)
{
    struct decay *d = loom_policy_state(self);

    loom_gating_settle(&d->lines, now);
}

static const struct loom_power_ops decay_power = {.bind = decay_bind,
                                                  .after = decay_after};
static const struct loom_candidates_ops decay_candidates = {.restrict_ways =
                                                                decay_restrict};
static const struct loom_observe_ops decay_observe = {
    .events = LOOM_EVENT(MISS), .observe = decay_watch};

static void decay_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost)
{
    const struct decay_config *k = config;

    loom_cost_add(cost, "age", (uint64_t)shape->sets * shape->ways,
                  k->counter_bits, "Ticks since the last access to a line");
    loom_cost_add(cost, "tick", 1,
                  loom_bits_for(k->interval >> k->counter_bits),
                  "Cycles until the next tick");
}

static const struct loom_param decay_params[] = {
    LOOM_PARAM(struct decay_config, interval, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 8192}, .min = {.u = 2}, .max = {.u = 1u << 30},
               .doc = "Decay interval: a line without access is gated after "
                      "this many cycles, up to a tick more or less",
               .source = "Kaxiras et al. 2001: about 8000 cycles"),
    LOOM_PARAM(struct decay_config, counter_bits, .def = {.u = 2},
               .min = {.u = 1}, .max = {.u = 8},
               .doc = "Bits of a line's counter; 2^bits ticks are an interval",
               .source = "Kaxiras et al. 2001"),
    LOOM_PARAM(struct decay_config, start_gated, .def = {.b = true},
               .doc = "Lines are gated until their first allocation"),
    LOOM_PARAM(struct decay_config, reuse_gated, .def = {.b = true},
               .doc = "A gated way is replaced before one that holds data"),
};

static const struct loom_stat decay_stat_table[] = {
    LOOM_COUNTER(struct decay_stats, gatings, LOOM_UNIT_LINE,
                 "Lines gated as their interval was over"),
    LOOM_COUNTER(struct decay_stats, induced_misses, LOOM_UNIT_REQUEST,
                 "Misses that found the tag of a gated line"),
    LOOM_COUNTER(struct decay_stats, delayed_ticks, LOOM_UNIT_CYCLE,
                 "Cycles for which a write-back held up a tick"),
    LOOM_ARRAY(struct decay_stats, on_cycles, "line", LOOM_UNIT_CYCLE,
               "Cycles for which a line was on, by line: set * ways + way"),
};

const struct loom_policy_type cache_decay_policy = {
    .name = "cache_decay",
    .doc = "Gates lines that are not accessed for an interval",
    .state_size = sizeof(struct decay),
    .config_size = sizeof(struct decay_config),
    .stats_size = sizeof(struct decay_stats),
    .params = LOOM_SLICE(decay_params),
    .stats = LOOM_SLICE(decay_stat_table),
    .facets = LOOM_FACETS({&loom_power_hook, &decay_power},
                          {&loom_candidates_hook, &decay_candidates},
                          {&loom_cache_observe_hook, &decay_observe}),
    .validate = decay_validate,
    .timer = decay_timer,
    .settle = decay_settle,
    .cost = decay_cost,
};

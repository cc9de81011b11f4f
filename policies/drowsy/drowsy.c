/*
 * drowsy: lines that are not used keep their data at less leakage.
 *
 * Two techniques.  With scope = "cache" the whole cache sleeps when it has
 * had no request for a while and wakes with the next one (Wang, Roy and
 * Ranganathan, DATE 2012, for the L2).  With scope = "line" all lines are put
 * to sleep every so many cycles and wake one by one when they are accessed
 * (Flautner et al., ISCA 2002, the simple policy).  No data is lost; a hit on
 * a drowsy line costs the cache's wake_cycles.
 */
#include <string.h>

#include "policies/lib/gating.h"

struct drowsy_config {
    const char *scope;
    uint32_t idle, window;
};

struct drowsy_stats {
    uint64_t sleeps, wakes, sleep_cycles;
    struct loom_array on_cycles;
};

struct drowsy {
    struct loom_gating lines;
    loom_cycle used, slept; /* last request; asleep since */
    bool whole, armed, asleep;
};

static bool drowsy_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    const struct drowsy_config *config = loom_policy_config(self);
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);

    d->whole = strcmp(config->scope, "cache") == 0;
    d->lines.on_cycles = &stats->on_cycles;
    d->asleep = d->whole;
    if (d->whole) {
        shape->host->sleep(shape->host->cache, true, 0);
    }
    return loom_gating_bind(&d->lines, self, shape,
                            d->whole ? LOOM_LINE_ON : LOOM_LINE_DROWSY, err);
}

static void arm(struct loom_policy *self, loom_cycle now)
{
    const struct drowsy_config *config = loom_policy_config(self);
    struct drowsy *d = loom_policy_state(self);

    if (!d->armed) {
        d->armed = true;
        loom_policy_wake(self, d->whole ? now + config->idle
                                        : (now / config->window + 1) *
                                              config->window);
    }
}

static void use(struct loom_policy *self, loom_cycle now)
{
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);

    d->used = now;
    if (d->asleep) {
        d->asleep = false;
        stats->wakes++;
        stats->sleep_cycles += now - d->slept;
        d->lines.host->sleep(d->lines.host->cache, false, now);
    }
    arm(self, now);
}

static void sleep_all(struct loom_policy *self, loom_cycle now)
{
    const struct drowsy_config *config = loom_policy_config(self);
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);

    if (now - d->used < config->idle) {
        d->armed = true;
        loom_policy_wake(self, d->used + config->idle);
        return;
    }
    d->asleep = true;
    d->slept = now;
    stats->sleeps++;
    d->lines.host->sleep(d->lines.host->cache, true, now);
}

/* Lines whose data is on its way stay awake for it. */
static void sleep_lines(struct loom_policy *self, loom_cycle now)
{
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);
    const struct loom_cache_host *host = d->lines.host;

    for (uint32_t i = 0; i < d->lines.lines; i++) {
        uint32_t set = i / d->lines.ways, way = i % d->lines.ways;

        if (d->lines.state[i] == LOOM_LINE_ON &&
            host->power(host->cache, set, way, LOOM_LINE_DROWSY, now)) {
            loom_gating_set(&d->lines, set, way, LOOM_LINE_DROWSY, now);
            stats->sleeps++;
        }
    }
    if (d->lines.on != 0) {
        arm(self, now);
    }
}

static void drowsy_timer(struct loom_policy *self, loom_cycle now)
{
    struct drowsy *d = loom_policy_state(self);

    d->armed = false;
    if (d->whole) {
        sleep_all(self, now);
    } else {
        sleep_lines(self, now);
    }
}

static enum loom_line_power drowsy_after(struct loom_policy *self,
                                         enum loom_event_kind event,
                                         const struct loom_mem_request *request,
                                         uint32_t set, uint32_t way)
{
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);
    loom_cycle now = loom_policy_now(self);

    (void)event;
    (void)request;
    if (!d->whole) {
        stats->wakes +=
            d->lines.state[(size_t)set * d->lines.ways + way] != LOOM_LINE_ON;
        loom_gating_set(&d->lines, set, way, LOOM_LINE_ON, now);
        arm(self, now);
    }
    return LOOM_LINE_ON;
}

static void drowsy_watch(struct loom_policy *self,
                         const struct loom_event *event)
{
    const struct drowsy *d = loom_policy_state(self);

    if (d->whole) {
        use(self, event->now);
    }
}

static void drowsy_settle(struct loom_policy *self, loom_cycle now)
{
    struct drowsy *d = loom_policy_state(self);
    struct drowsy_stats *stats = loom_policy_stats(self);

    loom_gating_settle(&d->lines, now);
    if (d->asleep) {
        stats->sleep_cycles += now - d->slept;
        d->slept = now;
    }
}

static const struct loom_power_ops drowsy_power = {.bind = drowsy_bind,
                                                   .after = drowsy_after};
static const struct loom_observe_ops drowsy_observe = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(FILL),
    .observe = drowsy_watch,
};

static void drowsy_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    const struct drowsy_config *k = config;

    if (strcmp(k->scope, "cache") == 0) {
        loom_cost_add(cost, "idle", 1, loom_bits_for(k->idle),
                      "Cycles since the last request");
        return;
    }
    loom_cost_add(cost, "line", (uint64_t)shape->sets * shape->ways, 1,
                  "Whether a line is drowsy");
    loom_cost_add(cost, "window", 1, loom_bits_for(k->window),
                  "Cycles until all lines are drowsy again");
}

static const struct loom_param drowsy_params[] = {
    LOOM_PARAM(struct drowsy_config, scope, .def = {.s = "cache"},
               .choices = LOOM_CHOICES("cache", "line"),
               .doc = "What sleeps and wakes: the whole cache, when it is "
                      "idle, or each line"),
    LOOM_PARAM(struct drowsy_config, idle, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 16}, .min = {.u = 1}, .max = {.u = 1u << 30},
               .doc = "scope = cache: cycles without a request or a fill "
                      "after which it sleeps"),
    LOOM_PARAM(struct drowsy_config, window, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 4000}, .min = {.u = 1}, .max = {.u = 1u << 30},
               .doc = "scope = line: all lines are put to sleep this often",
               .source = "Flautner et al. 2002: 2000 to 4000 cycles"),
};

static const struct loom_stat drowsy_stat_table[] = {
    LOOM_COUNTER(struct drowsy_stats, sleeps, LOOM_UNIT_EVENT,
                 "How often the cache, or a line, went to sleep"),
    LOOM_COUNTER(struct drowsy_stats, wakes, LOOM_UNIT_EVENT,
                 "How often it was woken"),
    LOOM_COUNTER(struct drowsy_stats, sleep_cycles, LOOM_UNIT_CYCLE,
                 "scope = cache: cycles asleep"),
    LOOM_ARRAY(struct drowsy_stats, on_cycles, "line", LOOM_UNIT_CYCLE,
               "Cycles for which a line was on by itself, by line: set * ways "
               "+ way; scope = cache does not change it"),
};

const struct loom_policy_type drowsy_policy = {
    .name = "drowsy",
    .doc = "Lines keep their data asleep when they are not used",
    .state_size = sizeof(struct drowsy),
    .config_size = sizeof(struct drowsy_config),
    .stats_size = sizeof(struct drowsy_stats),
    .params = LOOM_SLICE(drowsy_params),
    .stats = LOOM_SLICE(drowsy_stat_table),
    .facets = LOOM_FACETS({&loom_power_hook, &drowsy_power},
                          {&loom_cache_observe_hook, &drowsy_observe}),
    .timer = drowsy_timer,
    .settle = drowsy_settle,
    .cost = drowsy_cost,
};

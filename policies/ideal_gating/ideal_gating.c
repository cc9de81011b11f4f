/*
 * ideal_gating: how long lines are alive, in one pass.
 *
 * A block lives in its way from its fill to its last access and is dead from
 * then until it leaves; a way that nobody has is dead as well.  Nothing is
 * gated: what an oracle would have left on is only known when a block leaves,
 * and an oracle that gates at the last access changes no timing.
 */
#include "policies/observe_hook.h"

struct ideal_config {
    bool wake_early;
};

struct ideal_stats {
    uint64_t line_cycles, live_cycles, reserved_cycles, dead_cycles, on_cycles;
    uint64_t lives, single_lives, unused_lines;
    struct loom_array dead_by_line;
};

struct life {
    loom_cycle start, last;
    uint64_t live, reserved; /* of blocks that have left */
    uint32_t accesses;
    bool open, filled, used; /* used: ever */
};

struct ideal {
    struct life *life; /* [lines] */
    uint32_t lines, ways;
};

static bool ideal_bind(struct loom_policy *self,
                       const struct loom_observe_shape *shape,
                       struct loom_error *err)
{
    struct ideal *g = loom_policy_state(self);
    struct ideal_stats *stats = loom_policy_stats(self);
    struct loom_array *dead = &stats->dead_by_line;

    g->ways = shape->ways;
    g->lines = shape->sets * shape->ways;
    g->life = loom_policy_alloc(self, g->lines, sizeof(*g->life));
    loom_policy_array(self, dead, g->lines);
    return loom_policy_has_memory(self, err);
}

static void leave(struct ideal_stats *stats, struct life *life)
{
    if (!life->open) {
        return;
    }
    life->live += life->last - life->start;
    life->open = false;
    stats->lives++;
    stats->single_lives += life->accesses == 1;
}

static void enter(struct life *life, loom_cycle now)
{
    life->start = now;
    life->last = now;
    life->accesses = 1;
    life->open = true;
    life->filled = false;
    life->used = true;
}

static void fill(struct life *life, loom_cycle now)
{
    if (!life->filled) {
        life->reserved += now - life->start;
        life->start = now;
        life->last = now;
        life->filled = true;
    }
}

/* Data is here: it has come, or the write that got the line brought it. */
static void hit(struct life *life, loom_cycle now)
{
    life->filled = true;
    life->last = now;
    life->accesses++;
}

static void ideal_watch(struct loom_policy *self,
                        const struct loom_event *event)
{
    struct ideal *g = loom_policy_state(self);
    struct ideal_stats *stats = loom_policy_stats(self);
    struct life *life;

    if (event->way >= g->ways) {
        return;
    }
    life = &g->life[(size_t)event->set * g->ways + event->way];
    switch (event->kind) {
    case LOOM_EVENT_ALLOCATE:
        leave(stats, life); /* of a gated line nobody tells */
        enter(life, event->now);
        break;
    case LOOM_EVENT_FILL:
        fill(life, event->now);
        break;
    case LOOM_EVENT_HIT:
        hit(life, event->now);
        break;
    case LOOM_EVENT_PENDING_HIT:
        life->last = life->filled ? event->now : life->last;
        life->accesses++;
        break;
    default:
        leave(stats, life);
        break;
    }
}

static void ideal_settle(struct loom_policy *self, loom_cycle now)
{
    const struct ideal_config *config = loom_policy_config(self);
    const struct ideal *g = loom_policy_state(self);
    struct ideal_stats *stats = loom_policy_stats(self);

    stats->live_cycles = 0;
    stats->reserved_cycles = 0;
    stats->dead_cycles = 0;
    stats->unused_lines = 0;
    for (uint32_t i = 0; i < g->lines; i++) {
        const struct life *life = &g->life[i];
        uint64_t live =
            life->live + (life->open ? life->last - life->start : 0);

        stats->live_cycles += live;
        stats->reserved_cycles += life->reserved;
        stats->dead_by_line.item[i] = now - live - life->reserved;
        stats->dead_cycles += stats->dead_by_line.item[i];
        stats->unused_lines += !life->used;
    }
    stats->line_cycles = (uint64_t)g->lines * now;
    stats->on_cycles =
        stats->live_cycles + (config->wake_early ? stats->reserved_cycles : 0);
}

static bool ideal_check(struct loom_policy *self, struct loom_error *err)
{
    const struct ideal_stats *s = loom_policy_stats(self);

    if (s->live_cycles + s->reserved_cycles + s->dead_cycles !=
        s->line_cycles) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "lines are alive, reserved and dead for %llu cycles, "
                         "of %llu",
                         (unsigned long long)(s->live_cycles +
                                              s->reserved_cycles +
                                              s->dead_cycles),
                         (unsigned long long)s->line_cycles);
    }
    return true;
}

static const struct loom_observe_ops ideal_observe = {
    .events = LOOM_EVENT(ALLOCATE) | LOOM_EVENT(FILL) | LOOM_EVENT(HIT) |
              LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(EVICT),
    .bind = ideal_bind,
    .observe = ideal_watch,
};

static const struct loom_param ideal_params[] = {
    LOOM_PARAM(struct ideal_config, wake_early, .def = {.b = false},
               .doc = "The oracle's lines are on from their allocation, as a "
                      "policy must wake them, not only from their fill"),
};

static const struct loom_stat ideal_stat_table[] = {
    LOOM_COUNTER(struct ideal_stats, line_cycles, LOOM_UNIT_CYCLE,
                 "Lines of the cache, summed over cycles"),
    LOOM_COUNTER(struct ideal_stats, live_cycles, LOOM_UNIT_CYCLE,
                 "From the fill of a block to its last access so far"),
    LOOM_COUNTER(struct ideal_stats, reserved_cycles, LOOM_UNIT_CYCLE,
                 "From the allocation of a line to its fill"),
    LOOM_COUNTER(struct ideal_stats, dead_cycles, LOOM_UNIT_CYCLE,
                 "All the others: after the last access, or never used"),
    LOOM_RATIO(struct ideal_stats, dead_ratio, dead_cycles, line_cycles,
               LOOM_UNIT_RATIO, "Dead cycles of all cycles of lines"),
    LOOM_COUNTER(struct ideal_stats, on_cycles, LOOM_UNIT_CYCLE,
                 "Cycles of lines that an oracle would leave on"),
    LOOM_RATIO(struct ideal_stats, on_ratio, on_cycles, line_cycles,
               LOOM_UNIT_RATIO,
               "Cycles of lines that an oracle would leave on, of all"),
    LOOM_COUNTER(struct ideal_stats, lives, LOOM_UNIT_LINE,
                 "Blocks that have left their way"),
    LOOM_COUNTER(struct ideal_stats, single_lives, LOOM_UNIT_LINE,
                 "Of these, accessed once, when they came"),
    LOOM_GAUGE(struct ideal_stats, unused_lines, LOOM_UNIT_LINE,
               "Lines that no block has had so far"),
    LOOM_ARRAY(struct ideal_stats, dead_by_line, "line", LOOM_UNIT_CYCLE,
               "Dead cycles by line: set * ways + way"),
};

const struct loom_policy_type ideal_gating_policy = {
    .name = "ideal_gating",
    .doc = "Observes how long lines are dead, which an oracle would gate",
    .state_size = sizeof(struct ideal),
    .config_size = sizeof(struct ideal_config),
    .stats_size = sizeof(struct ideal_stats),
    .params = LOOM_SLICE(ideal_params),
    .stats = LOOM_SLICE(ideal_stat_table),
    .facets = LOOM_FACETS({&loom_cache_observe_hook, &ideal_observe}),
    .settle = ideal_settle,
    .check = ideal_check,
    .cost = loom_cost_none,
};

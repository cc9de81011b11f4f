/*
 * ccws: cache-conscious wavefront scheduling (Rogers, O'Connor and Aamodt,
 * MICRO 2012), as in the authors' simulator.
 *
 * A line that leaves the L1 leaves its tag in the victim tag array of the warp
 * that had allocated it.  A load that misses and finds its tag there has lost
 * locality: its warp's score jumps, and the warps with the lowest scores may
 * not load until scores have decayed.  Everything but loads from global and
 * local memory issues freely.
 *
 * Events come from the L1, the question from the SM: an event wakes an SM
 * that holds somebody back, because the order of warps may have changed.
 */
#include "policies/ccws/ccws_private.h"

static bool ccws_init(struct loom_policy *self, struct loom_error *err)
{
    struct ccws *ccws = loom_policy_state(self);

    ccws->schedulers = 1;
    ccws->until = LOOM_NEVER;
    if (!ccws_vta_init(self, &ccws->vta)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for victim tags");
    }
    return true;
}

static bool ccws_bind(struct loom_policy *self,
                      const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct ccws *ccws = loom_policy_state(self);

    (void)err;
    ccws->schedulers = shape->schedulers;
    return true;
}

static bool ccws_bind_cache(struct loom_policy *self,
                            const struct loom_observe_shape *shape,
                            struct loom_error *err)
{
    struct ccws *ccws = loom_policy_state(self);

    ccws->ways = shape->ways;
    ccws->owner = loom_policy_alloc(self, (size_t)shape->sets * shape->ways,
                                    sizeof(*ccws->owner));
    return loom_policy_has_memory(self, err);
}

static uint64_t ccws_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    uint32_t s = view->scheduler;
    uint64_t held;

    ccws_advance(self, view->now);
    held = view->loads & ~ccws->allowed[s];
    stats->holds += loom_popcount(held & ~ccws->held[s]);
    ccws->held[s] = held;
    if (held != 0 && ccws->until != LOOM_NEVER) {
        loom_policy_wake(self, ccws->until);
    }
    return ~held;
}

/* ---- the SM ---- */

static void start(struct loom_policy *self, uint32_t warp)
{
    const struct ccws_config *config = loom_policy_config(self);
    struct ccws *ccws = loom_policy_state(self);

    ccws->warp[warp] =
        (struct ccws_warp){.score = config->base_score, .present = true};
    ccws->present++;
    if (config->clear_tags) {
        ccws_vta_clear(&ccws->vta, warp);
    }
}

static void finish(struct ccws *ccws, uint32_t warp)
{
    ccws->present--;
    ccws->insts -= ccws->warp[warp].insts;
    ccws->hits -= ccws->warp[warp].hits;
    ccws->warp[warp] = (struct ccws_warp){0};
}

static void ccws_observe_sm(struct loom_policy *self,
                            const struct loom_event *event)
{
    struct ccws *ccws = loom_policy_state(self);
    uint32_t s = event->warp % ccws->schedulers;
    uint64_t bit = loom_bit(event->warp / ccws->schedulers);

    if (event->kind == LOOM_EVENT_ISSUE) {
        ccws->warp[event->warp].insts++;
        ccws->insts++;
        ccws->held[s] &= ~bit;
        return;
    }
    ccws_advance(self, event->now);
    ccws->held[s] &= ~bit;
    if (event->kind == LOOM_EVENT_WARP_START) {
        start(self, event->warp);
    } else {
        finish(ccws, event->warp);
    }
    ccws_rank(self);
}

/* ---- the L1 ---- */

static void missed(struct loom_policy *self, const struct loom_event *event)
{
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    uint32_t warp = event->request->warp;
    uint64_t held = 0;

    if (event->request->kind != LOOM_MEM_LOAD || !ccws->warp[warp].present) {
        return;
    }
    stats->probes++;
    if (!ccws_vta_has(&ccws->vta, warp, event->request->block)) {
        return;
    }
    ccws_advance(self, event->now);
    ccws_raise(self, warp);
    ccws_rank(self);
    for (uint32_t s = 0; s < ccws->schedulers; s++) {
        held |= ccws->held[s];
    }
    if (held != 0) {
        loom_policy_kick(self);
    }
}

static void left(struct loom_policy *self, const struct loom_event *event)
{
    const struct ccws_config *config = loom_policy_config(self);
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    size_t line = (size_t)event->set * ccws->ways + event->way;

    if (event->reason == LOOM_EVICT_CAPACITY) {
        ccws_vta_insert(&ccws->vta, ccws->owner[line],
                        event->block & ~(loom_addr)(LOOM_BLOCK_BYTES - 1));
        stats->insertions++;
    } else if (event->reason == LOOM_EVICT_FLUSH && config->clear_on_flush) {
        ccws_vta_clear_all(&ccws->vta);
    }
}

static void ccws_observe_cache(struct loom_policy *self,
                               const struct loom_event *event)
{
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    size_t line = (size_t)event->set * ccws->ways + event->way;

    switch (event->kind) {
    case LOOM_EVENT_MISS:
        missed(self, event);
        break;
    case LOOM_EVENT_ALLOCATE:
        ccws->owner[line] = event->request->warp;
        break;
    case LOOM_EVENT_EVICT:
        left(self, event);
        break;
    default: /* access */
        if (event->request->kind == LOOM_MEM_STORE &&
            event->request->space == LOOM_SPACE_GLOBAL) {
            stats->store_drops +=
                ccws_vta_drop(&ccws->vta, event->request->block);
        }
        break;
    }
}

static bool ccws_check(struct loom_policy *self, struct loom_error *err)
{
    const struct ccws_stats *stats = loom_policy_stats(self);
    const struct ccws *ccws = loom_policy_state(self);

    if (stats->events > stats->probes || stats->scores.count != stats->events) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu events of %llu probes and %llu scores, expected "
                         "one score for each of at most as many events",
                         (unsigned long long)stats->events,
                         (unsigned long long)stats->probes,
                         (unsigned long long)stats->scores.count);
    }
    if (ccws->present != 0 || ccws->insts != 0 || ccws->hits != 0) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%u warps are still counted with %llu instructions "
                         "and %llu hits, expected none",
                         ccws->present, (unsigned long long)ccws->insts,
                         (unsigned long long)ccws->hits);
    }
    return true;
}

static const struct loom_throttle_ops ccws_throttle = {
    .bind = ccws_bind,
    .allow = ccws_allow,
};
static const struct loom_observe_ops ccws_sm_events = {
    .events =
        LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH) | LOOM_EVENT(ISSUE),
    .observe = ccws_observe_sm,
};
static const struct loom_observe_ops ccws_cache_events = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(MISS) | LOOM_EVENT(ALLOCATE) |
              LOOM_EVENT(EVICT),
    .bind = ccws_bind_cache,
    .observe = ccws_observe_cache,
};

static void ccws_cost(const void *config_, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct ccws_config *config = config_;
    uint32_t tags = config->vta_sets * config->vta_ways;

    loom_cost_add(cost, "victim_tags", (uint64_t)shape->warps * tags,
                  loom_cost_tag_bits(shape, config->vta_sets) + 1,
                  "Tags of lines that left the L1, by warp, and valid bits");
    loom_cost_add(cost, "victim_fifo",
                  (uint64_t)shape->warps * config->vta_sets,
                  loom_bits_for(config->vta_ways), "Tag that is replaced next");
    loom_cost_add(cost, "owner", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(shape->warps),
                  "Warp that allocated a line of the L1");
    loom_cost_add(cost, "score", shape->warps, 16, "Lost-locality score");
    loom_cost_add(cost, "rank", shape->warps, loom_bits_for(shape->warps),
                  "Place of a warp in the order of scores");
    loom_cost_add(cost, "counters", shape->warps, 64,
                  "Instructions and hits in tags of a warp");
}

#define AUTHORS "The authors' simulator, ccws-2012"

#define CCWS_COUNT(field, unit_, def_, min_, max_, doc_)                       \
    LOOM_PARAM(struct ccws_config, field, .unit = unit_, .def = {.u = def_},   \
               .min = {.u = min_}, .max = {.u = max_}, .doc = doc_,            \
               .source = AUTHORS)

static const struct loom_param ccws_params[] = {
    CCWS_COUNT(vta_sets, LOOM_UNIT_NONE, 2, 1, 64,
               "Sets of a warp's victim tag array"),
    CCWS_COUNT(vta_ways, LOOM_UNIT_LINE, 8, 1, 64, "Ways of it"),
    CCWS_COUNT(base_score, LOOM_UNIT_NONE, 100, 1, 100000,
               "Score of a warp that has lost nothing"),
    CCWS_COUNT(factor, LOOM_UNIT_NONE, 8, 1, 1000,
               "K of the score: hits in tags / instructions * K * cut-off"),
    CCWS_COUNT(decay, LOOM_UNIT_NONE, 1, 1, 1000,
               "What a score loses in a cycle"),
    LOOM_PARAM(struct ccws_config, clear_tags, .def = {.b = false},
               .doc = "A new warp begins with empty tags, not with those of "
                      "the warp that was in its slot",
               .source = AUTHORS),
    LOOM_PARAM(struct ccws_config, clear_on_flush, .def = {.b = true},
               .doc = "A flush of the L1 empties all tag arrays",
               .source = AUTHORS ", where it does"),
};

static const struct loom_stat ccws_stat_table[] = {
    LOOM_COUNTER(struct ccws_stats, probes, LOOM_UNIT_REQUEST,
                 "Loads that missed and looked into their warp's tags"),
    LOOM_COUNTER(struct ccws_stats, events, LOOM_UNIT_EVENT,
                 "Of them, those that found their tag: lost locality"),
    LOOM_COUNTER(struct ccws_stats, insertions, LOOM_UNIT_LINE,
                 "Lines whose tag was kept when they were evicted"),
    LOOM_COUNTER(struct ccws_stats, store_drops, LOOM_UNIT_LINE,
                 "Tags forgotten because of stores"),
    LOOM_COUNTER(struct ccws_stats, holds, LOOM_UNIT_EVENT,
                 "Times that a ready load began to be held back"),
    LOOM_COUNTER(struct ccws_stats, limited_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which at least one warp was not allowed to load"),
    LOOM_COUNTER(struct ccws_stats, limited_warp_cycles, LOOM_UNIT_WARP,
                 "Warps that were not allowed to load, summed over cycles"),
    LOOM_GAUGE(struct ccws_stats, limited, LOOM_UNIT_WARP,
               "Warps that are not allowed to load"),
    LOOM_GAUGE(struct ccws_stats, score_sum, LOOM_UNIT_NONE,
               "Sum of the scores of all warps"),
    LOOM_HISTOGRAM(struct ccws_stats, scores, LOOM_UNIT_NONE,
                   "Scores set by events"),
};

const struct loom_policy_type ccws_policy = {
    .name = "ccws",
    .doc = "Warps that lose locality keep others from loading",
    .state_size = sizeof(struct ccws),
    .config_size = sizeof(struct ccws_config),
    .stats_size = sizeof(struct ccws_stats),
    .params = LOOM_SLICE(ccws_params),
    .stats = LOOM_SLICE(ccws_stat_table),
    .facets = LOOM_FACETS({&loom_throttle_hook, &ccws_throttle},
                          {&loom_cache_observe_hook, &ccws_cache_events},
                          {&loom_sm_observe_hook, &ccws_sm_events}),
    .init = ccws_init,
    .settle = ccws_advance,
    .check = ccws_check,
    .cost = ccws_cost,
};

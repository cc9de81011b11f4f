/*
 * sl1_count: what the code that S-L1 put into kernels did (observes only).
 *
 * sl1 marks its instructions (policies/lib/sl1_marks.h); this counts the warp
 * instructions of each role that an SM issues, and the threads of those that
 * stand for an access, a hit or a line, by the kernel's parameter.  The
 * load/store unit tells how often memory instructions are issued again.
 */
#include "policies/lib/sl1_marks.h"
#include "policies/observe_hook.h"

#define PARAMS 32 /* the last one counts those beyond it, too */

struct sl1_count_stats {
    uint64_t insts[SL1_ROLES];
    uint64_t all, monitoring, added;
    uint64_t replays, issued;
    uint64_t accesses, hits, misses;
    struct loom_array monitored_by_param, accesses_by_param;
    struct loom_array cached_by_param, fills_by_param, hits_by_param;
};

static bool count_init(struct loom_policy *self, struct loom_error *err)
{
    struct sl1_count_stats *s = loom_policy_stats(self);

    loom_policy_array(self, &s->monitored_by_param, PARAMS);
    loom_policy_array(self, &s->accesses_by_param, PARAMS);
    loom_policy_array(self, &s->cached_by_param, PARAMS);
    loom_policy_array(self, &s->fills_by_param, PARAMS);
    loom_policy_array(self, &s->hits_by_param, PARAMS);
    return loom_policy_has_memory(self, err);
}

static void count_role(struct sl1_count_stats *s, uint32_t mark,
                       uint32_t threads)
{
    uint32_t param = mark & ((1u << SL1_ROLE_SHIFT) - 1);

    param = param < PARAMS ? param : PARAMS - 1;
    switch (mark >> SL1_ROLE_SHIFT) {
    case SL1_SIMULATED:
        s->monitored_by_param.item[param] += threads;
        break;
    case SL1_LOOKED_UP:
        s->accesses_by_param.item[param] += threads;
        s->accesses += threads;
        break;
    case SL1_CACHED:
        s->cached_by_param.item[param] += threads;
        s->hits_by_param.item[param] += threads;
        s->hits += threads;
        break;
    case SL1_FILLED:
        s->fills_by_param.item[param] += threads;
        s->misses += threads;
        s->hits_by_param.item[param] -= threads; /* served after the fill */
        s->hits -= threads;
        break;
    default:
        break;
    }
}

static void count_watch(struct loom_policy *self,
                        const struct loom_event *event)
{
    struct sl1_count_stats *s = loom_policy_stats(self);
    uint32_t mark = event->kernel->inst[event->inst].mark;
    uint32_t role = mark >> SL1_ROLE_SHIFT;

    role = role < SL1_ROLES ? role : SL1_NOTHING;
    s->all++;
    s->issued++;
    s->insts[role]++;
    s->monitoring += role == SL1_SIMULATED || role == SL1_SIMULATE;
    s->added += role != SL1_NOTHING && role != SL1_CACHED;
    count_role(s, mark, loom_popcount(event->mask));
}

static const struct loom_observe_ops observe = {
    .events = LOOM_EVENT(ISSUE),
    .observe = count_watch,
};

/* An instruction is issued again for each access beyond its first. */
static void count_accesses(struct loom_policy *self,
                           const struct loom_event *event)
{
    struct sl1_count_stats *s = loom_policy_stats(self);
    uint32_t more = event->count > 0 ? event->count - 1 : 0;

    s->replays += more;
    s->issued += more;
}

static const struct loom_observe_ops observe_memory = {
    .events = LOOM_EVENT(MEM_ISSUE),
    .observe = count_accesses,
};

static const char *const roles[] = {"program",   "simulated", "simulate",
                                    "looked_up", "cached",    "filled",
                                    "manage",    "decide"};

static const struct loom_stat stat_table[] = {
    LOOM_COUNTER(struct sl1_count_stats, all, LOOM_UNIT_WARP_INST,
                 "Instructions executed"),
    LOOM_COUNTER(struct sl1_count_stats, replays, LOOM_UNIT_WARP_INST,
                 "Times that a load, store or atomic is issued again: its "
                 "accesses beyond the first"),
    LOOM_COUNTER(struct sl1_count_stats, issued, LOOM_UNIT_WARP_INST,
                 "Instructions executed, and those issued again"),
    LOOM_COUNTER(struct sl1_count_stats, added, LOOM_UNIT_WARP_INST,
                 "Of these, put in by sl1 beside the program's own"),
    LOOM_COUNTER(struct sl1_count_stats, monitoring, LOOM_UNIT_WARP_INST,
                 "Of these, of simulateCache()"),
    LOOM_VECTOR(struct sl1_count_stats, insts, "role", roles,
                LOOM_UNIT_WARP_INST, "Instructions by what they are for"),
    LOOM_COUNTER(struct sl1_count_stats, accesses, LOOM_UNIT_THREAD_INST,
                 "Accesses in computation slices of structures that can be "
                 "cached"),
    LOOM_COUNTER(struct sl1_count_stats, hits, LOOM_UNIT_THREAD_INST,
                 "Of these, found in a line"),
    LOOM_COUNTER(struct sl1_count_stats, misses, LOOM_UNIT_THREAD_INST,
                 "Of these, for which a line was filled"),
    LOOM_RATIO(struct sl1_count_stats, hit_ratio, hits, accesses,
               LOOM_UNIT_RATIO, "Hits per access"),
    LOOM_RATIO(struct sl1_count_stats, monitoring_share, monitoring, all,
               LOOM_UNIT_RATIO, "Instructions of simulateCache() in all"),
    LOOM_ARRAY(struct sl1_count_stats, monitored_by_param, "param",
               LOOM_UNIT_THREAD_INST,
               "Accesses in monitoring slices, by the kernel's parameter"),
    LOOM_ARRAY(struct sl1_count_stats, accesses_by_param, "param",
               LOOM_UNIT_THREAD_INST, "Accesses in computation slices"),
    LOOM_ARRAY(struct sl1_count_stats, cached_by_param, "param",
               LOOM_UNIT_THREAD_INST, "Of these, served by a line"),
    LOOM_ARRAY(struct sl1_count_stats, fills_by_param, "param",
               LOOM_UNIT_THREAD_INST, "Of these, for which it was filled"),
    LOOM_ARRAY(struct sl1_count_stats, hits_by_param, "param",
               LOOM_UNIT_THREAD_INST, "Of accesses_by_param, found in a line"),
};

const struct loom_policy_type sl1_count_policy = {
    .name = "sl1_count",
    .doc = "Counts what the code that sl1 put into kernels does",
    .stats_size = sizeof(struct sl1_count_stats),
    .stats = LOOM_SLICE(stat_table),
    .facets = LOOM_FACETS({&loom_sm_observe_hook, &observe},
                          {&loom_ldst_observe_hook, &observe_memory}),
    .init = count_init,
    .cost = loom_cost_none,
};

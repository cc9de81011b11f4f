/*
 * warp_analysis: which warps issue, and how many there are (observes only).
 *
 * Figure 3 of DaCache (003): instructions issued by the warp's place in its
 * scheduler's order, 0 being the first; with gto that is the order of age.
 * And cycles by the number of warps that are on the SM, and by the number
 * that have an instruction in their buffer (the warp occupancy of the
 * two-level bypassing, 002).
 */
#include "policies/observe_hook.h"

struct warp_analysis_stats {
    uint64_t issues, warps, resident;
    uint64_t buffered_cycles, buffered_warp_cycles;
    uint64_t resident_cycles, resident_warp_cycles;
    struct loom_array issues_by_rank, issues_by_scheduler;
    struct loom_array cycles_by_buffered, cycles_by_resident;
};

struct warp_analysis {
    uint32_t schedulers;
    loom_cycle counted; /* resident cycles are counted until here */
};

static bool warp_bind(struct loom_policy *self,
                      const struct loom_observe_shape *shape,
                      struct loom_error *err)
{
    struct warp_analysis *w = loom_policy_state(self);
    struct warp_analysis_stats *s = loom_policy_stats(self);
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    w->schedulers = shape->schedulers;
    loom_policy_array(self, &s->issues_by_rank, locals);
    loom_policy_array(self, &s->issues_by_scheduler, shape->schedulers);
    loom_policy_array(self, &s->cycles_by_buffered, shape->warps + 1);
    loom_policy_array(self, &s->cycles_by_resident, shape->warps + 1);
    return loom_policy_has_memory(self, err);
}

/* Cycles up to `now` had as many warps as there are. */
static void count_resident(struct loom_policy *self, loom_cycle now)
{
    struct warp_analysis *w = loom_policy_state(self);
    struct warp_analysis_stats *s = loom_policy_stats(self);
    uint64_t cycles = now > w->counted ? now - w->counted : 0;

    s->cycles_by_resident.item[s->resident] += cycles;
    s->resident_cycles += cycles;
    s->resident_warp_cycles += cycles * s->resident;
    w->counted += cycles;
}

static void warp_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct warp_analysis *w = loom_policy_state(self);
    struct warp_analysis_stats *s = loom_policy_stats(self);

    switch (event->kind) {
    case LOOM_EVENT_ISSUE:
        s->issues++;
        s->issues_by_rank.item[event->rank / w->schedulers]++;
        s->issues_by_scheduler.item[event->scheduler]++;
        break;
    case LOOM_EVENT_WARP_START:
        count_resident(self, event->now);
        s->warps++;
        s->resident++;
        break;
    case LOOM_EVENT_WARP_FINISH:
        count_resident(self, event->now);
        s->resident--;
        break;
    default:
        s->cycles_by_buffered.item[event->count] += event->duration;
        s->buffered_cycles += event->duration;
        s->buffered_warp_cycles += event->duration * event->count;
        break;
    }
}

static void warp_settle(struct loom_policy *self, loom_cycle now)
{
    count_resident(self, now);
}

static uint64_t sum(const struct loom_array *array)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < array->count; i++) {
        total += array->item[i];
    }
    return total;
}

static bool warp_check(struct loom_policy *self, struct loom_error *err)
{
    const struct warp_analysis_stats *s = loom_policy_stats(self);

    if (sum(&s->issues_by_rank) != s->issues ||
        sum(&s->issues_by_scheduler) != s->issues ||
        sum(&s->cycles_by_buffered) != s->buffered_cycles ||
        sum(&s->cycles_by_resident) != s->resident_cycles || s->resident != 0) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "tables do not add up, or %llu warps are still here",
                         (unsigned long long)s->resident);
    }
    return true;
}

static const struct loom_observe_ops warp_observe = {
    .events = LOOM_EVENT(ISSUE) | LOOM_EVENT(WARP_START) |
              LOOM_EVENT(WARP_FINISH) | LOOM_EVENT(IBUFFER),
    .bind = warp_bind,
    .observe = warp_watch,
};

static const struct loom_stat warp_stat_table[] = {
    LOOM_COUNTER(struct warp_analysis_stats, issues, LOOM_UNIT_WARP_INST,
                 "Instructions issued"),
    LOOM_ARRAY(struct warp_analysis_stats, issues_by_rank, "rank",
               LOOM_UNIT_WARP_INST,
               "The same by the warp's place in its scheduler's order"),
    LOOM_ARRAY(struct warp_analysis_stats, issues_by_scheduler, "scheduler",
               LOOM_UNIT_WARP_INST, "The same by scheduler"),
    LOOM_COUNTER(struct warp_analysis_stats, warps, LOOM_UNIT_WARP,
                 "Warps started"),
    LOOM_GAUGE(struct warp_analysis_stats, resident, LOOM_UNIT_WARP,
               "Warps on the SM"),
    LOOM_ARRAY(struct warp_analysis_stats, cycles_by_resident, "warp_count",
               LOOM_UNIT_CYCLE, "Cycles by the number of warps on the SM"),
    LOOM_COUNTER(struct warp_analysis_stats, resident_cycles, LOOM_UNIT_CYCLE,
                 "Their sum"),
    LOOM_COUNTER(struct warp_analysis_stats, resident_warp_cycles,
                 LOOM_UNIT_CYCLE, "Cycles times warps on the SM"),
    LOOM_RATIO(struct warp_analysis_stats, mean_resident, resident_warp_cycles,
               resident_cycles, LOOM_UNIT_WARP, "Warps on the SM on average"),
    LOOM_ARRAY(struct warp_analysis_stats, cycles_by_buffered, "warp_count",
               LOOM_UNIT_CYCLE,
               "Cycles by the number of warps with a buffered instruction"),
    LOOM_COUNTER(struct warp_analysis_stats, buffered_cycles, LOOM_UNIT_CYCLE,
                 "Their sum"),
    LOOM_COUNTER(struct warp_analysis_stats, buffered_warp_cycles,
                 LOOM_UNIT_CYCLE, "Cycles times warps with one"),
    LOOM_RATIO(struct warp_analysis_stats, mean_buffered, buffered_warp_cycles,
               buffered_cycles, LOOM_UNIT_WARP,
               "Warps with a buffered instruction on average"),
};

const struct loom_policy_type warp_analysis_policy = {
    .name = "warp_analysis",
    .doc = "Observes which warps issue and how many there are",
    .state_size = sizeof(struct warp_analysis),
    .stats_size = sizeof(struct warp_analysis_stats),
    .stats = LOOM_SLICE(warp_stat_table),
    .facets = LOOM_FACETS({&loom_sm_observe_hook, &warp_observe}),
    .settle = warp_settle,
    .check = warp_check,
    .cost = loom_cost_none,
};

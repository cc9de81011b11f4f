/*
 * two_level_scheduler: a few active warps issue, the others wait for a place
 * among them (Narasiman et al., MICRO 2011; GPGPU-Sim's two_level_active).
 *
 * A warp that waits for memory, at a barrier or in a memory barrier gives its
 * place up and goes to the end of the pending ones; the first of these that
 * does not wait takes it.  Only active warps may issue, so that not all warps
 * reach their long waits at the same time.
 *
 * Who may issue is a throttle's answer, who of them does a scheduler's: one
 * policy gives both.  Where another throttle holds back every active warp
 * that is ready, these give their places up as well, or nobody might issue
 * ever again.
 */
#include "policies/lib/age_matrix.h"
#include "policies/sm_hook.h"

struct two_level_config {
    uint32_t active_warps;
    const char *inner;
};

struct two_level_stats {
    uint64_t promotions, demotions, vetoes;
    uint64_t most;
};

struct two_level_list {
    uint32_t count;
    uint8_t local[LOOM_AGE_LOCALS];
};

struct two_level_scheduler {
    struct loom_age_matrix ages;
    struct two_level_list active, pending; /* first in, first out */
    uint64_t active_mask;
    uint64_t greedy;  /* bit of the warp that issued last, or 0 */
    uint64_t offered; /* ready ones that were allowed when last asked */
    bool others;      /* others were ready then, and not allowed */
};

struct two_level {
    bool age;                              /* inner order is gto's */
    struct two_level_scheduler *scheduler; /* [schedulers] */
};

static bool two_level_bind(struct loom_policy *self,
                           const struct loom_sm_shape *shape,
                           struct loom_error *err)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *two = loom_policy_state(self);

    two->age = config->inner[0] == 'g';
    two->scheduler =
        loom_policy_alloc(self, shape->schedulers, sizeof(*two->scheduler));
    return loom_policy_has_memory(self, err);
}

static struct two_level_scheduler *of(struct loom_policy *self,
                                      uint32_t scheduler)
{
    struct two_level *two = loom_policy_state(self);

    return &two->scheduler[scheduler];
}

static void append(struct two_level_list *list, uint32_t local)
{
    list->local[list->count++] = (uint8_t)local;
}

static void drop(struct two_level_list *list, uint32_t local)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        if (list->local[i] != local) {
            list->local[kept++] = list->local[i];
        }
    }
    list->count = kept;
}

/* Active warps in `who` go to the end of the pending ones. */
static uint32_t demote(struct two_level_scheduler *s, uint64_t who)
{
    uint32_t kept = 0, demoted = 0;

    for (uint32_t i = 0; i < s->active.count; i++) {
        uint32_t local = s->active.local[i];

        if ((who >> local & 1) != 0) {
            s->active_mask &= ~loom_bit(local);
            append(&s->pending, local);
            demoted++;
        } else {
            s->active.local[kept++] = (uint8_t)local;
        }
    }
    s->active.count = kept;
    return demoted;
}

/* The first pending warps that are not in `waits` fill the active ones up. */
static uint32_t promote(struct two_level_scheduler *s, uint64_t waits,
                        uint32_t limit)
{
    uint32_t kept = 0, before = s->active.count;

    for (uint32_t i = 0; i < s->pending.count; i++) {
        uint32_t local = s->pending.local[i];

        if (s->active.count < limit && (waits >> local & 1) == 0) {
            s->active_mask |= loom_bit(local);
            append(&s->active, local);
        } else {
            s->pending.local[kept++] = (uint8_t)local;
        }
    }
    s->pending.count = kept;
    return s->active.count - before;
}

static uint64_t two_level_allow(struct loom_policy *self,
                                const struct loom_throttle_view *view)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    struct two_level_scheduler *s = of(self, view->scheduler);
    uint64_t waits = view->waiting | view->memory;

    stats->demotions += demote(s, waits);
    stats->promotions += promote(s, waits, config->active_warps);
    stats->most = s->active.count > stats->most ? s->active.count : stats->most;
    s->offered = view->ready & s->active_mask;
    s->others = (view->ready & ~s->active_mask) != 0;
    return s->active_mask;
}

static uint32_t two_level_pick(struct loom_policy *self, uint32_t scheduler,
                               uint64_t ready, loom_cycle now)
{
    const struct two_level *two = loom_policy_state(self);
    const struct two_level_scheduler *s = &two->scheduler[scheduler];
    uint64_t active = ready & s->active_mask;

    (void)now;
    ready = active != 0 ? active : ready;
    if (two->age) {
        return (ready & s->greedy) != 0 ? loom_lowest(s->greedy)
                                        : loom_age_oldest(&s->ages, ready);
    }
    for (uint32_t i = 0; i < s->active.count; i++) {
        if ((ready >> s->active.local[i] & 1) != 0) {
            return s->active.local[i];
        }
    }
    return loom_lowest(ready);
}

static uint32_t place_in(const struct two_level_list *list, uint32_t local)
{
    uint32_t i = 0;

    while (i < list->count && list->local[i] != local) {
        i++;
    }
    return i;
}

static uint32_t two_level_rank(struct loom_policy *self, uint32_t scheduler,
                               uint32_t local)
{
    const struct two_level *two = loom_policy_state(self);
    const struct two_level_scheduler *s = &two->scheduler[scheduler];

    if ((s->active_mask >> local & 1) == 0) {
        return s->active.count + place_in(&s->pending, local);
    }
    return two->age ? loom_popcount(s->ages.older[local] & s->active_mask)
                    : place_in(&s->active, local);
}

static void two_level_issued(struct loom_policy *self, uint32_t scheduler,
                             uint32_t local, loom_cycle now)
{
    struct two_level_scheduler *s = of(self, scheduler);

    (void)now;
    s->offered = 0;
    s->greedy = loom_bit(local);
    if ((s->active_mask >> local & 1) != 0) {
        drop(&s->active, local);
        append(&s->active, local);
    }
}

static void two_level_stalled(struct loom_policy *self, uint32_t scheduler,
                              uint64_t cycles)
{
    struct two_level_stats *stats = loom_policy_stats(self);
    struct two_level_scheduler *s = of(self, scheduler);

    (void)cycles;
    if (s->offered != 0 && s->others) {
        stats->demotions += demote(s, s->offered);
        stats->vetoes++;
        loom_policy_kick(self);
    }
    s->offered = 0;
}

static void two_level_started(struct loom_policy *self, uint32_t scheduler,
                              uint32_t local, uint64_t age)
{
    struct two_level_scheduler *s = of(self, scheduler);

    (void)age; /* grows with each start: the new one is the youngest */
    loom_age_start(&s->ages, local);
    append(&s->pending, local);
}

static void two_level_finished(struct loom_policy *self, uint32_t scheduler,
                               uint32_t local)
{
    struct two_level_stats *stats = loom_policy_stats(self);
    struct two_level_scheduler *s = of(self, scheduler);

    loom_age_finish(&s->ages, local);
    stats->demotions += (s->active_mask >> local & 1) != 0;
    drop(&s->active, local);
    drop(&s->pending, local);
    s->active_mask &= ~loom_bit(local);
    s->greedy &= ~loom_bit(local);
}

static bool two_level_check(struct loom_policy *self, struct loom_error *err)
{
    const struct two_level_config *config = loom_policy_config(self);
    const struct two_level_stats *stats = loom_policy_stats(self);

    if (stats->most > config->active_warps ||
        stats->promotions != stats->demotions) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu of %u warps were active, %llu promoted and %llu "
                         "demoted",
                         (unsigned long long)stats->most, config->active_warps,
                         (unsigned long long)stats->promotions,
                         (unsigned long long)stats->demotions);
    }
    return true;
}

static const struct loom_scheduler_ops two_level_ops = {
    .bind = two_level_bind,
    .pick = two_level_pick,
    .rank = two_level_rank,
    .issued = two_level_issued,
    .stalled = two_level_stalled,
    .started = two_level_started,
    .finished = two_level_finished,
};
static const struct loom_throttle_ops two_level_throttle = {
    .allow = two_level_allow,
};

static void two_level_cost(const void *config_,
                           const struct loom_cost_shape *shape,
                           struct loom_cost *cost)
{
    const struct two_level_config *config = config_;
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    loom_cost_add(cost, "active",
                  (uint64_t)shape->schedulers * config->active_warps,
                  loom_bits_for(locals) + 1,
                  "A scheduler's active warps, in the order of their turns");
    loom_cost_add(cost, "pending", shape->warps, loom_bits_for(locals) + 1,
                  "Warps that wait for a place, first in, first out");
}

static const struct loom_param two_level_params[] = {
    LOOM_PARAM(struct two_level_config, active_warps, .unit = LOOM_UNIT_WARP,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "Active warps of a scheduler",
               .source = "Narasiman et al.: fetch groups of 8"),
    LOOM_PARAM(struct two_level_config, inner, .def = {.s = "lrr"},
               .choices = LOOM_CHOICES("lrr", "gto"),
               .doc = "Order among the active warps",
               .source = "Narasiman et al.: round robin; GPGPU-Sim has both"),
};

static const struct loom_stat two_level_stat_table[] = {
    LOOM_COUNTER(struct two_level_stats, promotions, LOOM_UNIT_EVENT,
                 "Warps that became active"),
    LOOM_COUNTER(struct two_level_stats, demotions, LOOM_UNIT_EVENT,
                 "Active warps that gave their place up, or finished"),
    LOOM_COUNTER(struct two_level_stats, vetoes, LOOM_UNIT_EVENT,
                 "Times that another throttle held back all of them"),
    LOOM_GAUGE(struct two_level_stats, most, LOOM_UNIT_WARP,
               "The most active warps of a scheduler at any time"),
};

const struct loom_policy_type two_level_scheduler_policy = {
    .name = "two_level_scheduler",
    .doc = "Warp scheduler: a few active warps, others wait for a place",
    .state_size = sizeof(struct two_level),
    .config_size = sizeof(struct two_level_config),
    .stats_size = sizeof(struct two_level_stats),
    .params = LOOM_SLICE(two_level_params),
    .stats = LOOM_SLICE(two_level_stat_table),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &two_level_ops},
                          {&loom_throttle_hook, &two_level_throttle}),
    .check = two_level_check,
    .joins = true,
    .cost = two_level_cost,
};

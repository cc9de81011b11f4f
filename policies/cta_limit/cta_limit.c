/*
 * cta_limit: only the warps of the oldest CTAs of an SM may issue.
 *
 * The other CTAs are resident and wait, as the paused CTAs of Kayiran et al.
 * (PACT 2013) do; they begin at once when an older one has ended.  Warps of a
 * CTA wait for no other CTA's, so barriers need no exception.
 */
#include "policies/lib/warp_order.h"
#include "policies/observe_hook.h"
#include "policies/sm_hook.h"

struct cta_limit_config {
    uint32_t ctas;
};

struct cta_limit_stats {
    uint64_t holds;
    uint64_t allowed, most;
};

struct cta_limit {
    struct loom_warp_order order;
    uint32_t schedulers;
    uint64_t started;                  /* CTAs */
    uint64_t cta[LOOM_WARP_SLOTS];     /* number of the warp's */
    uint64_t held[LOOM_SM_SCHEDULERS]; /* ready, and not allowed */
};

static bool cta_limit_bind(struct loom_policy *self,
                           const struct loom_sm_shape *shape,
                           struct loom_error *err)
{
    struct cta_limit *limit = loom_policy_state(self);

    (void)err;
    limit->schedulers = shape->schedulers;
    return true;
}

/* Warps of a CTA start together, so they are neighbours in order of age. */
static uint64_t cta_limit_allow(struct loom_policy *self,
                                const struct loom_throttle_view *view)
{
    const struct cta_limit_config *config = loom_policy_config(self);
    struct cta_limit_stats *stats = loom_policy_stats(self);
    struct cta_limit *limit = loom_policy_state(self);
    uint32_t s = view->scheduler;
    uint64_t allowed = 0, last = 0, ctas = 0, held;

    for (uint32_t i = 0; i < limit->order.count; i++) {
        uint32_t slot = limit->order.slot[i];
        uint32_t scheduler = slot % limit->schedulers;
        uint64_t bit = loom_bit(slot / limit->schedulers);

        if ((view->sm_active[scheduler] & bit) == 0) {
            continue;
        }
        if (limit->cta[slot] != last) {
            if (ctas == config->ctas) {
                break;
            }
            last = limit->cta[slot];
            ctas++;
        }
        allowed |= scheduler == s ? bit : 0;
    }
    held = view->ready & ~allowed;
    stats->holds += loom_popcount(held & ~limit->held[s]);
    stats->allowed = ctas;
    stats->most = ctas > stats->most ? ctas : stats->most;
    limit->held[s] = held;
    return allowed;
}

static void cta_limit_observe(struct loom_policy *self,
                              const struct loom_event *event)
{
    struct cta_limit *limit = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_CTA_START:
        limit->started++;
        return;
    case LOOM_EVENT_WARP_START:
        loom_warp_order_add(&limit->order, event->warp);
        limit->cta[event->warp] = limit->started;
        break;
    default:
        loom_warp_order_remove(&limit->order, event->warp);
        break;
    }
    limit->held[event->warp % limit->schedulers] &=
        ~loom_bit(event->warp / limit->schedulers);
}

static bool cta_limit_check(struct loom_policy *self, struct loom_error *err)
{
    const struct cta_limit_config *config = loom_policy_config(self);
    const struct cta_limit_stats *stats = loom_policy_stats(self);

    if (stats->most > config->ctas) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu CTAs were within a limit of %u",
                         (unsigned long long)stats->most, config->ctas);
    }
    return true;
}

static const struct loom_throttle_ops cta_limit_throttle = {
    .bind = cta_limit_bind,
    .allow = cta_limit_allow,
};
static const struct loom_observe_ops cta_limit_events = {
    .events = LOOM_EVENT(CTA_START) | LOOM_EVENT(WARP_START) |
              LOOM_EVENT(WARP_FINISH),
    .observe = cta_limit_observe,
};

static void cta_limit_cost(const void *config_,
                           const struct loom_cost_shape *shape,
                           struct loom_cost *cost)
{
    const struct cta_limit_config *config = config_;

    (void)shape;
    loom_cost_add(cost, "age", 8, 3, "Place of a CTA in the order of age");
    loom_cost_add(cost, "limit", 1, loom_bits_for(config->ctas + 1),
                  "CTAs whose warps may issue");
}

static const struct loom_param cta_limit_params[] = {
    LOOM_PARAM(struct cta_limit_config, ctas, .unit = LOOM_UNIT_CTA,
               .def = {.u = 2}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "CTAs of the SM whose warps may issue"),
};

static const struct loom_stat cta_limit_stat_table[] = {
    LOOM_COUNTER(struct cta_limit_stats, holds, LOOM_UNIT_EVENT,
                 "Times that a warp that was ready began to be held back"),
    LOOM_GAUGE(struct cta_limit_stats, allowed, LOOM_UNIT_CTA,
               "CTAs within the limit when it was last asked for"),
    LOOM_GAUGE(struct cta_limit_stats, most, LOOM_UNIT_CTA,
               "The most of them at any time"),
};

const struct loom_policy_type cta_limit_policy = {
    .name = "cta_limit",
    .doc = "Only the warps of the oldest CTAs of an SM issue",
    .state_size = sizeof(struct cta_limit),
    .config_size = sizeof(struct cta_limit_config),
    .stats_size = sizeof(struct cta_limit_stats),
    .params = LOOM_SLICE(cta_limit_params),
    .stats = LOOM_SLICE(cta_limit_stat_table),
    .facets = LOOM_FACETS({&loom_throttle_hook, &cta_limit_throttle},
                          {&loom_sm_observe_hook, &cta_limit_events}),
    .cost = cta_limit_cost,
    .check = cta_limit_check,
};

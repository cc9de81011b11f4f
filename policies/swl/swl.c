/*
 * swl: static warp limiting (GPGPU-Sim's warp_limiting; CCWS-SWL of Rogers et
 * al., MICRO 2012).
 *
 * Only the oldest `warps` warps may issue, of each scheduler or of the SM;
 * the others are held back at every instruction.  A warp that finishes makes
 * room for the next one.
 *
 * Warps at a barrier must not count, or those they wait for might be held
 * back for ever.  GPGPU-Sim sorts them behind all others ("skip"); the
 * authors of CCWS lift the limit while the last warp within it waits
 * ("lift").
 */
#include "policies/lib/warp_order.h"
#include "policies/observe_hook.h"
#include "policies/sm_hook.h"

struct swl_config {
    uint32_t warps;
    const char *scope;
    const char *waiting;
    bool greedy;
};

struct swl_stats {
    uint64_t holds, lifts;
    uint64_t allowed, most;
};

struct swl {
    struct loom_warp_order order;
    uint32_t schedulers;
    bool per_scheduler, lift;
    uint64_t greedy[LOOM_SM_SCHEDULERS]; /* bit of the last to issue, or 0 */
    uint64_t held[LOOM_SM_SCHEDULERS];   /* ready, and not allowed */
    bool lifted[LOOM_SM_SCHEDULERS];
};

static bool swl_init(struct loom_policy *self, struct loom_error *err)
{
    const struct swl_config *config = loom_policy_config(self);
    struct swl *swl = loom_policy_state(self);

    (void)err;
    swl->per_scheduler = config->scope[1] == 'c'; /* "scheduler" */
    swl->lift = config->waiting[0] == 'l';
    return true;
}

static bool swl_bind(struct loom_policy *self,
                     const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct swl *swl = loom_policy_state(self);

    (void)err;
    swl->schedulers = shape->schedulers;
    return true;
}

/* The asking scheduler's warps among the oldest `limit`; *counted of all were
 * found.  Returns all of them if the limit is lifted. */
static uint64_t oldest(const struct swl *swl,
                       const struct loom_throttle_view *view, uint32_t limit,
                       uint32_t *counted, bool *lifted)
{
    uint64_t allowed = 0;

    *counted = 0;
    for (uint32_t i = 0; i < swl->order.count; i++) {
        uint32_t slot = swl->order.slot[i];
        uint32_t scheduler = slot % swl->schedulers;
        uint64_t bit = loom_bit(slot / swl->schedulers);
        bool waits = (view->sm_waiting[scheduler] & bit) != 0;

        if ((view->sm_active[scheduler] & bit) == 0 ||
            (swl->per_scheduler && scheduler != view->scheduler) ||
            (waits && !swl->lift)) {
            continue;
        }
        allowed |= scheduler == view->scheduler ? bit : 0;
        ++*counted;
        if (*counted == limit) {
            *lifted = waits;
            return waits ? UINT64_MAX : allowed;
        }
    }
    return allowed;
}

static uint64_t swl_allow(struct loom_policy *self,
                          const struct loom_throttle_view *view)
{
    const struct swl_config *config = loom_policy_config(self);
    struct swl_stats *stats = loom_policy_stats(self);
    struct swl *swl = loom_policy_state(self);
    uint32_t s = view->scheduler;
    uint32_t counted = 0;
    bool lifted = false;
    uint64_t allowed = oldest(swl, view, config->warps, &counted, &lifted);
    uint64_t held;

    if (config->greedy) {
        allowed |= swl->greedy[s];
    }
    held = view->ready & ~allowed;
    stats->holds += loom_popcount(held & ~swl->held[s]);
    stats->lifts += lifted && !swl->lifted[s];
    stats->allowed = counted;
    stats->most = counted > stats->most ? counted : stats->most;
    swl->held[s] = held;
    swl->lifted[s] = lifted;
    return allowed;
}

static void swl_observe(struct loom_policy *self,
                        const struct loom_event *event)
{
    struct swl *swl = loom_policy_state(self);
    uint64_t bit = loom_bit(event->warp / swl->schedulers);
    uint32_t s = event->warp % swl->schedulers;

    switch (event->kind) {
    case LOOM_EVENT_WARP_START:
        loom_warp_order_add(&swl->order, event->warp);
        swl->held[s] &= ~bit;
        break;
    case LOOM_EVENT_WARP_FINISH:
        loom_warp_order_remove(&swl->order, event->warp);
        swl->greedy[s] &= ~bit;
        break;
    default: /* issue */
        swl->greedy[s] = bit;
        swl->held[s] &= ~bit;
        break;
    }
}

static bool swl_check(struct loom_policy *self, struct loom_error *err)
{
    const struct swl_config *config = loom_policy_config(self);
    const struct swl_stats *stats = loom_policy_stats(self);

    if (stats->most > config->warps) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu warps were within a limit of %u",
                         (unsigned long long)stats->most, config->warps);
    }
    return true;
}

static const struct loom_throttle_ops swl_throttle = {
    .bind = swl_bind,
    .allow = swl_allow,
};
static const struct loom_observe_ops swl_events = {
    .events =
        LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH) | LOOM_EVENT(ISSUE),
    .observe = swl_observe,
};

static void swl_cost(const void *config_, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    const struct swl_config *config = config_;

    loom_cost_add(cost, "age", shape->warps, loom_bits_for(shape->warps),
                  "Place of a warp in the SM's order of age");
    loom_cost_add(cost, "limit", 1, loom_bits_for(config->warps + 1),
                  "Warps that may issue");
    loom_cost_add(cost, "greedy", config->greedy ? shape->schedulers : 0,
                  loom_bits_for(shape->warps) + 1,
                  "Warp that issued last, if it is still there");
}

static const struct loom_param swl_params[] = {
    LOOM_PARAM(struct swl_config, warps, .unit = LOOM_UNIT_WARP,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 512},
               .doc = "Warps that may issue"),
    LOOM_PARAM(struct swl_config, scope, .def = {.s = "sm"},
               .choices = LOOM_CHOICES("sm", "scheduler"),
               .doc = "Whose warps the limit counts",
               .source = "Papers count warps per SM; GPGPU-Sim's "
                         "warp_limiting is per scheduler"),
    LOOM_PARAM(struct swl_config, waiting, .def = {.s = "skip"},
               .choices = LOOM_CHOICES("skip", "lift"),
               .doc = "Warps at a barrier do not count ('skip'), or lift the "
                      "limit while the last one within it waits ('lift')",
               .source = "GPGPU-Sim 3.2.2: skip; the authors' simulator of "
                         "CCWS: lift"),
    LOOM_PARAM(struct swl_config, greedy, .def = {.b = true},
               .doc = "The warp that issued last may go on although it is not "
                      "among them (any more)",
               .source = "GPGPU-Sim 3.2.2: the greedy warp is prepended"),
};

static const struct loom_stat swl_stat_table[] = {
    LOOM_COUNTER(struct swl_stats, holds, LOOM_UNIT_EVENT,
                 "Times that a warp that was ready began to be held back"),
    LOOM_COUNTER(struct swl_stats, lifts, LOOM_UNIT_EVENT,
                 "Times that a scheduler's limit was lifted"),
    LOOM_GAUGE(struct swl_stats, allowed, LOOM_UNIT_WARP,
               "Warps within the limit when it was last asked for"),
    LOOM_GAUGE(struct swl_stats, most, LOOM_UNIT_WARP,
               "The most of them at any time"),
};

const struct loom_policy_type swl_policy = {
    .name = "swl",
    .doc = "Static warp limiting: only the oldest warps issue",
    .state_size = sizeof(struct swl),
    .config_size = sizeof(struct swl_config),
    .stats_size = sizeof(struct swl_stats),
    .params = LOOM_SLICE(swl_params),
    .stats = LOOM_SLICE(swl_stat_table),
    .facets = LOOM_FACETS({&loom_throttle_hook, &swl_throttle},
                          {&loom_sm_observe_hook, &swl_events}),
    .joins = true,
    .cost = swl_cost,
    .init = swl_init,
    .check = swl_check,
};

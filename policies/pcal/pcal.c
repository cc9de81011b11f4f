/*
 * pcal: priority-based cache allocation, static (Li et al., HPCA 2015).
 *
 * Of the oldest `warps` warps of an SM those with one of `tokens` tokens use
 * the L1 as ever.  The others may look into it and hit, but their misses go
 * past it without a line, so that they use what bandwidth is left without
 * evicting anything.  Warps beyond these are held back, as by swl.
 *
 * A token goes with its warp until that warp has ended, then to the oldest
 * warp without one.  Warps never become older than others, so the holders are
 * the oldest warps that are there.
 */
#include "policies/lib/bypass.h"
#include "policies/lib/warp_order.h"
#include "policies/sm_hook.h"

struct pcal_config {
    uint32_t warps, tokens, fetch_bytes;
};

struct pcal_stats {
    uint64_t holds, passes;
    uint64_t holders, most_holders;
};

struct pcal {
    struct loom_warp_order order;
    uint32_t schedulers;
    bool token[LOOM_WARP_SLOTS];
    uint64_t held[LOOM_SM_SCHEDULERS]; /* ready, and not allowed */
};

static bool pcal_bind(struct loom_policy *self,
                      const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct pcal *pcal = loom_policy_state(self);

    (void)err;
    pcal->schedulers = shape->schedulers;
    return true;
}

static uint64_t pcal_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    const struct pcal_config *config = loom_policy_config(self);
    struct pcal_stats *stats = loom_policy_stats(self);
    struct pcal *pcal = loom_policy_state(self);
    uint32_t s = view->scheduler, counted = 0;
    uint64_t allowed = 0, held;

    for (uint32_t i = 0; i < pcal->order.count && counted < config->warps;
         i++) {
        uint32_t slot = pcal->order.slot[i];
        uint32_t scheduler = slot % pcal->schedulers;
        uint64_t bit = loom_bit(slot / pcal->schedulers);

        if ((view->sm_active[scheduler] & ~view->sm_waiting[scheduler] & bit) !=
            0) {
            allowed |= scheduler == s ? bit : 0;
            counted++;
        }
    }
    held = view->ready & ~allowed;
    stats->holds += loom_popcount(held & ~pcal->held[s]);
    pcal->held[s] = held;
    return allowed;
}

/* The first `tokens` of the order hold them. */
static void hand_out(struct loom_policy *self)
{
    const struct pcal_config *config = loom_policy_config(self);
    struct pcal_stats *stats = loom_policy_stats(self);
    struct pcal *pcal = loom_policy_state(self);
    uint32_t count =
        pcal->order.count < config->tokens ? pcal->order.count : config->tokens;

    for (uint32_t i = 0; i < count; i++) {
        bool *token = &pcal->token[pcal->order.slot[i]];

        stats->passes += !*token;
        *token = true;
    }
    stats->holders = count;
    stats->most_holders =
        count > stats->most_holders ? count : stats->most_holders;
}

static void pcal_observe(struct loom_policy *self,
                         const struct loom_event *event)
{
    struct pcal *pcal = loom_policy_state(self);

    pcal->token[event->warp] = false;
    pcal->held[event->warp % pcal->schedulers] &=
        ~loom_bit(event->warp / pcal->schedulers);
    if (event->kind == LOOM_EVENT_WARP_START) {
        loom_warp_order_add(&pcal->order, event->warp);
    } else {
        loom_warp_order_remove(&pcal->order, event->warp);
    }
    hand_out(self);
}

static enum loom_allocate pcal_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    const struct pcal_config *config = loom_policy_config(self);
    const struct pcal *pcal = loom_policy_state(self);

    (void)set;
    if (!loom_bypass_load(request) || pcal->token[request->warp]) {
        return LOOM_ALLOCATE_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, true);
    return LOOM_NO_ALLOCATE;
}

static bool pcal_check(struct loom_policy *self, struct loom_error *err)
{
    const struct pcal_config *config = loom_policy_config(self);
    const struct pcal_stats *stats = loom_policy_stats(self);

    if (stats->most_holders > config->tokens || stats->holders != 0) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu of %u tokens were held at a time and %llu at "
                         "the end, expected none there",
                         (unsigned long long)stats->most_holders,
                         config->tokens, (unsigned long long)stats->holders);
    }
    return true;
}

static const struct loom_throttle_ops pcal_throttle = {
    .bind = pcal_bind,
    .allow = pcal_allow,
};
static const struct loom_allocation_ops pcal_allocation = {
    .allocate = pcal_allocate,
};
static const struct loom_observe_ops pcal_events = {
    .events = LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH),
    .observe = pcal_observe,
};

static void pcal_cost(const void *config_, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct pcal_config *config = config_;

    loom_cost_add(cost, "age", shape->warps, loom_bits_for(shape->warps),
                  "Place of a warp in the SM's order of age");
    loom_cost_add(cost, "token", shape->warps, 1, "Whether a warp holds one");
    loom_cost_add(cost, "limits", 1,
                  loom_bits_for(config->warps + 1) +
                      loom_bits_for(config->tokens + 1),
                  "Warps that may issue, and tokens");
}

static const struct loom_param pcal_params[] = {
    LOOM_PARAM(struct pcal_config, warps, .unit = LOOM_UNIT_WARP,
               .def = {.u = 512}, .min = {.u = 1}, .max = {.u = 512},
               .doc = "Warps of the SM that may issue (N)"),
    LOOM_PARAM(struct pcal_config, tokens, .unit = LOOM_UNIT_WARP,
               .def = {.u = 8}, .min = {.u = 0}, .max = {.u = 512},
               .doc = "Warps of the SM whose misses get a line (P)"),
    LOOM_FETCH_PARAM(struct pcal_config),
};

static const struct loom_stat pcal_stat_table[] = {
    LOOM_COUNTER(struct pcal_stats, holds, LOOM_UNIT_EVENT,
                 "Times that a warp that was ready began to be held back"),
    LOOM_COUNTER(struct pcal_stats, passes, LOOM_UNIT_EVENT,
                 "Times that a token was given to a warp"),
    LOOM_GAUGE(struct pcal_stats, holders, LOOM_UNIT_WARP,
               "Warps that hold a token"),
    LOOM_GAUGE(struct pcal_stats, most_holders, LOOM_UNIT_WARP,
               "The most of them at any time"),
};

const struct loom_policy_type pcal_policy = {
    .name = "pcal",
    .doc = "Static PCAL: warps without a token hit, but allocate nothing",
    .state_size = sizeof(struct pcal),
    .config_size = sizeof(struct pcal_config),
    .stats_size = sizeof(struct pcal_stats),
    .params = LOOM_SLICE(pcal_params),
    .stats = LOOM_SLICE(pcal_stat_table),
    .facets = LOOM_FACETS({&loom_throttle_hook, &pcal_throttle},
                          {&loom_allocation_hook, &pcal_allocation},
                          {&loom_sm_observe_hook, &pcal_events}),
    .cost = pcal_cost,
    .check = pcal_check,
};

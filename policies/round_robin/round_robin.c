/*
 * round_robin: CTAs go to the SMs in turn.
 *
 * The search starts at the SM after the last one that took a CTA, as
 * GPGPU-Sim's issue_block2core; with `anew`, for each kernel at the first SM of
 * those that hold least.
 */
#include "policies/gpu_hook.h"

struct round_robin_config {
    bool anew;
};

struct round_robin {
    uint32_t from; /* SM where the search starts */
};

/* Of the SMs that have room. */
static uint32_t emptiest(const struct loom_dispatch_view *view)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < view->sms; i++) {
        if (view->fits[i] &&
            (!view->fits[best] || view->held[i] < view->held[best])) {
            best = i;
        }
    }
    return best;
}

static uint32_t round_robin_select(struct loom_policy *self,
                                   const struct loom_dispatch_view *view)
{
    const struct round_robin_config *config = loom_policy_config(self);
    struct round_robin *rr = loom_policy_state(self);
    uint32_t sm =
        config->anew && view->next_cta == 0 ? emptiest(view) : rr->from;

    for (uint32_t i = 0; i < view->sms; i++) {
        uint32_t next = sm + 1 == view->sms ? 0 : sm + 1;

        if (view->fits[sm]) {
            rr->from = next;
            return sm;
        }
        sm = next;
    }
    return UINT32_MAX;
}

static const struct loom_dispatch_ops round_robin_ops = {
    .select = round_robin_select,
};

static void round_robin_cost(const void *config,
                             const struct loom_cost_shape *shape,
                             struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "next", 1, loom_bits_for(shape->sms),
                  "SM whose turn it is");
}

static const struct loom_param round_robin_params[] = {
    LOOM_PARAM(struct round_robin_config, anew, .def = {.b = false},
               .doc = "A kernel's first CTA goes to the first SM of those that "
                      "hold the fewest CTAs",
               .source = "false: GPGPU-Sim; true: an H100, decision 0058; "
                         "beside other kernels: Gilman and others, 2020"),
};

const struct loom_policy_type round_robin_policy = {
    .name = "round_robin",
    .doc = "CTA dispatcher: the SMs in turn",
    .state_size = sizeof(struct round_robin),
    .config_size = sizeof(struct round_robin_config),
    .params = LOOM_SLICE(round_robin_params),
    .facets = LOOM_FACETS({&loom_dispatch_hook, &round_robin_ops}),
    .cost = round_robin_cost,
};

/*
 * round_robin_arbiter: each output serves its inputs in turn.
 *
 * The input after the one that won last has the highest priority, so with n
 * inputs that always ask, each gets exactly one packet in n (Dally and
 * Towles, Principles and Practices of Interconnection Networks, 18.3).
 *
 * Invariant: turn[output] is the input that is looked at first; it moves only
 * when a grant happened, never when a packet was merely picked.
 */
#include "policies/noc_hook.h"

struct round_robin {
    uint32_t inputs, outputs, words;
    uint32_t *turn; /* [outputs] */
};

static bool round_robin_bind(struct loom_policy *self,
                             const struct loom_noc_shape *shape,
                             struct loom_error *err)
{
    struct round_robin *rr = loom_policy_state(self);

    rr->inputs = shape->inputs;
    rr->outputs = shape->outputs;
    rr->words = (shape->inputs + 63) / 64;
    rr->turn = loom_policy_alloc(self, shape->outputs, sizeof(*rr->turn));
    return loom_policy_has_memory(self, err);
}

static uint32_t round_robin_pick(struct loom_policy *self, uint32_t output,
                                 const uint64_t *requests, loom_cycle now)
{
    const struct round_robin *rr = loom_policy_state(self);
    uint32_t turn = rr->turn[output];
    uint32_t word = turn / 64;
    uint64_t bits = requests[word] & (~UINT64_C(0) << (turn % 64));

    (void)now;
    /* One word more than there are: the first is visited twice, the second
     * time for the inputs before `turn`. */
    for (uint32_t step = 0; step <= rr->words; step++) {
        if (bits != 0) {
            return word * 64 + loom_lowest(bits);
        }
        word = word + 1 < rr->words ? word + 1 : 0;
        bits = requests[word];
    }
    LOOM_BUG("output %u was asked with no input", output);
}

static void round_robin_granted(struct loom_policy *self, uint32_t output,
                                uint32_t input)
{
    struct round_robin *rr = loom_policy_state(self);

    rr->turn[output] = input + 1 < rr->inputs ? input + 1 : 0;
}

static const struct loom_arbiter_ops round_robin_arbiter_ops = {
    .bind = round_robin_bind,
    .pick = round_robin_pick,
    .granted = round_robin_granted,
    .in_turn = true,
};

static void round_robin_arbiter_cost(const void *config,
                                     const struct loom_cost_shape *shape,
                                     struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "turn", shape->outputs, loom_bits_for(shape->inputs),
                  "Input whose turn it is at an output");
}

const struct loom_policy_type round_robin_arbiter_policy = {
    .name = "round_robin_arbiter",
    .doc = "Each output serves the inputs that want it in turn",
    .state_size = sizeof(struct round_robin),
    .facets = LOOM_FACETS({&loom_arbiter_hook, &round_robin_arbiter_ops}),
    .cost = round_robin_arbiter_cost,
};

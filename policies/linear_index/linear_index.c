/*
 * linear_index: the lowest bits of the line's number choose the set.
 *
 * The textbook index and the default of GPGPU-Sim 3.2.2 (`L`).
 */
#include "policies/lib/index.h"

static uint32_t linear_set(struct loom_policy *self, loom_addr line)
{
    const struct loom_index *index = loom_policy_state(self);

    return (uint32_t)(line >> index->shift) & index->mask;
}

static const struct loom_set_index_ops linear_set_index = {
    .bind = loom_index_bind,
    .index = linear_set,
};

const struct loom_policy_type linear_index_policy = {
    .name = "linear_index",
    .doc = "Lowest bits of the line's number choose the set",
    .state_size = sizeof(struct loom_index),
    .facets = LOOM_FACETS({&loom_set_index_hook, &linear_set_index}),
    .cost = loom_cost_none,
};

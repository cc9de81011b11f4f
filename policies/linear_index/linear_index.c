/*
 * linear_index: the lowest bits of the line's number choose the set.
 *
 * The textbook index and the default of GPGPU-Sim 3.2.2 (`L`).
 */
#include "policies/cache_hook.h"

struct linear_index {
    uint32_t shift; /* log2 of the line */
    uint32_t mask;  /* sets - 1 */
};

static bool linear_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct linear_index *index = loom_policy_state(self);

    if (!loom_is_power_of_2(shape->sets)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "linear_index does not exist for %u sets, expected "
                         "a power of 2",
                         shape->sets);
    }
    index->shift = loom_log2(shape->line_bytes);
    index->mask = shape->sets - 1;
    return true;
}

static uint32_t linear_set(struct loom_policy *self, loom_addr line)
{
    const struct linear_index *index = loom_policy_state(self);

    return (uint32_t)(line >> index->shift) & index->mask;
}

static const struct loom_set_index_ops linear_set_index = {
    .bind = linear_bind,
    .index = linear_set,
};

static const struct loom_facet linear_facets[] = {
    {&loom_set_index_hook, &linear_set_index},
};

const struct loom_policy_type linear_index_policy = {
    .name = "linear_index",
    .doc = "Lowest bits of the line's number choose the set",
    .state_size = sizeof(struct linear_index),
    .facets = LOOM_SLICE(linear_facets),
    .cost = loom_cost_none,
};

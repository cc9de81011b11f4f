/*
 * xor_index: two neighbouring fields of the line's number, combined.
 *
 * With A the address, s = log2(line), n sets, k = log2(n), the set is
 * (A >> s) XOR (A >> (s + k)), modulo n: what GPGPU-Sim calls bitwise XOR
 * (`X`).  Strides of n lines no longer fall into one set.
 */
#include "policies/cache_hook.h"

struct xor_index {
    uint32_t shift; /* log2 of the line */
    uint32_t bits;  /* log2 of the sets */
    uint32_t mask;  /* sets - 1 */
};

static bool xor_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    struct xor_index *index = loom_policy_state(self);

    if (!loom_is_power_of_2(shape->sets)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "xor_index does not exist for %u sets, expected a "
                         "power of 2",
                         shape->sets);
    }
    index->shift = loom_log2(shape->line_bytes);
    index->bits = loom_log2(shape->sets);
    index->mask = shape->sets - 1;
    return true;
}

static uint32_t xor_set(struct loom_policy *self, loom_addr line)
{
    const struct xor_index *index = loom_policy_state(self);
    loom_addr number = line >> index->shift;

    return (uint32_t)(number ^ number >> index->bits) & index->mask;
}

static const struct loom_set_index_ops xor_set_index = {
    .bind = xor_bind,
    .index = xor_set,
};

static const struct loom_facet xor_facets[] = {
    {&loom_set_index_hook, &xor_set_index},
};

const struct loom_policy_type xor_index_policy = {
    .name = "xor_index",
    .doc = "Set from two neighbouring fields of the line's number, XORed",
    .state_size = sizeof(struct xor_index),
    .facets = LOOM_SLICE(xor_facets),
    .cost = loom_cost_none,
};

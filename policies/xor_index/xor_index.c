/*
 * xor_index: two neighbouring fields of the line's number, combined.
 *
 * With A the address, s = log2(line), n sets, k = log2(n), the set is
 * (A >> s) XOR (A >> (s + k)), modulo n: what GPGPU-Sim calls bitwise XOR
 * (`X`).  Strides of n lines no longer fall into one set.
 */
#include "policies/lib/index.h"

static uint32_t xor_set(struct loom_policy *self, loom_addr line)
{
    const struct loom_index *index = loom_policy_state(self);
    loom_addr number = line >> index->shift;

    return (uint32_t)(number ^ number >> index->bits) & index->mask;
}

static const struct loom_set_index_ops xor_set_index = {
    .bind = loom_index_bind,
    .index = xor_set,
};

const struct loom_policy_type xor_index_policy = {
    .name = "xor_index",
    .doc = "Set from two neighbouring fields of the line's number, XORed",
    .state_size = sizeof(struct loom_index),
    .facets = LOOM_FACETS({&loom_set_index_hook, &xor_set_index}),
    .cost = loom_cost_none,
};

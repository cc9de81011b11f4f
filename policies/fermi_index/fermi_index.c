/*
 * fermi_index: the set index measured on NVIDIA's Fermi L1.
 *
 * Nugteren et al., "A detailed GPU cache model based on reuse distance
 * theory", HPCA 2014; GPGPU-Sim from 3.2.2's successors on (`H`).  Address
 * bits 7..11 are XORed with bits 13, 14, 15, 17 and 19; bit 12 is the sixth
 * bit of the index where there are 64 sets.  It was measured on 16 KiB and
 * 48 KiB of 128-byte lines only, so no other shape has it.
 */
#include "policies/cache_hook.h"

struct fermi_index {
    uint32_t top; /* 1 if there are 64 sets, else 0 */
};

static bool fermi_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    struct fermi_index *index = loom_policy_state(self);

    if (shape->line_bytes != 128 || (shape->sets != 32 && shape->sets != 64)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "fermi_index does not exist for %u sets of %u-byte "
                         "lines, expected 32 or 64 sets of 128-byte lines",
                         shape->sets, shape->line_bytes);
    }
    index->top = shape->sets == 64;
    return true;
}

static uint32_t bit(loom_addr address, uint32_t from, uint32_t to)
{
    return (uint32_t)(address >> from & 1) << to;
}

static uint32_t fermi_set(struct loom_policy *self, loom_addr line)
{
    const struct fermi_index *index = loom_policy_state(self);
    uint32_t upper =
        (uint32_t)(line >> 13 & 7) | bit(line, 17, 3) | bit(line, 19, 4);
    uint32_t lower = (uint32_t)(line >> 7 & 31);

    return (lower ^ upper) | ((uint32_t)(line >> 12) & index->top) << 5;
}

static const struct loom_set_index_ops fermi_set_index = {
    .bind = fermi_bind,
    .index = fermi_set,
};

const struct loom_policy_type fermi_index_policy = {
    .name = "fermi_index",
    .doc = "Set index measured on Fermi's L1",
    .state_size = sizeof(struct fermi_index),
    .facets = LOOM_FACETS({&loom_set_index_hook, &fermi_set_index}),
    .cost = loom_cost_none,
};

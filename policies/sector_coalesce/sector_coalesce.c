/*
 * sector_coalesce: every 32-byte sector that is used is an access.
 *
 * What GPUs with sectored caches do (Maxwell and later; GPGPU-Sim 4 for
 * architectures from 40 on).
 */
#include "policies/ldst_hook.h"

static uint32_t sector_accesses(struct loom_policy *self,
                                const struct loom_lanes *lanes,
                                struct loom_access access[LOOM_ACCESS_MAX])
{
    (void)self;
    return loom_coalesce_segments(lanes, LOOM_SECTOR_BYTES, access);
}

static const struct loom_coalesce_ops sector_coalesce_ops = {
    .coalesce = sector_accesses,
};

const struct loom_policy_type sector_coalesce_policy = {
    .name = "sector_coalesce",
    .doc = "Every 32-byte sector that is used is an access",
    .facets = LOOM_FACETS({&loom_coalesce_hook, &sector_coalesce_ops}),
    .cost = loom_cost_none,
};

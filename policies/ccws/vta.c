/*
 * Victim tag arrays: what each warp would have found in the L1 if it had had
 * a little more of it.
 *
 * One small set-associative array of tags per warp slot, filled by evictions,
 * replaced first in, first out.  A hit leaves its tag where it is.
 */
#include "policies/ccws/ccws_private.h"

bool ccws_vta_init(struct loom_policy *self, struct ccws_vta *vta)
{
    const struct ccws_config *config = loom_policy_config(self);
    size_t sets = (size_t)LOOM_WARP_SLOTS * config->vta_sets;

    vta->sets = config->vta_sets;
    vta->ways = config->vta_ways;
    vta->tag =
        loom_policy_alloc(self, sets * config->vta_ways, sizeof(*vta->tag));
    vta->next = loom_policy_alloc(self, sets, sizeof(*vta->next));
    return vta->tag != NULL && vta->next != NULL;
}

static size_t set_of(const struct ccws_vta *vta, uint32_t warp, loom_addr block)
{
    return (size_t)warp * vta->sets +
           (size_t)(block / LOOM_BLOCK_BYTES % vta->sets);
}

bool ccws_vta_has(const struct ccws_vta *vta, uint32_t warp, loom_addr block)
{
    const loom_addr *tag = vta->tag + set_of(vta, warp, block) * vta->ways;

    for (uint32_t i = 0; i < vta->ways; i++) {
        if (tag[i] == block + 1) {
            return true;
        }
    }
    return false;
}

void ccws_vta_insert(struct ccws_vta *vta, uint32_t warp, loom_addr block)
{
    size_t set = set_of(vta, warp, block);

    vta->warps = warp >= vta->warps ? warp + 1 : vta->warps;
    if (!ccws_vta_has(vta, warp, block)) {
        vta->tag[set * vta->ways + vta->next[set]] = block + 1;
        vta->next[set] = (uint16_t)((vta->next[set] + 1u) % vta->ways);
    }
}

uint32_t ccws_vta_drop(struct ccws_vta *vta, loom_addr block)
{
    uint32_t dropped = 0;

    for (uint32_t warp = 0; warp < vta->warps; warp++) {
        loom_addr *tag = vta->tag + set_of(vta, warp, block) * vta->ways;

        for (uint32_t i = 0; i < vta->ways; i++) {
            if (tag[i] == block + 1) {
                tag[i] = 0;
                dropped++;
            }
        }
    }
    return dropped;
}

void ccws_vta_clear(struct ccws_vta *vta, uint32_t warp)
{
    size_t first = (size_t)warp * vta->sets;

    for (size_t i = 0; i < (size_t)vta->sets * vta->ways; i++) {
        vta->tag[first * vta->ways + i] = 0;
    }
    for (size_t i = 0; i < vta->sets; i++) {
        vta->next[first + i] = 0;
    }
}

void ccws_vta_clear_all(struct ccws_vta *vta)
{
    for (uint32_t warp = 0; warp < vta->warps; warp++) {
        ccws_vta_clear(vta, warp);
    }
    vta->warps = 0;
}

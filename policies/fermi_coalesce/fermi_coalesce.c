/*
 * fermi_coalesce: segments of 128 bytes, reduced to what is used.
 *
 * The rules of compute capability 1.2/1.3 (CUDA C Programming Guide,
 * "Coalesced access to global memory"), which GPGPU-Sim 3.2.2 applies to
 * Fermi as well: elements of 1 byte use segments of 32 bytes, of 2 bytes 64,
 * larger ones 128; a transaction whose bytes all lie in one half shrinks to
 * 64 bytes and then to 32.  The reduced size is what a store or a bypassing
 * load moves; a cache that misses fetches its own line.
 *
 * No segment is larger than a line of the L1, so an access never needs two.
 */
#include "policies/ldst_hook.h"

struct fermi_coalesce {
    uint32_t line_bytes;
};

static bool fermi_bind(struct loom_policy *self,
                       const struct loom_ldst_shape *shape,
                       struct loom_error *err)
{
    struct fermi_coalesce *coalesce = loom_policy_state(self);

    (void)err;
    coalesce->line_bytes = shape->line_bytes;
    return true;
}

static uint32_t fermi_accesses(struct loom_policy *self,
                               const struct loom_lanes *lanes,
                               struct loom_access access[LOOM_ACCESS_MAX])
{
    const struct fermi_coalesce *coalesce = loom_policy_state(self);
    uint32_t segment = lanes->inst->bytes == 1   ? 32
                       : lanes->inst->bytes == 2 ? 64
                                                 : 128;

    return loom_coalesce_segments(
        lanes, segment < coalesce->line_bytes ? segment : coalesce->line_bytes,
        access);
}

static const struct loom_coalesce_ops fermi_coalesce_ops = {
    .bind = fermi_bind,
    .coalesce = fermi_accesses,
};

static const struct loom_facet fermi_coalesce_facets[] = {
    {&loom_coalesce_hook, &fermi_coalesce_ops},
};

const struct loom_policy_type fermi_coalesce_policy = {
    .name = "fermi_coalesce",
    .doc = "Segments of 128 bytes, reduced to the halves or quarters used",
    .state_size = sizeof(struct fermi_coalesce),
    .facets = LOOM_SLICE(fermi_coalesce_facets),
};

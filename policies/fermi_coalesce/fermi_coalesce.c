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
 * What goes around the L1, atomics and `.cg`, can have segments of its own:
 * GPGPU-Sim 4 uses sectors of 32 bytes for it (gpgpu_coalesce_arch 20..38).
 */
#include "policies/ldst_hook.h"

struct fermi_coalesce_config {
    uint32_t around_bytes;
};

struct fermi_coalesce {
    uint32_t line_bytes, around_bytes;
};

static bool fermi_bind(struct loom_policy *self,
                       const struct loom_ldst_shape *shape,
                       struct loom_error *err)
{
    struct fermi_coalesce *coalesce = loom_policy_state(self);
    const struct fermi_coalesce_config *config = loom_policy_config(self);

    (void)err;
    coalesce->line_bytes = shape->line_bytes;
    coalesce->around_bytes = config->around_bytes;
    return true;
}

static uint32_t fermi_accesses(struct loom_policy *self,
                               const struct loom_lanes *lanes,
                               struct loom_access access[LOOM_ACCESS_MAX])
{
    const struct fermi_coalesce *coalesce = loom_policy_state(self);
    const struct loom_static_inst *inst = lanes->inst;
    uint32_t segment = inst->bytes == 1 ? 32 : inst->bytes == 2 ? 64 : 128;

    if (coalesce->around_bytes != 0 &&
        (inst->op == LOOM_OP_ATOMIC || inst->cache_op == LOOM_CACHE_CG)) {
        segment = coalesce->around_bytes;
    }
    return loom_coalesce_segments(
        lanes, segment < coalesce->line_bytes ? segment : coalesce->line_bytes,
        access);
}

static const struct loom_coalesce_ops fermi_coalesce_ops = {
    .bind = fermi_bind,
    .coalesce = fermi_accesses,
};

static const struct loom_param fermi_coalesce_params[] = {
    LOOM_PARAM(struct fermi_coalesce_config, around_bytes,
               .unit = LOOM_UNIT_BYTE, .def = {.u = 0}, .max = {.u = 128},
               .doc = "Segment of atomics and .cg accesses, 32, 64 or 128; "
                      "0: as of all others",
               .source = "GPGPU-Sim 3.2.2; version 4 has 32"),
};

static bool fermi_validate(const void *config, struct loom_error *err)
{
    const struct fermi_coalesce_config *k = config;

    if (k->around_bytes != 0 && k->around_bytes != 32 &&
        k->around_bytes != 64 && k->around_bytes != 128) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'around_bytes' is %u, expected 0, 32, 64 "
                         "or 128",
                         k->around_bytes);
    }
    return true;
}

const struct loom_policy_type fermi_coalesce_policy = {
    .name = "fermi_coalesce",
    .doc = "Segments of 128 bytes, reduced to the halves or quarters used",
    .state_size = sizeof(struct fermi_coalesce),
    .config_size = sizeof(struct fermi_coalesce_config),
    .params = LOOM_SLICE(fermi_coalesce_params),
    .validate = fermi_validate,
    .facets = LOOM_FACETS({&loom_coalesce_hook, &fermi_coalesce_ops}),
    .cost = loom_cost_none,
};

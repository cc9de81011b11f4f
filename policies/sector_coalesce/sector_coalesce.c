/*
 * sector_coalesce: every 32-byte sector that is used is an access.
 *
 * What GPUs with sectored caches do (Maxwell and later; GPGPU-Sim 4 for
 * architectures from 40 on).
 */
#include "policies/ldst_hook.h"

struct sector_coalesce_config {
    bool atomics_by_line;
};

/* Sectors of a line that lanes use, the highest first. */
static uint32_t cut(const struct loom_lanes *lanes,
                    const struct loom_access *line, struct loom_access *access)
{
    uint32_t bytes = lanes->inst->bytes * (uint32_t)lanes->inst->vector;
    uint32_t count = 0;

    for (uint32_t s = LOOM_BLOCK_BYTES / LOOM_SECTOR_BYTES; s-- > 0;) {
        uint64_t ones = UINT64_C(0xffffffff) << 32 * (s % 2);
        loom_addr from = line->block + (loom_addr)s * LOOM_SECTOR_BYTES;
        struct loom_access *a = &access[count];

        if ((line->sectors >> s & 1) == 0) {
            continue;
        }
        *a = (struct loom_access){.block = line->block,
                                  .size_bytes = LOOM_SECTOR_BYTES,
                                  .sectors = (uint8_t)(1u << s)};
        a->bytes[s / 2] = line->bytes[s / 2] & ones;
        for (uint32_t left = line->lanes; left != 0; left &= left - 1) {
            loom_addr at = lanes->address[loom_lowest(left)];

            if (at < from + LOOM_SECTOR_BYTES && at + bytes > from) {
                a->lanes |= left & (0 - left);
            }
        }
        count++;
    }
    return count;
}

static uint32_t sector_accesses(struct loom_policy *self,
                                const struct loom_lanes *lanes,
                                struct loom_access access[LOOM_ACCESS_MAX])
{
    const struct sector_coalesce_config *config = loom_policy_config(self);
    struct loom_access line[LOOM_ACCESS_MAX];
    uint32_t lines, count = 0;

    if (!config->atomics_by_line || lanes->inst->op != LOOM_OP_ATOMIC) {
        return loom_coalesce_segments(lanes, LOOM_SECTOR_BYTES, access);
    }
    lines = loom_coalesce_segments(lanes, LOOM_BLOCK_BYTES, line);
    for (uint32_t i = 0; i < lines; i++) {
        count += cut(lanes, &line[i], access + count);
    }
    return count;
}

static const struct loom_coalesce_ops sector_coalesce_ops = {
    .coalesce = sector_accesses,
};

static const struct loom_param sector_coalesce_params[] = {
    LOOM_PARAM(struct sector_coalesce_config, atomics_by_line,
               .unit = LOOM_UNIT_NONE, .def = {.b = false},
               .doc = "Lanes of an atomic that share a word part a line, not "
                      "a sector: the sectors of a line that the first ones "
                      "use come in turn, then those of the second ones",
               .source = "GPGPU-Sim 4: no; H200, Nsight Compute: requests of "
                         "atomics are lines without a word twice"),
};

const struct loom_policy_type sector_coalesce_policy = {
    .name = "sector_coalesce",
    .doc = "Every 32-byte sector that is used is an access",
    .config_size = sizeof(struct sector_coalesce_config),
    .params = LOOM_SLICE(sector_coalesce_params),
    .facets = LOOM_FACETS({&loom_coalesce_hook, &sector_coalesce_ops}),
    .cost = loom_cost_none,
};

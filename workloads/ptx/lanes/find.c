/*
 * Finding lane functions: by opcode, type and variant, in the build that
 * suits the host.
 */
#include "workloads/ptx/lanes/lanes.h"

static const struct exec_lane_set *lane_set(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) {
        return &ptx_lanes_avx2;
    }
#endif
    return &ptx_lanes_base;
}

static exec_fn *find(const struct exec_lane_set *set, uint32_t opcode,
                     uint32_t type, uint32_t variant)
{
    for (size_t i = 0; i < set->rows; i++) {
        const struct exec_row *row = &set->row[i];

        if (row->opcode == opcode && row->type == type &&
            (row->variant == variant || row->variant == EXEC_ANY)) {
            return row->fn;
        }
    }
    return NULL;
}

/* The unsigned type of an integer or untyped one. */
static uint32_t unsigned_type(uint32_t type)
{
    switch (type) {
    case LOOM_PTX_B16:
    case LOOM_PTX_S16:
        return LOOM_PTX_U16;
    case LOOM_PTX_B32:
    case LOOM_PTX_S32:
        return LOOM_PTX_U32;
    case LOOM_PTX_B64:
    case LOOM_PTX_S64:
        return LOOM_PTX_U64;
    default:
        return type;
    }
}

/* The type for operations that only move bits. */
static uint32_t bits_type(uint32_t type)
{
    return loom_ptx_type_bytes((enum loom_ptx_type)type) == 8 ? LOOM_PTX_B64
                                                              : LOOM_PTX_B32;
}

exec_fn *ptx_lanes_find(uint32_t opcode, uint32_t type, uint32_t variant)
{
    const struct exec_lane_set *set = lane_set();
    exec_fn *fn = find(set, opcode, type, variant);

    if (fn == NULL) {
        fn = find(set, opcode, unsigned_type(type), variant);
    }
    if (fn == NULL) {
        fn = find(set, opcode, bits_type(type), variant);
    }
    return fn;
}

exec_fn *ptx_lanes_cvt(const struct exec_how *how)
{
    return lane_set()->cvt(how);
}

/*
 * Names of op classes, and expanding the compressed lane addresses of a warp's
 * stream.
 */
#include "workloads/stream.h"

const char *const loom_op_names[LOOM_OPS] = {
    [LOOM_OP_INT_ADD] = "int_add", [LOOM_OP_INT_MAX] = "int_max",
    [LOOM_OP_INT_MUL] = "int_mul", [LOOM_OP_INT_MAD] = "int_mad",
    [LOOM_OP_INT_DIV] = "int_div", [LOOM_OP_MOVE] = "move",
    [LOOM_OP_FP_ADD] = "fp_add",   [LOOM_OP_FP_MAX] = "fp_max",
    [LOOM_OP_FP_MUL] = "fp_mul",   [LOOM_OP_FP_MAD] = "fp_mad",
    [LOOM_OP_FP_DIV] = "fp_div",   [LOOM_OP_DP_ADD] = "dp_add",
    [LOOM_OP_DP_MAX] = "dp_max",   [LOOM_OP_DP_MUL] = "dp_mul",
    [LOOM_OP_DP_MAD] = "dp_mad",   [LOOM_OP_DP_DIV] = "dp_div",
    [LOOM_OP_SFU] = "sfu",         [LOOM_OP_TENSOR] = "tensor",
    [LOOM_OP_SHUFFLE] = "shuffle", [LOOM_OP_BRANCH] = "branch",
    [LOOM_OP_BARRIER] = "barrier", [LOOM_OP_MEMBAR] = "membar",
    [LOOM_OP_LOAD] = "load",       [LOOM_OP_STORE] = "store",
    [LOOM_OP_ATOMIC] = "atomic",   [LOOM_OP_EXIT] = "exit",
    [LOOM_OP_NOP] = "nop",
};

static void expand_stride(const struct loom_warp_inst *inst,
                          loom_addr address[LOOM_WARP_LANES])
{
    loom_addr at = loom_stream_base(inst);
    loom_addr stride = (loom_addr)(int64_t)(int32_t)inst->address[2];

    if (inst->mask == UINT32_MAX) {
        for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
            address[lane] = at + lane * stride;
        }
        return;
    }
    for (uint32_t left = inst->mask; left != 0; left &= left - 1) {
        address[loom_lowest(left)] = at;
        at += stride;
    }
}

static void expand_delta(const struct loom_warp_inst *inst,
                         loom_addr address[LOOM_WARP_LANES])
{
    loom_addr base = loom_stream_base(inst);
    const uint32_t *delta = inst->address + 2;
    uint32_t left = inst->mask;

    if (left == 0) {
        return;
    }
    address[loom_lowest(left)] = base;
    for (left &= left - 1; left != 0; left &= left - 1) {
        address[loom_lowest(left)] =
            base + (loom_addr)(int64_t)(int32_t)*delta++;
    }
}

static void expand_list(const struct loom_warp_inst *inst,
                        loom_addr address[LOOM_WARP_LANES])
{
    const uint32_t *word = inst->address;

    for (uint32_t left = inst->mask; left != 0; left &= left - 1) {
        address[loom_lowest(left)] = word[0] | (loom_addr)word[1] << 32;
        word += 2;
    }
}

void loom_stream_addresses(const struct loom_warp_inst *inst,
                           loom_addr address[LOOM_WARP_LANES])
{
    switch ((enum loom_addr_mode)inst->mode) {
    case LOOM_ADDR_NONE:
        break;
    case LOOM_ADDR_STRIDE:
        expand_stride(inst, address);
        break;
    case LOOM_ADDR_DELTA:
        expand_delta(inst, address);
        break;
    case LOOM_ADDR_LIST:
        expand_list(inst, address);
        break;
    }
}

bool loom_loop_within(const struct loom_kernel *kernel, uint16_t loop,
                      uint16_t outer)
{
    while (loop != LOOM_NO_LOOP && loop != outer) {
        loop = kernel->loop[loop].parent;
    }
    return loop == outer;
}

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

/* Of the distances of the lanes behind the first, which fit into 32 bits. */
static void delta_span(const struct loom_warp_inst *inst, int64_t *lowest,
                       int64_t *highest)
{
    const uint32_t *delta = inst->address + 2;
    uint32_t count = loom_popcount(inst->mask) - 1;
    int32_t low = 0, high = 0;

    for (uint32_t i = 0; i < count; i++) {
        int32_t at = (int32_t)delta[i];

        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *lowest = low;
    *highest = high;
}

bool loom_stream_span(const struct loom_warp_inst *inst, loom_addr *lowest,
                      loom_addr *highest)
{
    loom_addr base;
    int64_t low = 0, high = 0;

    if (inst->mask == 0 || inst->mode == LOOM_ADDR_NONE ||
        inst->mode == LOOM_ADDR_LIST) {
        return false;
    }
    base = loom_stream_base(inst);
    if (inst->mode == LOOM_ADDR_STRIDE) {
        int64_t last = (int64_t)(int32_t)inst->address[2] *
                       ((int64_t)loom_popcount(inst->mask) - 1);

        low = last < 0 ? last : 0;
        high = last < 0 ? 0 : last;
    } else {
        delta_span(inst, &low, &high);
    }
    *lowest = base + (loom_addr)low;
    *highest = base + (loom_addr)high;
    return *lowest <= *highest; /* not around the end of all addresses */
}

bool loom_loop_within(const struct loom_kernel *kernel, uint16_t loop,
                      uint16_t outer)
{
    while (loop != LOOM_NO_LOOP && loop != outer) {
        loop = kernel->loop[loop].parent;
    }
    return loop == outer;
}

/*
 * Expanding the compressed lane addresses of a warp's stream.
 */
#include "workloads/stream.h"

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

/*
 * What a lane reaches: arguments of calls, and memory at a generic address.
 */
#include <string.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/cluster.h"

unsigned char *ptx_local_at(const struct exec_launch *launch,
                            const struct exec_warp *warp, uint32_t lane,
                            uint32_t at)
{
    size_t thread = (size_t)warp->number * LOOM_WARP_LANES + lane;

    return launch->local + thread * launch->code->local_bytes + at;
}

static uint32_t local_base(const struct exec_warp *warp)
{
    return warp->calls == NULL ? 0
                               : warp->calls->frame[warp->calls->depth].local;
}

void *ptx_arg_at(const struct exec_launch *launch, const struct exec_warp *warp,
                 const struct exec_arg *arg, uint32_t lane)
{
    if (arg->reg == EXEC_NONE) {
        return ptx_local_at(launch, warp, lane, local_base(warp) + arg->offset);
    }
    return (unsigned char *)exec_reg(launch, warp, arg->reg) +
           (size_t)lane * arg->bytes;
}

uint64_t ptx_arg_value(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_arg *arg,
                       uint32_t lane)
{
    uint64_t value = 0;

    memcpy(&value, ptx_arg_at(launch, warp, arg, lane),
           arg->bytes < 8 ? arg->bytes : 8);
    return value;
}

void ptx_arg_set(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_arg *arg, uint32_t lane, uint64_t value)
{
    memcpy(ptx_arg_at(launch, warp, arg, lane), &value,
           arg->bytes < 8 ? arg->bytes : 8);
}

bool ptx_put(struct exec_launch *launch, const struct exec_warp *warp,
             const struct exec_op *op, const struct exec_put *put)
{
    uint64_t room = 0;
    unsigned char *to = ptx_peek(launch, warp, put->lane, put->address, &room);

    if (to == NULL || room < put->bytes) {
        return ptx_fault(launch, warp, op,
                         "thread %u: 0x%llx is no place for a result",
                         warp->number * LOOM_WARP_LANES + put->lane,
                         (unsigned long long)put->address);
    }
    memcpy(to, put->from, put->bytes);
    return true;
}

unsigned char *ptx_peek(struct exec_launch *launch,
                        const struct exec_warp *warp, uint32_t lane,
                        uint64_t address, uint64_t *bytes)
{
    size_t thread = (size_t)warp->number * LOOM_WARP_LANES + lane;
    uint64_t at = address & ~EXEC_WINDOW_MASK, room;
    struct loom_allocation found;
    unsigned char *start;

    switch (address & EXEC_WINDOW_MASK) {
    case EXEC_WINDOW_SHARED:
        return ptx_cluster_at(launch, at, bytes);
    case EXEC_WINDOW_LOCAL:
        room = launch->code->local_bytes;
        start = launch->local + thread * launch->code->local_bytes;
        break;
    case EXEC_WINDOW_PARAM:
        room = launch->param_bytes;
        start = launch->params;
        break;
    default:
        if (loom_memory_at(launch->memory, address, 1) == NULL ||
            !loom_memory_nearest(launch->memory, address, &found)) {
            return NULL;
        }
        *bytes = found.bytes - (address - found.base);
        return loom_memory_at(launch->memory, address, *bytes);
    }
    if (at >= room) {
        return NULL;
    }
    *bytes = room - at;
    return start + at;
}

/*
 * Whether anybody wrote what is read: one of the checks that a launch asks
 * for (check.h).
 */
#include "workloads/ptx/exec/check.h"

#include "components/mem_protocol.h"

static bool check_written(struct exec_launch *launch,
                          const struct exec_warp *warp,
                          const struct exec_op *op,
                          const struct exec_access *access)
{
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        loom_addr at = access->address[lane];
        struct loom_allocation a;

        if (loom_memory_zeros(launch->memory, at, access->bytes) != NULL) {
            continue; /* there is nobody who could have written it */
        }
        if (op->kind == EXEC_STORE) {
            loom_memory_mark(launch->memory, at, access->bytes);
        } else if (!loom_memory_written(launch->memory, at, access->bytes) &&
                   loom_memory_nearest(launch->memory, at, &a)) {
            return ptx_fault(launch, warp, op,
                             "thread %u: reads %u bytes at 0x%llx ('%.48s' + "
                             "%llu) that nobody has written",
                             warp->number * LOOM_WARP_LANES + lane,
                             access->bytes, (unsigned long long)at, a.name,
                             (unsigned long long)(at - a.base));
        }
    }
    return true;
}

bool ptx_check_access(struct exec_launch *launch, const struct exec_warp *warp,
                      const struct exec_op *op,
                      const struct exec_access *access)
{
    if (launch->races != NULL) {
        ptx_races_access(launch, warp, op, access);
    }
    if (access->space == EXEC_GLOBAL &&
        (launch->watch & LOOM_WATCH_UNINITIALISED) != 0) {
        return check_written(launch, warp, op, access);
    }
    return true;
}

bool ptx_takes_tickets(const struct exec_code *code)
{
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct loom_static_inst *inst = &code->inst[i];

        if (inst->op == LOOM_OP_ATOMIC && inst->loop != LOOM_NO_LOOP &&
            inst->space == LOOM_SPACE_GLOBAL &&
            (inst->flags & LOOM_INST_RETURNS) != 0) {
            return true;
        }
    }
    return false;
}

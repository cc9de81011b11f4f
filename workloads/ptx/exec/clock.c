/*
 * Clock registers, and sleep.
 *
 * Where somebody knows when instructions are issued (launch->timed), a warp
 * that reads one waits until it is told.  Else time is the instructions of the
 * warp so far: functional execution has no other, and this one repeats.  A loop
 * that only waits for some time need not last as long: where one instruction
 * reads the clock again and again, and nothing else than arithmetic and sleep
 * is between, time runs ever faster.
 */
#include "workloads/ptx/exec/clock.h"

enum {
    PATIENCE = 64, /* reads in a loop */
    FASTER = 16    /* then each read adds a part of this size */
};

static bool is_high(uint8_t what)
{
    return what == LOOM_PTX_CLOCK_HI || what == LOOM_PTX_GLOBALTIMER_HI;
}

static void set(struct exec_warp *warp, const struct exec_op *op, uint32_t mask,
                uint64_t now)
{
    now = is_high(op->opcode_sub) ? now >> 32 : now;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        if (op->d_wide != 0) {
            ((lane_u64 *)(void *)(warp->frame + op->d[0]))[l] = now;
        } else {
            ((lane_u32 *)(void *)(warp->frame + op->d[0]))[l] = (uint32_t)now;
        }
    }
}

static uint64_t without_time(struct exec_warp *warp, const struct exec_op *op)
{
    uint64_t now = warp->writer->insts + warp->ahead;

    warp->reads = op->index == warp->clock_at ? warp->reads + 1 : 1;
    warp->clock_at = op->index;
    if (warp->reads > PATIENCE) {
        warp->ahead += now / FASTER;
        now += now / FASTER;
    }
    return now;
}

bool ptx_read_clock(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    loom_writer_put(warp->writer, op->index, mask);
    if (launch->timed && mask != 0) {
        warp->state = EXEC_ASKS;
        warp->waits_at = op->index;
        warp->wait_mask = mask;
        return true;
    }
    set(warp, op, mask, without_time(warp, op));
    return false;
}

void ptx_tell_time(const struct exec_launch *launch, struct exec_warp *warp,
                   struct loom_moment moment)
{
    const struct exec_op *op = &launch->code->op[warp->waits_at];

    set(warp, op, warp->wait_mask,
        op->opcode_sub >= LOOM_PTX_GLOBALTIMER ? moment.nanoseconds
                                               : moment.cycles);
    warp->state = EXEC_RUNS;
}

/* Lanes sleep together, as long as any of them wants to. */
void ptx_sleep(const struct exec_launch *launch, struct exec_warp *warp,
               const struct exec_op *op, uint32_t mask)
{
    const lane_u32 *wanted = exec_reg(launch, warp, op->s[0]);
    loom_addr time[LOOM_WARP_LANES];
    uint32_t most = 0;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        most = wanted[lane] > most ? wanted[lane] : most;
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        time[l] = most;
    }
    loom_writer_memory(warp->writer, op->index, mask, time);
}

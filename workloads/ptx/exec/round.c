/*
 * Rounds: a turn of each warp that can go on.
 */
#include "workloads/ptx/exec/order.h"

/* A turn of a warp is over: when is its next one? */
static uint64_t next_turn(const struct exec_launch *launch,
                          const struct exec_warp *warp)
{
    if (warp->state != EXEC_RUNS) {
        return EXEC_NEVER;
    }
    return launch->quantum == 1 ? warp->clock : warp->clock / launch->quantum;
}

bool ptx_run_round(struct exec_launch *launch)
{
    uint64_t round = launch->round, end = (round + 1) * launch->quantum;

    launch->next = EXEC_NEVER;
    for (uint32_t w = 0; w < launch->warps; w++) {
        while (launch->due[w] == round) {
            struct exec_warp *warp = &launch->warp[w];

            if (ptx_run_warp(launch, warp, end) == NEXT_FAULT) {
                return false;
            }
            launch->due[w] = next_turn(launch, warp);
        }
        if (launch->due[w] < launch->next) {
            launch->next = launch->due[w];
        }
    }
    launch->round = launch->next;
    return true;
}

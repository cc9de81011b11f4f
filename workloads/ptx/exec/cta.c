/*
 * A CTA from its start to its end, or to where it cannot go on.
 */
#include "workloads/ptx/exec/cluster.h"
#include "workloads/ptx/exec/order.h"

#define ROUNDS 4096u /* from one look at what a CTA does to the next */

bool ptx_deadlock(struct exec_launch *launch)
{
    uint32_t waiting = 0;
    const struct exec_warp *first = NULL;

    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_WAITS) {
            first = first == NULL ? warp : first;
            waiting++;
        }
    }
    LOOM_CHECK(first != NULL);
    return ptx_fault(launch, first, &launch->code->op[first->waits_at],
                     "deadlock at barrier %u: it has %u of %u threads; %u "
                     "warps wait at barriers, %u have exited",
                     first->barrier, launch->barrier[first->barrier].arrived,
                     launch->barrier[first->barrier].expected != 0
                         ? launch->barrier[first->barrier].expected
                         : launch->warps * LOOM_WARP_LANES,
                     waiting, launch->gone);
}

bool ptx_run_until(struct exec_launch *launch, uint64_t round, bool *done,
                   struct loom_error *err)
{
    launch->err = err;
    while (launch->round < round) {
        if (!ptx_go_round(launch)) {
            return false;
        }
    }
    *done = launch->gone == launch->warps;
    return launch->round != EXEC_NEVER || *done || ptx_deadlock(launch);
}

bool ptx_run_cta(struct exec_launch *launch, struct loom_error *err)
{
    bool done = false;

    while (!done) {
        if (!ptx_run_until(launch, launch->round + ROUNDS, &done, err)) {
            return false;
        }
        if (!done && launch->total - launch->moved >= launch->alarm &&
            launch->total - launch->looked >= launch->alarm) {
            launch->looked = launch->total;
            launch->alarm *= launch->alarm < EXEC_ALARM ? 2 : 1;
            if (ptx_cluster_stuck(launch) || ptx_spins(launch)) {
                return launch->waits;
            }
        }
    }
    return true;
}

/*
 * Whose turn it is: see order.h.
 *
 * Invariant: due[w] is the round of warp w's next instruction if it runs,
 * else EXEC_NEVER; none is before `round`.
 */
#include "workloads/ptx/exec/order.h"

#define ROUNDS 4096u /* from one look at what a CTA does to the next */

void ptx_order_start(struct exec_launch *launch)
{
    launch->round = 0;
    launch->gone = 0;
    launch->moved = 0;
    launch->open = launch->code->opens;
    for (uint32_t w = 0; w < launch->warps; w++) {
        launch->warp[w].clock = 0;
        launch->due[w] = 0;
    }
}

void ptx_order_wake(struct exec_launch *launch, struct exec_warp *warp)
{
    warp->state = EXEC_RUNS;
    launch->next = launch->round + 1;
    launch->due[warp->number] = launch->next;
    warp->clock = launch->next * launch->quantum;
}

void ptx_order_open(struct exec_launch *launch)
{
    const struct exec_warp *first = NULL;

    launch->open = EXEC_SHOWS_ALL;
    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_DONE) {
            continue;
        }
        first = first == NULL ? warp : first;
        if (warp->state != EXEC_WAITS || warp->waits_at != first->waits_at ||
            warp->depth != 1) {
            return;
        }
    }
    if (first != NULL) {
        launch->open = launch->code->op[first->waits_at].opens;
    }
}

void ptx_order_yield(const struct exec_launch *launch, struct exec_warp *warp)
{
    uint64_t end = (launch->round + 1) * launch->quantum;

    warp->clock = warp->clock < end ? end : warp->clock;
}

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

/* Nobody can go on although not all are done. */
static bool report_deadlock(struct exec_launch *launch)
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
        if (!ptx_run_round(launch)) {
            return false;
        }
    }
    *done = launch->gone == launch->warps;
    return launch->round != EXEC_NEVER || *done || report_deadlock(launch);
}

bool ptx_run_cta(struct exec_launch *launch, struct loom_error *err)
{
    bool done = false;

    while (!done) {
        if (!ptx_run_until(launch, launch->round + ROUNDS, &done, err)) {
            return false;
        }
        if (!done && launch->total - launch->moved >= EXEC_ALARM) {
            launch->moved = launch->total;
            if (ptx_spins(launch)) {
                return false;
            }
        }
    }
    return true;
}

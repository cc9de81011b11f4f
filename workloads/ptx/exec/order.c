/*
 * Whose turn it is: see order.h.
 *
 * Invariant: due[w] is the round of warp w's next instruction if it runs,
 * else EXEC_NEVER; none is before `round`.
 */
#include "workloads/ptx/exec/order.h"

void ptx_order_start(struct exec_launch *launch)
{
    launch->round = 0;
    launch->gone = 0;
    launch->moved = launch->looked = 0;
    launch->alarm = launch->code->polls ? EXEC_ALARM_FIRST : EXEC_ALARM;
    launch->waits = false;
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

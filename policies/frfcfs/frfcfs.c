/*
 * frfcfs: row hits first, then the oldest (Rixner et al., Memory Access
 * Scheduling, ISCA 2000; the scheduler of GPGPU-Sim's DRAM model).
 *
 * The oldest request whose read or write can go out now wins.  If there is
 * none, the oldest request that needs a row command which is legal now gets
 * it, but a row for which somebody still waits is never closed.  So a stream
 * of hits can hold a bank for ever; GPGPU-Sim has no cap either, and the
 * queue's length bounds how many hits can overtake.
 */
#include "policies/dram_hook.h"

static uint32_t frfcfs_pick(struct loom_policy *self,
                            const struct loom_schedule_view *view)
{
    uint64_t among = view->column;

    (void)self;
    if (among == 0) {
        among = view->activate | (view->precharge & ~view->kept);
    }
    return among != 0 ? loom_schedule_oldest(view, among) : UINT32_MAX;
}

static bool frfcfs_spares_rows(const struct loom_policy *self)
{
    (void)self;
    return true;
}

static const struct loom_schedule_ops frfcfs_schedule_ops = {
    .pick = frfcfs_pick,
    .spares_rows = frfcfs_spares_rows,
};

static const struct loom_facet frfcfs_facets[] = {
    {&loom_schedule_hook, &frfcfs_schedule_ops},
};

const struct loom_policy_type frfcfs_policy = {
    .name = "frfcfs",
    .doc = "DRAM row hits first, then the oldest request",
    .facets = LOOM_SLICE(frfcfs_facets),
};

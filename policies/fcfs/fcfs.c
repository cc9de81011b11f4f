/*
 * fcfs: strictly in order of arrival.
 *
 * Only the oldest request of the channel gets commands, so no bank works
 * ahead of another.  It is the lower bound that FR-FCFS is measured against
 * (Rixner et al., Memory Access Scheduling, ISCA 2000).
 */
#include "policies/dram_hook.h"

static uint32_t fcfs_pick(struct loom_policy *self,
                          const struct loom_schedule_view *view)
{
    uint64_t ready = view->column | view->activate | view->precharge;
    uint32_t oldest = loom_schedule_oldest(view, view->waiting);

    (void)self;
    return (ready >> oldest & 1) != 0 ? oldest : UINT32_MAX;
}

static const struct loom_schedule_ops fcfs_schedule_ops = {
    .pick = fcfs_pick,
};

const struct loom_policy_type fcfs_policy = {
    .name = "fcfs",
    .doc = "DRAM commands strictly in the order in which requests arrived",
    .facets = LOOM_FACETS({&loom_schedule_hook, &fcfs_schedule_ops}),
    .cost = loom_cost_none,
};

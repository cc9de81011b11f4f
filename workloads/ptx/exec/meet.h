/*
 * Lanes of a warp that wait for each other: at barriers, and where they tell
 * each other something.
 */
#ifndef WORKLOADS_PTX_EXEC_MEET_H
#define WORKLOADS_PTX_EXEC_MEET_H

#include "workloads/ptx/exec/exec.h"

/* The top path is at an instruction where lanes meet.  True: another path has
 * its turn first, or has come to the same place and is one with it. */
bool ptx_meet(const struct exec_launch *launch, struct exec_warp *warp);

/* The warp has taken `op`, a branch back in a loop that may wait for others.
 * If it does, lanes of the warp that wait where paths join go on first: on GPUs
 * from Volta on all lanes do at last. */
void ptx_give_way(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op);

/* Has it done nothing but that since memory changed, for each of its paths? */
bool ptx_polls(const struct exec_launch *launch, const struct exec_warp *warp);
/* Have all warps, or do they wait at barriers for those that have?  That is no
 * proof that they wait for other CTAs, but enough to let those go on. */
bool ptx_all_poll(const struct exec_launch *launch);
/* May it give way, before it counts as waiting for other warps? */
bool ptx_may_give_way(const struct exec_launch *launch,
                      const struct exec_warp *warp);

/* Live lanes of path `at` that are on no path above it: those that go on from
 * where it is.  The others come back to it. */
uint32_t ptx_lanes_at(const struct exec_warp *warp, uint32_t at);

#endif

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

/* Live lanes of path `at` that are on no path above it: those that go on from
 * where it is.  The others come back to it. */
uint32_t ptx_lanes_at(const struct exec_warp *warp, uint32_t at);

#endif

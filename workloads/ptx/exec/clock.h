/*
 * Clock registers, what a program reads of the time; and sleep.
 */
#ifndef WORKLOADS_PTX_EXEC_CLOCK_H
#define WORKLOADS_PTX_EXEC_CLOCK_H

#include "workloads/ptx/exec/exec.h"

/* True: the warp waits to be told. */
bool ptx_read_clock(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask);
/* When the read that the warp waits for was issued. */
void ptx_tell_time(const struct exec_launch *launch, struct exec_warp *warp,
                   struct loom_moment moment);

/* The record has the time in its address (workloads/stream.h). */
void ptx_sleep(const struct exec_launch *launch, struct exec_warp *warp,
               const struct exec_op *op, uint32_t mask);

#endif

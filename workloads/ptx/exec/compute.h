/*
 * Executing what neither touches memory nor moves the program counter.
 */
#ifndef WORKLOADS_PTX_EXEC_COMPUTE_H
#define WORKLOADS_PTX_EXEC_COMPUTE_H

#include "workloads/ptx/exec/exec.h"

void ptx_exec_compute(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask);

#endif

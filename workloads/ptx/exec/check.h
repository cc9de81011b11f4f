/*
 * Checks that a launch asks for: reads of memory that was never written, and
 * races.  Nothing here is called by a launch that does not.
 */
#ifndef WORKLOADS_PTX_EXEC_CHECK_H
#define WORKLOADS_PTX_EXEC_CHECK_H

#include "workloads/ptx/exec/access.h"

/* After the addresses were found, before the work is done.  False:
 * launch->err is set. */
bool ptx_check_access(struct exec_launch *launch, const struct exec_warp *warp,
                      const struct exec_op *op,
                      const struct exec_access *access);

/* Races (races.c).  Created for a launch whose CTA arrays are there; NULL:
 * no memory. */
struct exec_races *ptx_races_create(const struct exec_launch *launch);
void ptx_races_free(struct exec_races *races);    /* or NULL */
void ptx_races_start(struct exec_launch *launch); /* a new CTA */
/* A warp has arrived at a barrier; the barrier lets its warps go. */
void ptx_races_arrive(struct exec_launch *launch, const struct exec_warp *warp,
                      uint32_t barrier);
void ptx_races_release(struct exec_launch *launch, uint32_t barrier);
/* The lanes of an access touch memory. */
void ptx_races_access(struct exec_launch *launch, const struct exec_warp *warp,
                      const struct exec_op *op,
                      const struct exec_access *access);

/* Does a loop of the kernel read what an atomic on global memory returns? */
bool ptx_takes_tickets(const struct exec_code *code);

/* Is it a store or an atomic? */
static inline bool ptx_writes(const struct exec_op *op)
{
    return op->kind == EXEC_STORE || op->kind == EXEC_ATOMIC ||
           (op->kind == EXEC_MATRIX &&
            (op->opcode_sub == EXEC_MATRIX_STORE ||
             op->opcode_sub == EXEC_MATRIX_STORE_ROWS));
}

#endif

/*
 * In which order the warps of a CTA execute (docs/decisions/0034).
 *
 * A round is a turn of each warp that can go on, in the order of their
 * numbers; a turn is `quantum` warp instructions.  So every warp has a clock,
 * the instructions since the CTA began, and waits at barriers count.  Only
 * instructions that another warp can notice are executed exactly when it is
 * their turn: what is between two of them is done at once, ahead of time,
 * because nobody can tell.  Stores and atomics can always be noticed, loads
 * only where somebody may store meanwhile.
 */
#ifndef WORKLOADS_PTX_EXEC_ORDER_H
#define WORKLOADS_PTX_EXEC_ORDER_H

#include "workloads/ptx/exec/exec.h"

#define EXEC_NEVER UINT64_MAX

enum exec_next {
    NEXT_GO,
    NEXT_STOP,
    NEXT_FAULT
};

/* run.c: executes until an instruction that others can notice and whose
 * place on the warp's clock is at `end` or behind it. */
enum exec_next ptx_run_warp(struct exec_launch *launch, struct exec_warp *warp,
                            uint64_t end);

/* A new CTA: all warps begin together. */
void ptx_order_start(struct exec_launch *launch);
/* What a warp waited for has come: it goes on in the next round. */
void ptx_order_wake(struct exec_launch *launch, struct exec_warp *warp);
/* What a warp waits for has not come: it ends its turn. */
void ptx_order_yield(const struct exec_launch *launch, struct exec_warp *warp);

/* round.c: one round, or what is left of one; then launch->round is the next
 * one in which somebody can go on, or EXEC_NEVER.  False: launch->err is set,
 * or launch->endless. */
bool ptx_run_round(struct exec_launch *launch);
/* budget.c: the same; where the budget is used up, err says so, and in which
 * loop the warp is.  The launch cannot be gone on with then. */
bool ptx_go_round(struct exec_launch *launch);
/* If it is, err says so. */
void ptx_tell_endless(struct exec_launch *launch);

/* A barrier is about to let its warps go: what can be noticed from now on. */
void ptx_order_open(struct exec_launch *launch);

#endif

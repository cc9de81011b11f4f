/*
 * One memory instruction of a warp on its way: shared by loads, stores and
 * atomics.
 */
#ifndef WORKLOADS_PTX_EXEC_ACCESS_H
#define WORKLOADS_PTX_EXEC_ACCESS_H

#include "workloads/ptx/exec/exec.h"

struct exec_access {
    uint32_t mask;  /* lanes, all in one space */
    uint32_t space; /* enum exec_space, not generic */
    uint32_t bytes; /* of a lane: all elements */
    loom_addr address[LOOM_WARP_LANES];
    unsigned char *host[LOOM_WARP_LANES];
};

/* Does the work at access->host; the record has been written. */
typedef void exec_visit(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, struct exec_access *access);

/* memory.c: computes and checks the addresses, writes the record or
 * records, calls visit.  False: launch->err is set. */
bool ptx_visit_memory(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask,
                      exec_visit *visit);

/* atomic.c: combines elements behind each other as op's .red would. */
void ptx_combine_all(const struct exec_op *op, unsigned char *with,
                     const unsigned char *from, uint64_t bytes);

/* Checks the addresses of access->mask, finds those of the host and writes
 * the record. */
bool ptx_locate(struct exec_launch *launch, struct exec_warp *warp,
                const struct exec_op *op, struct exec_access *access);

/* report.c: where an operation is: its pc, lines and text. */
void ptx_place(const struct exec_launch *launch, const struct exec_op *op,
               char *text, size_t room);
/* Both return false. */
bool ptx_fault_address(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_access *access, uint32_t lane);
bool ptx_fault_alignment(const struct exec_launch *launch,
                         const struct exec_warp *warp, const struct exec_op *op,
                         const struct exec_access *access);

#endif

/*
 * Products of warp groups: wgmma.mma_async.
 *
 * Four warps, of which each executes the instruction for 16 of the 64 rows;
 * it is complete as soon as it is issued, which is one of the orders that PTX
 * allows.  Sums are as those of mma (matrix.h).
 */
#ifndef WORKLOADS_PTX_EXEC_WGMMA_H
#define WORKLOADS_PTX_EXEC_WGMMA_H

#include "workloads/ptx/exec/matrix.h"

#define EXEC_WGMMA_REGS 128
#define EXEC_WGMMA_ROWS 16 /* of a warp */
#define EXEC_WGMMA_K 256

/* A matrix in shared memory: its descriptor is a register of 64 bits. */
struct exec_described {
    uint32_t reg;
    uint8_t type;
    bool trans;  /* k does not run along the rows of the swizzle */
    bool negate; /* imm-scale is -1 */
};

struct exec_wgmma {
    uint32_t d[EXEC_WGMMA_REGS];
    struct exec_fragment held;  /* A in registers; count 0: it is described;
                                 * rows and columns in any case */
    struct exec_described a, b; /* a's type and sign in any case */
    uint32_t add;               /* predicate: D is added to */
    bool add_invert, finite;
    bool is_sparse;
    struct exec_sparse sparse;
    uint8_t type; /* of D */
    uint16_t n, k;
};

/* False: launch->err is set. */
bool ptx_exec_wgmma(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask);

#endif

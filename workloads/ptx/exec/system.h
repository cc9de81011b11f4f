/*
 * What a kernel that launches kernels asks the system for.
 */
#ifndef WORKLOADS_PTX_EXEC_SYSTEM_H
#define WORKLOADS_PTX_EXEC_SYSTEM_H

#include "workloads/children.h"
#include "workloads/ptx/exec/call.h"

/* Room for the arguments of a launch, or (launched) what else it was given. */
struct exec_buffer {
    loom_addr address;
    const struct loom_ptx_function *kernel;
    struct loom_dim3 grid, block;
    uint32_t shared;
    bool launched;
};

/* Of a launch, for all its CTAs. */
struct exec_system {
    struct loom_children children;
    struct exec_buffer *buffer; /* [buffers] */
    uint32_t buffers, room;
    uint64_t handles; /* of streams and events, so far */
    uint8_t *error;   /* [threads of the launch] cudaError_t; NULL: none */
};

/* May such a kernel ask for anything? */
bool ptx_launches(const struct exec_code *code);
/* NULL: no memory. */
struct exec_system *ptx_system_new(void);
void ptx_system_free(struct exec_launch *launch); /* of it; or NULL */

/* A lane's call of the system; false: launch->err is set. */
bool ptx_exec_system(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, const struct exec_call *call,
                     uint32_t lane);

#endif

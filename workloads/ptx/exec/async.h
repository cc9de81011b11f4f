/*
 * Copies that run on their own, and barriers in shared memory (mbarrier).
 *
 * Functionally a copy is complete as soon as it is issued, which is one of
 * the orders that PTX allows; only the timing model sees it as pending
 * (workloads/stream.h, LOOM_INST_ASYNC).
 */
#ifndef WORKLOADS_PTX_EXEC_ASYNC_H
#define WORKLOADS_PTX_EXEC_ASYNC_H

#include "workloads/ptx/exec/exec.h"

/* EXEC_MBARRIER: how.mode. */
enum exec_mbarrier {
    EXEC_MB_INIT,
    EXEC_MB_INVAL,
    EXEC_MB_ARRIVE,
    EXEC_MB_EXPECT_ARRIVE, /* v[0]: bytes */
    EXEC_MB_DROP,
    EXEC_MB_EXPECT,
    EXEC_MB_COMPLETE,
    EXEC_MB_TEST,   /* v[0]: state */
    EXEC_MB_PARITY, /* v[0]: parity */
    EXEC_MB_COPIES  /* cp.async.mbarrier.arrive.noinc */
};

/* An object in shared memory, 8 bytes: bits 0..19 arrivals of a phase, 20..39
 * those that are still to come, 40..61 bytes that are, signed, 62 the phase,
 * 63 set.  A state that arrive returns is the object as it was before. */
#define EXEC_MB_BITS 20
#define EXEC_MB_BYTES_BITS 22
#define EXEC_MB_BYTES_AT 40
#define EXEC_MB_PHASE (UINT64_C(1) << 62)
#define EXEC_MB_VALID (UINT64_C(1) << 63)

/* COPY: how.mode. */
enum exec_copy {
    EXEC_COPY_LANES, /* cp.async: of each lane v[0] bytes, or all of them */
    EXEC_COPY_BULK,  /* v[0]: bytes; p2: unused */
    EXEC_COPY_TENSOR /* v: coordinates; s[0]: in shared memory, s[1]: map */
};

/* tensor.c: false: launch->err is set. */
bool ptx_exec_tensor(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask);
/* Records of an access to whole units of 16 bytes. */
void ptx_record_bulk(struct exec_warp *warp, uint32_t index, uint64_t at,
                     uint64_t bytes);
/* A lane's address; the mbarrier of a bulk copy, or 0. */
uint64_t ptx_lane_address(const struct exec_launch *launch,
                          const struct exec_warp *warp, uint32_t operand,
                          bool wide, uint32_t lane);

/* False: launch->err is set. */
bool ptx_exec_copy(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask);
bool ptx_exec_map(struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask);
bool ptx_exec_fill(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask);
bool ptx_exec_store_async(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op, uint32_t mask);
/* *waits: others should run before the warp goes on. */
bool ptx_exec_mbarrier(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, uint32_t mask, bool *waits);
/* Bytes of a bulk copy have come; false: no such object. */
bool ptx_mbarrier_bytes(struct exec_launch *launch,
                        const struct exec_warp *warp, uint32_t lane,
                        uint64_t address, int64_t bytes);

#endif

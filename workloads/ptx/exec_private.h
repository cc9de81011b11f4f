/*
 * Inside the PTX executor: what changes while a launch runs.
 *
 * A CTA is executed at a time: its warps take turns, each runs until a
 * barrier or its end, and writes one stream.  A warp's frame holds its
 * registers: 32 lanes each, of 4 or 8 bytes; then its special registers.
 */
#ifndef WORKLOADS_PTX_EXEC_PRIVATE_H
#define WORKLOADS_PTX_EXEC_PRIVATE_H

#include "workloads/ptx/exec_code.h"
#include "workloads/stream_writer.h"

#define EXEC_BARRIERS 16
/* A divergence leaves a top of stack with fewer lanes, so there are at most
 * two entries for each lane. */
#define EXEC_DEPTH (2 * LOOM_WARP_LANES + 4)
/* Warp instructions of a CTA without a barrier or an exit: 2^31 thread
 * instructions of full warps. */
#define EXEC_BUDGET (UINT64_C(1) << 26)
#define EXEC_TOTAL 16u /* budgets that a CTA may use in all */

/* Where the stream shows local memory: word w of the launch's thread t is at
 * EXEC_LOCAL_BASE + 4 * (w * threads + t), threads rounded up to whole warps
 * of each CTA.  So the same word of a warp's threads lies in one line, as
 * GPGPU-Sim and the hardware interleave it. */
#define EXEC_LOCAL_BASE UINT64_C(0x7000000000000000)

struct exec_path {
    uint32_t pc, mask, join;
};

enum exec_state {
    EXEC_RUNS,
    EXEC_WAITS,
    EXEC_DONE
};

struct exec_warp {
    unsigned char *frame;
    uint32_t *predicate;
    struct loom_stream_writer *writer;
    uint32_t threads; /* mask of the lanes that have a thread */
    uint32_t live;    /* lanes that have not exited */
    uint32_t number;
    uint32_t waits_at; /* op of its barrier, if it waits */
    uint32_t barrier;
    uint32_t wait_mask;
    uint32_t depth; /* of path: the top is path[depth - 1] */
    enum exec_state state;
    struct exec_path path[EXEC_DEPTH];
};

struct exec_barrier {
    uint32_t arrived;       /* threads */
    uint32_t expected;      /* 0: all of the CTA */
    uint32_t waiting;       /* warps */
    uint32_t votes, voters; /* bar.red: threads with true, all threads */
};

struct exec_region {
    loom_addr base;
    uint64_t bytes;
    unsigned char *host;
};

/* One CTA's streams, handed out and taken back. */
struct exec_stream {
    struct loom_cta_stream stream; /* first */
    struct exec_stream *next;      /* free, or handed out */
    struct loom_warp_stream *warp;
    struct loom_stream_writer *writer;
};

/* A launch: the source of its CTAs. */
struct exec_launch {
    struct loom_cta_source source; /* first */
    struct loom_kernel kernel;
    struct exec_code *code;
    struct loom_memory *memory;
    unsigned char *params;
    unsigned char *shared; /* [shared_bytes] */
    unsigned char *local;  /* [threads * local_bytes] */
    unsigned char *frames;
    uint32_t *predicates;
    uint32_t threads;     /* of a CTA */
    uint64_t all_threads; /* of the launch, whole warps */
    uint32_t param_bytes, dynamic_shared;
    struct exec_warp *warp; /* [warps] */
    uint32_t warps;
    uint32_t cta;
    uint64_t budget, spent, total; /* warp instructions */
    struct exec_barrier barrier[EXEC_BARRIERS];
    struct exec_region *region; /* [op_count], last allocation of each op */
    struct exec_stream *spare, *out;
    struct loom_error *err;
};

/* Registers and constants. */
static inline void *exec_reg(const struct exec_launch *launch,
                             const struct exec_warp *warp, uint32_t operand)
{
    return (operand & EXEC_CONSTANT) != 0
               ? launch->code->constant + (operand & ~EXEC_CONSTANT)
               : warp->frame + operand;
}

static inline uint32_t exec_pred(const struct exec_warp *warp, uint32_t slot)
{
    return slot == EXEC_NONE ? UINT32_MAX : warp->predicate[slot];
}

static inline void exec_pred_set(struct exec_warp *warp, uint32_t slot,
                                 uint32_t bits, uint32_t mask)
{
    if (slot != EXEC_NONE) {
        warp->predicate[slot] = (warp->predicate[slot] & ~mask) | (bits & mask);
    }
}

/* exec_blend.c: active lanes of `from` to a register. */
void ptx_blend(void *to, const void *from, uint32_t mask, bool wide);

/* exec_memory.c, exec_atomic.c, exec_warp.c: false: launch->err is set. */
bool ptx_exec_load(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask);
bool ptx_exec_store(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask);
bool ptx_exec_atomic(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask);
void ptx_exec_warp_op(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask);

/* exec_run.c: executes the current CTA into launch->warp[].writer. */
bool ptx_run_cta(struct exec_launch *launch, struct loom_error *err);

/* exec_report.c */
bool ptx_fault(const struct exec_launch *launch, const struct exec_warp *warp,
               const struct exec_op *op, const char *fmt, ...)
    LOOM_PRINTF(4, 5);

/* exec_launch.c */
bool ptx_launch_create(struct exec_code *code, struct loom_memory *memory,
                       const struct loom_launch_spec *spec,
                       struct exec_launch **launch, struct loom_error *err);
void ptx_launch_destroy(struct exec_launch *launch); /* or NULL */

#endif

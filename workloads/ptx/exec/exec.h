/*
 * Inside the PTX executor: what changes while a launch runs.
 *
 * A CTA is executed at a time: its warps take turns, each runs until a
 * barrier or its end, and writes one stream.  A warp's frame holds its
 * registers: 32 lanes each, of 4 or 8 bytes; then its special registers.
 */
#ifndef WORKLOADS_PTX_EXEC_EXEC_H
#define WORKLOADS_PTX_EXEC_EXEC_H

#include "workloads/ptx/exec/code.h"
#include "workloads/ptx/exec/poll.h"
#include "workloads/streams/cta_pool.h"

#define EXEC_BARRIERS 16
/* A divergence leaves a top of stack with fewer lanes, so there are at most
 * two entries for each lane. */
#define EXEC_CALLS 1024 /* nested; each adds one entry */
#define EXEC_DEPTH (2 * LOOM_WARP_LANES + 4 + EXEC_CALLS)
/* Warp instructions of a CTA, or of all CTAs that take turns, after which a
 * kernel counts as endless unless its launch says otherwise: 2^32 thread
 * instructions of full warps. */
#define EXEC_BUDGET (UINT64_C(1) << 27)
/* Warp instructions from one look at the budget to the next. */
#define EXEC_LOOK (UINT64_C(1) << 20)
/* Warp instructions of a warp before another one of its CTA has its turn; and
 * of each warp of a CTA before another CTA has, where CTAs take turns. */
#define EXEC_TURN 1u
#define EXEC_INTERLEAVE 256u
/* How far a warp may go ahead where nobody can tell; and warp instructions of
 * a CTA without a barrier or an exit after which somebody looks whether it
 * waits for what cannot come. */
#define EXEC_LAP (UINT64_C(1) << 10)
#define EXEC_ALARM (UINT64_C(1) << 20)
/* The first one of a kernel that polls; the next ones are each twice as late.
 */
#define EXEC_ALARM_FIRST (UINT64_C(1) << 14)

struct exec_path {
    uint32_t pc, mask, join;
};

enum exec_state {
    EXEC_RUNS,
    EXEC_WAITS, /* at a barrier */
    EXEC_ASKS,  /* what time it is */
    EXEC_DONE
};

struct exec_warp {
    unsigned char *frame;
    uint32_t *predicate;
    struct loom_stream_writer *writer;
    uint32_t threads; /* mask of the lanes that have a thread */
    uint32_t live;    /* lanes that have not exited */
    uint32_t number;
    uint32_t waits_at; /* op of its barrier or clock, if it waits */
    uint32_t barrier;
    uint32_t wait_mask;
    uint64_t clock;    /* warp instructions, and rounds that it waited in */
    uint64_t ahead;    /* of its instructions a clock without time is */
    uint32_t clock_at; /* op that read one last */
    uint32_t reads;    /* by that, with nothing but arithmetic between */
    uint32_t merges;   /* paths that came together, bar.warp.sync */
    struct exec_polls polls;
    uint32_t at_cluster; /* 1 + phase of the cluster's barrier that it arrived
                          * at last */
    bool parked;         /* it waits there */
    const struct exec_op *next; /* that it goes on with; NULL: at its pc */
    uint32_t depth;             /* of path: the top is path[depth - 1] */
    uint32_t base; /* path[base] is the first of the running function */
    struct exec_calls *calls; /* NULL: none so far (call.h) */
    enum exec_state state;
    struct exec_path path[EXEC_DEPTH];
};

/* CTAs that run together and reach each other's shared memory (cluster.c).
 * Shared addresses of 32 bits have 1 + the rank of the CTA that they are of
 * above EXEC_RANK_AT, or 0: the own one. */
#define EXEC_CLUSTER 16
#define EXEC_RANK_AT 24
#define EXEC_RANK_MASK ((UINT64_C(1) << EXEC_RANK_AT) - 1)

struct exec_cluster {
    struct exec_launch *cta[EXEC_CLUSTER];
    uint32_t ctas;
    uint32_t arrived, gone; /* warps */
    uint32_t phase;         /* barriers that all have arrived at */
};

struct exec_barrier {
    uint32_t arrived;       /* threads */
    uint32_t expected;      /* 0: all of the CTA */
    uint32_t waiting;       /* warps */
    uint32_t votes, voters; /* bar.red: threads with true, all threads */
};

/* What the system has of a CTA's shared memory: so many bytes since compute
 * capability 8.0 (CUDA's programming guide), where cooperative groups keep 288
 * for tiles of several warps.  On a card they come before the kernel's own;
 * here they are the last ones, of kernels that ask where they are. */
#define EXEC_RESERVED_BYTES 1024u
#define EXEC_RESERVED_ALIGN 128u
#define EXEC_RESERVED_SECOND 512u /* where its second part begins */

#define EXEC_WORKSPACE_NAME "grid workspace"
#define EXEC_WORKSPACE_BYTES 64u

/* The device heap; lives as long as its program. */
#define EXEC_HEAP_NAME "device heap"
#define EXEC_HEAP_BYTES (UINT64_C(8) << 20) /* CUDA's default */

struct exec_heap {
    uint64_t limit, used; /* bytes */
};

struct exec_region {
    loom_addr base;
    uint64_t bytes;
    unsigned char *host;
};

/* A launch: the source of its CTAs. */
struct exec_launch {
    struct loom_cta_source source; /* first */
    struct loom_kernel kernel;
    const struct exec_code *code;
    struct loom_memory *memory;
    unsigned char *params;
    unsigned char *shared; /* [shared_bytes] */
    unsigned char *local;  /* [threads * local_bytes] */
    unsigned char *frames;
    uint32_t *predicates;
    bool timed;           /* streams come in parts (kernel.timed) */
    uint32_t threads;     /* of a CTA */
    uint64_t all_threads; /* of the launch, whole warps */
    uint32_t param_bytes, dynamic_shared;
    uint32_t sms;           /* 1 where nobody times it: SM 0 of one */
    struct exec_warp *warp; /* [warps] */
    uint32_t warps;
    uint32_t cta;
    /* Warp instructions: of a turn; of the CTA at most; of the CTA so far,
     * or, of a launch whose CTAs take turns, of them all; and at which of
     * these the budget is looked at. */
    uint64_t quantum, budget, total, look;
    /* The order of warps (order.c): each one's next round; the round that
     * is executed, and the earliest one after it; ended warps; how far one may
     * go ahead; and `total` when a barrier, an exit or a change of memory by an
     * atomic was last, in kernels that poll (code->polls) by any store. */
    uint64_t *due; /* [warps] */
    uint64_t round, next;
    uint32_t gone;
    uint8_t open; /* bits of exec_op.shows that count now */
    uint64_t lap, moved, looked, alarm;
    uint64_t lead; /* rounds that it is ahead of others that take turns */
    bool later;    /* CTAs come that it may wait for, if it waits */
    bool waits;    /* it does: it was not executed to its end */
    struct loom_interrupt *interrupt;  /* or NULL */
    struct loom_program *program;      /* that owns the pool of words */
    uint32_t watch;                    /* enum loom_watch */
    struct exec_races *races;          /* or NULL */
    struct exec_launch **turn;         /* [CTAs] that take turns, or whose
                                        * streams come in parts; or NULL */
    struct ptx_parts *part;            /* [warps] of streams in parts */
    uint64_t asking;                   /* warps that want their next ones */
    struct loom_dim3 cluster;          /* CTAs of one */
    bool explicit_cluster;             /* somebody said so */
    struct exec_cluster alone;         /* of one CTA; the first's is of all */
    struct exec_cluster *group;        /* that the current CTA is of */
    uint32_t rank;                     /* in it */
    uint32_t taken;                    /* CTAs executed so far */
    uint64_t first_insts, other_insts; /* of CTA 0 and of the others */
    struct exec_barrier barrier[EXEC_BARRIERS];
    struct exec_region *region; /* [op_count], last allocation of each op */
    struct loom_cta_pool ctas;
    struct loom_stream_writer spare; /* for streams that are put in order */
    struct loom_error *err;
    struct exec_heap *heap;
    struct exec_system *system; /* of kernels that launch kernels (system.h);
                                 * copies do not own it; or NULL */
    /* Cooperative launches: what CUDA's grid barrier works on, at %envreg1
     * and %envreg2; 0: nobody reads them.  Copies do not own it. */
    loom_addr workspace;
    bool owns_workspace;
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
    struct exec_warp *endless; /* whose instruction is beyond the budget */
    uint32_t odd_lane; /* MBARRIER: a lane that may not do what it does */
    unsigned char staging[LOOM_WARP_LANES][16]; /* COPY: between its halves */
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

/* blend.c: active lanes of `from` to a register. */
void ptx_blend(void *to, const void *from, uint32_t mask, bool wide);

/* memory.c, atomic.c, warp.c: false: launch->err is set. */
bool ptx_exec_load(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask);
bool ptx_exec_store(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask);
bool ptx_exec_atomic(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask);
void ptx_exec_warp_op(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask);

/* cta.c: executes the current CTA into launch->warp[].writer; all of
 * it, or the rounds before `round`. */
bool ptx_run_cta(struct exec_launch *launch, struct loom_error *err);
bool ptx_run_until(struct exec_launch *launch, uint64_t round, bool *done,
                   struct loom_error *err);

/* Nobody can go on although not all are done: says so, false. */
bool ptx_deadlock(struct exec_launch *launch);

/* spin.c: true if the CTA can never end by itself, or if something went
 * wrong while finding out; launch->err is set then. */
bool ptx_spins(struct exec_launch *launch);

/* report.c */
bool ptx_fault(const struct exec_launch *launch, const struct exec_warp *warp,
               const struct exec_op *op, const char *fmt, ...)
    LOOM_PRINTF(4, 5);

#endif

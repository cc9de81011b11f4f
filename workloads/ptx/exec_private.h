/*
 * Inside the PTX executor.
 *
 * A kernel's instructions are decoded once per launch into struct exec_op,
 * one per instruction, so that branch targets keep their numbers.  A CTA is
 * executed at a time: its warps take turns, each runs until a barrier or its
 * end, and writes one stream.
 *
 * A warp's frame holds its registers: 32 lanes each, of 4 or 8 bytes; then
 * its special registers.  An operand is a byte offset into the frame or,
 * with EXEC_CONSTANT, into the constants of the kernel, which are spread over
 * 32 lanes, too.  Predicates are words of 32 lanes.
 *
 * Address spaces.  A global address is one of device memory; constant
 * variables are allocated there, too.  Shared, local and parameter addresses
 * are offsets; a generic address has a window's base added to them.
 */
#ifndef WORKLOADS_PTX_EXEC_PRIVATE_H
#define WORKLOADS_PTX_EXEC_PRIVATE_H

#include "workloads/program.h"
#include "workloads/ptx/exec_lanes.h"
#include "workloads/ptx/ptx_private.h"
#include "workloads/stream_writer.h"

#define EXEC_CONSTANT (1u << 31)
#define EXEC_NONE UINT32_MAX
#define EXEC_LANE_MAX (8u * LOOM_WARP_LANES) /* bytes of a wide register */
#define EXEC_ELEMENTS 4                      /* of a vector */
#define EXEC_SOURCES 4
#define EXEC_BARRIERS 16
/* A divergence leaves a top of stack with fewer lanes, so there are at most
 * two entries for each lane. */
#define EXEC_DEPTH (2 * LOOM_WARP_LANES + 4)
/* Warp instructions of a CTA without a barrier or an exit: 2^31 thread
 * instructions of full warps. */
#define EXEC_BUDGET (UINT64_C(1) << 26)

/* Windows of generic addresses: far above device memory. */
#define EXEC_WINDOW_SHARED (UINT64_C(1) << 56)
#define EXEC_WINDOW_LOCAL (UINT64_C(2) << 56)
#define EXEC_WINDOW_PARAM (UINT64_C(3) << 56)
#define EXEC_WINDOW_MASK (UINT64_C(255) << 56)
/* Where the stream shows local memory: word w of the launch's thread t is at
 * EXEC_LOCAL_BASE + 4 * (w * threads + t), threads rounded up to whole warps
 * of each CTA.  So the same word of a warp's threads lies in one line, as
 * GPGPU-Sim and the hardware interleave it. */
#define EXEC_LOCAL_BASE UINT64_C(0x7000000000000000)

enum exec_kind {
    EXEC_LANES,     /* d = fn(s) */
    EXEC_CARRIES,   /* likewise, with carry in and out */
    EXEC_SETP,      /* predicates = fn(s), combined with another one */
    EXEC_SET,       /* likewise, as all ones or 1.0 */
    EXEC_PREDICATE, /* logic of predicates */
    EXEC_PACK,      /* a wide register from narrow ones */
    EXEC_UNPACK,
    EXEC_CLOCK,
    EXEC_ISSPACEP,
    EXEC_LOAD,
    EXEC_STORE,
    EXEC_ATOMIC,
    EXEC_BRANCH,
    EXEC_EXIT,
    EXEC_END, /* behind the last instruction: exit without a record */
    EXEC_TRAP,
    EXEC_BARRIER,
    EXEC_NOTHING, /* fences, hints */
    EXEC_SHUFFLE,
    EXEC_VOTE,
    EXEC_MATCH,
    EXEC_REDUX,
    EXEC_ACTIVEMASK
};

enum exec_space {
    EXEC_GLOBAL,
    EXEC_SHARED,
    EXEC_LOCAL,
    EXEC_PARAM,
    EXEC_GENERIC,
    EXEC_SPACES = EXEC_GENERIC
};

/* Bits of `flags`. */
enum {
    EXEC_JOIN = 1,      /* lanes may come together again here */
    EXEC_SIGNED = 2,    /* loads: extend the sign; atomics, redux: signed */
    EXEC_REAL = 4,      /* atomics: floating point */
    EXEC_PRED_NOT = 8,  /* the source predicate is negated */
    EXEC_PRED_NOT2 = 16 /* PREDICATE: the second one, too */
};

/* A predicate source; slot EXEC_NONE: constant true (before `invert`). */
struct exec_op {
    exec_fn *fn;
    int64_t offset; /* memory: added to the address register */
    uint32_t index; /* in the static table; generic: of the global form */
    uint32_t guard, guard_invert; /* slot or EXEC_NONE; 0 or all ones */
    uint32_t d[EXEC_ELEMENTS];
    uint32_t s[EXEC_SOURCES];  /* memory: s[0] is the address */
    uint32_t v[EXEC_ELEMENTS]; /* stores, packs: the values */
    uint32_t p, p2;            /* predicate sources or EXEC_NONE */
    uint32_t po, qo;           /* predicate destinations or EXEC_NONE */
    uint32_t target, join;
    struct exec_how how;
    uint8_t kind, flags;
    uint8_t opcode_sub; /* enum loom_ptx_sub */
    uint8_t space;      /* enum exec_space */
    uint8_t elements, bytes;
    uint8_t d_wide, s_wide, v_wide; /* bit per register: 8 bytes a lane */
    uint8_t operands;
};

/* A special register and where its lanes are in the frame. */
struct exec_special {
    uint32_t what; /* enum loom_ptx_special */
    uint32_t offset;
    bool wide;
};

/* A decoded kernel. */
struct exec_code {
    const struct loom_kernel_info *info;
    const char *file; /* name of the program, for messages */
    const struct loom_ptx_function *function;
    struct exec_op *op; /* [op_count], the last is EXEC_END */
    uint32_t op_count;
    uint32_t frame_bytes, predicates;
    unsigned char *constant;
    uint32_t constant_bytes, constant_room;
    struct exec_special *special;
    uint32_t special_count, special_room;
    uint32_t *reg; /* [reg_count] frame offset, or predicate slot */
    /* The static table, then a shared and a local form of each generic
     * memory instruction. */
    struct loom_static_inst *inst;
    uint32_t inst_count;
    uint32_t carry; /* predicate slot of the carry */
    const struct ptx_analysis *analysis;
    const struct loom_program *program;
};

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
    uint64_t budget, spent;
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

/* exec_decode.c */
bool ptx_decode(struct exec_code *code, struct loom_error *err);
void ptx_code_free(struct exec_code *code);

/* exec_operand.c */
bool ptx_operand(struct exec_code *code, const struct loom_ptx_inst *inst,
                 const struct loom_ptx_operand *operand, uint8_t type,
                 uint32_t *result);
bool ptx_constant(struct exec_code *code, uint64_t value, bool wide,
                  uint32_t *result);
bool ptx_symbol(const struct exec_code *code, const struct loom_ptx_var *var,
                uint64_t *address);
bool ptx_reg_wide(const struct exec_code *code, uint32_t reg);
bool ptx_refuse(const struct exec_code *code, const struct loom_ptx_inst *inst,
                const char *why, struct loom_error *err);

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

/* ptx.c: address of a module variable in device memory. */
bool ptx_program_symbol(const struct loom_program *program,
                        const struct loom_ptx_var *var, loom_addr *base);

#endif

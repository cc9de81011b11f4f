/*
 * A kernel, decoded for the executor.
 *
 * A kernel's instructions are decoded once per launch into struct exec_op,
 * one per instruction, so that branch targets keep their numbers.
 *
 * An operand is a byte offset into the frame of a warp or, with
 * EXEC_CONSTANT, into the constants of the kernel, which are spread over 32
 * lanes, too.  Predicates are numbers of 32-lane words.
 *
 * Address spaces.  A global address is one of device memory; constant
 * variables are allocated there, too.  Shared, local and parameter addresses
 * are offsets; a generic address has a window's base added to them.
 */
#ifndef WORKLOADS_PTX_EXEC_CODE_H
#define WORKLOADS_PTX_EXEC_CODE_H

#include "workloads/program.h"
#include "workloads/ptx/analysis/analysis.h"
#include "workloads/ptx/lanes/lanes.h"

#define EXEC_CONSTANT (1u << 31)
#define EXEC_NONE UINT32_MAX
#define EXEC_LANE_MAX (8u * LOOM_WARP_LANES) /* bytes of a wide register */
#define EXEC_ELEMENTS 8                      /* of a vector */
#define EXEC_SOURCES 4

/* Windows of generic addresses: far above device memory. */
#define EXEC_WINDOW_SHARED (UINT64_C(1) << 56)
#define EXEC_WINDOW_LOCAL (UINT64_C(2) << 56)
#define EXEC_WINDOW_PARAM (UINT64_C(3) << 56)
/* Addresses of functions, in the order of the module: never accessed. */
#define EXEC_WINDOW_CODE (UINT64_C(4) << 56)
#define EXEC_CODE_STEP 16u
#define EXEC_WINDOW_MASK (UINT64_C(255) << 56)

enum exec_kind {
    EXEC_LANES,     /* d = fn(s) */
    EXEC_CARRIES,   /* likewise, with carry in and out */
    EXEC_SETP,      /* predicates = fn(s), combined with another one */
    EXEC_SET,       /* likewise, as all ones or 1.0 */
    EXEC_PREDICATE, /* logic of predicates */
    EXEC_PACK,      /* a wide register from narrow ones */
    EXEC_UNPACK,
    EXEC_PENDING, /* mbarrier.pending_count */
    EXEC_ISSPACEP,
    EXEC_CLOCK,
    EXEC_LOAD,
    EXEC_STORE,
    EXEC_ATOMIC,
    EXEC_BRANCH,
    EXEC_EXIT,
    EXEC_END, /* behind the last instruction: exit without a record */
    EXEC_TRAP,
    EXEC_CALL,
    EXEC_RETURN,
    EXEC_STACK,        /* alloca, stacksave, stackrestore: opcode_sub */
    EXEC_BRANCH_INDEX, /* target: the number of its list */
    EXEC_COPY,         /* cp.async: target: the store's static index */
    EXEC_MAP,          /* tensormap.replace: how.mode, how.sub; of mode 0 a
                        * copy: s[1] */
    EXEC_FILL,         /* st.bulk: s[1]: bytes */
    EXEC_MBARRIER,
    EXEC_STORE_ASYNC, /* st.async, red.async: s[2]: the mbarrier */
    EXEC_MATRIX,      /* opcode_sub; offset2: its number (matrix.h) */
    EXEC_WGMMA,       /* offset2: its number (wgmma.h) */
    EXEC_TEXTURE,     /* and surfaces: opcode_sub (texture.h) */
    EXEC_BARRIER,
    EXEC_CLUSTER_BARRIER, /* how.mode: arrives only */
    EXEC_SLEEP,
    EXEC_NOTHING, /* fences, hints */
    EXEC_SHUFFLE,
    EXEC_VOTE,
    EXEC_MATCH,
    EXEC_REDUX,
    EXEC_ELECT,
    EXEC_ACTIVEMASK,
    EXEC_SETP_BOTH, /* of both halves, as two predicates */
    EXEC_SET_BOTH,
    EXEC_MOVES /* d[i] = v[i], wide */
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
    EXEC_JOIN = 1,       /* lanes may come together again here */
    EXEC_SIGNED = 2,     /* loads: extend the sign; atomics, redux: signed */
    EXEC_REAL = 4,       /* atomics: floating point */
    EXEC_PRED_NOT = 8,   /* the source predicate is negated */
    EXEC_PRED_NOT2 = 16, /* PREDICATE: the second one, too */
    EXEC_QUIET = 32,     /* memory: the record has no addresses */
    EXEC_SECOND = 64,    /* memory: the record's index is `target` */
    EXEC_POLLS = 64,     /* branches: back in a loop that may wait for others */
    EXEC_DYNAMIC = 128   /* barriers: number and count are in the record */
};

/* Bits of `shows`: always, or where loads from a space are not alone.  And
 * accesses with which threads talk to each other, where streams come in
 * parts. */
enum {
    EXEC_SHOWS_ALWAYS = 1,
    EXEC_SHOWS_SHARED = 2,
    EXEC_SHOWS_GLOBAL = 4,
    EXEC_SHOWS_ALL = 7,
    EXEC_SHOWS_STRONG = 8
};

#define EXEC_MEETS_ALL UINT8_MAX

/* MATRIX: opcode_sub. */
enum exec_matrix_op {
    EXEC_MATRIX_MULTIPLY,
    EXEC_MATRIX_TRANSPOSE,
    EXEC_MATRIX_LOAD, /* a fragment of wmma */
    EXEC_MATRIX_STORE,
    EXEC_MATRIX_LOAD_ROWS, /* 8 by 8 elements of 16 bits */
    EXEC_MATRIX_STORE_ROWS
};

/* STACK: opcode_sub. */
enum {
    EXEC_STACK_ALLOCA,
    EXEC_STACK_SAVE,
    EXEC_STACK_RESTORE
};

/* One instruction.  Predicate slots: EXEC_NONE as a source is true, as a
 * destination nothing. */
struct exec_op {
    exec_fn *fn;
    int64_t offset;  /* memory: added to the address register */
    int64_t offset2; /* COPY: likewise, of the source */
    uint32_t index;  /* in the static table; generic: of the global form */
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
    /* Bits EXEC_SHOWS_*: where other warps can notice when it is executed;
     * barriers: where these are open behind it (decode/interval.c). */
    uint8_t shows, opens;
    /* Lanes of the warp wait for each other here: EXEC_MEETS_ALL, or 1 + the
     * source that names them; 0: they do not. */
    uint8_t meets;
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
    uint8_t opens; /* as after a barrier, at the entry */
    bool polls;    /* a branch has EXEC_POLLS */
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
    uint32_t *owner; /* [inst_count - analysis->inst_count]: instructions that
                      * the other forms are of */
    uint32_t *more;  /* [analysis->inst_count]: of a sequence (sequence.c), the
                      * first entry of its other parts; 0: none */
    uint32_t carry;  /* predicate slot of the carry */
    const struct ptx_analysis *analysis;
    const struct loom_ptx_module *module;
    const loom_addr *address; /* of the module's variables; 0: has none */
    bool tail; /* rewritten: loads may reach LOOM_MEMORY_TAIL bytes beyond an
                * allocation's end (policies/transform_hook.h) */
    /* Calls (call.h). */
    struct exec_area *area; /* [analysis->section_count] */
    struct exec_call *call;
    struct exec_slot *slot;
    uint32_t call_count, call_room, slot_count, slot_room;
    uint32_t local_bytes;       /* per thread, with the stack of calls */
    struct exec_matrix *matrix; /* [matrix_count] */
    uint32_t matrix_count;
    struct exec_wgmma *wgmma; /* [wgmma_count] */
    uint32_t wgmma_count;
    uint32_t section; /* while decoding */
    const char *why;  /* while decoding: why it is refused, or NULL */
};

#endif

/*
 * What instructions are to the timing model: their ops, and what machines may
 * time apart in an op.
 */
#ifndef WORKLOADS_OP_H
#define WORKLOADS_OP_H

/* What an instruction needs from the SM: units and latencies go by these. */
enum loom_op {
    LOOM_OP_INT_ADD, /* add, sub */
    LOOM_OP_INT_MAX, /* min, max */
    LOOM_OP_INT_MUL,
    LOOM_OP_INT_MAD,
    LOOM_OP_INT_DIV, /* div, rem */
    LOOM_OP_MOVE,    /* mov, logic, shift, cvt, setp, selp, abs, neg ... */
    LOOM_OP_FP_ADD,
    LOOM_OP_FP_MAX,
    LOOM_OP_FP_MUL,
    LOOM_OP_FP_MAD, /* mad, fma */
    LOOM_OP_FP_DIV,
    LOOM_OP_DP_ADD,
    LOOM_OP_DP_MAX,
    LOOM_OP_DP_MUL,
    LOOM_OP_DP_MAD,
    LOOM_OP_DP_DIV,
    LOOM_OP_SFU, /* sqrt, rsqrt, rcp, sin, cos, ex2, lg2 */
    LOOM_OP_TENSOR,
    LOOM_OP_SHUFFLE, /* shfl, vote, match, redux */
    LOOM_OP_BRANCH,  /* bra, call, ret */
    LOOM_OP_BARRIER,
    LOOM_OP_MEMBAR,
    LOOM_OP_LOAD,
    LOOM_OP_STORE,
    LOOM_OP_ATOMIC,
    LOOM_OP_EXIT,
    LOOM_OP_NOP,
    LOOM_OPS
};

/* What machines may time apart from the rest of an op: 0 is that rest. */
enum loom_form {
    LOOM_FORM_PLAIN,
    LOOM_FORM_LOGIC,        /* MOVE: logic, shifts, comparisons, selection */
    LOOM_FORM_CONVERT,      /* MOVE: to integers, f64, counts, order of bits */
    LOOM_FORM_HALF,         /* FP_*: of 16 bits */
    LOOM_FORM_VOTE,         /* SHUFFLE: votes */
    LOOM_FORM_TENSOR_SHORT, /* TENSOR: 128 bits of each row of A and less */
    LOOM_FORM_TENSOR_F64,   /* TENSOR: in double precision */
    LOOM_FORM_TENSOR_GROUP, /* TENSOR: of a warpgroup */
    LOOM_FORM_SHIFT,        /* MOVE: of 32 bits, left by a number */
    LOOM_FORM_PRODUCTS,  /* NOP: ends a group; waits for all but barrier - 1 */
    LOOM_FORM_FENCE_CTA, /* MEMBAR: among threads of a CTA */
    LOOM_FORM_FENCE_PROXY,  /* MEMBAR: of other ways to memory, not copies */
    LOOM_FORM_FENCE_SHARED, /* MEMBAR: the same, to shared memory only */
    LOOM_FORM_GRID_WAIT,    /* NOP: for the kernel that this one follows */
    LOOM_FORM_GRID_LAUNCH,  /* NOP: the kernel that follows may begin */
    LOOM_FORM_ATOMIC_REAL,  /* ATOMIC: of floating point */
    LOOM_FORM_ATOMIC_SWAP,  /* ATOMIC: compares, with two operands */
    LOOM_FORM_SPECIAL,      /* MOVE: special registers that are no constants,
                             * addresses of shared variables */
    LOOM_FORM_CHILD,        /* a call that launches a kernel in each lane */
    LOOM_FORMS
};

/* Who reads an instruction's result first, where a schedule knows: since Volta
 * that decides how long it takes. */
enum loom_use {
    LOOM_USE_NEAR,  /* the same kind of unit, or it is not known */
    LOOM_USE_OTHER, /* the ALU of a multiplier's, or the other way round */
    LOOM_USE_FAR,   /* what is not there after a fixed time: memory, SFUs */
    LOOM_USE_GUARD, /* of a predicate: not as a number */
    LOOM_USES
};

/* What scripts, traces' opcode tables and listings call them: "int_add". */
extern const char *const loom_op_names[LOOM_OPS];

#endif

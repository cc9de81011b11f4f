/*
 * What the modifier words of an instruction mean: its type, its state space and
 * the values of the other fields of struct loom_ptx_inst.
 *
 * 0 means "not written" in every field.
 */
#ifndef WORKLOADS_IR_MODIFIERS_H
#define WORKLOADS_IR_MODIFIERS_H

enum loom_ptx_type {
    LOOM_PTX_NO_TYPE,
    LOOM_PTX_PRED,
    LOOM_PTX_B8,
    LOOM_PTX_B16,
    LOOM_PTX_B32,
    LOOM_PTX_B64,
    LOOM_PTX_B128,
    LOOM_PTX_U8,
    LOOM_PTX_U16,
    LOOM_PTX_U32,
    LOOM_PTX_U64,
    LOOM_PTX_S8,
    LOOM_PTX_S16,
    LOOM_PTX_S32,
    LOOM_PTX_S64,
    LOOM_PTX_F16,
    LOOM_PTX_F32,
    LOOM_PTX_F64,
    LOOM_PTX_F16X2,
    LOOM_PTX_BF16,
    LOOM_PTX_BF16X2,
    LOOM_PTX_TF32,
    LOOM_PTX_U16X2,
    LOOM_PTX_S16X2,
    LOOM_PTX_E4M3X2,
    LOOM_PTX_E5M2X2,
    LOOM_PTX_U4,
    LOOM_PTX_S4,
    LOOM_PTX_B1,
    LOOM_PTX_F32X2,
    LOOM_PTX_E4M3,
    LOOM_PTX_E5M2,
    LOOM_PTX_E2M1X2,
    LOOM_PTX_E2M3X2,
    LOOM_PTX_E3M2X2,
    LOOM_PTX_B6X16_P32, /* in 16 bytes 16 numbers of 6 bits, to .b8x16 */
    LOOM_PTX_B4X16_P64,
    LOOM_PTX_TEXREF,
    LOOM_PTX_SAMPLERREF,
    LOOM_PTX_SURFREF,
    LOOM_PTX_TYPES
};

enum loom_ptx_space {
    LOOM_PTX_GENERIC,
    LOOM_PTX_GLOBAL,
    LOOM_PTX_SHARED,
    LOOM_PTX_LOCAL,
    LOOM_PTX_CONST,
    LOOM_PTX_PARAM,
    LOOM_PTX_SHARED_CTA,     /* .shared::cta */
    LOOM_PTX_SHARED_CLUSTER, /* .shared::cluster */
    LOOM_PTX_PARAM_ENTRY,
    LOOM_PTX_PARAM_FUNC
};

enum loom_ptx_round {
    LOOM_PTX_RN = 1,
    LOOM_PTX_RZ,
    LOOM_PTX_RM,
    LOOM_PTX_RP,
    LOOM_PTX_RNI, /* to an integral value */
    LOOM_PTX_RZI,
    LOOM_PTX_RMI,
    LOOM_PTX_RPI,
    LOOM_PTX_RNA
};

/* EQ .. GE signed or ordered; LO .. HS unsigned; EQU .. NAN unordered. */
enum loom_ptx_compare {
    LOOM_PTX_EQ = 1,
    LOOM_PTX_NE,
    LOOM_PTX_LT,
    LOOM_PTX_LE,
    LOOM_PTX_GT,
    LOOM_PTX_GE,
    LOOM_PTX_LO,
    LOOM_PTX_LS,
    LOOM_PTX_HI,
    LOOM_PTX_HS,
    LOOM_PTX_EQU,
    LOOM_PTX_NEU,
    LOOM_PTX_LTU,
    LOOM_PTX_LEU,
    LOOM_PTX_GTU,
    LOOM_PTX_GEU,
    LOOM_PTX_NUM,
    LOOM_PTX_NAN
};

/* What atom, red, redux, vote, match, shfl and bar.red do, and how setp and
 * set combine their result with a predicate (AND, OR, XOR). */
enum loom_ptx_sub {
    LOOM_PTX_DO_ADD = 1,
    LOOM_PTX_DO_MIN,
    LOOM_PTX_DO_MAX,
    LOOM_PTX_DO_INC,
    LOOM_PTX_DO_DEC,
    LOOM_PTX_DO_AND,
    LOOM_PTX_DO_OR,
    LOOM_PTX_DO_XOR,
    LOOM_PTX_DO_EXCH,
    LOOM_PTX_DO_CAS,
    LOOM_PTX_DO_POPC,
    LOOM_PTX_DO_ALL,
    LOOM_PTX_DO_ANY,
    LOOM_PTX_DO_UNI,
    LOOM_PTX_DO_BALLOT,
    LOOM_PTX_DO_UP,
    LOOM_PTX_DO_DOWN,
    LOOM_PTX_DO_BFLY,
    LOOM_PTX_DO_IDX,
    LOOM_PTX_DO_AND_POPC, /* matrices of bits */
    LOOM_PTX_DO_XOR_POPC
};

enum loom_ptx_half {
    LOOM_PTX_LOW = 1,
    LOOM_PTX_HIGH,
    LOOM_PTX_WIDE
};

enum loom_ptx_cache {
    LOOM_PTX_CA = 1,
    LOOM_PTX_CG,
    LOOM_PTX_CS,
    LOOM_PTX_LU,
    LOOM_PTX_CV,
    LOOM_PTX_WB,
    LOOM_PTX_WT
};

enum loom_ptx_order {
    LOOM_PTX_WEAK = 1,
    LOOM_PTX_VOLATILE,
    LOOM_PTX_RELAXED,
    LOOM_PTX_ACQUIRE,
    LOOM_PTX_RELEASE,
    LOOM_PTX_ACQ_REL,
    LOOM_PTX_SC,
    LOOM_PTX_MMIO
};

enum loom_ptx_scope {
    LOOM_PTX_CTA = 1,
    LOOM_PTX_CLUSTER,
    LOOM_PTX_GPU,
    LOOM_PTX_GL, /* membar's name of it */
    LOOM_PTX_SYS
};

/* Words that only a few opcodes have; at most one per instruction. */
enum loom_ptx_mode {
    LOOM_PTX_CLAMP = 1, /* shf, bmsk, suld, sust */
    LOOM_PTX_WRAP,
    LOOM_PTX_ZERO,
    LOOM_PTX_TRAP_MODE, /* suld, sust: .trap */
    LOOM_PTX_F4E,       /* prmt */
    LOOM_PTX_B4E,
    LOOM_PTX_RC8,
    LOOM_PTX_ECL,
    LOOM_PTX_ECR,
    LOOM_PTX_RC16,
    LOOM_PTX_FINITE, /* testp */
    LOOM_PTX_INFINITE,
    LOOM_PTX_NUMBER,
    LOOM_PTX_NOTANUMBER,
    LOOM_PTX_NORMAL,
    LOOM_PTX_SUBNORMAL,
    LOOM_PTX_X1, /* ldmatrix */
    LOOM_PTX_X2,
    LOOM_PTX_X4,
    LOOM_PTX_SHR7, /* vmad */
    LOOM_PTX_SHR15,
    LOOM_PTX_L1, /* prefetch */
    LOOM_PTX_L2,
    LOOM_PTX_TENSORMAP,
    LOOM_PTX_TENSORMAP_GENERIC,
    LOOM_PTX_MAP_ADDRESS, /* fields of a tensor map */
    LOOM_PTX_MAP_RANK,
    LOOM_PTX_MAP_BOX,
    LOOM_PTX_MAP_DIM,
    LOOM_PTX_MAP_STRIDE,
    LOOM_PTX_MAP_ELEMENT_STRIDE,
    LOOM_PTX_MAP_TYPE,
    LOOM_PTX_MAP_INTERLEAVE,
    LOOM_PTX_MAP_SWIZZLE,
    LOOM_PTX_MAP_FILL,
    LOOM_PTX_ALIAS = 200, /* fence.proxy */
    LOOM_PTX_ASYNC_PROXY,
    LOOM_PTX_ASYNC_GENERIC
};

#endif

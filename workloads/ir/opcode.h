/*
 * The vocabulary of PTX: opcodes, types, modifiers, special registers.
 *
 * An instruction's dotted name, "ld.volatile.global.v4.f32", is one opcode
 * and some modifier words.  Each word belongs to one field of struct
 * loom_ptx_inst (workloads/ir/ir.h); an opcode's row in loom_ptx_opcodes
 * (workloads/ir/rows.h) says which fields it has, in the order of the PTX
 * ISA.  Parser and printer both follow the row, so a new opcode is a new row
 * and nothing else.
 *
 * 0 means "not written" in every field.
 */
#ifndef WORKLOADS_IR_OPCODE_H
#define WORKLOADS_IR_OPCODE_H

#include "engine/base.h"

#include "workloads/ir/rows.h"

/* One per row: LOOM_PTX_ADD, LOOM_PTX_BAR_SYNC ... */
#define LOOM_PTX_ID(id, name, fields, operands, group) LOOM_PTX_##id,
enum loom_ptx_opcode {
    LOOM_PTX_ROWS(LOOM_PTX_ID) LOOM_PTX_OPCODES
};
#undef LOOM_PTX_ID

/* What kind of work an opcode is; with its type it gives enum loom_op. */
enum loom_ptx_group {
    LOOM_PTX_G_MOVE, /* logic, moves, conversions, comparisons, selection */
    LOOM_PTX_G_ADD,
    LOOM_PTX_G_MINMAX,
    LOOM_PTX_G_MUL,
    LOOM_PTX_G_MAD,
    LOOM_PTX_G_DIV,
    LOOM_PTX_G_SFU,
    LOOM_PTX_G_TENSOR,
    LOOM_PTX_G_SHUFFLE,
    LOOM_PTX_G_BRANCH,
    LOOM_PTX_G_BARRIER,
    LOOM_PTX_G_MEMBAR,
    LOOM_PTX_G_LOAD,
    LOOM_PTX_G_STORE,
    LOOM_PTX_G_ATOMIC,
    LOOM_PTX_G_TEXTURE,
    LOOM_PTX_G_EXIT,
    LOOM_PTX_G_NOP
};

struct loom_ptx_opcode_info {
    const char *name;     /* may have dots: "bar.sync" */
    const char *fields;   /* letters: workloads/ir/rows.h */
    const char *operands; /* likewise */
    uint8_t group;        /* enum loom_ptx_group */
};

extern const struct loom_ptx_opcode_info loom_ptx_opcodes[LOOM_PTX_OPCODES];

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
    LOOM_PTX_DO_IDX
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
    LOOM_PTX_ALIAS = 200, /* fence.proxy */
    LOOM_PTX_ASYNC_PROXY
};

/* One modifier word of one field (a letter of workloads/ir/rows.h): the
 * field's value or, where the letter names a flag, the flag's bit. */
struct loom_ptx_word {
    const char *word;
    char field;
    uint32_t value;
};

extern const struct loom_ptx_word loom_ptx_words[];
extern const size_t loom_ptx_word_count;

/* The field of `inst` that a letter names; NULL: the letter names flags. */
struct loom_ptx_inst;
uint8_t *loom_ptx_field(struct loom_ptx_inst *inst, char field);

#include "workloads/ir/words.h"

#endif

/*
 * A PTX module as data: what the PTX front end parses, transforms rewrite
 * and the printer writes out again.
 *
 * Registers, labels and instructions are dense numbers of their function;
 * modifiers are fields and not text; everything lives in the module's arena
 * and is freed with it.  Nothing here knows how an instruction is executed.
 *
 * Invariants: an operand's register is < reg_count, a label's number <
 * label_count and its target <= inst_count (== means the function's end).
 * Builders keep them; whoever writes arrays directly must, too.
 */
#ifndef WORKLOADS_IR_IR_H
#define WORKLOADS_IR_IR_H

#include "workloads/ir/opcode.h"

#define LOOM_PTX_NONE UINT32_MAX /* no register, no label */
#define LOOM_PTX_TYPES_MAX 4     /* type suffixes of an instruction */

struct loom_ptx_function;
struct loom_ptx_module;

/* A variable of any space, or a parameter. */
struct loom_ptx_var {
    const char *name;
    uint8_t space;     /* enum loom_ptx_space */
    uint8_t type;      /* enum loom_ptx_type, of an element */
    uint8_t vector;    /* 0, or 2 or 4: .v2, .v4 */
    uint8_t linkage;   /* LOOM_PTX_VISIBLE ... */
    bool array;        /* written with [] */
    bool pointer;      /* parameters: .ptr */
    uint8_t ptr_space; /* enum loom_ptx_space of .ptr */
    uint32_t ptr_align;
    uint32_t align;      /* bytes, a power of two, at least the type's */
    uint64_t count;      /* elements; 0: extern array without size */
    uint64_t bytes;      /* all elements */
    uint64_t offset;     /* parameters: in their block; local variables: in the
                          * function's local memory; else 0 */
    const uint8_t *init; /* [bytes], or NULL: zeros */
    const struct loom_ptx_reloc *reloc; /* addresses in the initialiser */
    uint32_t reloc_count;
};

enum {
    LOOM_PTX_VISIBLE = 1,
    LOOM_PTX_EXTERN = 2,
    LOOM_PTX_WEAK_LINK = 4,
    LOOM_PTX_COMMON = 8
};

/* The element at `offset` of an initialiser is an address. */
struct loom_ptx_reloc {
    uint64_t offset;
    const struct loom_ptx_var *var; /* or */
    const struct loom_ptx_function *function;
    int64_t addend;
    bool generic;  /* generic(var) */
    uint64_t mask; /* 0xff00(var): only these bits, moved down; 0: all */
};

enum loom_ptx_operand_kind {
    LOOM_PTX_OP_NONE,
    LOOM_PTX_OP_REG,     /* reg; negate: "!" or "-" in front */
    LOOM_PTX_OP_IMM,     /* value: integer, sign extended */
    LOOM_PTX_OP_F32,     /* value: bits of the float */
    LOOM_PTX_OP_F64,     /* value: bits of the double */
    LOOM_PTX_OP_SYMBOL,  /* address of var, plus value */
    LOOM_PTX_OP_ADDRESS, /* [base + value]: base is var, or reg, or nothing */
    LOOM_PTX_OP_VECTOR,  /* {element, ...} */
    LOOM_PTX_OP_LIST,    /* (element, ...): a call's */
    LOOM_PTX_OP_TEXTURE, /* [element, ...]: texture, coordinates ... */
    LOOM_PTX_OP_SPECIAL, /* value: enum loom_ptx_special */
    LOOM_PTX_OP_LABEL,   /* value: number of the label */
    LOOM_PTX_OP_FUNCTION,
    LOOM_PTX_OP_PROTOTYPE, /* value: number of the prototype or list */
    LOOM_PTX_OP_SINK       /* _ */
};

/* Value of a register operand of a video instruction: 0, or which bytes or
 * halves are meant: a nibble for each, the lowest first. */
#define LOOM_PTX_SELECTED (1u << 20)
#define LOOM_PTX_SELECT_HALVES (1u << 21)
#define LOOM_PTX_SELECT_COUNT 16 /* bits 16 to 19 */

struct loom_ptx_operand {
    uint8_t kind; /* enum loom_ptx_operand_kind */
    bool negate;
    uint8_t count; /* elements */
    uint32_t reg;  /* REG, ADDRESS; else LOOM_PTX_NONE */
    int64_t value;
    union {
        const struct loom_ptx_var *var;           /* SYMBOL, ADDRESS */
        const struct loom_ptx_function *function; /* FUNCTION */
        struct loom_ptx_operand *element;         /* VECTOR, LIST, TEXTURE */
    };
};

struct loom_ptx_inst {
    uint16_t op;                      /* enum loom_ptx_opcode */
    uint8_t type[LOOM_PTX_TYPES_MAX]; /* enum loom_ptx_type, as written:
                                       * cvt and set: result, then source */
    uint8_t space;                    /* enum loom_ptx_space */
    uint8_t space2;                   /* cp.async: of the source */
    uint8_t round;                    /* enum loom_ptx_round */
    uint8_t compare;                  /* enum loom_ptx_compare */
    uint8_t sub;                      /* enum loom_ptx_sub */
    uint8_t half;                     /* enum loom_ptx_half */
    uint8_t cache;    /* enum loom_ptx_cache, but .nc is a flag */
    uint8_t order;    /* enum loom_ptx_order */
    uint8_t scope;    /* enum loom_ptx_scope */
    uint8_t vector;   /* 0, 2, 4, 8 */
    uint8_t mode;     /* enum loom_ptx_mode */
    uint8_t shape;    /* enum loom_ptx_shape */
    uint8_t layout;   /* enum loom_ptx_layout */
    uint8_t evict;    /* enum loom_ptx_evict */
    uint8_t evict2;   /* of the other level, or of the rest */
    uint8_t prefetch; /* enum loom_ptx_prefetch */
    uint8_t operand_count;
    bool guard_negate;  /* @!%p */
    uint32_t flags;     /* LOOM_PTX_SYNC ... */
    uint32_t guard;     /* predicate register, or LOOM_PTX_NONE */
    uint32_t line;      /* of the source file (.loc); 0: unknown */
    uint32_t file;      /* of the source file (.file); 0: unknown */
    uint32_t text_line; /* of the PTX text, from 1; 0: made by a builder */
    struct loom_ptx_operand *operand; /* [operand_count], destinations first
                                       * (st, red: the address first) */
};

/* Register `name`, or name with `number` appended ("%r", 12). */
struct loom_ptx_reg {
    const char *name;
    uint32_t number; /* LOOM_PTX_NONE: name is all */
    uint8_t type;    /* enum loom_ptx_type */
};

struct loom_ptx_label {
    const char *name;
    uint32_t target; /* instruction index; inst_count: the end */
};

enum loom_ptx_list {
    LOOM_PTX_CALLPROTOTYPE,
    LOOM_PTX_CALLTARGETS,
    LOOM_PTX_BRANCHTARGETS
};

/* What calls and branches through a register refer to. */
struct loom_ptx_prototype {
    const char *name;
    const char *text; /* after the directive, verbatim; but branch targets: */
    uint32_t *label;  /* [label_count] */
    uint32_t label_count;
    uint8_t kind; /* enum loom_ptx_list */
};

/* A hint to the compiler, in front of instruction `at`. */
struct loom_ptx_pragma {
    const char *text; /* with its quotes */
    uint32_t at;      /* LOOM_PTX_NONE: of the whole function or module */
};

struct loom_ptx_function {
    const char *name;
    struct loom_ptx_module *module;
    bool entry;    /* a kernel */
    bool declared; /* a prototype only: no body */
    /* Why nothing can execute it, and where; or NULL.  Then it has no
     * instructions, and `source` is its text from behind the parameters, which
     * is printed with .pragma "refused" so that it stays refused. */
    const char *refused, *source;
    uint32_t refused_line;
    bool noreturn;
    uint8_t linkage;
    const struct loom_ptx_function *alias; /* another name of that; or NULL */
    uint32_t maxntid[3], reqntid[3];       /* 0: not given */
    uint32_t minnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank; /* 0: not given */
    bool explicit_cluster;       /* clusters are always the launch's or those */
    struct loom_ptx_var **param; /* [param_count] */
    struct loom_ptx_var **ret;   /* device functions: results */
    struct loom_ptx_var **var;   /* .local, .shared, .param of the body */
    struct loom_ptx_reg *reg;
    struct loom_ptx_label *label;
    struct loom_ptx_inst *inst;
    struct loom_ptx_prototype *prototype;
    struct loom_ptx_pragma *pragma;
    uint32_t param_count, ret_count, var_count, reg_count, label_count;
    uint32_t inst_count, prototype_count, pragma_count;
    uint32_t param_bytes, local_bytes;
    uint32_t var_room, reg_room, label_room, inst_room, prototype_room;
    uint32_t pragma_room;
};

struct loom_ptx_file {
    uint32_t number;
    const char *name;
};

struct loom_arena; /* private to ir.c */

struct loom_ptx_module {
    uint32_t major, minor;     /* .version */
    const char *target;        /* "sm_75", "sm_70, debug" */
    uint32_t address_bits;     /* 32 or 64 */
    struct loom_ptx_var **var; /* .global, .const, .shared */
    struct loom_ptx_function **function;
    struct loom_ptx_file *file;
    struct loom_ptx_pragma *pragma;
    uint32_t var_count, function_count, file_count, pragma_count;
    uint32_t var_room, function_room, file_room, pragma_room;
    struct loom_arena *arena;
};

#include "workloads/ir/build.h"

#endif

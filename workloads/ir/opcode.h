/*
 * The vocabulary of PTX: opcodes, the words that may follow them, special
 * registers.
 *
 * An instruction's dotted name, "ld.volatile.global.v4.f32", is one opcode
 * and some modifier words.  Each word belongs to one field of struct
 * loom_ptx_inst (workloads/ir/ir.h); an opcode's row in loom_ptx_opcodes
 * (workloads/ir/rows.h) says which fields it has, in the order of the PTX
 * ISA.  Parser and printer both follow the row, so a new opcode is a new row
 * and nothing else.
 */
#ifndef WORKLOADS_IR_OPCODE_H
#define WORKLOADS_IR_OPCODE_H

#include "engine/base.h"

#include "workloads/ir/modifiers.h"
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

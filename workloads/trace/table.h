/*
 * The static instructions of a kernel, found while its trace is read.
 *
 * A trace does not list a kernel's instructions, so the table grows as CTAs
 * come.  Its address space is reserved once: pointers that the timing model
 * holds stay valid, and an entry is complete before any stream refers to it.
 *
 * Two lines are the same instruction if pc, registers and opcode agree.  PCs
 * are offsets in a function, so that functions that a kernel calls share
 * them with it: different instructions at one pc are told apart, equal ones
 * cannot be.
 */
#ifndef WORKLOADS_TRACE_TABLE_H
#define WORKLOADS_TRACE_TABLE_H

#include "workloads/trace/lines.h"
#include "workloads/trace/notes.h"
#include "workloads/trace/opcodes.h"

#define TRACE_INSTS_MAX (1u << 20) /* per kernel */
#define TRACE_TEXT_MAX (64u << 20) /* bytes of disassembly */
#define TRACE_PC_MAX (1u << 24)    /* bytes of code */
#define TRACE_NO_NOTE UINT32_MAX

/* What one instruction can be in the stream, by its addresses and mask. */
enum trace_form {
    TRACE_PLAIN,
    TRACE_SHARED, /* generic access: shared; LDGSTS: its store half */
    TRACE_LOCAL,  /* generic access: local */
    TRACE_IDLE,   /* a barrier without lanes, a load without addresses */
    TRACE_WAIT,   /* DEPBAR: + groups of copies that may go on */
    TRACE_FORMS = TRACE_WAIT + 8
};

/* One instruction as the trace writes it. */
struct trace_entry {
    const char *key; /* the line's text from the registers to mem_width */
    uint32_t key_bytes;
    uint32_t pc;
    uint32_t next;                /* entry + 1 of the same pc / 8 */
    uint32_t note;                /* to count, or TRACE_NO_NOTE */
    uint32_t form[TRACE_FORMS];   /* static index + 1, 0: not made yet */
    struct loom_static_inst inst; /* of the plain form */
    bool addresses;               /* follow: mem_width is not 0 */
    bool generic, copies, waits;
};

struct trace_table {
    struct loom_static_inst *inst; /* [TRACE_INSTS_MAX] reserved */
    uint32_t inst_count;
    char *text; /* [TRACE_TEXT_MAX] reserved */
    uint32_t text_bytes;
    struct trace_entry *entry;
    uint32_t entry_count, entry_room;
    uint32_t *slot; /* by pc / 8: entry + 1 */
    uint32_t slots;
    const struct trace_arch *arch;
    const struct trace_lines *lines; /* for messages */
    struct trace_notes *notes;
};

bool trace_table_init(struct trace_table *table, const struct trace_arch *arch,
                      const struct trace_lines *lines,
                      struct trace_notes *notes, struct loom_error *err);
void trace_table_free(struct trace_table *table);

/* The entry for the text at *at, which begins with the number of destination
 * registers; moves *at behind mem_width.  Valid until the next call. */
bool trace_table_entry(struct trace_table *table, uint32_t pc, uint32_t line,
                       const char **at, struct trace_entry **entry,
                       struct loom_error *err);

/* Makes a form of an entry that has not got one; its static index is then
 * entry->form[form] - 1. */
bool trace_table_form(struct trace_table *table, struct trace_entry *entry,
                      enum trace_form form, struct loom_error *err);

#endif

/*
 * From the words of an instruction to its static facts.
 */
#ifndef WORKLOADS_TRACE_DECODE_H
#define WORKLOADS_TRACE_DECODE_H

#include "workloads/trace/table.h"

#define TRACE_REGS_MAX 12

struct trace_reg {
    uint16_t number; /* in loom_static_inst's masks, or TRACE_REG_NONE */
    bool uniform;
};
#define TRACE_REG_NONE UINT16_MAX

struct trace_words {
    const char *opcode; /* with modifiers */
    size_t opcode_bytes;
    struct trace_reg dest[TRACE_REGS_MAX], source[TRACE_REGS_MAX];
    uint32_t dests, sources;
    uint32_t mem_width; /* 0: no addresses follow */
};

/* Reads "dests R.. opcode sources R.. mem_width" and moves *at behind it. */
bool trace_words_read(struct trace_words *words, const char **at,
                      const struct trace_lines *lines, struct loom_error *err);

/* Fills in an entry's instruction and properties; not its pc, line and text.
 */
void trace_decode(const struct trace_words *words,
                  const struct trace_arch *arch, struct trace_notes *notes,
                  struct trace_entry *entry);

#endif

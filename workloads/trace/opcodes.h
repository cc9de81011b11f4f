/*
 * What SASS opcodes mean to the timing model, per architecture: data that
 * comes from Lua (lua/warploom/opcodes/) as text, in lines
 *
 *     arch 70 72
 *     LDG load global
 *     BAR.ARV nop
 *     LDSM load shared bytes=16 dests=4
 *
 * An entry with modifiers is found before one without.
 */
#ifndef WORKLOADS_TRACE_OPCODES_H
#define WORKLOADS_TRACE_OPCODES_H

#include "workloads/stream.h"

#define TRACE_OPCODE_MAX 48 /* bytes of a name, with modifiers */
#define TRACE_GENERIC 255   /* the space is known by the address */

struct trace_opcode {
    char name[TRACE_OPCODE_MAX];
    uint8_t op;      /* enum loom_op */
    uint8_t space;   /* enum loom_mem_space, or TRACE_GENERIC */
    uint8_t bytes;   /* per lane, 0: by the modifiers */
    uint8_t dests;   /* registers of a destination, 0: by the width */
    uint8_t sources; /* registers of a source, 0: by the width */
    bool copies;     /* LDGSTS: global to shared, asynchronously */
    bool groups;     /* LDGDEPBAR: ends a group of copies */
    bool waits;      /* DEPBAR: for groups of copies */
};

/* Opcodes of one table, which may serve several architectures. */
struct trace_arch {
    struct trace_opcode *opcode;
    uint32_t count, room;
    uint32_t version[8]; /* 10 * compute capability: 70 */
    uint32_t version_count;
};

struct trace_opcodes {
    struct trace_arch *arch;
    uint32_t count;
};

bool trace_opcodes_read(struct trace_opcodes *opcodes, const char *text,
                        struct loom_error *err);
void trace_opcodes_free(struct trace_opcodes *opcodes);

/* The table of a binary version, or the next older one, or the oldest;
 * *exact says which.  NULL if there is none at all. */
const struct trace_arch *trace_opcodes_arch(const struct trace_opcodes *opcodes,
                                            uint32_t version, uint32_t *used);

/* By the longest name that matches up to a dot, or NULL. */
const struct trace_opcode *trace_arch_find(const struct trace_arch *arch,
                                           const char *name, size_t length);

/* Bytes per lane that the modifiers state, or 0.  The first one that does
 * counts: digits are bits, U and S and F before them are kinds of number. */
uint32_t trace_opcode_bytes(const char *name, size_t length);

/* Is one of the modifiers `what`? */
bool trace_opcode_has(const char *name, size_t length, const char *what);

#endif

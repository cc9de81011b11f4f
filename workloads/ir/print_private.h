/*
 * Where the printer's text goes: into a buffer that grows, or into one of a
 * caller, whose length is then counted as snprintf() does.
 *
 * Private to print.c and, below it, print_inst.c; lack of memory is remembered
 * and reported once, at the end.
 */
#ifndef WORKLOADS_IR_PRINT_PRIVATE_H
#define WORKLOADS_IR_PRINT_PRIVATE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ir/ir.h"

/* Either grows (room 0, `fixed` NULL) or fills a caller's buffer. */
struct ptx_out {
    char *text;
    size_t used, room;
    bool fixed, failed;
    /* Text in the place of a function's instructions, or NULL. */
    const struct loom_ptx_function *other;
    const char *body;
};

static inline void put_bytes(struct ptx_out *out, const char *text,
                             size_t length)
{
    size_t left;

    if (out->fixed) {
        left = out->used < out->room ? out->room - out->used : 0;
        if (left > 0) {
            memcpy(out->text + out->used, text, length < left ? length : left);
        }
        out->used += length;
        return;
    }
    if (out->failed) {
        return;
    }
    if (out->room - out->used < length) {
        size_t room = (out->room + length) * 2;
        char *grown = realloc(out->text, room);

        if (grown == NULL) {
            out->failed = true;
            return;
        }
        out->text = grown;
        out->room = room;
    }
    memcpy(out->text + out->used, text, length);
    out->used += length;
}

static inline void put(struct ptx_out *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

/* For numbers only: at most 63 characters. */
LOOM_PRINTF(2, 3)
static inline void putf(struct ptx_out *out, const char *fmt, ...)
{
    char text[64];
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    put_bytes(out, text, (size_t)length);
}

/* ---- print_inst.c ---- */

/* The modifier word of a field that has a value, with its dot. */
void ptx_put_field(struct ptx_out *out, char field, uint32_t value);
void ptx_put_reg(struct ptx_out *out, const struct loom_ptx_function *function,
                 uint32_t number);
/* "+4"; nothing for 0, but where it is the first word. */
void ptx_put_offset(struct ptx_out *out, int64_t value, bool first);
void ptx_put_inst(struct ptx_out *out, const struct loom_ptx_function *function,
                  const struct loom_ptx_inst *inst);

#endif

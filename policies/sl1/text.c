/*
 * Pieces of the new text: formatted, an instruction, a mark, a guard.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "policies/sl1/sl1_private.h"

/* In the module's memory, which is dropped with the copy of the module. */
static bool reserve(struct sl1_out *out, size_t bytes)
{
    size_t room = (out->used + bytes) * 2;
    char *grown;

    if (out->failed || out->room - out->used > bytes) {
        return !out->failed;
    }
    grown = loom_ptx_alloc(out->module, room);
    if (grown == NULL) {
        out->failed = true;
        return false;
    }
    if (out->used > 0) {
        memcpy(grown, out->text, out->used);
    }
    out->text = grown;
    out->room = room;
    return true;
}

/* Numbers for each '~' and '^' of the text at `from`. */
static bool put_numbers(struct sl1_emit *e, size_t from)
{
    struct sl1_out *out = e->to;
    char *at = strpbrk(out->text + from, "~^");

    while (at != NULL) {
        size_t here = (size_t)(at - out->text), rest = out->used - here - 1;
        char number[16];
        int digits = snprintf(number, sizeof(number), "%u",
                              *at == '~' ? e->site.number : e->nest->number);
        size_t length = (size_t)digits;

        if (!reserve(out, length + 1)) {
            return false;
        }
        at = out->text + here;
        memmove(at + length, at + 1, rest + 1);
        memcpy(at, number, length);
        out->used += length - 1;
        at = strpbrk(at + length, "~^");
    }
    return true;
}

void sl1_put(struct sl1_emit *e, const char *fmt, ...)
{
    struct sl1_out *out = e->to;
    size_t from = out->used;
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (length < 0 || !reserve(out, (size_t)length + 1)) {
        out->failed = true;
        return;
    }
    va_start(args, fmt);
    vsnprintf(out->text + from, (size_t)length + 1, fmt, args);
    va_end(args);
    out->used += (size_t)length;
    out->failed = !put_numbers(e, from);
}

void sl1_emit_inst(struct sl1_emit *e, const struct loom_ptx_inst *inst)
{
    size_t length = loom_ptx_print_inst(e->f, inst, NULL, 0);

    sl1_put(e, "\t");
    if (reserve(e->to, length + 2)) {
        loom_ptx_print_inst(e->f, inst, e->to->text + e->to->used, length + 1);
        e->to->used += length;
        sl1_put(e, "\n");
    }
}

void sl1_mark(struct sl1_emit *e, enum sl1_role role, uint32_t s)
{
    uint32_t param = s < e->nest->count ? sl1_structure(e, s)->param : 0;

    if (e->config->marks) {
        sl1_put(e, "\t.pragma \"loom.mark %u\";\n",
                (uint32_t)role << SL1_ROLE_SHIFT | param);
    }
}

void sl1_guard_text(const struct sl1_emit *e, const struct loom_ptx_inst *inst,
                    bool negated, char text[96])
{
    const struct loom_ptx_reg *reg;
    bool negate = inst->guard_negate != negated;

    text[0] = '\0';
    if (inst->guard == LOOM_PTX_NONE) {
        return;
    }
    reg = &e->f->reg[inst->guard];
    if (reg->number == LOOM_PTX_NONE) {
        snprintf(text, 96, "@%s%.64s ", negate ? "!" : "", reg->name);
    } else {
        snprintf(text, 96, "@%s%.64s%u ", negate ? "!" : "", reg->name,
                 reg->number);
    }
}

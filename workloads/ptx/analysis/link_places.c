/*
 * Where the parameters of calls are.
 *
 * They live in the local memory of the function that declares them, behind
 * its variables: the ABI passes them in registers, so accesses count as
 * moves, but PTX may take a formal parameter's address, which is then a
 * local one (PTX ISA, "Device function parameters").  Variables of one call
 * sequence share their room with those of others.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define FRAME_ALIGN 16u

struct placer {
    struct ptx_analysis *a;
    uint32_t align; /* of activations */
};

static int by_var(const void *x, const void *y)
{
    uintptr_t a = (uintptr_t)((const struct ptx_place *)x)->var;
    uintptr_t b = (uintptr_t)((const struct ptx_place *)y)->var;

    return (a > b) - (a < b);
}

const struct ptx_place *ptx_place_of(const struct ptx_analysis *a,
                                     const struct loom_ptx_var *var)
{
    struct ptx_place key = {.var = var};

    return a->place_count == 0
               ? NULL
               : bsearch(&key, a->place, a->place_count, sizeof(key), by_var);
}

bool ptx_kernel_param(const struct ptx_analysis *a,
                      const struct loom_ptx_inst *inst)
{
    uint32_t at = loom_ptx_address_operand(inst);
    const struct loom_ptx_operand *o;

    if (inst->space == LOOM_PTX_PARAM_ENTRY) {
        return true;
    }
    if (inst->space != LOOM_PTX_PARAM || at >= inst->operand_count) {
        return false;
    }
    o = &inst->operand[at];
    return o->kind == LOOM_PTX_OP_ADDRESS &&
           (o->reg != LOOM_PTX_NONE || o->var == NULL ||
            ptx_place_of(a, o->var) == NULL);
}

/* While variables of a body are being placed: [first, last] mention. */
struct span {
    uint32_t place, first, last;
};

static void mention(struct placer *l, const struct loom_ptx_operand *operand,
                    uint32_t count, uint32_t at, struct span *span)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_ptx_operand *o = &operand[i];
        const struct ptx_place *place;

        if (o->kind == LOOM_PTX_OP_LIST || o->kind == LOOM_PTX_OP_VECTOR) {
            mention(l, o->element, o->count, at, span);
        }
        if ((o->kind != LOOM_PTX_OP_SYMBOL && o->kind != LOOM_PTX_OP_ADDRESS) ||
            o->var == NULL || o->var->space != LOOM_PTX_PARAM) {
            continue;
        }
        place = ptx_place_of(l->a, o->var);
        if (place != NULL) {
            struct span *s = &span[place - l->a->place];

            s->first = at < s->first ? at : s->first;
            s->last = at;
        }
    }
}

static int by_first(const void *x, const void *y)
{
    const struct span *a = x, *b = y;

    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : (a->place > b->place) - (a->place < b->place);
}

static uint64_t put_at(struct placer *l, struct ptx_place *place, uint64_t at)
{
    uint64_t mask = place->var->align - UINT64_C(1);

    at = (at + mask) & ~mask;
    l->align = place->var->align > l->align ? place->var->align : l->align;
    place->offset = (uint32_t)at;
    return at + place->var->bytes;
}

static bool is_formal(const struct loom_ptx_function *f,
                      const struct loom_ptx_var *var)
{
    for (uint32_t i = 0; i < f->param_count; i++) {
        if (f->param[i] == var) {
            return true;
        }
    }
    for (uint32_t i = 0; i < f->ret_count; i++) {
        if (f->ret[i] == var) {
            return true;
        }
    }
    return false;
}

/* Formal parameters first; then those of calls, which start over where none
 * is in use. */
static void place_section(struct placer *l, uint32_t number, struct span *span)
{
    struct ptx_analysis *a = l->a;
    struct ptx_section *s = &a->section[number];
    const struct loom_ptx_function *f = s->function;
    uint64_t start = f->local_bytes, top, end;
    uint32_t last = 0;

    for (uint32_t i = 0; i < a->place_count; i++) {
        if (a->place[i].section == number && is_formal(f, a->place[i].var)) {
            start = put_at(l, &a->place[i], start);
        }
    }
    top = end = start;
    for (uint32_t i = 0; i < a->place_count; i++) {
        struct ptx_place *place = &a->place[span[i].place];

        if (place->section != number || is_formal(f, place->var)) {
            continue;
        }
        if (span[i].first > last) {
            top = start;
        }
        last = span[i].last > last ? span[i].last : last;
        top = put_at(l, place, top);
        end = top > end ? top : end;
    }
    s->local_bytes = end > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)end;
}

static void collect(struct placer *l, struct loom_ptx_var *const *var,
                    uint32_t count, uint32_t section)
{
    for (uint32_t i = 0; i < count; i++) {
        if (var[i]->space == LOOM_PTX_PARAM) {
            l->a->place[l->a->place_count++] =
                (struct ptx_place){.var = var[i], .section = section};
        }
    }
}

bool ptx_place_parameters(struct ptx_analysis *a)
{
    struct placer placer = {.a = a, .align = FRAME_ALIGN};
    struct placer *l = &placer;
    const struct loom_ptx_function *all = a->function;
    struct span *span;
    size_t most = 1;

    for (uint32_t s = 0; s < a->section_count; s++) {
        const struct loom_ptx_function *f = a->section[s].function;

        most += (size_t)f->param_count + f->ret_count + f->var_count;
    }
    a->place = calloc(most, sizeof(*a->place));
    span = calloc(most, sizeof(*span));
    if (a->place == NULL || span == NULL) {
        free(span);
        return false;
    }
    for (uint32_t s = 0; s < a->section_count; s++) {
        const struct loom_ptx_function *f = a->section[s].function;

        if (!f->entry) {
            collect(l, f->param, f->param_count, s);
            collect(l, f->ret, f->ret_count, s);
        }
        collect(l, f->var, f->var_count, s);
    }
    qsort(a->place, a->place_count, sizeof(*a->place), by_var);
    for (uint32_t i = 0; i < a->place_count; i++) {
        span[i] = (struct span){i, UINT32_MAX, 0};
    }
    for (uint32_t i = 0; i < all->inst_count; i++) {
        mention(l, all->inst[i].operand, all->inst[i].operand_count, i, span);
    }
    qsort(span, a->place_count, sizeof(*span), by_first);
    for (uint32_t s = 0; s < a->section_count; s++) {
        place_section(l, s, span);
    }
    free(span);
    for (uint32_t s = 0; s < a->section_count && a->section_count > 1; s++) {
        struct ptx_section *section = &a->section[s];

        section->local_bytes =
            (section->local_bytes + l->align - 1) & ~(l->align - 1);
    }
    return true;
}

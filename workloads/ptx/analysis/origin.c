/*
 * Where addresses come from: which kernel parameter a register's value
 * derives from, by a fixpoint over virtual registers.
 *
 * Only values as wide as an address can be pointers, and only operations
 * that keep one (moves, sums, selections) hand it on; a product or a widened
 * index is none.  Where a sum has two candidates, one that was converted by
 * cvta or declared .ptr wins; two of a kind are "mixed".
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct origins {
    struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    struct ptx_origin *of; /* [reg_count] */
    uint32_t bytes;        /* of an address */
    bool changed;
};

static const struct ptx_origin nothing = {.param = LOOM_NO_PARAM};

/* Of two values that may both be there (a selection), or both go in. */
static struct ptx_origin join(struct ptx_origin x, struct ptx_origin y)
{
    struct ptx_origin result = x;

    if (x.param == LOOM_NO_PARAM || (y.sure && !x.sure)) {
        result = y.param == LOOM_NO_PARAM ? x : y;
    } else if (y.param != LOOM_NO_PARAM && y.param != x.param &&
               x.sure == y.sure) {
        result.param = LOOM_MIXED_PARAM;
    }
    result.sure = x.sure || y.sure;
    result.spaces = x.spaces | y.spaces;
    return result;
}

static struct ptx_origin of_param(const struct origins *o,
                                  const struct loom_ptx_var *var)
{
    struct ptx_origin origin = nothing;

    for (uint32_t i = 0; o->f->entry && i < o->f->param_count; i++) {
        if (o->f->param[i] == var) {
            origin.param = i < LOOM_MIXED_PARAM ? (uint8_t)i : LOOM_MIXED_PARAM;
            origin.sure = var->pointer;
            origin.spaces = PTX_FROM_PARAM;
        }
    }
    return origin;
}

static struct ptx_origin of_operand(const struct origins *o,
                                    const struct loom_ptx_operand *operand)
{
    struct ptx_origin origin = nothing;

    if (operand->kind == LOOM_PTX_OP_REG ||
        (operand->kind == LOOM_PTX_OP_ADDRESS &&
         operand->reg != LOOM_PTX_NONE)) {
        return o->of[operand->reg];
    }
    if (operand->kind == LOOM_PTX_OP_SYMBOL ||
        (operand->kind == LOOM_PTX_OP_ADDRESS && operand->var != NULL)) {
        origin.spaces = operand->var->space == LOOM_PTX_SHARED ? PTX_FROM_SHARED
                        : operand->var->space == LOOM_PTX_LOCAL ? PTX_FROM_LOCAL
                                                                : 0;
        if (operand->var->space == LOOM_PTX_PARAM) {
            origin = of_param(o, operand->var);
        }
    }
    return origin;
}

static struct ptx_origin of_all(const struct origins *o,
                                const struct loom_ptx_inst *inst)
{
    struct ptx_origin origin = nothing;

    for (uint32_t i = 1; i < inst->operand_count; i++) {
        origin = join(origin, of_operand(o, &inst->operand[i]));
    }
    return origin;
}

/* Of the value that `inst` writes to operand 0. */
static struct ptx_origin of_result(const struct origins *o,
                                   const struct loom_ptx_inst *inst)
{
    struct ptx_origin origin;

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_LD:
        return inst->space == LOOM_PTX_PARAM && inst->operand[1].var != NULL &&
                       inst->operand[1].reg == LOOM_PTX_NONE
                   ? of_param(o, inst->operand[1].var)
                   : nothing;
    case LOOM_PTX_CVTA:
        origin = of_all(o, inst);
        origin.sure = origin.param != LOOM_NO_PARAM;
        origin.spaces |= inst->space == LOOM_PTX_SHARED  ? PTX_FROM_SHARED
                         : inst->space == LOOM_PTX_LOCAL ? PTX_FROM_LOCAL
                                                         : 0;
        return origin;
    case LOOM_PTX_SUB:
        return of_operand(o, &inst->operand[1]);
    case LOOM_PTX_MAD:
    case LOOM_PTX_MAD24:
        return of_operand(o, &inst->operand[3]);
    case LOOM_PTX_MOV:
    case LOOM_PTX_ADD:
    case LOOM_PTX_ADDC:
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_MIN:
    case LOOM_PTX_MAX:
    case LOOM_PTX_SELP:
    case LOOM_PTX_SHFL:
        return of_all(o, inst);
    default:
        return nothing;
    }
}

static bool wide_enough(const struct origins *o, uint32_t reg)
{
    uint32_t bytes =
        loom_ptx_type_bytes((enum loom_ptx_type)o->f->reg[reg].type);

    return bytes >= o->bytes && o->f->reg[reg].type != LOOM_PTX_F64;
}

static void write(struct origins *o, uint32_t reg, struct ptx_origin origin)
{
    struct ptx_origin *to = &o->of[reg];
    struct ptx_origin next;

    if (!wide_enough(o, reg)) {
        origin.param = LOOM_NO_PARAM;
        origin.sure = false;
        origin.spaces &= PTX_FROM_SHARED | PTX_FROM_LOCAL;
    }
    next = join(*to, origin);
    /* Once mixed, always mixed: that is what makes this end. */
    if (to->param == LOOM_MIXED_PARAM) {
        next.param = LOOM_MIXED_PARAM;
    }
    if (next.param != to->param || next.sure != to->sure ||
        next.spaces != to->spaces) {
        *to = next;
        o->changed = true;
    }
}

static void step(struct origins *o, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *to = inst->operand;

    if (loom_ptx_dests(inst) == 0 || inst->operand_count == 0) {
        return;
    }
    if (to->kind == LOOM_PTX_OP_REG) {
        write(o, to->reg, of_result(o, inst));
    } else if (to->kind == LOOM_PTX_OP_VECTOR) {
        for (uint32_t i = 0; i < to->count; i++) {
            if (to->element[i].kind == LOOM_PTX_OP_REG) {
                write(o, to->element[i].reg, of_result(o, inst));
            }
        }
    }
}

static void mark_pointers(struct origins *o)
{
    for (uint32_t i = 0; i < o->f->param_count; i++) {
        o->a->pointer[i] = o->f->param[i]->pointer;
    }
    for (uint32_t i = 0; i < o->f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &o->f->inst[i];
        uint32_t at = loom_ptx_address_operand(inst);
        struct ptx_origin origin = nothing;

        if (inst->op == LOOM_PTX_CVTA) {
            origin = of_all(o, inst);
        } else if (at != LOOM_PTX_NONE && inst->space != LOOM_PTX_PARAM) {
            origin = of_operand(o, &inst->operand[at]);
        }
        if (origin.param < o->f->param_count && o->f->entry) {
            o->a->pointer[origin.param] = true;
        }
    }
}

bool ptx_find_origins(struct ptx_analysis *a, struct ptx_origin *origin)
{
    struct origins o = {.a = a, .f = a->function, .of = origin};

    o.bytes = a->function->module->address_bits / 8;
    a->pointer =
        calloc((size_t)a->function->param_count + 1, sizeof(*a->pointer));
    if (a->pointer == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < a->function->reg_count; i++) {
        origin[i] = nothing;
    }
    do {
        o.changed = false;
        for (uint32_t i = 0; i < a->inst_count; i++) {
            step(&o, &a->function->inst[i]);
        }
    } while (o.changed);
    mark_pointers(&o);
    return true;
}

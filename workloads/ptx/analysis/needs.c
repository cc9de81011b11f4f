/*
 * What of a function's values is needed: by what stores, branches or tells
 * others; and of integers of 64 bits, whether their upper half is.  Addresses
 * of shared and local memory have none.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define ROUNDS 16u

struct needs {
    const struct loom_ptx_function *f;
    bool *inst;          /* [inst_count]: is needed */
    bool *needed, *high; /* [reg_count]: its value is, its upper half */
    bool found, low, changed;
    uint32_t base; /* of which the upper half does not count */
};

/* Does nothing but to compute its results. */
static bool pure(const struct loom_ptx_inst *inst)
{
    switch ((enum loom_ptx_group)loom_ptx_opcodes[inst->op].group) {
    case LOOM_PTX_G_LOAD:
        return inst->op == LOOM_PTX_LD && inst->order <= LOOM_PTX_WEAK;
    case LOOM_PTX_G_MOVE:
        return !(inst->op >= LOOM_PTX_ALLOCA &&
                 inst->op <= LOOM_PTX_STACKRESTORE) &&
               !(inst->op == LOOM_PTX_MOV &&
                 inst->operand[1].kind == LOOM_PTX_OP_SPECIAL);
    case LOOM_PTX_G_ADD:
    case LOOM_PTX_G_MINMAX:
    case LOOM_PTX_G_MUL:
    case LOOM_PTX_G_MAD:
    case LOOM_PTX_G_DIV:
    case LOOM_PTX_G_SFU:
        return !ptx_carries(inst);
    default:
        return false;
    }
}

/* The lower half of its result depends on those of its operands only. */
static bool keeps_halves(const struct loom_ptx_inst *inst)
{
    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_ADD:
    case LOOM_PTX_SUB:
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_NOT:
    case LOOM_PTX_NEG:
    case LOOM_PTX_SHL:
    case LOOM_PTX_SELP:
    case LOOM_PTX_CVTA:
        return !ptx_inst_real(inst) && !ptx_carries(inst);
    case LOOM_PTX_MOV:
        return inst->operand[1].kind == LOOM_PTX_OP_REG;
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
        return !ptx_inst_real(inst) && !ptx_carries(inst) &&
               inst->half == LOOM_PTX_LOW;
    case LOOM_PTX_CVT:
        return !ptx_inst_real(inst) &&
               !loom_ptx_type_real((enum loom_ptx_type)inst->type[1]) &&
               (inst->flags & LOOM_PTX_SAT) == 0;
    default:
        return false;
    }
}

static bool short_space(uint32_t space)
{
    return space == LOOM_PTX_SHARED || space == LOOM_PTX_SHARED_CTA ||
           space == LOOM_PTX_LOCAL;
}

static void see_dest(void *context, uint32_t reg, bool write)
{
    struct needs *n = context;

    n->found = n->found || (write && n->needed[reg]);
    n->low = n->low && !(write && n->high[reg]);
}

static void set_need(void *context, uint32_t reg, bool write)
{
    struct needs *n = context;
    bool high = !n->low && reg != n->base;

    if (!write && (!n->needed[reg] || (high && !n->high[reg]))) {
        n->changed = n->needed[reg] = true;
        n->high[reg] = n->high[reg] || high;
    }
}

static void need_operands(struct needs *n, const struct loom_ptx_inst *inst)
{
    bool is_short = short_space(inst->space) &&
                    (inst->op == LOOM_PTX_LD || inst->op == LOOM_PTX_ST);

    n->low = n->low && keeps_halves(inst);
    n->base = is_short ? ptx_base_of(inst) : LOOM_PTX_NONE;
    loom_ptx_visit(inst, set_need, n);
}

static bool find_needs(struct needs *n)
{
    n->changed = false;
    for (uint32_t i = n->f->inst_count; i-- > 0;) {
        const struct loom_ptx_inst *inst = &n->f->inst[i];

        n->found = n->inst[i] || !pure(inst);
        n->low = true;
        loom_ptx_visit(inst, see_dest, n);
        if (n->found) {
            n->changed = n->changed || !n->inst[i];
            n->inst[i] = true;
            need_operands(n, inst);
        }
    }
    return n->changed;
}

/* Text that takes more rounds than compilers' text does keeps all. */
bool ptx_find_needs(struct ptx_analysis *a, bool *needed)
{
    struct needs n = {.f = a->function, .inst = needed};
    size_t regs = (size_t)a->function->reg_count + 1;
    uint32_t rounds = 0;

    n.needed = calloc(2 * regs, sizeof(*n.needed));
    if (n.needed == NULL) {
        return false;
    }
    n.high = n.needed + regs;
    while (rounds < ROUNDS && find_needs(&n)) {
        rounds++;
    }
    if (rounds == ROUNDS) {
        memset(needed, 1, a->inst_count);
    }
    for (uint32_t r = 0; r < a->function->reg_count; r++) {
        a->schedule->low[r] = rounds < ROUNDS && !n.high[r];
    }
    free(n.needed);
    return true;
}

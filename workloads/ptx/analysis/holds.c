/*
 * What a compiler knows of registers: which are the same for all lanes
 * (uniform.c), and of which integers of 64 bits the upper half is zero; and
 * which loops count to what is known before them.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

static bool signed_type(uint32_t type)
{
    return type >= LOOM_PTX_S8 && type <= LOOM_PTX_S64;
}

static bool number(const struct loom_ptx_operand *o, uint64_t least,
                   uint64_t most)
{
    return o->kind == LOOM_PTX_OP_IMM && (uint64_t)o->value >= least &&
           (uint64_t)o->value <= most;
}

static bool upper_is_zero(const struct loom_ptx_inst *inst)
{
    enum loom_ptx_type to = (enum loom_ptx_type)inst->type[0];
    enum loom_ptx_type from = (enum loom_ptx_type)inst->type[1];

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_LD:
        return inst->vector <= 1 && loom_ptx_type_bytes(to) <= 4 &&
               !signed_type(to);
    case LOOM_PTX_CVT:
        return !loom_ptx_type_real(to) && !loom_ptx_type_real(from) &&
               loom_ptx_type_bytes(from) <= 4 && !signed_type(from);
    case LOOM_PTX_AND:
        return number(&inst->operand[2], 0, UINT32_MAX);
    case LOOM_PTX_SHR:
        return number(&inst->operand[2], 32, 63) && !signed_type(to);
    default:
        return false;
    }
}

struct holds {
    uint8_t *holds;   /* [reg_count] */
    uint32_t *writes; /* [reg_count] */
};

static void count_write(void *context, uint32_t reg, bool write)
{
    struct holds *h = context;

    h->writes[reg] += write;
}

/* Of what is written once. */
static void set_low(void *context, uint32_t reg, bool write)
{
    struct holds *h = context;

    if (write && h->writes[reg] == 1) {
        h->holds[reg] |= PTX_HOLDS_LOW;
    }
}

bool ptx_find_holds(const struct ptx_analysis *a, const bool *constant,
                    uint8_t *holds)
{
    const struct loom_ptx_function *f = a->function;
    struct holds h = {holds,
                      calloc((size_t)f->reg_count + 1, sizeof(uint32_t))};
    bool done;

    if (h.writes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        loom_ptx_visit(&f->inst[i], count_write, &h);
    }
    done = ptx_find_uniform(a, constant, h.writes, holds);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (upper_is_zero(&f->inst[i])) {
            loom_ptx_visit(&f->inst[i], set_low, &h);
        }
    }
    free(h.writes);
    return done;
}

/* ---- loops ---- */

struct found {
    uint32_t reg, writes, at, now;
};

static void look_for(void *context, uint32_t reg, bool write)
{
    struct found *d = context;

    if (write && reg == d->reg) {
        d->writes++;
        d->at = d->now;
    }
}

/* Who writes it in the block, and where last. */
static struct found find_writes(const struct ptx_analysis *a,
                                const struct ptx_block *b, uint32_t reg)
{
    struct found d = {.reg = reg};

    for (d.now = b->first; d.now <= b->last; d.now++) {
        loom_ptx_visit(&a->function->inst[d.now], look_for, &d);
    }
    return d;
}

static bool copies(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_MOV && inst->guard == LOOM_PTX_NONE &&
           inst->operand[1].kind == LOOM_PTX_OP_REG;
}

/* Is it, or what it is a copy of, a number more or less than in the round
 * before? */
static bool steps(const struct ptx_analysis *a, const struct ptx_block *b,
                  uint32_t reg)
{
    const struct loom_ptx_inst *inst = a->function->inst;
    struct found d = find_writes(a, b, reg);
    const struct loom_ptx_operand *o;

    if (d.writes == 1 && copies(&inst[d.at])) {
        reg = inst[d.at].operand[1].reg;
        d = find_writes(a, b, reg);
    }
    o = inst[d.at].operand;
    if (d.writes != 1 || inst[d.at].guard != LOOM_PTX_NONE ||
        (inst[d.at].op != LOOM_PTX_ADD && inst[d.at].op != LOOM_PTX_SUB) ||
        o[1].kind != LOOM_PTX_OP_REG || o[2].kind != LOOM_PTX_OP_IMM) {
        return false;
    }
    if (o[1].reg != reg) {
        d = find_writes(a, b, o[1].reg);
        return d.writes == 1 && copies(&inst[d.at]) &&
               inst[d.at].operand[1].reg == reg;
    }
    return true;
}

bool ptx_counts(const struct ptx_analysis *a, const struct ptx_block *b)
{
    const struct loom_ptx_inst *inst = &a->function->inst[b->last];
    uint32_t known = 0, stepping = 0;
    struct found d;

    if (inst->guard == LOOM_PTX_NONE) {
        return false;
    }
    d = find_writes(a, b, inst->guard);
    inst = &a->function->inst[d.at];
    if (d.writes != 1 || inst->op != LOOM_PTX_SETP || ptx_inst_real(inst)) {
        return false;
    }
    for (uint32_t k = 1; k < inst->operand_count; k++) {
        const struct loom_ptx_operand *o = &inst->operand[k];
        bool reg = o->kind == LOOM_PTX_OP_REG;

        if (reg && find_writes(a, b, o->reg).writes != 0) {
            stepping += steps(a, b, o->reg);
        } else {
            known += reg || o->kind == LOOM_PTX_OP_IMM;
        }
    }
    return known == 1 && stepping == 1;
}

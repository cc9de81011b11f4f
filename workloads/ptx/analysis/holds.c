/*
 * What a compiler knows of registers: which are the same for all lanes, and
 * can be in a uniform register or in the constant bank, and of which integers
 * of 64 bits the upper half is zero; and which loops count to what is known
 * before them.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct holds {
    const struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    uint8_t *holds;   /* [reg_count] */
    uint32_t *writes; /* [reg_count] */
    bool same, once;  /* of one instruction: what it reads; what it writes */
    uint8_t set;
};

static void count_write(void *context, uint32_t reg, bool write)
{
    uint32_t *writes = context;

    writes[reg] += write;
}

static void look(void *context, uint32_t reg, bool write)
{
    struct holds *h = context;

    if (write) {
        h->once = h->once && h->writes[reg] == 1;
    } else {
        h->same = h->same && (h->holds[reg] & PTX_HOLDS_SAME) != 0;
    }
}

static void set(void *context, uint32_t reg, bool write)
{
    struct holds *h = context;

    h->holds[reg] |= write ? h->set : 0;
}

static bool special_is_same(uint32_t what)
{
    return what >= LOOM_PTX_NTID_X && what <= LOOM_PTX_NCTAID_Z;
}

/* What units for uniform values have instructions for: integers. */
static bool has_uniform_form(const struct holds *h,
                             const struct loom_ptx_inst *inst)
{
    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_LD:
        return ptx_kernel_param(h->a, inst) || inst->space == LOOM_PTX_CONST;
    case LOOM_PTX_MOV:
        return inst->operand[1].kind != LOOM_PTX_OP_SPECIAL ||
               special_is_same((uint32_t)inst->operand[1].value);
    case LOOM_PTX_CVT:
        return !loom_ptx_type_real((enum loom_ptx_type)inst->type[1]);
    case LOOM_PTX_CVTA:
    case LOOM_PTX_ADD:
    case LOOM_PTX_SUB:
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
    case LOOM_PTX_SHL:
    case LOOM_PTX_SHR:
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_NOT:
    case LOOM_PTX_NEG:
    case LOOM_PTX_SETP:
    case LOOM_PTX_SELP:
        return !ptx_carries(inst);
    default:
        return false;
    }
}

/* Constants in memory at a known address are operands, of any type. */
static bool is_constant(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_LD && inst->vector <= 1 &&
           inst->space == LOOM_PTX_CONST;
}

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

bool ptx_find_holds(const struct ptx_analysis *a, const bool *constant,
                    uint8_t *holds)
{
    struct holds h = {.a = a, .f = a->function, .holds = holds};

    h.writes = calloc((size_t)h.f->reg_count + 1, sizeof(*h.writes));
    if (h.writes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < h.f->inst_count; i++) {
        loom_ptx_visit(&h.f->inst[i], count_write, h.writes);
    }
    for (uint32_t reg = 0; reg < h.f->reg_count; reg++) {
        holds[reg] = constant[reg] ? PTX_HOLDS_SAME : 0;
    }
    for (uint32_t i = 0; i < h.f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &h.f->inst[i];
        bool plain = inst->guard == LOOM_PTX_NONE;

        h.same = h.once = true;
        loom_ptx_visit(inst, look, &h);
        h.same = h.same && h.f->entry && plain &&
                 (is_constant(inst) ||
                  (!ptx_inst_real(inst) && has_uniform_form(&h, inst)));
        h.set = (uint8_t)((h.same ? PTX_HOLDS_SAME : 0) |
                          (upper_is_zero(inst) ? PTX_HOLDS_LOW : 0));
        if (h.once && h.set != 0) {
            loom_ptx_visit(inst, set, &h);
        }
    }
    free(h.writes);
    return true;
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

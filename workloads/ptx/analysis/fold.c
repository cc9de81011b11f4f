/*
 * What a compiler leaves of single instructions: how many of the machine's
 * each is, and which are none.
 *
 * An instruction is folded if its result becomes an operand of those that read
 * it: immediates, copies, conversions between spaces or of width, offsets of
 * addresses, products that are added, negations.  Who reads such a register
 * reads the sources of the folded instruction instead (`forward`), which are
 * the same then: written once, or not written before the last reader.
 *
 * The other way round, integers of 64 bits take two instructions or more; but
 * those of which nobody needs the upper half, as addresses of shared memory.
 *
 * Nothing here changes what is executed.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define FAR 512u  /* instructions that are looked through for a write */
#define LEAVES 4u /* registers that a folded instruction stands for */

/* How often a register is read, and by whom. */
struct readers {
    uint32_t writes, reads;
    uint32_t def;          /* an instruction that writes it */
    uint32_t first, last;  /* instructions that read it */
    uint32_t bases;        /* reads as the base of an address */
    uint32_t sums, wides;  /* by sums of 32 bits, of 64 bits */
    uint32_t logic, reals; /* by logic, by arithmetic of real numbers */
};

struct fold {
    struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    struct ptx_schedule *s;
    struct readers *of; /* [reg_count] */
    uint8_t *leaves;    /* [inst_count] of a folded instruction */
    bool *taken;        /* [inst_count] has a folded operand already */
    bool *needed;       /* [inst_count] */
    uint32_t at;
};

/* ---- kinds of instructions ---- */

/* Bytes of an integer operation that count: of its result, if that is a
 * register of which only the lower half is needed, 4. */
static uint32_t width_of(const struct fold *f, const struct loom_ptx_inst *inst)
{
    uint32_t bytes = ptx_inst_bytes(inst);

    return bytes == 8 && inst->operand_count > 0 &&
                   inst->operand[0].kind == LOOM_PTX_OP_REG &&
                   f->s->low[inst->operand[0].reg]
               ? 4
               : bytes;
}

static bool sum_of(const struct fold *f, const struct loom_ptx_inst *inst,
                   uint32_t bytes)
{
    return (inst->op == LOOM_PTX_ADD || inst->op == LOOM_PTX_SUB) &&
           !ptx_inst_real(inst) && width_of(f, inst) == bytes &&
           (inst->flags & (LOOM_PTX_CC | LOOM_PTX_SAT)) == 0;
}

static bool logic_of(const struct loom_ptx_inst *inst)
{
    return (inst->op == LOOM_PTX_AND || inst->op == LOOM_PTX_OR ||
            inst->op == LOOM_PTX_XOR || inst->op == LOOM_PTX_NOT) &&
           inst->type[0] != LOOM_PTX_PRED;
}

static bool takes_signs(const struct loom_ptx_inst *inst)
{
    return ptx_inst_real(inst) &&
           (inst->op == LOOM_PTX_ADD || inst->op == LOOM_PTX_SUB ||
            inst->op == LOOM_PTX_MUL || inst->op == LOOM_PTX_FMA ||
            inst->op == LOOM_PTX_MAD);
}

static bool immediate(const struct loom_ptx_operand *o)
{
    return o->kind == LOOM_PTX_OP_IMM || o->kind == LOOM_PTX_OP_F32 ||
           o->kind == LOOM_PTX_OP_F64;
}

/* ---- who reads what ---- */

static void note(void *context, uint32_t reg, bool write)
{
    struct fold *f = context;
    struct readers *r = &f->of[reg];
    const struct loom_ptx_inst *inst = &f->f->inst[f->at];

    if (write) {
        r->writes++;
        r->def = f->at;
        return;
    }
    r->first = r->reads == 0 ? f->at : r->first;
    r->last = f->at;
    r->reads++;
    r->sums += sum_of(f, inst, 4);
    r->wides += sum_of(f, inst, 8);
    r->logic += logic_of(inst);
    r->reals += takes_signs(inst);
}

static void note_all(struct fold *f)
{
    for (f->at = 0; f->at < f->f->inst_count; f->at++) {
        const struct loom_ptx_inst *inst = &f->f->inst[f->at];
        uint32_t base = ptx_base_of(inst);

        if (f->needed[f->at]) {
            loom_ptx_visit(inst, note, f);
            if (base != LOOM_PTX_NONE) {
                f->of[base].bases++;
            }
        }
    }
}

/* ---- is it the same there? ---- */

struct written {
    uint32_t reg;
    bool found;
};

static void see_write(void *context, uint32_t reg, bool write)
{
    struct written *w = context;

    w->found = w->found || (write && reg == w->reg);
}

/* Has `reg`, which f->at reads, the same value wherever `r` is read? */
static bool same_value(const struct fold *f, uint32_t reg,
                       const struct readers *r)
{
    const struct ptx_block *block = &f->a->block[f->a->block_of[f->at]];
    struct written w = {.reg = reg};

    if (f->of[reg].writes <= 1) {
        return f->of[reg].writes == 0 || f->of[reg].def < f->at;
    }
    if (r->first <= f->at || r->last > block->last || r->last - f->at > FAR) {
        return false;
    }
    for (uint32_t i = f->at + 1; i < r->last && !w.found; i++) {
        loom_ptx_visit(&f->f->inst[i], see_write, &w);
    }
    return !w.found;
}

struct check {
    const struct fold *f;
    uint32_t leaves;
    bool ok;
};

static void check_dest(void *context, uint32_t reg, bool write)
{
    struct check *c = context;

    c->ok = c->ok && (!write || c->f->of[reg].writes == 1);
}

struct source {
    struct check *c;
    uint32_t to;
};

static void check_source(void *context, uint32_t reg, bool write)
{
    struct source *s = context;
    const struct fold *f = s->c->f;
    uint32_t from = f->s->forward[reg];

    if (!write) {
        s->c->ok = s->c->ok && same_value(f, reg, &f->of[s->to]);
        s->c->leaves += from == LOOM_PTX_NONE ? 1 : f->leaves[from];
    }
}

static void check_sources(void *context, uint32_t reg, bool write)
{
    struct check *c = context;
    struct source source = {c, reg};

    if (write) {
        c->leaves = 0;
        loom_ptx_visit(&c->f->f->inst[c->f->at], check_source, &source);
    }
}

static void set_forward(void *context, uint32_t reg, bool write)
{
    struct fold *f = context;

    if (write) {
        f->s->forward[reg] = f->at;
    }
}

/* Folds the instruction into its readers if that says the same. */
static bool fold(struct fold *f)
{
    const struct loom_ptx_inst *inst = &f->f->inst[f->at];
    struct check c = {f, 0, inst->guard == LOOM_PTX_NONE};

    loom_ptx_visit(inst, check_dest, &c);
    if (c.ok) {
        loom_ptx_visit(inst, check_sources, &c);
    }
    if (!c.ok || c.leaves > LEAVES) {
        return false;
    }
    loom_ptx_visit(inst, set_forward, f);
    f->leaves[f->at] = (uint8_t)c.leaves;
    f->s->times[f->at] = 0;
    return true;
}

/* Likewise, into the one reader, of whose operands only one may be such. */
static bool fold_once(struct fold *f, const struct readers *r)
{
    if (r->reads != 1 || f->taken[f->at] || f->taken[r->last] || !fold(f)) {
        return false;
    }
    f->taken[r->last] = true;
    return true;
}

/* ---- rules ---- */

static const struct readers *dest_of(const struct fold *f,
                                     const struct loom_ptx_inst *inst)
{
    return inst->operand_count > 0 && inst->operand[0].kind == LOOM_PTX_OP_REG
               ? &f->of[inst->operand[0].reg]
               : NULL;
}

static void rule_mov(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *from = &inst->operand[1];

    if (immediate(from) || from->kind == LOOM_PTX_OP_REG ||
        from->kind == LOOM_PTX_OP_VECTOR ||
        inst->operand[0].kind == LOOM_PTX_OP_VECTOR) {
        fold(f);
    }
    if (from->kind == LOOM_PTX_OP_REG && width_of(f, inst) == 8 &&
        f->s->times[f->at] != 0) {
        f->s->times[f->at] = 2;
    }
}

/* Does the value come from a load that has extended it? */
static bool loaded(const struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *o = &inst->operand[1];

    return o->kind == LOOM_PTX_OP_REG && f->of[o->reg].writes == 1 &&
           f->f->inst[f->of[o->reg].def].op == LOOM_PTX_LD;
}

static void rule_cvt(struct fold *f, const struct loom_ptx_inst *inst)
{
    enum loom_ptx_type from = (enum loom_ptx_type)inst->type[1];
    uint32_t had = loom_ptx_type_bytes(from), has = width_of(f, inst);
    bool is_signed = from >= LOOM_PTX_S8 && from <= LOOM_PTX_S64;
    const struct readers *r = dest_of(f, inst);

    if (ptx_inst_real(inst) || loom_ptx_type_real(from) ||
        (inst->flags & LOOM_PTX_SAT) != 0) {
        return;
    }
    if (has <= had || (had == 4 && !is_signed) ||
        (had == 4 && r != NULL && r->reads == r->wides) ||
        (had < 4 && has <= 4 && loaded(f, inst))) {
        fold(f);
    }
}

static void rule_product(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct readers *r = dest_of(f, inst);

    if (ptx_inst_real(inst) || r == NULL) {
        return;
    }
    if (inst->half == LOOM_PTX_WIDE) {
        if (ptx_inst_bytes(inst) == 4 && r->reads == r->wides + r->sums) {
            fold(f);
        }
    } else if (inst->half == LOOM_PTX_HIGH) {
        f->s->times[f->at] = ptx_inst_bytes(inst) == 8 ? 8 : 1;
    } else if (width_of(f, inst) == 8) {
        bool by_number = immediate(&inst->operand[2]);

        if (inst->op != LOOM_PTX_MUL || !by_number || r->reads != r->wides ||
            !fold(f)) {
            f->s->times[f->at] = by_number ? 2 : 4;
        }
    } else if (inst->op == LOOM_PTX_MUL && r->sums == 1) {
        fold_once(f, r);
    }
}

/* Does a folded product come in? */
static bool has_product(const struct fold *f, const struct loom_ptx_inst *inst)
{
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        const struct loom_ptx_operand *o = &inst->operand[i];
        uint32_t from =
            o->kind == LOOM_PTX_OP_REG ? f->s->forward[o->reg] : LOOM_PTX_NONE;

        if (from != LOOM_PTX_NONE && f->f->inst[from].op == LOOM_PTX_MUL &&
            f->f->inst[from].half == LOOM_PTX_WIDE) {
            return true;
        }
    }
    return false;
}

static void rule_sum(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct readers *r = dest_of(f, inst);
    bool wide = sum_of(f, inst, 8);

    if (r == NULL || (!wide && !sum_of(f, inst, 4))) {
        return;
    }
    if (immediate(&inst->operand[2]) && r->reads == r->bases && fold(f)) {
        return;
    }
    if (wide) {
        f->s->times[f->at] = has_product(f, inst) ? 1 : 2;
    } else if (r->sums == 1) {
        fold_once(f, r);
    }
}

static void rule_shift(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct readers *r = dest_of(f, inst);
    bool wide = width_of(f, inst) == 8;

    if (r == NULL) {
        return;
    }
    if (inst->op == LOOM_PTX_SHL && immediate(&inst->operand[2])) {
        if (wide && r->wides == r->reads && fold(f)) {
            return;
        }
        if (!wide && r->sums == 1 && fold_once(f, r)) {
            return;
        }
    }
    f->s->times[f->at] = wide ? 2 : 1;
}

static void rule_logic(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct readers *r = dest_of(f, inst);

    if (r == NULL) {
        return;
    }
    if (inst->type[0] == LOOM_PTX_PRED) {
        bool compared = inst->op == LOOM_PTX_NOT;

        for (uint32_t i = 1; i < inst->operand_count; i++) {
            const struct loom_ptx_operand *o = &inst->operand[i];

            compared = compared ||
                       (o->kind == LOOM_PTX_OP_REG &&
                        f->of[o->reg].writes == 1 && f->of[o->reg].reads == 1 &&
                        f->f->inst[f->of[o->reg].def].op == LOOM_PTX_SETP);
        }
        if (compared) {
            fold(f);
        }
        return;
    }
    if (r->logic != 1 || !fold_once(f, r)) {
        f->s->times[f->at] = width_of(f, inst) == 8 ? 2 : 1;
    }
}

static void set_sequence(struct fold *f, enum ptx_sequence sequence)
{
    f->s->sequence[f->at] = (uint8_t)sequence;
    f->s->times[f->at] = 0;
    for (uint32_t i = 0; i < ptx_sequences[sequence].count; i++) {
        f->s->times[f->at] = (uint8_t)(f->s->times[f->at] +
                                       ptx_sequences[sequence].step[i].count);
    }
}

/* Others: what integers of 64 bits cost. */
static void rule_other(struct fold *f, const struct loom_ptx_inst *inst)
{
    const struct readers *r = dest_of(f, inst);
    bool wide = !ptx_inst_real(inst) && width_of(f, inst) == 8;

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_CVTA:
        fold(f);
        break;
    case LOOM_PTX_NEG:
    case LOOM_PTX_ABS:
        if (r != NULL && ptx_inst_real(inst) && r->reads == r->reals) {
            fold(f);
        } else {
            f->s->times[f->at] = wide ? 2 : 1;
        }
        break;
    case LOOM_PTX_SETP:
        wide = !ptx_inst_real(inst) && ptx_inst_bytes(inst) == 8;
        f->s->times[f->at] = wide ? 2 : 1;
        break;
    case LOOM_PTX_SELP:
        f->s->times[f->at] = wide ? 2 : 1;
        break;
    case LOOM_PTX_MIN:
    case LOOM_PTX_MAX:
        f->s->times[f->at] = wide ? 4 : 1;
        break;
    case LOOM_PTX_BFE:
    case LOOM_PTX_SAD:
        f->s->times[f->at] = 2;
        break;
    case LOOM_PTX_CLZ:
        set_sequence(f, PTX_CLZ);
        break;
    case LOOM_PTX_SIN:
    case LOOM_PTX_COS:
        set_sequence(f, PTX_ANGLE);
        break;
    case LOOM_PTX_SQRT:
        if (inst->type[0] == LOOM_PTX_F32 &&
            (inst->flags & LOOM_PTX_APPROX) == 0) {
            set_sequence(f, PTX_ROOT);
        }
        break;
    default:
        break;
    }
}

static void apply_rules(struct fold *f)
{
    const struct loom_ptx_inst *inst = &f->f->inst[f->at];

    f->s->times[f->at] = f->needed[f->at] ? 1 : 0;
    if (ptx_carries(inst) || !f->needed[f->at]) {
        return;
    }
    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_MOV:
        rule_mov(f, inst);
        break;
    case LOOM_PTX_CVT:
        rule_cvt(f, inst);
        break;
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
        rule_product(f, inst);
        break;
    case LOOM_PTX_ADD:
    case LOOM_PTX_SUB:
        rule_sum(f, inst);
        break;
    case LOOM_PTX_SHL:
    case LOOM_PTX_SHR:
        rule_shift(f, inst);
        break;
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_NOT:
        rule_logic(f, inst);
        break;
    default:
        rule_other(f, inst);
        break;
    }
    if (f->s->times[f->at] > 1 && f->s->sequence[f->at] == PTX_ALIKE) {
        f->s->sequence[f->at] =
            inst->op == LOOM_PTX_ADD || inst->op == LOOM_PTX_SUB ? PTX_SUM
                                                                 : PTX_WIDE;
    }
}

bool ptx_fold(struct ptx_analysis *a)
{
    struct fold f = {.a = a, .f = a->function, .s = a->schedule};
    size_t insts = (size_t)a->inst_count + 1;
    bool ok;

    f.of = calloc((size_t)a->function->reg_count + 1, sizeof(*f.of));
    f.leaves = calloc(insts, sizeof(*f.leaves));
    f.taken = calloc(2 * insts, sizeof(*f.taken));
    ok = f.of != NULL && f.leaves != NULL && f.taken != NULL;
    if (ok) {
        f.needed = f.taken + insts;
        ok = ptx_find_needs(a, f.needed);
    }
    if (ok) {
        note_all(&f);
        for (f.at = 0; f.at < a->inst_count; f.at++) {
            apply_rules(&f);
        }
    }
    free(f.of);
    free(f.leaves);
    free(f.taken);
    return ok;
}

/* ---- what is left ---- */

struct through {
    const struct ptx_analysis *a;
    void (*visit)(void *context, uint32_t reg, bool write);
    void *context;
};

static void see_through(void *context, uint32_t reg, bool write);

static void see_source(void *context, uint32_t reg, bool write)
{
    if (!write) {
        see_through(context, reg, false);
    }
}

/* A folded instruction comes before those that it is folded into, and has few
 * sources: this ends. */
static void see_through(void *context, uint32_t reg, bool write)
{
    const struct through *t = context;
    uint32_t from = write ? LOOM_PTX_NONE : t->a->schedule->forward[reg];

    if (from == LOOM_PTX_NONE) {
        t->visit(t->context, reg, write);
    } else {
        loom_ptx_visit(&t->a->function->inst[from], see_source, context);
    }
}

void ptx_visit(const struct ptx_analysis *a, uint32_t i,
               void (*visit)(void *context, uint32_t reg, bool write),
               void *context)
{
    struct through t = {a, visit, context};

    if (a->schedule == NULL) {
        loom_ptx_visit(&a->function->inst[i], visit, context);
    } else if (a->schedule->times[i] != 0) {
        loom_ptx_visit(&a->function->inst[i], see_through, &t);
    }
}

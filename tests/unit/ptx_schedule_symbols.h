/*
 * Computing PTX with symbols for values, as its text has it and as it is timed.
 *
 * A value is a root and a distance from it, so that places can be compared.
 */
#ifndef TESTS_UNIT_PTX_SCHEDULE_SYMBOLS_H
#define TESTS_UNIT_PTX_SCHEDULE_SYMBOLS_H

#include <stdlib.h>

#include "tests/unit/test.h"
#include "workloads/ptx/analysis/analysis.h"

struct sym {
    uint64_t root;
    int64_t distance;
};

struct sym_machine {
    const struct ptx_analysis *a;
    struct sym *reg; /* [reg_count] */
    bool *set;       /* [reg_count]: written in this region */
    bool lazily;     /* folded registers are computed where they are read */
    uint64_t seen;   /* digest of operands */
    uint32_t inst;
};

static inline uint64_t sym_mix(uint64_t x, uint64_t y)
{
    x = (x ^ y) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static struct sym sym_read(struct sym_machine *m, uint32_t reg);

static inline void sym_operand(void *context, uint32_t reg, bool write)
{
    struct sym_machine *m = context;

    if (!write) {
        struct sym s = sym_read(m, reg);

        m->seen = sym_mix(sym_mix(m->seen, s.root), (uint64_t)s.distance);
    }
}

static inline uint64_t sym_operands(struct sym_machine *m, uint32_t i)
{
    uint64_t before = m->seen, seen;

    m->seen = i + 1;
    loom_ptx_visit(&m->a->function->inst[i], sym_operand, m);
    seen = m->seen;
    m->seen = before;
    return seen;
}

/* Sums with numbers and copies keep the root. */
static inline struct sym sym_result(struct sym_machine *m, uint32_t i,
                                    uint32_t nth)
{
    const struct loom_ptx_inst *inst = &m->a->function->inst[i];
    const struct loom_ptx_operand *o = inst->operand;
    bool plain = inst->guard == LOOM_PTX_NONE && inst->operand_count > 1 &&
                 o[1].kind == LOOM_PTX_OP_REG && o[0].kind == LOOM_PTX_OP_REG &&
                 !loom_ptx_type_real((enum loom_ptx_type)inst->type[0]);

    if (plain && (inst->op == LOOM_PTX_CVTA || inst->op == LOOM_PTX_MOV)) {
        return sym_read(m, o[1].reg);
    }
    if (plain && (inst->op == LOOM_PTX_ADD || inst->op == LOOM_PTX_SUB) &&
        o[2].kind == LOOM_PTX_OP_IMM) {
        struct sym s = sym_read(m, o[1].reg);

        s.distance += inst->op == LOOM_PTX_ADD ? o[2].value : -o[2].value;
        return s;
    }
    return (struct sym){sym_mix(sym_operands(m, i), nth), 0};
}

struct sym_find {
    uint32_t reg, nth, found;
};

static inline void sym_nth(void *context, uint32_t reg, bool write)
{
    struct sym_find *f = context;

    if (write) {
        f->found = reg == f->reg ? f->nth : f->found;
        f->nth++;
    }
}

static inline struct sym sym_folded(struct sym_machine *m, uint32_t reg)
{
    uint32_t from = m->a->schedule->forward[reg];
    struct sym_find f = {reg, 0, 0};

    loom_ptx_visit(&m->a->function->inst[from], sym_nth, &f);
    return sym_result(m, from, f.found);
}

static inline struct sym sym_read(struct sym_machine *m, uint32_t reg)
{
    bool folded = m->a->schedule->forward[reg] != LOOM_PTX_NONE;

    /* Before the region it was computed from what its sources are then. */
    if (folded && (m->lazily || !m->set[reg])) {
        return sym_folded(m, reg);
    }
    return m->set[reg] ? m->reg[reg] : (struct sym){sym_mix(99, reg), 0};
}

struct sym_write {
    struct sym_machine *m;
    struct sym value[64];
    uint32_t reg[64], count;
};

static inline void sym_dest(void *context, uint32_t reg, bool write)
{
    struct sym_write *w = context;

    if (write) {
        struct sym value = sym_result(w->m, w->m->inst, w->count);

        if (w->m->a->function->inst[w->m->inst].guard != LOOM_PTX_NONE) {
            struct sym old = sym_read(w->m, reg);

            value.root =
                sym_mix(sym_mix(value.root, old.root), (uint64_t)old.distance);
        }
        REQUIRE(w->count < 64);
        w->reg[w->count] = reg;
        w->value[w->count++] = value;
    }
}

/* All reads, then all writes. */
static inline void sym_execute(struct sym_machine *m, uint32_t i)
{
    struct sym_write w = {.m = m};

    m->inst = i;
    loom_ptx_visit(&m->a->function->inst[i], sym_dest, &w);
    for (uint32_t k = 0; k < w.count; k++) {
        m->reg[w.reg[k]] = w.value[k];
        m->set[w.reg[k]] = true;
    }
}

#endif

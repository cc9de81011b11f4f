/*
 * Is a schedule one of the same program?  Its regions are computed twice with
 * symbols for values: as the text has them, and as they are timed.  Every
 * timed instruction must see the same operands in both, and leave the same
 * registers; and what accesses memory must keep its order where both may be at
 * one place.
 */
#ifndef TESTS_UNIT_PTX_SCHEDULE_CHECK_H
#define TESTS_UNIT_PTX_SCHEDULE_CHECK_H

#include "tests/unit/ptx_schedule_symbols.h"

/* ---- memory ---- */

struct sym_access {
    bool load, store, fence;
    uint32_t space;
    uint64_t root;
    int64_t from, to;
    bool known, var;
};

static inline struct sym_access sym_access_of(struct sym_machine *m, uint32_t i)
{
    const struct loom_ptx_inst *inst = &m->a->function->inst[i];
    uint8_t group = loom_ptx_opcodes[inst->op].group;
    uint32_t at = loom_ptx_address_operand(inst);
    struct sym_access x = {.space = inst->space};

    x.load = inst->op == LOOM_PTX_LD && inst->space != LOOM_PTX_CONST &&
             !ptx_kernel_param(m->a, inst);
    x.store = inst->op == LOOM_PTX_ST;
    x.fence = group == LOOM_PTX_G_BARRIER || group == LOOM_PTX_G_MEMBAR ||
              group == LOOM_PTX_G_ATOMIC ||
              ((x.load || x.store) && inst->order > LOOM_PTX_WEAK);
    if ((x.load || x.store) && inst->operand[at].kind == LOOM_PTX_OP_ADDRESS) {
        const struct loom_ptx_operand *o = &inst->operand[at];
        struct sym s = {(uint64_t)(uintptr_t)o->var, 0};

        s = o->reg != LOOM_PTX_NONE ? sym_read(m, o->reg) : s;
        x.known = true;
        x.var = o->reg == LOOM_PTX_NONE;
        x.root = s.root;
        x.from = s.distance + o->value;
        x.to = x.from + loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]) *
                            (inst->vector > 1 ? inst->vector : 1u);
    }
    return x;
}

/* May the two not change places? */
static inline bool sym_clash(const struct sym_access *x,
                             const struct sym_access *y)
{
    bool memory =
        (x->load || x->store || x->fence) && (y->load || y->store || y->fence);
    bool spaces = x->space == y->space || x->space == LOOM_PTX_GENERIC ||
                  y->space == LOOM_PTX_GENERIC;

    if (!memory || (x->load && y->load && !x->fence && !y->fence)) {
        return false;
    }
    if (x->fence || y->fence) {
        return true;
    }
    if (!spaces || (x->var && y->var && x->root != y->root)) {
        return false;
    }
    return !x->known || !y->known || x->root != y->root ||
           (x->to > y->from && y->to > x->from);
}

/* ---- a region ---- */

struct sym_record { /* of an instruction of the region */
    uint64_t seen;
    uint32_t place; /* in the timed order */
    struct sym_access access;
};

static inline void sym_start(struct sym_machine *m, bool lazily)
{
    memset(m->set, 0, m->a->function->reg_count * sizeof(*m->set));
    m->lazily = lazily;
}

static inline uint32_t sym_check_registers(struct sym_machine *m,
                                           const struct sym *want,
                                           const bool *set, uint32_t first,
                                           uint32_t last)
{
    uint32_t bad = 0;

    for (uint32_t r = 0; r < m->a->function->reg_count; r++) {
        bool whole = set[r] && m->a->schedule->forward[r] == LOOM_PTX_NONE;

        for (uint32_t i = first; whole && i <= last; i++) {
            struct sym_find f = {r, 1, 0};

            loom_ptx_visit(&m->a->function->inst[i], sym_nth, &f);
            whole = f.found == 0 || m->a->schedule->times[i] != 0;
        }
        if (whole) {
            bad += !m->set[r] || m->reg[r].root != want[r].root ||
                   m->reg[r].distance != want[r].distance;
        }
    }
    return bad;
}

/* Mistakes of one region. */
static inline uint32_t sym_check_region(struct sym_machine *m, uint32_t first,
                                        uint32_t last)
{
    static struct sym_record record[PTX_REGION];
    const struct ptx_schedule *s = m->a->schedule;
    uint32_t regs = m->a->function->reg_count, bad = 0;
    struct sym *want = calloc(regs + 1, sizeof(*want));
    bool *set = calloc(regs + 1, sizeof(*set));

    memset(record, 0xff, sizeof(record));
    sym_start(m, false);
    for (uint32_t i = first; i <= last; i++) {
        record[i - first].seen = sym_operands(m, i);
        record[i - first].access = sym_access_of(m, i);
        sym_execute(m, i);
    }
    memcpy(want, m->reg, regs * sizeof(*want));
    memcpy(set, m->set, regs * sizeof(*set));
    sym_start(m, true);
    for (uint32_t k = first; k <= last; k++) {
        uint32_t i = s->order[k];

        if (i < first || i > last || record[i - first].place != UINT32_MAX) {
            bad++; /* no permutation */
            continue;
        }
        record[i - first].place = k;
        if (s->times[i] != 0) {
            bad += sym_operands(m, i) != record[i - first].seen;
            sym_execute(m, i);
        }
    }
    bad += sym_check_registers(m, want, set, first, last);
    for (uint32_t j = first; j <= last; j++) {
        for (uint32_t i = first; i < j; i++) {
            const struct sym_record *x = &record[i - first],
                                    *y = &record[j - first];

            bad += s->times[i] != 0 && s->times[j] != 0 &&
                   x->place > y->place && sym_clash(&x->access, &y->access);
        }
    }
    free(want);
    free(set);
    return bad;
}

/* Mistakes of a schedule; *regions counts what was looked at. */
static inline uint32_t sym_check(const struct ptx_analysis *a,
                                 uint32_t *regions)
{
    uint32_t regs = a->function->reg_count, bad = 0;
    struct sym_machine m = {.a = a,
                            .reg = calloc(regs + 1, sizeof(*m.reg)),
                            .set = calloc(regs + 1, sizeof(*m.set))};

    REQUIRE(m.reg != NULL && m.set != NULL && a->schedule != NULL);
    for (uint32_t i = 0; i < a->inst_count; i = a->schedule->last[i] + 1) {
        uint32_t last = a->schedule->last[i];

        REQUIRE(last >= i && last < a->inst_count);
        bad += a->block_of[i] != a->block_of[last];
        bad += sym_check_region(&m, i, last);
        ++*regions;
    }
    free(m.reg);
    free(m.set);
    return bad;
}

#endif

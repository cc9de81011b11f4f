/*
 * Liveness of virtual registers: from where to where each is needed, and which
 * are constants.
 *
 * Live ranges are found by the usual backward data flow, over the registers
 * that live across blocks only, for most do not.
 *
 * Without a schedule, loads are taken to be issued as early as their block
 * allows.
 *
 * A guarded write may leave the old value, so it does not end a live range;
 * two under opposite guards do, one behind the other.
 *
 * Positions are those of places.c: 2 k: read by the instruction at place k,
 * 2 k + 1: written.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define NOT_GLOBAL UINT32_MAX
#define MAX_WORDS (UINT64_C(1) << 26) /* of one bit set of all blocks */

struct liveness {
    const struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    const struct ptx_sinks *sinks; /* or NULL */
    uint32_t *global;              /* [reg_count]: bit number, or NOT_GLOBAL */
    uint32_t *stamp; /* [reg_count]: block that wrote it last, + 1 */
    uint32_t *of;    /* [globals]: register of a bit */
    uint32_t globals, words;
    uint64_t *use, *kill, *in; /* [blocks * words] */
    struct ptx_ranges range;
    uint32_t at, block; /* while visiting: place and block */
    bool keeps;         /* what is written may keep its old value */
    uint32_t sooner;    /* end of the soonest range of a load's results */
};

static void note_global(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (!write && l->stamp[reg] != l->block + 1 &&
        l->global[reg] == NOT_GLOBAL) {
        l->of[l->globals] = reg;
        l->global[reg] = l->globals++;
    }
}

static void note_kill(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (write && !l->keeps) {
        l->stamp[reg] = l->block + 1;
    }
}

static void note_use(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;
    uint32_t bit = l->global[reg];

    if (!write && bit != NOT_GLOBAL && l->stamp[reg] != l->block + 1) {
        l->use[(size_t)l->block * l->words + bit / 64] |= loom_bit(bit % 64);
    }
}

static void note_kill_bit(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;
    uint32_t bit = l->global[reg];

    note_kill(context, reg, write);
    if (write && !l->keeps && bit != NOT_GLOBAL) {
        l->kill[(size_t)l->block * l->words + bit / 64] |= loom_bit(bit % 64);
    }
}

struct pair {
    const struct loom_ptx_inst *other;
    uint32_t reg; /* to look for */
    bool read, written;
    bool whole;
};

static void look_for(void *context, uint32_t reg, bool write)
{
    struct pair *p = context;

    p->written = p->written || (write && reg == p->reg);
    p->read = p->read || (!write && reg == p->reg);
}

static void see_write(void *context, uint32_t reg, bool write)
{
    struct pair *p = context;
    struct pair found = {.reg = reg};

    if (write) {
        loom_ptx_visit(p->other, look_for, &found);
        p->whole = p->whole && found.written && !found.read;
    }
}

/* Not if the next instruction writes the same under the opposite guard: then
 * one of both does. */
static bool keeps_old(const struct liveness *l, uint32_t i)
{
    const struct loom_ptx_inst *inst = &l->f->inst[i];
    struct pair pair = {.other = inst + 1, .whole = true};

    if (inst->guard == LOOM_PTX_NONE) {
        return false;
    }
    if (i == l->a->block[l->a->block_of[i]].last ||
        inst[1].guard != inst->guard ||
        inst[1].guard_negate == inst->guard_negate) {
        return true;
    }
    loom_ptx_visit(inst, see_write, &pair); /* the guard is read by both */
    return !pair.whole;
}

/* Loads that come from other blocks. */
static void scan_sinks(struct liveness *l,
                       void (*reads)(void *, uint32_t, bool),
                       void (*writes)(void *, uint32_t, bool))
{
    uint32_t i = l->sinks == NULL ? LOOM_PTX_NONE : l->sinks->first[l->block];

    l->at = l->range.place[l->block];
    l->keeps = false;
    for (; i != LOOM_PTX_NONE; i = l->sinks->next[i]) {
        ptx_visit(l->a, i, reads, l);
        ptx_visit(l->a, i, writes, l);
    }
}

/* Each instruction: all reads, then all writes. */
static void scan(struct liveness *l, void (*reads)(void *, uint32_t, bool),
                 void (*writes)(void *, uint32_t, bool))
{
    memset(l->stamp, 0, l->f->reg_count * sizeof(*l->stamp));
    for (l->block = 0; l->block < l->a->block_count; l->block++) {
        const struct ptx_block *block = &l->a->block[l->block];

        scan_sinks(l, reads, writes);
        for (uint32_t k = 0; k <= block->last - block->first; k++) {
            uint32_t i;

            l->at = l->range.place[l->block] + k;
            i = l->range.inst[l->at];
            if (l->sinks != NULL && l->sinks->moved[i]) {
                continue;
            }
            l->keeps = keeps_old(l, i);
            ptx_visit(l->a, i, reads, l);
            ptx_visit(l->a, i, writes, l);
        }
    }
}

static bool flow_block(struct liveness *l, uint32_t b)
{
    const struct ptx_block *block = &l->a->block[b];
    uint64_t *in = l->in + (size_t)b * l->words;
    const uint64_t *use = l->use + (size_t)b * l->words;
    const uint64_t *kill = l->kill + (size_t)b * l->words;
    bool changed = false;

    for (uint32_t w = 0; w < l->words; w++) {
        uint64_t out = 0;
        uint64_t next;

        for (uint32_t s = 0; s < ptx_successors(block); s++) {
            uint32_t to = ptx_successor(block, s);

            if (to != PTX_NO_BLOCK) {
                out |= l->in[(size_t)to * l->words + w];
            }
        }
        next = use[w] | (out & ~kill[w]);
        changed = changed || next != in[w];
        in[w] = next;
    }
    return changed;
}

static void flow(struct liveness *l)
{
    bool changed = l->words > 0;

    while (changed) {
        changed = false;
        for (uint32_t b = l->a->block_count; b-- > 0;) {
            changed = flow_block(l, b) || changed;
        }
    }
}

static void extend(struct liveness *l, uint32_t reg, uint32_t from, uint32_t to)
{
    l->range.start[reg] =
        from < l->range.start[reg] ? from : l->range.start[reg];
    l->range.end[reg] = to > l->range.end[reg] ? to : l->range.end[reg];
}

static void extend_read(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (!write) {
        extend(l, reg, 2 * l->at, 2 * l->at);
    }
}

static void extend_write(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (write) {
        extend(l, reg, 2 * l->at + 1, 2 * l->at + 1);
    }
}

/* Registers that live into a block, or out of it, fill it up to its edge. */
static void extend_edges(struct liveness *l)
{
    for (uint32_t b = 0; b < l->a->block_count; b++) {
        const struct ptx_block *block = &l->a->block[b];
        uint32_t first = l->range.place[b];
        uint32_t last = first + block->last - block->first;

        for (uint32_t w = 0; w < l->words; w++) {
            uint64_t in = l->in[(size_t)b * l->words + w];
            uint64_t out = 0;

            for (uint32_t s = 0; s < ptx_successors(block); s++) {
                uint32_t to = ptx_successor(block, s);

                if (to != PTX_NO_BLOCK) {
                    out |= l->in[(size_t)to * l->words + w];
                }
            }
            for (; in != 0; in &= in - 1) {
                uint32_t reg = l->of[w * 64 + loom_lowest(in)];

                extend(l, reg, 2 * first, 2 * first);
            }
            for (; out != 0; out &= out - 1) {
                uint32_t reg = l->of[w * 64 + loom_lowest(out)];

                extend(l, reg, 2 * last + 1, 2 * last + 1);
            }
        }
    }
}

static void touch_write(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (write) {
        l->stamp[reg] = 2 * l->at + 1;
    }
}

/* A compiler moves loads up, to have many on their way at a time, and their
 * results are live from there: from where the address is known, behind the
 * last store or barrier and the last use of the result's register. */
static void hoist_loads(struct liveness *l)
{
    uint32_t fence = 0;

    memset(l->stamp, 0, l->f->reg_count * sizeof(*l->stamp));
    for (l->at = 0; l->at < l->f->inst_count; l->at++) {
        uint32_t i = l->range.inst[l->at];
        const struct loom_ptx_inst *inst = &l->f->inst[i];
        uint8_t group = loom_ptx_opcodes[inst->op].group;

        if (i == l->a->block[l->a->block_of[i]].first) {
            fence = 2 * l->at;
        }
        if (inst->op == LOOM_PTX_LD && inst->guard == LOOM_PTX_NONE &&
            inst->operand[0].kind == LOOM_PTX_OP_REG &&
            inst->space != LOOM_PTX_PARAM &&
            inst->space != LOOM_PTX_PARAM_ENTRY &&
            inst->space != LOOM_PTX_PARAM_FUNC) {
            uint32_t to = inst->operand[0].reg;
            uint32_t base = inst->operand[1].reg, from = fence;

            if (l->stamp[to] > from) {
                from = l->stamp[to];
            }
            if (base != LOOM_PTX_NONE && l->stamp[base] > from) {
                from = l->stamp[base];
            }
            extend(l, to, from, from);
        } else if (group == LOOM_PTX_G_STORE || group == LOOM_PTX_G_ATOMIC ||
                   group == LOOM_PTX_G_BARRIER || group == LOOM_PTX_G_MEMBAR) {
            fence = 2 * l->at + 1;
        }
        loom_ptx_visit(inst, touch_write, l);
    }
}

/* Soonest end of a result of the load at `at` that is used, in `sooner`. */
static void find_use(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;
    uint32_t end = l->range.end[reg];

    if (write && end > 2 * l->at + 1 && end < l->sooner) {
        l->sooner = end;
    }
}

static void keep_unused(void *context, uint32_t reg, bool write)
{
    struct liveness *l = context;

    if (write && l->range.end[reg] == 2 * l->at + 1) {
        extend(l, reg, l->range.start[reg], l->sooner);
    }
}

/* Results of a vector load that nobody reads keep their registers until
 * another one is read: before that the load still writes them. */
static void keep_vectors(struct liveness *l)
{
    for (l->at = 0; l->at < l->f->inst_count; l->at++) {
        const struct loom_ptx_inst *inst = &l->f->inst[l->range.inst[l->at]];

        if (loom_ptx_opcodes[inst->op].group == LOOM_PTX_G_LOAD) {
            l->sooner = UINT32_MAX;
            loom_ptx_visit(inst, find_use, l);
            if (l->sooner != UINT32_MAX) {
                loom_ptx_visit(inst, keep_unused, l);
            }
        }
    }
}

/* Written once, from a kernel parameter or from such a register. */
static void find_constants(struct liveness *l, uint32_t *writes)
{
    const struct loom_ptx_function *f = l->f;

    for (uint32_t i = 0; f->entry && i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];
        const struct loom_ptx_operand *o = inst->operand;
        bool load = inst->op == LOOM_PTX_LD && inst->vector == 0 &&
                    ptx_kernel_param(l->a, inst) && o[1].reg == LOOM_PTX_NONE;
        bool convert =
            inst->op == LOOM_PTX_CVTA && inst->space == LOOM_PTX_GLOBAL &&
            o[1].kind == LOOM_PTX_OP_REG && l->range.constant[o[1].reg];

        if ((load || convert) && inst->guard == LOOM_PTX_NONE &&
            o[0].kind == LOOM_PTX_OP_REG && writes[o[0].reg] == 1) {
            l->range.constant[o[0].reg] = true;
        }
    }
}

static void count_write(void *context, uint32_t reg, bool write)
{
    uint32_t *writes = context;

    writes[reg] += write;
}

static bool open_bits(struct liveness *l)
{
    size_t count;

    l->words = (l->globals + 63) / 64;
    count = (size_t)l->words * l->a->block_count;
    if (count == 0) {
        return true;
    }
    if (count < MAX_WORDS) {
        l->use = calloc(count * 3, sizeof(*l->use));
    }
    if (l->use == NULL) {
        return false;
    }
    l->kill = l->use + count;
    l->in = l->kill + count;
    return true;
}

static bool analyse(struct liveness *l, uint32_t *memory)
{
    size_t n = (size_t)l->f->reg_count + 1;

    l->global = memory;
    l->stamp = memory + n;
    l->of = memory + 2 * n;
    for (uint32_t i = 0; i < l->f->reg_count; i++) {
        l->global[i] = NOT_GLOBAL;
    }
    /* `start` is free still: it counts writes first. */
    for (uint32_t i = 0; i < l->f->inst_count; i++) {
        loom_ptx_visit(&l->f->inst[i], count_write, l->range.start);
    }
    find_constants(l, l->range.start);
    memset(l->range.start, 0xff, n * sizeof(*l->range.start));
    scan(l, note_global, note_kill);
    if (!open_bits(l)) {
        return false;
    }
    scan(l, note_use, note_kill_bit);
    flow(l);
    scan(l, extend_read, extend_write);
    extend_edges(l);
    if (l->a->schedule == NULL) {
        hoist_loads(l);
    } else {
        keep_vectors(l);
    }
    return true;
}

bool ptx_find_ranges(const struct ptx_analysis *a,
                     const struct ptx_sinks *sinks, struct ptx_ranges *ranges)
{
    size_t n = (size_t)a->function->reg_count + 1;
    size_t insts = (size_t)a->inst_count + 1;
    struct liveness l = {.a = a, .f = a->function, .sinks = sinks};
    uint32_t *memory = calloc(3 * n, sizeof(*memory));
    bool ok;

    ranges->inst = calloc(insts + a->block_count, sizeof(*ranges->inst));
    ranges->start = calloc(2 * n, sizeof(*ranges->start));
    ranges->constant = calloc(n, sizeof(*ranges->constant));
    ok = memory != NULL && ranges->inst != NULL && ranges->start != NULL &&
         ranges->constant != NULL;
    if (ok) {
        ranges->end = ranges->start + n;
        ranges->place = ranges->inst + insts;
        ok = ptx_find_places(a, ranges->place, ranges->inst);
    }
    if (ok) {
        l.range = *ranges;
        ok = analyse(&l, memory);
    }
    ranges->memory = memory;
    ranges->sets = l.use;
    ranges->in = l.in;
    ranges->of = l.of;
    ranges->words = l.words;
    return ok;
}

void ptx_free_ranges(struct ptx_ranges *ranges)
{
    free(ranges->inst);
    free(ranges->start);
    free(ranges->constant);
    free(ranges->sets);
    free(ranges->memory);
}

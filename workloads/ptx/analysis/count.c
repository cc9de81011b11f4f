/*
 * How many registers a compiler gives to a thread.
 *
 * What ptxas 13.0 does for sm_90, as far as small programs show it (decision
 * 0082):
 *
 * - A schedule that hides latencies is what it wants.  The data of stores and
 *   atomics are in registers with odd numbers, beside the address, which begins
 *   with an even one: two banks.  A register that a memory instruction reads
 *   last is left alone for ten instructions.  If all of that fits into 32
 *   registers, so many it takes.
 * - If not it keeps to a step: what a thread may have if an SM is to hold so
 *   many warps.  It takes the lowest one that some order keeps to, and all of
 *   it.
 * - Loops that count are unrolled by 4.
 * - Loads move to the block that needs them (sink.c).
 *
 * So per region of a block there are two schedules, one without a bound and one
 * that has to keep to a step; the most of all regions counts.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/region_private.h"

/* Registers that no value has: the stack's pointer, and two that counts of
 * ptxas have beyond the highest number in code since Volta. */
#define KEPT 3
#define LEAST 4       /* of an empty kernel */
#define LEAST_VALUE 8 /* of one with a value */
/* Of a loop that counts, if nothing forbids it. */
#define UNROLLED 4u
/* Instructions until the registers that a memory instruction reads last are
 * used again. */
#define SPREAD 10u
/* A call of what is compiled elsewhere leaves it 24 registers, and what lives
 * across begins behind 16 of them. */
#define CALL_LEAST 24
#define CALL_BEHIND 16

/* Of a schedule without a bound, in hundredths of a register: of a kernel of
 * one block, and for each that is live at its peak; the same where there are
 * branches, for each at the peak of the order in the text, and each time that
 * the number of blocks is twice as large: ptxas moves instructions from block
 * to block.  Fitted to kernels of half A (decision 0082). */
#define FLEX_ALONE_BASE 550
#define FLEX_ALONE 90
#define FLEX_BASE 410
#define FLEX_FREE 54
#define FLEX_WRITTEN 27
#define FLEX_BLOCKS 127

/* Threads of an SM with 65,536 registers: 64, 51, 42, 36, 32, 28 ... warps. */
static const int32_t step[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255};

enum how {
    AS_WRITTEN,
    BOUND,
    FREELY,     /* what is the same for all lanes in the constant bank, or */
    FREELY_HELD /* in registers */
};

struct play {
    struct region *r;
    struct region_value *value; /* a copy */
    enum how how;
    bool spreads;
    int32_t bound, pressure, most;
    int32_t held[SPREAD], held_now, held_all; /* by memory instructions */
    uint32_t done;                            /* instructions, so far */
    uint64_t ready[PTX_NODE_WORDS];
    uint32_t now;
};

struct count {
    struct region r;
    int32_t low;        /* step */
    int32_t written;    /* most as written */
    int32_t free, held; /* most in a schedule without a bound */
};

/* ---- what an instruction does to the registers in use ---- */

/* Registers that the code sequence behind one instruction has for itself, with
 * its result: what kernels in which it comes between loads of 2 to 40 values
 * and their stores take beyond KEPT, those, its operands and an address. */
static int32_t temporaries(const struct loom_ptx_inst *inst)
{
    bool wide = ptx_inst_bytes(inst) > 4, real = ptx_inst_real(inst);
    bool exact = (inst->flags & (LOOM_PTX_APPROX | LOOM_PTX_FULL)) == 0;
    bool has_sign =
        inst->type[0] >= LOOM_PTX_S8 && inst->type[0] <= LOOM_PTX_S64;

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_DIV:
    case LOOM_PTX_REM:
        if (real) {
            return wide ? 15 : exact ? 8 : 0;
        }
        return wide ? 7 + 2 * has_sign : 2 + 4 * has_sign;
    case LOOM_PTX_SQRT:
        return wide ? 13 : exact ? 6 : 0;
    case LOOM_PTX_RCP:
        return wide ? 7 : exact ? 6 : 0;
    case LOOM_PTX_RSQRT:
        return wide ? 7 : 0;
    default:
        return 0;
    }
}

static bool is_memory(const struct loom_ptx_inst *inst)
{
    uint8_t group = loom_ptx_opcodes[inst->op].group;

    return group == LOOM_PTX_G_LOAD || group == LOOM_PTX_G_STORE ||
           group == LOOM_PTX_G_ATOMIC;
}

static int32_t change_of(const struct play *p, uint32_t n)
{
    const struct region_uses *node = &p->r->uses[n];
    const uint32_t *list = p->r->list + node->first;
    int32_t change = 0;

    for (uint32_t k = 0; k < node->reads; k++) {
        const struct region_value *v = &p->value[list[k]];

        change -= v->left == 1 && !v->out ? v->size : 0;
    }
    for (uint32_t k = node->reads; k < node->reads + node->writes; k++) {
        const struct region_value *v = &p->value[list[k]];

        change += v->left > 0 || v->out ? v->size : 0;
    }
    return change;
}

static void note(struct play *p, int32_t pressure)
{
    p->most = pressure > p->most ? pressure : p->most;
}

static void note_sequences(struct play *p, const struct loom_ptx_inst *inst)
{
    note(p, p->pressure + temporaries(inst));
    if (inst->op == LOOM_PTX_CALL) {
        note(p, p->pressure + CALL_BEHIND - KEPT + 2);
        note(p, CALL_LEAST - KEPT);
    }
}

/* Registers that are free, but kept for a while. */
static void hold(struct play *p, const struct loom_ptx_inst *inst)
{
    int32_t *slot = &p->held[p->done++ % SPREAD];
    int32_t held = p->spreads && is_memory(inst) ? p->held_now : 0;

    if (ptx_has_slow_path(inst)) { /* and longer than that */
        memset(p->held, 0, sizeof(p->held));
        p->held_all = 0;
    }
    p->held_all += held - *slot;
    *slot = held;
    p->held_now = 0;
    note(p, p->pressure + p->held_all);
}

static void do_values(struct play *p, uint32_t n)
{
    const struct loom_ptx_inst *inst = &p->r->f->inst[p->r->node[n].inst];
    const struct region_uses *node = &p->r->uses[n];
    const uint32_t *list = p->r->list + node->first;

    note_sequences(p, inst);
    for (uint32_t k = 0; k < node->reads; k++) {
        struct region_value *v = &p->value[list[k]];

        if (--v->left == 0 && !v->out) {
            p->pressure -= v->size;
            p->held_now += v->size;
        }
    }
    for (uint32_t k = node->reads; k < node->reads + node->writes; k++) {
        p->pressure += p->value[list[k]].size;
    }
    hold(p, inst);
    for (uint32_t k = node->reads; k < node->reads + node->writes; k++) {
        const struct region_value *v = &p->value[list[k]];

        p->pressure -= v->left > 0 || v->out ? 0 : v->size;
    }
}

/* ---- choosing ---- */

struct rank {
    uint32_t node;
    int32_t kind; /* over the bound: frees some -1, takes some 1; else 0 */
    bool waits;
    uint32_t height;
};

static struct rank rank_of(const struct play *p, uint32_t n)
{
    const struct ptx_node *node = &p->r->node[n];
    struct rank rank = {n, 0, node->earliest > p->now, node->height};
    int32_t change = p->how == BOUND ? change_of(p, n) : 0;

    if (p->how == BOUND && p->pressure + (change > 0 ? change : 0) > p->bound) {
        rank.kind = change < 0 ? -1 : 1;
    }
    return rank;
}

/* Over the bound the first in the text, else the one with the longest path. */
static bool better(const struct rank *a, const struct rank *b)
{
    if (a->kind != b->kind || a->kind != 0) {
        return a->kind < b->kind;
    }
    return a->waits != b->waits ? b->waits : a->height > b->height;
}

static uint32_t choose(struct play *p)
{
    struct rank best = {.node = LOOM_PTX_NONE};

    for (uint32_t w = 0; w < PTX_NODE_WORDS; w++) {
        for (uint64_t bits = p->ready[w]; bits != 0; bits &= bits - 1) {
            struct rank rank = rank_of(p, w * 64 + loom_lowest(bits));

            if (best.node == LOOM_PTX_NONE || better(&rank, &best)) {
                best = rank;
            }
        }
    }
    return best.node;
}

/* Of two registers beside a wide address the data has the odd one. */
static void spread_data(struct play *p)
{
    for (uint32_t v = 0; v < p->r->values; v++) {
        struct region_value *value = &p->value[v];

        if (value->data && value->size == 1) {
            value->size = 2;
            p->pressure += value->writer == 0;
        }
    }
}

/* Who has to save registers takes from the constant bank. */
static void drop_same(struct play *p)
{
    for (uint32_t v = 0; v < p->r->values; v++) {
        if (p->value[v].same) {
            p->pressure -= p->value[v].size;
            p->value[v].size = 0;
        }
    }
}

/* The most registers in use at a time. */
static bool play(struct region *r, enum how how, int32_t bound, int32_t *most)
{
    struct play p = {.r = r, .how = how, .bound = bound};

    p.value = malloc((r->values + 1) * sizeof(*p.value));
    if (p.value == NULL) {
        return false;
    }
    if (r->values > 0) {
        memcpy(p.value, r->value, r->values * sizeof(*p.value));
    }
    p.spreads = how == FREELY || how == FREELY_HELD;
    p.pressure = r->base + r->entry;
    if (p.spreads) {
        spread_data(&p);
    }
    if (how != FREELY_HELD) {
        drop_same(&p);
    }
    p.most = p.pressure;
    ptx_measure(r->a, r->node, r->nodes, p.ready);
    for (uint32_t done = 0; done < r->nodes; done++) {
        uint32_t n = how == AS_WRITTEN ? done : choose(&p);
        uint32_t earliest = r->node[n].earliest;

        p.now = earliest > p.now ? earliest : p.now;
        p.ready[n / 64] &= ~loom_bit(n % 64);
        do_values(&p, n);
        ptx_release(r->a, r->node, r->nodes, n, p.now++, p.ready);
    }
    free(p.value);
    *most = p.most;
    return true;
}

/* ---- regions ---- */

/* The lowest step that an order of the region keeps to. */
static bool find_step(struct region *r, int32_t *low, int32_t *written)
{
    int32_t most;
    uint32_t s = 0;

    if (!play(r, AS_WRITTEN, 0, &most)) {
        return false;
    }
    *written = most > *written ? most : *written;
    while (s + 1 < sizeof(step) / sizeof(*step) && most > step[s] - KEPT) {
        int32_t bound = step[s] - KEPT, kept;

        if (!play(r, BOUND, bound, &kept)) {
            return false;
        }
        if (kept <= bound) {
            break;
        }
        s++;
    }
    *low = step[s] > *low ? step[s] : *low;
    return true;
}

/* Of a block that is a loop that counts, and that nothing forbids to unroll. */
static uint32_t copies_of(const struct ptx_analysis *a, uint32_t b)
{
    const struct ptx_block *block = &a->block[b];
    const struct loom_ptx_function *f = a->section[0].function;
    uint32_t timed = 0;

    if ((block->successor[0] != b && block->successor[1] != b) ||
        !ptx_counts(a, block) ||
        a->schedule->last[block->first] != block->last) {
        return 1;
    }
    for (uint32_t p = 0; p < f->pragma_count; p++) {
        if (f->pragma[p].at == block->first) {
            return 1;
        }
    }
    for (uint32_t i = block->first; i <= block->last; i++) {
        timed += a->schedule->times[i] != 0;
    }
    timed = timed == 0 ? 1 : timed;
    return PTX_NODES / timed < UNROLLED ? PTX_NODES / timed : UNROLLED;
}

static bool raise(struct region *r, enum how how, int32_t *to)
{
    int32_t most;

    if (!play(r, how, 0, &most)) {
        return false;
    }
    *to = most > *to ? most : *to;
    return true;
}

static bool count_block(struct count *c, const struct ptx_ranges *range,
                        uint32_t b)
{
    const struct ptx_analysis *a = c->r.a;
    const struct ptx_block *block = &a->block[b];
    uint32_t last = block->last, first, copies = copies_of(a, b);

    region_begin_block(&c->r, range, block);
    do {
        for (first = last;
             first > block->first && a->schedule->last[first - 1] == last;
             first--) {
        }
        region_build(&c->r, first, last, 1);
        if (c->r.failed || !find_step(&c->r, &c->low, &c->written)) {
            return false;
        }
        if (copies > 1) {
            region_leave(&c->r);
            region_begin_block(&c->r, range, block);
            region_build(&c->r, first, last, copies);
        }
        if (c->r.failed || !raise(&c->r, FREELY, &c->free) ||
            !raise(&c->r, FREELY_HELD, &c->held)) {
            return false;
        }
        region_leave(&c->r);
        last = first - 1;
    } while (first > block->first);
    return true;
}

/* Hundredths of the logarithm to 2, between powers by the rule of three. */
static int32_t log_of(uint32_t number)
{
    uint32_t log = 0;

    while (number >> (log + 1) != 0) {
        log++;
    }
    return (int32_t)(100 * log +
                     (uint64_t)100 * (number - (1u << log)) / (1u << log));
}

/* An even number. */
static int32_t flexible(const struct count *c)
{
    uint32_t blocks = c->r.a->block_count;
    int32_t twice = c->free + c->held;
    int32_t hundredths = FLEX_ALONE_BASE + FLEX_ALONE * twice / 2;

    if (blocks > 1) {
        hundredths = FLEX_BASE + FLEX_FREE * twice / 2 +
                     FLEX_WRITTEN * c->written +
                     FLEX_BLOCKS * log_of(blocks + 1) / 100;
    }
    return (hundredths + 100) / 200 * 2;
}

static bool count(const struct ptx_analysis *a, const struct ptx_ranges *range,
                  const struct ptx_sinks *sinks, uint32_t *registers)
{
    struct count c = {.low = 0};
    bool ok = region_open(&c.r, a, range, sinks);
    int32_t most;

    for (uint32_t b = 0; ok && b < a->block_count; b++) {
        ok = count_block(&c, range, b);
    }
    most = flexible(&c);
    most = most < c.low ? most : c.low;
    *registers = c.held == 0          ? LEAST
                 : most < LEAST_VALUE ? LEAST_VALUE
                                      : (uint32_t)most;
    region_close(&c.r);
    return ok;
}

bool ptx_count_registers(const struct ptx_analysis *a,
                         const struct ptx_ranges *range, uint32_t *registers)
{
    struct ptx_ranges moved = {0};
    struct ptx_sinks sinks;
    bool ok = ptx_find_sinks(a, &sinks);

    if (ok && sinks.any) {
        ok = ptx_find_ranges(a, &sinks, &moved);
        range = &moved;
    }
    ok = ok && count(a, range, &sinks, registers);
    ptx_free_ranges(&moved);
    ptx_free_sinks(&sinks);
    return ok;
}

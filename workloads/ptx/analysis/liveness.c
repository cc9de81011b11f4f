/*
 * Liveness of virtual registers and their physical numbers.
 *
 * PTX does not say how many registers a thread needs, but occupancy depends
 * on it.  Live ranges are found by the usual backward data flow, over the
 * registers that live across blocks only, for most do not.  Numbers are then
 * given by linear scan (Poletto and Sarkar) over the live intervals.
 *
 * What ptxas does not keep in registers is not counted either: values of
 * kernel parameters (ld.param at top level, and address conversions of
 * them) are operands in the constant bank.  They get numbers behind all
 * others, so that dependences are still seen.
 *
 * Loads are taken to be issued as early as their block allows.
 *
 * A guarded write may leave the old value, so it does not end a live range.
 *
 * Device functions are allocated one by one; see shift_sections().
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

/* Added to the highest number in use: what a compiler's schedule costs
 * beyond PTX's own order.  With this, and with the temporaries below, our
 * counts are 12 % off those of ptxas 13.0 for sm_75 on average (28 kernels
 * of tests/data/ptx); most of that is loops which ptxas unrolls itself. */
#define RESERVED_REGISTERS 4

#define NOT_GLOBAL UINT32_MAX
#define MAX_WORDS (UINT64_C(1) << 26) /* of one bit set of all blocks */

struct liveness {
    struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    uint32_t *global; /* [reg_count]: bit number, or NOT_GLOBAL */
    uint32_t *stamp;  /* [reg_count]: block that wrote it last, + 1 */
    uint32_t *of;     /* [globals]: register of a bit */
    uint32_t globals, words;
    uint64_t *use, *kill, *in; /* [blocks * words] */
    uint32_t *start, *end;     /* [reg_count]: 2 i: read by instruction i,
                                * 2 i + 1: written; start > end: unused */
    bool *constant;            /* [reg_count]: in the constant bank */
    uint32_t *need;            /* [section_count]: registers */
    uint32_t *live;            /* [call_count]: numbers in use across it */
    uint32_t at, block;        /* while visiting */
    bool guarded;
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

    if (write && !l->guarded) {
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
    if (write && !l->guarded && bit != NOT_GLOBAL) {
        l->kill[(size_t)l->block * l->words + bit / 64] |= loom_bit(bit % 64);
    }
}

/* Each instruction: all reads, then all writes. */
static void scan(struct liveness *l, void (*reads)(void *, uint32_t, bool),
                 void (*writes)(void *, uint32_t, bool))
{
    memset(l->stamp, 0, l->f->reg_count * sizeof(*l->stamp));
    for (l->block = 0; l->block < l->a->block_count; l->block++) {
        const struct ptx_block *block = &l->a->block[l->block];

        for (uint32_t i = block->first; i <= block->last; i++) {
            l->at = i;
            l->guarded = l->f->inst[i].guard != LOOM_PTX_NONE;
            loom_ptx_visit(&l->f->inst[i], reads, l);
            loom_ptx_visit(&l->f->inst[i], writes, l);
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
    l->start[reg] = from < l->start[reg] ? from : l->start[reg];
    l->end[reg] = to > l->end[reg] ? to : l->end[reg];
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

                extend(l, reg, 2 * block->first, 2 * block->first);
            }
            for (; out != 0; out &= out - 1) {
                uint32_t reg = l->of[w * 64 + loom_lowest(out)];

                extend(l, reg, 2 * block->last + 1, 2 * block->last + 1);
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
    memset(l->stamp, 0, l->f->reg_count * sizeof(*l->stamp));
    for (uint32_t b = 0; b < l->a->block_count; b++) {
        const struct ptx_block *block = &l->a->block[b];
        uint32_t fence = 2 * block->first;

        for (uint32_t i = block->first; i <= block->last; i++) {
            const struct loom_ptx_inst *inst = &l->f->inst[i];
            uint8_t group = loom_ptx_opcodes[inst->op].group;
            uint32_t from = fence;

            l->at = i;
            if (inst->op == LOOM_PTX_LD && inst->guard == LOOM_PTX_NONE &&
                inst->operand[0].kind == LOOM_PTX_OP_REG &&
                inst->space != LOOM_PTX_PARAM &&
                inst->space != LOOM_PTX_PARAM_ENTRY &&
                inst->space != LOOM_PTX_PARAM_FUNC) {
                uint32_t to = inst->operand[0].reg;
                uint32_t base = inst->operand[1].reg;

                if (l->stamp[to] > from) {
                    from = l->stamp[to];
                }
                if (base != LOOM_PTX_NONE && l->stamp[base] > from) {
                    from = l->stamp[base];
                }
                extend(l, to, from, from);
            } else if (group == LOOM_PTX_G_STORE ||
                       group == LOOM_PTX_G_ATOMIC ||
                       group == LOOM_PTX_G_BARRIER ||
                       group == LOOM_PTX_G_MEMBAR) {
                fence = 2 * i + 1;
            }
            loom_ptx_visit(inst, touch_write, l);
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
        bool convert = inst->op == LOOM_PTX_CVTA &&
                       inst->space == LOOM_PTX_GLOBAL &&
                       o[1].kind == LOOM_PTX_OP_REG && l->constant[o[1].reg];

        if ((load || convert) && inst->guard == LOOM_PTX_NONE &&
            o[0].kind == LOOM_PTX_OP_REG && writes[o[0].reg] == 1) {
            l->constant[o[0].reg] = true;
        }
    }
}

static void count_write(void *context, uint32_t reg, bool write)
{
    uint32_t *writes = context;

    writes[reg] += write;
}

/* One class of registers under linear scan. */
struct scanner {
    uint64_t *busy; /* bits of numbers */
    size_t words;
    uint32_t highest; /* numbers in use so far */
    uint32_t live;    /* numbers in use now */
    uint32_t needed;  /* most live ones, with temporaries */
};

/* Numbers up to the highest one in use now. */
static uint32_t top_of(const struct scanner *s)
{
    size_t w = s->words;

    while (w > 0 && s->busy[w - 1] == 0) {
        w--;
    }
    return w == 0 ? 0 : (uint32_t)(w - 1) * 64 + loom_log2(s->busy[w - 1]) + 1;
}

static bool grow_busy(struct scanner *s)
{
    size_t words = s->words == 0 ? 16 : s->words * 2;
    uint64_t *grown = realloc(s->busy, words * sizeof(*grown));

    if (grown == NULL) {
        return false;
    }
    memset(grown + s->words, 0, (words - s->words) * sizeof(*grown));
    s->busy = grown;
    s->words = words;
    return true;
}

/* The lowest free number, even if two are wanted. */
static bool take(struct scanner *s, bool pair, uint32_t *number)
{
    for (size_t w = 0;; w++) {
        uint64_t free_bits;

        if (w == s->words && !grow_busy(s)) {
            return false;
        }
        free_bits = ~s->busy[w];
        if (pair) {
            free_bits &= free_bits >> 1 & UINT64_C(0x5555555555555555);
        }
        if (free_bits != 0) {
            uint32_t bit = loom_lowest(free_bits);

            s->busy[w] |= UINT64_C(1) << bit | (uint64_t)pair << (bit + pair);
            *number = (uint32_t)w * 64 + bit;
            s->live += 1u + pair;
            if (*number + 1 + pair > s->highest) {
                s->highest = *number + 1 + pair;
            }
            return true;
        }
    }
}

static void give_back(struct scanner *s, uint32_t number, bool pair)
{
    s->live -= 1u + pair;
    s->busy[number / 64] &= ~((UINT64_C(1) + 2 * pair) << number % 64);
}

static uint32_t size_of(const struct loom_ptx_function *f, uint32_t reg)
{
    uint32_t bytes = loom_ptx_type_bytes((enum loom_ptx_type)f->reg[reg].type);

    return bytes > 4 ? (bytes + 3) / 4 : 1;
}

/* Lists of registers by position, as heads [positions] and next [regs]. */
struct lists {
    uint32_t *head, *next;
};

static void list_by(struct lists *lists, const struct liveness *l,
                    const uint32_t *position)
{
    for (uint32_t i = 0; i < 2 * l->f->inst_count; i++) {
        lists->head[i] = LOOM_PTX_NONE;
    }
    for (uint32_t reg = l->f->reg_count; reg-- > 0;) {
        if (l->start[reg] <= l->end[reg]) {
            lists->next[reg] = lists->head[position[reg]];
            lists->head[position[reg]] = reg;
        }
    }
}

enum class {
    GENERAL,
    PREDICATE,
    CONSTANT,
    CLASSES
};

static enum class class_of(const struct liveness *l, uint32_t reg) {
    return l->f->reg[reg].type == LOOM_PTX_PRED ? PREDICATE
           : l->constant[reg]                   ? CONSTANT
                                                : GENERAL;
}

static void note_need(struct scanner *s, uint32_t more)
{
    s->needed = s->live + more > s->needed ? s->live + more : s->needed;
}

/* At the end of each section: what it needed, and a fresh count. */
static void end_section(struct liveness *l, struct scanner *s, uint32_t at,
                        uint32_t *section)
{
    const struct ptx_section *now = &l->a->section[*section];

    if (at + 1 < 2 * (now->first + now->count)) {
        return;
    }
    l->need[(*section)++] = s->needed > s->highest ? s->needed : s->highest;
    s->needed = s->highest = 0;
}

static bool assign(struct liveness *l, const struct lists *starts,
                   const struct lists *ends, struct scanner *scanner)
{
    uint32_t *physical = l->a->physical;
    uint32_t section = 0, call = 0;

    for (uint32_t at = 0; at < 2 * l->f->inst_count; at++) {
        uint32_t reg;

        for (reg = starts->head[at]; reg != LOOM_PTX_NONE;
             reg = starts->next[reg]) {
            if (!take(&scanner[class_of(l, reg)], size_of(l->f, reg) > 1,
                      &physical[reg])) {
                return false;
            }
        }
        note_need(&scanner[GENERAL], ptx_temporaries(&l->f->inst[at / 2]));
        for (reg = ends->head[at]; reg != LOOM_PTX_NONE;
             reg = ends->next[reg]) {
            give_back(&scanner[class_of(l, reg)], physical[reg],
                      size_of(l->f, reg) > 1);
        }
        for (; at % 2 == 0 && call < l->a->call_count &&
               l->a->call[call].at == at / 2;
             call++) {
            l->live[call] = top_of(&scanner[GENERAL]);
        }
        end_section(l, &scanner[GENERAL], at, &section);
    }
    return true;
}

/* A callee's registers come behind those that its callers keep alive, as if
 * all calls were compiled together; recursion spills.  Returns how many
 * numbers there are. */
static uint32_t shift_sections(struct liveness *l)
{
    struct ptx_analysis *a = l->a;
    uint32_t most = 0;

    for (uint32_t i = 0; i < a->section_count; i++) {
        uint32_t s = a->section_order[i];
        uint32_t shift = a->section[s].shift;

        most = shift + l->need[s] > most ? shift + l->need[s] : most;
        for (uint32_t c = 0; c < a->call_count; c++) {
            uint32_t end = shift + l->live[c] + (l->live[c] & 1u);
            uint32_t *to = &a->section[a->call[c].to].shift;

            if (a->call[c].from == s && !a->call[c].back && end > *to) {
                *to = end;
            }
        }
    }
    for (uint32_t s = 0; s < a->section_count; s++) {
        const struct ptx_section *section = &a->section[s];

        for (uint32_t r = section->reg; r < section->reg + section->reg_count;
             r++) {
            if (a->physical[r] != LOOM_PTX_NONE && class_of(l, r) == GENERAL) {
                a->physical[r] += section->shift;
            }
        }
    }
    return most;
}

static void finish(struct liveness *l, const struct scanner *scanner)
{
    struct ptx_analysis *a = l->a;
    uint32_t most = shift_sections(l), behind = most + (most & 1u);

    for (uint32_t reg = 0; reg < l->f->reg_count; reg++) {
        if (a->physical[reg] == LOOM_PTX_NONE) {
            continue;
        }
        if (class_of(l, reg) == PREDICATE) {
            a->physical[reg] += LOOM_REG_PREDICATE;
        } else if (class_of(l, reg) == CONSTANT) {
            a->physical[reg] += behind;
        }
    }
    a->registers = most + RESERVED_REGISTERS;
    if (l->f->maxnreg != 0 && a->registers > l->f->maxnreg) {
        a->registers = l->f->maxnreg; /* a compiler would spill */
    }
    a->predicates = scanner[PREDICATE].highest;
}

static bool linear_scan(struct liveness *l)
{
    size_t positions = 2 * (size_t)l->f->inst_count + 1;
    size_t regs = (size_t)l->f->reg_count + 1;
    struct scanner scanner[CLASSES] = {0};
    uint32_t *memory = calloc(2 * (positions + regs), sizeof(*memory));
    struct lists starts, ends;
    bool ok = memory != NULL;

    if (ok) {
        starts = (struct lists){memory, memory + positions};
        ends =
            (struct lists){starts.next + regs, starts.next + regs + positions};
        list_by(&starts, l, l->start);
        list_by(&ends, l, l->end);
        ok = assign(l, &starts, &ends, scanner);
    }
    if (ok) {
        finish(l, scanner);
    }
    for (uint32_t i = 0; i < CLASSES; i++) {
        free(scanner[i].busy);
    }
    free(memory);
    return ok;
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
    l->start = memory + 3 * n;
    l->end = memory + 4 * n;
    for (uint32_t i = 0; i < l->f->reg_count; i++) {
        l->global[i] = NOT_GLOBAL;
        l->start[i] = UINT32_MAX;
        l->a->physical[i] = LOOM_PTX_NONE;
    }
    /* `start` is free still: it counts writes first. */
    memset(l->start, 0, n * sizeof(*l->start));
    for (uint32_t i = 0; i < l->f->inst_count; i++) {
        loom_ptx_visit(&l->f->inst[i], count_write, l->start);
    }
    find_constants(l, l->start);
    memset(l->start, 0xff, n * sizeof(*l->start));
    scan(l, note_global, note_kill);
    if (!open_bits(l)) {
        return false;
    }
    scan(l, note_use, note_kill_bit);
    flow(l);
    scan(l, extend_read, extend_write);
    extend_edges(l);
    hoist_loads(l);
    return linear_scan(l);
}

bool ptx_allocate_registers(struct ptx_analysis *a)
{
    size_t n = (size_t)a->function->reg_count + 1;
    struct liveness l = {.a = a, .f = a->function};
    uint32_t *memory = calloc(5 * n, sizeof(*memory));
    bool ok;

    a->physical = calloc(n, sizeof(*a->physical));
    l.constant = calloc(n, sizeof(*l.constant));
    l.need = calloc((size_t)a->section_count + 1, sizeof(*l.need));
    l.live = calloc((size_t)a->call_count + 1, sizeof(*l.live));
    ok = memory != NULL && a->physical != NULL && l.constant != NULL &&
         l.need != NULL && l.live != NULL && analyse(&l, memory);
    free(l.need);
    free(l.live);
    free(l.use);
    free(l.constant);
    free(memory);
    return ok;
}

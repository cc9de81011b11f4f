/*
 * Physical numbers of virtual registers, and how many there are.
 *
 * PTX does not say how many registers a thread needs, but occupancy depends
 * on it.  Numbers are given by linear scan (Poletto and Sarkar) over the live
 * intervals of liveness.c.
 *
 * What ptxas does not keep in registers is not counted either: values of
 * kernel parameters (ld.param at top level, and address conversions of
 * them) are operands in the constant bank.  They get numbers behind all
 * others, so that dependences are still seen.
 *
 * Where code is timed as compiled, how many there are is another question
 * (count.c).
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

/* CUDA C++ Programming Guide, "Compute Capabilities": the most of any. */
enum {
    REGISTERS_MOST = 255,  /* of a thread */
    REGISTER_FILE = 65536, /* of an SM */
    REGISTER_UNIT = 256,   /* given to a warp at once */
    WARPS_MOST = 64,       /* of an SM */
    CTAS_MOST = 32
};

struct allocation {
    struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    struct ptx_ranges range;
    uint32_t *need; /* [section_count]: registers */
    uint32_t *live; /* [call_count]: numbers in use across it */
};

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

static uint32_t size_of(const struct allocation *l, uint32_t reg)
{
    const struct ptx_schedule *s = l->a->schedule;
    uint32_t bytes =
        loom_ptx_type_bytes((enum loom_ptx_type)l->f->reg[reg].type);

    return bytes > 4 && (s == NULL || !s->low[reg]) ? (bytes + 3) / 4 : 1;
}

/* Lists of registers by position, as heads [positions] and next [regs]. */
struct lists {
    uint32_t *head, *next;
};

static void list_by(struct lists *lists, const struct allocation *l,
                    const uint32_t *position)
{
    for (uint32_t i = 0; i < 2 * l->f->inst_count; i++) {
        lists->head[i] = LOOM_PTX_NONE;
    }
    for (uint32_t reg = l->f->reg_count; reg-- > 0;) {
        if (l->range.start[reg] <= l->range.end[reg]) {
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

static enum class class_of(const struct allocation *l, uint32_t reg) {
    return l->f->reg[reg].type == LOOM_PTX_PRED ? PREDICATE
           : l->range.constant[reg]             ? CONSTANT
                                                : GENERAL;
}

static void note_need(struct scanner *s, uint32_t more)
{
    s->needed = s->live + more > s->needed ? s->live + more : s->needed;
}

/* At the end of each section: what it needed, and a fresh count. */
static void end_section(struct allocation *l, struct scanner *s, uint32_t at,
                        uint32_t *section)
{
    const struct ptx_section *now = &l->a->section[*section];

    if (at + 1 < 2 * (now->first + now->count)) {
        return;
    }
    l->need[(*section)++] = s->needed > s->highest ? s->needed : s->highest;
    s->needed = s->highest = 0;
}

/* What is in use across the calls of instruction i. */
static void note_calls(struct allocation *l, const struct scanner *s,
                       uint32_t i)
{
    uint32_t from = 0, to = l->a->call_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (l->a->call[middle].at < i) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    for (; from < l->a->call_count && l->a->call[from].at == i; from++) {
        l->live[from] = top_of(s);
    }
}

static bool assign(struct allocation *l, const struct lists *starts,
                   const struct lists *ends, struct scanner *scanner)
{
    uint32_t *physical = l->a->physical;
    uint32_t section = 0;

    for (uint32_t at = 0; at < 2 * l->f->inst_count; at++) {
        uint32_t i = l->range.inst[at / 2], reg;

        for (reg = starts->head[at]; reg != LOOM_PTX_NONE;
             reg = starts->next[reg]) {
            if (!take(&scanner[class_of(l, reg)], size_of(l, reg) > 1,
                      &physical[reg])) {
                return false;
            }
        }
        note_need(&scanner[GENERAL], ptx_temporaries(&l->f->inst[i]));
        for (reg = ends->head[at]; reg != LOOM_PTX_NONE;
             reg = ends->next[reg]) {
            give_back(&scanner[class_of(l, reg)], physical[reg],
                      size_of(l, reg) > 1);
        }
        if (at % 2 == 0) {
            note_calls(l, &scanner[GENERAL], i);
        }
        end_section(l, &scanner[GENERAL], at, &section);
    }
    return true;
}

/* A callee's registers come behind those that its callers keep alive, as if
 * all calls were compiled together; recursion spills.  Returns how many
 * numbers there are. */
static uint32_t shift_sections(struct allocation *l)
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

static void name(void *context, uint32_t reg, bool write)
{
    struct allocation *l = context;

    (void)write;
    if (l->a->physical[reg] == LOOM_PTX_NONE) {
        l->a->physical[reg] = 0;
    }
}

/* Results of folded instructions are executed, but nobody times them: any
 * number will do. */
static void name_folded(struct allocation *l)
{
    for (uint32_t i = 0; i < l->f->inst_count; i++) {
        loom_ptx_visit(&l->f->inst[i], name, l);
    }
}

/* What ptxas keeps to, and spills what is beyond: a thread's most; .maxnreg; of
 * .maxntid or .reqntid what leaves room for such a CTA, or .minnctapersm of
 * them if an SM can have so many, in the register file.  Each warp has whole
 * units. */
static uint32_t bound(const struct loom_ptx_function *f)
{
    const uint32_t *n = f->reqntid[0] != 0 ? f->reqntid : f->maxntid;
    uint64_t most = REGISTERS_MOST;

    if (n[0] != 0) {
        uint64_t threads =
            (uint64_t)n[0] * (n[1] != 0 ? n[1] : 1) * (n[2] != 0 ? n[2] : 1);
        uint64_t warps = (threads + LOOM_WARP_LANES - 1) / LOOM_WARP_LANES;
        uint64_t ctas = f->minnctapersm != 0 ? f->minnctapersm : 1;
        uint64_t each;

        ctas = ctas > CTAS_MOST || ctas * warps > WARPS_MOST ? 1 : ctas;
        each = REGISTER_FILE / REGISTER_UNIT / (ctas * warps) *
               (REGISTER_UNIT / LOOM_WARP_LANES);
        most = each != 0 && each < most ? each : most;
    }
    return f->maxnreg != 0 && f->maxnreg < most ? f->maxnreg : (uint32_t)most;
}

static void finish(struct allocation *l, const struct scanner *scanner)
{
    struct ptx_analysis *a = l->a;
    uint32_t most = shift_sections(l), behind = most + (most & 1u);

    if (a->schedule != NULL) {
        name_folded(l);
    }
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
    a->predicates = scanner[PREDICATE].highest;
}

static bool linear_scan(struct allocation *l)
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
        list_by(&starts, l, l->range.start);
        list_by(&ends, l, l->range.end);
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

/* Machines that time code as compiled count as a compiler does; for others it
 * is the linear scan's numbers. */
static bool count(struct allocation *l)
{
    struct ptx_analysis *a = l->a;
    uint32_t most = bound(l->f);

    if (a->schedule != NULL &&
        !ptx_count_registers(a, &l->range, &a->registers)) {
        return false;
    }
    a->registers = a->registers > most ? most : a->registers;
    return true;
}

bool ptx_allocate_registers(struct ptx_analysis *a)
{
    size_t n = (size_t)a->function->reg_count + 1;
    struct allocation l = {.a = a, .f = a->function};
    bool ok;

    a->physical = calloc(n, sizeof(*a->physical));
    l.need = calloc((size_t)a->section_count + 1, sizeof(*l.need));
    l.live = calloc((size_t)a->call_count + 1, sizeof(*l.live));
    ok = a->physical != NULL && l.need != NULL && l.live != NULL;
    for (uint32_t i = 0; ok && i < l.f->reg_count; i++) {
        a->physical[i] = LOOM_PTX_NONE;
    }
    ok = ok && ptx_find_ranges(a, NULL, &l.range) && linear_scan(&l) &&
         count(&l);
    ptx_free_ranges(&l.range);
    free(l.need);
    free(l.live);
    return ok;
}

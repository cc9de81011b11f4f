/*
 * The order in which a compiler would issue a function's instructions.
 *
 * A list schedule of each region: of the instructions whose operands are there,
 * the one with the longest path to the region's end.  So addresses come first,
 * then loads, and uses when the data are there.  Where too many registers are
 * live, the one that frees most is next.
 *
 * Latencies are rough ones of a generation, not the machine's: a program has
 * one schedule, whatever it runs on, as compiled code has.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define BUDGET 64u /* registers that a region may fill */

struct use { /* of a register by a node */
    uint32_t node, next;
};

struct schedule {
    struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    struct ptx_schedule *s;
    struct ptx_node *node; /* [PTX_REGION] */
    uint32_t nodes, at;
    /* [reg_count]: number of the region they are of, + 1; who wrote it last,
     * + 1; who has read it since; reads that are left; of the function. */
    uint32_t *region, *writer, *readers, *left, *all;
    bool *live; /* [reg_count] */
    struct use *use;
    uint32_t uses, room, number;
    int32_t pressure, change; /* registers */
    bool failed;
};

/* ---- the graph of a region ---- */

static int32_t size_of(const struct schedule *s, uint32_t reg)
{
    enum loom_ptx_type type = (enum loom_ptx_type)s->f->reg[reg].type;

    if (type == LOOM_PTX_PRED) {
        return 0;
    }
    return loom_ptx_type_bytes(type) > 4 && !s->s->low[reg] ? 2 : 1;
}

static void add_use(struct schedule *s, uint32_t reg)
{
    if (s->uses == s->room) {
        uint32_t room = s->room == 0 ? 4096 : 2 * s->room;
        struct use *grown = realloc(s->use, room * sizeof(*grown));

        if (grown == NULL) {
            s->failed = true;
            return;
        }
        s->use = grown;
        s->room = room;
    }
    s->use[s->uses] = (struct use){s->nodes, s->readers[reg]};
    s->readers[reg] = s->uses++;
}

static void enter(struct schedule *s, uint32_t reg)
{
    if (s->region[reg] != s->number) {
        s->region[reg] = s->number;
        s->writer[reg] = 0;
        s->readers[reg] = LOOM_PTX_NONE;
        s->left[reg] = 0;
        s->live[reg] = false;
    }
}

static void see_read(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    if (write) {
        return;
    }
    enter(s, reg);
    if (s->writer[reg] != 0) {
        ptx_set_bit(s->node[s->writer[reg] - 1].data, s->nodes);
    } else if (!s->live[reg]) { /* from before the region */
        s->live[reg] = true;
        s->pressure += size_of(s, reg);
    }
    s->left[reg]++;
    add_use(s, reg);
}

/* A guarded write leaves what was there: that is read, too. */
static void see_write(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    if (!write) {
        return;
    }
    enter(s, reg);
    if (s->writer[reg] != 0 && s->writer[reg] != s->nodes + 1) {
        struct ptx_node *before = &s->node[s->writer[reg] - 1];
        bool kept = s->f->inst[s->node[s->nodes].inst].guard != LOOM_PTX_NONE;

        ptx_set_bit(kept ? before->data : before->then, s->nodes);
    }
    for (uint32_t u = s->readers[reg]; u != LOOM_PTX_NONE; u = s->use[u].next) {
        if (s->use[u].node != s->nodes) {
            ptx_set_bit(s->node[s->use[u].node].then, s->nodes);
        }
    }
    s->readers[reg] = LOOM_PTX_NONE;
    s->writer[reg] = s->nodes + 1;
}

static void add_node(struct schedule *s, uint32_t i)
{
    s->node[s->nodes] =
        (struct ptx_node){.inst = i, .access = ptx_access_of(s->a, i)};
    ptx_visit(s->a, i, see_read, s);
    ptx_visit(s->a, i, see_write, s);
    ptx_order_memory(s->node, s->nodes++);
}

/* ---- choosing ---- */

/* Registers that would be free if the last reader had been. */
static void see_change(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    if (write) {
        s->change += s->live[reg] ? 0 : size_of(s, reg);
    } else if (s->left[reg] == 1 && s->all[reg] == 0 && s->live[reg]) {
        s->change -= size_of(s, reg);
    }
}

static int32_t change_of(struct schedule *s, uint32_t n)
{
    s->change = 0;
    ptx_visit(s->a, s->node[n].inst, see_change, s);
    return s->change;
}

/* Who is next at cycle *now, which moves on until somebody is ready. */
static uint32_t choose(struct schedule *s, const uint64_t *ready, uint32_t *now)
{
    bool full = s->pressure > (int32_t)BUDGET;
    uint32_t best = LOOM_PTX_NONE, soonest = UINT32_MAX;
    int32_t least = 0;

    for (uint32_t w = 0; w < PTX_REGION / 64; w++) {
        for (uint64_t bits = ready[w]; bits != 0; bits &= bits - 1) {
            uint32_t n = w * 64 + loom_lowest(bits);
            int32_t change = full ? change_of(s, n) : 0;

            if (!full && s->node[n].earliest > *now) {
                soonest = s->node[n].earliest < soonest ? s->node[n].earliest
                                                        : soonest;
                continue;
            }
            if (best == LOOM_PTX_NONE || change < least ||
                (change == least && s->node[n].height > s->node[best].height)) {
                best = n;
                least = change;
            }
        }
    }
    if (best == LOOM_PTX_NONE) {
        *now = soonest;
        return choose(s, ready, now);
    }
    return best;
}

static void do_read(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    if (!write && --s->left[reg] == 0 && s->all[reg] == 0 && s->live[reg]) {
        s->live[reg] = false;
        s->pressure -= size_of(s, reg);
    }
}

static void do_write(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    if (write && !s->live[reg]) {
        s->live[reg] = true;
        s->pressure += size_of(s, reg);
    }
}

static void issue_all(struct schedule *s, uint32_t *order)
{
    uint64_t ready[PTX_NODE_WORDS] = {0};
    uint32_t now = 0, done = 0;

    ptx_measure(s->a, s->node, s->nodes, ready);
    while (done < s->nodes) {
        uint32_t n = choose(s, ready, &now);

        ready[n / 64] &= ~loom_bit(n % 64);
        order[done++] = s->node[n].inst;
        ptx_visit(s->a, s->node[n].inst, do_read, s);
        ptx_visit(s->a, s->node[n].inst, do_write, s);
        ptx_release(s->a, s->node, s->nodes, n, now++, ready);
    }
}

/* ---- regions ---- */

static void take_reads(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    s->all[reg] -= !write;
}

static void give_reads(void *context, uint32_t reg, bool write)
{
    struct schedule *s = context;

    s->all[reg] += !write;
}

static void do_region(struct schedule *s, uint32_t first, uint32_t last)
{
    uint32_t *order = s->s->order + first, folded;

    s->number++;
    s->nodes = s->uses = 0;
    s->pressure = 0;
    for (uint32_t i = first; i <= last; i++) {
        s->s->last[i] = last;
        if (s->s->times[i] != 0) {
            add_node(s, i);
            ptx_visit(s->a, i, take_reads, s);
        }
    }
    issue_all(s, order);
    folded = s->nodes;
    for (uint32_t i = first; i <= last; i++) {
        if (s->s->times[i] == 0) {
            order[folded++] = i;
        }
        ptx_visit(s->a, i, give_reads, s);
    }
}

/* Regions end at the ends of blocks, around calls, and at pragmas, which say
 * what comes behind them. */
static void do_block(struct schedule *s, const struct ptx_block *block,
                     const bool *cut)
{
    uint32_t first = block->first;

    for (uint32_t i = block->first; i <= block->last; i++) {
        bool call = s->f->inst[i].op == LOOM_PTX_CALL;

        if (i == block->last || i - first + 1 == PTX_REGION || call ||
            cut[i + 1] || s->f->inst[i + 1].op == LOOM_PTX_CALL) {
            do_region(s, first, i);
            first = i + 1;
        }
    }
}

/* Where streams come in parts, a part ends with a region. */
static void cut_parts(const struct ptx_analysis *a, bool *cut)
{
    for (uint32_t i = 0; i < a->inst_count; i++) {
        const struct loom_ptx_inst *inst = &a->function->inst[i];
        uint8_t group = loom_ptx_opcodes[inst->op].group;

        cut[i] = cut[i] || ptx_is_strong(inst) || group == LOOM_PTX_G_BRANCH;
        cut[i + 1] = ptx_reads_time(inst) || group == LOOM_PTX_G_BARRIER;
    }
}

static void find_cuts(const struct ptx_analysis *a, bool *cut)
{
    const struct loom_ptx_function *f = a->section[0].function;

    if (a->reads_time) {
        cut_parts(a, cut);
    }
    for (uint32_t p = 0; p < f->pragma_count; p++) {
        if (f->pragma[p].at < a->inst_count) {
            cut[f->pragma[p].at] = true;
        }
    }
}

static bool run(struct schedule *s)
{
    size_t regs = (size_t)s->f->reg_count + 1;
    bool *cut = calloc((size_t)s->a->inst_count + 1, sizeof(*cut));
    uint32_t *memory = calloc(5 * regs, sizeof(*memory));
    bool ok;

    s->live = calloc(regs, sizeof(*s->live));
    s->node = calloc(PTX_REGION, sizeof(*s->node));
    ok = cut != NULL && memory != NULL && s->live != NULL && s->node != NULL;
    if (ok) {
        s->region = memory;
        s->writer = memory + regs;
        s->readers = memory + 2 * regs;
        s->left = memory + 3 * regs;
        s->all = memory + 4 * regs;
        find_cuts(s->a, cut);
        for (uint32_t i = 0; i < s->a->inst_count; i++) {
            ptx_visit(s->a, i, give_reads, s);
        }
        for (uint32_t b = 0; b < s->a->block_count && !s->failed; b++) {
            do_block(s, &s->a->block[b], cut);
        }
    }
    free(cut);
    free(memory);
    free(s->live);
    free(s->node);
    free(s->use);
    return ok && !s->failed;
}

static void see_sum(void *context, uint32_t reg, bool write)
{
    bool *sums = context;

    sums[reg] = sums[reg] || write;
}

/* False: no memory. */
static bool find_sums(struct ptx_analysis *a)
{
    for (uint32_t i = 0; i < a->inst_count; i++) {
        if (!loom_ptx_of_group(&a->function->inst[i])) {
            continue;
        }
        if (a->schedule->sums == NULL) {
            a->schedule->sums = calloc((size_t)a->function->reg_count + 1,
                                       sizeof(*a->schedule->sums));
        }
        if (a->schedule->sums == NULL) {
            return false;
        }
        loom_ptx_visit(&a->function->inst[i], see_sum, a->schedule->sums);
    }
    return true;
}

bool ptx_find_schedule(struct ptx_analysis *a)
{
    size_t insts = (size_t)a->inst_count + 1;
    size_t regs = (size_t)a->function->reg_count + 1;
    struct ptx_schedule *made = calloc(1, sizeof(*made));
    struct schedule s = {.a = a, .f = a->function, .s = made};

    a->schedule = made;
    if (made == NULL) {
        return false;
    }
    made->order = calloc(insts, sizeof(*made->order));
    made->last = calloc(insts, sizeof(*made->last));
    made->times = calloc(insts, sizeof(*made->times));
    made->sequence = calloc(insts, sizeof(*made->sequence));
    made->low = calloc(regs, sizeof(*made->low));
    made->forward = malloc(regs * sizeof(*made->forward));
    if (made->order == NULL || made->last == NULL || made->times == NULL ||
        made->sequence == NULL || made->low == NULL || made->forward == NULL) {
        return false;
    }
    memset(made->forward, 0xff, regs * sizeof(*made->forward));
    return ptx_fold(a) && find_sums(a) && run(&s);
}

void ptx_schedule_free(struct ptx_schedule *schedule)
{
    if (schedule != NULL) {
        free(schedule->order);
        free(schedule->last);
        free(schedule->times);
        free(schedule->sequence);
        free(schedule->low);
        free(schedule->sums);
        free(schedule->forward);
        free(schedule);
    }
}

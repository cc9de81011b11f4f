/*
 * Loads that a compiler moves down, to the block that needs what they read.
 *
 * ptxas moves a load out of its block if one block of those that read its
 * results dominates the others, if that block need not be reached, is in no
 * loop that the load is not in, and if nothing on the way keeps the load's
 * order (decision 0082).  So of a comparison of two records, word by word,
 * registers hold one word each, though all of them are read at its begin.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct sinking {
    const struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    struct ptx_graph graph;
    struct ptx_order order;
    struct ptx_access *access; /* [inst_count] */
    uint32_t *writes;          /* [reg_count] */
    uint32_t *common; /* [reg_count]: block that dominates all readers */
    uint8_t *met;     /* [reg_count]: it has one */
    uint32_t *stamp;  /* [block_count]: the last way that has the block */
    uint32_t *way;    /* blocks from one to another */
    uint32_t ways, number;
    uint32_t from, to; /* of the way */
    uint32_t block;    /* while visiting */
    bool fits;
};

/* The nearest block that dominates both: ranks rise towards the entry. */
static uint32_t nearest(const struct sinking *s, uint32_t x, uint32_t y)
{
    const uint32_t *rank = s->order.rank;

    while (x != y) {
        uint32_t *lower = rank[x] < rank[y] ? &x : &y;

        *lower = s->a->block[*lower].dominator;
    }
    return x;
}

static void see_use(void *context, uint32_t reg, bool write)
{
    struct sinking *s = context;

    if (!write) {
        s->common[reg] = s->common[reg] == PTX_NO_BLOCK
                             ? s->block
                             : nearest(s, s->common[reg], s->block);
    }
}

static void see_place(void *context, uint32_t reg, bool write)
{
    struct sinking *s = context;

    s->met[reg] |= !write && s->common[reg] == s->block;
}

static void see_write(void *context, uint32_t reg, bool write)
{
    uint32_t *writes = context;

    writes[reg] += write;
}

static void each_use(struct sinking *s, void (*see)(void *, uint32_t, bool))
{
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        s->block = s->a->block_of[i];
        if (s->order.rank[s->block] != LOOM_PTX_NONE) {
            ptx_visit(s->a, i, see, s);
        }
    }
}

/* Where the results are needed; what they and the operands are may be written
 * nowhere else. */
static void see_wanted(void *context, uint32_t reg, bool write)
{
    struct sinking *s = context;
    uint32_t common = write ? s->common[reg] : PTX_NO_BLOCK;

    s->fits = s->fits && s->writes[reg] <= 1;
    if (common != PTX_NO_BLOCK) {
        s->block =
            s->block == PTX_NO_BLOCK ? common : nearest(s, s->block, common);
    }
}

static void see_met(void *context, uint32_t reg, bool write)
{
    struct sinking *s = context;

    s->fits = s->fits || (write && s->common[reg] == s->block && s->met[reg]);
}

/* Is the loop of `to` that of `from`, or around it? */
static bool loops_fit(const struct ptx_analysis *a, uint32_t from, uint32_t to)
{
    uint16_t loop = a->block[from].loop;

    while (loop != a->block[to].loop && loop != LOOM_NO_LOOP) {
        loop = a->loop[loop].parent;
    }
    return loop == a->block[to].loop;
}

/* Does every way from `from` lead to `to`? */
static bool always_reached(const struct ptx_analysis *a, uint32_t from,
                           uint32_t to)
{
    while (from != PTX_NO_BLOCK && from != to) {
        from = a->block[from].post_dominator;
    }
    return from == to;
}

/* The blocks between the two, of which the first one dominates the second: the
 * second, then what leads to it. */
static void find_way(struct sinking *s, uint32_t from, uint32_t to)
{
    if (s->from == from && s->to == to) {
        return;
    }
    s->from = from;
    s->to = to;
    s->number++;
    s->ways = 0;
    s->stamp[from] = s->number;
    s->way[s->ways++] = to;
    s->stamp[to] = s->number;
    for (uint32_t w = 0; w < s->ways; w++) {
        uint32_t b = s->way[w];

        for (uint32_t e = s->graph.first_in[b]; e < s->graph.first_in[b + 1];
             e++) {
            uint32_t in = s->graph.in[e];

            if (s->stamp[in] != s->number &&
                s->order.rank[in] != LOOM_PTX_NONE) {
                s->stamp[in] = s->number;
                s->way[s->ways++] = in;
            }
        }
    }
}

/* Does nothing among these instructions keep the load where it is? */
static bool passes(const struct sinking *s, uint32_t load, uint32_t first,
                   uint32_t last)
{
    uint32_t i = first;

    while (i <= last && (s->f->inst[i].op == LOOM_PTX_BRA ||
                         !ptx_ordered(&s->access[load], &s->access[i]))) {
        i++;
    }
    return i > last;
}

/* Not over loops either. */
static bool passes_all(struct sinking *s, uint32_t load, uint32_t from,
                       uint32_t to)
{
    bool same = (s->f->inst[load].flags & LOOM_PTX_NONCOHERENT) != 0;
    bool ok = same || passes(s, load, load + 1, s->a->block[from].last);

    find_way(s, from, to);
    for (uint32_t w = 1; ok && w < s->ways; w++) {
        const struct ptx_block *block = &s->a->block[s->way[w]];

        ok = loops_fit(s->a, from, s->way[w]) &&
             (same || passes(s, load, block->first, block->last));
    }
    return ok;
}

/* The block where an instruction goes: its own one, but for loads. */
static uint32_t place_of(struct sinking *s, uint32_t i)
{
    const struct loom_ptx_inst *inst = &s->f->inst[i];
    uint32_t from = s->a->block_of[i];

    if (inst->op != LOOM_PTX_LD || inst->order > LOOM_PTX_WEAK ||
        inst->guard != LOOM_PTX_NONE || s->a->schedule->times[i] == 0 ||
        s->order.rank[from] == LOOM_PTX_NONE) {
        return from;
    }
    s->block = PTX_NO_BLOCK;
    s->fits = true;
    ptx_visit(s->a, i, see_wanted, s);
    if (!s->fits || s->block == PTX_NO_BLOCK || s->block == from ||
        nearest(s, from, s->block) != from) {
        return from;
    }
    s->fits = false;
    ptx_visit(s->a, i, see_met, s);
    return s->fits && loops_fit(s->a, from, s->block) &&
                   !always_reached(s->a, from, s->block) &&
                   passes_all(s, i, from, s->block)
               ? s->block
               : from;
}

static bool open_search(struct sinking *s, uint32_t *memory)
{
    uint32_t blocks = s->a->block_count + 1;

    if (!ptx_graph_make(s->a, &s->graph)) {
        return false;
    }
    s->order = (struct ptx_order){
        .order = memory, .rank = memory + blocks, .stack = memory + 2 * blocks};
    s->stamp = memory + 4 * blocks;
    s->way = memory + 5 * blocks;
    s->writes = memory + 6 * blocks;
    s->common = s->writes + s->f->reg_count;
    for (uint32_t r = 0; r < s->f->reg_count; r++) {
        s->common[r] = PTX_NO_BLOCK;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        s->order.rank[b] = LOOM_PTX_NONE;
    }
    ptx_postorder(s->graph.first_out, s->graph.out, 0, &s->order);
    return true;
}

static void search(struct sinking *s, struct ptx_sinks *sinks)
{
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        loom_ptx_visit(&s->f->inst[i], see_write, s->writes);
        s->access[i] = ptx_access_of(s->a, i);
    }
    each_use(s, see_use);
    each_use(s, see_place);
    s->from = s->to = PTX_NO_BLOCK;
    for (uint32_t i = s->f->inst_count; i-- > 0;) {
        uint32_t to = place_of(s, i);

        sinks->moved[i] = to != s->a->block_of[i];
        if (sinks->moved[i]) {
            sinks->next[i] = sinks->first[to];
            sinks->first[to] = i;
            sinks->any = true;
        }
    }
}

bool ptx_find_sinks(const struct ptx_analysis *a, struct ptx_sinks *sinks)
{
    size_t insts = (size_t)a->inst_count + 1, blocks = a->block_count + 1;
    size_t regs = a->function->reg_count;
    struct sinking s = {.a = a, .f = a->function};
    uint32_t *memory = calloc(6 * blocks + 2 * regs + 1, sizeof(*memory));
    bool ok;

    *sinks = (struct ptx_sinks){0};
    sinks->moved = calloc(insts, sizeof(*sinks->moved));
    sinks->next = calloc(insts + blocks, sizeof(*sinks->next));
    s.access = calloc(insts, sizeof(*s.access));
    s.met = calloc(regs + 1, sizeof(*s.met));
    ok = memory != NULL && sinks->moved != NULL && sinks->next != NULL &&
         s.access != NULL && s.met != NULL && open_search(&s, memory);
    if (ok) {
        sinks->first = sinks->next + insts;
        for (uint32_t b = 0; b < a->block_count; b++) {
            sinks->first[b] = LOOM_PTX_NONE;
        }
        search(&s, sinks);
        ptx_graph_free(&s.graph);
    }
    free(memory);
    free(s.access);
    free(s.met);
    return ok;
}

void ptx_free_sinks(struct ptx_sinks *sinks)
{
    free(sinks->moved);
    free(sinks->next);
}

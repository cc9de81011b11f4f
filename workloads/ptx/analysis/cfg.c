/*
 * Basic blocks and dominance.
 *
 * Dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A
 * Simple, Fast Dominance Algorithm"), both ways round with one function.
 * Post-dominators need an exit that every block reaches: a virtual one
 * follows every return and, so that endless loops have one too, the last
 * block of each region that never returns.  What ends in a failed assertion
 * or a trap is on no way to it: the others do not wait for lanes that end
 * the run, and one assertion that many share would keep them apart for good.
 *
 * A branch's lanes come together again at the first instruction of its
 * block's immediate post-dominator, as GPGPU-Sim does it.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

static bool leaves(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_RET || inst->op == LOOM_PTX_EXIT ||
           inst->op == LOOM_PTX_TRAP;
}

static bool ends_block(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_BRA || inst->op == LOOM_PTX_BRX_IDX ||
           leaves(inst);
}

/* All lanes fail here: a call that does not come back, or a trap. */
static bool fails(const struct loom_ptx_function *f,
                  const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_function *to;

    if (inst->guard != LOOM_PTX_NONE) {
        return false;
    }
    if (inst->op != LOOM_PTX_CALL ||
        inst->operand[1].kind != LOOM_PTX_OP_FUNCTION) {
        return inst->op == LOOM_PTX_TRAP;
    }
    to = f->module->function[inst->operand[1].value];
    return to->noreturn || strcmp(to->name, "__assertfail") == 0;
}

/* The list of targets of a brx.idx. */
static const struct loom_ptx_prototype *
targets_of(const struct loom_ptx_function *f, const struct loom_ptx_inst *inst)
{
    return &f->prototype[inst->operand[1].value];
}

static void find_targets(struct ptx_analysis *a, bool *leader)
{
    const struct loom_ptx_function *f = a->function;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];

        a->reconvergence[i] = PTX_EXIT;
        a->target[i] = PTX_EXIT;
        if (inst->op == LOOM_PTX_BRA) {
            a->target[i] = f->label[inst->operand[0].value].target;
            leader[a->target[i]] = true;
        }
        if (inst->op == LOOM_PTX_BRX_IDX) {
            const struct loom_ptx_prototype *list = targets_of(f, inst);

            for (uint32_t k = 0; k < list->label_count; k++) {
                leader[f->label[list->label[k]].target] = true;
            }
        }
        if (ends_block(inst)) {
            leader[i + 1] = true;
        }
    }
}

/* Successors of a brx.idx, each once; they are appended to a->more. */
static void link_targets(struct ptx_analysis *a, struct ptx_block *block,
                         const struct loom_ptx_inst *inst, uint32_t *at)
{
    const struct loom_ptx_prototype *list = targets_of(a->function, inst);
    uint32_t *more = a->more + *at;

    block->more = more;
    for (uint32_t k = 0; k < list->label_count; k++) {
        uint32_t target = a->function->label[list->label[k]].target;
        uint32_t to = target < a->inst_count ? a->block_of[target] : 0;
        bool there = target >= a->inst_count || to == block->successor[0];

        block->exits = block->exits || target >= a->inst_count;
        for (uint32_t m = 0; m < block->more_count && !there; m++) {
            there = more[m] == to;
        }
        if (!there) {
            more[block->more_count++] = to;
        }
    }
    *at += block->more_count;
}

/* Room for the targets of all brx.idx. */
static bool open_more(struct ptx_analysis *a)
{
    const struct loom_ptx_function *f = a->function;
    size_t count = 1;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (f->inst[i].op == LOOM_PTX_BRX_IDX) {
            count += targets_of(f, &f->inst[i])->label_count;
        }
    }
    a->more = calloc(count, sizeof(*a->more));
    return a->more != NULL;
}

static void link_block(struct ptx_analysis *a, uint32_t number, uint32_t *more)
{
    const struct loom_ptx_function *f = a->function;
    struct ptx_block *block = &a->block[number];
    const struct loom_ptx_inst *last = &f->inst[block->last];
    bool through = !ends_block(last) || last->guard != LOOM_PTX_NONE;
    bool at_end = block->last + 1 == a->inst_count;
    uint32_t target = a->target[block->last];

    block->successor[0] = PTX_NO_BLOCK;
    block->successor[1] = PTX_NO_BLOCK;
    for (uint32_t i = block->first; i <= block->last; i++) {
        block->fails = block->fails || fails(f, &f->inst[i]);
    }
    /* Of a guarded trap the others go on. */
    block->exits =
        !block->fails &&
        ((leaves(last) && last->op != LOOM_PTX_TRAP) || (through && at_end));
    if (through && !at_end) {
        block->successor[0] = number + 1;
    }
    if (last->op == LOOM_PTX_BRA) {
        if (target == a->inst_count) {
            block->exits = true;
        } else {
            block->successor[1] = a->block_of[target];
        }
    } else if (last->op == LOOM_PTX_BRX_IDX) {
        link_targets(a, block, last, more);
    }
}

bool ptx_find_blocks(struct ptx_analysis *a)
{
    uint32_t n = a->inst_count;
    bool *leader = calloc((size_t)n + 2, sizeof(*leader));
    uint32_t count = 0, more = 0;

    a->block_of = calloc((size_t)n + 1, sizeof(*a->block_of));
    a->target = calloc((size_t)n + 1, sizeof(*a->target));
    a->reconvergence = calloc((size_t)n + 1, sizeof(*a->reconvergence));
    if (leader == NULL || a->block_of == NULL || a->target == NULL ||
        a->reconvergence == NULL || !open_more(a)) {
        free(leader);
        return false;
    }
    for (uint32_t s = 0; s < a->section_count; s++) {
        leader[a->section[s].first] = true;
    }
    find_targets(a, leader);
    for (uint32_t i = 0; i < n; i++) {
        count += leader[i];
        a->block_of[i] = count - 1;
    }
    free(leader);
    a->block = calloc((size_t)count + 1, sizeof(*a->block));
    if (a->block == NULL) {
        return false;
    }
    a->block_count = count;
    for (uint32_t i = n; i-- > 0;) {
        struct ptx_block *block = &a->block[a->block_of[i]];

        block->first = i;
        block->last = block->last < i ? i : block->last;
        block->loop = LOOM_NO_LOOP;
    }
    for (uint32_t b = 0; b < count; b++) {
        link_block(a, b, &more);
    }
    return true;
}

/* Successor n of a block, the virtual exit behind all others; or
 * PTX_NO_BLOCK. */
static uint32_t edge_of(const struct ptx_analysis *a,
                        const struct ptx_block *block, uint32_t n)
{
    if (n < ptx_successors(block)) {
        return ptx_successor(block, n);
    }
    return block->exits ? a->block_count : PTX_NO_BLOCK;
}

static size_t most_edges(const struct ptx_analysis *a)
{
    size_t edges = 1;

    for (uint32_t b = 0; b < a->block_count; b++) {
        edges += ptx_successors(&a->block[b]) + 1u;
    }
    return edges;
}

bool ptx_graph_make(const struct ptx_analysis *a, struct ptx_graph *g)
{
    uint32_t n = a->block_count + 1;
    size_t most = most_edges(a);
    uint32_t at = 0;

    *g = (struct ptx_graph){.nodes = n};
    g->first_out = calloc((size_t)n + 2, sizeof(uint32_t));
    g->first_in = calloc((size_t)n + 2, sizeof(uint32_t));
    g->out = calloc(most, sizeof(uint32_t));
    g->in = calloc(most, sizeof(uint32_t));
    if (g->first_out == NULL || g->first_in == NULL || g->out == NULL ||
        g->in == NULL) {
        ptx_graph_free(g);
        return false;
    }
    for (uint32_t b = 0; b < a->block_count; b++) {
        const struct ptx_block *block = &a->block[b];

        g->first_out[b] = at;
        for (uint32_t e = 0; e <= ptx_successors(block); e++) {
            uint32_t to = edge_of(a, block, e);

            if (to != PTX_NO_BLOCK) {
                g->out[at++] = to;
                g->first_in[to + 2]++;
            }
        }
    }
    g->first_out[n - 1] = g->first_out[n] = at;
    for (uint32_t b = 2; b <= n; b++) {
        g->first_in[b] += g->first_in[b - 1];
    }
    for (uint32_t b = 0; b < a->block_count; b++) {
        for (uint32_t e = g->first_out[b]; e < g->first_out[b + 1]; e++) {
            g->in[g->first_in[g->out[e] + 1]++] = b;
        }
    }
    return true;
}

void ptx_graph_free(struct ptx_graph *g)
{
    free(g->first_out);
    free(g->first_in);
    free(g->out);
    free(g->in);
    *g = (struct ptx_graph){0};
}

void ptx_postorder(const uint32_t *first, const uint32_t *to, uint32_t root,
                   struct ptx_order *r)
{
    const uint32_t open = LOOM_PTX_NONE - 1;
    uint32_t top = 1;

    r->rank[root] = open;
    r->stack[0] = root;
    r->stack[1] = first[root];
    while (top > 0) {
        uint32_t node = r->stack[2 * top - 2];
        uint32_t edge = r->stack[2 * top - 1]++;

        if (edge == first[node + 1]) {
            r->rank[node] = r->count;
            r->order[r->count++] = node;
            top--;
        } else if (r->rank[to[edge]] == LOOM_PTX_NONE) {
            r->rank[to[edge]] = open;
            r->stack[2 * top] = to[edge];
            r->stack[2 * top + 1] = first[to[edge]];
            top++;
        }
    }
}

static uint32_t meet(const uint32_t *idom, const uint32_t *rank, uint32_t x,
                     uint32_t y)
{
    while (x != y) {
        while (rank[x] < rank[y]) {
            x = idom[x];
        }
        while (rank[y] < rank[x]) {
            y = idom[y];
        }
    }
    return x;
}

/* idom[] of the nodes in the order, whose last is the root. */
static void dominate(const uint32_t *first, const uint32_t *from,
                     const struct ptx_order *o, uint32_t *idom, uint32_t exit)
{
    uint32_t root = o->order[o->count - 1];
    bool changed = true;

    idom[root] = root;
    while (changed) {
        changed = false;
        for (uint32_t i = o->count - 1; i-- > 0;) {
            uint32_t node = o->order[i];
            uint32_t best = LOOM_PTX_NONE;

            /* Forwards, the exit belongs to all sections. */
            if (node == exit) {
                continue;
            }

            for (uint32_t e = first[node]; e < first[node + 1]; e++) {
                uint32_t other = from[e];

                if (idom[other] != LOOM_PTX_NONE) {
                    best = best == LOOM_PTX_NONE
                               ? other
                               : meet(idom, o->rank, best, other);
                }
            }
            if (best != LOOM_PTX_NONE && idom[node] != best) {
                idom[node] = best;
                changed = true;
            }
        }
    }
}

static void clear(struct ptx_order *o, uint32_t *idom, uint32_t nodes)
{
    o->count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        o->rank[i] = idom[i] = LOOM_PTX_NONE;
    }
}

static void forward(struct ptx_analysis *a, const struct ptx_graph *g,
                    struct ptx_order *o, uint32_t *idom)
{
    uint32_t exit = g->nodes - 1;

    clear(o, idom, g->nodes);
    for (uint32_t s = 0; s < a->section_count; s++) {
        o->count = 0;
        o->rank[exit] = idom[exit] = LOOM_PTX_NONE;
        ptx_postorder(g->first_out, g->out, a->block_of[a->section[s].first],
                      o);
        dominate(g->first_in, g->in, o, idom, exit);
    }
    for (uint32_t b = 0; b < a->block_count; b++) {
        a->block[b].reachable = o->rank[b] != LOOM_PTX_NONE;
        a->block[b].dominator = idom[b] == b || o->rank[b] == LOOM_PTX_NONE
                                    ? PTX_NO_BLOCK
                                    : idom[b];
    }
}

/* Marks the last block of each region from which no exit can be reached nor
 * a failure, so that the graph made next has an edge from it.  Nothing but
 * failures are exits. */
static void mark_endless(struct ptx_analysis *a, const struct ptx_graph *g,
                         struct ptx_order *o, uint32_t *idom)
{
    clear(o, idom, g->nodes);
    ptx_postorder(g->first_in, g->in, g->nodes - 1, o);
    for (uint32_t b = 0; b < a->block_count && o->count > 1; b++) {
        if (a->block[b].fails && o->rank[b] == LOOM_PTX_NONE) {
            ptx_postorder(g->first_in, g->in, b, o);
        }
    }
    for (uint32_t b = a->block_count; b-- > 0;) {
        if (o->rank[b] == LOOM_PTX_NONE) {
            a->block[b].exits = true;
            ptx_postorder(g->first_in, g->in, b, o);
        }
    }
}

static void backward(struct ptx_analysis *a, const struct ptx_graph *g,
                     struct ptx_order *o, uint32_t *idom)
{
    clear(o, idom, g->nodes);
    ptx_postorder(g->first_in, g->in, g->nodes - 1, o);
    dominate(g->first_out, g->out, o, idom, LOOM_PTX_NONE);
    for (uint32_t b = 0; b < a->block_count; b++) {
        struct ptx_block *block = &a->block[b];

        block->post_dominator =
            idom[b] == g->nodes - 1 ? PTX_NO_BLOCK : idom[b];
        if (a->function->inst[block->last].op == LOOM_PTX_BRA ||
            a->function->inst[block->last].op == LOOM_PTX_BRX_IDX) {
            a->reconvergence[block->last] =
                block->post_dominator == PTX_NO_BLOCK
                    ? PTX_EXIT
                    : a->block[block->post_dominator].first;
        }
    }
}

bool ptx_find_dominators(struct ptx_analysis *a)
{
    struct ptx_graph g;
    struct ptx_order o;
    uint32_t *idom;
    size_t n = (size_t)a->block_count + 1;
    uint32_t *memory;
    bool ok;

    if (a->block_count == 0) {
        return true;
    }
    memory = calloc(n * 5, sizeof(*memory));
    if (memory == NULL) {
        return false;
    }
    o = (struct ptx_order){memory, memory + n, memory + 2 * n, 0};
    idom = memory + 4 * n;
    ok = ptx_graph_make(a, &g);
    if (ok) {
        forward(a, &g, &o, idom);
        mark_endless(a, &g, &o, idom);
        ptx_graph_free(&g);
        ok = ptx_graph_make(a, &g); /* once more, with the marked exits */
    }
    if (ok) {
        backward(a, &g, &o, idom);
        ptx_graph_free(&g);
    }
    free(memory);
    return ok;
}

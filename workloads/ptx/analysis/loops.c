/*
 * Natural loops: an edge to a block that dominates its source closes one.
 *
 * Headers are visited innermost first (later in reverse postorder first);
 * the walk from a closing edge backwards to the header meets inner loops as
 * wholes, so that every block is entered about once.  Edges into the middle
 * of a cycle (irreducible control flow) close no loop.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct walk {
    struct ptx_analysis *a;
    struct ptx_graph graph;
    struct ptx_order o;
    uint32_t *stack; /* of blocks: every edge at most twice */
};

/* Loops are numbered in the order found; parents come later. */
static uint16_t outer_of(const struct ptx_analysis *a, uint16_t loop)
{
    while (a->loop[loop].parent != LOOM_NO_LOOP) {
        loop = a->loop[loop].parent;
    }
    return loop;
}

/* Dominance by walking up: rank rises towards the entry. */
static bool dominates(const struct walk *w, uint32_t up, uint32_t block)
{
    while (block != PTX_NO_BLOCK && w->o.rank[block] < w->o.rank[up]) {
        block = w->a->block[block].dominator;
    }
    return block == up;
}

/* Adds to `loop` what reaches the blocks on the stack without its header. */
static void fill(struct walk *w, uint16_t loop, uint32_t header, uint32_t top)
{
    struct ptx_analysis *a = w->a;

    while (top > 0) {
        uint32_t block = w->stack[--top];

        if (!a->block[block].reachable) {
            continue;
        }
        if (a->block[block].loop == LOOM_NO_LOOP) {
            a->block[block].loop = loop;
        } else {
            uint16_t outer = outer_of(a, a->block[block].loop);

            if (outer == loop) {
                continue;
            }
            a->loop[outer].parent = loop;
            block = a->block_of[a->loop[outer].header];
        }
        if (block == header) {
            continue;
        }
        for (uint32_t e = w->graph.first_in[block];
             e < w->graph.first_in[block + 1]; e++) {
            w->stack[top++] = w->graph.in[e];
        }
    }
}

static void visit_header(struct walk *w, uint32_t header)
{
    struct ptx_analysis *a = w->a;
    uint32_t top = 0;

    for (uint32_t e = w->graph.first_in[header];
         e < w->graph.first_in[header + 1]; e++) {
        uint32_t from = w->graph.in[e];

        if (a->block[from].reachable && dominates(w, header, from)) {
            w->stack[top++] = from;
        }
    }
    if (top == 0 || a->loop_count == LOOM_NO_LOOP) {
        return;
    }
    a->loop[a->loop_count] = (struct loom_loop){
        .parent = LOOM_NO_LOOP, .header = a->block[header].first};
    a->block[header].header = true;
    a->block[header].loop = (uint16_t)a->loop_count;
    fill(w, (uint16_t)a->loop_count, header, top);
    a->loop_count++;
}

/* Program order, so that numbers do not depend on how they were found. */
static bool renumber(struct ptx_analysis *a)
{
    struct loom_loop *sorted =
        calloc((size_t)a->loop_count + 1, sizeof(*sorted));
    uint16_t *to = calloc((size_t)a->loop_count + 1, sizeof(*to));
    uint16_t next = 0;

    for (uint32_t b = 0; sorted != NULL && to != NULL && b < a->block_count;
         b++) {
        if (a->block[b].header) {
            to[a->block[b].loop] = next;
            sorted[next++] = a->loop[a->block[b].loop];
        }
    }
    for (uint32_t i = 0; sorted != NULL && to != NULL && i < next; i++) {
        if (sorted[i].parent != LOOM_NO_LOOP) {
            sorted[i].parent = to[sorted[i].parent];
        }
    }
    for (uint32_t b = 0; to != NULL && b < a->block_count; b++) {
        if (a->block[b].loop != LOOM_NO_LOOP) {
            a->block[b].loop = to[a->block[b].loop];
        }
    }
    free(to);
    if (sorted != NULL) {
        free(a->loop);
        a->loop = sorted;
    }
    return sorted != NULL;
}

static void set_depths(struct ptx_analysis *a)
{
    for (uint32_t i = 0; i < a->loop_count; i++) {
        for (uint16_t l = (uint16_t)i; l != LOOM_NO_LOOP;
             l = a->loop[l].parent) {
            a->loop[i].depth++;
        }
    }
}

bool ptx_find_loops(struct ptx_analysis *a)
{
    struct walk w = {.a = a};
    size_t n = (size_t)a->block_count + 1;
    uint32_t *memory = calloc(n * 4, sizeof(*memory));

    a->loop = calloc(n, sizeof(*a->loop));
    if (memory == NULL || a->loop == NULL || !ptx_graph_make(a, &w.graph)) {
        free(memory);
        return false;
    }
    w.o = (struct ptx_order){memory, memory + n, memory + 2 * n, 0};
    w.stack = calloc(2 * (size_t)w.graph.first_out[w.graph.nodes] + 2,
                     sizeof(uint32_t));
    if (w.stack == NULL) {
        ptx_graph_free(&w.graph);
        free(memory);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        w.o.rank[i] = LOOM_PTX_NONE;
    }
    for (uint32_t s = 0; s < a->section_count && a->block_count > 0; s++) {
        ptx_postorder(w.graph.first_out, w.graph.out,
                      a->block_of[a->section[s].first], &w.o);
    }
    for (uint32_t i = 0; i < w.o.count; i++) {
        if (w.o.order[i] < a->block_count) {
            visit_header(&w, w.o.order[i]);
        }
    }
    ptx_graph_free(&w.graph);
    free(w.stack);
    free(memory);
    if (!renumber(a)) {
        return false;
    }
    set_depths(a);
    return true;
}

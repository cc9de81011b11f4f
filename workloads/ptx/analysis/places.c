/*
 * The order of blocks in which live ranges are measured: each block behind
 * those from which control comes to it, but for the edges that close loops;
 * of several the first in the text.
 *
 * Most text is in this order.  What is not are rare paths behind a loop to
 * which they belong: their values are not live in what lies between.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct places {
    const struct ptx_analysis *a;
    struct ptx_graph graph;
    struct ptx_order order;
    uint32_t *waits; /* [nodes]: edges from blocks that have no place yet */
    uint64_t *ready; /* bits of blocks */
};

/* Edges to a block that is left later close loops; unreachable blocks have
 * no rank, and wait for nobody. */
static bool forward(const struct places *p, uint32_t from, uint32_t to)
{
    const uint32_t *rank = p->order.rank;

    return to + 1 < p->graph.nodes && rank[from] != LOOM_PTX_NONE &&
           rank[from] > rank[to];
}

static void find_ranks(struct places *p)
{
    for (uint32_t n = 0; n < p->graph.nodes; n++) {
        p->order.rank[n] = LOOM_PTX_NONE;
    }
    for (uint32_t s = 0; s < p->a->section_count; s++) {
        uint32_t first = p->a->section[s].first;

        if (first < p->a->inst_count &&
            p->order.rank[p->a->block_of[first]] == LOOM_PTX_NONE) {
            ptx_postorder(p->graph.first_out, p->graph.out,
                          p->a->block_of[first], &p->order);
        }
    }
}

static void find_waits(struct places *p)
{
    const struct ptx_graph *g = &p->graph;

    for (uint32_t b = 0; b + 1 < g->nodes; b++) {
        for (uint32_t e = g->first_out[b]; e < g->first_out[b + 1]; e++) {
            p->waits[g->out[e]] += forward(p, b, g->out[e]);
        }
    }
    for (uint32_t b = 0; b + 1 < g->nodes; b++) {
        if (p->waits[b] == 0) {
            p->ready[b / 64] |= loom_bit(b % 64);
        }
    }
}

static uint32_t first_ready(struct places *p)
{
    uint32_t w = 0, bit;

    while (p->ready[w] == 0) {
        w++;
    }
    bit = loom_lowest(p->ready[w]);
    p->ready[w] &= p->ready[w] - 1;
    return w * 64 + bit;
}

/* A block that is ready lies in the first section that is not done: within
 * each the forward edges have no circle. */
static void fill(struct places *p, uint32_t *place, uint32_t *inst)
{
    const struct ptx_graph *g = &p->graph;
    uint32_t at = 0;

    for (uint32_t n = 0; n + 1 < g->nodes; n++) {
        uint32_t b = first_ready(p);

        place[b] = at;
        for (uint32_t i = p->a->block[b].first; i <= p->a->block[b].last; i++) {
            inst[at++] = p->a->schedule != NULL ? p->a->schedule->order[i] : i;
        }
        for (uint32_t e = g->first_out[b]; e < g->first_out[b + 1]; e++) {
            uint32_t to = g->out[e];

            if (forward(p, b, to) && --p->waits[to] == 0) {
                p->ready[to / 64] |= loom_bit(to % 64);
            }
        }
    }
}

bool ptx_find_places(const struct ptx_analysis *a, uint32_t *place,
                     uint32_t *inst)
{
    size_t n = (size_t)a->block_count + 1;
    uint32_t *memory = calloc(5 * n, sizeof(*memory));
    struct places p = {.a = a, .ready = calloc(n, sizeof(*p.ready))};
    bool ok = memory != NULL && p.ready != NULL;

    if (ok) {
        p.order = (struct ptx_order){memory, memory + n, memory + 2 * n, 0};
        p.waits = memory + 4 * n;
        ok = ptx_graph_make(a, &p.graph);
    }
    if (ok) {
        find_ranks(&p);
        find_waits(&p);
        fill(&p, place, inst);
        ptx_graph_free(&p.graph);
    }
    free(p.ready);
    free(memory);
    return ok;
}

/*
 * What branches are to a compiler for machines since Volta.
 *
 * A short branch over what follows is none: ptxas 13.0 gives up to eight
 * instructions behind it its predicate.  Where lanes go apart otherwise, a
 * barrier (BSSY) is set before the branch, and they meet behind it (BSYNC).  A
 * branch that all lanes take together needs none, nor one whose lanes meet at
 * the end of the program.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define SHORT 8u /* ptxas -arch=sm_90: eight FFMA or stores, not nine */

/* Of a block that may be without a branch: how many of its instructions are
 * left, or more than SHORT. */
static uint32_t length(const struct ptx_analysis *a, const struct ptx_block *b)
{
    uint32_t count = 0;

    for (uint32_t i = b->first; i <= b->last; i++) {
        switch (a->inst[i].op) {
        case LOOM_OP_BRANCH:
        case LOOM_OP_BARRIER:
        case LOOM_OP_EXIT:
        case LOOM_OP_TENSOR:
            return SHORT + 1;
        default:
            count += a->schedule->times[i];
        }
    }
    return count;
}

static bool is_short(const struct ptx_analysis *a, uint32_t block)
{
    uint32_t branch = a->block[block].last;

    return block + 2 < a->block_count &&
           a->target[branch] == a->block[block + 2].first &&
           a->block[block + 1].first == branch + 1 &&
           length(a, &a->block[block + 1]) <= SHORT;
}

/* A branch at which lanes may part until `meet`. */
static void mark_parting(struct ptx_analysis *a, const uint32_t *first,
                         uint32_t branch, uint32_t meet)
{
    uint32_t timed =
        meet < a->inst_count ? first[a->block_of[meet]] : LOOM_PTX_NONE;

    if (timed == LOOM_PTX_NONE || a->inst[timed].op == LOOM_OP_EXIT) {
        return;
    }
    a->inst[timed].way |= LOOM_WAY_MEET;
    if (a->target[branch] == meet || branch + 1 == meet) {
        a->inst[branch].way |= LOOM_WAY_STRAIGHT;
    }
}

static void mark(struct ptx_analysis *a, const uint8_t *holds,
                 const uint32_t *first)
{
    for (uint32_t b = 0; b < a->block_count; b++) {
        uint32_t i = a->block[b].last;
        const struct loom_ptx_inst *inst = &a->function->inst[i];

        if (inst->op != LOOM_PTX_BRA || inst->guard == LOOM_PTX_NONE) {
            continue;
        }
        if (is_short(a, b)) {
            a->inst[i].way |= LOOM_WAY_SHORT;
        } else if ((a->inst[i].flags & LOOM_INST_UNIFORM) == 0 &&
                   (holds[inst->guard] & PTX_IS_UNIFORM) == 0) {
            mark_parting(a, first, i, a->reconvergence[i]);
        }
    }
}

bool ptx_find_ways(struct ptx_analysis *a)
{
    struct ptx_ranges range = {0};
    size_t n = (size_t)a->function->reg_count + 1;
    uint8_t *holds = calloc(n, sizeof(*holds));
    uint32_t *first = malloc(((size_t)a->block_count + 1) * sizeof(*first));
    bool ok = holds != NULL && first != NULL &&
              ptx_find_ranges(a, NULL, &range) &&
              ptx_find_holds(a, range.constant, holds);

    for (uint32_t b = 0; ok && b < a->block_count; b++) {
        first[b] = LOOM_PTX_NONE;
    }
    for (uint32_t k = a->inst_count; ok && k-- > 0;) {
        uint32_t i = a->schedule->order[k];

        if (a->schedule->times[i] != 0) {
            first[a->block_of[i]] = i;
        }
    }
    if (ok) {
        mark(a, holds, first);
    }
    ptx_free_ranges(&range);
    free(holds);
    free(first);
    return ok;
}

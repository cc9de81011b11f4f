/*
 * Sequences of instructions that a compiler makes of a single one.
 *
 * Those of ptxas 13.0 for sm_90, where lanes need nothing special: clz is FLO
 * and IADD3, which is not on the multipliers here, sin FMUL and MUFU, a square
 * root MUFU, two FMUL and two FFMA, with a test of its argument, for which
 * nobody waits (BSSY, IADD3, ISETP, BRA, BSYNC).
 */
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define STEP 16u /* bytes of an instruction */

const struct ptx_steps ptx_sequences[PTX_SEQUENCES] = {
    [PTX_WIDE] = {2, {{.own = true, .more = true}, {.own = true, .count = 1}}},
    [PTX_SUM] = {2,
                 {{.own = true, .more = true, .first_use = LOOM_USE_OTHER},
                  {.own = true, .count = 1}}},
    [PTX_CLZ] = {2,
                 {{.own = true, .count = 1},
                  {.op = LOOM_OP_MOVE,
                   .form = LOOM_FORM_LOGIC,
                   .count = 1,
                   .more = true}}},
    [PTX_ANGLE] = {2,
                   {{.op = LOOM_OP_FP_MUL,
                     .count = 1,
                     .more = true,
                     .first_use = LOOM_USE_FAR},
                    {.own = true, .count = 1}}},
    [PTX_ROOT] = {4,
                  {{.own = true, .count = 1},
                   {.op = LOOM_OP_MOVE,
                    .form = LOOM_FORM_LOGIC,
                    .count = 5,
                    .more = true,
                    .apart = true},
                   {.op = LOOM_OP_FP_MUL, .count = 2, .more = true},
                   {.op = LOOM_OP_FP_MAD, .count = 2, .more = true}}},
};

uint32_t ptx_more_entries(uint32_t sequence)
{
    return ptx_sequences[sequence].count == 0
               ? 0
               : ptx_sequences[sequence].count - 1;
}

static void set_step(struct loom_static_inst *s, const struct ptx_step *step)
{
    if (!step->own) {
        s->op = step->op;
        s->form = step->form;
    }
    if (step->apart) {
        memset(s->use, 0, sizeof(s->use));
        memset(s->def, 0, sizeof(s->def));
        s->sources = s->dests = 0;
    }
}

void ptx_make_steps(uint32_t sequence, uint32_t times,
                    struct loom_static_inst *inst,
                    struct loom_static_inst *more)
{
    const struct ptx_steps *steps = &ptx_sequences[sequence];
    const struct loom_static_inst whole = *inst;
    uint32_t at = 0;

    for (uint32_t i = 0; i < steps->count; i++) {
        const struct ptx_step *step = &steps->step[i];
        struct loom_static_inst *s = step->more ? more++ : inst;

        *s = whole;
        s->pc = whole.pc + at * STEP;
        s->first_use =
            i + 1 == steps->count ? whole.first_use : step->first_use;
        s->way = i == 0 ? whole.way : 0;
        set_step(s, step);
        at += step->count != 0 ? step->count : times - 1;
    }
}

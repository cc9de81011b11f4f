/*
 * Who reads a result first, in the order in which a block is timed.
 *
 * Since Volta a compiler leaves so many cycles between both as their units
 * need: stalls that ptxas 13.0 writes into code for sm_75 to sm_90 are 4 from
 * ALU to ALU and from multiplier to multiplier, 5 from the one to the other, 6
 * (sm_75: 8) to what reads its registers later, for it takes its time: memory,
 * SFUs, double precision; 13 from a comparison to the instruction that its
 * predicate guards.  What reads it in another block has time.
 */
#include <stdlib.h>

#include "workloads/ptx/analysis/analysis_private.h"

enum pipe {
    PIPE_ALU,
    PIPE_MUL,
    PIPE_EITHER, /* where the other one is not needed */
    PIPE_DOUBLE,
    PIPE_FAR,
    PIPE_NONE
};

struct search {
    struct ptx_analysis *a;
    uint32_t *writer; /* [reg_count] instruction + 1 */
    uint32_t at;
};

static enum pipe pipe_of_move(enum loom_form form)
{
    switch (form) {
    case LOOM_FORM_LOGIC:
        return PIPE_ALU;
    case LOOM_FORM_CONVERT:
    case LOOM_FORM_SPECIAL:
        return PIPE_FAR;
    default:
        return PIPE_EITHER;
    }
}

static enum pipe pipe_of(const struct loom_static_inst *s)
{
    switch ((enum loom_op)s->op) {
    case LOOM_OP_INT_MAX:
    case LOOM_OP_FP_MAX:
        return PIPE_ALU;
    case LOOM_OP_INT_MUL:
    case LOOM_OP_INT_MAD:
    case LOOM_OP_FP_ADD:
    case LOOM_OP_FP_MUL:
    case LOOM_OP_FP_MAD:
        return PIPE_MUL;
    case LOOM_OP_INT_ADD:
        return PIPE_EITHER;
    case LOOM_OP_MOVE:
        return pipe_of_move((enum loom_form)s->form);
    case LOOM_OP_SHUFFLE:
        return s->form == LOOM_FORM_VOTE ? PIPE_ALU : PIPE_FAR;
    case LOOM_OP_DP_ADD:
    case LOOM_OP_DP_MAX:
    case LOOM_OP_DP_MUL:
    case LOOM_OP_DP_MAD:
        return PIPE_DOUBLE;
    case LOOM_OP_INT_DIV:
    case LOOM_OP_FP_DIV:
    case LOOM_OP_DP_DIV:
    case LOOM_OP_SFU:
    case LOOM_OP_TENSOR:
    case LOOM_OP_LOAD:
    case LOOM_OP_STORE:
    case LOOM_OP_ATOMIC:
        return PIPE_FAR;
    default:
        return PIPE_NONE;
    }
}

/* Of an instruction's sequence the part that reads its operands, or the one
 * that makes its result. */
static enum pipe pipe_at(const struct ptx_analysis *a, uint32_t i, bool last)
{
    const struct ptx_steps *steps = &ptx_sequences[a->schedule->sequence[i]];
    struct loom_static_inst s = a->inst[i];

    if (steps->count != 0) {
        const struct ptx_step *step = &steps->step[last ? steps->count - 1 : 0];

        s.op = step->own ? s.op : step->op;
        s.form = step->own ? s.form : step->form;
    }
    return pipe_of(&s);
}

bool ptx_is_guarded(const struct loom_ptx_inst *inst)
{
    return inst->guard != LOOM_PTX_NONE ||
           loom_ptx_opcodes[inst->op].group == LOOM_PTX_G_SHUFFLE;
}

static enum loom_use use_of(enum pipe from, enum pipe to)
{
    if (from == to || from == PIPE_FAR || from == PIPE_NONE ||
        to == PIPE_NONE) {
        return LOOM_USE_NEAR;
    }
    return from == PIPE_DOUBLE || to == PIPE_DOUBLE || to == PIPE_FAR
               ? LOOM_USE_FAR
               : LOOM_USE_OTHER;
}

static void see_read(void *context, uint32_t reg, bool write)
{
    const struct search *s = context;
    const struct loom_ptx_inst *inst = &s->a->function->inst[s->at];
    uint32_t writer = s->writer[reg] - 1;
    struct loom_static_inst *from;

    if (write || s->writer[reg] == 0 ||
        s->a->block_of[writer] != s->a->block_of[s->at]) {
        return;
    }
    from = &s->a->inst[writer];
    s->writer[reg] = 0;
    if (s->a->function->reg[reg].type == LOOM_PTX_PRED) {
        from->first_use = ptx_is_guarded(inst) ? LOOM_USE_GUARD : LOOM_USE_NEAR;
    } else {
        from->first_use = (uint8_t)use_of(pipe_at(s->a, writer, true),
                                          pipe_at(s->a, s->at, false));
    }
}

static void see_write(void *context, uint32_t reg, bool write)
{
    const struct search *s = context;

    if (write) {
        s->writer[reg] = s->at + 1;
    }
}

bool ptx_find_first_uses(struct ptx_analysis *a)
{
    struct search s = {.a = a};

    s.writer = calloc((size_t)a->function->reg_count + 1, sizeof(*s.writer));
    if (s.writer == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < a->inst_count; k++) {
        s.at = a->schedule->order[k];
        if (a->schedule->times[s.at] != 0) {
            ptx_visit(a, s.at, see_read, &s);
            ptx_visit(a, s.at, see_write, &s);
        }
    }
    free(s.writer);
    return true;
}

/*
 * From a parsed kernel to struct exec_op: what is common to all
 * instructions, control flow, and the layout of a warp's frame.
 *
 * What the executor cannot do is refused here, before anything runs, with
 * the line of the PTX text and the instruction.
 */
#include <stdlib.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/exec_decode_private.h"

bool ptx_decode_pred(const struct exec_code *code,
                     const struct loom_ptx_operand *operand, uint32_t *slot,
                     bool *invert)
{
    if (operand->kind == LOOM_PTX_OP_IMM) {
        *slot = EXEC_NONE;
        *invert = operand->value == 0;
        return true;
    }
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type != LOOM_PTX_PRED) {
        return false;
    }
    *slot = code->reg[operand->reg];
    *invert = operand->negate;
    return true;
}

bool ptx_decode_pred_out(const struct exec_code *code,
                         const struct loom_ptx_operand *operand, uint32_t *slot)
{
    if (operand->kind == LOOM_PTX_OP_SINK) {
        *slot = EXEC_NONE;
        return true;
    }
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type != LOOM_PTX_PRED) {
        return false;
    }
    *slot = code->reg[operand->reg];
    return true;
}

bool ptx_decode_out(const struct exec_code *code,
                    const struct loom_ptx_operand *operand, uint32_t *offset,
                    bool *wide)
{
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type == LOOM_PTX_PRED) {
        return false;
    }
    *offset = code->reg[operand->reg];
    *wide = ptx_reg_wide(code, operand->reg);
    return true;
}

static bool decode_branch(struct exec_code *code, struct exec_op *op,
                          uint32_t at)
{
    const struct ptx_analysis *a = code->analysis;

    op->kind = EXEC_BRANCH;
    op->target = a->target[at];
    op->join = a->reconvergence[at];
    if (op->target > code->function->inst_count) {
        return false;
    }
    if (op->join < code->op_count) {
        code->op[op->join].flags |= EXEC_JOIN;
    }
    return true;
}

/* A barrier number or thread count: register or immediate. */
static bool barrier_source(struct exec_code *code,
                           const struct loom_ptx_inst *inst, uint32_t n,
                           uint32_t *source)
{
    return ptx_operand(code, inst, &inst->operand[n], LOOM_PTX_U32, source);
}

static bool decode_barrier(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool red = inst->op == LOOM_PTX_BAR_RED || inst->op == LOOM_PTX_BARRIER_RED;
    uint32_t n = red ? 1 : 0, last = inst->operand_count;
    bool invert = false, wide = false;

    op->kind = EXEC_BARRIER;
    op->opcode_sub = red ? inst->sub : 0;
    op->how.mode =
        inst->op == LOOM_PTX_BAR_ARRIVE || inst->op == LOOM_PTX_BARRIER_ARRIVE;
    op->s[1] = EXEC_NONE;
    if (red) {
        last--;
        if (!ptx_decode_pred(code, &inst->operand[last], &op->p, &invert)) {
            return false;
        }
        op->flags |= invert ? EXEC_PRED_NOT : 0;
        if (inst->sub == LOOM_PTX_DO_POPC
                ? !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide)
                : !ptx_decode_pred_out(code, &inst->operand[0], &op->po)) {
            return false;
        }
    }
    if (n >= last || !barrier_source(code, inst, n, &op->s[0])) {
        return false;
    }
    return n + 1 >= last || barrier_source(code, inst, n + 1, &op->s[1]);
}

static bool decode_one(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op, uint32_t at)
{
    switch (inst->op) {
    case LOOM_PTX_BRA:
        return decode_branch(code, op, at);
    case LOOM_PTX_RET:
    case LOOM_PTX_EXIT:
        op->kind = EXEC_EXIT;
        return true;
    case LOOM_PTX_TRAP:
        op->kind = EXEC_TRAP;
        return true;
    case LOOM_PTX_BAR_SYNC:
    case LOOM_PTX_BAR_ARRIVE:
    case LOOM_PTX_BAR_RED:
    case LOOM_PTX_BAR_CTA_SYNC:
    case LOOM_PTX_BARRIER_SYNC:
    case LOOM_PTX_BARRIER_ARRIVE:
    case LOOM_PTX_BARRIER_RED:
    case LOOM_PTX_BARRIER_CTA_SYNC:
        return decode_barrier(code, inst, op);
    case LOOM_PTX_BAR_WARP_SYNC:
    case LOOM_PTX_MEMBAR:
    case LOOM_PTX_FENCE:
    case LOOM_PTX_PREFETCH:
    case LOOM_PTX_PREFETCHU:
    case LOOM_PTX_NANOSLEEP:
    case LOOM_PTX_PMEVENT:
    case LOOM_PTX_BRKPT:
    case LOOM_PTX_GRIDDEPCONTROL_WAIT:
    case LOOM_PTX_GRIDDEPCONTROL_LAUNCH:
        op->kind = EXEC_NOTHING;
        return true;
    case LOOM_PTX_LD:
    case LOOM_PTX_LDU:
    case LOOM_PTX_ST:
    case LOOM_PTX_ATOM:
    case LOOM_PTX_RED:
        return ptx_decode_memory(code, inst, op);
    case LOOM_PTX_SHFL:
    case LOOM_PTX_VOTE:
    case LOOM_PTX_MATCH:
    case LOOM_PTX_REDUX:
    case LOOM_PTX_ACTIVEMASK:
        return ptx_decode_warp_op(code, inst, op);
    default:
        return ptx_decode_lanes(code, inst, op);
    }
}

/* Places for the registers that the kernel uses. */
static bool lay_out(struct exec_code *code)
{
    const struct loom_ptx_function *f = code->function;

    code->reg = calloc((size_t)f->reg_count + 1, sizeof(*code->reg));
    if (code->reg == NULL) {
        return false;
    }
    code->carry = code->predicates++;
    for (uint32_t i = 0; i < f->reg_count; i++) {
        if (code->analysis->physical[i] == LOOM_PTX_NONE) {
            continue;
        }
        if (f->reg[i].type == LOOM_PTX_PRED) {
            code->reg[i] = code->predicates++;
        } else {
            code->reg[i] = code->frame_bytes;
            code->frame_bytes +=
                LOOM_WARP_LANES * (ptx_reg_wide(code, i) ? 8u : 4u);
        }
    }
    return true;
}

/* Gives generic memory instructions their shared and local forms in the
 * static table: the timing model knows one space per static instruction. */
static bool copy_static(struct exec_code *code)
{
    const struct ptx_analysis *a = code->analysis;
    uint32_t generic = 0, next = a->inst_count;

    for (uint32_t i = 0; i < a->inst_count; i++) {
        generic += code->op[i].space == EXEC_GENERIC ? 1 : 0;
    }
    code->inst_count = a->inst_count + 2 * generic;
    code->inst = calloc((size_t)code->inst_count + 1, sizeof(*code->inst));
    if (code->inst == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < a->inst_count; i++) {
        code->inst[i] = a->inst[i];
        if (code->op[i].space != EXEC_GENERIC) {
            continue;
        }
        code->inst[i].space = LOOM_SPACE_GLOBAL;
        code->inst[next] = a->inst[i];
        code->inst[next].space = LOOM_SPACE_SHARED;
        code->inst[next + 1] = a->inst[i];
        code->inst[next + 1].space = LOOM_SPACE_LOCAL;
        code->op[i].target = next;
        next += 2;
    }
    return true;
}

static bool decode_all(struct exec_code *code, struct loom_error *err)
{
    const struct loom_ptx_function *f = code->function;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];
        struct exec_op *op = &code->op[i];

        op->index = i;
        op->space = EXEC_SPACES + 1; /* not a memory operation */
        op->guard = EXEC_NONE;
        op->p = op->p2 = op->po = op->qo = EXEC_NONE;
        op->how.round = inst->round;
        op->how.ftz = (inst->flags & LOOM_PTX_FTZ) != 0;
        op->how.sat = (inst->flags & LOOM_PTX_SAT) != 0;
        op->how.mode = inst->mode;
        op->how.shift_amount = (inst->flags & LOOM_PTX_SHIFTAMT) != 0;
        if (inst->guard != LOOM_PTX_NONE) {
            op->guard = code->reg[inst->guard];
            op->guard_invert = inst->guard_negate ? UINT32_MAX : 0;
        }
        if ((inst->guard != LOOM_PTX_NONE &&
             f->reg[inst->guard].type != LOOM_PTX_PRED) ||
            !decode_one(code, inst, op, i)) {
            return ptx_refuse(code, inst,
                              "this instruction, or this form of it, is not "
                              "supported",
                              err);
        }
    }
    code->op[f->inst_count].kind = EXEC_END;
    code->op[f->inst_count].guard = EXEC_NONE;
    code->op[f->inst_count].index = f->inst_count;
    return true;
}

bool ptx_decode(struct exec_code *code, struct loom_error *err)
{
    const struct loom_ptx_function *f = code->function;

    code->op_count = f->inst_count + 1;
    code->op = calloc(code->op_count, sizeof(*code->op));
    if (code->op == NULL || !lay_out(code)) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to decode kernel '%s'", f->name);
    }
    if (!decode_all(code, err)) {
        return false;
    }
    if (!copy_static(code)) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to decode kernel '%s'", f->name);
    }
    return true;
}

void ptx_code_free(struct exec_code *code)
{
    if (code == NULL) {
        return;
    }
    free(code->op);
    free(code->constant);
    free(code->special);
    free(code->reg);
    free(code->inst);
    free(code);
}

/*
 * From a parsed kernel to struct exec_op: what is common to all
 * instructions, control flow, and the layout of a warp's frame.
 *
 * What the executor cannot do is refused here, before anything runs, with
 * the line of the PTX text and the instruction.
 */
#include <stdlib.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/decode/decode_private.h"
#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/matrix.h"
#include "workloads/ptx/exec/texture.h"

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

static bool decode_index(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op,
                         uint32_t at)
{
    op->kind = EXEC_BRANCH_INDEX;
    op->target = (uint32_t)inst->operand[1].value;
    op->join = code->analysis->reconvergence[at];
    if (op->join < code->op_count) {
        code->op[op->join].flags |= EXEC_JOIN;
    }
    return ptx_operand(code, inst, &inst->operand[0], LOOM_PTX_U32, &op->s[0]);
}

/* alloca, stacksave, stackrestore. */
static bool decode_stack(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool restore = inst->op == LOOM_PTX_STACKRESTORE, wide = false;
    uint64_t align = 8;

    op->kind = EXEC_STACK;
    op->opcode_sub = restore                          ? EXEC_STACK_RESTORE
                     : inst->op == LOOM_PTX_STACKSAVE ? EXEC_STACK_SAVE
                                                      : EXEC_STACK_ALLOCA;
    if (!restore) {
        if (!ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide)) {
            return false;
        }
        op->d_wide = wide;
    }
    if (inst->operand_count > 2) {
        align = (uint64_t)inst->operand[2].value;
        if (inst->operand[2].kind != LOOM_PTX_OP_IMM ||
            !loom_is_power_of_2(align) || align > 128) {
            return false;
        }
    }
    op->how.mode = (uint8_t)align;
    op->s_wide = loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]) == 8;
    if (op->opcode_sub == EXEC_STACK_SAVE) {
        return ptx_constant(code, 0, op->s_wide != 0, &op->s[0]);
    }
    return ptx_operand(code, inst, &inst->operand[restore ? 0 : 1],
                       inst->type[0], &op->s[0]);
}

/* A barrier number or thread count: register or immediate. */
static bool barrier_source(struct exec_code *code,
                           const struct loom_ptx_inst *inst, uint32_t n,
                           struct exec_op *op, uint32_t *source)
{
    op->flags |= inst->operand[n].kind == LOOM_PTX_OP_IMM ? 0 : EXEC_DYNAMIC;
    return ptx_operand(code, inst, &inst->operand[n], LOOM_PTX_U32, source);
}

static bool decode_barrier(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool red = ptx_barrier_reduces(inst->op);
    uint32_t n = red ? 1 : 0, last = inst->operand_count;
    bool invert = false, wide = false;

    op->kind = EXEC_BARRIER;
    op->opcode_sub = red ? inst->sub : 0;
    op->how.mode = ptx_barrier_arrives(inst->op);
    op->meets = op->how.mode == 0 ? EXEC_MEETS_ALL : 0;
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
    if (n >= last || !barrier_source(code, inst, n, op, &op->s[0])) {
        return false;
    }
    return n + 1 >= last || barrier_source(code, inst, n + 1, op, &op->s[1]);
}

/* Who decodes an opcode; what is not in the table: lane by lane. */
enum decoder {
    BY_LANES,
    BY_NOTHING,
    BY_SLEEP,
    BY_BARRIER,
    BY_STACK,
    BY_MEMORY,
    BY_COPY,
    BY_FILL,
    BY_MBARRIER,
    BY_WARP,
    BY_WGMMA,
    BY_TENSOR,
    BY_MAP
};

static const uint8_t decoders[LOOM_PTX_OPCODES] = {
    [LOOM_PTX_SETMAXNREG_INC] = BY_NOTHING,
    [LOOM_PTX_SETMAXNREG_DEC] = BY_NOTHING,
    [LOOM_PTX_DISCARD] = BY_NOTHING,
    [LOOM_PTX_APPLYPRIORITY] = BY_NOTHING,
    [LOOM_PTX_MEMBAR_PROXY] = BY_NOTHING,
    [LOOM_PTX_FENCE_PROXY] = BY_NOTHING,
    [LOOM_PTX_FENCE_INIT] = BY_NOTHING,
    [LOOM_PTX_FENCE_MAP] = BY_NOTHING,
    [LOOM_PTX_BAR_WARP_SYNC] = BY_NOTHING,
    [LOOM_PTX_MEMBAR] = BY_NOTHING,
    [LOOM_PTX_FENCE] = BY_NOTHING,
    [LOOM_PTX_PREFETCH] = BY_NOTHING,
    [LOOM_PTX_PREFETCHU] = BY_NOTHING,
    [LOOM_PTX_NANOSLEEP] = BY_SLEEP,
    [LOOM_PTX_PMEVENT] = BY_NOTHING,
    [LOOM_PTX_BRKPT] = BY_NOTHING,
    [LOOM_PTX_GRIDDEPCONTROL_WAIT] = BY_NOTHING,
    [LOOM_PTX_GRIDDEPCONTROL_LAUNCH] = BY_NOTHING,
    [LOOM_PTX_BAR_SYNC] = BY_BARRIER,
    [LOOM_PTX_BAR_ARRIVE] = BY_BARRIER,
    [LOOM_PTX_BAR_RED] = BY_BARRIER,
    [LOOM_PTX_BAR_CTA_SYNC] = BY_BARRIER,
    [LOOM_PTX_BAR_CTA_ARRIVE] = BY_BARRIER,
    [LOOM_PTX_BAR_CTA_RED] = BY_BARRIER,
    [LOOM_PTX_BARRIER_SYNC] = BY_BARRIER,
    [LOOM_PTX_BARRIER_ARRIVE] = BY_BARRIER,
    [LOOM_PTX_BARRIER_RED] = BY_BARRIER,
    [LOOM_PTX_BARRIER_CTA_SYNC] = BY_BARRIER,
    [LOOM_PTX_BARRIER_CTA_ARRIVE] = BY_BARRIER,
    [LOOM_PTX_BARRIER_CTA_RED] = BY_BARRIER,
    [LOOM_PTX_ALLOCA] = BY_STACK,
    [LOOM_PTX_STACKSAVE] = BY_STACK,
    [LOOM_PTX_STACKRESTORE] = BY_STACK,
    [LOOM_PTX_LD] = BY_MEMORY,
    [LOOM_PTX_LDU] = BY_MEMORY,
    [LOOM_PTX_ST] = BY_MEMORY,
    [LOOM_PTX_ATOM] = BY_MEMORY,
    [LOOM_PTX_RED] = BY_MEMORY,
    [LOOM_PTX_ST_BULK] = BY_FILL,
    [LOOM_PTX_ST_ASYNC] = BY_MEMORY,
    [LOOM_PTX_RED_ASYNC] = BY_MEMORY,
    [LOOM_PTX_CP_ASYNC] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_BULK] = BY_COPY,
    [LOOM_PTX_CP_REDUCE_BULK] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_BULK_PREFETCH] = BY_NOTHING,
    [LOOM_PTX_CP_TENSOR] = BY_TENSOR,
    [LOOM_PTX_CP_REDUCE_TENSOR] = BY_TENSOR,
    [LOOM_PTX_CP_TENSOR_PREFETCH] = BY_NOTHING,
    [LOOM_PTX_MAP_REPLACE] = BY_MAP,
    [LOOM_PTX_MAP_COPY] = BY_MAP,
    [LOOM_PTX_CP_ASYNC_COMMIT] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_WAIT] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_WAIT_ALL] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_BULK_COMMIT] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_BULK_WAIT] = BY_COPY,
    [LOOM_PTX_CP_ASYNC_MBARRIER] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_INIT] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_INVAL] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_ARRIVE] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_ARRIVE_EXPECT] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_ARRIVE_NOC] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_DROP] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_EXPECT] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_COMPLETE] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_TEST] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_TEST_PARITY] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_TRY] = BY_MBARRIER,
    [LOOM_PTX_MBARRIER_TRY_PARITY] = BY_MBARRIER,
    [LOOM_PTX_WGMMA_FENCE] = BY_NOTHING,
    [LOOM_PTX_WGMMA_COMMIT] = BY_NOTHING,
    [LOOM_PTX_WGMMA_WAIT] = BY_NOTHING,
    [LOOM_PTX_WGMMA_MMA] = BY_WGMMA,
    [LOOM_PTX_WGMMA_SP] = BY_WGMMA,
    [LOOM_PTX_SHFL] = BY_WARP,
    [LOOM_PTX_VOTE] = BY_WARP,
    [LOOM_PTX_MATCH] = BY_WARP,
    [LOOM_PTX_REDUX] = BY_WARP,
    [LOOM_PTX_ELECT] = BY_WARP,
    [LOOM_PTX_ACTIVEMASK] = BY_WARP,
};

static bool decode_others(struct exec_code *code,
                          const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint8_t group = loom_ptx_opcodes[inst->op].group;

    switch ((enum decoder)decoders[inst->op]) {
    case BY_NOTHING:
        op->kind = EXEC_NOTHING;
        op->opcode_sub = inst->op == LOOM_PTX_BAR_WARP_SYNC;
        op->meets = op->opcode_sub;
        return op->meets == 0 || ptx_operand(code, inst, &inst->operand[0],
                                             LOOM_PTX_B32, &op->s[0]);
    case BY_SLEEP:
        op->kind = EXEC_SLEEP;
        return ptx_operand(code, inst, &inst->operand[0], LOOM_PTX_U32,
                           &op->s[0]);
    case BY_BARRIER:
        return decode_barrier(code, inst, op);
    case BY_STACK:
        return decode_stack(code, inst, op);
    case BY_MEMORY:
        return ptx_decode_memory(code, inst, op);
    case BY_COPY:
        return ptx_decode_copy(code, inst, op);
    case BY_FILL:
        return ptx_decode_fill(code, inst, op);
    case BY_MBARRIER:
        return ptx_decode_mbarrier(code, inst, op);
    case BY_WARP:
        return ptx_decode_warp_op(code, inst, op);
    case BY_TENSOR:
        return ptx_decode_tensor(code, inst, op);
    case BY_MAP:
        return ptx_decode_map(code, inst, op);
    case BY_WGMMA:
        return ptx_decode_wgmma(code, inst, op);
    case BY_LANES:
        break;
    }
    if (group == LOOM_PTX_G_TEXTURE ||
        (inst->op >= LOOM_PTX_TXQ_WIDTH && inst->op <= LOOM_PTX_SUQ_ORDER)) {
        return ptx_decode_texture(code, inst, op);
    }
    if (group == LOOM_PTX_G_TENSOR || inst->shape >= LOOM_PTX_M8N8) {
        return ptx_decode_matrix(code, inst, op);
    }
    return ptx_decode_lanes(code, inst, op);
}

static bool decode_one(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op, uint32_t at)
{
    switch (inst->op) {
    case LOOM_PTX_BRA:
        return decode_branch(code, op, at);
    case LOOM_PTX_BRX_IDX:
        return decode_index(code, inst, op, at);
    case LOOM_PTX_CALL:
        return ptx_decode_call(code, inst, op, at);
    case LOOM_PTX_RET:
    case LOOM_PTX_EXIT:
        op->kind = inst->op == LOOM_PTX_RET && code->section != 0 ? EXEC_RETURN
                                                                  : EXEC_EXIT;
        return true;
    case LOOM_PTX_TRAP:
        op->kind = EXEC_TRAP;
        return true;
    case LOOM_PTX_CLUSTER_ARRIVE:
    case LOOM_PTX_CLUSTER_WAIT:
        op->kind = EXEC_CLUSTER_BARRIER;
        op->how.mode = inst->op == LOOM_PTX_CLUSTER_ARRIVE;
        return true;
    case LOOM_PTX_MBARRIER_PENDING:
        return ptx_decode_pending(code, inst, op);
    default:
        return decode_others(code, inst, op);
    }
}

/* Bytes of a register in a lane. */
static uint32_t lane_bytes(const struct exec_code *code, uint32_t reg)
{
    uint32_t bytes = loom_ptx_type_bytes(code->function->reg[reg].type);

    return bytes < 4 ? 4 : bytes;
}

/* Places for the registers that the kernel uses. */
static bool lay_out(struct exec_code *code)
{
    const struct loom_ptx_function *f = code->function;

    code->reg = calloc((size_t)f->reg_count + 1, sizeof(*code->reg));
    if (code->reg == NULL) {
        return false;
    }
    code->area = calloc(code->analysis->section_count, sizeof(*code->area));
    if (code->area == NULL) {
        return false;
    }
    code->carry = code->predicates++;
    for (uint32_t i = 0, s = 0; i <= f->reg_count; i++) {
        for (; s < code->analysis->section_count &&
               code->analysis->section[s].reg == i;
             s++) {
            code->area[s].frame = code->frame_bytes;
            code->area[s].predicate = code->predicates;
        }
        if (i == f->reg_count || code->analysis->physical[i] == LOOM_PTX_NONE) {
            continue;
        }
        if (f->reg[i].type == LOOM_PTX_PRED) {
            code->reg[i] = code->predicates++;
        } else {
            code->reg[i] = code->frame_bytes;
            code->frame_bytes += LOOM_WARP_LANES * lane_bytes(code, i);
        }
    }
    for (uint32_t s = code->analysis->section_count; s-- > 0;) {
        bool last = s + 1 == code->analysis->section_count;
        struct exec_area *area = &code->area[s];

        area->frame_bytes =
            (last ? code->frame_bytes : area[1].frame) - area->frame;
        area->predicates =
            (last ? code->predicates : area[1].predicate) - area->predicate;
    }
    return ptx_decode_areas(code);
}

/* The forms up to `next` are of instruction i. */
static void own(struct exec_code *code, uint32_t i, uint32_t next)
{
    for (uint32_t form = code->op[i].target; form < next; form++) {
        code->owner[form - code->analysis->inst_count] = i;
    }
}

static uint32_t entries_of(const struct ptx_analysis *a, uint32_t i)
{
    return a->schedule != NULL ? ptx_more_entries(a->schedule->sequence[i]) : 0;
}

static uint32_t make_steps(struct exec_code *code, uint32_t i, uint32_t next)
{
    const struct ptx_schedule *s = code->analysis->schedule;
    uint32_t end = next + entries_of(code->analysis, i);

    code->more[i] = next;
    ptx_make_steps(s->sequence[i], s->times[i], &code->inst[i],
                   &code->inst[next]);
    for (; next < end; next++) {
        code->owner[next - code->analysis->inst_count] = i;
    }
    return end;
}

/* Gives generic memory instructions their shared and local forms in the
 * static table: the timing model knows one space per static instruction. */
static bool copy_static(struct exec_code *code)
{
    const struct ptx_analysis *a = code->analysis;
    uint32_t more = 0, next = a->inst_count;

    for (uint32_t i = 0; i < a->inst_count; i++) {
        more += code->op[i].space == EXEC_GENERIC ? 2 : 0;
        more += code->op[i].kind == EXEC_COPY ? 1 : 0;
        more += ptx_texture_forms(&code->op[i]);
        more += entries_of(a, i);
    }
    code->inst_count = a->inst_count + more;
    code->inst = calloc((size_t)code->inst_count + 1, sizeof(*code->inst));
    code->owner = calloc((size_t)more + 1, sizeof(*code->owner));
    code->more = calloc((size_t)a->inst_count + 1, sizeof(*code->more));
    if (code->inst == NULL || code->owner == NULL || code->more == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < a->inst_count; i++) {
        code->inst[i] = a->inst[i];
        ptx_matrix_static(code, &code->op[i], &code->inst[i]);
        if (code->op[i].kind == EXEC_COPY) {
            ptx_copy_static(&code->op[i], &code->inst[i], &code->inst[next]);
            code->op[i].target = next++;
            own(code, i, next);
            continue;
        }
        if (code->op[i].kind == EXEC_TEXTURE) {
            ptx_texture_static(&code->op[i], &code->inst[i], &code->inst[next]);
            code->op[i].target = next;
            next += ptx_texture_forms(&code->op[i]);
            own(code, i, next);
            continue;
        }
        if (code->op[i].space != EXEC_GENERIC) {
            continue;
        }
        code->inst[i].space = LOOM_SPACE_GLOBAL;
        code->inst[next] = code->inst[i];
        code->inst[next].space = LOOM_SPACE_SHARED;
        code->inst[next + 1] = code->inst[i];
        code->inst[next + 1].space = LOOM_SPACE_LOCAL;
        code->op[i].target = next;
        next += 2;
        own(code, i, next);
    }
    for (uint32_t i = 0; i < a->inst_count; i++) {
        if (entries_of(a, i) != 0) {
            next = make_steps(code, i, next);
        }
    }
    return true;
}

static bool decode_all(struct exec_code *code, struct loom_error *err)
{
    const struct loom_ptx_function *f = code->function;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];
        struct exec_op *op = &code->op[i];

        code->section = ptx_section_at(code->analysis, i);
        code->why = NULL;
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
                              code->why != NULL
                                  ? code->why
                                  : "this instruction, or this form of it, "
                                    "is not supported",
                              err);
        }
        op->flags |= op->meets != 0 ? EXEC_JOIN : 0;
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
    if (!copy_static(code) || !ptx_find_intervals(code)) {
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
    ptx_calls_code_free(code);
    free(code->matrix);
    free(code->wgmma);
    free(code->op);
    free(code->constant);
    free(code->special);
    free(code->reg);
    free(code->inst);
    free(code->owner);
    free(code->more);
    free(code);
}

/*
 * Decoding loads, stores, atomics and what a warp's lanes tell each other.
 */
#include "workloads/ptx/decode/decode_private.h"
#include "workloads/ptx/exec/call.h"

static bool decode_space(uint8_t space, uint8_t *result)
{
    switch (space) {
    case LOOM_PTX_GENERIC:
        *result = EXEC_GENERIC;
        return true;
    case LOOM_PTX_GLOBAL:
    case LOOM_PTX_CONST:
        *result = EXEC_GLOBAL;
        return true;
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
    case LOOM_PTX_SHARED_CLUSTER:
        *result = EXEC_SHARED;
        return true;
    case LOOM_PTX_LOCAL:
        *result = EXEC_LOCAL;
        return true;
    case LOOM_PTX_PARAM:
    case LOOM_PTX_PARAM_ENTRY:
        *result = EXEC_PARAM;
        return true;
    default:
        return false;
    }
}

/* What a variable's address must be to stand for it in `space`. */
static uint64_t window_of(const struct loom_ptx_var *var, uint8_t space,
                          bool of_call)
{
    if (space != EXEC_GENERIC) {
        return 0;
    }
    switch (var->space) {
    case LOOM_PTX_SHARED:
        return EXEC_WINDOW_SHARED;
    case LOOM_PTX_LOCAL:
        return EXEC_WINDOW_LOCAL;
    case LOOM_PTX_PARAM:
        return of_call ? EXEC_WINDOW_LOCAL : EXEC_WINDOW_PARAM;
    default:
        return 0;
    }
}

bool ptx_decode_address(struct exec_code *code,
                        const struct loom_ptx_operand *operand, uint8_t space,
                        uint32_t *reg, int64_t *offset, uint8_t *is_wide)
{
    uint64_t value = 0;
    bool wide = false;

    if (operand->kind != LOOM_PTX_OP_ADDRESS) {
        return false;
    }
    *offset = operand->value;
    if (operand->reg != LOOM_PTX_NONE) {
        struct loom_ptx_operand base = loom_ptx_operand_reg(operand->reg);

        if (!ptx_decode_out(code, &base, reg, &wide)) {
            return false;
        }
        *is_wide = wide;
        return true;
    }
    *is_wide = 1;
    if (operand->var != NULL) {
        uint64_t window =
            window_of(operand->var, space,
                      ptx_place_of(code->analysis, operand->var) != NULL);

        if (ptx_in_frame(code, operand->var, &value)) {
            return ptx_local_slot(code, value + window, true, reg);
        }
        if (!ptx_symbol(code, operand->var, &value)) {
            return false;
        }
        value += window;
    }
    return ptx_constant(code, value, true, reg);
}

static bool decode_address(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint32_t n = loom_ptx_address_operand(inst);

    return n != LOOM_PTX_NONE && n < inst->operand_count &&
           ptx_decode_address(code, &inst->operand[n], op->space, &op->s[0],
                              &op->offset, &op->s_wide);
}

/* Registers or immediates that are stored, or registers that are loaded. */
static bool decode_values(struct exec_code *code,
                          const struct loom_ptx_inst *inst,
                          const struct loom_ptx_operand *operand, bool load,
                          struct exec_op *op)
{
    bool vector = operand->kind == LOOM_PTX_OP_VECTOR;
    uint32_t count = vector ? operand->count : 1;

    if (inst->type[0] == LOOM_PTX_B128) {
        return !vector && ptx_decode_pair_128(code, inst, operand, load, op);
    }
    if (count > EXEC_ELEMENTS || count == 0 ||
        count != (inst->vector == 0 ? 1u : inst->vector)) {
        return false;
    }
    op->elements = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_ptx_operand *e =
            vector ? &operand->element[i] : operand;
        bool wide = op->bytes == 8;

        if (load && e->kind == LOOM_PTX_OP_SINK) {
            op->d[i] = EXEC_NONE;
        } else if (load) {
            if (!ptx_decode_out(code, e, &op->d[i], &wide)) {
                return false;
            }
        } else if (e->kind == LOOM_PTX_OP_REG) {
            if (!ptx_decode_out(code, e, &op->v[i], &wide)) {
                return false;
            }
        } else if (!ptx_operand(code, inst, e, inst->type[0], &op->v[i])) {
            return false;
        }
        if (op->bytes == 8 && !wide) {
            return false;
        }
        if (load) {
            op->d_wide |= (uint8_t)((wide ? 1u : 0u) << i);
        } else {
            op->v_wide |= (uint8_t)((wide ? 1u : 0u) << i);
        }
    }
    return true;
}

static bool is_half(uint8_t type)
{
    return type == LOOM_PTX_F16 || type == LOOM_PTX_F16X2 ||
           type == LOOM_PTX_BF16 || type == LOOM_PTX_BF16X2;
}

/* Only compare-and-swap knows 16 bits, only vectors of halves .min and .max
 * of floats; halves keep subnormals, and say so. */
static bool atomic_does(const struct loom_ptx_inst *inst)
{
    uint8_t type = inst->type[0];
    uint32_t bytes = loom_ptx_type_bytes(type);
    bool real = loom_ptx_type_real(type), half = is_half(type);
    bool keeps = (inst->flags & LOOM_PTX_NOFTZ) != 0;

    if (inst->vector != 0 &&
        (inst->space > LOOM_PTX_GLOBAL || inst->vector * bytes > 16 ||
         !(half || type == LOOM_PTX_F32))) {
        return false;
    }
    switch (inst->sub) {
    case LOOM_PTX_DO_ADD:
        return half == keeps && (half || (bytes >= 4 && bytes <= 8));
    case LOOM_PTX_DO_MIN:
    case LOOM_PTX_DO_MAX:
        return half ? keeps && inst->vector != 0
                    : !real && !keeps && bytes >= 4 && bytes <= 8;
    case LOOM_PTX_DO_INC:
    case LOOM_PTX_DO_DEC:
    case LOOM_PTX_DO_AND:
    case LOOM_PTX_DO_OR:
    case LOOM_PTX_DO_XOR:
        return !real && bytes >= 4 && bytes <= 8;
    case LOOM_PTX_DO_EXCH:
        return bytes >= 4 && inst->op == LOOM_PTX_ATOM;
    case LOOM_PTX_DO_CAS:
        return bytes >= 2 && !half && inst->op == LOOM_PTX_ATOM;
    default:
        return false;
    }
}

/* The value that is combined, and the one that a compare-and-swap stores: the
 * second in v[] behind the first. */
static bool decode_128(struct exec_code *code, const struct loom_ptx_inst *inst,
                       uint32_t values, struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    struct exec_op second = *op;

    if (o[0].kind == LOOM_PTX_OP_SINK) {
        op->d[0] = op->d[1] = EXEC_NONE;
    } else if (!ptx_decode_pair_128(code, inst, &o[0], true, op)) {
        return false;
    }
    if (!ptx_decode_pair_128(code, inst, &o[2], false, op) ||
        (values > 1 &&
         !ptx_decode_pair_128(code, inst, &o[3], false, &second))) {
        return false;
    }
    op->v[2] = second.v[0];
    op->v[3] = second.v[1];
    return true;
}

static bool decode_atomic(struct exec_code *code,
                          const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint32_t n = inst->op == LOOM_PTX_ATOM ? 2 : 1;
    uint32_t values = inst->sub == LOOM_PTX_DO_CAS ? 2 : 1;
    uint32_t more = (inst->flags & LOOM_PTX_CACHE_HINT) != 0 ||
                            inst->op == LOOM_PTX_RED_ASYNC
                        ? 1
                        : 0;

    op->kind = EXEC_ATOMIC;
    op->how.dtype = inst->type[0];
    if (!atomic_does(inst) || inst->operand_count != n + values + more) {
        return false;
    }
    if (inst->type[0] == LOOM_PTX_B128) {
        return decode_128(code, inst, values, op);
    }
    for (uint32_t i = 0; i < EXEC_ELEMENTS; i++) {
        op->d[i] = EXEC_NONE;
    }
    if ((n == 2 && inst->operand[0].kind != LOOM_PTX_OP_SINK &&
         !decode_values(code, inst, &inst->operand[0], true, op)) ||
        !decode_values(code, inst, &inst->operand[n], false, op) ||
        (op->bytes != 8 && (op->d_wide | op->v_wide) != 0)) {
        return false;
    }
    return values == 1 || ptx_operand(code, inst, &inst->operand[n + 1],
                                      inst->type[0], &op->v[1]);
}

bool ptx_type_signed(uint8_t type)
{
    return type >= LOOM_PTX_S8 && type <= LOOM_PTX_S64;
}

static bool is_argument(const struct exec_code *code,
                        const struct loom_ptx_inst *inst)
{
    return (inst->space == LOOM_PTX_PARAM ||
            inst->space == LOOM_PTX_PARAM_FUNC) &&
           !ptx_kernel_param(code->analysis, inst);
}

/* st.async, red.async: the mbarrier, the last operand. */
static bool decode_told(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint8_t wide = 0;

    op->kind = EXEC_STORE_ASYNC;
    if ((inst->flags & LOOM_PTX_COMPLETE_TX) == 0 ||
        !ptx_decode_address(code, &inst->operand[2], EXEC_SHARED, &op->s[2],
                            &op->offset2, &wide)) {
        return false;
    }
    op->d_wide = wide;
    return true;
}

bool ptx_decode_memory(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op)
{
    uint32_t bytes = loom_ptx_type_bytes(inst->type[0]);

    if (is_argument(code, inst)) {
        /* The ABI passes it in a register: counts as a move. */
        op->space = EXEC_LOCAL;
        op->flags |= EXEC_QUIET;
    } else if (!decode_space(inst->space, &op->space)) {
        return false;
    }
    if (bytes == 0 || (bytes > 8 && inst->type[0] != LOOM_PTX_B128)) {
        return false;
    }
    op->bytes = (uint8_t)bytes;
    op->opcode_sub = inst->sub;
    op->flags |= ptx_type_signed(inst->type[0]) ? EXEC_SIGNED : 0;
    op->flags |= loom_ptx_type_real(inst->type[0]) ? EXEC_REAL : 0;
    if (!decode_address(code, inst, op)) {
        return false;
    }
    switch (inst->op) {
    case LOOM_PTX_LD:
    case LOOM_PTX_LDU:
        op->kind = EXEC_LOAD;
        return decode_values(code, inst, &inst->operand[0], true, op);
    case LOOM_PTX_ST:
        op->kind = EXEC_STORE;
        return decode_values(code, inst, &inst->operand[1], false, op);
    case LOOM_PTX_ST_ASYNC:
        return decode_values(code, inst, &inst->operand[1], false, op) &&
               decode_told(code, inst, op);
    case LOOM_PTX_RED_ASYNC:
        return decode_atomic(code, inst, op) && decode_told(code, inst, op);
    default:
        return decode_atomic(code, inst, op);
    }
}

static bool decode_shuffle(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool pair = (inst->flags & LOOM_PTX_PAIR) != 0, wide = false;
    uint32_t n = pair ? 2 : 1;

    op->kind = EXEC_SHUFFLE;
    if (!ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) || wide ||
        (pair && !ptx_decode_pred_out(code, &inst->operand[1], &op->po))) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (!ptx_operand(code, inst, &inst->operand[n + i], LOOM_PTX_B32,
                         &op->s[i])) {
            return false;
        }
    }
    if (n + 3 >= inst->operand_count) { /* not .sync */
        return true;
    }
    op->meets = 1 + 3;
    return ptx_operand(code, inst, &inst->operand[n + 3], LOOM_PTX_B32,
                       &op->s[3]);
}

/* The lanes that take part are in s[1]. */
static bool decode_members(struct exec_code *code,
                           const struct loom_ptx_inst *inst, uint32_t n,
                           struct exec_op *op)
{
    if (n < inst->operand_count) {
        op->meets = 1 + 1;
        return ptx_operand(code, inst, &inst->operand[n], LOOM_PTX_B32,
                           &op->s[1]);
    }
    return ptx_constant(code, UINT32_MAX, false, &op->s[1]);
}

static bool decode_vote(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool invert = false, wide = false;

    op->kind = EXEC_VOTE;
    if (inst->sub == LOOM_PTX_DO_BALLOT
            ? !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) || wide
            : !ptx_decode_pred_out(code, &inst->operand[0], &op->po)) {
        return false;
    }
    if (!ptx_decode_pred(code, &inst->operand[1], &op->p, &invert)) {
        return false;
    }
    op->flags |= invert ? EXEC_PRED_NOT : 0;
    return decode_members(code, inst, 2, op);
}

static bool decode_match(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool pair = (inst->flags & LOOM_PTX_PAIR) != 0, wide = false;
    uint32_t n = pair ? 2 : 1;

    op->kind = EXEC_MATCH;
    op->bytes = (uint8_t)loom_ptx_type_bytes(inst->type[0]);
    return ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && !wide &&
           (!pair || ptx_decode_pred_out(code, &inst->operand[1], &op->po)) &&
           ptx_operand(code, inst, &inst->operand[n], inst->type[0],
                       &op->s[0]) &&
           decode_members(code, inst, n + 1, op);
}

static bool decode_redux(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const bool real = loom_ptx_type_real(inst->type[0]);
    bool wide = false;

    op->kind = EXEC_REDUX;
    op->flags |= ptx_type_signed(inst->type[0]) ? EXEC_SIGNED : 0;
    op->flags |= real ? EXEC_REAL : 0;
    op->how.nan = (inst->flags & LOOM_PTX_NAN_RESULT) != 0;
    op->how.xorsign = (inst->flags & LOOM_PTX_ABS_VALUE) != 0;
    return (!real ? op->how.nan == 0 && op->how.xorsign == 0
                  : inst->type[0] == LOOM_PTX_F32 &&
                        (inst->sub == LOOM_PTX_DO_MIN ||
                         inst->sub == LOOM_PTX_DO_MAX)) &&
           ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && !wide &&
           ptx_operand(code, inst, &inst->operand[1], inst->type[0],
                       &op->s[0]) &&
           decode_members(code, inst, 2, op);
}

/* d|p: the lowest lane of the members, and who that is. */
static bool decode_elect(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool pair = (inst->flags & LOOM_PTX_PAIR) != 0, wide = false;

    op->kind = EXEC_ELECT;
    op->d[0] = EXEC_NONE;
    if (inst->operand[0].kind != LOOM_PTX_OP_SINK &&
        (!ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) || wide)) {
        return false;
    }
    return pair && ptx_decode_pred_out(code, &inst->operand[1], &op->po) &&
           decode_members(code, inst, 2, op);
}

bool ptx_decode_warp_op(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool wide = false;

    op->opcode_sub = inst->sub;
    switch (inst->op) {
    case LOOM_PTX_SHFL:
        return decode_shuffle(code, inst, op);
    case LOOM_PTX_VOTE:
        return decode_vote(code, inst, op);
    case LOOM_PTX_MATCH:
        return decode_match(code, inst, op);
    case LOOM_PTX_REDUX:
        return decode_redux(code, inst, op);
    case LOOM_PTX_ELECT:
        return decode_elect(code, inst, op);
    default:
        op->kind = EXEC_ACTIVEMASK;
        return ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) &&
               !wide;
    }
}

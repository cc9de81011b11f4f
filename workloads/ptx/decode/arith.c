/*
 * Decoding the arithmetic that needs more than registers and a type: video
 * instructions, carries of mad, packed conversions and comparisons, 128-bit
 * moves.
 */
#include "workloads/ptx/decode/decode_private.h"

void ptx_decode_how(const struct loom_ptx_inst *inst, struct exec_how *how)
{
    how->dtype = inst->type[0];
    how->stype = inst->type[1];
    how->relu = (inst->flags & LOOM_PTX_RELU) != 0;
    how->xorsign = (inst->flags & LOOM_PTX_XORSIGN_ABS) != 0;
    how->nan = (inst->flags & LOOM_PTX_NAN_RESULT) != 0;
    how->finite = (inst->flags & LOOM_PTX_SATFINITE) != 0;
    how->high = inst->half == LOOM_PTX_HIGH;
    how->sources = (uint8_t)(inst->operand_count - 1u);
}

/* `count` sources of 32 bits from operand `first` on. */
static bool sources_32(struct exec_code *code, const struct loom_ptx_inst *inst,
                       uint32_t first, uint32_t count, struct exec_op *op)
{
    uint32_t zero;

    if (!ptx_constant(code, 0, false, &zero)) {
        return false;
    }
    op->operands = 4;
    for (uint32_t i = 0; i < EXEC_SOURCES; i++) {
        op->s[i] = zero;
        if (i < count && !ptx_operand(code, inst, &inst->operand[first + i],
                                      LOOM_PTX_B32, &op->s[i])) {
            return false;
        }
    }
    return true;
}

static bool result_32(const struct exec_code *code,
                      const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool wide = false;

    return ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && !wide;
}

/* lop3.BoolOp d|p, a, b, c, lut, q */
bool ptx_decode_lop3(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op)
{
    const bool pair = (inst->flags & LOOM_PTX_PAIR) != 0;
    const uint32_t first = pair ? 2 : 1;
    bool invert = false;

    op->kind = pair ? EXEC_CARRIES : EXEC_LANES;
    op->how.mode = inst->sub;
    op->fn = ptx_lanes_find(LOOM_PTX_LOP3, LOOM_PTX_B32,
                            pair ? EXEC_FANCY : EXEC_PLAIN);
    if (inst->type[0] != LOOM_PTX_B32 || pair != (inst->sub != 0) ||
        inst->operand_count != (pair ? 7 : 5) || !result_32(code, inst, op) ||
        !sources_32(code, inst, first, 4, op)) {
        return false;
    }
    if (pair) {
        if (!ptx_decode_pred_out(code, &inst->operand[1], &op->po) ||
            !ptx_decode_pred(code, &inst->operand[6], &op->p, &invert)) {
            return false;
        }
        op->flags |= invert ? EXEC_PRED_NOT : 0;
    }
    return true;
}

/* mad.cc and madc. */
bool ptx_decode_mad_carry(struct exec_code *code,
                          const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const uint8_t type = inst->type[0];
    bool wide = false;

    op->kind = EXEC_CARRIES;
    op->operands = 3;
    op->fn = inst->half == LOOM_PTX_WIDE
                 ? NULL
                 : ptx_lanes_find(LOOM_PTX_MADC, type,
                                  inst->half == LOOM_PTX_HIGH ? EXEC_HIGH
                                                              : EXEC_PLAIN);
    if (op->fn == NULL ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) ||
        wide != (loom_ptx_type_bytes(type) == 8)) {
        return false;
    }
    op->d_wide = wide;
    for (uint32_t i = 0; i < 3; i++) {
        if (!ptx_operand(code, inst, &inst->operand[i + 1], type, &op->s[i])) {
            return false;
        }
    }
    if (inst->op == LOOM_PTX_MADC) {
        op->p = code->carry;
    } else {
        op->flags |= EXEC_PRED_NOT; /* not true: no carry comes in */
    }
    op->po = (inst->flags & LOOM_PTX_CC) != 0 ? code->carry : EXEC_NONE;
    return true;
}

static bool is_pair_16(uint8_t type)
{
    return type == LOOM_PTX_F16X2 || type == LOOM_PTX_BF16X2;
}

static bool is_pair_8(uint8_t type)
{
    return type == LOOM_PTX_E4M3X2 || type == LOOM_PTX_E5M2X2;
}

static bool is_pair_6(uint8_t type) /* or of 4 bits */
{
    return type >= LOOM_PTX_E2M1X2 && type <= LOOM_PTX_E3M2X2;
}

/* Formats of 4 and 6 bits: from .f32 with .satfinite, and to .f16x2; those of
 * 4 bits also from there. */
static bool is_small(const struct loom_ptx_inst *inst)
{
    bool finite = (inst->flags & LOOM_PTX_SATFINITE) != 0;

    return inst->round == LOOM_PTX_RN &&
           (is_pair_6(inst->type[0])
                ? finite && (inst->type[1] == LOOM_PTX_F32 ||
                             (inst->type[0] == LOOM_PTX_E2M1X2 &&
                              inst->type[1] == LOOM_PTX_F16X2))
                : inst->type[0] == LOOM_PTX_F16X2 && !finite);
}

/* To or from a type that holds two values. */
bool ptx_decode_cvt_packed(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const uint8_t type = inst->type[0], stype = inst->type[1];
    const bool pair = stype == LOOM_PTX_F32;

    op->kind = EXEC_LANES;
    if (inst->operand_count != (pair ? 3 : 2) ||
        !(is_pair_6(type) || is_pair_6(stype) ? is_small(inst)
          : pair              ? is_pair_16(type) || is_pair_8(type)
          : is_pair_16(stype) ? is_pair_8(type)
                              : is_pair_8(stype) && is_pair_16(type)) ||
        !result_32(code, inst, op)) {
        return false;
    }
    op->fn = ptx_lanes_cvt(&op->how);
    op->operands = pair ? 2 : 1;
    for (uint32_t i = 0; i < op->operands; i++) {
        if (!ptx_operand(code, inst, &inst->operand[i + 1], stype, &op->s[i])) {
            return false;
        }
    }
    return true;
}

bool ptx_decode_cvt_pack(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const uint8_t type = inst->type[0];
    const bool third = type == LOOM_PTX_U8 || type == LOOM_PTX_S8 ||
                       type == LOOM_PTX_U4 || type == LOOM_PTX_S4;

    op->kind = EXEC_LANES;
    op->fn = ptx_lanes_find(LOOM_PTX_CVT_PACK, LOOM_PTX_U32, EXEC_PLAIN);
    return inst->type[1] == LOOM_PTX_S32 && op->how.sat != 0 &&
           (third || type == LOOM_PTX_U16 || type == LOOM_PTX_S16) &&
           inst->operand_count == (third ? 4 : 3) &&
           result_32(code, inst, op) &&
           sources_32(code, inst, 1, inst->operand_count - 1u, op);
}

/* set: what true is as a value of the type; 0: not such a type. */
uint32_t ptx_decode_true(uint8_t type, uint8_t stype)
{
    switch (type) {
    case LOOM_PTX_F32:
        return 0x3f800000u;
    case LOOM_PTX_F16:
    case LOOM_PTX_F16X2:
        return 0x3c00;
    case LOOM_PTX_BF16:
    case LOOM_PTX_BF16X2:
        return 0x3f80;
    case LOOM_PTX_U16:
    case LOOM_PTX_S16:
        return 0xffff;
    case LOOM_PTX_U32:
    case LOOM_PTX_S32:
        return stype == LOOM_PTX_F16X2 || stype == LOOM_PTX_BF16X2 ? 0xffff
                                                                   : UINT32_MAX;
    default:
        return 0;
    }
}

/* Registers of 128 bits are two of 64 bits behind each other. */
static bool decode_half(struct exec_code *code,
                        const struct loom_ptx_inst *inst,
                        const struct loom_ptx_operand *operand, uint32_t half,
                        uint32_t *place)
{
    if (operand->kind == LOOM_PTX_OP_VECTOR) {
        return operand->count == 2 &&
               ptx_operand(code, inst, &operand->element[half], LOOM_PTX_B64,
                           place);
    }
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type != LOOM_PTX_B128) {
        return false;
    }
    *place = code->reg[operand->reg] + half * EXEC_LANE_MAX;
    return true;
}

bool ptx_decode_mov_128(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    op->kind = EXEC_MOVES;
    op->elements = 2;
    for (uint32_t i = 0; i < 2; i++) {
        if (!decode_half(code, inst, &inst->operand[1], i, &op->v[i])) {
            return false;
        }
        if (inst->operand[0].kind == LOOM_PTX_OP_VECTOR &&
            i < inst->operand[0].count &&
            inst->operand[0].element[i].kind == LOOM_PTX_OP_SINK) {
            op->d[i] = EXEC_NONE;
        } else if (!decode_half(code, inst, &inst->operand[0], i, &op->d[i]) ||
                   (op->d[i] & EXEC_CONSTANT) != 0) {
            return false;
        }
    }
    return true;
}

/* Loads and stores of .b128: as those of two .b64. */
bool ptx_decode_pair_128(struct exec_code *code,
                         const struct loom_ptx_inst *inst,
                         const struct loom_ptx_operand *operand, bool load,
                         struct exec_op *op)
{
    op->bytes = 8;
    op->elements = 2;
    op->d_wide = op->v_wide = 3;
    for (uint32_t i = 0; i < 2; i++) {
        if (!decode_half(code, inst, operand, i,
                         load ? &op->d[i] : &op->v[i])) {
            return false;
        }
    }
    return inst->vector == 0;
}

/*
 * Decoding video instructions: opcode, types and selectors to exec_video.
 */
#include "workloads/ptx/decode/decode_private.h"

/* The scalar operation that a video instruction does in each field. */
static uint16_t operation(uint16_t op)
{
    switch (op) {
    case LOOM_PTX_VADD:
    case LOOM_PTX_VADD2:
    case LOOM_PTX_VADD4:
        return LOOM_PTX_ADD;
    case LOOM_PTX_VSUB:
    case LOOM_PTX_VSUB2:
    case LOOM_PTX_VSUB4:
        return LOOM_PTX_SUB;
    case LOOM_PTX_VABSDIFF:
    case LOOM_PTX_VABSDIFF2:
    case LOOM_PTX_VABSDIFF4:
        return LOOM_PTX_SAD;
    case LOOM_PTX_VMIN:
    case LOOM_PTX_VMIN2:
    case LOOM_PTX_VMIN4:
        return LOOM_PTX_MIN;
    case LOOM_PTX_VMAX:
    case LOOM_PTX_VMAX2:
    case LOOM_PTX_VMAX4:
        return LOOM_PTX_MAX;
    case LOOM_PTX_VSHL:
        return LOOM_PTX_SHL;
    case LOOM_PTX_VSHR:
        return LOOM_PTX_SHR;
    case LOOM_PTX_VMAD:
        return LOOM_PTX_MAD;
    default: /* vavrg; vset does not look at it */
        return LOOM_PTX_VAVRG2;
    }
}

static uint32_t selector(const struct loom_ptx_operand *operand)
{
    return operand->kind == LOOM_PTX_OP_REG ? (uint32_t)operand->value : 0;
}

/* Scalar: bytes - 1 in the low nibble, their number in the high one. */
static bool scalar_source(const struct loom_ptx_operand *operand, uint16_t *to)
{
    uint32_t select = selector(operand);
    uint32_t halves = (select & LOOM_PTX_SELECT_HALVES) != 0;

    *to = 3;
    if (select == 0) {
        return true;
    }
    *to = (uint16_t)((select & 15) << 4 | halves);
    return (select >> LOOM_PTX_SELECT_COUNT & 15) == 1 &&
           (select & 15) < (halves ? 2 : 4);
}

static bool scalar_mask(const struct loom_ptx_operand *operand, uint8_t *to)
{
    uint16_t place;

    if (!scalar_source(operand, &place)) {
        return false;
    }
    *to = 0;
    if (selector(operand) != 0) {
        *to = (uint8_t)(((place & 15) == 1 ? 16u : 1u) << (place >> 4));
    }
    return true;
}

/* SIMD: a nibble for each field. */
static bool fields_source(const struct loom_ptx_operand *operand,
                          uint32_t fields, bool second, uint16_t *to)
{
    uint32_t select = selector(operand);
    uint32_t usual =
        fields == 4 ? (second ? 0x7654u : 0x3210u) : (second ? 0x32u : 0x10u);
    bool halves = (select & LOOM_PTX_SELECT_HALVES) != 0;

    *to = (uint16_t)(select == 0 ? usual : select & 0xffff);
    if (select == 0) {
        return true;
    }
    for (uint32_t i = 0; i < fields; i++) {
        if ((*to >> (4 * i) & 15) >= 2 * fields) {
            return false;
        }
    }
    return (select >> LOOM_PTX_SELECT_COUNT & 15) == fields &&
           halves == (fields == 2);
}

static bool fields_mask(const struct loom_ptx_operand *operand, uint32_t fields,
                        uint8_t *to)
{
    uint32_t select = selector(operand);

    *to = (uint8_t)((1u << fields) - 1);
    if (select == 0) {
        return true;
    }
    *to = 0;
    for (uint32_t i = 0; i < (select >> LOOM_PTX_SELECT_COUNT & 15); i++) {
        uint32_t at = select >> (4 * i) & 15;

        if (at >= fields) {
            return false;
        }
        *to |= (uint8_t)(1u << at);
    }
    return true;
}

static bool is_set(uint16_t op)
{
    return op == LOOM_PTX_VSET || op == LOOM_PTX_VSET2 || op == LOOM_PTX_VSET4;
}

/* vset has no type of its result. */
static bool set_types(const struct loom_ptx_inst *inst, struct exec_video *v)
{
    uint32_t first = is_set(inst->op) ? 0 : 1;

    v->dtype = first == 0 ? LOOM_PTX_U32 : inst->type[0];
    v->atype = inst->type[first];
    v->btype = inst->type[first + 1];
    v->compare = inst->compare;
    return (v->dtype == LOOM_PTX_U32 || v->dtype == LOOM_PTX_S32) &&
           (v->atype == LOOM_PTX_U32 || v->atype == LOOM_PTX_S32) &&
           (v->btype == LOOM_PTX_U32 || v->btype == LOOM_PTX_S32) &&
           v->compare <= LOOM_PTX_HS;
}

static bool set_selectors(const struct loom_ptx_inst *inst,
                          struct exec_video *v)
{
    const struct loom_ptx_operand *o = inst->operand;

    if (v->fields == 1) {
        return scalar_source(&o[1], &v->a) && scalar_source(&o[2], &v->b) &&
               scalar_mask(&o[0], &v->mask);
    }
    return fields_source(&o[1], v->fields, false, &v->a) &&
           fields_source(&o[2], v->fields, true, &v->b) &&
           fields_mask(&o[0], v->fields, &v->mask);
}

/* With a second operation or a destination that is part of c, c must be
 * there; without, it must not (SIMD: it always is). */
static bool third_fits(const struct loom_ptx_inst *inst,
                       const struct exec_video *v)
{
    bool third = inst->operand_count == 4;

    if (v->fields > 1) {
        return third && (v->second == 0 || v->second == LOOM_PTX_DO_ADD);
    }
    if (inst->op == LOOM_PTX_VMAD) {
        return third && v->mask == 0;
    }
    return third == (v->second != 0 || v->mask != 0) &&
           (v->second == 0 || v->mask == 0) &&
           (v->second == 0 || v->second == LOOM_PTX_DO_ADD ||
            v->second == LOOM_PTX_DO_MIN || v->second == LOOM_PTX_DO_MAX);
}

bool ptx_decode_video(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op)
{
    struct exec_video *v = &op->how.video;
    bool wide = false;

    op->kind = EXEC_LANES;
    op->operands = 3;
    op->fn = ptx_lanes_find(LOOM_PTX_VADD, LOOM_PTX_B32, EXEC_PLAIN);
    v->op = operation(inst->op);
    v->fields = inst->op >= LOOM_PTX_VADD4   ? 4
                : inst->op >= LOOM_PTX_VADD2 ? 2
                                             : 1;
    v->second = inst->sub;
    v->scale = inst->mode == LOOM_PTX_SHR7    ? 7
               : inst->mode == LOOM_PTX_SHR15 ? 15
                                              : 0;
    if (!set_types(inst, v) || !set_selectors(inst, v) ||
        !third_fits(inst, v) ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) || wide ||
        !ptx_constant(code, 0, false, &op->s[2])) {
        return false;
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        if (!ptx_operand(code, inst, &inst->operand[i], LOOM_PTX_U32,
                         &op->s[i - 1])) {
            return false;
        }
    }
    return true;
}

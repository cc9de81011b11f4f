/*
 * Decoding what is computed lane by lane: arithmetic, logic, comparisons,
 * conversions, moves.
 */
#include "workloads/ptx/decode/decode_private.h"

static uint8_t double_type(uint8_t type)
{
    switch (type) {
    case LOOM_PTX_U16:
        return LOOM_PTX_U32;
    case LOOM_PTX_S16:
        return LOOM_PTX_S32;
    case LOOM_PTX_U32:
        return LOOM_PTX_U64;
    case LOOM_PTX_S32:
        return LOOM_PTX_S64;
    default:
        return type;
    }
}

/* Type of the result. */
static uint8_t result_type(const struct loom_ptx_inst *inst)
{
    switch (inst->op) {
    case LOOM_PTX_POPC:
    case LOOM_PTX_CLZ:
    case LOOM_PTX_BFIND:
        return LOOM_PTX_U32;
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
        return inst->half == LOOM_PTX_WIDE ? double_type(inst->type[0])
                                           : inst->type[0];
    default:
        return inst->type[0];
    }
}

/* Type of source n. */
static uint8_t source_type(const struct loom_ptx_inst *inst, uint32_t n)
{
    switch (inst->op) {
    case LOOM_PTX_SHL:
    case LOOM_PTX_SHR:
        return n == 1 ? LOOM_PTX_U32 : inst->type[0];
    case LOOM_PTX_BFE:
        return n >= 1 ? LOOM_PTX_U32 : inst->type[0];
    case LOOM_PTX_BFI:
        return n >= 2 ? LOOM_PTX_U32 : inst->type[0];
    case LOOM_PTX_MAD:
        return n == 2 ? result_type(inst) : inst->type[0];
    case LOOM_PTX_SLCT:
        return n == 2 ? inst->type[1] : inst->type[0];
    case LOOM_PTX_SET:
        return inst->type[1];
    default:
        return inst->type[0];
    }
}

/* Modifiers, or a number of sources, that have functions of their own. */
static bool is_fancy(const struct loom_ptx_inst *inst)
{
    bool high = inst->half == LOOM_PTX_HIGH;

    switch (inst->op) {
    case LOOM_PTX_RCP:
    case LOOM_PTX_RSQRT:
        return inst->type[0] == LOOM_PTX_F64 &&
               (inst->flags & LOOM_PTX_APPROX) != 0 &&
               (inst->flags & LOOM_PTX_FTZ) != 0;
    case LOOM_PTX_MIN:
    case LOOM_PTX_MAX:
        if (inst->operand_count > 3) {
            return true;
        }
        break;
    case LOOM_PTX_MAD:
    case LOOM_PTX_MAD24:
        return !loom_ptx_type_real(inst->type[0]) &&
               (inst->flags & LOOM_PTX_SAT) != 0 && !high;
    default:
        break;
    }
    return (inst->flags &
            (LOOM_PTX_RELU | LOOM_PTX_XORSIGN_ABS | LOOM_PTX_NAN_RESULT)) != 0;
}

static uint32_t variant_of(const struct loom_ptx_inst *inst)
{
    bool real = loom_ptx_type_real(inst->type[0]);

    if (is_fancy(inst)) {
        return EXEC_FANCY;
    }

    if (inst->op == LOOM_PTX_SLCT) {
        return loom_ptx_type_real(inst->type[1]) ? EXEC_GENERAL : EXEC_PLAIN;
    }
    if (!real && (inst->flags & LOOM_PTX_SAT) != 0) {
        return EXEC_GENERAL;
    }
    if (inst->half == LOOM_PTX_HIGH) {
        return EXEC_HIGH;
    }
    if (inst->half == LOOM_PTX_WIDE) {
        return EXEC_WIDE;
    }
    if (!real && (inst->flags & LOOM_PTX_CC) != 0) {
        return EXEC_CARRY;
    }
    return (inst->flags & (LOOM_PTX_FTZ | LOOM_PTX_SAT)) != 0 ||
                   inst->round > LOOM_PTX_RN
               ? EXEC_GENERAL
               : EXEC_PLAIN;
}

/* The registers of a lane function whose destination is operand 0. */
static bool decode_operands(struct exec_code *code,
                            const struct loom_ptx_inst *inst,
                            struct exec_op *op, uint32_t sources)
{
    bool wide = false;

    if (inst->operand_count < sources + 1 || sources > EXEC_SOURCES ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) ||
        wide != (loom_ptx_type_bytes(result_type(inst)) == 8)) {
        return false;
    }
    op->d_wide = wide;
    op->operands = (uint8_t)sources;
    for (uint32_t i = 0; i < sources; i++) {
        if (!ptx_operand(code, inst, &inst->operand[i + 1],
                         source_type(inst, i), &op->s[i])) {
            return false;
        }
    }
    return true;
}

static bool decode_plain(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    if (loom_ptx_type_bytes(inst->type[0]) > 8 ||
        (inst->operand_count > 3 &&
         (inst->op == LOOM_PTX_MIN || inst->op == LOOM_PTX_MAX) &&
         inst->type[0] != LOOM_PTX_F32)) {
        return false;
    }
    op->kind = EXEC_LANES;
    op->fn = ptx_lanes_find(inst->op, inst->type[0], variant_of(inst));
    return op->fn != NULL &&
           decode_operands(code, inst, op, inst->operand_count - 1u);
}

/* add.cc, addc, sub.cc, subc. */
static bool decode_carry(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    if (!decode_plain(code, inst, op)) {
        return false;
    }
    op->kind = EXEC_CARRIES;
    op->p = code->carry;
    op->po = (inst->flags & LOOM_PTX_CC) != 0 ? code->carry : EXEC_NONE;
    return true;
}

/* All narrow floats are compared by one function. */
static uint8_t compared(uint8_t type)
{
    return type == LOOM_PTX_BF16 || type == LOOM_PTX_F16X2 ||
                   type == LOOM_PTX_BF16X2
               ? LOOM_PTX_F16
               : type;
}

static bool decode_compare(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool set = inst->op == LOOM_PTX_SET, pair = false, invert = false;
    uint8_t type = inst->type[set ? 1 : 0];
    uint32_t n = 1;
    bool both = type == LOOM_PTX_F16X2 || type == LOOM_PTX_BF16X2;

    op->fn = ptx_lanes_find(LOOM_PTX_SETP, compared(type),
                            EXEC_COMPARE + inst->compare);
    if (op->fn == NULL) {
        return false;
    }
    op->how.stype = type;
    if (set) {
        op->kind = both ? EXEC_SET_BOTH : EXEC_SET;
        op->offset = ptx_decode_true(inst->type[0], type);
        if (op->offset == 0 || !decode_operands(code, inst, op, 2)) {
            return false;
        }
    } else {
        op->kind = both ? EXEC_SETP_BOTH : EXEC_SETP;
        op->operands = 2;
        pair = (inst->flags & LOOM_PTX_PAIR) != 0;
        n = pair ? 2 : 1;
        if (!ptx_decode_pred_out(code, &inst->operand[0], &op->po) ||
            (pair && !ptx_decode_pred_out(code, &inst->operand[1], &op->qo)) ||
            !ptx_operand(code, inst, &inst->operand[n], type, &op->s[0]) ||
            !ptx_operand(code, inst, &inst->operand[n + 1], type, &op->s[1])) {
            return false;
        }
    }
    if (inst->operand_count > n + 2) {
        op->opcode_sub = inst->sub;
        if (!ptx_decode_pred(code, &inst->operand[n + 2], &op->p, &invert)) {
            return false;
        }
        op->flags |= invert ? EXEC_PRED_NOT : 0;
    }
    return true;
}

static bool decode_testp(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    op->kind = EXEC_SETP;
    op->operands = 1;
    op->fn = ptx_lanes_find(inst->op, inst->type[0], EXEC_PLAIN);
    return op->fn != NULL &&
           ptx_decode_pred_out(code, &inst->operand[0], &op->po) &&
           ptx_operand(code, inst, &inst->operand[1], inst->type[0], &op->s[0]);
}

static bool decode_isspacep(struct exec_code *code,
                            const struct loom_ptx_inst *inst,
                            struct exec_op *op)
{
    op->kind = EXEC_ISSPACEP;
    op->how.mode = inst->space;
    return ptx_decode_pred_out(code, &inst->operand[0], &op->po) &&
           ptx_operand(code, inst, &inst->operand[1], LOOM_PTX_U64, &op->s[0]);
}

static bool decode_selp(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool invert = false;

    op->kind = EXEC_CARRIES;
    op->fn = ptx_lanes_find(inst->op, inst->type[0], EXEC_PLAIN);
    if (op->fn == NULL || !decode_operands(code, inst, op, 2) ||
        !ptx_decode_pred(code, &inst->operand[3], &op->p, &invert)) {
        return false;
    }
    op->flags |= invert ? EXEC_PRED_NOT : 0;
    return true;
}

/* and, or, xor, not and mov of predicates. */
static bool decode_predicate(struct exec_code *code,
                             const struct loom_ptx_inst *inst,
                             struct exec_op *op)
{
    bool invert = false, invert2 = false;

    op->kind = EXEC_PREDICATE;
    if (!ptx_decode_pred_out(code, &inst->operand[0], &op->po) ||
        !ptx_decode_pred(code, &inst->operand[1], &op->p, &invert)) {
        return false;
    }
    switch (inst->op) {
    case LOOM_PTX_AND:
        op->opcode_sub = LOOM_PTX_DO_AND;
        break;
    case LOOM_PTX_OR:
        op->opcode_sub = LOOM_PTX_DO_OR;
        break;
    case LOOM_PTX_XOR:
        op->opcode_sub = LOOM_PTX_DO_XOR;
        break;
    default:
        invert = invert != (inst->op == LOOM_PTX_NOT);
        break;
    }
    if (op->opcode_sub != 0 &&
        !ptx_decode_pred(code, &inst->operand[2], &op->p2, &invert2)) {
        return false;
    }
    op->flags |= invert ? EXEC_PRED_NOT : 0;
    op->flags |= invert2 ? EXEC_PRED_NOT2 : 0;
    return true;
}

/* The type that an element of a packed register has. */
static uint8_t element_type(const struct loom_ptx_inst *inst, uint32_t count)
{
    uint32_t bytes = loom_ptx_type_bytes(inst->type[0]);

    if (count == 0 || bytes > 8 || bytes % count != 0) {
        return LOOM_PTX_NO_TYPE;
    }
    switch (bytes / count) {
    case 1:
        return LOOM_PTX_B8;
    case 2:
        return LOOM_PTX_B16;
    case 4:
        return LOOM_PTX_B32;
    default:
        return LOOM_PTX_NO_TYPE;
    }
}

static bool decode_pack(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool pack = inst->operand[1].kind == LOOM_PTX_OP_VECTOR, wide = false;
    const struct loom_ptx_operand *vector = &inst->operand[pack ? 1 : 0];
    const struct loom_ptx_operand *whole = &inst->operand[pack ? 0 : 1];
    uint8_t type = element_type(inst, vector->count);

    if (vector->count > EXEC_ELEMENTS || type == LOOM_PTX_NO_TYPE) {
        return false;
    }
    op->kind = pack ? EXEC_PACK : EXEC_UNPACK;
    op->elements = vector->count;
    op->bytes = (uint8_t)loom_ptx_type_bytes(type);
    op->how.dwide = loom_ptx_type_bytes(inst->type[0]) == 8;
    if (pack) {
        if (!ptx_decode_out(code, whole, &op->d[0], &wide) ||
            wide != op->how.dwide) {
            return false;
        }
        op->d_wide = wide;
    } else if (!ptx_operand(code, inst, whole, inst->type[0], &op->s[0])) {
        return false;
    }
    for (uint32_t i = 0; i < vector->count; i++) {
        const struct loom_ptx_operand *e = &vector->element[i];

        op->d[i] = pack ? op->d[i] : EXEC_NONE;
        if (pack ? !ptx_operand(code, inst, e, type, &op->v[i])
                 : e->kind != LOOM_PTX_OP_SINK &&
                       (!ptx_decode_out(code, e, &op->d[i], &wide) || wide)) {
            return false;
        }
    }
    return true;
}

static bool decode_mov(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op)
{
    const struct loom_ptx_operand *source = &inst->operand[1];

    if (inst->type[0] == LOOM_PTX_PRED) {
        return source->kind == LOOM_PTX_OP_SPECIAL
                   ? ptx_decode_explicit(code, inst, op)
                   : decode_predicate(code, inst, op);
    }
    if (inst->type[0] == LOOM_PTX_B128) {
        return ptx_decode_mov_128(code, inst, op);
    }
    if (source->kind == LOOM_PTX_OP_VECTOR ||
        inst->operand[0].kind == LOOM_PTX_OP_VECTOR) {
        return decode_pack(code, inst, op);
    }
    if (ptx_reads_time(inst)) {
        bool wide = false;

        op->kind = EXEC_CLOCK;
        op->opcode_sub = (uint8_t)source->value;
        if (!ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide)) {
            return false;
        }
        op->d_wide = wide;
        return true;
    }
    return decode_plain(code, inst, op);
}

static bool cvt_type(uint8_t type)
{
    return (type >= LOOM_PTX_U8 && type <= LOOM_PTX_S64) ||
           type == LOOM_PTX_F32 || type == LOOM_PTX_F64 ||
           type == LOOM_PTX_F16 || type == LOOM_PTX_BF16;
}

static bool cvt_packed_type(uint8_t type)
{
    return type == LOOM_PTX_F16X2 || type == LOOM_PTX_BF16X2 ||
           type == LOOM_PTX_E4M3X2 || type == LOOM_PTX_E5M2X2 ||
           (type >= LOOM_PTX_E2M1X2 && type <= LOOM_PTX_E3M2X2);
}

static bool decode_cvt(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op)
{
    const struct loom_ptx_operand *source = &inst->operand[1];
    uint8_t stype = inst->type[1];
    bool dwide = false, swide = loom_ptx_type_bytes(stype) == 8;

    if (cvt_packed_type(inst->type[0]) || cvt_packed_type(stype)) {
        return ptx_decode_cvt_packed(code, inst, op);
    }
    op->kind = EXEC_LANES;
    op->operands = 1;
    if (inst->operand_count != 2 ||
        (!cvt_type(inst->type[0]) &&
         !(inst->type[0] == LOOM_PTX_TF32 && stype == LOOM_PTX_F32)) ||
        ((inst->flags & (LOOM_PTX_RELU | LOOM_PTX_SATFINITE)) != 0 &&
         (cvt_type(inst->type[0]) !=
              (loom_ptx_type_bytes(inst->type[0]) == 2) ||
          !loom_ptx_type_real(inst->type[0]))) ||
        !cvt_type(stype) ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &dwide)) {
        return false;
    }
    /* The source may be wider than its type. */
    if (source->kind == LOOM_PTX_OP_REG) {
        if (!ptx_decode_out(code, source, &op->s[0], &swide)) {
            return false;
        }
    } else if (!ptx_operand(code, inst, source, stype, &op->s[0])) {
        return false;
    }
    op->d_wide = dwide;
    op->how.dtype = inst->type[0];
    op->how.stype = stype;
    op->how.dwide = dwide;
    op->how.swide = swide;
    if ((loom_ptx_type_bytes(stype) == 8 && !swide) ||
        (loom_ptx_type_bytes(inst->type[0]) == 8 && !dwide) ||
        (loom_ptx_type_real(stype) &&
         swide != (loom_ptx_type_bytes(stype) == 8)) ||
        (loom_ptx_type_real(inst->type[0]) &&
         dwide != (loom_ptx_type_bytes(inst->type[0]) == 8))) {
        return false;
    }
    op->fn = ptx_lanes_cvt(&op->how);
    return true;
}

/* Between generic addresses and those of a space: a constant away. */
static bool decode_cvta(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint64_t window = 0;
    bool wide = false;

    switch (inst->space) {
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
    case LOOM_PTX_SHARED_CLUSTER:
        window = EXEC_WINDOW_SHARED;
        break;
    case LOOM_PTX_LOCAL:
        window = EXEC_WINDOW_LOCAL;
        break;
    case LOOM_PTX_PARAM:
    case LOOM_PTX_PARAM_ENTRY:
        window = EXEC_WINDOW_PARAM;
        break;
    default:
        break;
    }
    if ((inst->flags & LOOM_PTX_TO) != 0) {
        window = 0 - window;
    }
    op->kind = EXEC_LANES;
    op->operands = window == 0 ? 1 : 2;
    op->fn = window == 0
                 ? ptx_lanes_find(LOOM_PTX_MOV, LOOM_PTX_B64, EXEC_PLAIN)
                 : ptx_lanes_find(LOOM_PTX_ADD, LOOM_PTX_U64, EXEC_PLAIN);
    op->d_wide = 1;
    return ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && wide &&
           ptx_operand(code, inst, &inst->operand[1], LOOM_PTX_U64,
                       &op->s[0]) &&
           ptx_constant(code, window, true, &op->s[1]);
}

/* A cache policy is opaque to programs: here, the words that it was made of.
 * Caches do not ask for it. */
static bool decode_policy(struct exec_code *code,
                          const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint64_t words = inst->evict | (uint64_t)inst->evict2 << 8 | 1u << 16;
    bool wide = false;

    op->kind = EXEC_LANES;
    op->operands = 1;
    op->fn = ptx_lanes_find(LOOM_PTX_MOV, LOOM_PTX_B64, EXEC_PLAIN);
    op->d_wide = 1;
    if (inst->type[0] != LOOM_PTX_B64 ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) || !wide) {
        return false;
    }
    return inst->op == LOOM_PTX_CREATEPOLICY_CVT
               ? ptx_operand(code, inst, &inst->operand[1], LOOM_PTX_B64,
                             &op->s[0])
               : inst->evict >= LOOM_PTX_L2_EVICT_NORMAL &&
                     ptx_constant(code, words, true, &op->s[0]);
}

bool ptx_decode_lanes(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op)
{
    ptx_decode_how(inst, &op->how);
    if (loom_ptx_selects(inst)) {
        return ptx_decode_video(code, inst, op);
    }
    switch (inst->op) {
    case LOOM_PTX_MOV:
        return decode_mov(code, inst, op);
    case LOOM_PTX_LOP3:
        return ptx_decode_lop3(code, inst, op);
    case LOOM_PTX_CVT_PACK:
        return ptx_decode_cvt_pack(code, inst, op);
    case LOOM_PTX_MADC:
        return ptx_decode_mad_carry(code, inst, op);
    case LOOM_PTX_MAD:
        return (inst->flags & LOOM_PTX_CC) != 0
                   ? ptx_decode_mad_carry(code, inst, op)
                   : decode_plain(code, inst, op);
    case LOOM_PTX_CVT:
        return decode_cvt(code, inst, op);
    case LOOM_PTX_CVTA:
        return decode_cvta(code, inst, op);
    case LOOM_PTX_MAPA:
    case LOOM_PTX_GETCTARANK:
        return ptx_decode_rank(code, inst, op);
    case LOOM_PTX_CREATEPOLICY_PART:
    case LOOM_PTX_CREATEPOLICY_RANGE:
    case LOOM_PTX_CREATEPOLICY_CVT:
        return decode_policy(code, inst, op);
    case LOOM_PTX_SETP:
    case LOOM_PTX_SET:
        return decode_compare(code, inst, op);
    case LOOM_PTX_TESTP:
        return decode_testp(code, inst, op);
    case LOOM_PTX_ISSPACEP:
        return decode_isspacep(code, inst, op);
    case LOOM_PTX_SELP:
        return decode_selp(code, inst, op);
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_NOT:
        if (inst->type[0] == LOOM_PTX_PRED) {
            return decode_predicate(code, inst, op);
        }
        return decode_plain(code, inst, op);
    case LOOM_PTX_ADD:
    case LOOM_PTX_SUB:
        if ((inst->flags & LOOM_PTX_CC) == 0) {
            return decode_plain(code, inst, op);
        }
        return decode_carry(code, inst, op);
    case LOOM_PTX_ADDC:
    case LOOM_PTX_SUBC:
        return decode_carry(code, inst, op);
    default:
        return decode_plain(code, inst, op);
    }
}

/*
 * Decoding copies that run on their own, and mbarriers.
 */
#include "workloads/ptx/exec/async.h"

#include "components/mem_protocol.h"
#include "workloads/ptx/decode/decode_private.h"

static bool is_shared(uint8_t space)
{
    return space == LOOM_PTX_SHARED || space == LOOM_PTX_SHARED_CTA ||
           space == LOOM_PTX_SHARED_CLUSTER;
}

/* cp.async dst, src, bytes [, bytes of src | ignore src]. */
static bool decode_lanes(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    uint64_t bytes = (uint64_t)o[2].value;
    bool hint = (inst->flags & LOOM_PTX_CACHE_HINT) != 0;
    uint32_t count = inst->operand_count - (hint ? 1u : 0u);

    if (o[2].kind != LOOM_PTX_OP_IMM ||
        (bytes != 4 && bytes != 8 && bytes != 16) || !is_shared(inst->space) ||
        inst->space2 != LOOM_PTX_GLOBAL) {
        return false;
    }
    op->how.mode = EXEC_COPY_LANES;
    op->bytes = (uint8_t)bytes;
    if (count > 3) {
        return ptx_operand(code, inst, &o[3], LOOM_PTX_U32, &op->v[0]);
    }
    return ptx_constant(code, bytes, false, &op->v[0]);
}

/* What is done with each element, as an atomic would (exec/atomic.c). */
static bool decode_reduction(const struct loom_ptx_inst *inst,
                             struct exec_op *op)
{
    uint8_t type = inst->type[0];
    uint32_t bytes = loom_ptx_type_bytes(type);
    bool real = loom_ptx_type_real(type), half = bytes == 2 && real;

    op->opcode_sub = inst->sub;
    op->how.dtype = type;
    op->flags |= ptx_type_signed(type) ? EXEC_SIGNED : 0;
    op->flags |= real ? EXEC_REAL : 0;
    switch (inst->sub) {
    case LOOM_PTX_DO_ADD:
        return half ? (inst->flags & LOOM_PTX_NOFTZ) != 0
                    : bytes == 4 || bytes == 8;
    case LOOM_PTX_DO_MIN:
    case LOOM_PTX_DO_MAX:
        return half || (!real && (bytes == 4 || bytes == 8));
    case LOOM_PTX_DO_INC:
    case LOOM_PTX_DO_DEC:
    case LOOM_PTX_DO_AND:
    case LOOM_PTX_DO_OR:
    case LOOM_PTX_DO_XOR:
        return !real && (bytes == 4 || bytes == 8);
    default:
        return false;
    }
}

/* cp.async.bulk dst, src, bytes [, mbarrier [, mask of CTAs]] [, policy]. */
static bool decode_bulk(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    bool told = (inst->flags & LOOM_PTX_COMPLETE_TX) != 0;
    bool many = (inst->flags & LOOM_PTX_MULTICAST) != 0;
    bool hint = (inst->flags & LOOM_PTX_CACHE_HINT) != 0;

    op->how.mode = EXEC_COPY_BULK;
    op->how.swide = is_shared(inst->space2);
    op->bytes = 16;
    op->s[2] = op->s[3] = EXEC_NONE;
    if ((!is_shared(inst->space) && !is_shared(inst->space2)) ||
        inst->operand_count != 3u + told + many + hint || (many && !told) ||
        (inst->op == LOOM_PTX_CP_REDUCE_BULK && !decode_reduction(inst, op))) {
        return false;
    }
    if (told) {
        int64_t offset;
        uint8_t wide;

        if (!ptx_decode_address(code, &o[3], EXEC_SHARED, &op->s[2], &offset,
                                &wide) ||
            offset != 0) {
            return false;
        }
        op->d_wide = wide; /* of the mbarrier's address */
    }
    if (many && !ptx_operand(code, inst, &o[4], LOOM_PTX_U16, &op->s[3])) {
        return false;
    }
    return ptx_operand(code, inst, &o[2], LOOM_PTX_U32, &op->v[0]);
}

bool ptx_decode_copy(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op)
{
    uint8_t wide = 0;

    if (inst->op != LOOM_PTX_CP_ASYNC && inst->op != LOOM_PTX_CP_ASYNC_BULK &&
        inst->op != LOOM_PTX_CP_REDUCE_BULK) {
        op->kind = EXEC_NOTHING;
        return true;
    }
    op->kind = EXEC_COPY;
    op->elements = 1;
    op->space = is_shared(inst->space) ? EXEC_SHARED : EXEC_GLOBAL;
    if (!ptx_decode_address(code, &inst->operand[0], op->space, &op->s[0],
                            &op->offset, &op->s_wide) ||
        !ptx_decode_address(code, &inst->operand[1],
                            is_shared(inst->space2) ? EXEC_SHARED : EXEC_GLOBAL,
                            &op->s[1], &op->offset2, &wide)) {
        return false;
    }
    op->v_wide = wide; /* of the source's address */
    return inst->op == LOOM_PTX_CP_ASYNC ? decode_lanes(code, inst, op)
                                         : decode_bulk(code, inst, op);
}

/* st.bulk: how.mode: the address is generic. */
bool ptx_decode_fill(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;

    op->kind = EXEC_FILL;
    op->how.mode = inst->space == LOOM_PTX_GENERIC;
    if ((inst->space != LOOM_PTX_GENERIC &&
         inst->space != LOOM_PTX_SHARED_CTA) ||
        inst->order > LOOM_PTX_WEAK || o[2].kind != LOOM_PTX_OP_IMM ||
        o[2].value != 0 ||
        (o[1].kind == LOOM_PTX_OP_IMM && o[1].value % 8 != 0)) {
        return false;
    }
    return ptx_decode_address(code, &o[0],
                              op->how.mode != 0 ? EXEC_GENERIC : EXEC_SHARED,
                              &op->s[0], &op->offset, &op->s_wide) &&
           ptx_operand(code, inst, &o[1], LOOM_PTX_U64, &op->s[1]);
}

void ptx_copy_static(const struct exec_op *op, struct loom_static_inst *load,
                     struct loom_static_inst *store)
{
    bool to_shared = op->space == EXEC_SHARED;

    load->op = LOOM_OP_LOAD;
    load->space =
        to_shared && op->how.swide == 0 ? LOOM_SPACE_GLOBAL : LOOM_SPACE_SHARED;
    load->bytes = op->bytes;
    load->vector = 1;
    load->flags |= LOOM_INST_ASYNC | LOOM_INST_ANY_MASK;
    if (op->how.mode != EXEC_COPY_LANES) { /* the L1 keeps nothing of them */
        load->cache_op = LOOM_CACHE_CG;
    }
    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        load->def[i] = 0;
    }
    *store = *load;
    store->op = LOOM_OP_STORE;
    store->space = to_shared ? LOOM_SPACE_SHARED : LOOM_SPACE_GLOBAL;
}

static enum exec_mbarrier kind_of(const struct loom_ptx_inst *inst)
{
    switch (inst->op) {
    case LOOM_PTX_MBARRIER_INIT:
        return EXEC_MB_INIT;
    case LOOM_PTX_MBARRIER_INVAL:
        return EXEC_MB_INVAL;
    case LOOM_PTX_MBARRIER_ARRIVE_EXPECT:
        return EXEC_MB_EXPECT_ARRIVE;
    case LOOM_PTX_MBARRIER_DROP:
        return EXEC_MB_DROP;
    case LOOM_PTX_MBARRIER_EXPECT:
        return EXEC_MB_EXPECT;
    case LOOM_PTX_MBARRIER_COMPLETE:
        return EXEC_MB_COMPLETE;
    case LOOM_PTX_MBARRIER_TEST:
    case LOOM_PTX_MBARRIER_TRY:
        return EXEC_MB_TEST;
    case LOOM_PTX_MBARRIER_TEST_PARITY:
    case LOOM_PTX_MBARRIER_TRY_PARITY:
        return EXEC_MB_PARITY;
    case LOOM_PTX_CP_ASYNC_MBARRIER:
        return EXEC_MB_COPIES;
    default:
        return EXEC_MB_ARRIVE;
    }
}

bool ptx_decode_mbarrier(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint32_t at = loom_ptx_address_operand(inst);
    uint8_t type = LOOM_PTX_U32;
    bool wide = false;

    op->kind = EXEC_MBARRIER;
    op->how.mode = (uint8_t)kind_of(inst);
    op->space = inst->space == LOOM_PTX_GENERIC ? EXEC_GENERIC : EXEC_SHARED;
    op->bytes = 8;
    op->elements = 1;
    op->d[0] = EXEC_NONE;
    if (inst->op == LOOM_PTX_CP_ASYNC_MBARRIER &&
        (inst->flags & LOOM_PTX_NOINC) == 0) {
        op->how.sat = 1; /* counts itself first, so nothing changes */
    }
    if (!ptx_decode_address(code, &inst->operand[at], op->space, &op->s[0],
                            &op->offset, &op->s_wide)) {
        return false;
    }
    if (op->how.mode == EXEC_MB_TEST || op->how.mode == EXEC_MB_PARITY) {
        type = op->how.mode == EXEC_MB_TEST ? LOOM_PTX_B64 : LOOM_PTX_U32;
        if (!ptx_decode_pred_out(code, &inst->operand[0], &op->po)) {
            return false;
        }
    } else if (at == 1 && inst->operand[0].kind != LOOM_PTX_OP_SINK) {
        if (!ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) ||
            !wide) {
            return false;
        }
        op->d_wide = 1;
    }
    if (inst->operand_count > at + 1u) {
        return ptx_operand(code, inst, &inst->operand[at + 1], type, &op->v[0]);
    }
    return ptx_constant(code, 1, false, &op->v[0]);
}

/* Arrivals that a state has still to come: a field of it. */
bool ptx_decode_pending(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool wide = false;

    op->kind = EXEC_PENDING;
    return ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && !wide &&
           ptx_operand(code, inst, &inst->operand[1], LOOM_PTX_B64, &op->s[0]);
}

/*
 * Decoding copies by a tensor map:
 *
 *     dst, [map, {x, ..}], mbarrier [, mask of CTAs] [, policy]
 *     [map, {x, ..}], src [, policy]
 */
#include "workloads/ptx/decode/decode_private.h"
#include "workloads/ptx/exec/async.h"

static uint32_t rank_of(uint8_t shape)
{
    switch (shape) {
    case LOOM_PTX_1D:
        return 1;
    case LOOM_PTX_2D:
        return 2;
    case LOOM_PTX_3D:
        return 3;
    case LOOM_PTX_4D:
        return 4;
    case LOOM_PTX_5D:
        return 5;
    default:
        return 0;
    }
}

static bool decode_places(struct exec_code *code,
                          const struct loom_ptx_inst *inst,
                          const struct loom_ptx_operand *o, struct exec_op *op)
{
    const struct loom_ptx_operand *place = &o->element[o->count - 1u];
    uint32_t rank = rank_of(inst->shape);

    if (o->kind != LOOM_PTX_OP_TEXTURE || o->count != 2 || rank == 0 ||
        place->kind != LOOM_PTX_OP_VECTOR || place->count != rank) {
        return false;
    }
    op->elements = (uint8_t)rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (!ptx_operand(code, inst, &place->element[i], LOOM_PTX_S32,
                         &op->v[i])) {
            return false;
        }
    }
    return ptx_operand(code, inst, &o->element[0], LOOM_PTX_U64, &op->s[1]);
}

static bool decode_replace(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    bool indexed = inst->mode >= LOOM_PTX_MAP_BOX &&
                   inst->mode <= LOOM_PTX_MAP_ELEMENT_STRIDE;
    bool wide =
        inst->mode == LOOM_PTX_MAP_ADDRESS || inst->mode == LOOM_PTX_MAP_STRIDE;
    uint8_t type = wide ? LOOM_PTX_B64 : LOOM_PTX_B32;

    op->how.mode = inst->mode;
    op->v_wide = wide;
    if (inst->mode < LOOM_PTX_MAP_ADDRESS ||
        (inst->flags & LOOM_PTX_B1024) == 0 || inst->type[0] != type ||
        inst->operand_count != (indexed ? 3u : 2u) ||
        (inst->mode >= LOOM_PTX_MAP_TYPE && o[1].kind != LOOM_PTX_OP_IMM)) {
        return false;
    }
    if (indexed) {
        if (o[1].kind != LOOM_PTX_OP_IMM || o[1].value < 0 || o[1].value > 4) {
            return false;
        }
        op->how.sub = (uint8_t)o[1].value;
    }
    return ptx_operand(code, inst, &o[indexed ? 2 : 1], type, &op->v[0]);
}

bool ptx_decode_map(struct exec_code *code, const struct loom_ptx_inst *inst,
                    struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    int64_t offset;
    uint8_t wide;

    op->kind = EXEC_MAP;
    op->space = inst->space == LOOM_PTX_GLOBAL ? EXEC_GLOBAL : EXEC_SHARED;
    if (inst->space == LOOM_PTX_GENERIC) {
        code->why = "has a generic address of a tensor map, which is not "
                    "simulated";
        return false;
    }
    if ((inst->space != LOOM_PTX_GLOBAL && inst->space != LOOM_PTX_SHARED &&
         inst->space != LOOM_PTX_SHARED_CTA) ||
        !ptx_decode_address(code, &o[0], op->space, &op->s[0], &op->offset,
                            &op->s_wide)) {
        return false;
    }
    if (inst->op == LOOM_PTX_MAP_REPLACE) {
        return decode_replace(code, inst, op);
    }
    op->how.mode = 0;
    if (inst->space != LOOM_PTX_GLOBAL ||
        (inst->space2 != LOOM_PTX_SHARED_CTA &&
         inst->space2 != LOOM_PTX_SHARED) ||
        inst->mode != LOOM_PTX_TENSORMAP_GENERIC ||
        inst->order != LOOM_PTX_RELEASE || o[2].kind != LOOM_PTX_OP_IMM ||
        o[2].value != 128 ||
        !ptx_decode_address(code, &o[1], EXEC_SHARED, &op->s[1], &offset,
                            &wide)) {
        return false;
    }
    op->offset2 = offset;
    op->d_wide = wide;
    return true;
}

bool ptx_decode_tensor(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op)
{
    const struct loom_ptx_operand *o = inst->operand;
    bool load = inst->space != LOOM_PTX_GLOBAL;
    bool many = (inst->flags & LOOM_PTX_MULTICAST) != 0;
    bool hint = (inst->flags & LOOM_PTX_CACHE_HINT) != 0;
    int64_t offset;
    uint8_t wide;

    op->kind = EXEC_COPY;
    op->how.mode = EXEC_COPY_TENSOR;
    op->bytes = 16;
    op->space = load ? EXEC_SHARED : EXEC_GLOBAL;
    op->how.swide = !load;
    op->opcode_sub = inst->sub;
    op->s[2] = op->s[3] = EXEC_NONE;
    if ((load ? inst->space2 != LOOM_PTX_GLOBAL ||
                    (inst->flags & LOOM_PTX_COMPLETE_TX) == 0
              : inst->space2 == LOOM_PTX_GLOBAL) ||
        (inst->op == LOOM_PTX_CP_REDUCE_TENSOR) != (inst->sub != 0) ||
        (load && inst->sub != 0) ||
        inst->operand_count != (load ? 3u : 2u) + many + hint ||
        !decode_places(code, inst, &o[load ? 1 : 0], op) ||
        !ptx_decode_address(code, &o[load ? 0 : 1], EXEC_SHARED, &op->s[0],
                            &op->offset, &op->s_wide)) {
        return false;
    }
    if (load) {
        if (!ptx_decode_address(code, &o[2], EXEC_SHARED, &op->s[2], &offset,
                                &wide) ||
            offset != 0) {
            return false;
        }
        op->d_wide = wide;
    }
    return !many ||
           (load && ptx_operand(code, inst, &o[3], LOOM_PTX_U16, &op->s[3]));
}

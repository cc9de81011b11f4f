/*
 * Decoding what only clusters of CTAs have.
 */
#include "workloads/ptx/decode/decode_private.h"

static struct loom_ptx_operand special(uint32_t what)
{
    return (struct loom_ptx_operand){
        .kind = LOOM_PTX_OP_SPECIAL, .reg = LOOM_PTX_NONE, .value = what};
}

/* mapa, getctarank: of generic addresses, or of those of shared memory. */
bool ptx_decode_rank(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op)
{
    const struct loom_ptx_operand own = special(LOOM_PTX_CLUSTER_CTARANK);
    uint8_t type = inst->type[0];
    bool map = inst->op == LOOM_PTX_MAPA, wide = false;

    op->kind = EXEC_LANES;
    op->operands = 2;
    op->fn = ptx_lanes_find(inst->op, type, EXEC_PLAIN);
    if ((inst->space != LOOM_PTX_GENERIC &&
         inst->space != LOOM_PTX_SHARED_CLUSTER) ||
        op->fn == NULL ||
        !ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) ||
        wide != (map && type == LOOM_PTX_U64)) {
        return false;
    }
    op->d_wide = wide;
    return ptx_operand(code, inst, &inst->operand[1], type, &op->s[0]) &&
           ptx_operand(code, inst, map ? &inst->operand[2] : &own, LOOM_PTX_U32,
                       &op->s[1]);
}

/* mov.pred p, %is_explicit_cluster: a register of the launch that is not 0. */
bool ptx_decode_explicit(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    op->kind = EXEC_SETP;
    op->operands = 2;
    op->how.stype = LOOM_PTX_U32;
    op->fn = ptx_lanes_find(LOOM_PTX_SETP, LOOM_PTX_U32,
                            EXEC_COMPARE + (int)LOOM_PTX_NE);
    return inst->operand[1].value == LOOM_PTX_IS_EXPLICIT_CLUSTER &&
           ptx_decode_pred_out(code, &inst->operand[0], &op->po) &&
           ptx_operand(code, inst, &inst->operand[1], LOOM_PTX_U32,
                       &op->s[0]) &&
           ptx_constant(code, 0, false, &op->s[1]);
}

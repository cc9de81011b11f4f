/*
 * Forms: what machines may time apart from the rest of an instruction's class.
 */
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define GROUP_A 16u /* bytes of a lane: 16 rows of 32 bytes by 32 lanes */

bool ptx_reads_special(const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *from = &inst->operand[1];

    if (inst->op != LOOM_PTX_MOV) {
        return false;
    }
    if (from->kind == LOOM_PTX_OP_SYMBOL) {
        return from->var != NULL && from->var->space == LOOM_PTX_SHARED;
    }
    if (from->kind != LOOM_PTX_OP_SPECIAL) {
        return false;
    }
    switch ((enum loom_ptx_special)from->value) {
    case LOOM_PTX_TID_X:
    case LOOM_PTX_TID_Y:
    case LOOM_PTX_TID_Z:
    case LOOM_PTX_CTAID_X:
    case LOOM_PTX_CTAID_Y:
    case LOOM_PTX_CTAID_Z:
    case LOOM_PTX_LANEID:
    case LOOM_PTX_WARPID:
    case LOOM_PTX_SMID:
    case LOOM_PTX_LANEMASK_EQ:
    case LOOM_PTX_LANEMASK_LE:
    case LOOM_PTX_LANEMASK_LT:
    case LOOM_PTX_LANEMASK_GE:
    case LOOM_PTX_LANEMASK_GT:
        return true;
    default: /* constants, and the clock, which is near */
        return false;
    }
}

/* Of MOVE: what is not a plain move.  Conversions that an ALU does: from
 * integers of 32 bits, between integers, of 16-bit floats. */
static enum loom_form form_of_move(const struct loom_ptx_inst *inst)
{
    enum loom_ptx_type to = (enum loom_ptx_type)inst->type[0];
    enum loom_ptx_type from = (enum loom_ptx_type)inst->type[1];

    switch (inst->op) {
    case LOOM_PTX_POPC:
    case LOOM_PTX_CLZ:
    case LOOM_PTX_BFIND:
    case LOOM_PTX_BREV:
    case LOOM_PTX_FNS:
        return LOOM_FORM_CONVERT;
    case LOOM_PTX_CVT:
        if (!loom_ptx_type_real(to) && !loom_ptx_type_real(from)) {
            return loom_ptx_type_bytes(to) + loom_ptx_type_bytes(from) > 8
                       ? LOOM_FORM_PLAIN
                       : LOOM_FORM_LOGIC;
        }
        return loom_ptx_type_real(to) && loom_ptx_type_bytes(to) <= 4 &&
                       loom_ptx_type_bytes(from) <= 4
                   ? LOOM_FORM_LOGIC
                   : LOOM_FORM_CONVERT;
    case LOOM_PTX_MOV:
        return ptx_reads_special(inst) ? LOOM_FORM_SPECIAL : LOOM_FORM_PLAIN;
    case LOOM_PTX_SHL:
        return inst->operand[2].kind == LOOM_PTX_OP_IMM &&
                       loom_ptx_type_bytes(to) == 4
                   ? LOOM_FORM_SHIFT
                   : LOOM_FORM_LOGIC;
    default:
        return inst->op == LOOM_PTX_ABS || inst->op == LOOM_PTX_NEG ||
                       (inst->op >= LOOM_PTX_BFE && inst->op <= LOOM_PTX_PRMT)
                   ? LOOM_FORM_LOGIC
                   : LOOM_FORM_PLAIN;
    }
}

/* Of an element of A; wmma does not say that it is f16. */
static uint32_t bits_of_product(const struct loom_ptx_inst *inst)
{
    enum loom_ptx_type type = (enum loom_ptx_type)inst->type[1];

    if (inst->op == LOOM_PTX_WMMA_MMA && inst->type[2] == 0) {
        type = LOOM_PTX_F16;
    }
    switch (type) {
    case LOOM_PTX_B1:
        return 1;
    case LOOM_PTX_U4:
    case LOOM_PTX_S4:
        return 4;
    case LOOM_PTX_F16:
    case LOOM_PTX_BF16:
        return 16;
    case LOOM_PTX_TF32:
        return 32;
    case LOOM_PTX_F64:
        return 64;
    default:
        return 8;
    }
}

/* Of a sparse A the tensor core multiplies what is there, half of k: the
 * peaks of the data sheets are twice those of dense products. */
static void set_product(struct loom_static_inst *s,
                        const struct loom_ptx_inst *inst)
{
    const uint16_t *size = loom_ptx_product(inst->shape);
    uint32_t bits = bits_of_product(inst);
    uint32_t k = size[2] / (loom_ptx_sparse(inst) ? 2u : 1u);
    uint32_t parts = (uint32_t)size[0] * size[1] / (16 * 8);

    if (loom_ptx_of_group(inst)) {
        s->form = LOOM_FORM_TENSOR_GROUP;
        parts = (inst->shape - (uint32_t)LOOM_PTX_M64) / LOOM_PTX_KS + 1;
        s->bytes = inst->operand[1].kind == LOOM_PTX_OP_VECTOR ? 0 : GROUP_A;
    } else if (bits == 64) {
        s->form = LOOM_FORM_TENSOR_F64;
        parts = k / 4;
    } else if (k * bits <= 128) {
        s->form = LOOM_FORM_TENSOR_SHORT;
    } else {
        parts *= k * bits / 256;
    }
    s->parts = (uint8_t)(parts != 0 ? parts : 1);
}

static enum loom_form form_of_fence(const struct loom_ptx_inst *inst)
{
    switch (inst->op) {
    case LOOM_PTX_FENCE_PROXY:
    case LOOM_PTX_MEMBAR_PROXY:
        return inst->space == LOOM_PTX_SHARED_CTA ||
                       inst->space == LOOM_PTX_SHARED_CLUSTER
                   ? LOOM_FORM_FENCE_SHARED
                   : LOOM_FORM_FENCE_PROXY;
    case LOOM_PTX_FENCE_MAP:
        return LOOM_FORM_FENCE_PROXY;
    case LOOM_PTX_FENCE_INIT:
        return LOOM_FORM_FENCE_CTA;
    default:
        return inst->scope == LOOM_PTX_CTA ? LOOM_FORM_FENCE_CTA
                                           : LOOM_FORM_PLAIN;
    }
}

static enum loom_form form_of_atomic(const struct loom_ptx_inst *inst)
{
    if (inst->sub == LOOM_PTX_DO_CAS) {
        return LOOM_FORM_ATOMIC_SWAP;
    }
    return ptx_inst_real(inst) ? LOOM_FORM_ATOMIC_REAL : LOOM_FORM_PLAIN;
}

/* CUDA 12's name, and the one of before. */
static bool launches(const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *to = &inst->operand[1];

    return inst->op == LOOM_PTX_CALL && to->kind == LOOM_PTX_OP_FUNCTION &&
           (strcmp(to->function->name, "__cudaCDP2LaunchDeviceV2") == 0 ||
            strcmp(to->function->name, "cudaLaunchDeviceV2") == 0);
}

void ptx_set_form(struct loom_static_inst *s, const struct loom_ptx_inst *inst)
{
    enum loom_ptx_type type = (enum loom_ptx_type)inst->type[0];

    if (launches(inst)) {
        s->form = LOOM_FORM_CHILD;
        return;
    }

    switch ((enum loom_op)s->op) {
    case LOOM_OP_MOVE:
        s->form = (uint8_t)form_of_move(inst);
        break;
    case LOOM_OP_FP_ADD:
    case LOOM_OP_FP_MUL:
    case LOOM_OP_FP_MAD:
        s->form = type == LOOM_PTX_F32 ? LOOM_FORM_PLAIN : LOOM_FORM_HALF;
        break;
    case LOOM_OP_SHUFFLE:
        s->form = inst->op == LOOM_PTX_VOTE ? LOOM_FORM_VOTE : LOOM_FORM_PLAIN;
        break;
    case LOOM_OP_TENSOR:
        set_product(s, inst);
        break;
    case LOOM_OP_MEMBAR:
        s->form = (uint8_t)form_of_fence(inst);
        break;
    case LOOM_OP_ATOMIC:
        s->form = (uint8_t)form_of_atomic(inst);
        break;
    default:
        break;
    }
}

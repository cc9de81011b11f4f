/*
 * Decoding wgmma.mma_async: d, A (a descriptor, or four registers), B's
 * descriptor, whether to add, then the signs of A and B and whether they are
 * transposed, as far as their types have that.
 */
#include "workloads/ptx/exec/wgmma.h"

#include <stdlib.h>

#include "workloads/ptx/decode/decode_private.h"

static bool is_16(uint8_t type)
{
    return type == LOOM_PTX_F16 || type == LOOM_PTX_BF16;
}

static bool is_float_8(uint8_t type)
{
    return type == LOOM_PTX_E4M3 || type == LOOM_PTX_E5M2;
}

static bool is_int_8(uint8_t type)
{
    return type == LOOM_PTX_U8 || type == LOOM_PTX_S8;
}

/* Types that go together, and their k. */
static bool set_types(const struct loom_ptx_inst *inst, struct exec_wgmma *w)
{
    static const uint16_t ks[] = {[LOOM_PTX_K8] = 8,
                                  [LOOM_PTX_K16] = 16,
                                  [LOOM_PTX_K32] = 32,
                                  [LOOM_PTX_K256] = 256};
    uint8_t d = inst->type[0], a = inst->type[1], b = inst->type[2];
    uint32_t shape = inst->shape - (uint32_t)LOOM_PTX_M64;

    if (inst->shape < LOOM_PTX_M64 || inst->shape >= LOOM_PTX_M64_END) {
        return false;
    }
    w->type = d;
    w->a.type = a;
    w->b.type = b;
    w->n = (uint16_t)(8 * (shape / 4 + 1));
    w->k = ks[shape % 4];
    if ((inst->sub != 0) != (a == LOOM_PTX_B1)) {
        return false;
    }
    if (is_16(a)) {
        return a == b && w->k == 16 &&
               (d == LOOM_PTX_F32 || (d == LOOM_PTX_F16 && a == LOOM_PTX_F16));
    }
    if (is_float_8(a)) {
        return is_float_8(b) && w->k == 32 &&
               (d == LOOM_PTX_F32 || d == LOOM_PTX_F16);
    }
    if (is_int_8(a)) {
        return is_int_8(b) && w->k == 32 && d == LOOM_PTX_S32;
    }
    return a == b &&
           (a == LOOM_PTX_TF32
                ? w->k == 8 && d == LOOM_PTX_F32
                : a == LOOM_PTX_B1 && w->k == 256 && d == LOOM_PTX_S32 &&
                      inst->sub == LOOM_PTX_DO_AND_POPC);
}

static bool set_sums(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_wgmma *w)
{
    const struct loom_ptx_operand *o = &inst->operand[0];
    uint32_t count = w->type == LOOM_PTX_F16 ? w->n / 4u : w->n / 2u;

    if (o->kind != LOOM_PTX_OP_VECTOR || o->count != count) {
        code->why = "the fragment has another number of registers";
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool wide = false;

        if (!ptx_decode_out(code, &o->element[i], &w->d[i], &wide) || wide) {
            return false;
        }
    }
    return true;
}

static bool set_a(struct exec_code *code, const struct loom_ptx_inst *inst,
                  struct exec_wgmma *w)
{
    const struct loom_ptx_operand *o = &inst->operand[1];

    if (o->kind != LOOM_PTX_OP_VECTOR) {
        return ptx_operand(code, inst, o, LOOM_PTX_B64, &w->a.reg);
    }
    w->held = (struct exec_fragment){.count = 4,
                                     .type = w->a.type,
                                     .rows = EXEC_WGMMA_ROWS,
                                     .columns = w->k};
    for (uint32_t i = 0; i < 4; i++) {
        if (o->count != 4 || !ptx_operand(code, inst, &o->element[i],
                                          LOOM_PTX_B32, &w->held.reg[i])) {
            return false;
        }
    }
    return true;
}

/* Signs and transpositions: immediates. */
static bool set_immediates(const struct loom_ptx_inst *inst,
                           struct exec_wgmma *w)
{
    bool real = loom_ptx_type_real((enum loom_ptx_type)w->a.type);
    bool held = w->held.count != 0;
    uint32_t signs = real ? 2 : 0;
    uint32_t turns = is_16(w->a.type) ? held ? 1 : 2 : 0;
    int64_t value[4] = {1, 1, 0, 0};

    if (inst->operand_count != 4 + signs + turns) {
        return false;
    }
    for (uint32_t i = 4; i < inst->operand_count; i++) {
        const struct loom_ptx_operand *o = &inst->operand[i];
        bool sign = i < 4 + signs;

        if (o->kind != LOOM_PTX_OP_IMM ||
            (sign ? o->value != 1 && o->value != -1
                  : o->value != 0 && o->value != 1)) {
            return false;
        }
        value[i - 4] = o->value;
    }
    w->a.negate = value[0] < 0;
    w->b.negate = value[1] < 0;
    w->a.trans = !held && value[2] != 0;
    w->b.trans = (held ? value[2] : value[3]) != 0;
    return true;
}

bool ptx_decode_wgmma(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op)
{
    struct exec_wgmma *grown =
        realloc(code->wgmma, (code->wgmma_count + 1u) * sizeof(*grown));
    struct exec_wgmma *w;

    if (grown == NULL) {
        return false;
    }
    code->wgmma = grown;
    w = &grown[code->wgmma_count];
    *w = (struct exec_wgmma){.finite = (inst->flags & LOOM_PTX_SATFINITE) != 0};
    op->kind = EXEC_WGMMA;
    op->offset2 = code->wgmma_count++;
    if (!set_types(inst, w)) {
        code->why = "this combination of shape and types is not known";
        return false;
    }
    return set_sums(code, inst, w) && set_a(code, inst, w) &&
           ptx_operand(code, inst, &inst->operand[2], LOOM_PTX_B64,
                       &w->b.reg) &&
           ptx_decode_pred(code, &inst->operand[3], &w->add, &w->add_invert) &&
           set_immediates(inst, w);
}

/*
 * Decoding wgmma.mma_async: d, A (a descriptor, or four registers), B's
 * descriptor, of a sparse A the metadata and the sparsity selector, whether to
 * add, then the signs of A and B and whether they are transposed, as far as
 * their types have that.
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

/* Integers have fewer n: from 32 on each second one. */
static bool has_n(const struct exec_wgmma *w)
{
    return w->type != LOOM_PTX_S32 || w->n <= 32 || w->n % 16 == 0;
}

/* Types that go together, and their k; a sparse A has half of it. */
static bool set_types(const struct loom_ptx_inst *inst, struct exec_wgmma *w)
{
    static const uint16_t ks[] = {[LOOM_PTX_K8] = 8,
                                  [LOOM_PTX_K16] = 16,
                                  [LOOM_PTX_K32] = 32,
                                  [LOOM_PTX_K64] = 64,
                                  [LOOM_PTX_K256] = 256};
    uint8_t d = inst->type[0], a = inst->type[1], b = inst->type[2];
    uint32_t shape = inst->shape - (uint32_t)LOOM_PTX_M64;

    if (inst->shape < LOOM_PTX_M64 || inst->shape >= LOOM_PTX_M64_END) {
        return false;
    }
    w->type = d;
    w->a.type = a;
    w->b.type = b;
    w->n = (uint16_t)(8 * (shape / LOOM_PTX_KS + 1));
    w->k = ks[shape % LOOM_PTX_KS];
    w->held.columns = w->is_sparse ? w->k / 2 : w->k;
    if ((inst->sub != 0) != (a == LOOM_PTX_B1) || !has_n(w)) {
        return false;
    }
    if (is_16(a)) {
        return a == b && w->held.columns == 16 &&
               (d == LOOM_PTX_F32 || (d == LOOM_PTX_F16 && a == LOOM_PTX_F16));
    }
    if (is_float_8(a)) {
        return is_float_8(b) && w->held.columns == 32 &&
               (d == LOOM_PTX_F32 || d == LOOM_PTX_F16);
    }
    if (is_int_8(a)) {
        return is_int_8(b) && w->held.columns == 32 && d == LOOM_PTX_S32;
    }
    return a == b &&
           (a == LOOM_PTX_TF32
                ? w->held.columns == 8 && d == LOOM_PTX_F32
                : a == LOOM_PTX_B1 && w->held.columns == 256 &&
                      d == LOOM_PTX_S32 && inst->sub == LOOM_PTX_DO_AND_POPC);
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

    w->held.type = w->a.type;
    w->held.rows = EXEC_WGMMA_ROWS;
    if (o->kind != LOOM_PTX_OP_VECTOR) {
        return ptx_operand(code, inst, o, LOOM_PTX_B64, &w->a.reg);
    }
    w->held.count = 4;
    for (uint32_t i = 0; i < 4; i++) {
        if (o->count != 4 || !ptx_operand(code, inst, &o->element[i],
                                          LOOM_PTX_B32, &w->held.reg[i])) {
            return false;
        }
    }
    return true;
}

/* Signs and transpositions: immediates from operand `first` on. */
static bool set_immediates(const struct loom_ptx_inst *inst,
                           struct exec_wgmma *w, uint32_t first)
{
    bool real = loom_ptx_type_real((enum loom_ptx_type)w->a.type);
    bool held = w->held.count != 0;
    uint32_t signs = real ? 2 : 0;
    uint32_t turns = is_16(w->a.type) ? held ? 1 : 2 : 0;
    int64_t value[4] = {1, 1, 0, 0};

    if (inst->operand_count != first + signs + turns) {
        return false;
    }
    for (uint32_t i = first; i < inst->operand_count; i++) {
        const struct loom_ptx_operand *o = &inst->operand[i];
        bool sign = i < first + signs;

        if (o->kind != LOOM_PTX_OP_IMM ||
            (sign ? o->value != 1 && o->value != -1
                  : o->value != 0 && o->value != 1)) {
            return false;
        }
        value[i - first] = o->value;
    }
    w->a.negate = value[0] < 0;
    w->b.negate = value[1] < 0;
    w->a.trans = !held && value[2] != 0;
    w->b.trans = (held ? value[2] : value[3]) != 0;
    return true;
}

/* Of .tf32 and of 16 bits a pair of lanes has it, of 8 bits all four. */
static bool set_metadata(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_wgmma *w)
{
    uint32_t lanes = ptx_fragment_bits(w->a.type) >= 16 ? 2 : 4;

    return !w->is_sparse ||
           ptx_decode_metadata(code, inst, 3, lanes, &w->sparse);
}

bool ptx_decode_wgmma(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op)
{
    struct exec_wgmma *grown =
        realloc(code->wgmma, (code->wgmma_count + 1u) * sizeof(*grown));
    struct exec_wgmma *w;
    uint32_t add = loom_ptx_sparse(inst) ? 5 : 3;

    if (grown == NULL) {
        return false;
    }
    code->wgmma = grown;
    w = &grown[code->wgmma_count];
    *w = (struct exec_wgmma){.finite = (inst->flags & LOOM_PTX_SATFINITE) != 0,
                             .is_sparse = loom_ptx_sparse(inst)};
    op->kind = EXEC_WGMMA;
    op->meets = EXEC_MEETS_ALL;
    op->offset2 = code->wgmma_count++;
    if (!set_types(inst, w)) {
        code->why = "this combination of shape and types is not known";
        return false;
    }
    return set_sums(code, inst, w) && set_a(code, inst, w) &&
           ptx_operand(code, inst, &inst->operand[2], LOOM_PTX_B64,
                       &w->b.reg) &&
           set_metadata(code, inst, w) &&
           ptx_decode_pred(code, &inst->operand[add], &w->add,
                           &w->add_invert) &&
           set_immediates(inst, w, add + 1);
}

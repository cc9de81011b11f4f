/*
 * Decoding matrix instructions: shapes and types to fragments, and whether
 * there are as many registers as they need.
 */
#include "workloads/ptx/exec/matrix.h"

#include <stdlib.h>

#include "workloads/ptx/decode/decode_private.h"

static bool set_shape(uint8_t shape, struct exec_matrix *m)
{
    const uint16_t *size = loom_ptx_product(shape);

    m->m = size[0];
    m->n = size[1];
    m->k = size[2];
    return m->m != 0;
}

static bool is_float_16(uint8_t type)
{
    return type == LOOM_PTX_F16 || type == LOOM_PTX_BF16;
}

static bool is_float_8(uint8_t type)
{
    return type == LOOM_PTX_E4M3 || type == LOOM_PTX_E5M2;
}

static bool is_input(uint8_t type)
{
    return is_float_16(type) || type == LOOM_PTX_TF32 || type == LOOM_PTX_F64 ||
           type == LOOM_PTX_U8 || type == LOOM_PTX_S8 || type == LOOM_PTX_U4 ||
           type == LOOM_PTX_S4 || type == LOOM_PTX_B1 || is_float_8(type);
}

/* Accumulators that go with inputs. */
static bool goes_with(uint8_t input, uint8_t sum)
{
    switch (input) {
    case LOOM_PTX_F16:
    case LOOM_PTX_E4M3:
    case LOOM_PTX_E5M2:
        return sum == LOOM_PTX_F16 || sum == LOOM_PTX_F32;
    case LOOM_PTX_BF16:
    case LOOM_PTX_TF32:
        return sum == LOOM_PTX_F32;
    case LOOM_PTX_F64:
        return sum == LOOM_PTX_F64;
    default:
        return sum == LOOM_PTX_S32;
    }
}

/* Registers of a fragment: wmma has eight of .f16 whatever the shape. */
static uint32_t registers_of(const struct exec_fragment *f, bool input,
                             bool opaque)
{
    uint32_t bits = ptx_fragment_bits(f->type);
    uint32_t each = bits >= 32 ? 1 : 32 / bits;

    return opaque && input && f->type == LOOM_PTX_F16
               ? 8
               : (ptx_fragment_slots(f) + each - 1) / each;
}

static bool set_registers(struct exec_code *code,
                          const struct loom_ptx_inst *inst,
                          const struct loom_ptx_operand *operand, bool write,
                          uint32_t count, struct exec_fragment *f)
{
    bool vector = operand->kind == LOOM_PTX_OP_VECTOR;
    uint8_t type = f->type == LOOM_PTX_F64 ? LOOM_PTX_F64 : LOOM_PTX_B32;

    f->count = (uint8_t)count;
    f->wide = f->type == LOOM_PTX_F64;
    if (count > EXEC_FRAGMENT || (vector ? operand->count : 1u) != count) {
        code->why = "the fragment has another number of registers";
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_ptx_operand *e =
            vector ? &operand->element[i] : operand;
        bool wide = false;

        if (!write && e->kind == LOOM_PTX_OP_F32) {
            type = LOOM_PTX_F32;
        }
        if (write
                ? !ptx_decode_out(code, e, &f->reg[i], &wide) || wide != f->wide
                : !ptx_operand(code, inst, e, type, &f->reg[i])) {
            return false;
        }
    }
    return true;
}

static void set_size(struct exec_fragment *f, uint32_t rows, uint32_t columns,
                     uint8_t type, bool by_column)
{
    f->rows = (uint16_t)rows;
    f->columns = (uint16_t)columns;
    f->type = type;
    f->by_column = by_column;
}

/* Types of d, a, b, c; wmma of .f16 names only those of d and c. */
static void multiply_types(const struct loom_ptx_inst *inst, uint8_t type[4])
{
    bool brief = inst->type[2] == LOOM_PTX_NO_TYPE;

    type[0] = inst->type[0];
    type[1] = brief ? (uint8_t)LOOM_PTX_F16 : inst->type[1];
    type[2] = brief ? (uint8_t)LOOM_PTX_F16 : inst->type[2];
    type[3] = inst->type[brief ? 1 : 3];
}

/* Do types and shape go together? */
static bool is_product(const struct loom_ptx_inst *inst,
                       const struct exec_matrix *m, const uint8_t type[4])
{
    uint8_t layout = inst->layout;

    if (!is_input(type[1]) || (inst->sub != 0) != (type[1] == LOOM_PTX_B1) ||
        (type[1] != type[2] && loom_ptx_type_real(type[1]) &&
         !(is_float_8(type[1]) && is_float_8(type[2]))) ||
        ptx_fragment_bits(type[1]) != ptx_fragment_bits(type[2]) ||
        !goes_with(type[1], type[0]) || !goes_with(type[2], type[3])) {
        return false;
    }
    if (inst->round != 0 &&
        (inst->round != LOOM_PTX_RN || type[1] != LOOM_PTX_F64)) {
        return false;
    }
    if (m->quads) {
        return type[1] == LOOM_PTX_F16 && layout >= LOOM_PTX_ROW_ROW &&
               (type[0] == LOOM_PTX_F32 || type[3] == LOOM_PTX_F16);
    }
    if (m->k == 4 && is_float_16(type[1])) {
        return false;
    }
    return m->opaque ? ptx_fragment_bits(type[1]) >= 8
                     : layout == LOOM_PTX_ROW_COL && m->n <= 8;
}

/* Lanes of four that have metadata, or 0: there is no such product. */
static uint32_t metadata_lanes(const struct exec_matrix *m,
                               const uint8_t type[4])
{
    uint32_t bits = ptx_fragment_bits(type[1]), row = m->k * bits;

    if (m->m != 16 || type[0] != type[3] || type[1] == LOOM_PTX_F64 ||
        type[1] == LOOM_PTX_B1 || (row != 256 && row != 512) ||
        (is_float_8(type[1]) && (row != 512 || type[0] != LOOM_PTX_F32))) {
        return 0;
    }
    return row / 256 * (bits >= 16 ? 1 : 2);
}

bool ptx_decode_metadata(struct exec_code *code,
                         const struct loom_ptx_inst *inst, uint32_t at,
                         uint32_t lanes, struct exec_sparse *sparse)
{
    const struct loom_ptx_operand *o = &inst->operand[at];

    if (o[1].kind != LOOM_PTX_OP_IMM || o[1].value < 0 ||
        o[1].value >= 4 / (int64_t)lanes) {
        code->why = "no lanes have the metadata of this sparsity selector";
        return false;
    }
    sparse->first = (uint8_t)((uint32_t)o[1].value * lanes);
    return o[0].kind == LOOM_PTX_OP_REG &&
           ptx_operand(code, inst, o, LOOM_PTX_B32, &sparse->reg);
}

/* Of m8n8k4: registers of the lanes, whatever the layout. */
static bool set_quads(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_matrix *m)
{
    const struct loom_ptx_operand *o = inst->operand;

    return set_registers(code, inst, &o[0], true,
                         m->d.type == LOOM_PTX_F16 ? 4 : 8, &m->d) &&
           set_registers(code, inst, &o[1], false, 2, &m->a) &&
           set_registers(code, inst, &o[2], false, 2, &m->b) &&
           set_registers(code, inst, &o[3], false,
                         m->c.type == LOOM_PTX_F16 ? 4 : 8, &m->c);
}

static bool decode_multiply(struct exec_code *code,
                            const struct loom_ptx_inst *inst,
                            struct exec_matrix *m)
{
    const struct loom_ptx_operand *o = inst->operand;
    uint8_t type[4], layout = inst->layout;
    bool a_column = layout == LOOM_PTX_COL_ROW || layout == LOOM_PTX_COL_COL;
    bool b_column = layout == LOOM_PTX_ROW_COL || layout == LOOM_PTX_COL_COL;
    uint32_t lanes = 0;

    m->opaque = inst->op == LOOM_PTX_WMMA_MMA;
    m->finite = (inst->flags & LOOM_PTX_SATFINITE) != 0;
    m->is_sparse = loom_ptx_sparse(inst);
    multiply_types(inst, type);
    m->differ = inst->sub == LOOM_PTX_DO_XOR_POPC;
    m->quads =
        !m->opaque && is_float_16(type[1]) && inst->shape == LOOM_PTX_M8N8K4;
    code->why = inst->round > LOOM_PTX_RN
                    ? "rounds products otherwise than to nearest, which is not "
                      "simulated"
                    : "this combination of shape and types is not known";
    if (!set_shape(inst->shape, m) || !is_product(inst, m, type) ||
        (m->is_sparse && (lanes = metadata_lanes(m, type)) == 0)) {
        return false;
    }
    set_size(&m->d, m->m, m->n, type[0], false);
    set_size(&m->a, m->m, m->is_sparse ? m->k / 2u : m->k, type[1], a_column);
    set_size(&m->b, m->k, m->n, type[2], b_column);
    set_size(&m->c, m->m, m->n, type[3], false);
    code->why = NULL;
    if (m->quads) {
        return set_quads(code, inst, m);
    }
    return (!m->is_sparse ||
            ptx_decode_metadata(code, inst, 4, lanes, &m->sparse)) &&
           set_registers(code, inst, &o[0], true,
                         registers_of(&m->d, false, m->opaque), &m->d) &&
           set_registers(code, inst, &o[1], false,
                         registers_of(&m->a, true, m->opaque), &m->a) &&
           set_registers(code, inst, &o[2], false,
                         registers_of(&m->b, true, m->opaque), &m->b) &&
           set_registers(code, inst, &o[3], false,
                         registers_of(&m->c, false, m->opaque), &m->c);
}

/* Bytes that a lane moves at once: what is contiguous, up to 16. */
static uint8_t chunk_of(const struct exec_fragment *f, bool by_column)
{
    uint32_t bytes = ptx_fragment_bits(f->type) / 8;
    uint32_t chunk = ptx_fragment_slots(f) * bytes;
    uint32_t line = (by_column ? f->rows : f->columns) * bytes;

    chunk = chunk > line ? line : chunk;
    return (uint8_t)(chunk > 16 ? 16 : chunk);
}

/* wmma.load and wmma.store.  A and B lie in the lanes as they lie in memory;
 * C and D, which may be stored in another layout, always by rows. */
static bool decode_fragment(struct exec_code *code,
                            const struct loom_ptx_inst *inst,
                            struct exec_op *op, struct exec_matrix *m)
{
    bool store = inst->op == LOOM_PTX_WMMA_STORE_D;
    bool column = inst->layout == LOOM_PTX_COL;
    bool input =
        inst->op == LOOM_PTX_WMMA_LOAD_A || inst->op == LOOM_PTX_WMMA_LOAD_B;

    m->opaque = true;
    code->why = "this combination of shape and types is not known";
    if (!set_shape(inst->shape, m) || ptx_fragment_bits(inst->type[0]) < 8 ||
        !(input ? is_input(inst->type[0])
                : inst->type[0] == LOOM_PTX_F16 ||
                      inst->type[0] == LOOM_PTX_F32 ||
                      inst->type[0] == LOOM_PTX_S32 ||
                      inst->type[0] == LOOM_PTX_F64)) {
        return false;
    }
    set_size(&m->d, inst->op == LOOM_PTX_WMMA_LOAD_B ? m->k : m->m,
             inst->op == LOOM_PTX_WMMA_LOAD_A ? m->k : m->n, inst->type[0],
             column);
    m->trans = !input && column;
    m->chunk = m->trans ? (uint8_t)(ptx_fragment_bits(m->d.type) / 8)
                        : chunk_of(&m->d, column);
    m->d.by_column = input && column;
    m->stride = EXEC_NONE;
    op->opcode_sub = store ? EXEC_MATRIX_STORE : EXEC_MATRIX_LOAD;
    code->why = NULL;
    return set_registers(code, inst, &inst->operand[store ? 1 : 0], !store,
                         registers_of(&m->d, input, true), &m->d) &&
           (inst->operand_count < 3 ||
            ptx_operand(code, inst, &inst->operand[2], LOOM_PTX_U32,
                        &m->stride));
}

/* Shapes of ldmatrix and stmatrix, with their elements. */
static bool has_rows(const struct loom_ptx_inst *inst, uint32_t count)
{
    bool store = inst->op == LOOM_PTX_STMATRIX;
    bool trans = (inst->flags & LOOM_PTX_TRANS) != 0;
    uint8_t type = inst->type[0];
    bool packed = type == LOOM_PTX_B6X16_P32 || type == LOOM_PTX_B4X16_P64;

    switch (inst->shape) {
    case LOOM_PTX_M8N8:
        return type == LOOM_PTX_B16;
    case LOOM_PTX_M8N16:
        return packed && !store && !trans;
    case LOOM_PTX_M16N16:
        return (packed || type == LOOM_PTX_B8) && !store && trans && count < 4;
    case LOOM_PTX_M16N8:
        return type == LOOM_PTX_B8 && store && trans;
    default:
        return false;
    }
}

static bool decode_rows(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op,
                        struct exec_matrix *m)
{
    bool store = inst->op == LOOM_PTX_STMATRIX;
    uint32_t count = inst->mode == LOOM_PTX_X1   ? 1
                     : inst->mode == LOOM_PTX_X2 ? 2
                     : inst->mode == LOOM_PTX_X4 ? 4
                                                 : 0;

    op->opcode_sub = store ? EXEC_MATRIX_STORE_ROWS : EXEC_MATRIX_LOAD_ROWS;
    m->trans = (inst->flags & LOOM_PTX_TRANS) != 0;
    m->chunk = 16;
    m->d.type = inst->type[0];
    m->shape = inst->shape;
    return count != 0 && has_rows(inst, count) &&
           set_registers(code, inst, &inst->operand[store ? 1 : 0], !store,
                         m->shape == LOOM_PTX_M16N16 ? 2 * count : count,
                         &m->d);
}

static bool decode_kind(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op,
                        struct exec_matrix *m)
{
    switch (inst->op) {
    case LOOM_PTX_MMA:
    case LOOM_PTX_MMA_SP:
    case LOOM_PTX_MMA_SP_ORDERED:
    case LOOM_PTX_WMMA_MMA:
        op->opcode_sub = EXEC_MATRIX_MULTIPLY;
        return decode_multiply(code, inst, m);
    case LOOM_PTX_MOVMATRIX:
        op->opcode_sub = EXEC_MATRIX_TRANSPOSE;
        m->trans = true;
        m->d.type = m->a.type = LOOM_PTX_B16;
        return (inst->flags & LOOM_PTX_TRANS) != 0 &&
               set_registers(code, inst, &inst->operand[0], true, 1, &m->d) &&
               set_registers(code, inst, &inst->operand[1], false, 1, &m->a);
    case LOOM_PTX_LDMATRIX:
    case LOOM_PTX_STMATRIX:
        return decode_rows(code, inst, op, m);
    default:
        return decode_fragment(code, inst, op, m);
    }
}

/* Generic, global or shared. */
static bool decode_where(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint32_t n = loom_ptx_address_operand(inst);

    switch (inst->space) {
    case LOOM_PTX_GENERIC:
        op->space = EXEC_GENERIC;
        break;
    case LOOM_PTX_GLOBAL:
        op->space = EXEC_GLOBAL;
        break;
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
        op->space = EXEC_SHARED;
        break;
    default:
        return false;
    }
    return n != LOOM_PTX_NONE &&
           ptx_decode_address(code, &inst->operand[n], op->space, &op->s[0],
                              &op->offset, &op->s_wide);
}

bool ptx_decode_matrix(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op)
{
    struct exec_matrix *grown =
        realloc(code->matrix, (code->matrix_count + 1u) * sizeof(*grown));

    if (grown == NULL) {
        return false;
    }
    code->matrix = grown;
    grown[code->matrix_count] = (struct exec_matrix){.stride = EXEC_NONE};
    op->kind = EXEC_MATRIX;
    op->meets = EXEC_MEETS_ALL;
    op->offset2 = code->matrix_count;
    if (!decode_kind(code, inst, op, &grown[code->matrix_count++])) {
        return false;
    }
    return op->opcode_sub == EXEC_MATRIX_MULTIPLY ||
           op->opcode_sub == EXEC_MATRIX_TRANSPOSE ||
           decode_where(code, inst, op);
}

void ptx_matrix_static(const struct exec_code *code, const struct exec_op *op,
                       struct loom_static_inst *inst)
{
    if (op->kind == EXEC_MATRIX && op->opcode_sub != EXEC_MATRIX_MULTIPLY &&
        op->opcode_sub != EXEC_MATRIX_TRANSPOSE) {
        inst->bytes = code->matrix[op->offset2].chunk;
        inst->vector = 1;
    }
}

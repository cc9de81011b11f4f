/*
 * Decoding textures and surfaces.
 */
#include "workloads/ptx/exec/texture.h"

#include "workloads/ptx/decode/decode_private.h"

/* Operations and types that sured has together. */
static bool is_reduction(const struct loom_ptx_inst *inst, uint8_t type)
{
    if (inst->shape > LOOM_PTX_3D) {
        return false;
    }
    switch (inst->sub) {
    case LOOM_PTX_DO_ADD:
        return type == LOOM_PTX_U32 || type == LOOM_PTX_S32 ||
               type == LOOM_PTX_U64;
    case LOOM_PTX_DO_MIN:
    case LOOM_PTX_DO_MAX:
        return type == LOOM_PTX_U32 || type == LOOM_PTX_S32 ||
               type == LOOM_PTX_U64 || type == LOOM_PTX_S64;
    default:
        return type == LOOM_PTX_B32 &&
               (inst->sub == LOOM_PTX_DO_AND || inst->sub == LOOM_PTX_DO_OR);
    }
}

static bool decode_kind(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    switch (inst->op) {
    case LOOM_PTX_TEX:
    case LOOM_PTX_TEX_BASE:
    case LOOM_PTX_TEX_LEVEL:
    case LOOM_PTX_TEX_GRAD:
        op->opcode_sub = EXEC_FETCH;
        op->how.mode = inst->op == LOOM_PTX_TEX_BASE    ? EXEC_LEVEL_BASE
                       : inst->op == LOOM_PTX_TEX_LEVEL ? EXEC_LEVEL_GIVEN
                       : inst->op == LOOM_PTX_TEX_GRAD  ? EXEC_LEVEL_GRADIENT
                                                        : EXEC_LEVEL_ANY;
        return true;
    case LOOM_PTX_TLD4_R:
    case LOOM_PTX_TLD4_G:
    case LOOM_PTX_TLD4_B:
    case LOOM_PTX_TLD4_A:
        op->opcode_sub = EXEC_GATHER;
        op->how.mode = (uint8_t)(inst->op - LOOM_PTX_TLD4_R);
        code->why = "a gather is of a 2-D texture";
        return inst->shape == LOOM_PTX_2D || inst->shape == LOOM_PTX_A2D;
    case LOOM_PTX_SULD_B:
        op->opcode_sub = EXEC_SURFACE_LOAD;
        return true;
    case LOOM_PTX_SUST_B:
        op->opcode_sub = EXEC_SURFACE_STORE;
        return true;
    case LOOM_PTX_SUST_P:
        op->opcode_sub = EXEC_SURFACE_FORMAT;
        return true;
    case LOOM_PTX_SURED_B:
        op->opcode_sub = EXEC_SURFACE_REDUCE;
        return is_reduction(inst, inst->type[0]);
    case LOOM_PTX_SURED_P:
        op->opcode_sub = EXEC_SURFACE_REDUCE_FORMAT;
        code->why = inst->type[0] == LOOM_PTX_B64
                        ? "reduces texels of 64 bits, which are not simulated"
                        : NULL;
        return inst->type[0] == LOOM_PTX_B32 &&
               (is_reduction(inst, LOOM_PTX_B32) ||
                is_reduction(inst, LOOM_PTX_U32));
    default:
        return false;
    }
}

/* A register with a handle, or a .texref, .samplerref or .surfref. */
static bool decode_handle(struct exec_code *code,
                          const struct loom_ptx_inst *inst,
                          const struct loom_ptx_operand *operand,
                          struct exec_op *op, uint32_t *to)
{
    bool symbol = operand->kind == LOOM_PTX_OP_SYMBOL;

    if (to == &op->s[0]) {
        op->how.high = symbol;
    } else if ((op->how.high != 0) != symbol) {
        code->why = "texture and sampler are not given in the same way";
        return false;
    }
    return ptx_operand(code, inst, operand, LOOM_PTX_U64, to);
}

static uint32_t coordinates_of(uint8_t shape)
{
    switch (shape) {
    case LOOM_PTX_1D:
        return 1;
    case LOOM_PTX_2D:
    case LOOM_PTX_A1D:
        return 2;
    case LOOM_PTX_3D:
    case LOOM_PTX_A2D:
    case LOOM_PTX_CUBE:
        return 3;
    case LOOM_PTX_ACUBE:
        return 4;
    default:
        return 0;
    }
}

/* [handle, {coordinates}] or [handle, sampler, {coordinates}] */
static bool decode_place(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    uint32_t n = loom_ptx_address_operand(inst), want, count;
    const struct loom_ptx_operand *at, *where;

    if (n == LOOM_PTX_NONE || inst->operand[n].kind != LOOM_PTX_OP_TEXTURE) {
        return false;
    }
    at = &inst->operand[n];
    want = coordinates_of(inst->shape);
    where = &at->element[at->count - 1];
    count = where->kind == LOOM_PTX_OP_VECTOR ? where->count : 1;
    op->s[1] = EXEC_NONE;
    if (at->count < 2 || at->count > 3 || want == 0 || count < want ||
        !decode_handle(code, inst, &at->element[0], op, &op->s[0]) ||
        (at->count == 3 &&
         !decode_handle(code, inst, &at->element[1], op, &op->s[1]))) {
        return false;
    }
    for (uint32_t i = 0; i < want; i++) {
        const struct loom_ptx_operand *e =
            where->kind == LOOM_PTX_OP_VECTOR ? &where->element[i] : where;
        uint8_t type = e->kind == LOOM_PTX_OP_F32 ? LOOM_PTX_F32 : LOOM_PTX_B32;

        if (!ptx_operand(code, inst, e, type, &op->v[i])) {
            return false;
        }
    }
    return true;
}

/* Registers that are loaded, or values that are stored. */
static bool decode_elements(struct exec_code *code,
                            const struct loom_ptx_inst *inst,
                            const struct loom_ptx_operand *operand, bool load,
                            struct exec_op *op)
{
    bool vector = operand->kind == LOOM_PTX_OP_VECTOR;
    uint32_t count = vector ? operand->count : 1;

    if (count == 0 || count > 4 ||
        count != (inst->vector == 0 ? 1u : inst->vector)) {
        return false;
    }
    op->elements = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_ptx_operand *e =
            vector ? &operand->element[i] : operand;
        bool wide = op->bytes == 8;

        if (load && e->kind == LOOM_PTX_OP_SINK) {
            op->d[i] = EXEC_NONE;
        } else if (load || e->kind == LOOM_PTX_OP_REG) {
            if (!ptx_decode_out(code, e, load ? &op->d[i] : &op->v[4 + i],
                                &wide)) {
                return false;
            }
        } else if (!ptx_operand(code, inst, e, inst->type[0], &op->v[4 + i])) {
            return false;
        }
        if (wide != (op->bytes == 8)) {
            return false;
        }
    }
    op->d_wide = op->v_wide = op->bytes == 8 ? 255 : 0;
    return true;
}

/* Operand 2 of the values of a gradient, and 3. */
static bool decode_gradients(struct exec_code *code,
                             const struct loom_ptx_inst *inst,
                             struct exec_op *op)
{
    uint32_t n = inst->shape == LOOM_PTX_2D || inst->shape == LOOM_PTX_A2D ? 2
                 : inst->shape == LOOM_PTX_1D || inst->shape == LOOM_PTX_A1D
                     ? 1
                     : 0;

    if (n == 0) {
        op->how.mode = EXEC_LEVEL_UNKNOWN;
        return true;
    }
    for (uint32_t i = 0; i < 2 * n; i++) {
        const struct loom_ptx_operand *g = &inst->operand[2 + i / n];
        const struct loom_ptx_operand *e =
            g->kind == LOOM_PTX_OP_VECTOR && i % n < g->count
                ? &g->element[i % n]
                : g;

        if (!ptx_operand(code, inst, e, LOOM_PTX_F32, &op->v[4 + i])) {
            return false;
        }
    }
    return true;
}

/* Which level; mipmaps have real coordinates, so others need no answer. */
static bool decode_level(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    if (op->opcode_sub != EXEC_FETCH || op->how.stype != LOOM_PTX_F32) {
        return true;
    }
    if (op->how.mode == EXEC_LEVEL_GIVEN) {
        return ptx_operand(code, inst, &inst->operand[2], LOOM_PTX_F32,
                           &op->s[2]);
    }
    return op->how.mode != EXEC_LEVEL_GRADIENT ||
           decode_gradients(code, inst, op);
}

static bool decode_fetch(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool pair = (inst->flags & LOOM_PTX_PAIR) != 0;

    op->how.stype = inst->type[1];
    if (op->bytes != 4 ||
        (op->how.stype != LOOM_PTX_F32 && op->how.stype != LOOM_PTX_S32 &&
         op->how.stype != LOOM_PTX_U32)) {
        code->why = "only values and coordinates of 32 bits are supported";
        return false;
    }
    if (op->opcode_sub == EXEC_GATHER && op->how.stype != LOOM_PTX_F32) {
        return false;
    }
    code->why = NULL;
    return !pair && decode_level(code, inst, op) &&
           decode_elements(code, inst, &inst->operand[0], true, op);
}

static bool decode_surface(struct exec_code *code,
                           const struct loom_ptx_inst *inst, struct exec_op *op)
{
    bool load = op->opcode_sub == EXEC_SURFACE_LOAD;

    op->how.stype = LOOM_PTX_S32;
    op->how.mode = inst->mode;
    op->how.sub = inst->sub;
    op->how.dtype = inst->type[0];
    code->why = NULL;
    return inst->shape <= LOOM_PTX_A2D &&
           (op->opcode_sub != EXEC_SURFACE_FORMAT || op->bytes == 4) &&
           decode_elements(code, inst, &inst->operand[load ? 0 : 1], load, op);
}

static bool decode_query(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op)
{
    static const uint8_t what[] = {
        EXEC_QUERY_WIDTH,      EXEC_QUERY_HEIGHT, EXEC_QUERY_DEPTH,
        EXEC_QUERY_LAYERS,     EXEC_QUERY_TYPE,   EXEC_QUERY_ORDER,
        EXEC_QUERY_NORMALIZED, EXEC_QUERY_LEVELS, EXEC_QUERY_ONE};
    uint32_t n = inst->op >= LOOM_PTX_SUQ_WIDTH
                     ? (uint32_t)inst->op - LOOM_PTX_SUQ_WIDTH
                     : (uint32_t)inst->op - LOOM_PTX_TXQ_WIDTH;
    const struct loom_ptx_operand *at = &inst->operand[1];
    struct loom_ptx_operand from;
    bool wide = false;

    op->opcode_sub = EXEC_QUERY;
    op->how.mode = what[n];
    op->s[1] = EXEC_NONE;
    if (at->kind != LOOM_PTX_OP_ADDRESS || at->value != 0) {
        return false;
    }
    from = at->reg != LOOM_PTX_NONE ? loom_ptx_operand_reg(at->reg)
                                    : loom_ptx_operand_symbol(at->var);
    return (at->reg != LOOM_PTX_NONE || at->var != NULL) &&
           decode_handle(code, inst, &from, op, &op->s[0]) &&
           ptx_decode_out(code, &inst->operand[0], &op->d[0], &wide) && !wide;
}

bool ptx_decode_texture(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op)
{
    op->kind = EXEC_TEXTURE;
    op->how.shape = inst->shape;
    op->bytes = (uint8_t)loom_ptx_type_bytes(inst->type[0]);
    if (inst->op >= LOOM_PTX_TXQ_WIDTH && inst->op <= LOOM_PTX_SUQ_ORDER) {
        return decode_query(code, inst, op);
    }
    if (!decode_kind(code, inst, op) || op->bytes > 8 ||
        !decode_place(code, inst, op)) {
        return false;
    }
    return op->opcode_sub == EXEC_FETCH || op->opcode_sub == EXEC_GATHER
               ? decode_fetch(code, inst, op)
               : decode_surface(code, inst, op);
}

uint32_t ptx_texture_forms(const struct exec_op *op)
{
    return op->kind == EXEC_TEXTURE && (op->opcode_sub == EXEC_FETCH ||
                                        op->opcode_sub == EXEC_GATHER ||
                                        op->opcode_sub == EXEC_SURFACE_FORMAT)
               ? EXEC_TEXTURE_FORMS
               : 0;
}

void ptx_texture_static(const struct exec_op *op, struct loom_static_inst *own,
                        struct loom_static_inst *form)
{
    static const uint8_t bytes[EXEC_TEXTURE_FORMS] = {1, 2, 8, 16};

    if (op->opcode_sub != EXEC_FETCH && op->opcode_sub != EXEC_GATHER) {
        own->flags |= LOOM_INST_ANY_MASK; /* all lanes may be outside */
    }
    if (ptx_texture_forms(op) == 0) {
        return;
    }
    own->bytes = 4;
    own->vector = 1;
    for (uint32_t i = 0; i < EXEC_TEXTURE_FORMS; i++) {
        form[i] = *own;
        form[i].bytes = bytes[i];
    }
}

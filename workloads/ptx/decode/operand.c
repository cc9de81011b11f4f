/*
 * Operands of decoded instructions: registers to frame offsets, immediates
 * and addresses to constants, special registers to places in the frame.
 *
 * Constants are spread over 32 lanes when the kernel is decoded, so that a
 * lane function cannot tell them from registers.  Equal ones share a place.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/decode/decode_private.h"
#include "workloads/ptx/exec/call.h"

static uint32_t lane_bytes(bool wide)
{
    return (wide ? 8u : 4u) * LOOM_WARP_LANES;
}

bool ptx_reg_wide(const struct exec_code *code, uint32_t reg)
{
    return loom_ptx_type_bytes(code->function->reg[reg].type) == 8;
}

static bool same_constant(const struct exec_code *code, uint32_t at,
                          uint64_t value, bool wide)
{
    uint64_t there = 0;

    memcpy(&there, code->constant + at, wide ? 8 : 4);
    return there == (wide ? value : (uint32_t)value);
}

/* Constants of both widths are in one array in blocks of 256 bytes; a narrow
 * one repeats in the second half, which is harmless. */
bool ptx_constant(struct exec_code *code, uint64_t value, bool wide,
                  uint32_t *result)
{
    uint32_t word = (uint32_t)value;

    for (uint32_t at = 0; at < code->constant_bytes; at += EXEC_LANE_MAX) {
        if (same_constant(code, at, value, wide) &&
            same_constant(code, at + 8, value, wide) &&
            (wide || same_constant(code, at + 4, value, wide))) {
            *result = at | EXEC_CONSTANT;
            return true;
        }
    }
    if (code->constant_bytes == code->constant_room) {
        uint32_t room = code->constant_room * 2 + 16 * EXEC_LANE_MAX;
        unsigned char *constant = realloc(code->constant, room);

        if (constant == NULL) {
            return false;
        }
        code->constant = constant;
        code->constant_room = room;
    }
    for (uint32_t i = 0; i < EXEC_LANE_MAX; i += wide ? 8 : 4) {
        if (wide) {
            memcpy(code->constant + code->constant_bytes + i, &value, 8);
        } else {
            memcpy(code->constant + code->constant_bytes + i, &word, 4);
        }
    }
    *result = code->constant_bytes | EXEC_CONSTANT;
    code->constant_bytes += EXEC_LANE_MAX;
    return true;
}

static bool special(struct exec_code *code, uint32_t what, bool wide,
                    uint32_t *result)
{
    struct exec_special *s;

    for (uint32_t i = 0; i < code->special_count; i++) {
        s = &code->special[i];
        if (s->what == what && s->wide == wide) {
            *result = s->offset;
            return true;
        }
    }
    if (code->special_count == code->special_room) {
        uint32_t room = code->special_room * 2 + 8;

        s = realloc(code->special, room * sizeof(*s));
        if (s == NULL) {
            return false;
        }
        code->special = s;
        code->special_room = room;
    }
    s = &code->special[code->special_count++];
    *s = (struct exec_special){what, code->frame_bytes, wide};
    *result = code->frame_bytes;
    code->frame_bytes += lane_bytes(wide);
    return true;
}

bool ptx_in_frame(const struct exec_code *code, const struct loom_ptx_var *var,
                  uint64_t *offset)
{
    const struct ptx_place *place = ptx_place_of(code->analysis, var);

    /* The kernel's own activation is at 0. */
    if (code->section == 0 || (var->space != LOOM_PTX_LOCAL && place == NULL)) {
        return false;
    }
    *offset = place != NULL ? place->offset : var->offset;
    return true;
}

bool ptx_variable_at(const struct loom_ptx_module *module,
                     const loom_addr *address, const struct loom_ptx_var *var,
                     loom_addr *base)
{
    for (uint32_t i = 0; i < module->var_count; i++) {
        if (module->var[i] == var) {
            *base = address[i];
            return *base != 0;
        }
    }
    return false;
}

/* The address of a variable in its own space. */
bool ptx_symbol(const struct exec_code *code, const struct loom_ptx_var *var,
                uint64_t *address)
{
    const struct ptx_analysis *a = code->analysis;
    const struct ptx_place *place;

    switch (var->space) {
    case LOOM_PTX_GLOBAL:
    case LOOM_PTX_CONST:
        return ptx_variable_at(code->module, code->address, var, address);
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
        for (uint32_t i = 0; i < a->shared_count; i++) {
            if (a->shared[i].var == var) {
                *address = a->shared[i].offset;
                return true;
            }
        }
        return false;
    default: /* local variables and parameters */
        place = ptx_place_of(a, var);
        *address = place != NULL ? place->offset : var->offset;
        return true;
    }
}

/* The bits of an immediate operand as a value of `type`. */
static bool immediate(const struct loom_ptx_operand *operand, uint8_t type,
                      uint64_t *value)
{
    bool real = loom_ptx_type_real(type);
    uint64_t bits = (uint64_t)operand->value;
    uint32_t word = (uint32_t)bits;
    double number;
    float single;

    switch (operand->kind) {
    case LOOM_PTX_OP_IMM:
        number = (double)operand->value;
        break;
    case LOOM_PTX_OP_F32:
        memcpy(&single, &word, sizeof(single));
        number = single;
        break;
    case LOOM_PTX_OP_F64:
        memcpy(&number, &bits, sizeof(number));
        break;
    default:
        return false;
    }
    *value = bits;
    if (type == LOOM_PTX_F32 && operand->kind != LOOM_PTX_OP_F32) {
        single = (float)number;
        memcpy(&word, &single, sizeof(word));
        *value = word;
    } else if (type == LOOM_PTX_F64 && operand->kind != LOOM_PTX_OP_F64) {
        memcpy(value, &number, sizeof(*value));
    }
    return !real || type == LOOM_PTX_F32 || type == LOOM_PTX_F64;
}

uint64_t ptx_function_address(const struct loom_ptx_function *function)
{
    const struct loom_ptx_module *m = function->module;
    uint32_t number = 0;

    function = ptx_real_function(function);
    while (m->function[number] != function) {
        number++;
    }
    return EXEC_WINDOW_CODE + EXEC_CODE_STEP * (number + UINT64_C(1));
}

bool ptx_local_slot(struct exec_code *code, uint64_t offset, bool wide,
                    uint32_t *result)
{
    struct exec_slot *slot;

    for (uint32_t i = 0; i < code->slot_count; i++) {
        slot = &code->slot[i];
        if (slot->section == code->section && slot->offset == offset &&
            slot->wide == wide) {
            *result = slot->reg;
            return true;
        }
    }
    if (code->slot_count == code->slot_room) {
        uint32_t room = code->slot_room * 2 + 8;

        slot = realloc(code->slot, room * sizeof(*slot));
        if (slot == NULL) {
            return false;
        }
        code->slot = slot;
        code->slot_room = room;
    }
    slot = &code->slot[code->slot_count++];
    *slot = (struct exec_slot){code->section, code->frame_bytes, offset, wide};
    *result = slot->reg;
    code->frame_bytes += LOOM_WARP_LANES * (wide ? 8u : 4u);
    return true;
}

/* False: not an operand of this type, or no memory.  The instruction is then
 * refused as a whole. */
bool ptx_operand(struct exec_code *code, const struct loom_ptx_inst *inst,
                 const struct loom_ptx_operand *operand, uint8_t type,
                 uint32_t *result)
{
    bool wide = loom_ptx_type_bytes(type) == 8;
    uint64_t value;

    (void)inst;
    switch (operand->kind) {
    case LOOM_PTX_OP_REG:
        if (operand->negate || ptx_reg_wide(code, operand->reg) != wide ||
            code->function->reg[operand->reg].type == LOOM_PTX_PRED ||
            code->function->reg[operand->reg].type == LOOM_PTX_B128) {
            return false;
        }
        *result = code->reg[operand->reg];
        return true;
    case LOOM_PTX_OP_SPECIAL:
        return special(code, (uint32_t)operand->value, wide, result);
    case LOOM_PTX_OP_FUNCTION:
        return ptx_constant(code, ptx_function_address(operand->function), wide,
                            result);
    case LOOM_PTX_OP_SYMBOL:
        if (ptx_in_frame(code, operand->var, &value)) {
            return ptx_local_slot(code, value + (uint64_t)operand->value, wide,
                                  result);
        }
        return ptx_symbol(code, operand->var, &value) &&
               ptx_constant(code, value + (uint64_t)operand->value, wide,
                            result);
    default:
        return immediate(operand, type, &value) &&
               ptx_constant(code, value, wide, result);
    }
}

bool ptx_refuse(const struct exec_code *code, const struct loom_ptx_inst *inst,
                const char *why, struct loom_error *err)
{
    char text[160];

    loom_ptx_print_inst(code->function, inst, text, sizeof(text));
    return loom_fail(err, LOOM_ERR_WORKLOAD,
                     "%.100s:%u: kernel '%.80s': cannot execute '%s': %s",
                     code->file, inst->text_line, code->function->name, text,
                     why);
}

bool ptx_decode_pred(const struct exec_code *code,
                     const struct loom_ptx_operand *operand, uint32_t *slot,
                     bool *invert)
{
    if (operand->kind == LOOM_PTX_OP_IMM) {
        *slot = EXEC_NONE;
        *invert = operand->value == 0;
        return true;
    }
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type != LOOM_PTX_PRED) {
        return false;
    }
    *slot = code->reg[operand->reg];
    *invert = operand->negate;
    return true;
}

bool ptx_decode_pred_out(const struct exec_code *code,
                         const struct loom_ptx_operand *operand, uint32_t *slot)
{
    if (operand->kind == LOOM_PTX_OP_SINK) {
        *slot = EXEC_NONE;
        return true;
    }
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type != LOOM_PTX_PRED) {
        return false;
    }
    *slot = code->reg[operand->reg];
    return true;
}

bool ptx_decode_out(const struct exec_code *code,
                    const struct loom_ptx_operand *operand, uint32_t *offset,
                    bool *wide)
{
    if (operand->kind != LOOM_PTX_OP_REG ||
        code->function->reg[operand->reg].type == LOOM_PTX_PRED ||
        code->function->reg[operand->reg].type == LOOM_PTX_B128) {
        return false;
    }
    *offset = code->reg[operand->reg];
    *wide = ptx_reg_wide(code, operand->reg);
    return true;
}

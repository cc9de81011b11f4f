/*
 * An instruction as PTX text: opcode, modifiers, operands.
 */
#include <inttypes.h>

#include "workloads/ir/print_private.h"

static const char *word_of(char field, uint32_t value)
{
    const char of = field == 'P' ? 'p' : field == 'E' ? 'e' : field;

    for (size_t i = 0; i < loom_ptx_word_count; i++) {
        if (loom_ptx_words[i].field == of && loom_ptx_words[i].value == value) {
            return loom_ptx_words[i].word;
        }
    }
    return NULL;
}

static void put_word(struct ptx_out *out, const char *word)
{
    if (word != NULL) {
        put(out, ".");
        put(out, word);
    }
}

void ptx_put_field(struct ptx_out *out, char field, uint32_t value)
{
    put_word(out, word_of(field, value));
}

static void put_flags(struct ptx_out *out, char letter, uint32_t flags)
{
    for (size_t i = 0; i < loom_ptx_word_count; i++) {
        const struct loom_ptx_word *word = &loom_ptx_words[i];

        if (word->field == letter && (word->value & flags) != 0) {
            put_word(out, word->word);
        }
    }
}

static void put_opcode(struct ptx_out *out, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_opcode_info *info = &loom_ptx_opcodes[inst->op];
    struct loom_ptx_inst copy = *inst;
    uint32_t types = 0;

    put(out, info->name);
    for (const char *f = info->fields; *f != '\0'; f++) {
        const uint8_t *field = loom_ptx_field(&copy, *f);

        if (field == NULL) {
            put_flags(out, *f, inst->flags);
        } else if (*f == 't') {
            uint8_t type = inst->type[types++];

            if (type != LOOM_PTX_NO_TYPE) {
                put_word(out, loom_ptx_type_name((enum loom_ptx_type)type));
            }
        } else if (*field != 0) {
            ptx_put_field(out, *f, *field);
        }
    }
}

void ptx_put_reg(struct ptx_out *out, const struct loom_ptx_function *function,
                 uint32_t number)
{
    const struct loom_ptx_reg *reg = &function->reg[number];

    put(out, reg->name);
    if (reg->number != LOOM_PTX_NONE) {
        putf(out, "%" PRIu32, reg->number);
    }
}

void ptx_put_offset(struct ptx_out *out, int64_t value, bool first)
{
    if (first) {
        putf(out, "%" PRId64, value);
    } else if (value != 0) {
        putf(out, "+%" PRId64, value);
    }
}

static void put_selector(struct ptx_out *out, uint32_t select)
{
    if ((select & LOOM_PTX_SELECTED) == 0) {
        return;
    }
    put(out, (select & LOOM_PTX_SELECT_HALVES) != 0 ? ".h" : ".b");
    for (uint32_t i = select >> LOOM_PTX_SELECT_COUNT & 15; i-- > 0;) {
        putf(out, "%u", select >> (4 * i) & 15);
    }
}

static void put_operand(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand);

static void put_elements(struct ptx_out *out,
                         const struct loom_ptx_function *function,
                         const struct loom_ptx_operand *operand,
                         const char *brackets)
{
    put_bytes(out, brackets, 1);
    for (uint32_t i = 0; i < operand->count; i++) {
        put(out, i == 0 ? "" : ", ");
        put_operand(out, function, &operand->element[i]);
    }
    put_bytes(out, brackets + 1, 1);
}

static void put_address(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand)
{
    bool bare = operand->reg == LOOM_PTX_NONE && operand->var == NULL;

    put(out, "[");
    if (operand->reg != LOOM_PTX_NONE) {
        ptx_put_reg(out, function, operand->reg);
    } else if (operand->var != NULL) {
        put(out, operand->var->name);
    }
    ptx_put_offset(out, operand->value, bare);
    put(out, "]");
}

static void put_operand(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand)
{
    switch ((enum loom_ptx_operand_kind)operand->kind) {
    case LOOM_PTX_OP_NONE:
        break;
    case LOOM_PTX_OP_REG:
        put(out, operand->negate ? "!" : "");
        ptx_put_reg(out, function, operand->reg);
        put_selector(out, (uint32_t)operand->value);
        break;
    case LOOM_PTX_OP_IMM:
        ptx_put_offset(out, operand->value, true);
        break;
    case LOOM_PTX_OP_F32:
        putf(out, "0f%08" PRIX32, (uint32_t)operand->value);
        break;
    case LOOM_PTX_OP_F64:
        putf(out, "0d%016" PRIX64, (uint64_t)operand->value);
        break;
    case LOOM_PTX_OP_SYMBOL:
        put(out, operand->var->name);
        ptx_put_offset(out, operand->value, false);
        break;
    case LOOM_PTX_OP_ADDRESS:
        put_address(out, function, operand);
        break;
    case LOOM_PTX_OP_VECTOR:
        put_elements(out, function, operand, "{}");
        break;
    case LOOM_PTX_OP_LIST:
        put_elements(out, function, operand, "()");
        break;
    case LOOM_PTX_OP_TEXTURE:
        put_elements(out, function, operand, "[]");
        break;
    case LOOM_PTX_OP_SPECIAL:
        put(out, loom_ptx_special_name((enum loom_ptx_special)operand->value));
        break;
    case LOOM_PTX_OP_LABEL:
        put(out, function->label[operand->value].name);
        break;
    case LOOM_PTX_OP_FUNCTION:
        put(out, operand->function->name);
        break;
    case LOOM_PTX_OP_PROTOTYPE:
        put(out, function->prototype[operand->value].name);
        break;
    case LOOM_PTX_OP_SINK:
        put(out, "_");
        break;
    }
}

/* Empty lists of a call are left out: "call f;", "call f, (a);". */
static bool left_out(const struct loom_ptx_inst *inst, uint32_t i)
{
    return inst->op == LOOM_PTX_CALL &&
           inst->operand[i].kind == LOOM_PTX_OP_LIST &&
           inst->operand[i].count == 0 && (i == 0 || inst->operand_count == 3);
}

void ptx_put_inst(struct ptx_out *out, const struct loom_ptx_function *function,
                  const struct loom_ptx_inst *inst)
{
    const char *between = " ";

    if (inst->guard != LOOM_PTX_NONE) {
        put(out, inst->guard_negate ? "@!" : "@");
        ptx_put_reg(out, function, inst->guard);
        put(out, " ");
    }
    put_opcode(out, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (left_out(inst, i)) {
            continue;
        }
        put(out, between);
        put_operand(out, function, &inst->operand[i]);
        between = i == 0 && (inst->flags & LOOM_PTX_PAIR) != 0 ? "|" : ", ";
    }
    put(out, ";");
}

size_t loom_ptx_print_inst(const struct loom_ptx_function *function,
                           const struct loom_ptx_inst *inst, char *text,
                           size_t room)
{
    struct ptx_out out = {
        .text = text, .room = room > 0 ? room - 1 : 0, .fixed = true};

    ptx_put_inst(&out, function, inst);
    if (room > 0) {
        text[out.used < room - 1 ? out.used : room - 1] = '\0';
    }
    return out.used;
}

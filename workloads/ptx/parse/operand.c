/*
 * Operands: their syntax, which does not depend on the opcode (but for
 * textures and calls), and then whether they are what the opcode's row asks.
 *
 * The check is what lets everybody behind the parser trust that a predicate
 * stands where predicates are expected and a memory operation has an address.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

#define MAX_OPERANDS 10
#define MAX_ELEMENTS 128
#define MAX_NESTING 3

static bool parse_operand(struct ptx_parser *p, const struct loom_ptx_inst *of,
                          uint32_t depth, struct loom_ptx_operand *operand);

static bool is_pred(const struct ptx_parser *p, uint32_t reg)
{
    return p->function->reg[reg].type == LOOM_PTX_PRED;
}

static bool parse_elements(struct ptx_parser *p, const struct loom_ptx_inst *of,
                           uint32_t depth, struct loom_ptx_operand *operand)
{
    struct loom_ptx_operand element[MAX_ELEMENTS];
    const char close = ptx_is(p, '{') ? '}' : ptx_is(p, '(') ? ')' : ']';
    uint32_t count = 0;

    if (depth == MAX_NESTING) {
        return ptx_bad_instruction(p, "has brackets nested too deep");
    }
    ptx_advance(p);
    while (!ptx_is(p, close) || count > 0) {
        if (count == MAX_ELEMENTS) {
            return ptx_bad_instruction(p, "has too many operands");
        }
        if (!parse_operand(p, of, depth + 1, &element[count])) {
            return false;
        }
        count++;
        if (!ptx_take(p, ',')) {
            break;
        }
    }
    if (!ptx_expect(p, close)) {
        return false;
    }
    operand->count = (uint8_t)count;
    operand->element = loom_ptx_alloc(p->module, count * sizeof(*element));
    if (operand->element == NULL) {
        return ptx_no_memory(p);
    }
    if (count > 0) {
        memcpy(operand->element, element, count * sizeof(*element));
    }
    return true;
}

/* "+4", "-4", "+-4" */
static bool parse_offset(struct ptx_parser *p, int64_t *value)
{
    if (ptx_is(p, '-') || ptx_take(p, '+')) {
        return ptx_number(p, value);
    }
    return true;
}

static bool parse_special(struct ptx_parser *p, const struct ptx_token *word,
                          struct loom_ptx_operand *operand)
{
    size_t length = word->length;

    /* "%tid.x": the part follows without a blank. */
    if (p->token.kind == PTX_T_DIRECTIVE &&
        p->token.text == word->text + length + 1) {
        length += 1 + p->token.length;
    }
    for (uint32_t i = 1; i < LOOM_PTX_SPECIALS; i++) {
        const char *name = loom_ptx_special_name((enum loom_ptx_special)i);

        if (name != NULL && strlen(name) == length &&
            memcmp(name, word->text, length) == 0) {
            operand->kind = LOOM_PTX_OP_SPECIAL;
            operand->value = i;
            if (length > word->length) {
                ptx_advance(p);
            }
            return true;
        }
    }
    return false;
}

/* Video instructions: ".b3", ".h10" behind a register, without a blank. */
static bool parse_selector(struct ptx_parser *p, const struct ptx_token *word,
                           struct loom_ptx_operand *operand)
{
    const struct ptx_token part = p->token;
    uint32_t count = (uint32_t)part.length - 1, value;

    if (part.kind != PTX_T_DIRECTIVE ||
        part.text != word->text + word->length + 1) {
        return true;
    }
    if (part.length < 2 || count > 4 ||
        (part.text[0] != 'b' && part.text[0] != 'h')) {
        return ptx_bad_instruction(p, "has a selector that is none");
    }
    value = LOOM_PTX_SELECTED | count << LOOM_PTX_SELECT_COUNT;
    value |= part.text[0] == 'h' ? LOOM_PTX_SELECT_HALVES : 0;
    for (uint32_t i = 0; i < count; i++) {
        char digit = part.text[count - i];

        if (digit < '0' || digit > '7') {
            return ptx_bad_instruction(p, "has a selector that is none");
        }
        value |= (uint32_t)(digit - '0') << (4 * i);
    }
    operand->value = value;
    ptx_advance(p);
    return true;
}

static bool parse_name(struct ptx_parser *p, const struct loom_ptx_inst *of,
                       struct loom_ptx_operand *operand)
{
    const struct ptx_token word = p->token;
    const struct ptx_name *name;
    uint32_t label;

    ptx_advance(p);
    if (word.length == 1 && word.text[0] == '_') {
        operand->kind = LOOM_PTX_OP_SINK;
        return true;
    }
    if (of->op == LOOM_PTX_BRA) {
        operand->kind = LOOM_PTX_OP_LABEL;
        if (!ptx_find_label(p, word.text, word.length, &label)) {
            return false;
        }
        operand->value = label;
        return true;
    }
    if (ptx_find_reg(p, word.text, word.length, &operand->reg)) {
        operand->kind = LOOM_PTX_OP_REG;
        return !loom_ptx_selects(of) || parse_selector(p, &word, operand);
    }
    operand->reg = LOOM_PTX_NONE;
    name = ptx_find(p, word.text, word.length);
    if (name == NULL) {
        if (parse_special(p, &word, operand)) {
            return true;
        }
        p->token = word;
        return ptx_error(p, "unknown name '%.*s'",
                         word.length < 80 ? (int)word.length : 80, word.text);
    }
    if (name->class == PTX_NAME_FUNCTION) {
        operand->kind = LOOM_PTX_OP_FUNCTION;
        operand->function = name->function;
        return true;
    }
    if (name->class == PTX_NAME_PROTOTYPE) {
        operand->kind = LOOM_PTX_OP_PROTOTYPE;
        operand->value = name->number;
        return true;
    }
    operand->kind = LOOM_PTX_OP_SYMBOL;
    operand->var = name->var;
    return parse_offset(p, &operand->value);
}

static bool parse_address(struct ptx_parser *p, const struct loom_ptx_inst *of,
                          struct loom_ptx_operand *operand)
{
    struct loom_ptx_operand base = {.reg = LOOM_PTX_NONE};

    ptx_advance(p);
    operand->kind = LOOM_PTX_OP_ADDRESS;
    if (p->token.kind != PTX_T_WORD) {
        return ptx_number(p, &operand->value) && ptx_expect(p, ']');
    }
    if (!parse_name(p, of, &base)) {
        return false;
    }
    operand->reg = base.reg;
    operand->value = base.value;
    if (base.kind == LOOM_PTX_OP_SYMBOL) {
        operand->var = base.var;
    } else if (base.kind != LOOM_PTX_OP_REG || is_pred(p, base.reg)) {
        return ptx_bad_instruction(p, "has an address that is none");
    } else if (!parse_offset(p, &operand->value)) {
        return false;
    }
    return ptx_expect(p, ']');
}

/* Literals, in the precision that the instruction reads. */
static bool parse_literal(struct ptx_parser *p, const struct loom_ptx_inst *of,
                          struct loom_ptx_operand *operand)
{
    uint8_t type = of->type[1] != LOOM_PTX_NO_TYPE ? of->type[1] : of->type[0];
    uint64_t bits;
    double wide;
    float narrow;

    if (p->token.kind != PTX_T_F32 && p->token.kind != PTX_T_F64) {
        if (p->token.kind != PTX_T_INT && !ptx_is(p, '-') && !ptx_is(p, '~')) {
            return ptx_unexpected(p, "an operand");
        }
        operand->kind = LOOM_PTX_OP_IMM;
        return ptx_number(p, &operand->value);
    }
    bits = p->token.value;
    operand->kind =
        p->token.kind == PTX_T_F32 ? LOOM_PTX_OP_F32 : LOOM_PTX_OP_F64;
    if (p->token.kind == PTX_T_F64 && type == LOOM_PTX_F32) {
        memcpy(&wide, &bits, sizeof(wide));
        narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof(narrow));
        operand->kind = LOOM_PTX_OP_F32;
    } else if (p->token.kind == PTX_T_F32 && type == LOOM_PTX_F64) {
        memcpy(&narrow, &bits, sizeof(narrow));
        wide = (double)narrow;
        memcpy(&bits, &wide, sizeof(wide));
        operand->kind = LOOM_PTX_OP_F64;
    }
    memcpy(&operand->value, &bits, sizeof(bits));
    ptx_advance(p);
    return true;
}

/* "[map, {x, y}]": textures always, other copies where there is a comma. */
static bool has_places(const struct ptx_parser *p,
                       const struct loom_ptx_inst *of)
{
    const char *at = p->at;

    if (of->op != LOOM_PTX_CP_TENSOR && of->op != LOOM_PTX_CP_REDUCE_TENSOR &&
        of->op != LOOM_PTX_CP_TENSOR_PREFETCH) {
        return loom_ptx_opcodes[of->op].group == LOOM_PTX_G_TEXTURE;
    }
    while (at < p->end && *at != ']' && *at != ',' && *at != ';') {
        at++;
    }
    return at < p->end && *at == ',';
}

static bool parse_operand(struct ptx_parser *p, const struct loom_ptx_inst *of,
                          uint32_t depth, struct loom_ptx_operand *operand)
{
    *operand = (struct loom_ptx_operand){.reg = LOOM_PTX_NONE};
    if (ptx_is(p, '{')) {
        operand->kind = LOOM_PTX_OP_VECTOR;
        return parse_elements(p, of, depth, operand);
    }
    if (ptx_is(p, '(') && of->op == LOOM_PTX_CALL) {
        operand->kind = LOOM_PTX_OP_LIST;
        return parse_elements(p, of, depth, operand);
    }
    if (ptx_is(p, '[')) {
        if (has_places(p, of)) {
            operand->kind = LOOM_PTX_OP_TEXTURE;
            return parse_elements(p, of, depth, operand);
        }
        return parse_address(p, of, operand);
    }
    if (ptx_take(p, '!')) {
        operand->negate = true;
        if (p->token.kind != PTX_T_WORD || !parse_name(p, of, operand)) {
            return ptx_unexpected(p, "a predicate register");
        }
        return operand->kind == LOOM_PTX_OP_REG ||
               ptx_bad_instruction(p, "negates what is no predicate");
    }
    if (p->token.kind == PTX_T_WORD) {
        return parse_name(p, of, operand);
    }
    return parse_literal(p, of, operand);
}

static struct loom_ptx_operand empty_list(void)
{
    return (struct loom_ptx_operand){.kind = LOOM_PTX_OP_LIST,
                                     .reg = LOOM_PTX_NONE};
}

/* A call always has results, function, arguments and maybe a prototype. */
static bool complete_call(struct ptx_parser *p, struct loom_ptx_operand *op,
                          uint32_t *count)
{
    if (*count == 0 || *count > 4) {
        return ptx_bad_instruction(p, "has wrong operands");
    }
    if (op[0].kind != LOOM_PTX_OP_LIST) {
        memmove(op + 1, op, *count * sizeof(*op));
        op[0] = empty_list();
        ++*count;
    }
    if (*count < 2) {
        return ptx_bad_instruction(p, "has wrong operands");
    }
    if (*count == 2 || op[2].kind != LOOM_PTX_OP_LIST) {
        memmove(op + 3, op + 2, (*count - 2) * sizeof(*op));
        op[2] = empty_list();
        ++*count;
    }
    return true;
}

bool ptx_parse_operands(struct ptx_parser *p, struct loom_ptx_inst *inst)
{
    struct loom_ptx_operand operand[MAX_OPERANDS + 2];
    uint32_t count = 0;

    if (loom_ptx_opcodes[inst->op].operands[0] == '\0') {
        return ptx_expect(p, ';');
    }
    while (!ptx_is(p, ';') || count > 0) {
        if (count == MAX_OPERANDS) {
            return ptx_bad_instruction(p, "has too many operands");
        }
        if (!parse_operand(p, inst, 0, &operand[count])) {
            return false;
        }
        count++;
        if (count == 1 && ptx_take(p, '|')) {
            inst->flags |= LOOM_PTX_PAIR;
        } else if (!ptx_take(p, ',')) {
            break;
        }
    }
    if (inst->op == LOOM_PTX_CALL && !complete_call(p, operand, &count)) {
        return false;
    }
    inst->operand = loom_ptx_alloc(p->module, count * sizeof(*operand));
    if (inst->operand == NULL) {
        return ptx_no_memory(p);
    }
    inst->operand_count = (uint8_t)count;
    if (count > 0) {
        memcpy(inst->operand, operand, count * sizeof(*operand));
    }
    return ptx_expect(p, ';');
}

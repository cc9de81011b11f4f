/*
 * The body of a function: declarations, labels, nested scopes and
 * instructions, in any order.
 *
 * Scopes are flattened: what an inner one declares gets a name of its own.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

#define MAX_DEPTH 64
#define MAX_REGS (1u << 22) /* far above any compiler's; bounds memory */

static bool add_range(struct ptx_parser *p, const struct ptx_token *token,
                      uint8_t type)
{
    struct ptx_name name = {.text = token->text,
                            .length = (uint32_t)token->length,
                            .class = PTX_NAME_RANGE,
                            .number = p->function->reg_count};
    uint64_t count;
    const char *text = ptx_unique(p, token->text, token->length);

    if (text == NULL) {
        return ptx_no_memory(p);
    }
    if (!ptx_count(p, MAX_REGS, &count) || !ptx_expect(p, '>')) {
        return false;
    }
    if (p->function->reg_count + count > MAX_REGS) {
        return ptx_error(p, "'%.80s' has more than %u registers",
                         p->function->name, MAX_REGS);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (loom_ptx_reg_add(p->function, (enum loom_ptx_type)type, text, i) ==
            LOOM_PTX_NONE) {
            return ptx_no_memory(p);
        }
    }
    name.count = (uint32_t)count;
    return ptx_declare(p, &name);
}

static bool add_register(struct ptx_parser *p, uint8_t type)
{
    struct ptx_token token = p->token;
    struct ptx_name name = {.text = token.text,
                            .length = (uint32_t)token.length,
                            .class = PTX_NAME_REG};
    const char *text;

    if (token.kind != PTX_T_WORD) {
        return ptx_unexpected(p, "a register");
    }
    ptx_advance(p);
    if (ptx_take(p, '<')) {
        return add_range(p, &token, type);
    }
    text = ptx_unique(p, token.text, token.length);
    if (text == NULL) {
        return ptx_no_memory(p);
    }
    name.number = loom_ptx_reg_add(p->function, (enum loom_ptx_type)type, text,
                                   LOOM_PTX_NONE);
    if (name.number == LOOM_PTX_NONE) {
        return ptx_no_memory(p);
    }
    return ptx_declare(p, &name);
}

static bool parse_registers(struct ptx_parser *p)
{
    uint8_t type = 0;

    if (ptx_is_directive(p, "v2") || ptx_is_directive(p, "v4")) {
        return ptx_error(p, "vector registers are not supported");
    }
    if (!ptx_parse_type(p, &type)) {
        return false;
    }
    do {
        if (!add_register(p, type)) {
            return false;
        }
    } while (ptx_take(p, ','));
    return ptx_expect(p, ';');
}

/* name : .callprototype text ; or .calltargets */
static bool parse_prototype(struct ptx_parser *p, const struct ptx_token *token,
                            enum loom_ptx_list kind)
{
    struct ptx_name name = {.text = token->text,
                            .length = (uint32_t)token->length,
                            .class = PTX_NAME_PROTOTYPE};
    const char *start = p->token.text - (p->token.kind == PTX_T_DIRECTIVE);
    const char *end = start;
    const char *text;
    const char *own;

    while (!ptx_is(p, ';')) {
        if (p->token.kind == PTX_T_END || p->token.kind == PTX_T_BAD) {
            return ptx_unexpected(p, "';'");
        }
        end = p->at;
        ptx_advance(p);
    }
    if (memchr(start, '\0', (size_t)(end - start)) != NULL) {
        return ptx_error(p, "a prototype holds a zero byte");
    }
    text = loom_ptx_text(p->module, start, (size_t)(end - start));
    own = ptx_unique(p, token->text, token->length);
    if (text == NULL || own == NULL) {
        return ptx_no_memory(p);
    }
    name.number = loom_ptx_prototype_add(p->function, own, text);
    if (name.number == LOOM_PTX_NONE) {
        return ptx_no_memory(p);
    }
    p->function->prototype[name.number].kind = (uint8_t)kind;
    return ptx_declare(p, &name) && ptx_expect(p, ';');
}

/* Commas up to the end of the directive, plus one. */
static uint32_t count_labels(const struct ptx_parser *p)
{
    struct ptx_parser look = *p;
    uint32_t count = 1;

    while (!ptx_is(&look, ';') && look.token.kind != PTX_T_END) {
        count += ptx_is(&look, ',');
        ptx_advance(&look);
    }
    return count;
}

/* name : .branchtargets label, label ... ; */
static bool parse_targets(struct ptx_parser *p, const struct ptx_token *token)
{
    struct ptx_name name = {.text = token->text,
                            .length = (uint32_t)token->length,
                            .class = PTX_NAME_PROTOTYPE};
    uint32_t room = count_labels(p), count = 0;
    uint32_t *label = loom_ptx_alloc(p->module, room * sizeof(*label));
    const char *own = ptx_unique(p, token->text, token->length);

    if (label == NULL || own == NULL) {
        return ptx_no_memory(p);
    }
    do {
        if (p->token.kind != PTX_T_WORD || count == room) {
            return ptx_unexpected(p, "a label");
        }
        if (!ptx_find_label(p, p->token.text, p->token.length,
                            &label[count++])) {
            return false;
        }
        ptx_advance(p);
    } while (ptx_take(p, ','));
    name.number = loom_ptx_targets_add(p->function, own, label, count);
    if (name.number == LOOM_PTX_NONE) {
        return ptx_no_memory(p);
    }
    return ptx_declare(p, &name) && ptx_expect(p, ';');
}

static bool parse_label(struct ptx_parser *p, const struct ptx_token *token)
{
    uint32_t label;

    if (ptx_take_directive(p, "callprototype")) {
        return parse_prototype(p, token, LOOM_PTX_CALLPROTOTYPE);
    }
    if (ptx_take_directive(p, "calltargets")) {
        return parse_prototype(p, token, LOOM_PTX_CALLTARGETS);
    }
    if (ptx_take_directive(p, "branchtargets")) {
        return parse_targets(p, token);
    }
    if (!ptx_find_label(p, token->text, token->length, &label)) {
        return false;
    }
    if (p->function->label[label].target != LOOM_PTX_NONE) {
        return ptx_error(p, "label '%.80s' is defined twice",
                         p->function->label[label].name);
    }
    p->function->label[label].target = p->function->inst_count;
    return true;
}

static bool parse_directive(struct ptx_parser *p)
{
    uint8_t space = ptx_space_of(&p->token);

    if (space != 0) {
        ptx_advance(p);
        return ptx_parse_vars(p, space, 0);
    }
    if (ptx_take_directive(p, "reg")) {
        return parse_registers(p);
    }
    if (ptx_take_directive(p, "loc")) {
        return ptx_parse_loc(p);
    }
    if (ptx_take_directive(p, "file")) {
        return ptx_parse_file(p);
    }
    if (ptx_take_directive(p, "pragma")) {
        return ptx_parse_pragma(p, p->function, p->function->inst_count);
    }
    if (ptx_is_directive(p, "section")) {
        while (p->token.kind != PTX_T_END && !ptx_is(p, '{')) {
            ptx_advance(p);
        }
        return ptx_skip_block(p);
    }
    return ptx_unexpected(p, "a declaration or an instruction");
}

static bool parse_guard(struct ptx_parser *p)
{
    bool negate = ptx_take(p, '!');
    uint32_t guard;

    if (p->token.kind != PTX_T_WORD ||
        !ptx_find_reg(p, p->token.text, p->token.length, &guard) ||
        p->function->reg[guard].type != LOOM_PTX_PRED) {
        return ptx_unexpected(p, "a predicate register");
    }
    ptx_advance(p);
    return ptx_parse_inst(p, guard, negate);
}

/* A label or an instruction. */
static bool parse_word(struct ptx_parser *p)
{
    struct ptx_token token = p->token;
    const char *look = p->at;

    while (look < p->end && (*look == ' ' || *look == '\t')) {
        look++;
    }
    if (look < p->end && *look == ':') {
        ptx_advance(p);
        ptx_advance(p);
        return parse_label(p, &token);
    }
    return ptx_parse_inst(p, LOOM_PTX_NONE, false);
}

static bool parse_statement(struct ptx_parser *p)
{
    p->statement = p->token.text;
    p->statement_line = p->token.line;
    switch (p->token.kind) {
    case PTX_T_WORD:
        return parse_word(p);
    case PTX_T_DIRECTIVE:
        return parse_directive(p);
    case PTX_T_PUNCT:
        if (ptx_take(p, ';')) {
            return true;
        }
        if (ptx_take(p, '@')) {
            return parse_guard(p);
        }
        break;
    case PTX_T_END:
    case PTX_T_INT:
    case PTX_T_F32:
    case PTX_T_F64:
    case PTX_T_STRING:
    case PTX_T_BAD:
        break;
    }
    return ptx_unexpected(p, "an instruction");
}

bool ptx_parse_body(struct ptx_parser *p)
{
    const uint32_t outside = p->names.depth;

    while (!(p->names.depth == outside && ptx_is(p, '}'))) {
        if (ptx_take(p, '{')) {
            if (p->names.depth - outside == MAX_DEPTH) {
                return ptx_error(p, "scopes are nested more than %d deep",
                                 MAX_DEPTH);
            }
            ptx_enter(p);
        } else if (ptx_take(p, '}')) {
            if (!ptx_leave(p)) {
                return false;
            }
        } else if (!parse_statement(p)) {
            return false;
        }
    }
    if (!ptx_settle_labels(p) || !ptx_leave(p)) {
        return false;
    }
    ptx_advance(p);
    return true;
}

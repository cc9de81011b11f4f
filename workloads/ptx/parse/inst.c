/*
 * Instructions: the dotted name and the check against the opcode's row.
 *
 * A dotted name is decoded once and remembered as a template, for programs
 * have few different ones: the rest is a hash look-up and a copy.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

struct ptx_cached {
    struct ptx_cached *next;
    const char *text; /* in the source */
    size_t length;
    uint32_t hash;
    struct loom_ptx_inst inst;
};

void ptx_cache_free(struct ptx_parser *p)
{
    for (uint32_t i = 0; i < PTX_CACHE_BUCKETS; i++) {
        while (p->cache[i] != NULL) {
            struct ptx_cached *next = p->cache[i]->next;

            free(p->cache[i]);
            p->cache[i] = next;
        }
    }
}

/* The row whose name is the longest beginning of text, at whole words. */
static bool find_opcode(const char *text, size_t length, uint16_t *op,
                        size_t *used)
{
    *used = 0;
    for (uint32_t i = 0; i < LOOM_PTX_OPCODES; i++) {
        size_t n = strlen(loom_ptx_opcodes[i].name);

        if (n <= length && n > *used &&
            memcmp(loom_ptx_opcodes[i].name, text, n) == 0 &&
            (n == length || text[n] == '.')) {
            *used = n;
            *op = (uint16_t)i;
        }
    }
    return *used > 0;
}

static bool set_layout(struct loom_ptx_inst *inst, uint32_t value)
{
    if (inst->layout == 0) {
        inst->layout = (uint8_t)value;
        return true;
    }
    if (inst->layout > LOOM_PTX_COL || value > LOOM_PTX_COL) {
        return false;
    }
    inst->layout =
        (uint8_t)(LOOM_PTX_ROW_ROW + (inst->layout - 1u) * 2u + (value - 1u));
    return true;
}

static bool set_type(struct loom_ptx_inst *inst, uint32_t value, uint32_t max)
{
    for (uint32_t i = 0; i < max; i++) {
        if (inst->type[i] == LOOM_PTX_NO_TYPE) {
            inst->type[i] = (uint8_t)value;
            return true;
        }
    }
    return false;
}

static uint32_t count_of(const char *text, char c)
{
    uint32_t n = 0;

    for (; *text != '\0'; text++) {
        n += *text == c;
    }
    return n;
}

/* Stores `word` under `letter`; false if its place is taken. */
static bool set_word(struct loom_ptx_inst *inst,
                     const struct loom_ptx_word *word, const char *fields)
{
    uint8_t *field = loom_ptx_field(inst, word->field);

    if (field == NULL) {
        bool fresh = (inst->flags & word->value) == 0;

        inst->flags |= word->value;
        return fresh;
    }
    if (word->field == 't') {
        return set_type(inst, word->value, count_of(fields, 't'));
    }
    if (word->field == 'l') {
        return set_layout(inst, word->value);
    }
    if (word->field == 'p' && *field != 0 && strchr(fields, 'P') != NULL) {
        field = &inst->space2;
    }
    if (word->field == 'e' && *field != 0 && strchr(fields, 'E') != NULL) {
        field = &inst->evict2;
    }
    if (*field != 0) {
        return false;
    }
    *field = (uint8_t)word->value;
    return true;
}

static bool add_word(struct loom_ptx_inst *inst, const char *text,
                     size_t length)
{
    const char *fields = loom_ptx_opcodes[inst->op].fields;

    for (size_t i = 0; i < loom_ptx_word_count; i++) {
        const struct loom_ptx_word *word = &loom_ptx_words[i];

        if (strchr(fields, word->field) != NULL &&
            strlen(word->word) == length &&
            memcmp(word->word, text, length) == 0) {
            return set_word(inst, word, fields);
        }
    }
    return false;
}

static size_t word_length(const char *text, size_t length)
{
    /* Modifiers that are two words. */
    static const char *const pairs[] = {"xorsign.abs",     "and.popc",
                                        "xor.popc",        "mmio.relaxed",
                                        "b8x16.b6x16_p32", "b8x16.b4x16_p64"};
    size_t n = 0;

    while (n < length && text[n] != '.') {
        n++;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(pairs); i++) {
        size_t pair = strlen(pairs[i]);

        if (length >= pair && memcmp(text, pairs[i], pair) == 0) {
            n = pair;
        }
    }
    return n;
}

/* Opcodes for which something that others may leave out is a must. */
static bool complete(const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_opcode_info *info = &loom_ptx_opcodes[inst->op];
    bool real = loom_ptx_type_real((enum loom_ptx_type)inst->type[0]);
    uint32_t types = count_of(info->fields, 't');

    if (info->group == LOOM_PTX_G_TENSOR) {
        types = 1;
    } else if (inst->op == LOOM_PTX_CVT_PACK) {
        types = 2;
    }
    for (uint32_t i = 0; i < types; i++) {
        if (inst->type[i] == LOOM_PTX_NO_TYPE) {
            return false;
        }
    }
    if (strchr(info->fields, 'C') != NULL && inst->compare == 0) {
        return false;
    }
    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_ATOM:
    case LOOM_PTX_RED:
    case LOOM_PTX_SHFL:
    case LOOM_PTX_VOTE:
    case LOOM_PTX_MATCH:
    case LOOM_PTX_REDUX:
    case LOOM_PTX_BAR_RED:
    case LOOM_PTX_BARRIER_RED:
        return inst->sub != 0;
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
    case LOOM_PTX_MUL24:
    case LOOM_PTX_MAD24:
    case LOOM_PTX_MADC:
        return real || inst->half != 0;
    case LOOM_PTX_CVTA:
    case LOOM_PTX_ISSPACEP:
        return inst->space != LOOM_PTX_GENERIC;
    case LOOM_PTX_SHF_L:
    case LOOM_PTX_SHF_R:
    case LOOM_PTX_TESTP:
        return inst->mode != 0;
    default:
        return true;
    }
}

/* Text of a dotted name to a template. */
static bool decode(struct ptx_parser *p, const char *text, size_t length,
                   struct loom_ptx_inst *inst)
{
    const char *why = ptx_absent(text, length);
    size_t used;

    *inst = (struct loom_ptx_inst){.guard = LOOM_PTX_NONE};
    if (why != NULL) {
        return ptx_bad_instruction(p, why);
    }
    if (!find_opcode(text, length, &inst->op, &used)) {
        return ptx_bad_instruction(p, "is not supported");
    }
    while (used < length) {
        size_t n = word_length(text + used + 1, length - used - 1);

        if (!add_word(inst, text + used + 1, n)) {
            why = ptx_foreign(text + used + 1, n);
            return ptx_bad_instruction(p, why != NULL
                                              ? why
                                              : "has a modifier that is not "
                                                "supported");
        }
        used += 1 + n;
    }
    return complete(inst) ||
           ptx_bad_instruction(p, "lacks a modifier that it needs");
}

static bool look_up(struct ptx_parser *p, const char *text, size_t length,
                    struct loom_ptx_inst *inst)
{
    uint32_t hash = ptx_hash(text, length);
    struct ptx_cached **head = &p->cache[hash % PTX_CACHE_BUCKETS];
    struct ptx_cached *made;

    for (made = *head; made != NULL; made = made->next) {
        if (made->hash == hash && made->length == length &&
            memcmp(made->text, text, length) == 0) {
            *inst = made->inst;
            return true;
        }
    }
    if (!decode(p, text, length, inst)) {
        return false;
    }
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return ptx_no_memory(p);
    }
    *made = (struct ptx_cached){.next = *head,
                                .text = text,
                                .length = length,
                                .hash = hash,
                                .inst = *inst};
    *head = made;
    return true;
}

/* The dotted name from the current word on: directives that follow without
 * a blank belong to it. */
static size_t take_name(struct ptx_parser *p)
{
    const char *start = p->token.text;
    const char *end = p->at;

    ptx_advance(p);
    while (p->token.kind == PTX_T_DIRECTIVE && p->token.text == end + 1) {
        end = p->at;
        ptx_advance(p);
    }
    return (size_t)(end - start);
}

bool ptx_parse_inst(struct ptx_parser *p, uint32_t guard, bool negate)
{
    const char *text = p->token.text;
    struct loom_ptx_inst inst;
    struct loom_ptx_inst *place;

    if (p->token.kind != PTX_T_WORD) {
        return ptx_unexpected(p, "an instruction");
    }
    if (!look_up(p, text, take_name(p), &inst)) {
        return false;
    }
    inst.guard = guard;
    inst.guard_negate = negate;
    inst.text_line = p->statement_line;
    inst.line = p->source_line;
    inst.file = p->file;
    if (!ptx_parse_operands(p, &inst) || !ptx_check_inst(p, &inst)) {
        return false;
    }
    place = loom_ptx_append(p->function);
    if (place == NULL) {
        return ptx_no_memory(p);
    }
    *place = inst;
    return true;
}

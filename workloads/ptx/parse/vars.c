/*
 * Declarations: variables of all spaces with their initialisers, parameters
 * and types.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

#define MAX_ALIGN 1024u
#define MAX_DIMS 8u
#define MAX_BYTES (UINT64_C(1) << 40)
/* An initialised variable is in memory as it is. */
#define MAX_INIT_BYTES (UINT64_C(1) << 28)
#define MAX_PARAM_BYTES 65536u

static bool same(const struct ptx_token *token, const char *word)
{
    return token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

uint8_t ptx_space_of(const struct ptx_token *token)
{
    static const struct {
        const char *word;
        uint8_t space;
    } spaces[] = {
        {"global", LOOM_PTX_GLOBAL}, {"shared", LOOM_PTX_SHARED},
        {"local", LOOM_PTX_LOCAL},   {"const", LOOM_PTX_CONST},
        {"param", LOOM_PTX_PARAM},   {"shared::cta", LOOM_PTX_SHARED},
    };

    if (token->kind != PTX_T_DIRECTIVE) {
        return 0;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(spaces); i++) {
        if (same(token, spaces[i].word)) {
            return spaces[i].space;
        }
    }
    return 0;
}

bool ptx_parse_type(struct ptx_parser *p, uint8_t *type)
{
    for (uint32_t i = 1; p->token.kind == PTX_T_DIRECTIVE && i < LOOM_PTX_TYPES;
         i++) {
        if (same(&p->token, loom_ptx_type_name((enum loom_ptx_type)i))) {
            *type = (uint8_t)i;
            ptx_advance(p);
            return true;
        }
    }
    return ptx_unexpected(p, "a type");
}

static bool parse_align(struct ptx_parser *p, uint32_t *align)
{
    uint64_t value;

    if (!ptx_count(p, MAX_ALIGN, &value)) {
        return false;
    }
    if (!loom_is_power_of_2(value)) {
        return ptx_error(p, ".align is %u, expected a power of two",
                         (unsigned)value);
    }
    *align = (uint32_t)value;
    return true;
}

/* .ptr [.space] [.align n], behind a parameter's type */
static bool parse_pointer(struct ptx_parser *p, struct loom_ptx_var *var)
{
    var->pointer = true;
    var->ptr_space = ptx_space_of(&p->token);
    if (var->ptr_space != 0) {
        ptx_advance(p);
    }
    return !ptx_take_directive(p, "align") || parse_align(p, &var->ptr_align);
}

/* Everything in front of the name, in any order. */
static bool parse_kind(struct ptx_parser *p, struct loom_ptx_var *var)
{
    bool typed = false;

    while (p->token.kind == PTX_T_DIRECTIVE) {
        bool ok = true;

        if (ptx_take_directive(p, "align")) {
            ok = parse_align(p, &var->align);
        } else if (ptx_take_directive(p, "v2")) {
            var->vector = 2;
        } else if (ptx_take_directive(p, "v4")) {
            var->vector = 4;
        } else if (ptx_take_directive(p, "ptr")) {
            ok = parse_pointer(p, var);
        } else if (ptx_take_directive(p, "attribute")) {
            ok = ptx_expect(p, '(');
            while (ok && !ptx_is(p, ')') && p->token.kind != PTX_T_END) {
                ptx_advance(p);
            }
            ok = ok && ptx_expect(p, ')');
        } else {
            ok = ptx_parse_type(p, &var->type);
            typed = true;
        }
        if (!ok) {
            return false;
        }
    }
    if (typed && var->type == LOOM_PTX_PRED) {
        return ptx_error(p, "a variable is .pred, expected another type");
    }
    return typed || ptx_unexpected(p, "a type");
}

static bool parse_dims(struct ptx_parser *p, struct loom_ptx_var *var,
                       uint64_t *dims, uint32_t *dim_count)
{
    uint64_t limit = MAX_BYTES;

    var->count = 1;
    while (ptx_take(p, '[')) {
        uint64_t n = 0;

        if (*dim_count == MAX_DIMS) {
            return ptx_error(p, "an array has more than %u dimensions",
                             MAX_DIMS);
        }
        if (!ptx_is(p, ']') && !ptx_count(p, limit, &n)) {
            return false;
        }
        if (!ptx_expect(p, ']')) {
            return false;
        }
        if (n == 0 && *dim_count > 0) {
            return ptx_error(p, "only an array's first size may be left out");
        }
        limit = n > 1 ? limit / n : limit;
        dims[(*dim_count)++] = n;
        var->count *= n;
        var->array = true;
    }
    for (uint32_t i = 1; i < *dim_count && dims[0] == 0; i++) {
        limit = limit / dims[i];
    }
    return limit > 0 || ptx_error(p, "an array is too large");
}

static bool declare_var(struct ptx_parser *p, const struct ptx_token *token,
                        struct loom_ptx_var *var)
{
    struct ptx_name name = {.text = token->text,
                            .length = (uint32_t)token->length,
                            .class = PTX_NAME_VAR,
                            .var = var};

    return ptx_declare(p, &name);
}

static bool name_var(struct ptx_parser *p, struct loom_ptx_var *var,
                     struct ptx_token *token)
{
    *token = p->token;
    if (token->kind != PTX_T_WORD) {
        return ptx_unexpected(p, "a name");
    }
    var->name = p->names.depth == 0
                    ? ptx_unit_name(p, token->text, token->length, var->linkage)
                    : ptx_unique(p, token->text, token->length);
    ptx_advance(p);
    return var->name != NULL || ptx_no_memory(p);
}

/* Allocates the initialiser's bytes; an array without size gets the number
 * of elements that the text has, found by counting commas. */
static bool open_init(struct ptx_parser *p, struct loom_ptx_var *var)
{
    if (var->bytes > MAX_INIT_BYTES) {
        return ptx_error(p,
                         "'%.80s' has an initialiser and %llu bytes, "
                         "expected at most %llu",
                         var->name, (unsigned long long)var->bytes,
                         (unsigned long long)MAX_INIT_BYTES);
    }
    var->init = loom_ptx_alloc(p->module, (size_t)var->bytes + 8);
    return var->init != NULL || ptx_no_memory(p);
}

/* Elements up to the closing bracket, when the size is left out. */
static uint64_t count_elements(const struct ptx_parser *p)
{
    struct ptx_parser look = *p;
    uint64_t commas = 0;
    uint32_t depth = 0;

    do {
        depth += ptx_is(&look, '{');
        depth -= ptx_is(&look, '}');
        commas += ptx_is(&look, ',');
        ptx_advance(&look);
    } while (depth > 0 && look.token.kind != PTX_T_END);
    return commas + 1;
}

static bool parse_var(struct ptx_parser *p, struct loom_ptx_var spec)
{
    uint64_t dims[MAX_DIMS] = {0};
    uint32_t dim_count = 0;
    struct loom_ptx_var *var;
    struct ptx_token token;
    bool filled;

    if (!name_var(p, &spec, &token) ||
        !parse_dims(p, &spec, dims, &dim_count)) {
        return false;
    }
    filled = ptx_take(p, '=');
    if (filled && spec.array && spec.count == 0 && ptx_is(p, '{')) {
        uint64_t row = 1;

        for (uint32_t i = 1; i < dim_count; i++) {
            row *= dims[i];
        }
        dims[0] = (count_elements(p) + row - 1) / row;
        spec.count = dims[0] * row;
    }
    if (!ptx_unit_var(p, &token, &spec, &var)) {
        return false;
    }
    if (var == NULL) {
        var = loom_ptx_var_add(p->module, p->function, &spec);
        if (var == NULL) {
            return ptx_error(p, "'%.80s' does not fit into memory", spec.name);
        }
        if (!declare_var(p, &token, var)) {
            return false;
        }
    }
    return !filled ||
           (open_init(p, var) && ptx_parse_init(p, var, dims, dim_count));
}

bool ptx_parse_vars(struct ptx_parser *p, uint8_t space, uint8_t linkage)
{
    struct loom_ptx_var spec = {.space = space, .linkage = linkage};

    /* .const[n]: banks of PTX 1 and 2 are all one. */
    if (ptx_take(p, '[')) {
        ptx_advance(p);
        if (!ptx_expect(p, ']')) {
            return false;
        }
    }
    if (!parse_kind(p, &spec)) {
        return false;
    }
    do {
        if (!parse_var(p, spec)) {
            return false;
        }
    } while (ptx_take(p, ','));
    return ptx_expect(p, ';');
}

static bool parse_param(struct ptx_parser *p, bool results)
{
    struct loom_ptx_var spec = {.space = LOOM_PTX_PARAM};
    uint64_t dims[MAX_DIMS] = {0};
    uint32_t dim_count = 0;
    struct loom_ptx_var *var;
    struct ptx_token token;

    if (ptx_is_directive(p, "reg")) {
        return ptx_error(p, "parameters in .reg, which compilers wrote before "
                            "sm_20, are not supported, expected .param");
    }
    if (!ptx_take_directive(p, "param")) {
        return ptx_unexpected(p, "'.param'");
    }
    if (!parse_kind(p, &spec) || !name_var(p, &spec, &token) ||
        !parse_dims(p, &spec, dims, &dim_count)) {
        return false;
    }
    if (spec.count > MAX_PARAM_BYTES) {
        return ptx_error(p,
                         "parameter '%.80s' has %llu elements, expected at "
                         "most %u",
                         spec.name, (unsigned long long)spec.count,
                         MAX_PARAM_BYTES);
    }
    var = loom_ptx_param_add(p->function, &spec, results);
    if (var == NULL) {
        return ptx_no_memory(p);
    }
    /* In a prototype names may be "_" or repeat. */
    return same(&token, "_") || declare_var(p, &token, var);
}

bool ptx_parse_params(struct ptx_parser *p, bool results)
{
    if (!ptx_expect(p, '(')) {
        return false;
    }
    if (ptx_take(p, ')')) {
        return true;
    }
    do {
        if (!parse_param(p, results)) {
            return false;
        }
    } while (ptx_take(p, ','));
    return ptx_expect(p, ')');
}

/*
 * PTX text to a module: the module's level, that is directives and the
 * heads of functions.  A text may hold several translation units, one after
 * the other, which are linked (unit.c).
 *
 * Debug sections, pragmas and the like are skipped; what would change the
 * program and is not understood is an error.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

/* Of several units the newest version is the module's. */
static bool parse_version(struct ptx_parser *p)
{
    /* "9.0" reads as a double; its digits are what counts. */
    const char *at = p->token.text;
    const char *end = at + p->token.length;
    uint32_t part[2] = {0, 0};
    uint32_t which = 0;

    if (p->token.kind != PTX_T_F64) {
        return ptx_unexpected(p, "a version");
    }
    for (; at < end; at++) {
        if (*at == '.') {
            which = 1;
        } else if (*at >= '0' && *at <= '9' && part[which] < 1000) {
            part[which] = part[which] * 10 + (uint32_t)(*at - '0');
        }
    }
    if (p->unit == 0 || part[0] > p->module->major ||
        (part[0] == p->module->major && part[1] > p->module->minor)) {
        p->module->major = part[0];
        p->module->minor = part[1];
    }
    ptx_advance(p);
    return true;
}

static bool parse_target(struct ptx_parser *p)
{
    const char *start = p->token.text;
    const char *end = start;

    do {
        if (p->token.kind != PTX_T_WORD) {
            return ptx_unexpected(p, "a target");
        }
        end = p->token.text + p->token.length;
        ptx_advance(p);
    } while (ptx_take(p, ','));
    p->module->target = loom_ptx_text(p->module, start, (size_t)(end - start));
    return p->module->target != NULL || ptx_no_memory(p);
}

static bool parse_address_size(struct ptx_parser *p)
{
    uint64_t bits;

    if (!ptx_count(p, 64, &bits)) {
        return false;
    }
    if (bits != 32 && bits != 64) {
        return ptx_error(p, ".address_size is %u, expected 32 or 64",
                         (unsigned)bits);
    }
    if (p->unit > 0 && p->module->address_bits != bits) {
        return ptx_error(p,
                         ".address_size is %u, expected %u, as in the "
                         "translation units before",
                         (unsigned)bits, (unsigned)p->module->address_bits);
    }
    p->module->address_bits = (uint32_t)bits;
    return true;
}

static bool parse_triple(struct ptx_parser *p, uint32_t value[3])
{
    uint64_t number;

    value[0] = value[1] = value[2] = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (!ptx_count(p, UINT32_MAX, &number)) {
            return false;
        }
        value[i] = (uint32_t)number;
        if (!ptx_take(p, ',')) {
            break;
        }
    }
    return true;
}

static bool parse_one(struct ptx_parser *p, uint32_t *value)
{
    uint64_t number;

    if (!ptx_count(p, UINT32_MAX, &number)) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

static struct loom_ptx_function *take_function(struct ptx_parser *p)
{
    const struct ptx_name *name =
        p->token.kind == PTX_T_WORD
            ? ptx_find(p, p->token.text, p->token.length)
            : NULL;

    if (name == NULL || name->class != PTX_NAME_FUNCTION ||
        name->function->entry) {
        ptx_unexpected(p, "the name of a device function");
        return NULL;
    }
    ptx_advance(p);
    return name->function;
}

/* .alias other, function; both have been declared. */
static bool parse_alias(struct ptx_parser *p)
{
    struct loom_ptx_function *other = take_function(p);
    struct loom_ptx_function *function;

    if (other == NULL || !ptx_expect(p, ',')) {
        return false;
    }
    function = take_function(p);
    if (function == NULL) {
        return false;
    }
    if (p->unit > 0 && (other->alias != NULL || !other->declared)) {
        return ptx_expect(p, ';'); /* a unit before has it */
    }
    if (!other->declared || other->alias != NULL || function->declared) {
        return ptx_error(p, "'%.80s' cannot be an alias of '%.80s'",
                         other->name, function->name);
    }
    other->alias = function;
    return ptx_expect(p, ';');
}

/* .maxntid and the like, between a function's head and its body. */
static bool parse_limits(struct ptx_parser *p, struct loom_ptx_function *f)
{
    uint32_t ignored[3];

    for (;;) {
        bool ok = true;

        if (ptx_take_directive(p, "maxntid")) {
            ok = parse_triple(p, f->maxntid);
        } else if (ptx_take_directive(p, "reqntid")) {
            ok = parse_triple(p, f->reqntid);
        } else if (ptx_take_directive(p, "minnctapersm")) {
            ok = parse_one(p, &f->minnctapersm);
        } else if (ptx_take_directive(p, "maxnctapersm")) {
            ok = parse_one(p, &ignored[0]);
        } else if (ptx_take_directive(p, "maxnreg")) {
            ok = parse_one(p, &f->maxnreg);
        } else if (ptx_take_directive(p, "noreturn")) {
            f->noreturn = true;
        } else if (ptx_take_directive(p, "pragma")) {
            ok = ptx_parse_pragma(p, f, LOOM_PTX_NONE);
        } else if (ptx_take_directive(p, "abi_preserve") ||
                   ptx_take_directive(p, "abi_preserve_control")) {
            ok = parse_one(p, &ignored[0]);
        } else if (ptx_take_directive(p, "reqnctapercluster")) {
            ok = parse_triple(p, f->reqnctapercluster);
        } else if (ptx_take_directive(p, "maxclusterrank")) {
            ok = parse_one(p, &f->maxclusterrank);
        } else if (ptx_take_directive(p, "explicitcluster")) {
            f->explicit_cluster = true;
        } else {
            return true;
        }
        if (!ok) {
            return false;
        }
    }
}

/* The function of that name: a new one or, if it was only declared, that.
 * *of: what another unit has, which this is another body or declaration of. */
static bool open_function(struct ptx_parser *p, bool entry, uint32_t linkage,
                          struct loom_ptx_function **of)
{
    const struct ptx_name *old;
    struct ptx_name name = {.class = PTX_NAME_FUNCTION};
    const char *text;

    if (p->token.kind != PTX_T_WORD) {
        return ptx_unexpected(p, "a function's name");
    }
    old = ptx_find(p, p->token.text, p->token.length);
    if (old != NULL && (old->unit == p->unit || ptx_is_linked(linkage))) {
        bool other = old->unit != p->unit;

        if (old->class != PTX_NAME_FUNCTION || old->function->entry != entry ||
            (!old->function->declared && !other)) {
            return ptx_error(p, "'%.*s' is declared twice",
                             p->token.length < 80 ? (int)p->token.length : 80,
                             p->token.text);
        }
        p->function = old->function;
        if (!old->function->declared || (other && old->function->alias)) {
            *of = old->function;
            p->function = ptx_unit_function(p, old->function);
        }
        ptx_advance(p);
        return p->function != NULL || ptx_no_memory(p);
    }
    name.text = p->token.text;
    name.length = (uint32_t)p->token.length;
    text = ptx_unit_name(p, name.text, name.length, linkage);
    ptx_advance(p);
    p->function =
        text != NULL ? loom_ptx_function_add(p->module, text, entry) : NULL;
    if (p->function == NULL) {
        return ptx_no_memory(p);
    }
    name.function = p->function;
    p->function->declared = true;
    p->function->linkage = (uint8_t)linkage;
    return ptx_declare(p, &name);
}

/* Results come before the name, so their tokens are read twice. */
static bool parse_head(struct ptx_parser *p, bool entry, uint32_t linkage,
                       struct loom_ptx_function **of)
{
    const struct ptx_mark first = ptx_here(p);
    struct loom_ptx_function *f;
    bool results = !entry && ptx_is(p, '(');

    while (results && !ptx_is(p, ')')) {
        if (p->token.kind == PTX_T_END) {
            return ptx_unexpected(p, "')'");
        }
        ptx_advance(p);
    }
    if (results) {
        ptx_advance(p);
    }
    if (!open_function(p, entry, linkage, of)) {
        return false;
    }
    f = p->function;
    f->param_count = f->ret_count = f->param_bytes = 0;
    p->scope_serial = 0;
    ptx_enter(p);
    if (results) {
        const struct ptx_mark behind = ptx_here(p);

        ptx_go_back(p, &first);
        if (!ptx_parse_params(p, true)) {
            return false;
        }
        ptx_go_back(p, &behind);
    }
    return !ptx_is(p, '(') || ptx_parse_params(p, false);
}

static bool parse_function(struct ptx_parser *p, bool entry, uint32_t linkage)
{
    struct loom_ptx_function *f, *of = NULL;
    struct ptx_mark head;

    if (!parse_head(p, entry, linkage, &of)) {
        return false;
    }
    f = p->function;
    f->refused = NULL;
    head = ptx_here(p);
    if (!parse_limits(p, f)) {
        return false;
    }
    if (of != NULL && !ptx_is(p, ';') && !ptx_unit_check(p, of, linkage)) {
        return false;
    }
    if (ptx_take(p, ';')) {
        f->refused = NULL;
        f->linkage |= (uint8_t)linkage;
        p->function = NULL;
        return ptx_leave(p);
    }
    f->linkage = (uint8_t)linkage;
    f->declared = false;
    p->file = p->source_line = 0;
    if (!ptx_parse_or_refuse(p, &head)) {
        return false;
    }
    if (of != NULL) {
        ptx_unit_settle(of, f);
    }
    p->function = NULL;
    return true;
}

static uint32_t parse_linkage(struct ptx_parser *p)
{
    uint32_t linkage = 0;

    for (;;) {
        if (ptx_take_directive(p, "visible")) {
            linkage |= LOOM_PTX_VISIBLE;
        } else if (ptx_take_directive(p, "extern")) {
            linkage |= LOOM_PTX_EXTERN;
        } else if (ptx_take_directive(p, "weak")) {
            linkage |= LOOM_PTX_WEAK_LINK;
        } else if (ptx_take_directive(p, "common")) {
            linkage |= LOOM_PTX_COMMON;
        } else {
            return linkage;
        }
    }
}

static bool parse_item(struct ptx_parser *p)
{
    uint32_t linkage = parse_linkage(p);
    uint8_t space = ptx_space_of(&p->token);

    if (space != 0) {
        ptx_advance(p);
        return ptx_parse_vars(p, space, (uint8_t)linkage);
    }
    if (ptx_take_directive(p, "entry")) {
        return parse_function(p, true, linkage);
    }
    if (ptx_take_directive(p, "func")) {
        return parse_function(p, false, linkage);
    }
    if (ptx_take_directive(p, "version")) {
        ptx_unit_begin(p);
        return parse_version(p);
    }
    if (ptx_take_directive(p, "target")) {
        return parse_target(p);
    }
    if (ptx_take_directive(p, "address_size")) {
        return parse_address_size(p);
    }
    if (ptx_take_directive(p, "file")) {
        return ptx_parse_file(p);
    }
    if (ptx_take_directive(p, "loc")) {
        return ptx_parse_loc(p);
    }
    if (ptx_take_directive(p, "pragma")) {
        return ptx_parse_pragma(p, NULL, LOOM_PTX_NONE);
    }
    if (ptx_take_directive(p, "alias")) {
        return parse_alias(p);
    }
    if (ptx_is_directive(p, "section")) {
        while (p->token.kind != PTX_T_END && !ptx_is(p, '{')) {
            ptx_advance(p);
        }
        return ptx_skip_block(p);
    }
    return ptx_unexpected(p, "a directive or a function");
}

static bool parse_module(struct ptx_parser *p)
{
    ptx_advance(p);
    if (!ptx_take_directive(p, "version")) {
        return ptx_unexpected(p, "'.version'");
    }
    if (!parse_version(p)) {
        return false;
    }
    while (p->token.kind != PTX_T_END) {
        if (!ptx_take(p, ';') && !parse_item(p)) {
            return false;
        }
    }
    return true;
}

bool ptx_parse(const char *name, const char *text, size_t bytes,
               struct loom_ptx_module **module, struct loom_error *err)
{
    struct ptx_parser p = {
        .name = name, .at = text, .end = text + bytes, .line = 1};
    bool ok;

    *module = NULL;
    p.module = loom_ptx_module_create();
    if (p.module == NULL) {
        ptx_no_memory(&p);
        *err = p.err;
        return false;
    }
    ok = parse_module(&p);
    ptx_names_free(&p.names);
    ptx_cache_free(&p);
    if (!ok) {
        loom_ptx_module_destroy(p.module);
        *err = p.err;
        return false;
    }
    *module = p.module;
    return true;
}

/*
 * Translation units: nvcc's relocatable device code, one module of PTX from
 * each source file, is one text with all of them, one after the other.
 *
 * Names that are .visible, .extern, .weak or .common are the same in all
 * units; all others are hidden from the units that follow, and get a name of
 * their own in the module if theirs is taken.  The first of what is declared
 * in several units stays, since instructions refer to it; a definition that
 * counts more takes its place there.
 */
#include <stdio.h>
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

#define WEAK (LOOM_PTX_WEAK_LINK | LOOM_PTX_COMMON)

void ptx_unit_begin(struct ptx_parser *p)
{
    ptx_hide(p);
    p->unit++;
    p->file = p->source_line = 0;
    p->first_file = 0;
    for (uint32_t i = 0; i < p->module->file_count; i++) {
        if (p->module->file[i].number > p->first_file) {
            p->first_file = p->module->file[i].number;
        }
    }
}

/* "name_u1_": of the unit. */
static const char *own_name(struct ptx_parser *p, const char *text,
                            size_t length, uint32_t unit)
{
    char tail[24];
    int used = snprintf(tail, sizeof(tail), "_u%u_", unit);
    char *name = loom_ptx_alloc(p->module, length + (size_t)used + 1);

    if (name != NULL) {
        memcpy(name, text, length);
        memcpy(name + length, tail, (size_t)used);
    }
    return name;
}

const char *ptx_unit_name(struct ptx_parser *p, const char *text, size_t length,
                          uint32_t linkage)
{
    struct ptx_name *hidden = ptx_find_hidden(p, text, length);
    const struct ptx_name *seen = ptx_find(p, text, length);
    const char *other;

    if (!ptx_is_linked(linkage) &&
        (hidden != NULL || (seen != NULL && seen->unit != p->unit))) {
        return own_name(p, text, length, p->unit);
    }
    if (hidden != NULL && seen == NULL) {
        other = own_name(p, text, length, hidden->unit);
        if (other == NULL) {
            return NULL;
        }
        if (hidden->number == PTX_NAME_FUNCTION) {
            hidden->function->name = other;
        } else {
            hidden->var->name = other;
        }
    }
    return loom_ptx_text(p->module, text, length);
}

static bool defined_twice(struct ptx_parser *p, const char *name)
{
    return ptx_error(p, "'%.80s' is defined in two translation units", name);
}

bool ptx_unit_var(struct ptx_parser *p, const struct ptx_token *token,
                  const struct loom_ptx_var *spec, struct loom_ptx_var **fill)
{
    const struct ptx_name *old =
        p->names.depth == 0 && ptx_is_linked(spec->linkage)
            ? ptx_find(p, token->text, token->length)
            : NULL;
    struct loom_ptx_var *var, *made;

    *fill = NULL;
    if (old == NULL || old->unit == p->unit) {
        return true;
    }
    if (old->class != PTX_NAME_VAR || old->var->space != spec->space) {
        return ptx_error(p,
                         "'%.80s' is something else in another translation "
                         "unit",
                         spec->name);
    }
    var = old->var;
    made = loom_ptx_var_add(p->module, NULL, spec);
    if (made == NULL) {
        return ptx_error(p, "'%.80s' does not fit into memory", spec->name);
    }
    p->module->var_count--; /* it is none of its own */
    *fill = made;
    if (made->align < var->align) {
        made->align = var->align;
    }
    if ((made->linkage & LOOM_PTX_EXTERN) != 0) {
        var->align = made->align;
        return true;
    }
    if ((var->linkage & LOOM_PTX_EXTERN) != 0 ||
        ((var->linkage & WEAK) != 0 &&
         ((made->linkage & WEAK) == 0 || made->bytes > var->bytes))) {
        *var = *made;
        *fill = var;
        return true;
    }
    return (made->linkage & WEAK) != 0 || defined_twice(p, var->name);
}

struct loom_ptx_function *ptx_unit_function(struct ptx_parser *p,
                                            const struct loom_ptx_function *old)
{
    struct loom_ptx_function *function =
        loom_ptx_alloc(p->module, sizeof(*function));

    if (function != NULL) {
        function->name = old->name;
        function->module = p->module;
        function->entry = old->entry;
        function->declared = true;
    }
    return function;
}

bool ptx_unit_check(struct ptx_parser *p, const struct loom_ptx_function *old,
                    uint32_t linkage)
{
    return ((old->linkage | linkage) & WEAK) != 0 ||
           defined_twice(p, old->name);
}

void ptx_unit_settle(struct loom_ptx_function *old,
                     const struct loom_ptx_function *other)
{
    if ((other->linkage & WEAK) == 0) {
        *old = *other;
    }
}

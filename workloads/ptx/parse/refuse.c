/*
 * Functions that nothing here can execute: one instruction that is not
 * supported is enough.  Such a function is kept as text and refused when it is
 * launched or called; the rest of its module is as good as ever.
 *
 * A body whose brackets do not match is the whole text's mistake.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

struct ptx_mark ptx_here(const struct ptx_parser *p)
{
    return (struct ptx_mark){p->token, p->at, p->line};
}

void ptx_go_back(struct ptx_parser *p, const struct ptx_mark *mark)
{
    p->token = mark->token;
    p->at = mark->at;
    p->line = mark->line;
}

bool ptx_note_refused(struct ptx_parser *p, const char *why, uint32_t line)
{
    struct loom_ptx_function *f = p->function;

    if (f->refused == NULL) { /* the first reason is the one */
        f->refused = loom_ptx_text(p->module, why, strlen(why));
        f->refused_line = line;
    }
    return f->refused != NULL || ptx_no_memory(p);
}

/* A text that was printed says so itself: it may have other names around it
 * now. */
static bool is_marked(const struct loom_ptx_function *f)
{
    for (uint32_t i = 0; i < f->pragma_count; i++) {
        if (strcmp(f->pragma[i].text, "\"refused\"") == 0) {
            return true;
        }
    }
    return false;
}

/* The body's text instead of what was made of it; at its "{".  False: it has no
 * end. */
static bool keep_text(struct ptx_parser *p, const struct ptx_mark *head)
{
    struct loom_ptx_function *f = p->function;
    const char *start =
        head->token.text - (head->token.kind == PTX_T_DIRECTIVE);
    const char *end;
    uint32_t depth = 0;

    do {
        if (p->token.kind == PTX_T_END) {
            return ptx_unexpected(p, "'}'");
        }
        depth += ptx_is(p, '{');
        depth -= ptx_is(p, '}');
        end = p->at;
        ptx_advance(p);
    } while (depth > 0);
    if (memchr(start, '\0', (size_t)(end - start)) != NULL) {
        return ptx_error(p, "'%.80s' holds a zero byte", f->name);
    }
    f->source = loom_ptx_text(p->module, start, (size_t)(end - start));
    return f->source != NULL || ptx_no_memory(p);
}

bool ptx_parse_or_refuse(struct ptx_parser *p, const struct ptx_mark *head)
{
    struct loom_ptx_function *f = p->function;
    const struct ptx_mark body = ptx_here(p);
    const uint32_t outside = p->names.depth - 1;
    const uint32_t files = p->module->file_count;
    const bool marked = is_marked(f);

    if (!ptx_expect(p, '{')) {
        return false;
    }
    if (f->refused == NULL && ptx_parse_body(p) && !marked) {
        return true;
    }
    if (p->failed
            ? p->err.kind != LOOM_ERR_INPUT ||
                  !ptx_note_refused(p, p->reason, p->reason_line)
            : !ptx_note_refused(p, "it has .pragma \"refused\"", body.line)) {
        return false;
    }
    ptx_abandon(p, outside);
    ptx_go_back(p, &body);
    p->module->file_count = files;
    f->var_count = f->reg_count = f->label_count = f->inst_count = 0;
    f->prototype_count = f->pragma_count = f->local_bytes = 0;
    /* The first error stays the one of a text that goes no further. */
    if (!keep_text(p, head)) {
        return false;
    }
    p->failed = false;
    return true;
}

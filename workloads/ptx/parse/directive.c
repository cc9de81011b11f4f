/*
 * Directives that may stand in a module and in a function: .file, .loc,
 * .pragma.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

bool ptx_parse_file(struct ptx_parser *p)
{
    uint64_t number;
    int64_t skipped;
    const char *name;

    if (!ptx_count(p, UINT32_MAX, &number)) {
        return false;
    }
    if (p->token.kind != PTX_T_STRING) {
        return ptx_unexpected(p, "a file name");
    }
    name = loom_ptx_text(p->module, p->token.text, p->token.length);
    ptx_advance(p);
    number += p->first_file;
    if (name == NULL || number > UINT32_MAX ||
        !loom_ptx_file_add(p->module, (uint32_t)number, name)) {
        return ptx_no_memory(p);
    }
    while (ptx_take(p, ',')) {
        if (!ptx_number(p, &skipped)) {
            return false;
        }
    }
    return true;
}

/* .loc file line column [, function_name label[+n]] [, inlined_at ...] */
bool ptx_parse_loc(struct ptx_parser *p)
{
    uint64_t file, line, column;

    if (!ptx_count(p, UINT32_MAX, &file) || !ptx_count(p, UINT32_MAX, &line) ||
        !ptx_count(p, UINT32_MAX, &column)) {
        return false;
    }
    p->file = (uint32_t)(file + (file != 0 ? p->first_file : 0));
    p->source_line = (uint32_t)line;
    while (ptx_take(p, ',')) {
        if (p->token.kind != PTX_T_WORD) {
            return ptx_unexpected(p, "function_name or inlined_at");
        }
        ptx_advance(p);
        if (p->token.kind == PTX_T_WORD) {
            ptx_advance(p);
            if (ptx_take(p, '+')) {
                ptx_advance(p);
            }
        }
        while (p->token.kind == PTX_T_INT) {
            ptx_advance(p);
        }
    }
    return true;
}

/* .pragma "text", "text" ; is kept as one, with its quotes. */
bool ptx_parse_pragma(struct ptx_parser *p, struct loom_ptx_function *function,
                      uint32_t at)
{
    const char *start = p->token.text - 1;
    const char *end = start;
    const char *text;

    if (p->token.kind != PTX_T_STRING) {
        return ptx_unexpected(p, "a string");
    }
    do {
        if (p->token.kind != PTX_T_STRING) {
            return ptx_unexpected(p, "a string");
        }
        end = p->token.text + p->token.length + 1;
        ptx_advance(p);
    } while (ptx_take(p, ','));
    if (memchr(start, '\0', (size_t)(end - start)) != NULL) {
        return ptx_error(p, "a .pragma holds a zero byte");
    }
    text = loom_ptx_text(p->module, start, (size_t)(end - start));
    if (text == NULL || !loom_ptx_pragma_add(p->module, function, text, at)) {
        return ptx_no_memory(p);
    }
    return ptx_expect(p, ';');
}

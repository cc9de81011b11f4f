/*
 * The only place below main() that writes to stderr or ends the process.
 */
#include "engine/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

bool loom_fail(struct loom_error *err, enum loom_error_kind kind,
               const char *fmt, ...)
{
    va_list args;

    err->kind = kind;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    loom_text_tame(err->text);
    return false;
}

bool loom_fail_at(struct loom_error *err, const char *where)
{
    char inner[sizeof(err->text)];

    memcpy(inner, err->text, sizeof(inner));
    snprintf(err->text, sizeof(err->text), "%.96s: %.400s", where, inner);
    return false;
}

void loom_bug(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: bug: ", file, line);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

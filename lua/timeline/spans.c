/*
 * What begins and ends, cut at the ends of the window; which kernels are
 * wanted.
 */
#include "lua/timeline/timeline_private.h"

/* `*` is anything. */
static bool matches(const char *pattern, const char *name)
{
    if (*pattern == '*') {
        return matches(pattern + 1, name) ||
               (*name != '\0' && matches(pattern, name + 1));
    }
    return *pattern == *name &&
           (*name == '\0' || matches(pattern + 1, name + 1));
}

bool tl_kernel_wanted(const struct timeline *t,
                      const struct loom_kernel *kernel)
{
    return (t->launch == UINT64_MAX || t->launch == kernel->number) &&
           (t->kernel == NULL || matches(t->kernel, kernel->name));
}

void tl_span_begin(struct timeline *t, struct tl_span *span)
{
    if (span->live && !span->open && span->start <= t->to &&
        tl_may_write(&t->out)) {
        if (span->start < t->from) {
            span->start = t->from;
        }
        span->open = true;
    }
}

void tl_span_end(struct timeline *t, struct tl_span *span, loom_time at)
{
    if (at >= t->from) {
        tl_span_begin(t, span);
    }
    if (t->out.full && at > t->out.last) {
        at = t->out.last;
    }
    at = at < t->to ? at : t->to;
    if (span->open && t->out.error == 0 && at > span->start) {
        tl_slice(&t->out, span->row, span->start, at, span->name);
    }
    span->live = span->open = false;
}

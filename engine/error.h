/*
 * Reporting what went wrong, to whom.
 *
 * There are exactly two kinds of failure.
 *
 *  - The user asked for something impossible: a bad parameter, a missing
 *    trace, two ports that do not fit.  The function detects it, describes
 *    it with loom_fail() and returns false.  Its caller decides what to do;
 *    only the application's main() prints and exits.
 *
 *  - The simulator contradicts itself.  LOOM_CHECK() and LOOM_BUG() stop the
 *    run at once, in every build type, because a statistic computed after a
 *    broken invariant is worse than no statistic.
 *
 * A function that can fail takes `struct loom_error *err` last and returns
 * bool.  On success it does not touch *err.  An error is a value, not a heap
 * object, so there is never a question of who frees it.
 */
#ifndef ENGINE_ERROR_H
#define ENGINE_ERROR_H

#include "engine/base.h"

enum loom_error_kind {
    LOOM_ERR_NONE,
    LOOM_ERR_CONFIG,     /* a parameter, a port or a wire is wrong */
    LOOM_ERR_INPUT,      /* a program, trace or file is missing or malformed */
    LOOM_ERR_MEMORY,     /* the host ran out of memory */
    LOOM_ERR_WORKLOAD,   /* the simulated program did something illegal */
    LOOM_ERR_LAW,        /* a conservation law is broken: a check() says so */
    LOOM_ERR_OUTPUT,     /* a result could not be written */
    LOOM_ERR_POLICY,     /* a policy's own code failed: one in Lua */
    LOOM_ERR_INTERRUPTED /* somebody asked it to stop: engine/interrupt.h */
};

struct loom_error {
    enum loom_error_kind kind;
    char text[504];
};

/* Fills in *err and returns false, so that callers write
 * `return loom_fail(..)`.  The text starts in lower case, quotes its subject,
 * states value and expectation and has no full stop:
 * "parameter 'ways' is 0, expected 1..64". */
bool loom_fail(struct loom_error *err, enum loom_error_kind kind,
               const char *fmt, ...) LOOM_PRINTF(3, 4);

/* Puts "<where>: " in front of an error on its way up; returns false. */
bool loom_fail_at(struct loom_error *err, const char *where);

LOOM_NORETURN void loom_bug(const char *file, int line, const char *fmt, ...)
    LOOM_PRINTF(3, 4);

#define LOOM_BUG(...) loom_bug(__FILE__, __LINE__, __VA_ARGS__)
#define LOOM_CHECK(cond)                                                       \
    (LOOM_LIKELY(cond) ? (void)0                                               \
                       : loom_bug(__FILE__, __LINE__, "broken: %s", #cond))

/* For inner loops, where a profile showed LOOM_CHECK: gone in release. */
#ifdef LOOM_DEBUG
#define LOOM_DEBUG_CHECK(cond) LOOM_CHECK(cond)
#else
#define LOOM_DEBUG_CHECK(cond) ((void)0)
#endif

#endif

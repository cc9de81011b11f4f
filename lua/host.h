/*
 * A process that is the host program of a run: in place of a Lua script it
 * allocates, copies and launches.
 *
 * The script that describes the machine runs in a coroutine of Lua up to its
 * loom.run, which waits there for what the process wants done; each call
 * resumes it (lua/warploom/cuda/host.lua).  When the process ends the run, or
 * the run ends itself because a kernel failed, the script goes on to its end,
 * and results are written.
 *
 * Not thread-safe: one call at a time, from any thread.
 */
#ifndef LUA_HOST_H
#define LUA_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOM_HOST_VALUES = 32
};

struct loom_host;

struct loom_host_call {
    const char *name; /* a function of lua/warploom/cuda/cuda.lua */
    uint64_t arg[LOOM_HOST_VALUES];
    uint32_t args;
    const void *data; /* one more argument, a text; NULL: none */
    size_t bytes;

    /* Answers: `status` is 0 or an error number of the function's kind. */
    uint32_t status;
    uint64_t result[LOOM_HOST_VALUES];
    uint32_t results;
    const char *text; /* an answer that is a text, or NULL; valid until the
                       * next call */
    size_t text_bytes;
};

/* Runs a script, its options and arguments as the program's command line has
 * them, up to its loom.run.  NULL: it did not get there, and *status is what
 * the program would exit with; what is wrong has been told on stderr. */
struct loom_host *loom_host_create(int count, char **word, int *status);

/* False: the run is over, in this call or before it. */
bool loom_host_call(struct loom_host *host, struct loom_host_call *call);

/* The run is over, and how: as an exit status of the program, and as the error
 * number of the call that ended it; 0 where a limit of the script did. */
bool loom_host_over(const struct loom_host *host);
int loom_host_status(const struct loom_host *host);
int loom_host_failure(const struct loom_host *host);

/* Ends the run, if it is not over, and writes its results. */
void loom_host_finish(struct loom_host *host);
void loom_host_destroy(struct loom_host *host); /* accepts NULL */

#endif

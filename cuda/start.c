/*
 * How the run starts: at the first call that needs it.
 *
 * What a program may do before all else is here: it asks something, or for
 * what it has registered.  The run is ended by exit(), whose handler is
 * registered after the run has opened its files, so it is called before the
 * handlers of the libraries that write them.
 */
#define _GNU_SOURCE /* at_quick_exit, strsep */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/processor.h"

#include "cuda/runtime.h"
#include "cuda/server.h"
#include "lua/standard.h"

#define SCRIPT_VARIABLE "WARPLOOM_CUDA"

enum {
    WORDS = 1024
};

/* Programs ask for them before anything else. */
__attribute__((constructor)) static void read_devices(void)
{
    static const char word[] = "--devices";
    const char *line = getenv(SCRIPT_VARIABLE);
    const char *at = line == NULL ? NULL : strstr(line, word);

    if (at != NULL) {
        at += strlen(word);
        loom_cuda_set_devices(strtol(at + strspn(at, "= \n\t"), NULL, 10));
    }
}

static bool started; /* or was not to be started; the lock is held */

/* The words of the variable: one a line, or with spaces between if it has one
 * line only. */
static int split(char *text, char **word)
{
    const char *between = strchr(text, '\n') != NULL ? "\n" : " \t";
    char *rest = text;
    int count = 0;

    word[count++] = "warploom";
    word[count++] = "host";
    while (count < WORDS) {
        char *next = strsep(&rest, between);

        if (next == NULL) {
            break;
        }
        if (next[0] != '\0') {
            word[count++] = next;
            if (strcmp(next, "--quiet") == 0 || strcmp(next, "-q") == 0) {
                loom_cuda_be_quiet();
            }
        }
    }
    return count;
}

/* Without the lock: another thread may hold it, or this one in what a handler
 * of a signal has interrupted. */
static void finish(void)
{
    if (loom_cuda_server_is_ours()) {
        fflush(stdout); /* the program's output, before our summary */
        loom_cuda_server_finish();
    }
    loom_cuda_set_ended();
}

static void start(void)
{
    const char *script = getenv(SCRIPT_VARIABLE);
    char *word[WORDS];
    int status, count;
    bool there;
    char *text;

    if (!loom_processor_fits()) {
        loom_cuda_give_up(LOOM_CUDA_USER_ERROR, LOOM_PROCESSOR_TEXT);
    }
    if (script == NULL || script[0] == '\0') {
        loom_cuda_give_up(LOOM_CUDA_USER_ERROR,
                          "this CUDA library simulates a GPU, but "
                          "$" SCRIPT_VARIABLE
                          " names no script that describes one; run the "
                          "program with: warploom cuda machine.lua -- program");
    }
    text = strdup(script);
    count = text != NULL ? split(text, word) : 0;
    loom_standard_guard();
    loom_cuda_watch_ends();
    there = loom_cuda_server_start(count, word, &status);
    free(text);
    if (!there) {
        loom_cuda_set_ended();
        exit(status != 0 ? status : LOOM_CUDA_USER_ERROR);
    }
    atexit(finish);
    at_quick_exit(finish);
    loom_cuda_load_images();
}

/* The lock is held. */
static int ask(struct loom_host_call *call)
{
    if (!started) {
        started = true;
        start();
    }
    return loom_cuda_pass(call);
}

int loom_cuda_ask(struct loom_host_call *call, const char *name,
                  const uint64_t *arg, uint32_t args)
{
    int error;

    loom_cuda_lock();
    call->name = name;
    call->args = args;
    if (args > 0) {
        memcpy(call->arg, arg, args * sizeof(*arg));
    }
    error = ask(call);
    loom_cuda_unlock();
    return error;
}

int loom_cuda_ask_text(struct loom_host_call *call, const char *name,
                       const void *text, size_t bytes)
{
    int error;

    loom_cuda_lock();
    call->name = name;
    call->data = text;
    call->bytes = bytes;
    error = ask(call);
    loom_cuda_unlock();
    return error;
}

/* ---- what is registered ---- */

int loom_cuda_need_images(void)
{
    struct loom_host_call call = {.name = NULL};

    return loom_cuda_images_are_loaded()
               ? CUDA_OK
               : loom_cuda_ask(&call, "facts", NULL, 0);
}

int loom_cuda_find_kernel(const void *host, struct loom_cuda_kernel **kernel)
{
    int error;

    loom_cuda_lock();
    error = loom_cuda_need_images();
    if (error == CUDA_OK) {
        error = loom_cuda_kernel_of(host, kernel);
    }
    loom_cuda_unlock();
    return error;
}

int loom_cuda_find_symbol(const void *host, uint64_t *address, uint64_t *bytes)
{
    int error;

    loom_cuda_lock();
    loom_cuda_need_images();
    error = loom_cuda_symbol_of(host, address, bytes);
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(char, __cudaInitModule, void **handle)
{
    (void)handle;
    loom_cuda_lock();
    if (loom_cuda_has_managed()) {
        loom_cuda_need_images();
    }
    loom_cuda_unlock();
    return 1;
}

/*
 * Starting and ending the run, the lock, and what is told.
 *
 * The run starts at the first call that needs it and is ended by exit().  Its
 * handler is registered after the run has opened its files, so it is called
 * before the handlers of the libraries that write them; calls after it get
 * cudaErrorCudartUnloading, as CUDA's do.
 */
#define _GNU_SOURCE /* recursive mutexes, RTLD_DEFAULT */
#include "cuda/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/processor.h"

#include "cuda/server.h"
#include "lua/standard.h"

#define SCRIPT_VARIABLE "WARPLOOM_CUDA"

enum {
    WORDS = 1024,
    USER_ERROR = 1
};

static struct {
    pthread_mutex_t lock;
    bool started; /* the run, at the first call */
    bool quiet, ended;
    int sticky;
} state = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static _Thread_local int last_error;

void loom_cuda_lock(void)
{
    pthread_mutex_lock(&state.lock);
}

void loom_cuda_unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

bool loom_cuda_tell(const char *fmt, ...)
{
    va_list list;

    if (state.quiet) {
        return false;
    }
    va_start(list, fmt);
    fputs("warploom: ", stderr);
    vfprintf(stderr, fmt, list);
    fputc('\n', stderr);
    va_end(list);
    return true;
}

bool loom_cuda_tells(void)
{
    return !state.quiet;
}

void loom_cuda_complain(const char *text)
{
    fputs("warploom: ", stderr);
    fputs(text, stderr);
    fputc('\n', stderr);
}

void loom_cuda_give_up(int status, const char *fmt, ...)
{
    va_list list;

    va_start(list, fmt);
    fputs("warploom: ", stderr);
    vfprintf(stderr, fmt, list);
    fputc('\n', stderr);
    va_end(list);
    exit(status);
}

void loom_cuda_missing(const char *name)
{
    loom_cuda_give_up(USER_ERROR,
                      "the program calls %s, which is not provided; the "
                      "program ends here (docs/cuda.md lists what is)",
                      name);
}

int loom_cuda_version(void)
{
    const int *version = dlsym(RTLD_DEFAULT, "warploom_cudart_version");

    return version != NULL ? *version : 13;
}

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
            state.quiet = state.quiet || strcmp(next, "--quiet") == 0 ||
                          strcmp(next, "-q") == 0;
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
    state.ended = true;
}

static void start(void)
{
    const char *script = getenv(SCRIPT_VARIABLE);
    char *word[WORDS];
    int status, count;
    char *text;

    if (!loom_processor_fits()) {
        loom_cuda_give_up(USER_ERROR, LOOM_PROCESSOR_TEXT);
    }
    if (script == NULL || script[0] == '\0') {
        loom_cuda_give_up(USER_ERROR,
                          "this libcudart simulates a GPU, but "
                          "$" SCRIPT_VARIABLE
                          " names no script that describes one; run the "
                          "program with: warploom cuda machine.lua -- program");
    }
    text = strdup(script);
    count = text != NULL ? split(text, word) : 0;
    loom_standard_guard();
    loom_cuda_watch_ends();
    state.started = loom_cuda_server_start(count, word, &status);
    free(text);
    if (!state.started) {
        state.ended = true;
        exit(status != 0 ? status : USER_ERROR);
    }
    atexit(finish);
    at_quick_exit(finish);
    loom_cuda_load_images();
}

/* The run is over although the program is not. */
static int over(void)
{
    int failure = loom_cuda_server_failure();

    if (state.sticky == 0 && failure == 0 && loom_cuda_server_status() == 0) {
        fflush(stdout);
        loom_cuda_tell("the script's limit is reached; the program ends here");
        exit(0);
    }
    state.sticky = failure != 0 ? failure : CUDA_UNKNOWN;
    return state.sticky;
}

static int ask(struct loom_host_call *call)
{
    if (state.ended || (state.started && !loom_cuda_server_is_ours())) {
        return state.ended ? CUDA_UNLOADING : CUDA_INITIALIZATION;
    }
    if (state.sticky != 0) {
        return state.sticky;
    }
    if (!state.started) {
        start();
    }
    if (!loom_cuda_server_call(call)) {
        return over();
    }
    if (call->status != 0 && call->text != NULL) {
        loom_cuda_tell("%.*s", (int)call->text_bytes, call->text);
    }
    return (int)call->status;
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

int loom_cuda_done(int error)
{
    if (error != CUDA_OK && error != CUDA_NOT_READY) {
        last_error = error;
    }
    return error;
}

int loom_cuda_sticky(void)
{
    int error;

    loom_cuda_lock();
    error = state.sticky;
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cudaGetLastError, void)
{
    int error = last_error, sticky = loom_cuda_sticky();

    last_error = CUDA_OK;
    return sticky != 0 ? sticky : error;
}

LOOM_CUDA(int, cudaPeekAtLastError, void)
{
    int sticky = loom_cuda_sticky();

    return sticky != 0 ? sticky : last_error;
}

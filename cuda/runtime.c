/*
 * The lock, what is told, errors, and questions to a run that is there.
 *
 * Everything is built upon this, what is loaded at the start, too; start.c is
 * above that.  Calls after the end get cudaErrorCudartUnloading, as CUDA's do.
 */
#define _GNU_SOURCE /* recursive mutexes, RTLD_DEFAULT */
#include "cuda/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/server.h"

static struct {
    pthread_mutex_t lock;
    bool quiet, ended;
    int sticky;
    int version; /* of a runtime in the program; 0: there is none */
} state = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static _Thread_local int last_error;
static _Thread_local unsigned driving; /* calls of the driver API, nested */
static _Thread_local bool runs;        /* has called the runtime */

void loom_cuda_lock(void)
{
    pthread_mutex_lock(&state.lock);
}

void loom_cuda_unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

static LOOM_PRINTF(1, 0) void print(const char *fmt, va_list list)
{
    fputs("warploom: ", stderr);
    vfprintf(stderr, fmt, list);
    fputc('\n', stderr);
}

bool loom_cuda_tell(const char *fmt, ...)
{
    va_list list;

    if (state.quiet) {
        return false;
    }
    va_start(list, fmt);
    print(fmt, list);
    va_end(list);
    return true;
}

void loom_cuda_be_quiet(void)
{
    state.quiet = true;
}

bool loom_cuda_tells(void)
{
    return !state.quiet;
}

static LOOM_PRINTF(1, 2) void complain(const char *fmt, ...)
{
    va_list list;

    va_start(list, fmt);
    print(fmt, list);
    va_end(list);
}

void loom_cuda_complain(const char *text)
{
    complain("%s", text);
}

void loom_cuda_give_up(int status, const char *fmt, ...)
{
    va_list list;

    va_start(list, fmt);
    print(fmt, list);
    va_end(list);
    exit(status);
}

void loom_cuda_missing(const char *name)
{
    loom_cuda_give_up(LOOM_CUDA_USER_ERROR,
                      "the program calls %s, which is not provided; the "
                      "program ends here (docs/cuda.md lists what is)",
                      name);
}

void loom_cuda_set_version(int version)
{
    state.version = version;
}

int loom_cuda_version(void)
{
    const int *linked = dlsym(RTLD_DEFAULT, "warploom_cudart_version");

    if (state.version != 0) {
        return state.version;
    }
    return linked != NULL ? *linked : 13;
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

/* A kernel that is not executed at all, because it cannot be or does not fit an
 * SM, is told of in any case: programs seldom ask whether a launch has
 * failed. */
static void tell_why(const struct loom_host_call *call)
{
    if (call->status != CUDA_NOT_SUPPORTED &&
        call->status != CUDA_OUT_OF_RESOURCES) {
        loom_cuda_tell("%.*s", (int)call->text_bytes, call->text);
    } else {
        complain("%.*s", (int)call->text_bytes, call->text);
    }
}

static int pass(struct loom_host_call *call)
{
    if (state.ended || !loom_cuda_server_is_ours()) {
        return state.ended ? CUDA_UNLOADING : CUDA_INITIALIZATION;
    }
    if (state.sticky != 0) {
        return state.sticky;
    }
    if (!loom_cuda_server_call(call)) {
        return over();
    }
    if (call->status != 0 && call->text != NULL) {
        tell_why(call);
    }
    return (int)call->status;
}

int loom_cuda_pass(struct loom_host_call *call)
{
    int error;

    loom_cuda_lock();
    error = pass(call);
    loom_cuda_unlock();
    return error;
}

void loom_cuda_set_ended(void)
{
    state.ended = true;
}

int loom_cuda_done(int error)
{
    if (driving > 0) {
        return error;
    }
    if (error != CUDA_OK && error != CUDA_NOT_READY) {
        last_error = error;
    }
    runs = true;
    return error;
}

void loom_cuda_begin_driver(void)
{
    driving++;
}

void loom_cuda_end_driver(void)
{
    driving--;
}

bool loom_cuda_take_runs(void)
{
    bool taken = runs;

    runs = false;
    return taken;
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

/*
 * libcudart.so.11.0, .12 and .13 and libcuda.so.1: what programs are linked
 * with, and libwarploom_static.so (redirect.c).  In the first is the version
 * that they stand for, and in all, since they come before the C library where
 * names are looked for, its ways to end a program without exit() and to say
 * what signals do.  The functions of CUDA are in libwarploom_cuda.so, on which
 * they depend.
 */
#define _GNU_SOURCE /* syscall */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base.h"

#include "cuda/leave.h"

#define SHOWN __attribute__((visibility("default")))

#ifdef LOOM_CUDART_VERSION
extern const int warploom_cudart_version;
const int warploom_cudart_version = LOOM_CUDART_VERSION;
#endif

static void at_once(int status)
{
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

SHOWN LOOM_NORETURN void _exit(int status)
{
    loom_cuda_leave();
    at_once(status);
    __builtin_unreachable();
}

SHOWN LOOM_NORETURN void _Exit(int status)
{
    loom_cuda_leave();
    at_once(status);
    __builtin_unreachable();
}

/* As the C library's, but that results are written between the program's own
 * handler and the end. */
SHOWN LOOM_NORETURN void abort(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(SIGABRT);
    loom_cuda_aborted();
    __sigaction(SIGABRT, &plain, NULL);
    raise(SIGABRT);
    at_once(127);
    __builtin_unreachable();
}

SHOWN int sigaction(int signal, const struct sigaction *action,
                    struct sigaction *old)
{
    return loom_cuda_sigaction(signal, action, old);
}

SHOWN void (*signal(int signal, void (*handler)(int)))(int)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;

    return loom_cuda_sigaction(signal, &action, &old) == 0 ? old.sa_handler
                                                           : SIG_ERR;
}

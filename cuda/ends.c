/*
 * How a program ends other than by exit(): its results are kept all the same.
 *
 * Signals that the program leaves to the system get handlers, at its first
 * call of the runtime; what the program handles itself, or ignores, is its
 * own.  After a handler's note the run's thread writes the results and then
 * ends the process by that signal.  A second one ends it at once.
 *
 * _exit(), _Exit(), abort(), signal() and sigaction() are taken over by the
 * libraries that programs are linked with (shim.c), which call what is here.
 */
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "cuda/leave.h"
#include "cuda/runtime.h"
#include "cuda/server.h"

enum {
    LOOK_NS = 5 * 1000 * 1000,
    LOOKS = 60 * 200, /* a minute: a broken heap may let nothing be written */
    AGAIN_MS = 100    /* up to here a second signal is the first */
};

static atomic_llong since; /* ms, of the first signal */

static long long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void leave_to_system(int signal)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    __sigaction(signal, &plain, NULL);
}

/* Whose signal is it?  A child of the program has no run, and one whose results
 * have been written needs nothing any more. */
static bool is_over(void)
{
    return !loom_cuda_server_is_ours() || loom_cuda_server_is_done();
}

/* The program's threads go on until the run's ends them: this one may hold a
 * lock that is needed. */
static void on_end(int signal)
{
    if (!is_over() && loom_cuda_server_end_by(signal)) {
        atomic_store(&since, milliseconds());
    } else if (is_over() || milliseconds() - atomic_load(&since) > AGAIN_MS) {
        leave_to_system(signal);
        raise(signal);
    }
}

/* Nobody can go on after a fault: the thread waits.  It ends the process when
 * it does again what it did. */
static void on_fault(int signal)
{
    struct timespec pause = {0, LOOK_NS};

    if (!is_over() && !loom_cuda_server_is_self()) {
        loom_cuda_server_end_by(signal);
        for (int i = 0; i < LOOKS && !loom_cuda_server_is_done(); i++) {
            nanosleep(&pause, NULL);
        }
    }
    leave_to_system(signal);
}

static void on_where(int signal)
{
    (void)signal;
    if (!is_over()) {
        loom_cuda_server_ask_where();
    }
}

/* The handler of a signal that the program leaves to the system; NULL: none,
 * such a signal ends nothing. */
static void (*handler_of(int signal))(int)
{
    switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGPIPE:
    case SIGALRM:
    case SIGUSR2:
    case SIGXCPU:
    case SIGXFSZ:
    case SIGVTALRM:
    case SIGPROF:
        return on_end;
    case SIGABRT:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSYS:
    case SIGTRAP:
        return on_fault;
    case SIGUSR1:
        return on_where;
    default:
        return NULL;
    }
}

static bool is_left_to_system(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) == 0 &&
           action->sa_handler == SIG_DFL;
}

static bool is_mine(int signal, const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) == 0 && handler_of(signal) != NULL &&
           action->sa_handler == handler_of(signal);
}

static void take(int signal)
{
    struct sigaction action = {.sa_handler = handler_of(signal),
                               .sa_flags = SA_RESTART | SA_ONSTACK};

    __sigaction(signal, &action, NULL);
}

void loom_cuda_watch_ends(void)
{
    struct sigaction old;

    for (int signal = 1; signal < NSIG; signal++) {
        if (handler_of(signal) != NULL &&
            __sigaction(signal, NULL, &old) == 0 && is_left_to_system(&old)) {
            take(signal);
        }
    }
}

/* ---- for shim.c ---- */

void loom_cuda_leave(void)
{
    loom_cuda_server_finish();
}

/* A handler of the program's for SIGABRT has been called, and has returned. */
void loom_cuda_aborted(void)
{
    on_fault(SIGABRT);
}

int loom_cuda_sigaction(int signal, const struct sigaction *action,
                        struct sigaction *old)
{
    struct sigaction before;

    if (__sigaction(signal, action, &before) != 0) {
        return -1;
    }
    if (action != NULL && is_left_to_system(action) && !is_over() &&
        handler_of(signal) != NULL) {
        take(signal);
    }
    if (old != NULL) {
        *old = before;
        if (is_mine(signal, &before)) {
            *old = (struct sigaction){.sa_handler = SIG_DFL};
        }
    }
    return 0;
}

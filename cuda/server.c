/*
 * The run's thread: calls, questions and the end, in a loop.
 *
 * It has all signals blocked: what it writes must not be cut off, and a fault
 * in it is one of the simulator, after which nothing can be trusted.
 */
#include "cuda/server.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cuda/leave.h"
#include "lua/interrupt.h"

enum {
    LOOK_NS = 1000 * 1000,
    GRACE = 2000 /* looks, for what another thread has asked for */
};

static struct {
    pthread_t thread;
    sem_t wake, answered;
    pid_t process; /* 0: not started */
    int count;     /* of the command line */
    char **word;
    int status;
    struct loom_host *host;
    struct loom_host_call *call;
    bool answer;
    int over, failure; /* host.h's, for when it is gone */
    atomic_bool called, busy, ending, finishing, done;
    atomic_int signal; /* that ends the program; 0: none */
} server;

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
}

static void look_again(void)
{
    struct timespec pause = {0, LOOK_NS};

    nanosleep(&pause, NULL);
}

/* ---- the thread ---- */

/* As the system would have done it. */
static void die(int signal)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t one;

    __sigaction(signal, &plain, NULL);
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(signal);
}

static void note_end(void)
{
    server.over = loom_host_status(server.host);
    server.failure = loom_host_failure(server.host);
}

static void answer(void)
{
    struct loom_host_call where = {.name = "where"};

    if (atomic_exchange(&server.called, false)) {
        server.answer = loom_host_call(server.host, server.call);
        note_end();
        atomic_store(&server.busy, false);
        sem_post(&server.answered);
    } else if (!atomic_load(&server.ending) &&
               loom_interrupted(loom_interrupt_pause())) {
        loom_host_call(server.host, &where);
    }
}

static void *serve(void *unused)
{
    int signal;

    (void)unused;
    server.host = loom_host_create(server.count, server.word, &server.status);
    sem_post(&server.answered);
    if (server.host == NULL) {
        return NULL;
    }
    do {
        wait_for(&server.wake);
        answer();
    } while (!atomic_load(&server.ending));
    atomic_store(&server.finishing, true);
    loom_host_finish(server.host);
    note_end();
    loom_host_destroy(server.host);
    server.host = NULL;
    atomic_store(&server.done, true);
    signal = atomic_load(&server.signal);
    if (signal != 0) {
        die(signal);
    }
    return NULL;
}

/* ---- the program's threads ---- */

bool loom_cuda_server_start(int count, char **word, int *status)
{
    sigset_t all, before;
    int failed;

    server.count = count;
    server.word = word;
    server.process = getpid();
    sem_init(&server.wake, 0, 0);
    sem_init(&server.answered, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&server.thread, NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0) {
        pthread_detach(server.thread);
        wait_for(&server.answered);
    } else {
        fputs("warploom: no memory for a thread\n", stderr);
        server.status = 1;
    }
    *status = server.status;
    if (server.host == NULL) {
        server.process = 0; /* there is no run to end */
        return false;
    }
    return true;
}

bool loom_cuda_server_call(struct loom_host_call *call)
{
    server.call = call;
    atomic_store(&server.busy, true);
    atomic_store(&server.called, true);
    sem_post(&server.wake);
    wait_for(&server.answered);
    while (atomic_load(&server.ending)) {
        pause(); /* this thread has come to its end */
    }
    return server.answer;
}

int loom_cuda_server_status(void)
{
    return server.over;
}

int loom_cuda_server_failure(void)
{
    return server.failure;
}

bool loom_cuda_server_is_ours(void)
{
    return server.process == getpid();
}

bool loom_cuda_server_is_busy(void)
{
    return atomic_load(&server.busy);
}

bool loom_cuda_server_is_self(void)
{
    return pthread_equal(server.thread, pthread_self());
}

bool loom_cuda_server_is_done(void)
{
    return atomic_load(&server.done);
}

bool loom_cuda_server_end_by(int signal)
{
    int none = 0;
    bool first = atomic_compare_exchange_strong(&server.signal, &none, signal);

    loom_interrupt_ask_stop(signal);
    atomic_store(&server.ending, true);
    sem_post(&server.wake);
    return first;
}

void loom_cuda_server_ask_where(void)
{
    loom_interrupt_ask_where();
    sem_post(&server.wake);
}

void loom_cuda_server_finish(void)
{
    if (!loom_cuda_server_is_ours() || loom_cuda_server_is_self()) {
        return;
    }
    atomic_store(&server.ending, true);
    sem_post(&server.wake);
    for (int looks = 0; !atomic_load(&server.finishing); looks++) {
        if (looks == GRACE) {
            loom_interrupt_ask_stop(LOOM_INTERRUPT_EXIT);
        }
        look_again();
    }
    while (!atomic_load(&server.done)) {
        look_again();
    }
    while (atomic_load(&server.signal) != 0) {
        pause(); /* its own thread ends the process */
    }
}

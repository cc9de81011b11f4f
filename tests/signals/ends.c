/*
 * A CUDA program that ends as its first argument says.
 *
 * usage: ends HOW [LAUNCHES]
 *
 * It launches kernels and computes between them.  What it computes is checked
 * to the last launch, so a handler of its own that lets it go on must not have
 * disturbed it.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/stubs.h"

static const char work;
static const struct stub_list kernels[] = {{&work, "work"}, {NULL, NULL}};
static const struct stub_list variables[] = {{NULL, NULL}};
static void **registered;
static volatile sig_atomic_t noted;

enum {
    THREADS = 512,
    ROUNDS = 200
};

__attribute__((constructor)) static void before_main(void)
{
    registered = stub_register(kernels, variables);
}

static void launch(void *to, uint32_t rounds)
{
    void *args[] = {&to, &rounds};

    OK(stub_launch(&work, THREADS / 128, 128, 0, NULL, args));
    OK(cudaDeviceSynchronize());
}

static void run(long launches)
{
    uint32_t *to, expected = 1, got[THREADS];
    volatile double sum = 0;

    for (size_t i = 0; i < THREADS; i++) {
        got[i] = 1;
    }
    OK(cudaMalloc((void **)&to, sizeof(got)));
    OK(cudaMemcpy(to, got, sizeof(got), CUDA_HOST_TO_DEVICE));
    for (long i = 0; i < launches; i++) {
        launch(to, ROUNDS);
        for (int k = 0; k < ROUNDS; k++) {
            expected = 3 * expected + 1;
        }
        for (int k = 0; k < 1000000; k++) {
            sum = sum + 1.0 / (k + 1);
        }
    }
    OK(cudaMemcpy(got, to, sizeof(got), CUDA_DEVICE_TO_HOST));
    for (size_t i = 0; i < THREADS; i++) {
        HOLDS(got[i] == expected);
    }
}

/* ---- the program's own handlers ---- */

static void note(int signal)
{
    noted = signal;
}

static void exit_7(int signal)
{
    (void)signal;
    exit(7);
}

static void leave_7(int signal)
{
    (void)signal;
    _exit(7);
}

static void again(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- ends ---- */

static void *exit_8(void *unused)
{
    (void)unused;
    usleep(200 * 1000);
    exit(8);
}

static void *fault(void *unused)
{
    (void)unused;
    usleep(100 * 1000);
    *(volatile int *)unused = 1;
    return NULL;
}

static void in_thread(void *(*function)(void *))
{
    pthread_t thread;

    HOLDS(pthread_create(&thread, NULL, function, NULL) == 0);
    run(1000000);
}

static void fork_child(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        _exit(3);
    }
    HOLDS(waitpid(child, &status, 0) == child);
    HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    child = fork();
    if (child == 0) {
        raise(SIGTERM);
    }
    HOLDS(waitpid(child, &status, 0) == child);
    HOLDS(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void end(const char *how)
{
    if (strcmp(how, "_exit") == 0) {
        _exit(4);
    } else if (strcmp(how, "_Exit") == 0) {
        _Exit(5);
    } else if (strcmp(how, "quick_exit") == 0) {
        quick_exit(6);
    } else if (strncmp(how, "abort", 5) == 0) {
        abort();
    } else if (strcmp(how, "assert") == 0) {
        /* What the macro calls, inside of the C library. */
        __assert_fail("assert", __FILE__, __LINE__, __func__);
    } else if (strcmp(how, "fault") == 0) {
        *(volatile int *)NULL = 1;
    } else if (strcmp(how, "raise") == 0) {
        raise(SIGTERM);
    } else if (strcmp(how, "fork") == 0) {
        fork_child();
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    long launches = argc > 2 ? strtol(argv[2], NULL, 10) : 2;

    if (strcmp(how, "abort_noted") == 0) {
        signal(SIGABRT, note);
    } else if (strcmp(how, "noted") == 0) {
        signal(SIGTERM, note);
    } else if (strcmp(how, "handler") == 0) {
        signal(SIGTERM, exit_7);
    } else if (strcmp(how, "handler_leaves") == 0) {
        signal(SIGTERM, leave_7);
    }
    run(1);
    fclose(fopen("begun", "w"));     /* send.c may wait for it */
    if (strcmp(how, "again") == 0) { /* once the runtime has its own */
        signal(SIGTERM, again);
    } else if (strcmp(how, "thread") == 0) {
        in_thread(exit_8);
    } else if (strcmp(how, "fault_in_thread") == 0) {
        in_thread(fault);
    }
    run(launches);
    end(how);
    printf("ends: at its end%s\n", noted != 0 ? ", after a signal" : "");
    return 0;
}

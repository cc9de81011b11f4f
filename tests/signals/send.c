/*
 * Runs a program and sends it a signal.
 *
 * usage: send SIGNAL MILLISECONDS PROGRAM [ARG]...
 *
 * SIGNAL is a number, 0 for none; with a `g` behind it the program's whole
 * group gets it, as at a terminal, with a `t` the signal comes twice, and
 * SIGUSR1 is sent before it with a `u`, long before it with a `U`.  What shells
 * and nohup ignore is not ignored.  With a `w` the time begins when the program
 * has made the file `begun`, with a `c` when it catches SIGUSR1, as warploom
 * does from its first moments on: a busy host may take a second until then.
 * Exits as the program did, 128 + n if signal n ended it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LIMIT_S = 600 /* a program that does not end is killed */
};

static void sleep_ms(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0) {
    }
}

/* Has it a handler of SIGUSR1?  Its status says so in a mask of bits. */
static bool catches(pid_t pid)
{
    char path[64], line[128];
    unsigned long long mask = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "SigCgt:", 7) == 0) {
            mask = strtoull(line + 7, NULL, 16);
        }
    }
    fclose(file);
    return (mask >> (SIGUSR1 - 1) & 1) != 0;
}

/* Until the time begins, or the program has ended. */
static void wait_for_begin(pid_t child, const char *how)
{
    siginfo_t ended = {0};
    bool file = strchr(how, 'w') != NULL, caught = strchr(how, 'c') != NULL;

    for (int i = 0; i < LIMIT_S * 100; i++) {
        if ((!file || access("begun", F_OK) == 0) &&
            (!caught || catches(child))) {
            return;
        }
        waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid == child) {
            return;
        }
        sleep_ms(10);
    }
}

int main(int argc, char **argv)
{
    char *how;
    int signal = argc < 4 ? 0 : (int)strtol(argv[1], &how, 10), status;
    pid_t child;

    if (argc < 4) {
        return 2;
    }
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        for (int i = 1; i < SIGRTMIN; i++) {
            sigaction(i, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        }
        alarm(0);
        execv(argv[3], argv + 3);
        _exit(127);
    }
    setpgid(child, child);
    wait_for_begin(child, how);
    sleep_ms(strtol(argv[2], NULL, 10));
    if (strchr(how, 'u') != NULL || strchr(how, 'U') != NULL) {
        kill(child, SIGUSR1);
        sleep_ms(strchr(how, 'u') != NULL ? 50 : 2000);
    }
    for (int times = strchr(how, 't') != NULL ? 2 : 1; signal != 0 && times > 0;
         times--) {
        kill(strchr(how, 'g') != NULL ? -child : child, signal);
    }
    for (int i = 0; i < LIMIT_S * 100; i++) {
        if (waitpid(child, &status, WNOHANG) == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 128 + WTERMSIG(status);
        }
        sleep_ms(10);
    }
    fprintf(stderr, "send: it did not end in %d s\n", LIMIT_S);
    kill(-child, SIGKILL);
    return 125;
}

/*
 * Runs a program and sends it a signal.
 *
 * usage: send SIGNAL MILLISECONDS PROGRAM [ARG]...
 *
 * SIGNAL is a number, 0 for none; with a `g` behind it the program's whole
 * group gets it, as at a terminal, with a `t` the signal comes twice, and
 * SIGUSR1 is sent before it with a `u`, long before it with a `U`.  What shells
 * and nohup ignore is not ignored.  With a `w` the time begins when the program
 * has made the file `begun`.  Exits as the program did, 128 + n if signal n
 * ended it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LIMIT_S = 120 /* a program that does not end is killed */
};

static void sleep_ms(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0) {
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
    for (int i = 0; strchr(how, 'w') != NULL && access("begun", F_OK) != 0 &&
                    i < LIMIT_S * 100;
         i++) {
        sleep_ms(10);
    }
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

/*
 * Standard input and output: guarded at the start, checked at the end.
 */
#include "lua/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lua/interrupt.h"

enum {
    NOT_WRITTEN = 5,            /* as main.c has it */
    BROKEN_PIPE = 128 + SIGPIPE /* as if it had been left to that signal */
};

void loom_standard_guard(void)
{
    /* The wrong way round, so that using them fails as it would have. */
    static const int way[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            /* The lowest number that is free is this one. */
            (void)!open("/dev/null", way[fd]);
        }
    }
}

/* Also where SIGPIPE was ignored from the start. */
static bool is_pipe_broken(int error)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return error == EPIPE || loom_interrupt_broken_pipe() ||
           (poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0);
}

int loom_standard_finish(int status)
{
    bool failed = ferror(stdout) != 0;
    int error = 0;

    if (fflush(stdout) != 0) {
        error = errno;
        failed = true;
    }
    if (!failed) {
        return status;
    }
    if (is_pipe_broken(error)) {
        return status == 0 ? BROKEN_PIPE : status;
    }
    fprintf(stderr, "warploom: cannot write to standard output%s%s\n",
            error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    return status == 0 ? NOT_WRITTEN : status;
}

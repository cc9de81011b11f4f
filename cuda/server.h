/*
 * The thread that the run lives in, and how it ends.
 *
 * What the program asks is done by a thread of ours, while its own waits.  So a
 * program may end in any way, in the middle of a call, too: in a handler of a
 * signal, in another thread, by a fault.  The run stops where it can and its
 * results are written by the thread that knows them.
 *
 * Calls come one at a time: the runtime's lock is held.
 */
#ifndef CUDA_SERVER_H
#define CUDA_SERVER_H

#include <stdbool.h>

#include "lua/host.h"

/* Starts the run with a command line.  False: there is none, and *status is
 * what the program is to exit with. */
bool loom_cuda_server_start(int count, char **word, int *status);

/* Asks the run, and waits for its answer; false: it is over.  Does not return
 * where the program is ending. */
bool loom_cuda_server_call(struct loom_host_call *call);

/* How the run is over: lua/host.h. */
int loom_cuda_server_status(void);
int loom_cuda_server_failure(void);

/* The process that started the run, which is not one of its children? */
bool loom_cuda_server_is_ours(void);
/* Is a call under way? */
bool loom_cuda_server_is_busy(void);

/* The program exits: lets the run come to its end and waits for that.  What
 * another thread has asked for gets some time first. */
void loom_cuda_server_finish(void);

/* ---- ends.c ---- */

/* Handles the signals that would end the program and that it leaves to the
 * system; once the run is there. */
void loom_cuda_watch_ends(void);

/* For handlers, from any thread but the run's; safe in them.  The run stops and
 * then ends the process by `signal`.  False: there was a signal before. */
bool loom_cuda_server_end_by(int signal);
/* Somebody asks where the run is. */
void loom_cuda_server_ask_where(void);
/* Have the results been written? */
bool loom_cuda_server_is_done(void);
/* Is this the run's own thread? */
bool loom_cuda_server_is_self(void);

#endif

/*
 * Between libcudart.so and libwarploom_cuda.so: the program ends without
 * exit(), or says what signals are to do.
 */
#ifndef CUDA_LEAVE_H
#define CUDA_LEAVE_H

#include <signal.h>

/* Lets the run end and its results be written; returns then. */
void loom_cuda_leave(void);
/* The same after abort(), once the program's own handler has returned. */
void loom_cuda_aborted(void);

/* sigaction(), as the program sees it: what it leaves to the system has our
 * handlers, of which it hears nothing. */
int loom_cuda_sigaction(int signal, const struct sigaction *action,
                        struct sigaction *old);
/* The C library's own. */
int __sigaction(int signal, const struct sigaction *action,
                struct sigaction *old);

#endif

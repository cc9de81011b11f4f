/*
 * What a sweep needs of MPI.  The functions are in a module of their own
 * (mpi_module.c), which the program loads only when it was started by an MPI
 * launcher: so MPI is optional when building, and costs nothing otherwise.
 *
 * Messages are short texts.  Nothing here waits for another process: a sweep
 * must go on when one of them is gone.
 */
#ifndef LUA_MPI_H
#define LUA_MPI_H

#include <stdbool.h>

#define LOOM_MPI_TEXT 480 /* bytes of a message, with the final 0 */

struct loom_mpi_ops {
    bool (*begin)(int *rank, int *size);
    /* Sends a copy; false if it cannot be sent. */
    bool (*send)(int rank, const char *text);
    /* The oldest message, if there is one. */
    bool (*poll)(int *rank, char text[LOOM_MPI_TEXT]);
    /* All are there: MPI_Finalize. */
    void (*end)(void);
};

#define LOOM_MPI_SYMBOL "loom_mpi_ops"

#endif

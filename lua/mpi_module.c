/*
 * MPI for sweeps: short texts between ranks.
 *
 * Sends are started and completed later, so that a receiver that was killed
 * holds up nobody; their buffers are a ring.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "lua/mpi.h"

enum {
    SENDS = 1024, /* under way at a time */
    TAG = 1
};

/* The state of the one MPI there can be in a process. */
static struct {
    MPI_Request request[SENDS];
    char text[SENDS][LOOM_MPI_TEXT];
    unsigned next;
    bool is_ready;
} mpi;

static bool begin(int *rank, int *size)
{
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        return false;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    for (int i = 0; i < SENDS; i++) {
        mpi.request[i] = MPI_REQUEST_NULL;
    }
    mpi.is_ready = true;
    return true;
}

/* A slot of the ring that is free; SENDS if none is. */
static unsigned slot(void)
{
    for (unsigned i = 0; i < SENDS; i++) {
        unsigned at = (mpi.next + i) % SENDS;
        int done = 0;

        if (MPI_Test(&mpi.request[at], &done, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS ||
            done) {
            mpi.next = at + 1;
            return at;
        }
    }
    return SENDS;
}

static bool send_text(int rank, const char *text)
{
    unsigned at = slot();

    if (at == SENDS) {
        return false;
    }
    strncpy(mpi.text[at], text, LOOM_MPI_TEXT - 1);
    mpi.text[at][LOOM_MPI_TEXT - 1] = '\0';
    return MPI_Isend(mpi.text[at], LOOM_MPI_TEXT, MPI_CHAR, rank, TAG,
                     MPI_COMM_WORLD, &mpi.request[at]) == MPI_SUCCESS;
}

static bool poll_text(int *rank, char text[LOOM_MPI_TEXT])
{
    MPI_Status status;
    int there = 0;

    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) !=
            MPI_SUCCESS ||
        !there) {
        return false;
    }
    *rank = status.MPI_SOURCE;
    if (MPI_Recv(text, LOOM_MPI_TEXT, MPI_CHAR, *rank, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        return false;
    }
    text[LOOM_MPI_TEXT - 1] = '\0';
    return true;
}

static void end(void)
{
    if (mpi.is_ready) {
        MPI_Finalize();
    }
    mpi.is_ready = false;
}

extern const struct loom_mpi_ops loom_mpi_ops;
const struct loom_mpi_ops loom_mpi_ops = {begin, send_text, poll_text, end};

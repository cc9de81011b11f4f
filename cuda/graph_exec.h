/*
 * A graph that can be launched (graph_run.c), and how it is changed
 * (graph_update.c).
 */
#ifndef CUDA_GRAPH_EXEC_H
#define CUDA_GRAPH_EXEC_H

#include "cuda/graph.h"

#define LOOM_CUDA_EXEC_MAGIC 0x6365786564756300 /* "\0cudexec" */

struct cuda_exec {
    uint64_t magic, flags;
    struct cuda_graph
        *graph; /* a clone; its nodes' origins are the program's */
    struct cuda_node **order;
    void **lane;             /* [lanes] streams, if there are several */
    struct cuda_node **last; /* [lanes] */
    int *device;             /* [lanes] of its kernels; -1: it has none */
    size_t lanes;
    void *begin; /* an event; NULL: there is one lane */
};

/* Of a handle, or NULL. */
static inline struct cuda_exec *loom_cuda_exec_of(struct cuda_exec *handle)
{
    return handle != NULL && handle->magic == LOOM_CUDA_EXEC_MAGIC ? handle
                                                                   : NULL;
}

#endif

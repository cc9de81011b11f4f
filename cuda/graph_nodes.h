/*
 * What programs say of nodes, in the layouts of driver_types.h and cuda.h, and
 * how nodes are made of it.
 */
#ifndef CUDA_GRAPH_NODES_H
#define CUDA_GRAPH_NODES_H

#include "cuda/graph.h"

enum {
    LOOM_CUDA_COOPERATIVE = 2, /* cudaLaunchAttributeCooperative */
    LOOM_CUDA_ATTRIBUTE_BYTES = 64
};

/* cudaKernelNodeParams, CUDA_KERNEL_NODE_PARAMS; that of CUDA 12 has two more
 * at the end. */
struct cuda_kernel_params {
    const void *kernel;
    struct cuda_dim3 grid, block;
    uint32_t shared_bytes;
    void **args, **extra;
};

/* cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS */
struct cuda_fill_params {
    void *at;
    size_t pitch;
    uint32_t value, unit;
    size_t width, height;
};

/* cudaHostNodeParams */
struct cuda_host_params {
    void (*function)(void *);
    void *data;
};

/* cudaMemAllocNodeParams */
struct cuda_alloc_params {
    int32_t type, handles, location_type, location;
    void *attributes;
    size_t most;
    char reserved[56];
    const void *access;
    size_t accesses, bytes;
    void *at;
};

/* cudaConditionalNodeParams, CUDA_CONDITIONAL_NODE_PARAMS */
struct cuda_condition_params {
    uint64_t handle;
    int32_t kind;
    uint32_t count;
    struct cuda_graph **body; /* set where the node is made */
};

/* cudaGraphNodeParams */
struct cuda_node_params {
    int32_t type, reserved[3];
    union {
        long long room[29];
        struct cuda_kernel_params kernel;
        struct {
            int32_t flags, reserved[3];
            struct cuda_copy3d copy;
        } copy;
        struct cuda_fill_params fill;
        struct cuda_host_params host;
        struct cuda_graph *graph;
        void *event;
        struct cuda_alloc_params alloc;
        void *free;
        struct cuda_condition_params condition;
    } of;
    long long end;
};

/* cudaGraphExecUpdateResultInfo */
struct loom_cuda_update {
    int32_t result;
    struct cuda_node *node, *from;
};
int loom_cuda_exec_update(struct cuda_exec *exec, struct cuda_graph *graph,
                          struct loom_cuda_update *info);

/* All note an error as the thread's last.  Where `error` is one there is no
 * work, which they take over. */
int loom_cuda_node_put(struct cuda_node **made, struct cuda_graph *handle,
                       struct loom_cuda_nodes before, int error,
                       struct loom_cuda_work work);
int loom_cuda_node_set(struct cuda_node *handle, int error,
                       struct loom_cuda_work work);
int loom_cuda_condition_add(struct cuda_node **made, struct cuda_graph *graph,
                            struct loom_cuda_nodes before,
                            struct cuda_condition_params *p);
/* A node's, if it is of that type; else NULL. */
const struct loom_cuda_work *loom_cuda_node_work(struct cuda_node *handle,
                                                 int type);
int loom_cuda_copy_attributes(struct cuda_node *to, struct cuda_node *from);
int loom_cuda_kernel_work(const struct cuda_kernel_params *p,
                          struct loom_cuda_work *work);

#endif

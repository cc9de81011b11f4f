/*
 * Graphs, captures and pools of the driver API: the runtime's, whose layouts
 * are the driver's but for copies.
 *
 * Names without a suffix are those of CUDA 10, whose edges have no data.
 */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/graph_calls.h"

/* CUDA_KERNEL_NODE_PARAMS: a CUkernel may be in the place of a CUfunction. */
struct driver_kernel_params {
    struct cuda_kernel_params plain;
    const void *kernel, *context;
};

/* CUgraphNodeParams, where it is not the runtime's. */
struct driver_node_params {
    int32_t type, reserved[3];
    union {
        struct driver_kernel_params kernel;
        struct {
            int32_t flags, reserved;
            void *context;
            struct driver_copy3d copy;
        } copy;
    } of;
};

static struct loom_cuda_nodes list(struct cuda_node *const *before,
                                   size_t count)
{
    return (struct loom_cuda_nodes){before, count};
}

/* ---- kernels ---- */

static struct cuda_kernel_params plain(const struct driver_kernel_params *p)
{
    struct cuda_kernel_params made = p->plain;

    if (made.kernel == NULL) {
        made.kernel = p->kernel;
    }
    return made;
}

static int add_kernel(struct cuda_node **made, struct cuda_graph *graph,
                      struct loom_cuda_nodes before,
                      const struct driver_kernel_params *p)
{
    struct cuda_kernel_params params;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    params = plain(p);
    return cudaGraphAddKernelNode(made, graph, before.node, before.count,
                                  &params);
}

LOOM_CUDA(int, cuGraphAddKernelNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_kernel_params *p)
{
    return LOOM_DRIVEN(cudaGraphAddKernelNode(made, graph, before, count, p));
}

LOOM_CUDA(int, cuGraphAddKernelNode_v2, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct driver_kernel_params *p)
{
    return LOOM_DRIVEN(add_kernel(made, graph, list(before, count), p));
}

LOOM_CUDA(int, cuGraphKernelNodeGetParams, struct cuda_node *node,
          struct cuda_kernel_params *p)
{
    return LOOM_DRIVEN(cudaGraphKernelNodeGetParams(node, p));
}

LOOM_CUDA(int, cuGraphKernelNodeGetParams_v2, struct cuda_node *node,
          struct driver_kernel_params *p)
{
    if (p != NULL) {
        memset(p, 0, sizeof(*p));
    }
    return LOOM_DRIVEN(
        cudaGraphKernelNodeGetParams(node, p == NULL ? NULL : &p->plain));
}

static int set_kernel(struct cuda_node *node,
                      const struct driver_kernel_params *p)
{
    struct cuda_kernel_params params;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    params = plain(p);
    return cudaGraphKernelNodeSetParams(node, &params);
}

LOOM_CUDA(int, cuGraphKernelNodeSetParams, struct cuda_node *node,
          const struct cuda_kernel_params *p)
{
    return LOOM_DRIVEN(cudaGraphKernelNodeSetParams(node, p));
}

LOOM_CUDA(int, cuGraphKernelNodeSetParams_v2, struct cuda_node *node,
          const struct driver_kernel_params *p)
{
    return LOOM_DRIVEN(set_kernel(node, p));
}

LOOM_CUDA(int, cuGraphExecKernelNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_kernel_params *p)
{
    return LOOM_DRIVEN(cudaGraphExecKernelNodeSetParams(exec, node, p));
}

LOOM_CUDA(int, cuGraphExecKernelNodeSetParams_v2, struct cuda_exec *exec,
          struct cuda_node *node, const struct driver_kernel_params *p)
{
    return LOOM_DRIVEN(set_kernel(loom_cuda_exec_node(exec, node), p));
}

/* ---- copies ---- */

static int copy_work(const struct driver_copy3d *p, struct loom_cuda_work *work)
{
    work->type = NODE_COPY;
    return p == NULL ? CUDA_INVALID_VALUE
                     : loom_driver_copy_box(p, &work->of.copy);
}

static int add_copy(struct cuda_node **made, struct cuda_graph *graph,
                    struct loom_cuda_nodes before,
                    const struct driver_copy3d *p)
{
    struct loom_cuda_work work;
    int error = copy_work(p, &work);

    return loom_cuda_node_put(made, graph, before, error, work);
}

LOOM_CUDA(int, cuGraphAddMemcpyNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct driver_copy3d *p, const void *context)
{
    (void)context;
    return LOOM_DRIVEN(add_copy(made, graph, list(before, count), p));
}

static int set_copy(struct cuda_node *node, const struct driver_copy3d *p)
{
    struct loom_cuda_work work;
    int error = copy_work(p, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cuGraphMemcpyNodeSetParams, struct cuda_node *node,
          const struct driver_copy3d *p)
{
    return LOOM_DRIVEN(set_copy(node, p));
}

LOOM_CUDA(int, cuGraphExecMemcpyNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct driver_copy3d *p,
          const void *context)
{
    (void)context;
    return LOOM_DRIVEN(set_copy(loom_cuda_exec_node(exec, node), p));
}

static struct driver_side3d told_side(uint64_t at, size_t pitch, size_t slice,
                                      bool host)
{
    return (struct driver_side3d){.type = host ? LOOM_DRIVER_HOST
                                               : LOOM_DRIVER_DEVICE,
                                  .host = host ? loom_driver_pointer(at) : NULL,
                                  .device = host ? 0 : at,
                                  .pitch = pitch,
                                  .height = pitch == 0 ? 0 : slice / pitch};
}

LOOM_CUDA(int, cuGraphMemcpyNodeGetParams, struct cuda_node *node,
          struct driver_copy3d *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_COPY);
    const struct loom_cuda_copy *c;

    if (work == NULL || p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    c = &work->of.copy;
    *p = (struct driver_copy3d){
        .from = told_side(c->from, c->from_pitch, c->from_slice,
                          c->kind == CUDA_HOST_TO_DEVICE ||
                              c->kind == CUDA_HOST_TO_HOST),
        .to = told_side(c->to, c->to_pitch, c->to_slice,
                        c->kind == CUDA_DEVICE_TO_HOST ||
                            c->kind == CUDA_HOST_TO_HOST),
        .width = c->width,
        .height = c->height,
        .depth = c->depth};
    return CUDA_OK;
}

/* ---- those with a context, which says nothing here ---- */

LOOM_CUDA(int, cuGraphAddMemsetNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_fill_params *p, const void *context)
{
    (void)context;
    return LOOM_DRIVEN(cudaGraphAddMemsetNode(made, graph, before, count, p));
}

LOOM_CUDA(int, cuGraphExecMemsetNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_fill_params *p,
          const void *context)
{
    (void)context;
    return LOOM_DRIVEN(cudaGraphExecMemsetNodeSetParams(exec, node, p));
}

/* ---- any kind ---- */

static int add_node(struct cuda_node **made, struct cuda_graph *graph,
                    struct loom_cuda_nodes before, void *any)
{
    const struct driver_node_params *p = any;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    switch (p->type) {
    case NODE_KERNEL:
        return add_kernel(made, graph, before, &p->of.kernel);
    case NODE_COPY:
        return add_copy(made, graph, before, &p->of.copy.copy);
    default:
        return cudaGraphAddNode_v2(made, graph, before.node, NULL, before.count,
                                   any);
    }
}

LOOM_CUDA(int, cuGraphAddNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *p)
{
    return LOOM_DRIVEN(add_node(made, graph, list(before, count), p));
}

LOOM_CUDA(int, cuGraphAddNode_v2, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          const void *data, size_t count, void *p)
{
    (void)data;
    return LOOM_DRIVEN(add_node(made, graph, list(before, count), p));
}

static int set_node(struct cuda_node *node, const void *any)
{
    const struct driver_node_params *p = any;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    switch (p->type) {
    case NODE_KERNEL:
        return set_kernel(node, &p->of.kernel);
    case NODE_COPY:
        return set_copy(node, &p->of.copy.copy);
    default:
        return cudaGraphNodeSetParams(node, any);
    }
}

LOOM_CUDA(int, cuGraphNodeSetParams, struct cuda_node *node, const void *p)
{
    return LOOM_DRIVEN(set_node(node, p));
}

static int set_launched(struct cuda_exec *exec, struct cuda_node *node,
                        const struct cuda_node_params *p)
{
    return p != NULL && p->type == NODE_GRAPH
               ? cudaGraphExecChildGraphNodeSetParams(exec, node, p->of.graph)
               : set_node(loom_cuda_exec_node(exec, node), p);
}

LOOM_CUDA(int, cuGraphExecNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const void *p)
{
    return LOOM_DRIVEN(set_launched(exec, node, p));
}

/* ---- instantiation, updates ---- */

/* With places for a node and a text about what is wrong. */
LOOM_CUDA(int, cuGraphInstantiate, struct cuda_exec **made,
          struct cuda_graph *graph, struct cuda_node **wrong, char *text,
          size_t room)
{
    if (wrong != NULL) {
        *wrong = NULL;
    }
    if (text != NULL && room > 0) {
        text[0] = '\0';
    }
    return LOOM_DRIVEN(cudaGraphInstantiateWithFlags(made, graph, 0));
}

static int update(struct cuda_exec *exec, struct cuda_graph *graph,
                  struct cuda_node **node, int *result)
{
    struct loom_cuda_update info;
    int error = loom_cuda_exec_update(exec, graph, &info);

    if (node != NULL && result != NULL) {
        *node = info.node;
        *result = info.result;
    }
    return error;
}

LOOM_CUDA(int, cuGraphExecUpdate, struct cuda_exec *exec,
          struct cuda_graph *graph, struct cuda_node **node, int *result)
{
    return LOOM_DRIVEN(update(exec, graph, node, result));
}

static int update_info(struct cuda_exec *exec, struct cuda_graph *graph,
                       struct loom_cuda_update *info)
{
    struct loom_cuda_update unread;

    return loom_cuda_exec_update(exec, graph, info == NULL ? &unread : info);
}

LOOM_CUDA(int, cuGraphExecUpdate_v2, struct cuda_exec *exec,
          struct cuda_graph *graph, struct loom_cuda_update *info)
{
    return LOOM_DRIVEN(update_info(exec, graph, info));
}

LOOM_CUDA_ALIAS(cuGraphInstantiate_v2, cuGraphInstantiate);

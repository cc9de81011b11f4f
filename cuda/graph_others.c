/*
 * Nodes of graphs that order others, are the host's or hold memory; and nodes
 * of any kind, by what tells of which.
 */
#include <string.h>

#include "cuda/graph_calls.h"

static struct loom_cuda_nodes list(struct cuda_node *const *before,
                                   size_t count)
{
    return (struct loom_cuda_nodes){before, count};
}

/* ---- empty ones, functions of the host ---- */

LOOM_CUDA(int, cudaGraphAddEmptyNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count)
{
    struct loom_cuda_work work = {.type = NODE_EMPTY};

    return loom_cuda_node_put(made, graph, list(before, count), CUDA_OK, work);
}

static int host_work(const struct cuda_host_params *p,
                     struct loom_cuda_work *work)
{
    if (p == NULL || p->function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *work = (struct loom_cuda_work){.type = NODE_HOST,
                                    .of.host = {p->function, p->data}};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphAddHostNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_host_params *p)
{
    struct loom_cuda_work work;
    int error = host_work(p, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphHostNodeGetParams, struct cuda_node *node,
          struct cuda_host_params *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_HOST);

    if (work == NULL || p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *p = (struct cuda_host_params){work->of.host.function, work->of.host.data};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphHostNodeSetParams, struct cuda_node *node,
          const struct cuda_host_params *p)
{
    struct loom_cuda_work work;
    int error = host_work(p, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecHostNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_host_params *p)
{
    return cudaGraphHostNodeSetParams(loom_cuda_exec_node(exec, node), p);
}

/* ---- graphs in graphs ---- */

LOOM_CUDA(int, cudaGraphAddChildGraphNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, struct cuda_graph *child)
{
    struct loom_cuda_work work = {.type = NODE_GRAPH};
    int error = CUDA_INVALID_VALUE;

    if (loom_cuda_graph_of(child) != NULL) {
        loom_cuda_lock();
        work.of.graph = loom_cuda_graph_clone(child);
        loom_cuda_unlock();
        error = work.of.graph == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK;
    }
    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphChildGraphNodeGetGraph, struct cuda_node *node,
          struct cuda_graph **graph)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_GRAPH);

    if (work == NULL || graph == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *graph = work->of.graph;
    return CUDA_OK;
}

/* ---- events ---- */

static int event_work(int type, void *event, struct loom_cuda_work *work)
{
    *work = (struct loom_cuda_work){.type = type, .of.event = event};
    return event == NULL ? CUDA_INVALID_VALUE : CUDA_OK;
}

static int get_event(struct cuda_node *node, int type, void **event)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, type);

    if (work == NULL || event == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *event = work->of.event;
    return CUDA_OK;
}

static int set_event(struct cuda_node *node, int type, void *event)
{
    struct loom_cuda_work work;
    int error = event_work(type, event, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphAddEventRecordNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *event)
{
    struct loom_cuda_work work;
    int error = event_work(NODE_RECORD, event, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphAddEventWaitNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *event)
{
    struct loom_cuda_work work;
    int error = event_work(NODE_WAIT, event, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphEventRecordNodeGetEvent, struct cuda_node *node,
          void **event)
{
    return get_event(node, NODE_RECORD, event);
}

LOOM_CUDA(int, cudaGraphEventRecordNodeSetEvent, struct cuda_node *node,
          void *event)
{
    return set_event(node, NODE_RECORD, event);
}

LOOM_CUDA(int, cudaGraphExecEventRecordNodeSetEvent, struct cuda_exec *exec,
          struct cuda_node *node, void *event)
{
    return set_event(loom_cuda_exec_node(exec, node), NODE_RECORD, event);
}

LOOM_CUDA(int, cudaGraphEventWaitNodeGetEvent, struct cuda_node *node,
          void **event)
{
    return get_event(node, NODE_WAIT, event);
}

LOOM_CUDA(int, cudaGraphEventWaitNodeSetEvent, struct cuda_node *node,
          void *event)
{
    return set_event(node, NODE_WAIT, event);
}

LOOM_CUDA(int, cudaGraphExecEventWaitNodeSetEvent, struct cuda_exec *exec,
          struct cuda_node *node, void *event)
{
    return set_event(loom_cuda_exec_node(exec, node), NODE_WAIT, event);
}

/* ---- memory: it is there from when the node is made, as long as the run ----
 */

LOOM_CUDA(int, cudaGraphAddMemAllocNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, struct cuda_alloc_params *p)
{
    struct loom_cuda_work work = {.type = NODE_ALLOC};
    int error = CUDA_INVALID_VALUE;

    if (p != NULL && loom_cuda_graph_of(graph) != NULL) {
        error = loom_cuda_pool_keep(p->bytes, &p->at);
        work.of.memory.at = p->at;
        work.of.memory.bytes = p->bytes;
    }
    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphMemAllocNodeGetParams, struct cuda_node *node,
          struct cuda_alloc_params *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_ALLOC);

    if (work == NULL || p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *p = (struct cuda_alloc_params){.type = 1,
                                    .location_type = 1,
                                    .bytes = work->of.memory.bytes,
                                    .at = work->of.memory.at};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphAddMemFreeNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *at)
{
    struct loom_cuda_work work = {.type = NODE_FREE, .of.memory = {.at = at}};

    return loom_cuda_node_put(made, graph, list(before, count),
                              at == NULL ? CUDA_INVALID_VALUE : CUDA_OK, work);
}

LOOM_CUDA(int, cudaGraphMemFreeNodeGetParams, struct cuda_node *node, void **at)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_FREE);

    if (work == NULL || at == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *at = work->of.memory.at;
    return CUDA_OK;
}

/* ---- any kind ---- */

static int refuse(void)
{
    loom_cuda_complain(
        "nodes of graphs for external semaphores are not provided");
    return loom_cuda_done(CUDA_NOT_SUPPORTED);
}

static int add_node(struct cuda_node **made, struct cuda_graph *graph,
                    struct loom_cuda_nodes before, struct cuda_node_params *p)
{
    struct cuda_node *const *node = before.node;
    size_t count = before.count;

    if (p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    switch (p->type) {
    case NODE_KERNEL:
        return cudaGraphAddKernelNode(made, graph, node, count, &p->of.kernel);
    case NODE_COPY:
        return cudaGraphAddMemcpyNode(made, graph, node, count,
                                      &p->of.copy.copy);
    case NODE_FILL:
        return cudaGraphAddMemsetNode(made, graph, node, count, &p->of.fill);
    case NODE_HOST:
        return cudaGraphAddHostNode(made, graph, node, count, &p->of.host);
    case NODE_GRAPH:
        return cudaGraphAddChildGraphNode(made, graph, node, count,
                                          p->of.graph);
    case NODE_EMPTY:
        return cudaGraphAddEmptyNode(made, graph, node, count);
    case NODE_WAIT:
        return cudaGraphAddEventWaitNode(made, graph, node, count, p->of.event);
    case NODE_RECORD:
        return cudaGraphAddEventRecordNode(made, graph, node, count,
                                           p->of.event);
    case NODE_ALLOC:
        return cudaGraphAddMemAllocNode(made, graph, node, count, &p->of.alloc);
    case NODE_FREE:
        return cudaGraphAddMemFreeNode(made, graph, node, count, p->of.free);
    case NODE_CONDITIONAL:
        return loom_cuda_condition_add(made, graph, before, &p->of.condition);
    default:
        return refuse();
    }
}

LOOM_CUDA(int, cudaGraphAddNode_v2, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          const void *edges, size_t count, struct cuda_node_params *p)
{
    (void)edges;
    return add_node(made, graph, list(before, count), p);
}

/* Before CUDA 13 without the edges' data. */
LOOM_CUDA(int, cudaGraphAddNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          uintptr_t edges_or_count, uintptr_t count_or_params,
          struct cuda_node_params *p)
{
    return loom_cuda_version() >= 13
               ? add_node(made, graph, list(before, count_or_params), p)
               : add_node(made, graph, list(before, edges_or_count),
                          (struct cuda_node_params *)count_or_params);
}

LOOM_CUDA(int, cudaGraphNodeSetParams, struct cuda_node *node,
          const struct cuda_node_params *p)
{
    if (p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    switch (p->type) {
    case NODE_KERNEL:
        return cudaGraphKernelNodeSetParams(node, &p->of.kernel);
    case NODE_COPY:
        return cudaGraphMemcpyNodeSetParams(node, &p->of.copy.copy);
    case NODE_FILL:
        return cudaGraphMemsetNodeSetParams(node, &p->of.fill);
    case NODE_HOST:
        return cudaGraphHostNodeSetParams(node, &p->of.host);
    case NODE_WAIT:
    case NODE_RECORD:
        return set_event(node, p->type, p->of.event);
    default:
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
}

LOOM_CUDA(int, cudaGraphExecNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_node_params *p)
{
    return p != NULL && p->type == NODE_GRAPH
               ? cudaGraphExecChildGraphNodeSetParams(exec, node, p->of.graph)
               : cudaGraphNodeSetParams(loom_cuda_exec_node(exec, node), p);
}

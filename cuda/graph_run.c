/*
 * Graphs that can be launched.
 *
 * A node is done by what a call would have done, in an order in which those
 * before it come first.  For time there are lanes: a node goes on in the lane
 * of one before it that nothing else has gone on from, else it begins a lane,
 * so that what may overlap does.  The first lane is the stream of the launch,
 * if that is not the default stream, for which all others wait; lanes else are
 * streams of the graph's own, and events order them.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/graph_nodes.h"

#define EXEC_MAGIC 0x6365786564756300 /* "\0cudexec" */

enum {
    EVENT_NO_TIMING = CUDA_EVENT_NO_TIMING,
    RESULT_OK = 0, /* enum cudaGraphExecUpdateResult */
    RESULT_TOPOLOGY = 2,
    RESULT_TYPE = 3,
    RESULT_PARAMETERS = 5,
    INVALID_STRUCTURE = 2 /* cudaGraphInstantiateResult */
};

struct cuda_exec {
    uint64_t magic, flags;
    struct cuda_graph
        *graph; /* a clone; its nodes' origins are the program's */
    struct cuda_node **order;
    void **lane;             /* [lanes] streams, if there are several */
    struct cuda_node **last; /* [lanes] */
    size_t lanes;
    void *begin; /* an event; NULL: there is one lane */
};

struct cuda_instantiate {
    uint64_t flags;
    void *stream;
    struct cuda_node *wrong;
    int32_t result;
};

static struct cuda_exec *exec_of(struct cuda_exec *handle)
{
    return handle != NULL && handle->magic == EXEC_MAGIC ? handle : NULL;
}

static void destroy_exec(struct cuda_exec *exec)
{
    if (exec == NULL) {
        return;
    }
    for (size_t i = 0; i < exec->lanes; i++) {
        if (exec->lane[i] != NULL) {
            cudaStreamDestroy(exec->lane[i]);
        }
    }
    for (size_t i = 0; i < exec->graph->nodes; i++) {
        if (exec->graph->node[i]->event != NULL) {
            cudaEventDestroy(exec->graph->node[i]->event);
        }
        destroy_exec(exec->graph->node[i]->exec);
    }
    if (exec->begin != NULL) {
        cudaEventDestroy(exec->begin);
    }
    loom_cuda_graph_destroy(exec->graph);
    free(exec->order);
    free(exec->lane);
    free(exec->last);
    exec->magic = 0;
    free(exec);
}

/* ---- lanes ---- */

static int want_event(void **event)
{
    return *event != NULL ? CUDA_OK
                          : cudaEventCreateWithFlags(event, EVENT_NO_TIMING);
}

static void choose_lane(struct cuda_exec *exec, struct cuda_node *node)
{
    node->lane = exec->lanes;
    for (size_t i = node->befores; i-- > 0;) {
        size_t lane = node->before[i]->lane;

        if (exec->last[lane] == node->before[i]) {
            node->lane = lane;
        }
    }
    if (node->lane == exec->lanes) {
        exec->lanes++;
    }
    exec->last[node->lane] = node;
}

/* Events for what is waited for in another lane, and the lanes' ends. */
static int make_events(struct cuda_exec *exec)
{
    int error = exec->lanes > 1 ? want_event(&exec->begin) : CUDA_OK;

    for (size_t i = 0; i < exec->graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = exec->order[i];

        for (size_t k = 0; k < node->befores && error == CUDA_OK; k++) {
            if (node->before[k]->lane != node->lane) {
                error = want_event(&node->before[k]->event);
            }
        }
    }
    for (size_t i = 0; exec->lanes > 1 && i < exec->lanes && error == CUDA_OK;
         i++) {
        error = want_event(&exec->last[i]->event);
        if (error == CUDA_OK) {
            error = cudaStreamCreateWithPriority(&exec->lane[i], 0, 0);
        }
    }
    return error;
}

static int plan(struct cuda_exec *exec)
{
    size_t nodes = exec->graph->nodes;

    exec->order = loom_cuda_graph_order(exec->graph);
    exec->lane = calloc(nodes + 1, sizeof(*exec->lane));
    exec->last = calloc(nodes + 1, sizeof(*exec->last));
    if (exec->order == NULL || exec->lane == NULL || exec->last == NULL) {
        return exec->order == NULL ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < nodes; i++) {
        choose_lane(exec, exec->order[i]);
    }
    return make_events(exec);
}

/* Makes one of a graph that becomes its own. */
static int make_exec(struct cuda_graph *graph, uint64_t flags,
                     struct cuda_exec **made)
{
    struct cuda_exec *exec = calloc(1, sizeof(*exec));
    int error = CUDA_OK;

    if (exec == NULL || graph == NULL) {
        loom_cuda_graph_destroy(graph);
        free(exec);
        return CUDA_OUT_OF_MEMORY;
    }
    exec->magic = EXEC_MAGIC;
    exec->flags = flags;
    exec->graph = graph;
    for (size_t i = 0; i < graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = graph->node[i];

        if (node->work.type == NODE_GRAPH) {
            error = make_exec(loom_cuda_graph_clone(node->work.of.graph), 0,
                              &node->exec);
        }
    }
    if (error == CUDA_OK) {
        error = plan(exec);
    }
    if (error != CUDA_OK) {
        destroy_exec(exec);
        return error;
    }
    *made = exec;
    return CUDA_OK;
}

/* ---- launches ---- */

static int launch_exec(struct cuda_exec *exec, void *stream);

static int do_work(struct cuda_node *node, void *stream)
{
    struct loom_cuda_work work = node->work; /* what it keeps is the node's */

    switch (work.type) {
    case NODE_KERNEL:
        work.of.kernel.how.stream = stream;
        work.of.kernel.how.begins = 1;
        return loom_cuda_launch(work.of.kernel.handle, work.of.kernel.how);
    case NODE_COPY:
        work.of.copy.stream = stream;
        work.of.copy.async = true;
        return loom_cuda_copy(work.of.copy);
    case NODE_FILL:
        work.of.fill.stream = stream;
        return loom_cuda_fill(work.of.fill);
    case NODE_HOST:
        return cudaLaunchHostFunc(stream, work.of.host.function,
                                  work.of.host.data);
    case NODE_GRAPH:
        return launch_exec(node->exec, stream);
    case NODE_WAIT:
        return cudaStreamWaitEvent(stream, work.of.event, 0);
    case NODE_RECORD:
        return cudaEventRecordWithFlags(work.of.event, stream, 0);
    default:
        return CUDA_OK; /* memory is there as long as the run */
    }
}

static int do_node(struct cuda_exec *exec, struct cuda_node *node, void *stream)
{
    int error = CUDA_OK;

    if (node->befores == 0 && exec->begin != NULL &&
        stream == exec->lane[node->lane]) {
        error = cudaStreamWaitEvent(stream, exec->begin, 0);
    }
    for (size_t i = 0; i < node->befores && error == CUDA_OK; i++) {
        if (node->before[i]->lane != node->lane) {
            error = cudaStreamWaitEvent(stream, node->before[i]->event, 0);
        }
    }
    if (error == CUDA_OK && !node->disabled) {
        error = do_work(node, stream);
    }
    if (error == CUDA_OK && node->event != NULL) {
        error = cudaEventRecordWithFlags(node->event, stream, 0);
    }
    return error;
}

static int launch_exec(struct cuda_exec *exec, void *stream)
{
    uint64_t number = 0;
    int error = loom_cuda_stream(stream, &number);
    size_t own = exec->begin != NULL && number == 0 ? 0 : 1; /* the first */

    if (error == CUDA_OK && exec->begin != NULL) {
        error = cudaEventRecordWithFlags(exec->begin, stream, 0);
    }

    for (size_t i = 0; i < exec->graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = exec->order[i];

        error = do_node(exec, node,
                        node->lane < own ? stream : exec->lane[node->lane]);
    }
    for (size_t i = own; i < exec->lanes && error == CUDA_OK; i++) {
        error = cudaStreamWaitEvent(stream, exec->last[i]->event, 0);
    }
    return error;
}

/* Into another graph: as a child, which knows no updates of this one. */
static int capture_exec(const struct cuda_exec *exec, void *stream)
{
    struct loom_cuda_work work = {.type = NODE_GRAPH};
    int error = CUDA_OUT_OF_MEMORY;

    loom_cuda_lock();
    work.of.graph = loom_cuda_graph_clone(exec->graph);
    if (work.of.graph != NULL) {
        error = loom_cuda_capture(stream, work);
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cudaGraphLaunch, struct cuda_exec *handle, void *stream)
{
    struct cuda_exec *exec = exec_of(handle);
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (exec == NULL || error != CUDA_OK) {
        return loom_cuda_done(exec == NULL ? CUDA_INVALID_VALUE : error);
    }
    return loom_cuda_done(loom_cuda_captures(stream)
                              ? capture_exec(exec, stream)
                              : launch_exec(exec, stream));
}

LOOM_CUDA(int, cudaGraphUpload, struct cuda_exec *exec, void *stream)
{
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    return loom_cuda_done(exec_of(exec) == NULL ? CUDA_INVALID_VALUE : error);
}

/* ---- instantiation ---- */

static int instantiate(struct cuda_exec **made, struct cuda_graph *handle,
                       uint64_t flags)
{
    struct cuda_graph *graph = loom_cuda_graph_of(handle);
    int error;

    if (made == NULL || graph == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    error = make_exec(loom_cuda_graph_clone(graph), flags, made);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaGraphInstantiateWithFlags, struct cuda_exec **made,
          struct cuda_graph *graph, uint64_t flags)
{
    return instantiate(made, graph, flags);
}

/* Before CUDA 12 it has places for a node and a text about what is wrong. */
LOOM_CUDA(int, cudaGraphInstantiate, struct cuda_exec **made,
          struct cuda_graph *graph, uint64_t flags_or_node, char *text,
          size_t room)
{
    uint64_t flags = flags_or_node;

    if (loom_cuda_version() < 12) {
        void **node = (void **)(uintptr_t)flags_or_node;

        flags = 0;
        if (node != NULL) {
            *node = NULL;
        }
        if (text != NULL && room > 0) {
            text[0] = '\0';
        }
    }
    return instantiate(made, graph, flags);
}

LOOM_CUDA(int, cudaGraphInstantiateWithParams, struct cuda_exec **made,
          struct cuda_graph *graph, struct cuda_instantiate *how)
{
    int error;

    if (how == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    error = instantiate(made, graph, how->flags);
    how->wrong = NULL;
    how->result = error == CUDA_OK              ? 0
                  : error == CUDA_INVALID_VALUE ? INVALID_STRUCTURE
                                                : 1;
    return error;
}

LOOM_CUDA(int, cudaGraphExecGetFlags, struct cuda_exec *handle, uint64_t *flags)
{
    const struct cuda_exec *exec = exec_of(handle);

    if (exec == NULL || flags == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *flags = exec->flags;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphExecDestroy, struct cuda_exec *handle)
{
    if (exec_of(handle) == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    destroy_exec(handle);
    loom_cuda_unlock();
    return CUDA_OK;
}

/* ---- updates ---- */

struct cuda_node *loom_cuda_exec_node(struct cuda_exec *handle,
                                      struct cuda_node *node)
{
    struct cuda_exec *exec = exec_of(handle);

    return exec == NULL || loom_cuda_node_of(node) == NULL
               ? NULL
               : loom_cuda_node_in(exec->graph, node);
}

static bool same_before(const struct cuda_node *a, const struct cuda_node *b)
{
    bool same = a->befores == b->befores;

    for (size_t i = 0; same && i < a->befores; i++) {
        same = a->before[i]->index == b->before[i]->index;
    }
    return same;
}

/* Does a graph differ from what is to be launched in more than its work?  What
 * has not the same node in the same place has. */
static int compare(const struct cuda_exec *exec, const struct cuda_graph *graph,
                   struct loom_cuda_update *info)
{
    for (size_t i = 0; i < graph->nodes; i++) {
        struct cuda_node *node = graph->node[i];

        info->node = node;
        if (i >= exec->graph->nodes ||
            !same_before(exec->graph->node[i], node)) {
            return RESULT_TOPOLOGY;
        }
        if (exec->graph->node[i]->work.type != node->work.type) {
            return RESULT_TYPE;
        }
        if (node->work.type == NODE_GRAPH) {
            int result =
                compare(exec->graph->node[i]->exec, node->work.of.graph, info);

            if (result != RESULT_OK) {
                return result;
            }
        }
        if ((node->work.type == NODE_ALLOC || node->work.type == NODE_FREE) &&
            exec->graph->node[i]->work.of.memory.at !=
                node->work.of.memory.at) {
            return RESULT_PARAMETERS;
        }
    }
    info->node = NULL;
    return graph->nodes < exec->graph->nodes ? RESULT_TOPOLOGY : RESULT_OK;
}

static int take_over(struct cuda_exec *exec, const struct cuda_graph *graph)
{
    int error = CUDA_OK;

    for (size_t i = 0; i < graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = exec->graph->node[i];
        struct loom_cuda_work work;

        if (node->work.type == NODE_GRAPH) {
            error = take_over(node->exec, graph->node[i]->work.of.graph);
        } else if (loom_cuda_work_copy(&work, &graph->node[i]->work)) {
            loom_cuda_work_replace(&node->work, work);
        } else {
            error = CUDA_OUT_OF_MEMORY;
        }
        node->origin = graph->node[i];
    }
    return error;
}

int loom_cuda_exec_update(struct cuda_exec *handle, struct cuda_graph *graph,
                          struct loom_cuda_update *info)
{
    struct cuda_exec *exec = exec_of(handle);
    int error = CUDA_OK;

    *info = (struct loom_cuda_update){RESULT_OK, NULL, NULL};
    if (exec == NULL || loom_cuda_graph_of(graph) == NULL) {
        return CUDA_INVALID_VALUE;
    }
    loom_cuda_lock();
    info->result = compare(exec, graph, info);
    error =
        info->result == RESULT_OK ? take_over(exec, graph) : CUDA_EXEC_UPDATE;
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cudaGraphExecUpdate, struct cuda_exec *exec,
          struct cuda_graph *graph, void *info_or_node, int *result)
{
    struct loom_cuda_update info;
    int error = loom_cuda_exec_update(exec, graph, &info);

    if (loom_cuda_version() >= 12) {
        if (info_or_node != NULL) {
            memcpy(info_or_node, &info, sizeof(info));
        }
    } else if (info_or_node != NULL && result != NULL) {
        *(struct cuda_node **)info_or_node = info.node;
        *result = info.result;
    }
    return loom_cuda_done(error);
}

/* A child graph's nodes, in what is launched. */
LOOM_CUDA(int, cudaGraphExecChildGraphNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *handle, struct cuda_graph *graph)
{
    struct cuda_node *node = loom_cuda_exec_node(exec, handle);
    struct loom_cuda_update info;

    return loom_cuda_done(
        node == NULL || node->exec == NULL
            ? CUDA_INVALID_VALUE
            : loom_cuda_exec_update(node->exec, graph, &info));
}

static bool can_be_disabled(const struct cuda_node *node)
{
    return node != NULL &&
           (node->work.type == NODE_KERNEL || node->work.type == NODE_COPY ||
            node->work.type == NODE_FILL);
}

LOOM_CUDA(int, cudaGraphNodeSetEnabled, struct cuda_exec *exec,
          struct cuda_node *handle, unsigned enabled)
{
    struct cuda_node *node = loom_cuda_exec_node(exec, handle);

    if (!can_be_disabled(node)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    node->disabled = enabled == 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphNodeGetEnabled, struct cuda_exec *exec,
          struct cuda_node *handle, unsigned *enabled)
{
    const struct cuda_node *node = loom_cuda_exec_node(exec, handle);

    if (!can_be_disabled(node) || enabled == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *enabled = !node->disabled;
    return CUDA_OK;
}

LOOM_CUDA_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
LOOM_CUDA_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
LOOM_CUDA_ALIAS(cudaGraphInstantiate_v2, cudaGraphInstantiateWithFlags);
LOOM_CUDA_ALIAS(cudaGraphInstantiateWithParams_ptsz,
                cudaGraphInstantiateWithParams);

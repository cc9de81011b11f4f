/*
 * Graphs that can be launched.
 *
 * A node is done by what a call would have done, in an order in which those
 * before it come first.  For time there are lanes: a node goes on in the lane
 * of one before it that nothing else has gone on from, else it begins a lane,
 * so that what may overlap does.  The first lane is the stream of the launch,
 * if that is not the default stream, for which all others wait; lanes else are
 * streams of the graph's own, and events order them.  A lane is on the device
 * of its kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/graph_exec.h"
#include "cuda/graph_nodes.h"

enum {
    EVENT_NO_TIMING = CUDA_EVENT_NO_TIMING,
    ANY = -1,             /* device */
    INVALID_STRUCTURE = 2 /* cudaGraphInstantiateResult */
};

struct cuda_instantiate {
    uint64_t flags;
    void *stream;
    struct cuda_node *wrong;
    int32_t result;
};

static void destroy_exec(struct cuda_exec *exec);

static void destroy_inner(struct cuda_node *node)
{
    destroy_exec(node->exec);
    for (uint32_t k = 0;
         node->body != NULL && k < node->work.of.condition.count; k++) {
        destroy_exec(node->body[k]);
    }
    free(node->body);
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
        destroy_inner(exec->graph->node[i]);
    }
    if (exec->begin != NULL) {
        cudaEventDestroy(exec->begin);
    }
    loom_cuda_graph_destroy(exec->graph);
    free(exec->order);
    free(exec->lane);
    free(exec->last);
    free(exec->device);
    exec->magic = 0;
    free(exec);
}

/* ---- lanes ---- */

static int want_event(void **event)
{
    return *event != NULL ? CUDA_OK
                          : cudaEventCreateWithFlags(
                                event, EVENT_NO_TIMING | LOOM_CUDA_ANYWHERE);
}

/* That a node must be on, or ANY. */
static int device_of(const struct cuda_node *node)
{
    return node->work.type == NODE_KERNEL ? node->work.of.kernel.how.device
                                          : ANY;
}

static void choose_lane(struct cuda_exec *exec, struct cuda_node *node)
{
    int device = device_of(node);

    node->lane = exec->lanes;
    for (size_t i = node->befores; i-- > 0;) {
        size_t lane = node->before[i]->lane;

        if (exec->last[lane] == node->before[i] &&
            (device == ANY || exec->device[lane] == ANY ||
             exec->device[lane] == device)) {
            node->lane = lane;
        }
    }
    if (node->lane == exec->lanes) {
        exec->device[exec->lanes++] = ANY;
    }
    exec->last[node->lane] = node;
    if (device != ANY) {
        exec->device[node->lane] = device;
    }
}

static int make_lane(void **lane, int device)
{
    int error, before = loom_cuda_device();

    loom_cuda_use_device(device == ANY ? before : device);
    error = cudaStreamCreateWithPriority(lane, 0, 0);
    loom_cuda_use_device(before);
    return error;
}

/* Events for what is waited for in another lane, and the lanes' ends. */
static int make_events(struct cuda_exec *exec)
{
    bool several = exec->lanes > 1 || loom_cuda_devices() > 1;
    int error = several ? want_event(&exec->begin) : CUDA_OK;

    for (size_t i = 0; i < exec->graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = exec->order[i];

        for (size_t k = 0; k < node->befores && error == CUDA_OK; k++) {
            if (node->before[k]->lane != node->lane) {
                error = want_event(&node->before[k]->event);
            }
        }
    }
    for (size_t i = 0; several && i < exec->lanes && error == CUDA_OK; i++) {
        error = want_event(&exec->last[i]->event);
        if (error == CUDA_OK) {
            error = make_lane(&exec->lane[i], exec->device[i]);
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
    exec->device = calloc(nodes + 1, sizeof(*exec->device));
    if (exec->order == NULL || exec->lane == NULL || exec->last == NULL ||
        exec->device == NULL) {
        return exec->order == NULL ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < nodes; i++) {
        choose_lane(exec, exec->order[i]);
    }
    return make_events(exec);
}

static int make_exec(struct cuda_graph *graph, uint64_t flags,
                     struct cuda_exec **made);

/* Of the graphs that a node has. */
static int make_inner(struct cuda_node *node)
{
    const struct loom_cuda_condition *of = &node->work.of.condition;
    int error = CUDA_OK;

    if (node->work.type == NODE_GRAPH) {
        return make_exec(loom_cuda_graph_clone(node->work.of.graph), 0,
                         &node->exec);
    }
    if (node->work.type != NODE_CONDITIONAL) {
        return CUDA_OK;
    }
    node->body = calloc(of->count, sizeof(struct cuda_exec *));
    if (node->body == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k < of->count && error == CUDA_OK; k++) {
        error =
            make_exec(loom_cuda_graph_clone(of->body[k]), 0, &node->body[k]);
    }
    return error;
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
    exec->magic = LOOM_CUDA_EXEC_MAGIC;
    exec->flags = flags;
    exec->graph = graph;
    for (size_t i = 0; i < graph->nodes && error == CUDA_OK; i++) {
        error = make_inner(graph->node[i]);
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

/* Which graph a condition chooses; none: its count of them. */
static uint32_t chosen(const struct loom_cuda_condition *of, uint32_t value)
{
    switch (of->kind) {
    case CONDITION_IF: /* the second graph is for 0 */
        return value == 0;
    case CONDITION_WHILE:
        return value == 0 ? of->count : 0;
    default:
        return value;
    }
}

/* The host waits for what comes before, and looks. */
static int decide(struct cuda_node *node, void *stream)
{
    const struct loom_cuda_condition *of = &node->work.of.condition;
    bool again = true;
    int error = CUDA_OK;

    while (again && error == CUDA_OK) {
        uint32_t value = 0, which;

        error = cudaMemcpyAsync(&value, (void *)(uintptr_t)of->at,
                                sizeof(value), CUDA_DEVICE_TO_HOST, stream);
        if (error == CUDA_OK) {
            error = cudaStreamSynchronize(stream);
        }
        which = chosen(of, value);
        again = of->kind == CONDITION_WHILE && which < of->count;
        if (error == CUDA_OK && which < of->count) {
            error = launch_exec(node->body[which], stream);
        }
    }
    return error;
}

/* What conditions are when a graph is launched, also of graphs in it. */
static int assign(const struct cuda_exec *exec, void *stream)
{
    int error = CUDA_OK;

    for (size_t i = 0; i < exec->graph->nodes && error == CUDA_OK; i++) {
        struct cuda_node *node = exec->graph->node[i];
        const struct loom_cuda_condition *of = &node->work.of.condition;

        if (node->work.type == NODE_GRAPH) {
            error = assign(node->exec, stream);
        } else if (node->work.type == NODE_CONDITIONAL) {
            if (of->assigns) {
                error = cudaMemcpyAsync((void *)(uintptr_t)of->at, &of->value,
                                        sizeof(of->value), CUDA_HOST_TO_DEVICE,
                                        stream);
            }
            for (uint32_t k = 0; k < of->count && error == CUDA_OK; k++) {
                error = assign(node->body[k], stream);
            }
        }
    }
    return error;
}

/* On the device that it was kept for. */
static int do_kernel(const void *handle, struct loom_cuda_launch how)
{
    int error, device = loom_cuda_device();

    loom_cuda_use_device(how.device);
    error = loom_cuda_launch(handle, how);
    loom_cuda_use_device(device);
    return error;
}

static int do_work(struct cuda_node *node, void *stream)
{
    struct loom_cuda_work work = node->work; /* what it keeps is the node's */

    switch (work.type) {
    case NODE_KERNEL:
        work.of.kernel.how.stream = stream;
        work.of.kernel.how.begins = 1;
        return do_kernel(work.of.kernel.handle, work.of.kernel.how);
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
    case NODE_CONDITIONAL:
        return decide(node, stream);
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

/* Is the first lane the stream that the graph is launched in? */
static bool starts_here(const struct cuda_exec *exec, uint64_t number)
{
    return exec->begin == NULL ||
           (!loom_cuda_is_default(number) &&
            (exec->device[0] == ANY ||
             exec->device[0] == loom_cuda_device_of(number)));
}

static int launch_exec(struct cuda_exec *exec, void *stream)
{
    uint64_t number = 0;
    int error = loom_cuda_stream(stream, &number);
    size_t own = starts_here(exec, number) ? 1 : 0;

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
    struct cuda_exec *exec = loom_cuda_exec_of(handle);
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (exec == NULL || error != CUDA_OK) {
        return loom_cuda_done(exec == NULL ? CUDA_INVALID_VALUE : error);
    }
    if (loom_cuda_captures(stream)) {
        return loom_cuda_done(capture_exec(exec, stream));
    }
    error = assign(exec, stream);
    return loom_cuda_done(error == CUDA_OK ? launch_exec(exec, stream) : error);
}

LOOM_CUDA(int, cudaGraphUpload, struct cuda_exec *exec, void *stream)
{
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    return loom_cuda_done(loom_cuda_exec_of(exec) == NULL ? CUDA_INVALID_VALUE
                                                          : error);
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
    const struct cuda_exec *exec = loom_cuda_exec_of(handle);

    if (exec == NULL || flags == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *flags = exec->flags;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphExecDestroy, struct cuda_exec *handle)
{
    if (loom_cuda_exec_of(handle) == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    destroy_exec(handle);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
LOOM_CUDA_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
LOOM_CUDA_ALIAS(cudaGraphInstantiate_v2, cudaGraphInstantiateWithFlags);
LOOM_CUDA_ALIAS(cudaGraphInstantiateWithParams_ptsz,
                cudaGraphInstantiateWithParams);

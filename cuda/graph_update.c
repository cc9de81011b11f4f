/*
 * Graphs that can be launched, changed afterwards: their nodes' work, by
 * another graph or node by node.
 */
#include <string.h>

#include "cuda/graph_exec.h"
#include "cuda/graph_nodes.h"

enum {
    RESULT_OK = 0, /* enum cudaGraphExecUpdateResult */
    RESULT_TOPOLOGY = 2,
    RESULT_TYPE = 3,
    RESULT_PARAMETERS = 5
};

struct cuda_node *loom_cuda_exec_node(struct cuda_exec *handle,
                                      struct cuda_node *node)
{
    struct cuda_exec *exec = loom_cuda_exec_of(handle);

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

static int compare(const struct cuda_exec *exec, const struct cuda_graph *graph,
                   struct loom_cuda_update *info);

static int compare_inner(const struct cuda_node *launched,
                         const struct cuda_node *node,
                         struct loom_cuda_update *info)
{
    const struct loom_cuda_condition *old = &launched->work.of.condition;
    const struct loom_cuda_condition *of = &node->work.of.condition;
    int result = RESULT_OK;

    if (node->work.type == NODE_GRAPH) {
        return compare(launched->exec, node->work.of.graph, info);
    }
    if (node->work.type != NODE_CONDITIONAL) {
        return RESULT_OK;
    }
    if (of->at != old->at || of->kind != old->kind || of->count != old->count) {
        return RESULT_PARAMETERS;
    }
    for (uint32_t k = 0; k < of->count && result == RESULT_OK; k++) {
        result = compare(launched->body[k], of->body[k], info);
    }
    return result;
}

/* Does a graph differ from what is to be launched in more than its work?  What
 * has not the same node in the same place has. */
static int compare(const struct cuda_exec *exec, const struct cuda_graph *graph,
                   struct loom_cuda_update *info)
{
    for (size_t i = 0; i < graph->nodes; i++) {
        struct cuda_node *node = graph->node[i];
        int result;

        info->node = node;
        if (i >= exec->graph->nodes ||
            !same_before(exec->graph->node[i], node)) {
            return RESULT_TOPOLOGY;
        }
        if (exec->graph->node[i]->work.type != node->work.type) {
            return RESULT_TYPE;
        }
        result = compare_inner(exec->graph->node[i], node, info);
        if (result != RESULT_OK) {
            return result;
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
        } else if (node->work.type == NODE_CONDITIONAL) {
            for (uint32_t k = 0;
                 k < node->work.of.condition.count && error == CUDA_OK; k++) {
                error = take_over(node->body[k],
                                  graph->node[i]->work.of.condition.body[k]);
            }
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
    struct cuda_exec *exec = loom_cuda_exec_of(handle);
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

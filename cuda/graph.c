/*
 * Graphs, their nodes and what these keep; nothing is done here.
 */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

#define GRAPH_MAGIC 0x6870726764756300 /* "\0cudgrph" */
#define NODE_MAGIC 0x65646f6e64756300  /* "\0cudnode" */

struct cuda_graph *loom_cuda_graph_of(struct cuda_graph *handle)
{
    return handle != NULL && handle->magic == GRAPH_MAGIC ? handle : NULL;
}

struct cuda_node *loom_cuda_node_of(struct cuda_node *handle)
{
    return handle != NULL && handle->magic == NODE_MAGIC ? handle : NULL;
}

/* Room for one more in an array of pointers. */
static bool grow(void *array, size_t count, size_t *room)
{
    void **old, **grown;
    size_t more = *room == 0 ? 4 : 2 * *room;

    memcpy(&old, array, sizeof(old));
    if (count < *room) {
        return true;
    }
    grown = realloc(old, more * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    memcpy(array, &grown, sizeof(grown));
    *room = more;
    return true;
}

/* ---- work ---- */

static bool copy_bodies(struct loom_cuda_condition *to,
                        const struct loom_cuda_condition *from)
{
    to->body = calloc(from->count, sizeof(struct cuda_graph *));
    to->count = to->body != NULL ? from->count : 0;
    for (uint32_t i = 0; i < to->count; i++) {
        to->body[i] = loom_cuda_graph_clone(from->body[i]);
        if (to->body[i] == NULL) {
            return false;
        }
    }
    return to->body != NULL;
}

bool loom_cuda_work_copy(struct loom_cuda_work *to,
                         const struct loom_cuda_work *from)
{
    *to = *from;
    if (from->type == NODE_GRAPH) {
        to->of.graph = loom_cuda_graph_clone(from->of.graph);
        return to->of.graph != NULL;
    }
    if (from->type == NODE_CONDITIONAL) {
        return copy_bodies(&to->of.condition, &from->of.condition);
    }
    if (from->type == NODE_KERNEL && from->of.kernel.kept != NULL) {
        char *kept = malloc(from->of.kernel.bytes);
        void **args = (void **)(void *)kept;

        if (kept == NULL) {
            to->of.kernel.kept = NULL;
            return false;
        }
        memcpy(kept, from->of.kernel.kept, from->of.kernel.bytes);
        for (size_t i = 0; i < from->of.kernel.params; i++) {
            args[i] = kept + ((char *)args[i] - (char *)from->of.kernel.kept);
        }
        to->of.kernel.kept = kept;
        to->of.kernel.how.args = args;
    }
    return true;
}

void loom_cuda_work_release(struct loom_cuda_work *work)
{
    if (work->type == NODE_GRAPH) {
        loom_cuda_graph_destroy(work->of.graph);
        work->of.graph = NULL;
    } else if (work->type == NODE_KERNEL) {
        free(work->of.kernel.kept);
        work->of.kernel.kept = NULL;
    } else if (work->type == NODE_CONDITIONAL) {
        for (uint32_t i = 0; i < work->of.condition.count; i++) {
            loom_cuda_graph_destroy(work->of.condition.body[i]);
        }
        free(work->of.condition.body);
        work->of.condition.body = NULL;
        work->of.condition.count = 0;
    }
}

void loom_cuda_work_replace(struct loom_cuda_work *to,
                            struct loom_cuda_work from)
{
    loom_cuda_work_release(to);
    *to = from;
}

/* ---- graphs ---- */

struct cuda_graph *loom_cuda_graph_create(void)
{
    static uint64_t ids; /* the lock is held */
    struct cuda_graph *graph = calloc(1, sizeof(*graph));

    if (graph != NULL) {
        graph->magic = GRAPH_MAGIC;
        graph->id = ++ids;
    }
    return graph;
}

static void destroy_node(struct cuda_node *node)
{
    loom_cuda_work_release(&node->work);
    node->magic = 0;
    free(node->before);
    free(node);
}

void loom_cuda_graph_destroy(struct cuda_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (size_t i = 0; i < graph->nodes; i++) {
        destroy_node(graph->node[i]);
    }
    graph->magic = 0;
    free(graph->node);
    free(graph);
}

int loom_cuda_node_depend(struct cuda_node *node, struct cuda_node *before)
{
    if (node == before || node->graph != before->graph) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; i < node->befores; i++) {
        if (node->before[i] == before) {
            return CUDA_INVALID_VALUE;
        }
    }
    if (!grow(&node->before, node->befores, &node->room)) {
        return CUDA_OUT_OF_MEMORY;
    }
    node->before[node->befores++] = before;
    return CUDA_OK;
}

static int depend_on_all(struct cuda_node *node, struct loom_cuda_nodes before)
{
    int error = CUDA_OK;

    for (size_t i = 0; i < before.count && error == CUDA_OK; i++) {
        error = loom_cuda_node_of(before.node[i]) == NULL
                    ? CUDA_INVALID_VALUE
                    : loom_cuda_node_depend(node, before.node[i]);
    }
    return error;
}

int loom_cuda_graph_add(struct cuda_graph *graph, struct loom_cuda_nodes before,
                        struct loom_cuda_work work, struct cuda_node **made)
{
    struct cuda_node *node = calloc(1, sizeof(*node));
    int error;

    if (node == NULL || !grow(&graph->node, graph->nodes, &graph->room)) {
        loom_cuda_work_release(&work);
        free(node);
        return CUDA_OUT_OF_MEMORY;
    }
    node->magic = NODE_MAGIC;
    node->graph = graph;
    node->work = work;
    node->index = graph->nodes;
    error = before.count > 0 && before.node == NULL
                ? CUDA_INVALID_VALUE
                : depend_on_all(node, before);
    if (error != CUDA_OK) {
        destroy_node(node);
        return error;
    }
    graph->node[graph->nodes++] = node;
    *made = node;
    return CUDA_OK;
}

/* Nodes and work; those before a node by their places. */
static bool copy_nodes(struct cuda_graph *clone, const struct cuda_graph *graph)
{
    for (size_t i = 0; i < graph->nodes; i++) {
        struct loom_cuda_work work;
        struct cuda_node *node;

        if (!loom_cuda_work_copy(&work, &graph->node[i]->work) ||
            loom_cuda_graph_add(clone, (struct loom_cuda_nodes){NULL, 0}, work,
                                &node) != CUDA_OK) {
            return false;
        }
        node->origin = graph->node[i];
    }
    for (size_t i = 0; i < graph->nodes; i++) {
        for (size_t k = 0; k < graph->node[i]->befores; k++) {
            size_t other = graph->node[i]->before[k]->index;

            if (loom_cuda_node_depend(clone->node[i], clone->node[other]) !=
                CUDA_OK) {
                return false;
            }
        }
    }
    return true;
}

struct cuda_graph *loom_cuda_graph_clone(const struct cuda_graph *graph)
{
    struct cuda_graph *clone = loom_cuda_graph_create();

    if (clone != NULL && !copy_nodes(clone, graph)) {
        loom_cuda_graph_destroy(clone);
        return NULL;
    }
    return clone;
}

struct cuda_node *loom_cuda_node_in(const struct cuda_graph *clone,
                                    const struct cuda_node *origin)
{
    size_t index = origin->index; /* where it was, if none has gone */

    if (index < clone->nodes && clone->node[index]->origin == origin) {
        return clone->node[index];
    }
    for (size_t i = 0; i < clone->nodes; i++) {
        if (clone->node[i]->origin == origin) {
            return clone->node[i];
        }
    }
    return NULL;
}

/* ---- order ---- */

/* The nodes behind each, one list after the other: those of node i begin at
 * start[i]. */
static void list_behind(const struct cuda_graph *graph, size_t *start,
                        size_t *behind)
{
    for (size_t i = 0; i < graph->nodes; i++) {
        for (size_t k = 0; k < graph->node[i]->befores; k++) {
            start[graph->node[i]->before[k]->index + 1]++;
        }
    }
    for (size_t i = 0; i < graph->nodes; i++) {
        start[i + 1] += start[i];
    }
    for (size_t i = graph->nodes; i-- > 0;) {
        for (size_t k = 0; k < graph->node[i]->befores; k++) {
            behind[--start[graph->node[i]->before[k]->index + 1]] = i;
        }
    }
    /* Each list's end has become its start. */
}

static bool sort(const struct cuda_graph *graph, const size_t *start,
                 const size_t *behind, size_t edges, size_t *waiting,
                 struct cuda_node **order)
{
    size_t done = 0, ready = 0;

    for (size_t i = 0; i < graph->nodes; i++) {
        waiting[i] = graph->node[i]->befores;
        if (waiting[i] == 0) {
            order[ready++] = graph->node[i];
        }
    }
    while (done < ready) {
        size_t i = order[done++]->index;
        size_t end = i + 1 < graph->nodes ? start[i + 2] : edges;

        for (size_t k = start[i + 1]; k < end; k++) {
            if (--waiting[behind[k]] == 0) {
                order[ready++] = graph->node[behind[k]];
            }
        }
    }
    return ready == graph->nodes;
}

struct cuda_node **loom_cuda_graph_order(const struct cuda_graph *graph)
{
    struct cuda_node **order;
    size_t *start, *behind, *waiting, edges = 0;
    bool sorted = false;

    for (size_t i = 0; i < graph->nodes; i++) {
        edges += graph->node[i]->befores;
    }
    order = calloc(graph->nodes + 1, sizeof(struct cuda_node *));
    start = calloc(graph->nodes + 2, sizeof(*start));
    waiting = calloc(graph->nodes + 1, sizeof(*waiting));
    behind = calloc(edges + 1, sizeof(*behind));
    if (order != NULL && start != NULL && waiting != NULL && behind != NULL) {
        list_behind(graph, start, behind);
        sorted = sort(graph, start, behind, edges, waiting, order);
    }
    free(start);
    free(waiting);
    free(behind);
    if (!sorted) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- what programs call ---- */

LOOM_CUDA(int, cudaGraphCreate, struct cuda_graph **made, unsigned flags)
{
    if (made == NULL || flags != 0) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    *made = loom_cuda_graph_create();
    loom_cuda_unlock();
    return loom_cuda_done(*made == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK);
}

LOOM_CUDA(int, cudaGraphDestroy, struct cuda_graph *graph)
{
    if (loom_cuda_graph_of(graph) == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    loom_cuda_graph_destroy(graph);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphDestroyNode, struct cuda_node *handle)
{
    struct cuda_node *node = loom_cuda_node_of(handle);
    struct cuda_graph *graph;

    if (node == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    graph = node->graph;
    graph->nodes--;
    for (size_t i = node->index; i < graph->nodes; i++) {
        graph->node[i] = graph->node[i + 1];
        graph->node[i]->index = i;
    }
    for (size_t i = 0; i < graph->nodes; i++) {
        struct cuda_node *other = graph->node[i];
        size_t kept = 0;

        for (size_t k = 0; k < other->befores; k++) {
            if (other->before[k] != node) {
                other->before[kept++] = other->before[k];
            }
        }
        other->befores = kept;
    }
    destroy_node(node);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphClone, struct cuda_graph **made,
          struct cuda_graph *handle)
{
    struct cuda_graph *graph = loom_cuda_graph_of(handle);

    if (made == NULL || graph == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    *made = loom_cuda_graph_clone(graph);
    loom_cuda_unlock();
    return loom_cuda_done(*made == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK);
}

LOOM_CUDA(int, cudaGraphNodeFindInClone, struct cuda_node **found,
          struct cuda_node *original, struct cuda_graph *clone)
{
    if (found == NULL || loom_cuda_node_of(original) == NULL ||
        loom_cuda_graph_of(clone) == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *found = loom_cuda_node_in(clone, original);
    return loom_cuda_done(*found == NULL ? CUDA_INVALID_VALUE : CUDA_OK);
}

LOOM_CUDA(int, cudaGraphNodeGetType, struct cuda_node *handle, int *type)
{
    const struct cuda_node *node = loom_cuda_node_of(handle);

    if (node == NULL || type == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *type = node->work.type;
    return CUDA_OK;
}

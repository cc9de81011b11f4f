/*
 * What a graph's nodes have to do with each other: questions, changes, and a
 * picture for Graphviz.
 *
 * Lists are asked for twice: without a place they tell how many there are; what
 * a place has too much is filled with NULL.  Before CUDA 13 edges have no
 * data, so the last argument comes one earlier.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/graph.h"

enum {
    EDGE_BYTES = 8 /* cudaGraphEdgeData: zeros */
};

/* A list that is being told: as far as there is room. */
struct told {
    struct cuda_node **to;
    size_t room, count;
};

static void tell(struct told *list, struct cuda_node *node)
{
    if (list->to != NULL && list->count < list->room) {
        list->to[list->count] = node;
    }
    list->count++;
}

static struct told begin(struct cuda_node **to, const size_t *room)
{
    return (struct told){to, to == NULL ? 0 : *room, 0};
}

/* What was told, in *count, and data of its edges. */
static void end(const struct told *list, void *data, size_t *count)
{
    if (list->to == NULL) {
        *count = list->count;
        return;
    }
    for (size_t i = list->count; i < list->room; i++) {
        list->to[i] = NULL;
    }
    *count = list->count < list->room ? list->count : list->room;
    if (data != NULL) {
        memset(data, 0, *count * EDGE_BYTES);
    }
}

static int tell_nodes(struct cuda_graph *handle, struct cuda_node **nodes,
                      size_t *count, bool roots)
{
    const struct cuda_graph *graph = loom_cuda_graph_of(handle);
    struct told list;

    if (graph == NULL || count == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    list = begin(nodes, count);
    for (size_t i = 0; i < graph->nodes; i++) {
        if (!roots || graph->node[i]->befores == 0) {
            tell(&list, graph->node[i]);
        }
    }
    end(&list, NULL, count);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphGetNodes, struct cuda_graph *graph,
          struct cuda_node **nodes, size_t *count)
{
    return tell_nodes(graph, nodes, count, false);
}

LOOM_CUDA(int, cudaGraphGetRootNodes, struct cuda_graph *graph,
          struct cuda_node **nodes, size_t *count)
{
    return tell_nodes(graph, nodes, count, true);
}

LOOM_CUDA(int, cudaGraphGetEdges_v2, struct cuda_graph *handle,
          struct cuda_node **from, struct cuda_node **to, void *data,
          size_t *count)
{
    const struct cuda_graph *graph = loom_cuda_graph_of(handle);
    struct told first, second;

    if (graph == NULL || count == NULL || (from == NULL) != (to == NULL)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    first = begin(from, count);
    second = begin(to, count);
    for (size_t i = 0; i < graph->nodes; i++) {
        for (size_t k = 0; k < graph->node[i]->befores; k++) {
            tell(&first, graph->node[i]->before[k]);
            tell(&second, graph->node[i]);
        }
    }
    end(&first, data, count);
    end(&second, NULL, count);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphGetEdges, struct cuda_graph *graph,
          struct cuda_node **from, struct cuda_node **to, void *data_or_count,
          size_t *count)
{
    return loom_cuda_version() >= 13
               ? cudaGraphGetEdges_v2(graph, from, to, data_or_count, count)
               : cudaGraphGetEdges_v2(graph, from, to, NULL, data_or_count);
}

static bool comes_before(const struct cuda_node *a, const struct cuda_node *b)
{
    for (size_t i = 0; i < b->befores; i++) {
        if (b->before[i] == a) {
            return true;
        }
    }
    return false;
}

static int tell_beside(struct cuda_node *handle, struct cuda_node **nodes,
                       void *data, size_t *count, bool behind)
{
    const struct cuda_node *node = loom_cuda_node_of(handle);
    struct told list;

    if (node == NULL || count == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    list = begin(nodes, count);
    for (size_t i = 0; !behind && i < node->befores; i++) {
        tell(&list, node->before[i]);
    }
    for (size_t i = 0; behind && i < node->graph->nodes; i++) {
        if (comes_before(node, node->graph->node[i])) {
            tell(&list, node->graph->node[i]);
        }
    }
    end(&list, data, count);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphNodeGetDependencies_v2, struct cuda_node *node,
          struct cuda_node **nodes, void *data, size_t *count)
{
    return tell_beside(node, nodes, data, count, false);
}

LOOM_CUDA(int, cudaGraphNodeGetDependencies, struct cuda_node *node,
          struct cuda_node **nodes, void *data_or_count, size_t *count)
{
    return loom_cuda_version() >= 13
               ? tell_beside(node, nodes, data_or_count, count, false)
               : tell_beside(node, nodes, NULL, data_or_count, false);
}

LOOM_CUDA(int, cudaGraphNodeGetDependentNodes_v2, struct cuda_node *node,
          struct cuda_node **nodes, void *data, size_t *count)
{
    return tell_beside(node, nodes, data, count, true);
}

LOOM_CUDA(int, cudaGraphNodeGetDependentNodes, struct cuda_node *node,
          struct cuda_node **nodes, void *data_or_count, size_t *count)
{
    return loom_cuda_version() >= 13
               ? tell_beside(node, nodes, data_or_count, count, true)
               : tell_beside(node, nodes, NULL, data_or_count, true);
}

/* ---- changes ---- */

static int remove_before(struct cuda_node *node, const struct cuda_node *before)
{
    for (size_t i = 0; i < node->befores; i++) {
        if (node->before[i] == before) {
            node->befores--;
            memmove(&node->before[i], &node->before[i + 1],
                    (node->befores - i) * sizeof(struct cuda_node *));
            return CUDA_OK;
        }
    }
    return CUDA_INVALID_VALUE;
}

static int change(struct cuda_graph *graph, struct cuda_node *const *from,
                  struct cuda_node *const *to, size_t count, bool add)
{
    int error = loom_cuda_graph_of(graph) == NULL ||
                        (count > 0 && (from == NULL || to == NULL))
                    ? CUDA_INVALID_VALUE
                    : CUDA_OK;

    loom_cuda_lock();
    for (size_t i = 0; i < count && error == CUDA_OK; i++) {
        struct cuda_node *a = loom_cuda_node_of(from[i]);
        struct cuda_node *b = loom_cuda_node_of(to[i]);

        if (a == NULL || b == NULL || b->graph != graph) {
            error = CUDA_INVALID_VALUE;
        } else {
            error = add ? loom_cuda_node_depend(b, a) : remove_before(b, a);
        }
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaGraphAddDependencies_v2, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          const void *data, size_t count)
{
    (void)data;
    return change(graph, from, to, count, true);
}

LOOM_CUDA(int, cudaGraphAddDependencies, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          uintptr_t data_or_count, size_t count)
{
    return change(graph, from, to,
                  loom_cuda_version() >= 13 ? count : data_or_count, true);
}

LOOM_CUDA(int, cudaGraphRemoveDependencies_v2, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          const void *data, size_t count)
{
    (void)data;
    return change(graph, from, to, count, false);
}

LOOM_CUDA(int, cudaGraphRemoveDependencies, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          uintptr_t data_or_count, size_t count)
{
    return change(graph, from, to,
                  loom_cuda_version() >= 13 ? count : data_or_count, false);
}

/* ---- a picture ---- */

static const char *title(const struct cuda_node *node)
{
    static const char *const titles[] = {
        "kernel", "copy", "fill", "host",     "graph", "empty", "wait",
        "record", NULL,   NULL,   "allocate", "free",  NULL,    "condition"};

    return titles[node->work.type];
}

static void draw_edges(FILE *file, const struct cuda_node *node,
                       unsigned long long id)
{
    char text[96];

    for (size_t k = 0; k < node->befores; k++) {
        snprintf(text, sizeof(text), "  g%llun%zu -> g%llun%zu;\n", id,
                 node->before[k]->index, id, node->index);
        fputs(text, file);
    }
}

static void draw(FILE *file, const struct cuda_graph *graph);

static void draw_inner(FILE *file, const struct cuda_graph *graph)
{
    char text[96];

    snprintf(text, sizeof(text), "  subgraph cluster_%llu {\n",
             (unsigned long long)graph->id);
    fputs(text, file);
    draw(file, graph);
    fputs("  }\n", file);
}

static void draw(FILE *file, const struct cuda_graph *graph)
{
    unsigned long long id = graph->id;
    char text[96];

    for (size_t i = 0; i < graph->nodes; i++) {
        const struct cuda_node *node = graph->node[i];
        const char *name = NULL;

        snprintf(text, sizeof(text), "  g%llun%zu [label=\"%zu: %s ", id, i, i,
                 title(node));
        fputs(text, file);
        if (node->work.type == NODE_KERNEL) {
            cudaFuncGetName(&name, node->work.of.kernel.handle);
        }
        fputs(name == NULL ? "" : name, file);
        fputs("\"];\n", file);
        draw_edges(file, node, id);
        if (node->work.type == NODE_GRAPH) {
            draw_inner(file, node->work.of.graph);
        }
        for (uint32_t k = 0; node->work.type == NODE_CONDITIONAL &&
                             k < node->work.of.condition.count;
             k++) {
            draw_inner(file, node->work.of.condition.body[k]);
        }
    }
}

LOOM_CUDA(int, cudaGraphDebugDotPrint, struct cuda_graph *graph,
          const char *path, unsigned flags)
{
    FILE *file;

    (void)flags;
    if (loom_cuda_graph_of(graph) == NULL || path == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    file = fopen(path, "w");
    if (file == NULL) {
        loom_cuda_tell("cudaGraphDebugDotPrint: '%s': %s", path,
                       strerror(errno));
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    fputs("digraph dot {\n", file);
    draw(file, graph);
    fputs("}\n", file);
    return loom_cuda_done(fclose(file) == 0 ? CUDA_OK : CUDA_UNKNOWN);
}

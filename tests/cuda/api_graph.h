/*
 * Cases of api_test.c about graphs.
 */
#ifndef TESTS_CUDA_API_GRAPH_H
#define TESTS_CUDA_API_GRAPH_H

#include "cuda/graph_calls.h"
#include "tests/cuda/api_order.h"

enum {
    LANES = 128,
    LANE_BYTES = 4 * LANES
};

/* What `work` makes of a value, so many rounds later. */
static uint32_t worked(uint32_t v, uint32_t rounds)
{
    while (rounds-- > 0) {
        v = 3 * v + 1;
    }
    return v;
}

static void check_all(const uint32_t *device, uint32_t value)
{
    uint32_t got[LANES];

    OK(cudaMemcpy(got, device, LANE_BYTES, CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < LANES; i++) {
        HOLDS(got[i] == value);
    }
}

/* A kernel's node with arguments that are gone when it is launched. */
static struct cuda_kernel_params work_params(uint32_t **to, uint32_t *rounds,
                                             void **args)
{
    args[0] = to;
    args[1] = rounds;
    return (struct cuda_kernel_params){.kernel = &work,
                                       .grid = {1, 1, 1},
                                       .block = {LANES, 1, 1},
                                       .args = args};
}

static struct cuda_node *add_work(struct cuda_graph *graph,
                                  struct cuda_node *before, uint32_t *to,
                                  uint32_t rounds)
{
    void *args[2];
    struct cuda_kernel_params p = work_params(&to, &rounds, args);
    struct cuda_node *node;

    OK(cudaGraphAddKernelNode(&node, graph, before == NULL ? NULL : &before,
                              before != NULL, &p));
    return node;
}

static struct cuda_node *add_fill(struct cuda_graph *graph, uint32_t *at,
                                  uint32_t value)
{
    struct cuda_fill_params p = {at, 0, value, 4, LANES, 1};
    struct cuda_node *node;

    OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &p));
    return node;
}

static void count_up(void *data)
{
    ++*(int *)data;
}

/* Two fills, each before a kernel, a function of the host after both, a copy
 * after that. */
struct small_graph {
    struct cuda_graph *graph;
    struct cuda_node *fill[2], *kernel[2], *host, *copy;
    uint32_t *at[2], out[LANES];
    int called;
};

static void make_small(struct small_graph *g)
{
    struct cuda_host_params call = {count_up, &g->called};

    g->called = 0;
    OK(cudaGraphCreate(&g->graph, 0));
    for (uint32_t i = 0; i < 2; i++) {
        OK(cudaMalloc((void **)&g->at[i], LANE_BYTES));
        g->fill[i] = add_fill(g->graph, g->at[i], i + 1);
        g->kernel[i] = add_work(g->graph, g->fill[i], g->at[i], i + 2);
    }
    OK(cudaGraphAddHostNode(&g->host, g->graph, g->kernel, 2, &call));
    OK(cudaGraphAddMemcpyNode1D(&g->copy, g->graph, &g->host, 1, g->out,
                                g->at[1], LANE_BYTES, CUDA_DEVICE_TO_HOST));
}

static void ask_small(const struct small_graph *g)
{
    struct cuda_node *nodes[8];
    size_t count = 8;
    int type;

    OK(cudaGraphGetNodes(g->graph, NULL, &count));
    HOLDS(count == 6);
    count = 8;
    OK(cudaGraphGetRootNodes(g->graph, nodes, &count));
    HOLDS(count == 2 && nodes[0] == g->fill[0] && nodes[1] == g->fill[1] &&
          nodes[2] == NULL);
    count = 4;
    OK(cudaGraphGetEdges_v2(g->graph, nodes, nodes + 4, NULL, &count));
    HOLDS(count == 4); /* of five */
    count = 8;
    OK(cudaGraphNodeGetDependencies_v2(g->host, nodes, NULL, &count));
    HOLDS(count == 2 && nodes[0] == g->kernel[0] && nodes[1] == g->kernel[1]);
    count = 8;
    OK(cudaGraphNodeGetDependentNodes_v2(g->host, nodes, NULL, &count));
    HOLDS(count == 1 && nodes[0] == g->copy);
    OK(cudaGraphNodeGetType(g->host, &type));
    HOLDS(type == NODE_HOST);
}

/* A clone is another graph, with the same work, which can be changed. */
static void change_small(struct small_graph *g, struct cuda_exec *exec)
{
    struct loom_cuda_update info;
    struct cuda_graph *clone;
    struct cuda_node *found;
    void *args[2];
    uint32_t rounds = 7;
    struct cuda_kernel_params p = work_params(&g->at[0], &rounds, args), got;

    OK(cudaGraphClone(&clone, g->graph));
    OK(cudaGraphNodeFindInClone(&found, g->kernel[0], clone));
    HOLDS(found != g->kernel[0]);
    OK(cudaGraphKernelNodeSetParams(found, &p));
    OK(cudaGraphKernelNodeGetParams(found, &got));
    HOLDS(*(uint32_t *)got.args[1] == 7 && got.block.x == LANES);
    OK(cudaGraphExecUpdate(exec, clone, &info, NULL));
    HOLDS(info.result == 0);
    OK(cudaGraphLaunch(exec, NULL));
    check_all(g->at[0], worked(1, 7));
    rounds = 4;
    OK(cudaGraphExecKernelNodeSetParams(exec, found, &p));
    OK(cudaGraphLaunch(exec, NULL));
    check_all(g->at[0], worked(1, 4));
    OK(cudaGraphNodeSetEnabled(exec, found, 0));
    OK(cudaGraphLaunch(exec, NULL));
    check_all(g->at[0], 1);
    OK(cudaGraphDestroy(clone));
}

/* What is no update, and what cannot be launched. */
static void refuse_small(struct small_graph *g, struct cuda_exec *exec)
{
    struct loom_cuda_update info;
    struct cuda_exec *same;

    OK(cudaGraphDestroyNode(g->copy));
    WANT(cudaGraphExecUpdate(exec, g->graph, &info, NULL), 910);
    HOLDS(info.result == 2);
    OK(cudaGraphInstantiateWithFlags(&same, g->graph, 0));
    OK(cudaGraphExecDestroy(same));
    OK(cudaGraphAddDependencies_v2(g->graph, &g->host, &g->fill[0], NULL, 1));
    WANT(cudaGraphInstantiateWithFlags(&same, g->graph, 0),
         CUDA_INVALID_VALUE); /* a circle */
    OK(cudaGraphRemoveDependencies_v2(g->graph, &g->host, &g->fill[0], NULL,
                                      1));
    WANT(cudaGraphRemoveDependencies_v2(g->graph, &g->host, &g->fill[0], NULL,
                                        1),
         CUDA_INVALID_VALUE);
}

static void case_graph(void)
{
    struct small_graph g;
    struct cuda_exec *exec;

    make_small(&g);
    ask_small(&g);
    OK(cudaGraphInstantiateWithFlags(&exec, g.graph, 0));
    for (int i = 1; i <= 3; i++) {
        memset(g.out, 0, sizeof(g.out));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaDeviceSynchronize());
        HOLDS(g.called == i && g.out[5] == worked(2, 3));
    }
    check_all(g.at[0], worked(1, 2));
    change_small(&g, exec);
    refuse_small(&g, exec);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g.graph));
}

/* A graph in a graph, events that others see, memory of a graph, a picture. */
static void case_graph_nodes(void)
{
    struct cuda_graph *child, *graph, *inside;
    struct cuda_node *node, *part;
    struct cuda_exec *exec;
    struct cuda_alloc_params memory = {.type = 1, .bytes = LANE_BYTES};
    struct cuda_node_params any = {.type = NODE_FILL};
    void *event, *got;
    uint32_t *at;
    char text[4096];
    FILE *file;

    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphAddMemAllocNode(&node, child, NULL, 0, &memory));
    at = memory.at;
    any.of.fill = (struct cuda_fill_params){at, 0, 9, 4, LANES, 1};
    OK(cudaGraphAddNode_v2(&part, child, &node, NULL, 1, &any));
    add_work(child, part, at, 2);

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
    HOLDS(inside != child);
    OK(cudaGraphAddEmptyNode(&part, graph, &node, 1));
    node = add_work(graph, part, at, 3);
    OK(cudaGraphAddEventRecordNode(&part, graph, &node, 1, event));
    OK(cudaGraphEventRecordNodeGetEvent(part, &got));
    OK(cudaGraphAddEventWaitNode(&node, graph, NULL, 0, event));
    OK(cudaGraphDebugDotPrint(graph, "cuda_graph.dot", 0));
    file = fopen("cuda_graph.dot", "r");
    HOLDS(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    HOLDS(strstr(text, "digraph") != NULL &&
          strstr(text, "kernel work") != NULL &&
          strstr(text, "subgraph") != NULL && strstr(text, " -> ") != NULL);

    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaEventSynchronize(got));
    check_all(at, worked(9, 5));
    OK(cudaFree(at)); /* of a graph: stays */
    OK(cudaGraphLaunch(exec, NULL));
    check_all(at, worked(9, 5));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(child));
    OK(cudaEventDestroy(event));
}

#endif

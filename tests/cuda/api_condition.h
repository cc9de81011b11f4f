/*
 * Cases of api_test.c about conditional nodes of graphs.
 */
#ifndef TESTS_CUDA_API_CONDITION_H
#define TESTS_CUDA_API_CONDITION_H

#include "tests/cuda/api_graph.h"

static const char count_down; /* a shadow */

/* A node of graphs that are done as a number says. */
static struct cuda_condition_params add_condition(struct cuda_graph *graph,
                                                  struct cuda_node *before,
                                                  uint64_t handle, int kind,
                                                  uint32_t count)
{
    struct cuda_node_params p = {
        .type = NODE_CONDITIONAL,
        .of.condition = {.handle = handle, .kind = kind, .count = count}};
    struct cuda_node *node = NULL;
    int type = 0;

    OK(cudaGraphAddNode_v2(&node, graph, before == NULL ? NULL : &before, NULL,
                           before != NULL, &p));
    OK(cudaGraphNodeGetType(node, &type));
    HOLDS(type == NODE_CONDITIONAL && p.of.condition.body != NULL);
    return p.of.condition;
}

static struct cuda_node *add_count_down(struct cuda_graph *graph,
                                        uint32_t *number, uint64_t handle)
{
    void *args[] = {&number, &handle};
    struct cuda_kernel_params p = {.kernel = &count_down,
                                   .grid = {1, 1, 1},
                                   .block = {1, 1, 1},
                                   .args = args};
    struct cuda_node *node = NULL;

    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    return node;
}

static void set_number(uint32_t *at, uint32_t value)
{
    OK(cudaMemcpy(at, &value, sizeof(value), CUDA_HOST_TO_DEVICE));
}

/* What a loop does, as often as it counts, in the other stream's time. */
static void loops(uint32_t *number, uint32_t *at, void *stream)
{
    struct loom_cuda_update info;
    struct cuda_graph *graph, *other;
    struct cuda_exec *exec;
    struct cuda_condition_params loop;
    struct cuda_node *node;
    uint64_t handle;

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 1));
    loop = add_condition(graph, add_fill(graph, at, 9), handle, CONDITION_WHILE,
                         1);
    node = add_count_down(loop.body[0], number, handle);
    add_work(loop.body[0], node, at, 2);
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (uint32_t times = 4; times > 0; times--) {
        set_number(number, times);
        OK(cudaGraphLaunch(exec, times % 2 == 0 ? stream : NULL));
        OK(cudaDeviceSynchronize());
        check_all(at, worked(9, 2 * times));
    }
    /* The same graph, and one whose condition is another. */
    OK(cudaGraphExecUpdate(exec, graph, &info, NULL));
    OK(cudaGraphClone(&other, graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecUpdate(exec, other, &info, NULL));
    OK(cudaGraphConditionalHandleCreate(&handle, other, 0, 0));
    OK(cudaGraphDestroy(other));
    OK(cudaGraphCreate(&graph, 0));
    add_condition(graph, add_fill(graph, at, 9), handle, CONDITION_WHILE, 1);
    WANT(cudaGraphExecUpdate(exec, graph, &info, NULL), CUDA_EXEC_UPDATE);
    OK(cudaGraphDestroy(graph));
    set_number(number, 3);
    OK(cudaGraphLaunch(exec, NULL));
    check_all(at, worked(9, 6));
    OK(cudaGraphExecDestroy(exec));
}

/* One of two graphs, and in the second one of three or none. */
static void chooses(uint32_t *number, uint32_t *at, void *stream)
{
    struct cuda_graph *graph, *inner;
    struct cuda_exec *exec;
    struct cuda_condition_params either, which;
    struct cuda_node *node;
    uint64_t outer, handle;

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&outer, graph, 0, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 7, 1));
    add_fill(graph, at, 1);
    node = add_count_down(graph, number, outer);
    either = add_condition(graph, node, outer, CONDITION_IF, 2);
    add_work(either.body[0], NULL, at, 1);
    inner = either.body[1];
    node = add_count_down(inner, number + 1, handle);
    which = add_condition(inner, node, handle, CONDITION_SWITCH, 3);
    for (uint32_t i = 0; i < 3; i++) {
        add_work(which.body[i], NULL, at, i + 2);
    }
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (uint32_t i = 0; i < 5; i++) {
        set_number(number, i == 4 ? 6 : 1);
        set_number(number + 1, i + 1);
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        check_all(at, i == 3 ? 1 : worked(1, i == 4 ? 1 : i + 2));
    }
    OK(cudaGraphDebugDotPrint(graph, "cuda_condition.dot", 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
}

/* A graph of the program's own takes what is captured. */
static void captured_body(uint32_t *number, uint32_t *at, void *stream)
{
    struct cuda_graph *graph;
    struct cuda_exec *exec;
    struct cuda_condition_params once;
    void *args[] = {&at, &(uint32_t){3}};
    uint64_t handle;

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 1));
    once = add_condition(graph, NULL, handle, CONDITION_IF, 1);
    OK(cudaStreamBeginCaptureToGraph(stream, once.body[0], NULL, NULL, 0, 0));
    OK(stub_launch(&work, 1, LANES, 0, stream, args));
    OK(cudaStreamEndCapture(stream, NULL));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaMemset(at, 0, LANE_BYTES));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    check_all(at, worked(0, 3));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    (void)number;
}

static void wrong_conditions(void)
{
    struct cuda_node_params p = {.type = NODE_CONDITIONAL};
    struct cuda_graph *graph;
    struct cuda_node *node;
    uint64_t handle;

    OK(cudaGraphCreate(&graph, 0));
    WANT(cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0),
         CUDA_INVALID_VALUE);
    WANT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2),
         CUDA_INVALID_VALUE);
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    p.of.condition =
        (struct cuda_condition_params){handle, CONDITION_WHILE, 2, NULL};
    WANT(cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p),
         CUDA_INVALID_VALUE);
    p.of.condition.kind = 3;
    WANT(cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p),
         CUDA_INVALID_VALUE);
    p.of.condition.kind = CONDITION_IF;
    OK(cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p));
    WANT(cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p),
         CUDA_INVALID_VALUE); /* it has a node */
    OK(cudaGraphDestroy(graph));
}

static void case_graph_conditions(void)
{
    uint32_t *at, *number;
    void *stream;

    OK(cudaMalloc((void **)&at, LANE_BYTES));
    OK(cudaMalloc((void **)&number, 2 * sizeof(uint32_t)));
    OK(cudaStreamCreate(&stream));
    loops(number, at, stream);
    chooses(number, at, stream);
    captured_body(number, at, stream);
    wrong_conditions();
    OK(cudaStreamDestroy(stream));
}

#endif

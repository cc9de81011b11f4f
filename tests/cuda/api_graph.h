/*
 * Cases of api_test.c about work that is kept: graphs, captured streams, and
 * memory pools.
 */
#ifndef TESTS_CUDA_API_GRAPH_H
#define TESTS_CUDA_API_GRAPH_H

#include "cuda/graph_calls.h"
#include "tests/cuda/api_order.h"

int cudaMemsetAsync(void *at, int value, size_t bytes, void *stream);
int cudaMallocAsync(void **at, size_t bytes, void *stream);
int cudaFreeAsync(void *at, void *stream);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);

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
static void case_graph(void)
{
    struct cuda_graph *graph, *clone;
    struct cuda_exec *exec, *same;
    struct cuda_node *fill[2], *kernel[2], *host, *copy, *found, *nodes[8];
    struct loom_cuda_update info;
    uint32_t *at[2], out[LANES];
    int called = 0, type;
    struct cuda_host_params call = {count_up, &called};
    size_t count = 8;

    OK(cudaGraphCreate(&graph, 0));
    for (uint32_t i = 0; i < 2; i++) {
        OK(cudaMalloc((void **)&at[i], LANE_BYTES));
        fill[i] = add_fill(graph, at[i], i + 1);
        kernel[i] = add_work(graph, fill[i], at[i], i + 2);
    }
    OK(cudaGraphAddHostNode(&host, graph, kernel, 2, &call));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &host, 1, out, at[1], LANE_BYTES,
                                CUDA_DEVICE_TO_HOST));
    OK(cudaGraphGetNodes(graph, NULL, &count));
    HOLDS(count == 6);
    count = 8;
    OK(cudaGraphGetRootNodes(graph, nodes, &count));
    HOLDS(count == 2 && nodes[0] == fill[0] && nodes[1] == fill[1] &&
          nodes[2] == NULL);
    count = 8;
    OK(cudaGraphGetEdges_v2(graph, nodes, nodes + 4, NULL, &count));
    HOLDS(count == 5);
    count = 8;
    OK(cudaGraphNodeGetDependencies_v2(host, nodes, NULL, &count));
    HOLDS(count == 2 && nodes[0] == kernel[0] && nodes[1] == kernel[1]);
    count = 8;
    OK(cudaGraphNodeGetDependentNodes_v2(host, nodes, NULL, &count));
    HOLDS(count == 1 && nodes[0] == copy);
    OK(cudaGraphNodeGetType(host, &type));
    HOLDS(type == NODE_HOST);

    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 1; i <= 3; i++) {
        memset(out, 0, sizeof(out));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaDeviceSynchronize());
        HOLDS(called == i && out[5] == worked(2, 3));
    }
    check_all(at[0], worked(1, 2));

    /* A clone is another graph, with the same work, which can be changed. */
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, kernel[0], clone));
    HOLDS(found != kernel[0]);
    {
        void *args[2];
        uint32_t rounds = 7;
        struct cuda_kernel_params p = work_params(&at[0], &rounds, args), got;

        OK(cudaGraphKernelNodeSetParams(found, &p));
        OK(cudaGraphKernelNodeGetParams(found, &got));
        HOLDS(*(uint32_t *)got.args[1] == 7 && got.block.x == LANES);
        OK(cudaGraphExecUpdate(exec, clone, &info, NULL));
        HOLDS(info.result == 0);
        OK(cudaGraphLaunch(exec, NULL));
        check_all(at[0], worked(1, 7));
        rounds = 4;
        OK(cudaGraphExecKernelNodeSetParams(exec, found, &p));
    }
    OK(cudaGraphLaunch(exec, NULL));
    check_all(at[0], worked(1, 4));
    OK(cudaGraphNodeSetEnabled(exec, found, 0));
    OK(cudaGraphLaunch(exec, NULL));
    check_all(at[0], 1);

    /* Another shape is no update. */
    OK(cudaGraphDestroyNode(copy));
    WANT(cudaGraphExecUpdate(exec, graph, &info, NULL), 910);
    HOLDS(info.result == 2);
    OK(cudaGraphInstantiateWithFlags(&same, graph, 0));
    OK(cudaGraphExecDestroy(same));

    /* A circle cannot be launched. */
    OK(cudaGraphAddDependencies_v2(graph, &host, &fill[0], NULL, 1));
    WANT(cudaGraphInstantiateWithFlags(&same, graph, 0), CUDA_INVALID_VALUE);
    OK(cudaGraphRemoveDependencies_v2(graph, &host, &fill[0], NULL, 1));
    WANT(cudaGraphRemoveDependencies_v2(graph, &host, &fill[0], NULL, 1),
         CUDA_INVALID_VALUE);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(graph));
    WANT(cudaGraphConditionalHandleCreate(&(uint64_t){0}, NULL, 0, 0),
         CUDA_NOT_SUPPORTED);
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
    HOLDS(got == event);
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
    OK(cudaGraphUpload(exec, NULL));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaEventSynchronize(event));
    check_all(at, worked(9, 5));
    OK(cudaFree(at)); /* of a graph: stays */
    OK(cudaGraphLaunch(exec, NULL));
    check_all(at, worked(9, 5));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(child));
    OK(cudaEventDestroy(event));
}

/* Two streams, which an event brings into one graph and another back. */
static void case_capture(void)
{
    void *stream[2], *event[2];
    struct cuda_graph *graph;
    struct cuda_exec *exec;
    struct cuda_node *const *before;
    uint32_t *at[2], in[LANES], out[LANES];
    uint64_t id;
    int status, called = 0;
    size_t count;

    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreate(&stream[i]));
        OK(cudaEventCreate(&event[i]));
        OK(cudaMalloc((void **)&at[i], LANE_BYTES));
    }
    WANT(cudaStreamBeginCapture(NULL, 0), CUDA_CAPTURE_UNSUPPORTED);
    OK(cudaStreamBeginCapture(stream[0], 0));
    OK(cudaStreamIsCapturing(stream[0], &status));
    HOLDS(status == 1);
    OK(cudaStreamIsCapturing(stream[1], &status));
    HOLDS(status == 0);
    OK(cudaMemcpyAsync(at[0], in, LANE_BYTES, CUDA_HOST_TO_DEVICE, stream[0]));
    OK(cudaEventRecord(event[0], stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event[0], 0));
    OK(cudaMemcpyAsync(at[1], at[0], LANE_BYTES, CUDA_DEVICE_TO_DEVICE,
                       stream[1]));
    OK(launch_work(at[1], LANES, 3, stream[1]));
    OK(launch_work(at[0], LANES, 2, stream[0]));
    OK(cudaLaunchHostFunc(stream[0], count_up, &called));
    OK(cudaEventRecord(event[1], stream[1]));
    WANT(cudaEventQuery(event[1]), CUDA_CAPTURED_EVENT);
    OK(cudaStreamWaitEvent(stream[0], event[1], 0));
    OK(cudaStreamGetCaptureInfo_v2(stream[0], &status, &id, &graph, &before,
                                   &count));
    HOLDS(status == 1 && count == 2);
    OK(cudaMemcpyAsync(out, at[1], LANE_BYTES, CUDA_DEVICE_TO_HOST, stream[0]));
    OK(cudaStreamDestroy(stream[1])); /* what it had done is in the graph */
    OK(cudaStreamEndCapture(stream[0], &graph));
    OK(cudaStreamCreate(&stream[1]));
    HOLDS(called == 0);
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (uint32_t round = 1; round <= 2; round++) {
        for (uint32_t i = 0; i < LANES; i++) {
            in[i] = 10 * round;
        }
        OK(cudaGraphLaunch(exec, stream[1]));
        OK(cudaStreamSynchronize(stream[1]));
        HOLDS(called == (int)round && out[7] == worked(10 * round, 3));
        check_all(at[0], worked(10 * round, 2));
    }

    /* What is launched can be captured itself. */
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamBeginCapture(stream[0], 1));
    OK(cudaGraphLaunch(exec, stream[0]));
    OK(cudaStreamEndCapture(stream[0], &graph));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream[0]));
    OK(cudaStreamSynchronize(stream[0]));
    HOLDS(called == 3);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamDestroy(stream[i]));
        OK(cudaEventDestroy(event[i]));
        OK(cudaFree(at[i]));
    }
}

/* What ends a capture without a graph. */
static void case_capture_errors(void)
{
    void *stream[2], *event;
    struct cuda_graph *graph;
    uint32_t *at;
    int status;

    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreate(&stream[i]));
    }
    OK(cudaEventCreate(&event));
    OK(cudaMalloc((void **)&at, LANE_BYTES));
    WANT(cudaStreamEndCapture(stream[0], &graph), CUDA_INVALID_VALUE);
    OK(cudaStreamBeginCapture(stream[0], 2));
    WANT(cudaStreamSynchronize(stream[0]), CUDA_CAPTURE_UNSUPPORTED);
    OK(cudaStreamIsCapturing(stream[0], &status));
    HOLDS(status == 2);
    WANT(launch_work(at, LANES, 1, stream[0]), CUDA_CAPTURE_INVALIDATED);
    WANT(cudaStreamEndCapture(stream[0], &graph), CUDA_CAPTURE_INVALIDATED);
    HOLDS(graph == NULL);

    OK(cudaStreamBeginCapture(stream[0], 0)); /* a stream that never joins */
    OK(cudaEventRecord(event, stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event, 0));
    OK(launch_work(at, LANES, 1, stream[1]));
    WANT(cudaStreamEndCapture(stream[1], &graph), CUDA_CAPTURE_UNMATCHED);
    WANT(cudaStreamEndCapture(stream[0], &graph), CUDA_CAPTURE_INVALIDATED);
    OK(cudaStreamBeginCapture(stream[0], 0));
    OK(cudaEventRecord(event, stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event, 0));
    OK(launch_work(at, LANES, 1, stream[1]));
    WANT(cudaStreamEndCapture(stream[0], &graph), CUDA_CAPTURE_UNJOINED);

    OK(cudaEventRecord(event, stream[1])); /* outside */
    OK(cudaStreamBeginCapture(stream[0], 0));
    WANT(cudaStreamWaitEvent(stream[0], event, 0), CUDA_CAPTURE_ISOLATION);
    WANT(cudaStreamEndCapture(stream[0], &graph), CUDA_CAPTURE_INVALIDATED);
    OK(cudaStreamSynchronize(stream[0])); /* as before */
    OK(cudaStreamDestroy(stream[0]));
    OK(cudaStreamDestroy(stream[1]));
    OK(cudaEventDestroy(event));
    OK(cudaFree(at));
    cudaGetLastError();
}

/* Branches of a graph take the time of the longer, not of both. */
static void case_graph_overlap(void)
{
    struct cuda_graph *graph;
    struct cuda_exec *exec;
    void *event[2], *host;
    struct cuda_node *node;
    uint32_t *data;
    char *device;
    float ms[2], both;

    enum {
        BYTES = 1 << 18
    };
    OK(cudaMalloc((void **)&data, LANE_BYTES));
    OK(cudaMalloc((void **)&device, BYTES));
    OK(cudaMallocHost(&host, BYTES));
    memset(host, 7, BYTES);
    OK(cudaEventCreate(&event[0]));
    OK(cudaEventCreate(&event[1]));
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphCreate(&graph, 0));
        if (i != 1) {
            add_work(graph, NULL, data, 3000);
        }
        if (i != 0) {
            OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, host,
                                        BYTES, CUDA_HOST_TO_DEVICE));
        }
        OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        OK(cudaEventRecord(event[0], NULL));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaEventRecord(event[1], NULL));
        OK(cudaDeviceSynchronize());
        both = between(event[0], event[1]);
        if (i < 2) {
            ms[i] = both;
        }
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
    }
    printf("kernel %.4f ms, copy %.4f ms, both %.4f ms\n", (double)ms[0],
           (double)ms[1], (double)both);
    HOLDS(ms[0] > 0.01f && ms[1] > 0.01f);
    HOLDS(both < (ms[0] + ms[1]) * 0.85f);
}

static void case_pool(void)
{
    struct cuda_pool *pool, *other;
    struct {
        int32_t type, handles, location_type, location;
        void *attributes;
        size_t most;
        char reserved[56];
    } properties = {.type = 1, .location_type = 1};
    void *stream, *at[3];
    uint64_t bytes;
    int flag;

    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&at[0], 1000, stream));
    OK(cudaMemsetAsync(at[0], 5, 1000, stream));
    OK(cudaMemPoolGetAttribute(pool, 7, &bytes));
    HOLDS(bytes == 1000);
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaMemPoolGetAttribute(pool, 7, &bytes));
    HOLDS(bytes == 0);
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 1000);
    OK(cudaMallocAsync(&at[1], 1000, stream)); /* the same again */
    HOLDS(at[1] == at[0]);
    OK(cudaMallocAsync(&at[2], 1000, stream));
    HOLDS(at[2] != at[0]);
    OK(cudaFree(at[1]));
    OK(cudaFreeAsync(at[2], stream));
    OK(cudaMemPoolTrimTo(pool, 0));
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 0);
    OK(cudaMemPoolGetAttribute(pool, 8, &bytes));
    HOLDS(bytes == 2000);
    OK(cudaMallocAsync(&at[0], 300, stream));
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaStreamSynchronize(stream)); /* its threshold is 0 */
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 0);
    bytes = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(pool, 4, &bytes));
    OK(cudaMallocAsync(&at[0], 300, stream));
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaDeviceSynchronize());
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 300);
    WANT(cudaMemPoolSetAttribute(pool, 5, &bytes), CUDA_INVALID_VALUE);

    OK(cudaMemPoolCreate(&other, (void *)&properties));
    OK(cudaMemPoolGetAttribute(other, 1, &flag));
    HOLDS(flag == 1);
    OK(cudaDeviceSetMemPool(0, other));
    OK(cudaDeviceGetMemPool(&pool, 0));
    HOLDS(pool == other);
    OK(cudaMallocAsync(&at[0], 512, stream));
    OK(cudaMallocFromPoolAsync(&at[1], 512, other, stream));
    OK(cudaMemPoolGetAttribute(other, 7, &bytes));
    HOLDS(bytes == 1024);
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaMemPoolDestroy(other));
    OK(cudaFreeAsync(at[1], stream));
    WANT(cudaFreeAsync(&bytes, stream), CUDA_INVALID_VALUE);
    properties.handles = 1;
    WANT(cudaMemPoolCreate(&other, (void *)&properties), CUDA_NOT_SUPPORTED);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

#endif

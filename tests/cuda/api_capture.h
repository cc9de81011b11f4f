/*
 * Cases of api_test.c about captured streams and what graphs take of time.
 */
#ifndef TESTS_CUDA_API_CAPTURE_H
#define TESTS_CUDA_API_CAPTURE_H

#include "tests/cuda/api_graph.h"

int cudaStreamIsCapturing(void *stream, int *status);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);

/* A copy, then a kernel in one stream beside a copy and a kernel in another. */
static void fork_and_join(void **stream, void **event, uint32_t **at,
                          const uint32_t *in, int *called)
{
    OK(cudaMemcpyAsync(at[0], in, LANE_BYTES, CUDA_HOST_TO_DEVICE, stream[0]));
    OK(cudaEventRecord(event[0], stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event[0], 0));
    OK(cudaMemcpyAsync(at[1], at[0], LANE_BYTES, CUDA_DEVICE_TO_DEVICE,
                       stream[1]));
    OK(launch_work(at[1], LANES, 3, stream[1]));
    OK(launch_work(at[0], LANES, 2, stream[0]));
    OK(cudaLaunchHostFunc(stream[0], count_up, called));
    OK(cudaEventRecord(event[1], stream[1]));
    WANT(cudaEventQuery(event[1]), CUDA_CAPTURED_EVENT);
    OK(cudaStreamWaitEvent(stream[0], event[1], 0));
}

/* What is launched can be captured itself. */
static void capture_again(struct cuda_exec *exec, struct cuda_graph *graph,
                          void *stream, const int *called)
{
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamBeginCapture(stream, 1));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    HOLDS(*called == 3);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
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
    fork_and_join(stream, event, at, in, &called);
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

    capture_again(exec, graph, stream[0], &called);
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

#endif

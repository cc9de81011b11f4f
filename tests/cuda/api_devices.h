/*
 * Cases of api_test.c about several devices: --devices 2.
 */
#ifndef TESTS_CUDA_API_DEVICES_H
#define TESTS_CUDA_API_DEVICES_H

#include "tests/cuda/api_graph.h"

int cudaDeviceCanAccessPeer(int *can, int device, int other);
int cudaDeviceEnablePeerAccess(int other, unsigned flags);
int cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                        int from_device, size_t bytes, void *stream);
int cudaGetDevice(int *device);
int cudaGetSymbolAddress(void **at, const void *symbol);

static const char counter; /* a shadow: only its address matters */
static const uint32_t ones[LANES] = {1};

/* Each has a variable of its own; memory is counted for each, and is found. */
static void check_own(const void *variable)
{
    void *place;
    struct cuda_pointer_attributes attributes;
    uint32_t value[2] = {100, 200}, got;
    size_t left, total;
    void *at;

    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        OK(cudaMemcpyToSymbol(variable, &value[d], 4, 0, CUDA_HOST_TO_DEVICE));
    }
    OK(cudaMalloc(&at, 1 << 16));
    OK(cudaPointerGetAttributes(&attributes, at));
    HOLDS(attributes.device == 1);
    OK(cudaMemGetInfo(&left, &total));
    HOLDS(total - left == 1 << 16);
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        OK(cudaMemcpyFromSymbol(&got, variable, 4, 0, CUDA_DEVICE_TO_HOST));
        HOLDS(got == value[d]);
    }
    OK(cudaSetDevice(0));
    OK(cudaMemGetInfo(&left, &total));
    HOLDS(total == left);
    OK(cudaGetSymbolAddress(&place, variable));
    WANT(cudaFree(place), CUDA_INVALID_VALUE);
    WANT(cudaGetLastError(), CUDA_INVALID_VALUE);
    OK(cudaFree(at));
}

/* Device 1 goes on with what device 0 has made, then device 0 with that. */
static void check_order(void *const *stream, void *const *event,
                        uint32_t *const *at)
{
    uint32_t got[LANES];
    int now = -1;

    for (int round = 0; round < 4; round++) {
        int d = round % 2, other = 1 - d;

        OK(cudaSetDevice(d));
        if (round > 0) {
            OK(cudaStreamWaitEvent(stream[d], event[other], 0));
            OK(cudaMemcpyPeerAsync(at[d], d, at[other], other, LANE_BYTES,
                                   stream[d]));
        } else {
            OK(cudaMemcpyAsync(at[d], ones, LANE_BYTES, CUDA_HOST_TO_DEVICE,
                               stream[d]));
        }
        OK(launch_work(at[d], LANES, 1000, stream[d]));
        OK(cudaEventRecord(event[d], stream[d]));
    }
    OK(cudaGetDevice(&now));
    HOLDS(now == 1);
    OK(cudaMemcpyAsync(got, at[1], LANE_BYTES, CUDA_DEVICE_TO_HOST, stream[1]));
    OK(cudaStreamSynchronize(stream[1]));
    HOLDS(got[0] == worked(1, 4000) && got[1] == worked(0, 4000));
}

static void case_devices(void)
{
    void *stream[2], *event[2];
    uint32_t *at[2], got[LANES];
    int can = -1;

    OK(cudaGetDeviceCount(&can));
    HOLDS(can == 2);
    WANT(cudaSetDevice(2), CUDA_INVALID_DEVICE);
    check_own(&counter);
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        OK(cudaStreamCreate(&stream[d]));
        OK(cudaEventCreate(&event[d]));
        OK(cudaMalloc((void **)&at[d], LANE_BYTES));
    }
    WANT(launch_work(at[0], LANES, 1, stream[0]), CUDA_INVALID_HANDLE);
    WANT(cudaEventRecord(event[0], stream[1]), CUDA_INVALID_HANDLE);
    check_order(stream, event, at);
    OK(cudaSetDevice(0));
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    HOLDS(can == 1);
    WANT(cudaDeviceEnablePeerAccess(0, 0), CUDA_INVALID_DEVICE);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    WANT(cudaDeviceEnablePeerAccess(1, 0), CUDA_PEER_ALREADY);
    OK(launch_work(at[1], LANES, 1, stream[0])); /* the other's memory */
    OK(cudaMemcpy(got, at[1], LANE_BYTES, CUDA_DEFAULT));
    HOLDS(got[0] == worked(1, 4001) && got[1] == worked(0, 4001));
    OK(cudaMemset(at[1], 0, LANE_BYTES));
    check_all(at[1], 0);
}

/* Copies and kernels of two devices take the time of one's, in streams and in
 * default streams. */
static void case_devices_overlap(void)
{
    enum {
        ELEMENTS = 128 * 64
    };
    void *host, *at[2], *begin[2], *end[2];
    float alone = 0, took;

    OK(cudaMallocHost(&host, 4 * ELEMENTS));
    memset(host, 1, 4 * ELEMENTS);
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(&at[d], 4 * ELEMENTS));
        OK(cudaEventCreate(&begin[d]));
        OK(cudaEventCreate(&end[d]));
    }
    for (int devices = 1; devices <= 2; devices++) {
        for (int d = 0; d < devices; d++) {
            OK(cudaSetDevice(d));
            OK(cudaEventRecord(begin[d], NULL));
        }
        for (int d = 0; d < devices; d++) {
            OK(cudaSetDevice(d));
            OK(cudaMemcpyAsync(at[d], host, 4 * ELEMENTS, CUDA_HOST_TO_DEVICE,
                               NULL));
            OK(launch_work(at[d], ELEMENTS, 600, NULL));
            OK(cudaEventRecord(end[d], NULL));
        }
        for (int d = 0; d < devices; d++) {
            OK(cudaSetDevice(d));
            OK(cudaDeviceSynchronize());
            took = between(begin[d], end[d]);
            alone = devices == 1 ? took : alone;
            HOLDS(took > 0.01f && took < 1.05f * alone);
        }
    }
}

#endif

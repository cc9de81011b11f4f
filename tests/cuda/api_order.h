/*
 * Cases of api_test.c about what happens at the same time: streams, events,
 * threads of the program.
 */
#ifndef TESTS_CUDA_API_ORDER_H
#define TESTS_CUDA_API_ORDER_H

#include <pthread.h>

#include "cuda/properties.h"
#include "tests/cuda/stubs.h"

static const char work, spin; /* shadows: only their addresses matter */

static int launch_work(void *to, unsigned n, unsigned rounds, void *stream)
{
    void *args[] = {&to, &rounds};

    return stub_launch(&work, n / 128, 128, 0, stream, args);
}

static float between(void *a, void *b)
{
    float ms = -1;

    OK(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

/* A kernel in one stream, copies in another: on a machine with a host link
 * they take the time of the longer, not of both. */
static void case_overlap(void)
{
    enum {
        ELEMENTS = 128 * 64,
        BYTES = 1 << 18
    };
    void *data, *host, *device, *stream[2], *event[4];
    float kernel, copy, both;

    OK(cudaMalloc(&data, ELEMENTS * 4));
    OK(cudaMalloc(&device, BYTES));
    OK(cudaMallocHost(&host, BYTES));
    memset(host, 7, BYTES);
    for (int i = 0; i < 4; i++) {
        OK(cudaEventCreate(&event[i]));
    }
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreate(&stream[i]));
    }
    OK(cudaEventRecord(event[0], stream[0]));
    OK(launch_work(data, ELEMENTS, 600, stream[0]));
    OK(cudaEventRecord(event[1], stream[0]));
    WANT(cudaEventElapsedTime(&kernel, event[0], event[1]), CUDA_NOT_READY);
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(event[2], stream[1]));
    OK(cudaMemcpyAsync(device, host, BYTES, CUDA_HOST_TO_DEVICE, stream[1]));
    OK(cudaEventRecord(event[3], stream[1]));
    OK(cudaEventSynchronize(event[3]));
    kernel = between(event[0], event[1]);
    copy = between(event[2], event[3]);
    HOLDS(kernel > 0.01f && copy > 0.01f);

    OK(cudaEventRecord(event[0], stream[0]));
    OK(launch_work(data, ELEMENTS, 600, stream[0]));
    OK(cudaMemcpyAsync(device, host, BYTES, CUDA_HOST_TO_DEVICE, stream[1]));
    OK(cudaEventRecord(event[3], stream[1]));
    OK(cudaStreamWaitEvent(stream[0], event[3], 0));
    OK(cudaEventRecord(event[1], stream[0]));
    while (cudaStreamQuery(stream[0]) == CUDA_NOT_READY) {
    }
    OK(cudaEventQuery(event[1]));
    both = between(event[0], event[1]);
    printf("kernel %.4f ms, copy %.4f ms, both %.4f ms\n", (double)kernel,
           (double)copy, (double)both);
    HOLDS(both < (kernel + copy) * 0.8f);
    HOLDS(both > 0.95f * (kernel > copy ? kernel : copy));
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamDestroy(stream[i]));
        OK(cudaEventDestroy(event[i]));
        OK(cudaEventDestroy(event[i + 2]));
    }
    OK(cudaFreeHost(host));
}

static void check_work(const uint32_t *got, uint32_t from, uint32_t rounds)
{
    for (int i = 0; i < 128; i++) {
        uint32_t v = from + (uint32_t)i;

        for (uint32_t k = 0; k < rounds; k++) {
            v = 3 * v + 1;
        }
        HOLDS(got[i] == v);
    }
}

/* Asynchronous copies see memory in the order of the program. */
static void case_async(void)
{
    uint32_t *in, *out, *device[2];
    void *stream[2];

    OK(cudaMallocHost((void **)&in, 2 * 512));
    OK(cudaMallocHost((void **)&out, 2 * 512));
    for (int s = 0; s < 2; s++) {
        OK(cudaStreamCreate(&stream[s]));
        OK(cudaMalloc((void **)&device[s], 512));
    }
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t s = 0; s < 2; s++) {
            for (uint32_t i = 0; i < 128; i++) {
                in[s * 128 + i] = i + 100 * s + round;
            }
            OK(cudaMemcpyAsync(device[s], in + s * 128, 512,
                               CUDA_HOST_TO_DEVICE, stream[s]));
            OK(launch_work(device[s], 128, 10 + s, stream[s]));
            OK(cudaMemcpyAsync(out + s * 128, device[s], 512,
                               CUDA_DEVICE_TO_HOST, stream[s]));
        }
        for (uint32_t s = 0; s < 2; s++) {
            OK(cudaStreamSynchronize(stream[s]));
            check_work(out + s * 128, 100 * s + round, 10 + s);
        }
    }
    for (int s = 0; s < 2; s++) {
        OK(cudaStreamDestroy(stream[s]));
        OK(cudaFree(device[s]));
    }
}

/* What threads do beside that: questions, events, other memory. */
static void ask_around(void *stream)
{
    struct cuda_function_attributes f;
    struct cuda_pointer_attributes a;
    struct cuda_properties p;
    void *event[2], *pinned;
    int value;

    for (int i = 0; i < 2; i++) {
        OK(cudaEventCreate(&event[i]));
        OK(cudaEventRecord(event[i], stream));
    }
    OK(cudaMallocHost(&pinned, 4096));
    OK(cudaPointerGetAttributes(&a, pinned));
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaDeviceGetAttribute(&value, 16, 0));
    OK(cudaFuncGetAttributes(&f, &work));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, &work,
                                                              256, 0, 0));
    OK(cudaEventSynchronize(event[1]));
    OK(cudaEventQuery(event[0]));
    OK(cudaStreamQuery(stream));
    HOLDS(between(event[0], event[1]) >= 0);
    OK(cudaEventDestroy(event[0]));
    OK(cudaEventDestroy(event[1]));
    OK(cudaFreeHost(pinned));
}

static void *one_thread(void *context)
{
    uint32_t from = *(const uint32_t *)context, in[128], out[128], *device;
    void *stream;

    WANT(cudaMalloc((void **)&device, SIZE_MAX), CUDA_OUT_OF_MEMORY);
    OK(cudaMalloc((void **)&device, 512));
    OK(cudaStreamCreate(&stream));
    WANT(cudaGetLastError(), CUDA_OUT_OF_MEMORY); /* this thread's own */
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 128; i++) {
            in[i] = from + i + round;
        }
        OK(cudaMemcpyAsync(device, in, 512, CUDA_HOST_TO_DEVICE, stream));
        OK(launch_work(device, 128, 4, stream));
        OK(cudaMemcpyAsync(out, device, 512, CUDA_DEVICE_TO_HOST, stream));
        OK(cudaStreamSynchronize(stream));
        check_work(out, from + round, 4);
        ask_around(stream);
    }
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaGetLastError());
    return NULL;
}

static void case_threads(void)
{
    pthread_t thread[4];
    uint32_t from[4];

    for (uint32_t i = 0; i < 4; i++) {
        from[i] = 1000 * i;
        HOLDS(pthread_create(&thread[i], NULL, one_thread, &from[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        HOLDS(pthread_join(thread[i], NULL) == 0);
    }
    OK(cudaGetLastError());
}

/* Kernels that wait until their clock says so, beside each other: each ends
 * in its time, all of them in that of one. */
static void case_clock(void)
{
    enum {
        STREAMS = 4
    };
    uint64_t cycles = 20000, *device[STREAMS], got[2];
    void *stream[STREAMS], *begin, *end;

    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    for (int i = 0; i < STREAMS; i++) {
        OK(cudaStreamCreate(&stream[i]));
        OK(cudaMalloc((void **)&device[i], sizeof(got)));
    }
    OK(cudaEventRecord(begin, NULL));
    for (int i = 0; i < STREAMS; i++) {
        void *args[] = {&device[i], &cycles};

        OK(stub_launch(&spin, 1, 1, 0, stream[i], args));
    }
    for (int i = 0; i < STREAMS; i++) {
        OK(cudaMemcpyAsync(got, device[i], sizeof(got), CUDA_DEVICE_TO_HOST,
                           stream[i]));
        OK(cudaStreamSynchronize(stream[i]));
        HOLDS(got[0] >= cycles && got[0] < cycles + 200);
        HOLDS(got[1] >= cycles * 10 / 7 && got[1] < cycles * 10 / 7 + 400);
    }
    OK(cudaEventRecord(end, NULL));
    OK(cudaDeviceSynchronize());
    printf("%d times 20000 cycles: %.4f ms\n", STREAMS,
           (double)between(begin, end));
    HOLDS(between(begin, end) > 0.0285f && between(begin, end) < 0.045f);
    for (int i = 0; i < STREAMS; i++) {
        OK(cudaStreamDestroy(stream[i]));
        OK(cudaFree(device[i]));
    }
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
}

#endif

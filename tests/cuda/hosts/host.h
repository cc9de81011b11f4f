/*
 * What the ordinary CUDA hosts of these tests share: nothing of warploom.
 */
#ifndef TESTS_CUDA_HOSTS_HOST_H
#define TESTS_CUDA_HOSTS_HOST_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

template <typename T> static T *device(size_t count)
{
    T *at;

    CHECK(cudaMalloc(&at, count * sizeof(T)));
    return at;
}

template <typename T> static T *upload(const std::vector<T> &from)
{
    T *at = device<T>(from.size());

    CHECK(cudaMemcpy(at, from.data(), from.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
    return at;
}

template <typename T> static std::vector<T> download(const T *at, size_t count)
{
    std::vector<T> to(count);

    CHECK(cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* Whole numbers from 0 to below `limit`, the same ones each time. */
static std::vector<float> numbers(size_t count, unsigned seed, unsigned limit)
{
    std::vector<float> v(count);

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (float)((seed >> 16) % limit);
    }
    return v;
}

template <typename T>
static int compare(const std::vector<T> &got, const std::vector<T> &want)
{
    CHECK(cudaGetLastError());
    for (size_t i = 0; i < want.size(); i++) {
        if (got[i] != want[i]) {
            printf("FAILED: element %zu differs\n", i);
            return 1;
        }
    }
    printf("PASSED\n");
    return 0;
}

#endif

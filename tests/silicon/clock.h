/*
 * What programs that read an SM's clock begin with.
 */
#ifndef TESTS_SILICON_CLOCK_H
#define TESTS_SILICON_CLOCK_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

typedef unsigned long long u64;

static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

static __device__ __forceinline__ unsigned now()
{
    unsigned t;

    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

#endif

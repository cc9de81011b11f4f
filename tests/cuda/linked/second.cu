// What first.cu takes, and what it has of the same name.
#include <cstdio>

__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factor = 5;
__managed__ int shared_with_host = 10;

static __device__ int own = 2;
static __device__ __noinline__ int times(int x) { return x * 7; }

template <class T> __device__ __noinline__ T next(T x) { return x + 1; }
template <class T> __global__ void both(T *out) { out[3] += next(out[3]); }

__device__ int helper(int x) { return next(x) + 10; }

static __global__ void mine(int *out)
{
    printf("second: %s\n", "another text");
    out[2] = times(out[2] + 1) + own;
    shared_with_host += 1;
}

void second(int *out)
{
    mine<<<1, 1>>>(out);
    both<int><<<1, 1>>>(out);
}

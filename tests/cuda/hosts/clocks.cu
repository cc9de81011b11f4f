/*
 * Kernels that read the time, as C++ programs write them: a delay by clock64(),
 * clock(), %globaltimer, __nanosleep() and a flag between two blocks.
 */
#include "host.h"

__device__ unsigned long long nanoseconds()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void delay(long long cycles, long long *out)
{
    long long start = clock64(), now;
    unsigned long long from = nanoseconds();

    do {
        now = clock64();
    } while (now - start < cycles);
    out[0] = now - start;
    out[1] = (long long)(nanoseconds() - from);
}

__global__ void chain(float x, long long *out, float *to)
{
    clock_t start = clock();

#pragma unroll
    for (int i = 0; i < 64; i++) {
        x = x * x + x;
    }
    *to = x;
    __threadfence_block();
    out[0] = clock() - start;
}

__global__ void flag(volatile int *set, long long *out)
{
    long long start = clock64();

    if (blockIdx.x == 0) {
        while (clock64() - start < 3000) {
        }
        *set = 1;
    } else {
        while (*set == 0) {
        }
        out[0] = clock64() - start;
    }
}

#if __CUDA_ARCH__ >= 700 || !defined(__CUDA_ARCH__)
__global__ void nap(long long *out)
{
    long long start = clock64();

    __nanosleep(10000);
    out[0] = clock64() - start;
}
#endif

static int bad;

static void within(const char *what, double got, double least, double most)
{
    printf("%s: %.0f, expected %.0f to %.0f\n", what, got, least, most);
    bad += got < least || got > most;
}

int main()
{
    std::vector<long long> got;
    long long *out = device<long long>(2);
    float *to = device<float>(1), ms = 0;
    int *set = device<int>(1), khz = 0;
    cudaEvent_t begin, end;

    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    delay<<<1, 32>>>(100000, out);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    got = download(out, 2);
    within("cycles", (double)got[0], 100000, 100200);
    within("nanoseconds", (double)got[1], 1e11 / khz, 1e11 / khz + 500);
    within("the launch, ns", ms * 1e6, 1e11 / khz, 1e11 / khz + 10000);

    chain<<<1, 1>>>(0.5f, out, to);
    chain<<<1, 1>>>(0.5f, out, to);
    got = download(out, 1);
    within("64 dependent instructions", (double)got[0], 64 * 4, 64 * 40);

    CHECK(cudaMemset(set, 0, sizeof(int)));
    flag<<<2, 1>>>(set, out);
    got = download(out, 1);
    within("a flag of another block", (double)got[0], 3000, 6000);

    nap<<<1, 1>>>(out);
    got = download(out, 1);
    within("asleep", (double)got[0], khz * 1e-6 * 10000,
           khz * 1e-6 * 10000 + 200);
    printf(bad == 0 ? "PASSED\n" : "FAILED\n");
    return bad != 0;
}

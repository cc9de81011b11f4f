/*
 * What needs the card's own clock, beside durations of kernels: in which order
 * warps issue, near and far partitions of the L2, what an SM reads of the L2,
 * refreshes of the memory as single loads see them, clocks while tensor cores
 * work, launches one after another, where CTAs go.  Prints CSV:
 *
 *   nvcc -O2 -std=c++17 -arch=sm_90a -o probe probe.cu && ./probe > probe.csv
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

#define DEVICE __device__ __forceinline__
DEVICE unsigned now()
{
    unsigned t;

    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

DEVICE unsigned long long ns()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

DEVICE unsigned smid()
{
    unsigned id;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

/* A load whose value is needed before the clock is read. */
DEVICE unsigned load_time(const void *at, volatile unsigned long long *keep)
{
    unsigned long long value;
    unsigned before = now();

    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at));
    *keep = value;
    return now() - before;
}

template <class T> static std::vector<T> fetch(const T *from, size_t count)
{
    std::vector<T> to(count);

    CHECK(cudaDeviceSynchronize());
    CHECK(
        cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* ---- order of warps ---- */

/* FMA of WAYS chains, BODY in a turn; when warps begin and end. */
template <int BODY, int WAYS>
__global__ void issue(unsigned *out, float a, float b, int turns)
{
    float x[8], sum = 0;
    unsigned begin = 0, end = 0;

#pragma unroll
    for (int i = 0; i < 8; i++) {
        x[i] = threadIdx.x + i;
    }
#pragma unroll 1
    for (int round = 0; round < 2; round++) { /* the first fetches code */
        __syncthreads();
        begin = now();
#pragma unroll 1
        for (int turn = 0; turn < turns; turn++) {
#pragma unroll
            for (int j = 0; j < BODY; j++) {
                asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                             : "+f"(x[j % WAYS])
                             : "f"(a), "f"(b));
            }
        }
        end = now();
    }
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 16] = begin;
        out[threadIdx.x / 16 + 1] = end;
    }
    for (int i = 0; i < 8; i++) {
        sum += x[i];
    }
    if (sum == 1234.5f) {
        out[0] = 0;
    }
}

template <int BODY, int WAYS> static void order(unsigned *out)
{
    for (int warps = 1; warps <= 8; warps++) { /* of a scheduler */
        issue<BODY, WAYS><<<1, warps * 128>>>(out, 1, 2, 4096 / BODY);
        std::vector<unsigned> at = fetch(out, 64);
        unsigned begin = 0;

        for (int w = 0; w < warps; w++) {
            begin = std::max(begin, at[8 * w]);
        }
        printf("order,body %d,chains %d,warps %d", BODY, WAYS, warps);
        for (int w = 0; w < warps; w++) { /* ends, after all have begun */
            printf(",%u", at[8 * w + 1] - begin);
        }
        printf("\n");
    }
}

/* CTAs of a chain each: where, from when to when. */
__global__ void chain(unsigned *where, unsigned long long *when, float b,
                      float c, int turns, float *out)
{
    unsigned long long begin = ns();
    float x = threadIdx.x;

    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int j = 0; j < 132; j++) {
            x = __fmaf_rn(x, b, c);
        }
    }
    if (x == 12345.0f) {
        *out = x;
    }
    if (threadIdx.x == 0) {
        where[blockIdx.x] = smid();
        when[2 * blockIdx.x] = begin;
        when[2 * blockIdx.x + 1] = ns();
    }
}

static void ctas(int grid, unsigned *where, unsigned long long *when)
{
    for (int again = 0; again < 2; again++) {
        chain<<<grid, 128>>>(where, when, 1.5f, 0.5f, 20, (float *)where);
    }
    std::vector<unsigned> sm = fetch(where, grid);
    std::vector<unsigned long long> t = fetch(when, 2 * grid);
    unsigned long long begin = t[0];

    for (int i = 0; i < grid; i++) {
        begin = std::min(begin, t[2 * i]);
    }
    for (int i = 0; i < grid; i++) {
        printf("cta,%d,%d,%u,%llu,%llu\n", grid, i, sm[i], t[2 * i] - begin,
               t[2 * i + 1] - begin);
    }
}

/* ---- L2 and memory ---- */

enum {
    LINES = 64
};

/* One thread of an SM reads lines, once and again. */
__global__ void visit(unsigned sm, const unsigned long long *at, int apart,
                      unsigned *times)
{
    __shared__ unsigned long long keep;

    if (smid() != sm || threadIdx.x != 0) {
        return;
    }
    for (int i = 0; i < 2 * LINES; i++) {
        times[i] = load_time(at + (size_t)(i % LINES) * apart / 8, &keep);
    }
}

__global__ void fill(unsigned sm, unsigned long long *at, int apart)
{
    if (smid() == sm && threadIdx.x == 0) {
        for (int i = 0; i < LINES; i++) {
            at[(size_t)i * apart / 8] = i;
        }
        __threadfence();
    }
}

/* Each SM reads lines that SM 0 has written. */
static void sides(int sms, unsigned long long *at, unsigned *times)
{
    static const int distance[] = {128, 1024, 4096, 65536, 1 << 21};

    for (int apart : distance) {
        for (int sm = 0; sm < (apart == 4096 ? sms : 4); sm++) {
            fill<<<sms * 16, 128>>>(0, at, apart);
            visit<<<sms * 16, 128>>>(sm, at, apart, times);
            std::vector<unsigned> t = fetch(times, 2 * LINES);

            printf("sides,%d,%d", apart, sm);
            for (unsigned cycles : t) {
                printf(",%u", cycles);
            }
            printf("\n");
        }
    }
}

/* The first `count` SMs read `each` elements of their own, again and again. */
__global__ void readers(unsigned count, const float4 *at, size_t each,
                        unsigned *cycles)
{
    const float4 *from = at + smid() * each;
    float sum = 0;
    unsigned begin = 0;

    if (smid() >= count) {
        return;
    }
    for (int round = 0; round < 9; round++) { /* the first brings them */
        if (round == 1) {
            __syncthreads();
            begin = now();
        }
        for (size_t i = threadIdx.x; i < each; i += 4096) {
            float4 v[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[j].x), "=f"(v[j].y), "=f"(v[j].z),
                               "=f"(v[j].w)
                             : "l"(from + i + j * 1024));
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                sum += v[j].x + v[j].y + v[j].z + v[j].w;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[smid()] = now() - begin;
    }
    if (sum == 1.25f) {
        cycles[0] = 0;
    }
}

static void bandwidth(int sms, const float4 *at, unsigned *cycles)
{
    static const int number[] = {1, 2, 4, 8, 16, 32, 64, 100, 132};
    size_t bytes = 320 << 10;

    /* One CTA to an SM. */
    CHECK(cudaFuncSetAttribute(
        readers, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    for (int count : number) {
        readers<<<sms, 1024, 100 << 10>>>(count, at, bytes / 16, cycles);
        std::vector<unsigned> t = fetch(cycles, sms);
        double sum = 0;

        for (int i = 0; i < std::min(count, sms); i++) {
            sum += 8.0 * bytes / t[i];
        }
        printf("readers,%d,%.1f bytes a cycle,%.1f each\n", count, sum,
               sum / std::min(count, sms));
    }
}

/* One thread reads places all over memory, one after the other. */
__global__ void walk(const char *at, unsigned long long mask, int steps,
                     unsigned *when, unsigned *cycles)
{
    __shared__ unsigned long long keep;
    unsigned x = 12345, begin = now();

    for (int i = 0; i < steps; i++) {
        x = x * 1664525u + 1013904223u;
        when[i] = now() - begin;
        cycles[i] = load_time(
            at + ((unsigned long long)(x >> 4) * 128 & mask & ~127ull), &keep);
    }
}

/* ---- clocks and launches ---- */

template <bool TENSOR> __global__ void work(unsigned long long *out, int turns)
{
    float d[16] = {};
    unsigned zero = 0;
    unsigned long long t = ns();
    unsigned begin = now();

    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float *x = d + j % 4 * 4;

            if (TENSOR) {
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                    "{%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};"
                    : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                    : "r"(zero));
            } else {
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[0]));
            }
        }
    }
    if (threadIdx.x == 0) {
        out[0] = now() - begin;
        out[1] = ns() - t;
    }
    if (d[0] + d[4] + d[8] + d[12] == 1) {
        out[0] = 0;
    }
}

__global__ void stamp(unsigned long long *out, int wait)
{
    unsigned long long t = ns();
    unsigned begin = now();

    while (now() - begin < (unsigned)wait) {
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = t;
        out[1] = ns();
    }
}

/* From the end of a kernel to the begin of the next one of its stream; KIND:
 * as launched, with programmatic serialization, as a graph. */
static void launches(int kind, int wait, unsigned long long *out)
{
    enum {
        N = 64
    };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    CHECK(cudaStreamCreate(&stream));
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 132;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = kind == 1;
    if (kind == 2) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    }
    for (int i = 0; i < N; i++) {
        CHECK(cudaLaunchKernelEx(&config, stamp, out + 2 * i, wait));
    }
    if (kind == 2) {
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaGraphLaunch(exec, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    std::vector<unsigned long long> t = fetch(out, 2 * N);
    std::vector<long long> gaps;

    for (int i = N / 2; i < N; i++) {
        gaps.push_back(t[2 * i] - t[2 * i - 1]);
    }
    std::sort(gaps.begin(), gaps.end());
    printf("launches,%s,%d cycles,%lld ns\n",
           kind == 0   ? "stream"
           : kind == 1 ? "programmatic"
                       : "graph",
           wait, gaps[gaps.size() / 2]);
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    static const int grids[] = {8, 16, 33, 132, 600, 1000};
    enum {
        STEPS = 20000
    };
    size_t memory = (size_t)1 << 30;
    cudaDeviceProp card;
    unsigned *out, *more;
    unsigned long long *times;
    char *at;

    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("card,%s,%d SMs\n", card.name, card.multiProcessorCount);
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMalloc(&more, 1 << 20));
    CHECK(cudaMalloc(&times, 1 << 20));
    CHECK(cudaMalloc(&at, memory));
    CHECK(cudaMemset(at, 0, memory));
    order<32, 1>(out);
    order<32, 4>(out);
    order<128, 1>(out);
    order<128, 2>(out);
    order<128, 8>(out);
    for (int grid : grids) {
        ctas(grid, out, times);
    }
    sides(card.multiProcessorCount, (unsigned long long *)at, out);
    bandwidth(card.multiProcessorCount, (const float4 *)at, out);
    walk<<<1, 1>>>(at, memory - 1, STEPS, out, more);
    std::vector<unsigned> when = fetch(out, STEPS), cycles = fetch(more, STEPS);

    for (int i = 0; i < STEPS; i++) {
        printf("walk,%u,%u\n", when[i], cycles[i]);
    }
    for (int tensor = 0; tensor < 2; tensor++) {
        if (tensor) {
            work<true><<<1, 512>>>(times, 20000);
        } else {
            work<false><<<1, 512>>>(times, 80000);
        }
        std::vector<unsigned long long> t = fetch(times, 2);

        printf("clock,%s,%.4f GHz\n", tensor ? "mma" : "fma",
               (double)t[0] / t[1]);
    }
    for (int kind = 0; kind < 3; kind++) {
        launches(kind, 10000, times);
        launches(kind, 40000, times);
    }
    return 0;
}

/*
 * Where a reduction's time goes, by the SM's clock: steps between barriers, and
 * the stages of scalarprod (bench.cu) as its warps see them.  The same program
 * runs on a card and here (decision 0080):
 *
 *   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a]
 *     -o stages stages.cu
 *   ./stages
 *   warploom cuda h100.lua -- ./stages
 *
 * Prints cycles of a step by threads of the CTA; then, of the first warp, the
 * medians over CTAs of the cycles until each stage has ended.
 */
#include "clock.h"

enum step {
    BARRIER,
    BARRIER_LOAD,
    BARRIER_SUM,
    SOME_SUM,
    LOOP_SUM,
    LOAD,
    STORE_LOAD,
    STEPS
};
static const char *const step_name[] = {
    "barrier",
    "barrier and load",
    "barrier and sum",
    "barrier and sum of 16 threads",
    "barrier and sum of 16 threads in a loop",
    "load",
    "store and load",
};
static unsigned *out;

template <int STEP> __global__ void steps(unsigned *cycles, int count, int some)
{
    __shared__ volatile float sums[2048];
    __shared__ volatile int next[1024];
    int t = threadIdx.x, at = t;
    unsigned begin;

    sums[t] = t;
    sums[t + 1024] = 1;
    next[t] = t;
    __syncthreads();
    begin = now();
#pragma unroll 4
    for (int i = 0; i < count; i++) {
        if (STEP <= LOOP_SUM) {
            __syncthreads();
        }
        if (STEP == STORE_LOAD) {
            next[t] = at;
        }
        if (STEP == BARRIER_LOAD || STEP == LOAD || STEP == STORE_LOAD) {
            at = next[at];
        }
        if (STEP == BARRIER_SUM || (STEP == SOME_SUM && t < 16)) {
            sums[t] = sums[t] + sums[t + 1024];
        }
        if (STEP == LOOP_SUM) {
            for (int k = t; k < some; k += blockDim.x) {
                sums[k] = sums[k] + sums[k + 1024];
            }
        }
    }
    __syncthreads();
    if (at == 77777) {
        cycles[1] = 0;
    }
    if (t == 0) {
        cycles[0] = now() - begin;
    }
}

template <int STEP> static void step_of()
{
    for (int threads : {32, 128, 256, 1024}) {
        unsigned t[2];

        for (int i = 0; i < 2; i++) {
            steps<STEP><<<1, threads>>>(out, 200 + 1000 * i, 16);
            CHECK(cudaMemcpy(&t[i], out, 4, cudaMemcpyDeviceToHost));
        }
        printf("step,%s,%d threads,%.1f\n", step_name[STEP], threads,
               (t[1] - t[0]) / 1000.0);
    }
}

enum {
    WARPS = 8,
    STAGES = 16
};
#define STAGE                                                                  \
    {                                                                          \
        unsigned t = now();                                                    \
        if (lead) {                                                            \
            times[warp][stage] = t;                                            \
        }                                                                      \
        stage++;                                                               \
    }

__global__ void scalarprod(unsigned *cycles, float *product, const float *a,
                           const float *b, int pairs, int length)
{
    __shared__ float sums[1024];
    __shared__ unsigned times[WARPS][STAGES];
    int stage = 0, warp = threadIdx.x / 32;
    bool lead = threadIdx.x % 32 == 0;

    STAGE
    for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        int first = length * pair, end = first + length;

        for (int s = threadIdx.x; s < 1024; s += blockDim.x) {
            float sum = 0;

            for (int i = first + s; i < end; i += 1024) {
                sum += a[i] * b[i];
            }
            sums[s] = sum;
        }
        STAGE
        for (int stride = 512; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int s = threadIdx.x; s < stride; s += blockDim.x) {
                sums[s] += sums[stride + s];
            }
            STAGE
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            product[pair] = sums[0];
        }
    }
    STAGE
    for (int i = 0; lead && i < stage; i++) {
        cycles[(blockIdx.x * WARPS + warp) * STAGES + i] =
            times[warp][i] - times[warp][0];
    }
}

static float *ones(size_t count)
{
    std::vector<float> data(count, 1.0f);
    float *at;

    CHECK(cudaMalloc(&at, 4 * count));
    CHECK(cudaMemcpy(at, data.data(), 4 * count, cudaMemcpyHostToDevice));
    return at;
}

static void scalarprod_of(int length)
{
    const int pairs = 32, ctas = 128;
    float *a = ones(pairs * length), *b = ones(pairs * length);
    float *product = ones(pairs);
    std::vector<unsigned> t(ctas * WARPS * STAGES);

    scalarprod<<<ctas, 32 * WARPS>>>(out, product, a, b, pairs, length);
    CHECK(cudaMemcpy(t.data(), out, 4 * t.size(), cudaMemcpyDeviceToHost));
    printf("scalarprod,%d", length);
    for (int i = 1; i < 13; i++) {
        std::vector<unsigned> of(pairs);

        for (int c = 0; c < pairs; c++) {
            of[c] = t[c * WARPS * STAGES + i];
        }
        std::sort(of.begin(), of.end());
        printf(",%u", of[pairs / 2]);
    }
    printf("\n");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(product));
}

int main(void)
{
    CHECK(cudaMalloc(&out, 1 << 20));
    step_of<BARRIER>();
    step_of<BARRIER_LOAD>();
    step_of<BARRIER_SUM>();
    step_of<SOME_SUM>();
    step_of<LOOP_SUM>();
    step_of<LOAD>();
    step_of<STORE_LOAD>();
    scalarprod_of(2048);
    scalarprod_of(4096);
    return 0;
}

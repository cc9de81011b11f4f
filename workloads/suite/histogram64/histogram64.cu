/*
 * Histograms of bytes with 64 and with 256 bins, histogram of the CUDA
 * samples.
 *
 * With 64 bins each thread counts in bytes of its own in shared memory, with
 * 256 each warp in words by atomic additions.  Every block writes a partial
 * histogram; the last kernels add those up, a block per bin, which reads with
 * the stride of a histogram.
 */
#define THREADS64 64
#define WARPS 6

struct __attribute__((aligned(16))) words {
    unsigned x, y, z, w;
};

GPU_INLINE void count64(unsigned char *mine, unsigned data)
{
    mine[(data >> 2 & 63) * THREADS64]++;
    mine[(data >> 10 & 63) * THREADS64]++;
    mine[(data >> 18 & 63) * THREADS64]++;
    mine[(data >> 26 & 63) * THREADS64]++;
}

KERNEL histogram64(unsigned *partial, const struct words *data, int count)
{
    __shared__ unsigned char counts[64 * THREADS64];
    int t = threadIdx.x;
    unsigned sum = 0;

    for (int i = 0; i < 64; i++) {
        counts[i * THREADS64 + t] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * THREADS64 + t; i < count;
         i += gridDim.x * THREADS64) {
        struct words d = data[i];

        count64(counts + t, d.x);
        count64(counts + t, d.y);
        count64(counts + t, d.z);
        count64(counts + t, d.w);
    }
    __syncthreads();
    for (int i = 0; i < THREADS64; i++) { /* bin t, a thread after the other */
        sum += counts[t * THREADS64 + (i + t) % THREADS64];
    }
    partial[blockIdx.x * 64 + t] = sum;
}

KERNEL histogram256(unsigned *partial, const unsigned *data, int count)
{
    __shared__ unsigned counts[WARPS * 256];
    unsigned *mine = &counts[threadIdx.x / 32 * 256];

    for (int i = threadIdx.x; i < WARPS * 256; i += blockDim.x) {
        counts[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        unsigned d = data[i];

        atomicAdd(&mine[d & 255], 1u);
        atomicAdd(&mine[d >> 8 & 255], 1u);
        atomicAdd(&mine[d >> 16 & 255], 1u);
        atomicAdd(&mine[d >> 24], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;

        for (int w = 0; w < WARPS; w++) {
            sum += counts[w * 256 + bin];
        }
        partial[blockIdx.x * 256 + bin] = sum;
    }
}

KERNEL histogram_merge(unsigned *histogram, const unsigned *partial,
                       int count, int bins)
{
    __shared__ unsigned part[256];
    int t = threadIdx.x;
    unsigned sum = 0;

    for (int i = t; i < count; i += 256) {
        sum += partial[i * bins + blockIdx.x];
    }
    part[t] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            part[t] += part[t + half];
        }
    }
    if (t == 0) {
        histogram[blockIdx.x] = part[0];
    }
}

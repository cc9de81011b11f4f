/*
 * Sums of n elements: each block of 256 threads adds up its share, first in
 * registers, then as a tree in shared memory, and writes one partial sum.
 * The host launches it again on the partial sums until one is left.
 */
#define THREADS 256

KERNEL reduction(const float *in, float *out, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        sum += in[i];
    }
    part[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}

/*
 * Scalar products of pairs of vectors, scalarProd of the CUDA samples: a
 * block takes pairs in turn, sums up in 1024 accumulators in shared memory
 * and then as a tree.
 */
#define SUMS 1024

KERNEL scalarprod(float *product, const float *A, const float *B, int pairs,
                  int length)
{
    __shared__ float sum[SUMS];

    for (int v = blockIdx.x; v < pairs; v += gridDim.x) {
        int first = v * length, end = first + length;

        for (int s = threadIdx.x; s < SUMS; s += blockDim.x) {
            float one = 0.0f;

            for (int i = first + s; i < end; i += SUMS) {
                one += A[i] * B[i];
            }
            sum[s] = one;
        }
        for (int half = SUMS / 2; half > 0; half /= 2) {
            __syncthreads();
            for (int s = threadIdx.x; s < half; s += blockDim.x) {
                sum[s] += sum[half + s];
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            product[v] = sum[0];
        }
        __syncthreads();
    }
}

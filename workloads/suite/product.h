/*
 * The kernel of mm2 and mm3: C = A B.  A thread owns an element of C and adds
 * to it in memory in every step, as the published benchmarks do: coalesced.
 */
#ifndef WORKLOADS_SUITE_PRODUCT_H
#define WORKLOADS_SUITE_PRODUCT_H

GPU_INLINE void product(int rows, int inner, int columns, const float *A,
                        const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < rows && j < columns) {
        C[i * columns + j] = 0.0f;
        for (int k = 0; k < inner; k++) {
            C[i * columns + j] += A[i * inner + k] * B[k * columns + j];
        }
    }
}

#endif

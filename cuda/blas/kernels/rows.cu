/* Sums of rows: gradients of biases. */
#include "gemm.cuh"

/* to[i] = the sum of x[i * one + j * other] over j < n: a block for each i. */
extern "C" __global__ void sum_rows(void *to, int type_to, const void *x,
                                    int type, int n, long long one,
                                    long long other, long long stride_to,
                                    long long stride)
{
    __shared__ float part[8];
    long long from = blockIdx.y * stride + blockIdx.x * one;
    float sum = 0;

    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        sum += read_any(x, from + j * other, type);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        sum += __shfl_down_sync(~0u, sum, apart);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) {
            sum += part[w];
        }
        write_any(to, blockIdx.y * stride_to + blockIdx.x, type_to, sum);
    }
}

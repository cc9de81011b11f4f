/*
 * C = alpha A B + beta C with A of n x k, B of k x m and C of n x m elements
 * in row order.
 *
 * A block of 16 x 16 threads computes a tile of C; tiles of A and B pass
 * through shared memory, so each element is loaded k / 16 times less often.
 * n, m and k are multiples of 16.
 */
#define TILE 16

KERNEL gemm(int m, int k, float alpha, float beta, const float *A,
            const float *B, float *C)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int t = 0; t < k; t += TILE) {
        a[ty][tx] = A[row * k + t + tx];
        b[ty][tx] = B[(t + ty) * m + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum += a[ty][i] * b[i][tx];
        }
        __syncthreads();
    }
    C[row * m + column] = alpha * sum + beta * C[row * m + column];
}

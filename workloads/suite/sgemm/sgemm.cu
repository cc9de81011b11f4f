/*
 * C = alpha A B^T + beta C in column-major order, Parboil's sgemm: a block of
 * 128 threads computes 128 rows and 16 columns of C, a thread a row of 16.
 *
 * Tiles of B pass through shared memory, A is read once, coalesced.  m is a
 * multiple of 128, n of 16, k of 8.
 */
#define WIDE 16
#define DEEP 8

KERNEL sgemm(const float *A, const float *B, float *C, int m, int n, int k,
             float alpha, float beta)
{
    __shared__ float tile[DEEP][WIDE];
    float c[WIDE];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int row = blockIdx.x * WIDE * DEEP + t;
    int first = blockIdx.y * WIDE;

#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        c[i] = 0.0f;
    }
    for (int i = 0; i < k; i += DEEP) {
        tile[threadIdx.y][threadIdx.x] =
            B[first + threadIdx.x + (i + threadIdx.y) * n];
        __syncthreads();
        for (int j = 0; j < DEEP; j++) {
            float a = A[row + (i + j) * m];

#pragma unroll
            for (int q = 0; q < WIDE; q++) {
                c[q] += a * tile[j][q];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        C[row + (first + i) * m] =
            beta * C[row + (first + i) * m] + alpha * c[i];
    }
}

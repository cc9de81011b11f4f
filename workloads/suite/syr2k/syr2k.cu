/*
 * C = alpha A B^T + alpha B A^T + beta C with A and B of n x m and C of n x n
 * elements, the algorithm of PolyBench's SYR2K.
 *
 * A thread owns an element of C.  The lanes of a warp differ in j, and read
 * as many rows of A and of B at once: memory-divergent.
 */
KERNEL syr2k(int n, int m, float alpha, float beta, float *A, float *B,
             float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < n && j < n) {
        C[i * n + j] *= beta;
        for (int k = 0; k < m; k++) {
            C[i * n + j] += alpha * A[i * m + k] * B[j * m + k] +
                            alpha * B[i * m + k] * A[j * m + k];
        }
    }
}

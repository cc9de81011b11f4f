/*
 * y = alpha A x + beta B x with square A and B of n rows, the algorithm of
 * PolyBench's GESUMMV.
 *
 * A thread owns a row of both matrices, so the lanes of a warp walk down 64
 * lines at once.  Sums are kept in memory, as the published benchmark does.
 */
KERNEL gesummv(int n, int m, float alpha, float beta, float *A, float *B,
               float *tmp, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        for (int j = 0; j < m; j++) {
            tmp[i] += A[i * m + j] * x[j];
            y[i] += B[i * m + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

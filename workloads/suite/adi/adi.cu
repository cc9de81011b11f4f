/*
 * A step of an alternating direction implicit solver, the algorithm of
 * PolyBench's ADI.
 *
 * The first three kernels sweep along rows, a thread per row: the lanes walk
 * down as many lines of X, A and B at once (memory-divergent).  The last
 * three sweep down columns, a row of threads per launch (coalesced).
 */
KERNEL adi_rows_forward(int n, float *A, float *B, float *X)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        for (int j = 1; j < n; j++) {
            X[i * n + j] = X[i * n + j] -
                           X[i * n + j - 1] * A[i * n + j] / B[i * n + j - 1];
            B[i * n + j] = B[i * n + j] -
                           A[i * n + j] * A[i * n + j] / B[i * n + j - 1];
        }
    }
}

KERNEL adi_rows_last(int n, float *B, float *X)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        X[i * n + n - 1] = X[i * n + n - 1] / B[i * n + n - 1];
    }
}

KERNEL adi_rows_back(int n, float *A, float *B, float *X)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        for (int j = 0; j < n - 2; j++) {
            X[i * n + n - j - 2] =
                (X[i * n + n - 2 - j] -
                 X[i * n + n - 2 - j - 1] * A[i * n + n - j - 3]) /
                B[i * n + n - 3 - j];
        }
    }
}

KERNEL adi_columns_forward(int n, float *A, float *B, float *X, int i)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < n) {
        X[i * n + j] = X[i * n + j] -
                       X[(i - 1) * n + j] * A[i * n + j] / B[(i - 1) * n + j];
        B[i * n + j] = B[i * n + j] -
                       A[i * n + j] * A[i * n + j] / B[(i - 1) * n + j];
    }
}

KERNEL adi_columns_last(int n, float *B, float *X)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < n) {
        X[(n - 1) * n + j] = X[(n - 1) * n + j] / B[(n - 1) * n + j];
    }
}

KERNEL adi_columns_back(int n, float *A, float *B, float *X, int i)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < n) {
        X[(n - 2 - i) * n + j] =
            (X[(n - 2 - i) * n + j] -
             X[(n - i - 3) * n + j] * A[(n - 3 - i) * n + j]) /
            B[(n - 2 - i) * n + j];
    }
}

/*
 * Jacobi iteration in one dimension, the algorithm of PolyBench's jacobi1D:
 * a kernel that averages three neighbours and one that copies back.
 */
KERNEL jacobi1d_average(int n, float *A, float *B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0 && i < n - 1) {
        B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
    }
}

KERNEL jacobi1d_copy(int n, float *A, float *B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0 && i < n - 1) {
        A[i] = B[i];
    }
}

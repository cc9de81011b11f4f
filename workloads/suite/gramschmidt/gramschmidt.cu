/*
 * QR decomposition by Gram-Schmidt, the algorithm of PolyBench's GRAMSCHM:
 * for each column k three kernels.
 *
 * The norm of a column is computed by one thread, as the published benchmark
 * does; then a thread per row divides; then a thread per later column
 * subtracts.  Rows are m elements long.
 */
KERNEL gramschmidt_norm(int n, int m, float *a, float *r, int k)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    if (t == 0) {
        float norm = 0.0f;

        for (int i = 0; i < n; i++) {
            norm += a[i * m + k] * a[i * m + k];
        }
        r[k * m + k] = sqrtf(norm);
    }
}

KERNEL gramschmidt_divide(int n, int m, float *a, float *r, float *q, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        q[i * m + k] = a[i * m + k] / r[k * m + k];
    }
}

KERNEL gramschmidt_subtract(int n, int m, float *a, float *r, float *q, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j > k && j < m) {
        r[k * m + j] = 0.0f;
        for (int i = 0; i < n; i++) {
            r[k * m + j] += q[i * m + k] * a[i * m + j];
        }
        for (int i = 0; i < n; i++) {
            a[i * m + j] -= q[i * m + k] * r[k * m + j];
        }
    }
}

/*
 * The covariances of m variables with n samples each, the algorithm of PolyBench's
 * COVAR.
 *
 * A row of `data` is a sample, a thread owns a variable.  Rows and columns
 * count from 1 as in the published benchmark, so that rows do not start at
 * the beginning of a line.  In the last kernel thread j1 computes row j1 of
 * the upper triangle and writes it twice, once across (coalesced as far as
 * the triangle allows) and once down.
 */
#define DATA(i, j) data[(i) * (m + 1) + (j)]

KERNEL covariance_mean(int m, int n, float *mean, float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (j <= m) {
        mean[j] = 0.0f;
        for (int i = 1; i <= n; i++) {
            mean[j] += DATA(i, j);
        }
        mean[j] /= (float)n;
    }
}

KERNEL covariance_centre(int m, int n, float *mean, float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (i <= n && j <= m) {
        DATA(i, j) -= mean[j];
    }
}

KERNEL covariance_sums(int m, int n, float *symmat, float *data)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (j1 <= m) {
        for (int j2 = j1; j2 <= m; j2++) {
            symmat[j1 * (m + 1) + j2] = 0.0f;
            for (int i = 1; i <= n; i++) {
                symmat[j1 * (m + 1) + j2] += DATA(i, j1) * DATA(i, j2);
            }
            symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
        }
    }
}

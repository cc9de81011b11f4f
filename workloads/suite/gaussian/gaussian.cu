/*
 * Gaussian elimination without pivoting, Rodinia's gaussian: for each column
 * t one kernel computes the multipliers, the next one subtracts.
 *
 * Blocks of the second kernel have 4 x 4 threads, as in the published
 * program, so half of each warp is idle; x counts rows, so the lanes of a
 * warp are in four rows.
 */
KERNEL gaussian_multipliers(float *m, float *a, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n - 1 - t) {
        m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
    }
}

KERNEL gaussian_subtract(float *m, float *a, float *b, int n, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n - 1 - t && y < n - t) {
        a[n * (x + 1 + t) + y + t] -=
            m[n * (x + 1 + t) + t] * a[n * t + y + t];
        if (y == 0) {
            b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
        }
    }
}

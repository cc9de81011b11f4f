/*
 * The correlations of m variables with n samples each, the algorithm of PolyBench's
 * CORR: see ../statistics.h.
 */
#include "../statistics.h"

KERNEL correlation_mean(int m, int n, float *mean, float *data)
{
    mean_of(m, n, mean, data);
}

KERNEL correlation_deviation(int m, int n, float *mean, float *dev,
                             float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (j <= m) {
        dev[j] = 0.0f;
        for (int i = 1; i <= n; i++) {
            dev[j] += (DATA(i, j) - mean[j]) * (DATA(i, j) - mean[j]);
        }
        dev[j] = sqrtf(dev[j] / (float)n);
        if (dev[j] <= 0.005f) {
            dev[j] = 1.0f;
        }
    }
}

KERNEL correlation_normalise(int m, int n, float *mean, float *dev,
                             float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (i <= n && j <= m) {
        DATA(i, j) -= mean[j];
        DATA(i, j) /= sqrtf((float)n) * dev[j];
    }
}

KERNEL correlation_sums(int m, int n, float *symmat, float *data)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (j1 <= m) {
        symmat[j1 * (m + 1) + j1] = 1.0f;
        for (int j2 = j1 + 1; j2 <= m; j2++) {
            product_of(m, n, symmat, data, j1, j2);
        }
    }
}

/*
 * The covariances of m variables with n samples each, the algorithm of PolyBench's
 * COVAR: see ../statistics.h.
 */
#include "../statistics.h"

KERNEL covariance_mean(int m, int n, float *mean, float *data)
{
    mean_of(m, n, mean, data);
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
            product_of(m, n, symmat, data, j1, j2);
        }
    }
}

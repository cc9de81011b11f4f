/*
 * What covariance and correlation share: the mean of a variable, and sums of
 * products of columns, for thread j1 its row of the upper triangle, written
 * across and down.
 *
 * A row of `data` is a sample, a thread owns a variable.  Rows and columns
 * count from 1 as in the published benchmarks, so that rows do not start at
 * the beginning of a line.
 */
#ifndef WORKLOADS_SUITE_STATISTICS_H
#define WORKLOADS_SUITE_STATISTICS_H

#define DATA(i, j) data[(i) * (m + 1) + (j)]

GPU_INLINE void mean_of(int m, int n, float *mean, const float *data)
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

GPU_INLINE void product_of(int m, int n, float *symmat, const float *data,
                           int j1, int j2)
{
    symmat[j1 * (m + 1) + j2] = 0.0f;
    for (int i = 1; i <= n; i++) {
        symmat[j1 * (m + 1) + j2] += DATA(i, j1) * DATA(i, j2);
    }
    symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
}

#endif

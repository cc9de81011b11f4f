/*
 * y = A x for a sparse matrix in CSR form, a row per thread: the scalar
 * kernel of SHOC's spmv.  Lanes walk along rows that lie behind each other,
 * which is memory-divergent; x is gathered through a texture.
 */
KERNEL shoc_spmv(const float *value, const int *column, const int *start,
                 unsigned long long x, float *y, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        float sum = 0.0f;

        for (int k = start[i]; k < start[i + 1]; k++) {
            sum += value[k] * fetch_float(x, column[k]);
        }
        y[i] = sum;
    }
}

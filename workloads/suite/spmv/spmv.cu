/*
 * y = A x for a sparse matrix in transposed JDS form, Parboil's spmv: rows
 * are sorted by length, and element k of all rows lie side by side, so that
 * only the reads of x are scattered.
 */
#define MOST 256 /* elements of a row */

__constant__ int column_start[MOST];

KERNEL spmv(float *y, const float *value, const int *column,
            const int *row_of, const int *length, const float *x, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        float sum = 0.0f;

        for (int k = 0; k < length[i]; k++) {
            int at = column_start[k] + i;

            sum += value[at] * x[column[at]];
        }
        y[row_of[i]] = sum;
    }
}

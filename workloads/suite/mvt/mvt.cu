/*
 * x1 = x1 + A y1 and x2 = x2 + A^T y2 with A of nx rows and ny columns, the
 * algorithm of PolyBench's MVT.
 *
 * A thread of the first kernel owns a row (memory-divergent), one of the
 * second a column (coalesced).  Both add to memory as the published benchmark
 * does.
 */
KERNEL mvt_rows(int nx, int ny, float *A, float *x1, float *y1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nx) {
        for (int j = 0; j < ny; j++) {
            x1[i] += A[i * ny + j] * y1[j];
        }
    }
}

KERNEL mvt_columns(int nx, int ny, float *A, float *x2, float *y2)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < ny) {
        for (int i = 0; i < nx; i++) {
            x2[j] += A[i * ny + j] * y2[i];
        }
    }
}

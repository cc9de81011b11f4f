/*
 * s = A^T r and q = A p with A of nx rows and ny columns: the two products
 * of the BiCG method, the algorithm of PolyBench's BICG.
 *
 * A thread of the first kernel owns a column (coalesced), one of the second
 * a row (memory-divergent).  Both add to memory as the published benchmark
 * does.
 */
KERNEL bicg_columns(int nx, int ny, float *A, float *r, float *s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < ny) {
        s[j] = 0.0f;
        for (int i = 0; i < nx; i++) {
            s[j] += r[i] * A[i * ny + j];
        }
    }
}

KERNEL bicg_rows(int nx, int ny, float *A, float *p, float *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nx) {
        q[i] = 0.0f;
        for (int j = 0; j < ny; j++) {
            q[i] += A[i * ny + j] * p[j];
        }
    }
}

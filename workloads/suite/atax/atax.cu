/*
 * y = A^T (A x) with A of nx rows and ny columns, the algorithm of
 * PolyBench's ATAX.
 *
 * The first kernel gives a row to each thread: the threads of a warp walk
 * down 32 different lines at once, which is what makes it memory-divergent.
 * The second gives a column to each thread and is coalesced.  Both add to
 * memory, not to a register, as the published benchmark does; tmp and y are
 * zero before the launch.
 */
KERNEL atax_rows(int nx, int ny, float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nx) {
        for (int j = 0; j < ny; j++) {
            tmp[i] += A[i * ny + j] * x[j];
        }
    }
}

KERNEL atax_columns(int nx, int ny, float *A, float *y, float *tmp)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < ny) {
        for (int i = 0; i < nx; i++) {
            y[j] += A[i * ny + j] * tmp[i];
        }
    }
}

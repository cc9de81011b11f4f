/*
 * Three matrix products, E = A B, F = C D and G = E F, the algorithm of
 * PolyBench's 3MM.
 *
 * A thread owns an element of a product and adds to it in memory in every
 * step, as the published benchmark does: coalesced.
 */
KERNEL mm3_product(int rows, int inner, int columns, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < rows && j < columns) {
        C[i * columns + j] = 0.0f;
        for (int k = 0; k < inner; k++) {
            C[i * columns + j] += A[i * inner + k] * B[k * columns + j];
        }
    }
}

/*
 * C = A B, naively and without shared memory, S-L1's Matrix Multiply: each
 * thread computes a chunk of consecutive elements of C.
 */
KERNEL sl1_mm(const float *A, const float *B, float *C, int inner,
              int columns, int chunk, int count)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int at = first; at < first + chunk && at < count; at++) {
        int i = at / columns, j = at % columns;
        float sum = 0.0f;

        for (int k = 0; k < inner; k++) {
            sum += A[i * inner + k] * B[k * columns + j];
        }
        C[at] = sum;
    }
}

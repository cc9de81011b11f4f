/*
 * Matrix product as a map, Mars's MatrixMul: a task per element of C, which
 * multiplies a row of A and, as B is transposed, a row of B.
 */
struct task {
    int row, column;
};

KERNEL mars_mm(const float *A, const float *B, const struct task *task,
               float *C, int n, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        int row = task[i].row, column = task[i].column;
        float sum = 0.0f;

        for (int k = 0; k < n; k++) {
            sum += A[row * n + k] * B[column * n + k];
        }
        C[i] = sum;
    }
}

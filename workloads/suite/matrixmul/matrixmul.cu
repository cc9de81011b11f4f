/*
 * C = A B in tiles of 32 x 32 that pass through shared memory, matrixMul of
 * the CUDA samples.  All sides are multiples of 32.
 *
 * The loop is unrolled less than there, because registers are counted by
 * liveness: with all 32 steps at once no machine of the papers could hold a
 * block of 1024 threads.
 */
#define SIDE 32

KERNEL matrixmul(float *C, const float *A, const float *B, int wa, int wb)
{
    __shared__ float as[SIDE][SIDE];
    __shared__ float bs[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float sum = 0.0f;

    for (int t = 0; t < wa; t += SIDE) {
        as[ty][tx] = A[row * wa + t + tx];
        bs[ty][tx] = B[(t + ty) * wb + column];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < SIDE; k++) {
            sum += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    C[row * wb + column] = sum;
}

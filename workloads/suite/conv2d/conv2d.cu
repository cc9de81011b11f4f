/*
 * Convolution of an image of h rows and w columns with a mask of 3 x 3, the
 * algorithm of PolyBench's 2DCONV.
 *
 * A thread owns an inner element and reads the nine around it: coalesced, but
 * at two of three columns not aligned to lines.
 */
KERNEL conv2d(int h, int w, const float *A, float *B)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i > 0 && i < h - 1 && j > 0 && j < w - 1) {
        B[i * w + j] =
            0.2f * A[(i - 1) * w + j - 1] + 0.5f * A[(i - 1) * w + j] -
            0.8f * A[(i - 1) * w + j + 1] - 0.3f * A[i * w + j - 1] +
            0.6f * A[i * w + j] - 0.9f * A[i * w + j + 1] +
            0.4f * A[(i + 1) * w + j - 1] + 0.7f * A[(i + 1) * w + j] +
            0.1f * A[(i + 1) * w + j + 1];
    }
}

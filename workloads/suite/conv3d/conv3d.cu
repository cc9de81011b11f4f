/*
 * Convolution of a volume with a mask of eleven points, plane by plane, the
 * algorithm of PolyBench's 3DCONV: the host launches the kernel for each i.
 *
 * The mask is one-sided: of planes i - 1 and i + 1 the neighbours at k + 1 in
 * three rows and the one at (j - 1, k - 1), of plane i the column of three.
 */
#define AT(di, dj, dk) A[((i + (di)) * nj + j + (dj)) * nk + k + (dk)]

KERNEL conv3d(int nj, int nk, const float *A, float *B, int i)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;

    if (j > 0 && j < nj - 1 && k > 0 && k < nk - 1) {
        B[(i * nj + j) * nk + k] =
            2.0f * AT(-1, -1, -1) + 4.0f * AT(1, -1, -1) +
            5.0f * AT(0, -1, 0) + 6.0f * AT(0, 0, 0) + 7.0f * AT(0, 1, 0) -
            3.0f * AT(-1, -1, 1) - 8.0f * AT(1, -1, 1) + AT(-1, 0, 1) -
            9.0f * AT(1, 0, 1) + 10.0f * AT(-1, 1, 1) - 2.0f * AT(1, 1, 1);
    }
}

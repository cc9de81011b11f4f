/*
 * Gridding of samples for magnetic resonance imaging, Parboil's mri-gridding:
 * samples are sorted into bins of one cell each and then gathered by the
 * cells around them.
 *
 * gridding_bin counts samples per bin, gridding_sort puts them in order (the
 * host adds up the counts in between). In gridding_gather a thread owns a
 * cell, and a block of 8 x 4 x 2 cells brings the samples of all bins in its
 * reach into shared memory, row by row.  The weight is a polynomial in place
 * of the Kaiser-Bessel function.
 */
#define WIDE 8
#define HIGH 4
#define DEEP 2
#define THREADS (WIDE * HIGH * DEEP)

struct sample {
    float x, y, z, real, imaginary, density;
};

GPU_INLINE int bin_of(const struct sample *s, int side)
{
    return ((int)s->z * side + (int)s->y) * side + (int)s->x;
}

KERNEL gridding_bin(const struct sample *sample, int *count, int *rank,
                    int samples, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        rank[i] = atomicAdd(&count[bin_of(&sample[i], side)], 1);
    }
}

KERNEL gridding_sort(const struct sample *sample, const int *start,
                     const int *rank, struct sample *sorted, int samples,
                     int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        sorted[start[bin_of(&sample[i], side)] + rank[i]] = sample[i];
    }
}

KERNEL gridding_gather(const struct sample *sorted, const int *start,
                       float *real, float *imaginary, int side, int reach)
{
    __shared__ struct sample mine[THREADS];
    int x0 = blockIdx.x * WIDE, y0 = blockIdx.y * HIGH;
    int z0 = blockIdx.z * DEEP;
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    int t = (threadIdx.z * HIGH + threadIdx.y) * WIDE + threadIdx.x;
    int left = max(x0 - reach, 0);
    int right = min(x0 + WIDE - 1 + reach, side - 1);
    int top = max(y0 - reach, 0), bottom = min(y0 + HIGH - 1 + reach, side - 1);
    int back = min(z0 + DEEP - 1 + reach, side - 1);
    float most = (float)(reach * reach), re = 0.0f, im = 0.0f;

    for (int v = max(z0 - reach, 0); v <= back; v++) {
        for (int u = top; u <= bottom; u++) {
            int row = (v * side + u) * side;
            int end = start[row + right + 1];

            for (int first = start[row + left]; first < end;
                 first += THREADS) {
                int count = min(end - first, THREADS);

                if (t < count) {
                    mine[t] = sorted[first + t];
                }
                __syncthreads();
                for (int i = 0; i < count; i++) {
                    float dx = mine[i].x - (float)x;
                    float dy = mine[i].y - (float)y;
                    float dz = mine[i].z - (float)z;
                    float d = dx * dx + dy * dy + dz * dz;

                    if (d < most) {
                        float weight = 1.0f - d / most;

                        weight *= weight * mine[i].density;
                        re += weight * mine[i].real;
                        im += weight * mine[i].imaginary;
                    }
                }
                __syncthreads();
            }
        }
    }
    real[(z * side + y) * side + x] = re;
    imaginary[(z * side + y) * side + x] = im;
}

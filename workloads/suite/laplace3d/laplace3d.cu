/*
 * Jacobi iteration of Laplace's equation in three dimensions, LPS of ISPASS
 * 2009: a block of 32 x 4 threads marches along z with three planes of its
 * cells and those around them in shared memory.
 *
 * The first threads of a block load the rows above and below it, the next
 * ones the columns at its sides, which are scattered.
 */
#define WIDE 32
#define HIGH 4
#define PITCH (WIDE + 2)
#define PLANE (PITCH * (HIGH + 2))

KERNEL laplace3d(int nx, int ny, int nz, const float *in, float *out)
{
    __shared__ float s[3 * PLANE];
    int t = threadIdx.x + threadIdx.y * WIDE;
    int x = blockIdx.x * WIDE + threadIdx.x;
    int y = blockIdx.y * HIGH + threadIdx.y;
    int mine = threadIdx.x + 1 + (threadIdx.y + 1) * PITCH;
    int halo = -1, hx = 0, hy = 0;
    bool inside = x < nx && y < ny, outer;

    if (t < 2 * WIDE) { /* rows above and below */
        hx = t % WIDE;
        hy = t < WIDE ? -1 : HIGH;
        halo = hx + 1 + (hy + 1) * PITCH;
    } else if (t < 2 * WIDE + 2 * HIGH) { /* columns at the sides */
        hx = (t - 2 * WIDE) % 2 == 0 ? -1 : WIDE;
        hy = (t - 2 * WIDE) / 2;
        halo = hx + 1 + (hy + 1) * PITCH;
    }
    hx += blockIdx.x * WIDE;
    hy += blockIdx.y * HIGH;
    if (hx < 0 || hx >= nx || hy < 0 || hy >= ny) {
        halo = -1;
    }
    outer = x == 0 || x >= nx - 1 || y == 0 || y >= ny - 1;
    if (inside) {
        s[mine + PLANE] = in[x + y * nx];
    }
    if (halo >= 0) {
        s[halo + PLANE] = in[hx + hy * nx];
    }
    for (int z = 0; z < nz; z++) {
        int below = z % 3 * PLANE, here = (z + 1) % 3 * PLANE;
        int above = (z + 2) % 3 * PLANE;

        if (z + 1 < nz) {
            if (inside) {
                s[mine + above] = in[x + (y + (z + 1) * ny) * nx];
            }
            if (halo >= 0) {
                s[halo + above] = in[hx + (hy + (z + 1) * ny) * nx];
            }
        }
        __syncthreads();
        if (inside) {
            int at = mine + here;

            out[x + (y + z * ny) * nx] =
                outer || z == 0 || z == nz - 1
                    ? s[at]
                    : (s[at - 1] + s[at + 1] + s[at - PITCH] +
                       s[at + PITCH] + s[mine + below] + s[mine + above]) *
                          (1.0f / 6.0f);
        }
        __syncthreads();
    }
}

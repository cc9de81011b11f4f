/*
 * Jacobi iteration of Laplace's equation in three dimensions, LPS of ISPASS
 * 2009: a block of 32 x 4 threads marches along z with three planes of its
 * cells and those around them in shared memory, which move down by one in
 * every step.  Rows in memory are `pitch` cells apart.
 *
 * The first threads of a block load the rows above and below it, the next
 * ones the columns at its sides with the corners, which are scattered.
 */
#define WIDE 32
#define HIGH 4
#define ROW (WIDE + 2)
#define PLANE (ROW * (HIGH + 2))

/* Moves a cell's planes down and loads the upper one. */
GPU_INLINE void advance(float *cell, const float *in, bool more)
{
    cell[-PLANE] = cell[0];
    cell[0] = cell[PLANE];
    if (more) {
        cell[PLANE] = *in;
    }
}

KERNEL laplace3d(int nx, int ny, int nz, int pitch, const float *in, float *out)
{
    __shared__ float s[3 * PLANE];
    int t = threadIdx.x + threadIdx.y * WIDE;
    int x = blockIdx.x * WIDE + threadIdx.x;
    int y = blockIdx.y * HIGH + threadIdx.y;
    float *mine = s + PLANE + threadIdx.x + 1 + (threadIdx.y + 1) * ROW;
    float *halo = s;
    int at = x + y * pitch, halo_at = 0, hx, hy;
    bool inside = x < nx && y < ny, around = t < 2 * (WIDE + HIGH + 2);

    if (around) {
        if (t < 2 * WIDE) { /* rows above and below */
            hx = threadIdx.x;
            hy = threadIdx.y * (HIGH + 1) - 1;
        } else { /* columns at the sides */
            hx = t % 2 * (WIDE + 1) - 1;
            hy = t / 2 - WIDE - 1;
        }
        halo = s + PLANE + hx + 1 + (hy + 1) * ROW;
        hx += blockIdx.x * WIDE;
        hy += blockIdx.y * HIGH;
        halo_at = hx + hy * pitch;
        around = hx >= 0 && hx < nx && hy >= 0 && hy < ny;
    }
    if (inside) {
        mine[PLANE] = in[at];
    }
    if (around) {
        halo[PLANE] = in[halo_at];
    }
    for (int z = 0; z < nz; z++) {
        int here = at;

        if (inside) {
            at += ny * pitch;
            advance(mine, in + at, z < nz - 1);
        }
        if (around) {
            halo_at += ny * pitch;
            advance(halo, in + halo_at, z < nz - 1);
        }
        __syncthreads();
        if (inside) {
            if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 ||
                z == nz - 1) {
                out[here] = mine[0];
            } else {
                out[here] = (mine[-1] + mine[1] + mine[-ROW] + mine[ROW] +
                             mine[-PLANE] + mine[PLANE]) *
                            (1.0f / 6.0f);
            }
        }
        __syncthreads();
    }
}

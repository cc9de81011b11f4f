/*
 * Seven-point stencil in three dimensions, Parboil's stencil: a block of 32 x
 * 4 threads owns 64 x 4 columns of the volume and marches along z.
 *
 * A plane of the columns is in shared memory, what is above and below a cell
 * in registers; neighbours outside of the block are loaded.
 */
#define WIDE 32
#define HIGH 4

KERNEL stencil3d(const float *in, float *out, float c0, float c1, int nx,
                 int ny, int nz)
{
    __shared__ float plane[HIGH][2 * WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int y = blockIdx.y * HIGH + ty;
    float below[2], here[2], above[2];

    for (int h = 0; h < 2; h++) {
        int x = blockIdx.x * 2 * WIDE + h * WIDE + tx;
        bool inside = x < nx && y < ny;

        below[h] = inside ? in[y * nx + x] : 0.0f;
        here[h] = inside ? in[(ny + y) * nx + x] : 0.0f;
        plane[ty][h * WIDE + tx] = here[h];
    }
    __syncthreads();
    for (int z = 1; z < nz - 1; z++) {
        for (int h = 0; h < 2; h++) {
            int x = blockIdx.x * 2 * WIDE + h * WIDE + tx;
            int at = (z * ny + y) * nx + x, s = h * WIDE + tx;

            above[h] = x < nx && y < ny ? in[at + ny * nx] : 0.0f;
            if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
                float west = s > 0 ? plane[ty][s - 1] : in[at - 1];
                float east =
                    s < 2 * WIDE - 1 ? plane[ty][s + 1] : in[at + 1];
                float north = ty > 0 ? plane[ty - 1][s] : in[at - nx];
                float south =
                    ty < HIGH - 1 ? plane[ty + 1][s] : in[at + nx];

                out[at] = (above[h] + below[h] + north + south + west +
                           east) * c1 - here[h] * c0;
            }
        }
        __syncthreads();
        for (int h = 0; h < 2; h++) {
            below[h] = here[h];
            here[h] = above[h];
            plane[ty][h * WIDE + tx] = here[h];
        }
        __syncthreads();
    }
}

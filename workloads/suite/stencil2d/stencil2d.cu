/*
 * Nine-point stencil of a plane, SHOC's stencil2d: a block of 64 threads
 * brings a tile of 16 x 64 cells and those around it into shared memory, each
 * thread then computes a column of the tile.
 */
#define ROWS 16
#define COLUMNS 64

KERNEL stencil2d(const float *in, float *out, int pitch, float centre,
                 float cardinal, float diagonal)
{
    __shared__ float tile[ROWS + 2][COLUMNS + 2];
    int t = threadIdx.x;
    int top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;

    for (int i = 0; i < ROWS + 2; i++) {
        tile[i][t + 1] = in[(top + i) * pitch + left + t + 1];
    }
    if (t == 0 || t == COLUMNS - 1) {
        int side = t == 0 ? 0 : COLUMNS + 1;

        for (int i = 0; i < ROWS + 2; i++) {
            tile[i][side] = in[(top + i) * pitch + left + side];
        }
    }
    __syncthreads();
    for (int i = 1; i <= ROWS; i++) {
        out[(top + i) * pitch + left + t + 1] =
            centre * tile[i][t + 1] +
            cardinal * (tile[i - 1][t + 1] + tile[i + 1][t + 1] +
                        tile[i][t] + tile[i][t + 2]) +
            diagonal * (tile[i - 1][t] + tile[i - 1][t + 2] +
                        tile[i + 1][t] + tile[i + 1][t + 2]);
    }
}

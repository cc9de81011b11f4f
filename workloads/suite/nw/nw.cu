/*
 * Alignment of two sequences (Needleman-Wunsch), Rodinia's nw: tiles of 16 x
 * 16 scores, a diagonal of tiles per launch, a block of 16 threads per tile.
 *
 * nw_tile computes tile (x, y) in shared memory, a diagonal at a time.  A
 * launch covers the tiles of the upper left half, the other one those of the
 * lower right half.
 */
#define SIDE 16

GPU_INLINE void tile(const int *similarity, int *score, int columns,
                     int penalty, int bx, int by)
{
    __shared__ int temp[SIDE + 1][SIDE + 1];
    __shared__ int ref[SIDE][SIDE];
    int t = threadIdx.x;
    int corner = columns * SIDE * by + SIDE * bx;

    if (t == 0) {
        temp[0][0] = score[corner];
    }
    for (int y = 0; y < SIDE; y++) {
        ref[y][t] = similarity[corner + columns * (y + 1) + t + 1];
    }
    __syncthreads();
    temp[t + 1][0] = score[corner + columns * (t + 1)];
    temp[0][t + 1] = score[corner + t + 1];
    __syncthreads();
    for (int m = 0; m < 2 * SIDE - 1; m++) {
        int x = m < SIDE ? t + 1 : t + m - SIDE + 2;
        int y = m < SIDE ? m - t + 1 : SIDE - t;
        bool mine = m < SIDE ? t <= m : t < 2 * SIDE - 1 - m;

        if (mine) {
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                             max(temp[y][x - 1] - penalty,
                                 temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int y = 0; y < SIDE; y++) {
        score[corner + columns * (y + 1) + t + 1] = temp[y + 1][t + 1];
    }
}

KERNEL nw_upper(const int *similarity, int *score, int columns, int penalty,
                int diagonal)
{
    tile(similarity, score, columns, penalty, blockIdx.x,
         diagonal - 1 - blockIdx.x);
}

KERNEL nw_lower(const int *similarity, int *score, int columns, int penalty,
                int diagonal, int tiles)
{
    tile(similarity, score, columns, penalty,
         blockIdx.x + tiles - diagonal, tiles - 1 - blockIdx.x);
}

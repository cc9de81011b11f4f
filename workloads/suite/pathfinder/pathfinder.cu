/*
 * Cheapest way through a grid, row by row, Rodinia's pathfinder.
 *
 * A block computes several rows at once in shared memory; it has as many more
 * columns at each side as it has rows (a ghost zone), which overlap with
 * those of its neighbours.
 */
#define WIDTH 256

KERNEL pathfinder(int steps, const int *wall, const int *from, int *to,
                  int columns, int first, int border)
{
    __shared__ int before[WIDTH];
    __shared__ int after[WIDTH];
    int t = threadIdx.x;
    int x = blockIdx.x * (WIDTH - 2 * border) - border + t;
    bool inside = x >= 0 && x < columns;
    bool computed = false;

    if (inside) {
        before[t] = from[x];
    }
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        computed = inside && t > i && t < WIDTH - 1 - i;
        if (computed) {
            int west = x > 0 ? before[t - 1] : before[t];
            int east = x < columns - 1 ? before[t + 1] : before[t];
            int least = min(min(west, before[t]), east);

            after[t] = least + wall[columns * (first + i) + x];
        }
        __syncthreads();
        if (computed) {
            before[t] = after[t];
        }
        __syncthreads();
    }
    if (computed && t >= border && t < WIDTH - border) {
        to[x] = after[t];
    }
}

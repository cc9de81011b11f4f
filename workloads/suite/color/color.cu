/*
 * Colouring of a graph, Pannotia's color (maximum variant): in each round the
 * nodes whose random number is larger than those of all neighbours that have
 * no colour yet get the round's colour.
 */
KERNEL color_largest(const int *start, const int *neighbour,
                     const int *number, const int *color, int *largest,
                     int *again, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes && color[i] == -1) {
        int most = -1;

        for (int e = start[i]; e < start[i + 1]; e++) {
            if (color[neighbour[e]] == -1) {
                *again = 1;
                most = max(most, number[neighbour[e]]);
            }
        }
        largest[i] = most;
    }
}

KERNEL color_assign(const int *number, int *color, const int *largest,
                    int round, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes && color[i] == -1 && number[i] > largest[i]) {
        color[i] = round;
    }
}

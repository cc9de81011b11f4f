/*
 * Shortest paths from one node, Pannotia's sssp (CSR): in each round every
 * node takes the least of its neighbours' distances plus the edge, as a
 * product of the matrix with the vector of distances.
 */
#define FAR 1000000000

KERNEL sssp_round(const int *start, const int *neighbour, const int *length,
                  const int *before, int *after, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes) {
        int least = before[i];

        for (int e = start[i]; e < start[i + 1]; e++) {
            int there = before[neighbour[e]];

            if (there < FAR) {
                least = min(least, there + length[e]);
            }
        }
        after[i] = least;
    }
}

KERNEL sssp_differs(const int *before, const int *after, int *again,
                    int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes && before[i] != after[i]) {
        *again = 1;
    }
}

KERNEL sssp_assign(int *before, const int *after, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes) {
        before[i] = after[i];
    }
}

/*
 * Shortest paths between all pairs of nodes by Floyd and Warshall, Pannotia's
 * fw: a launch for each node k that paths may pass.
 *
 * x counts rows, so the lanes of a warp are in 16 of them: memory-divergent.
 */
KERNEL apsp(int *distance, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < n && j < n) {
        int through = distance[i * n + k] + distance[k * n + j];

        if (through < distance[i * n + j]) {
            distance[i * n + j] = through;
        }
    }
}

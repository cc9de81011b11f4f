/*
 * Breadth-first search, level by level: the two-kernel algorithm of
 * Rodinia's BFS.
 *
 * `frontier` marks the nodes of this level, `next` those that were reached
 * from it.  The host launches both kernels until *again stays 0.  Several
 * threads may write the same node in one launch, but always the same value.
 */
struct node {
    int first; /* of the node's edges */
    int count;
};

KERNEL bfs_expand(const struct node *node, const int *edge, char *frontier,
                  char *next, const char *visited, int *cost, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && frontier[i]) {
        frontier[i] = 0;
        for (int e = node[i].first; e < node[i].first + node[i].count; e++) {
            int to = edge[e];

            if (!visited[to]) {
                cost[to] = cost[i] + 1;
                next[to] = 1;
            }
        }
    }
}

KERNEL bfs_advance(char *frontier, char *next, char *visited, int *again,
                   int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && next[i]) {
        frontier[i] = 1;
        visited[i] = 1;
        *again = 1;
        next[i] = 0;
    }
}

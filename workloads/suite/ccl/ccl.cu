/*
 * Labels of connected components of a graph: in each round every node takes
 * the least label of its neighbours, then follows labels to their end.
 */
KERNEL ccl_hook(const int *start, const int *neighbour, int *label,
                int *again, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes) {
        int mine = label[i], least = mine;

        for (int e = start[i]; e < start[i + 1]; e++) {
            least = min(least, label[neighbour[e]]);
        }
        if (least < mine) {
            atomicMin(&label[mine], least);
            *again = 1;
        }
    }
}

KERNEL ccl_jump(int *label, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes) {
        int at = label[i];

        while (label[at] != at) {
            at = label[at];
        }
        label[i] = at;
    }
}

/*
 * Queries of a B+ tree, Rodinia's b+tree: a block per query, a thread per key
 * of a node.
 *
 * The thread whose key interval holds the key that is looked for says where
 * to go on.  btree_find looks for one key, btree_range for two at once, and
 * how many records lie between.
 */
#define ORDER 256

struct node {
    int location;
    int index[ORDER + 1];
    int key[ORDER + 1];
    int leaf;
    int count;
};

KERNEL btree_find(long long height, const struct node *node, int *current,
                  int *offset, const int *wanted, int *answer,
                  const int *record)
{
    int t = threadIdx.x, q = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (node[current[q]].key[t] <= wanted[q] &&
            node[current[q]].key[t + 1] > wanted[q]) {
            offset[q] = node[current[q]].index[t];
        }
        __syncthreads();
        if (t == 0) {
            current[q] = offset[q];
        }
        __syncthreads();
    }
    if (node[current[q]].key[t] == wanted[q]) {
        answer[q] = record[node[current[q]].index[t]];
    }
}

KERNEL btree_range(long long height, const struct node *node, int *current,
                   int *offset, int *last, int *last_offset,
                   const int *from, const int *to, int *start, int *length)
{
    int t = threadIdx.x, q = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (node[current[q]].key[t] <= from[q] &&
            node[current[q]].key[t + 1] > from[q]) {
            offset[q] = node[current[q]].index[t];
        }
        if (node[last[q]].key[t] <= to[q] &&
            node[last[q]].key[t + 1] > to[q]) {
            last_offset[q] = node[last[q]].index[t];
        }
        __syncthreads();
        if (t == 0) {
            current[q] = offset[q];
            last[q] = last_offset[q];
        }
        __syncthreads();
    }
    if (node[current[q]].key[t] == from[q]) {
        start[q] = node[current[q]].index[t];
    }
    __syncthreads();
    if (node[last[q]].key[t] == to[q]) {
        length[q] = node[last[q]].index[t] - start[q] + 1;
    }
}

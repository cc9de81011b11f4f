/*
 * What the map-reduce programs of the suite share, after the Mars framework
 * (He et al., PACT 2008): a directory of records, each a key of bytes and a
 * value; bitonic sort of the directory by key; marks where groups of equal
 * keys begin; sums of the values of each group.
 *
 * Threads compare keys byte by byte, wherever the records are.
 */
#ifndef WORKLOADS_SUITE_MARS_H
#define WORKLOADS_SUITE_MARS_H

struct __attribute__((aligned(16))) record {
    int key;  /* where its bytes begin */
    int size; /* of the key; -1: behind all others */
    int value;
    int unused;
};

GPU_INLINE int mars_compare(const unsigned char *keys, struct record a,
                            struct record b)
{
    int order = 0;

    if (a.size < 0 || b.size < 0) {
        order = (a.size < 0) - (b.size < 0);
    } else {
        int n = min(a.size, b.size);

        for (int i = 0; i < n && order == 0; i++) {
            order = keys[a.key + i] - keys[b.key + i];
        }
        if (order == 0) {
            order = a.size - b.size;
        }
    }
    return order;
}

/* A step of bitonic sort. */
GPU_INLINE void mars_sort(struct record *records, const unsigned char *keys,
                          int distance, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (other > i) {
        struct record a = records[i], b = records[other];
        int order = mars_compare(keys, a, b);

        if ((i & length) == 0 ? order > 0 : order < 0) {
            records[i] = b;
            records[other] = a;
        }
    }
}

GPU_INLINE void mars_group(const struct record *records,
                           const unsigned char *keys, int *first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        first[i] = i == 0 ||
                   mars_compare(keys, records[i - 1], records[i]) != 0;
    }
}

GPU_INLINE void mars_reduce(const struct record *records, const int *start,
                            int *sum, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;

    if (g < groups) {
        int total = 0;

        for (int i = start[g]; i < start[g + 1]; i++) {
            total += records[i].value;
        }
        sum[g] = total;
    }
}

/* The three kernels under a program's name. */
#define MARS_KERNELS(name)                                                     \
    KERNEL name##_sort(struct record *records, const unsigned char *keys,     \
                       int distance, int length)                               \
    {                                                                          \
        mars_sort(records, keys, distance, length);                            \
    }                                                                          \
    KERNEL name##_group(const struct record *records,                          \
                        const unsigned char *keys, int *first, int count)      \
    {                                                                          \
        mars_group(records, keys, first, count);                               \
    }                                                                          \
    KERNEL name##_reduce(const struct record *records, const int *start,       \
                         int *sum, int groups)                                 \
    {                                                                          \
        mars_reduce(records, start, sum, groups);                              \
    }

#endif

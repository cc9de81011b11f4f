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

/*
 * A program's kernels.  Before them it says what a key is:
 *
 *   int next_key(const unsigned char *text, int *at, int end)
 *
 * moves *at to the next key before `end` and returns its size, 0 if there is
 * none.  `emitted` is the value of a record, made of `begin`, where the line
 * begins.
 */
#define MARS_KERNELS(name, emitted)                                            \
    KERNEL name##_count(const unsigned char *text, const int *line,            \
                        int *records, int *bytes, int lines)                   \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
                                                                               \
        if (i < lines) {                                                       \
            int at = line[i], end = line[i + 1], size, count = 0, total = 0;   \
                                                                               \
            while ((size = next_key(text, &at, end)) > 0) {                    \
                count++;                                                       \
                total += size;                                                 \
                at += size;                                                    \
            }                                                                  \
            records[i] = count;                                                \
            bytes[i] = total;                                                  \
        }                                                                      \
    }                                                                          \
    KERNEL name##_map(const unsigned char *text, const int *line,              \
                      const int *first, const int *key_start,                  \
                      struct record *records, unsigned char *keys, int lines)  \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
                                                                               \
        if (i < lines) {                                                       \
            int begin = line[i], at = begin, end = line[i + 1], size;          \
            int to = first[i], key = key_start[i];                             \
                                                                               \
            (void)begin;                                                       \
            while ((size = next_key(text, &at, end)) > 0) {                    \
                for (int k = 0; k < size; k++) {                               \
                    keys[key + k] = text[at + k];                              \
                }                                                              \
                records[to++] = (struct record){key, size, (emitted), 0};      \
                key += size;                                                   \
                at += size;                                                    \
            }                                                                  \
        }                                                                      \
    }                                                                          \
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

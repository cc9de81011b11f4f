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

/* x: where the bytes of its key begin; y: how many, -1: behind all others;
 * z: its value. */
typedef int4 record;

GPU_INLINE int mars_compare(const unsigned char *keys, record a, record b)
{
    int order = 0;

    if (a.y < 0 || b.y < 0) {
        order = (a.y < 0) - (b.y < 0);
    } else {
        int n = min(a.y, b.y);

        for (int i = 0; i < n && order == 0; i++) {
            order = keys[a.x + i] - keys[b.x + i];
        }
        if (order == 0) {
            order = a.y - b.y;
        }
    }
    return order;
}

/* A step of bitonic sort. */
GPU_INLINE void mars_sort(record *records, const unsigned char *keys,
                          int distance, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (other > i) {
        record a = records[i], b = records[other];
        int order = mars_compare(keys, a, b);

        if ((i & length) == 0 ? order > 0 : order < 0) {
            records[i] = b;
            records[other] = a;
        }
    }
}

GPU_INLINE void mars_group(const record *records, const unsigned char *keys,
                           int *first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        first[i] =
            i == 0 || mars_compare(keys, records[i - 1], records[i]) != 0;
    }
}

GPU_INLINE void mars_reduce(const record *records, const int *start, int *sum,
                            int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;

    if (g < groups) {
        int total = 0;

        for (int i = start[g]; i < start[g + 1]; i++) {
            total += records[i].z;
        }
        sum[g] = total;
    }
}

/* Copies a key of text and makes its record. */
GPU_INLINE void mars_emit(record *to, unsigned char *keys,
                          const unsigned char *text, record made, int from)
{
    for (int k = 0; k < made.y; k++) {
        keys[made.x + k] = text[from + k];
    }
    *to = made;
}

/* The kernels after a map. */
#define MARS_GROUP_KERNELS(name)                                               \
    KERNEL name##_sort(record *records, const unsigned char *keys,             \
                       int distance, int length)                               \
    {                                                                          \
        mars_sort(records, keys, distance, length);                            \
    }                                                                          \
    KERNEL name##_group(const record *records, const unsigned char *keys,      \
                        int *first, int count)                                 \
    {                                                                          \
        mars_group(records, keys, first, count);                               \
    }                                                                          \
    KERNEL name##_reduce(const record *records, const int *start, int *sum,    \
                         int groups)                                           \
    {                                                                          \
        mars_reduce(records, start, sum, groups);                              \
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
                      const int *first, const int *key_start, record *records, \
                      unsigned char *keys, int lines)                          \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
                                                                               \
        if (i < lines) {                                                       \
            int begin = line[i], at = begin, end = line[i + 1], size;          \
            int to = first[i], key = key_start[i];                             \
                                                                               \
            (void)begin;                                                       \
            while ((size = next_key(text, &at, end)) > 0) {                    \
                mars_emit(records + to++, keys, text,                          \
                          (record){key, size, (emitted), 0}, at);              \
                key += size;                                                   \
                at += size;                                                    \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    MARS_GROUP_KERNELS(name)

/*
 * The framework around programs whose tasks emit one pair each, as published:
 * a task finds its key and value through a directory; what it emits waits in
 * shared memory and is copied byte by byte to where the sizes of the tasks
 * before say; a directory of it is written.  All are arrays of all tasks.
 */
struct __attribute__((aligned(16))) entry {
    int key, key_size, value, value_size;
};

/* What a task emits: shared memory of 20 bytes per thread. */
#define MARS_BUFFER_BYTES 20
extern __shared__ unsigned char mars_buffer[];

#define MARS_INPUT                                                             \
    const struct entry *input, const unsigned char *input_keys,                \
        const unsigned char *input_values
#define MARS_OUTPUT                                                            \
    const int *key_start, const int *value_start, const int *first,            \
        int2 *done, unsigned char *keys, unsigned char *values,                \
        struct entry *output, int *emitted

GPU_INLINE void mars_count_pair(int key_bytes, int value_bytes, int *key_size,
                                int *value_size, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    key_size[i] += key_bytes;
    value_size[i] += value_bytes;
    count[i]++;
}

/* Where a task's directory begins. */
GPU_INLINE void mars_start(MARS_OUTPUT)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct entry first_of = output[first[i]];

    first_of.key = key_start[i];
    first_of.value = value_start[i];
    output[first[i]] = first_of;
    (void)done, (void)keys, (void)values, (void)emitted;
}

/* Emits a pair. */
GPU_INLINE void mars_emit_pair(const void *from_key, int key_bytes,
                               const void *from_value, int value_bytes,
                               MARS_OUTPUT)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 at = done[i];
    unsigned char *key = keys + key_start[i] + at.x;
    unsigned char *value = values + value_start[i] + at.y;
    int n = emitted[i], to = n + first[i];
    struct entry last;

    for (int k = 0; k < key_bytes; k++) {
        key[k] = ((const unsigned char *)from_key)[k];
    }
    for (int k = 0; k < value_bytes; k++) {
        value[k] = ((const unsigned char *)from_value)[k];
    }
    at.x += key_bytes;
    at.y += value_bytes;
    done[i] = at;
    last = output[to];
    if (n != 0) {
        last.key = output[to - 1].key + output[to - 1].key_size;
        last.value = output[to - 1].value + output[to - 1].value_size;
    }
    last.key_size = key_bytes;
    last.value_size = value_bytes;
    output[to] = last;
    emitted[i] = n + 1;
}

/* Copies the keys or the values (`part` 0, 1) of sorted entries, which are
 * `bytes` long. */
GPU_INLINE void mars_copy(const struct entry *entries,
                          const unsigned char *from, unsigned char *to,
                          int part, int bytes, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        struct entry own = entries[i];
        int at = part == 0 ? own.key : own.value;

        for (int k = 0; k < bytes; k++) {
            to[i * bytes + k] = from[at + k];
        }
    }
}

#endif

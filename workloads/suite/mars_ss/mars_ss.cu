/*
 * Similarity of documents as a map, Mars's SimilarityScore: a task per pair
 * of documents, which computes the cosine of the angle between their rows of
 * features, four at a time.  It emits the score and the pair; the scores are
 * sorted, the best first, and pairs and scores copied into this order.
 */
#include "../mars.h"

struct task {
    int first, second, features;
    float unused;
};

KERNEL mars_ss_count(MARS_INPUT, int *key_size, int *value_size, int *count,
                     int tasks)
{
    (void)input, (void)input_keys, (void)input_values;
    if (blockIdx.x * blockDim.x + threadIdx.x < (unsigned)tasks) {
        mars_count_pair(4, 8, key_size, value_size, count);
    }
}

GPU_INLINE float score(const float *feature, const struct task *task)
{
    int n = task->features;
    const float *a = feature + task->first * n;
    const float *b = feature + task->second * n;
    float dot = 0.0f, aa = 0.0f, bb = 0.0f;

    for (int k = 0; k < n / 4; k++) {
        float4 u = ((const float4 *)a)[k];
        float4 v = ((const float4 *)b)[k];

        dot += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        aa += u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w;
        bb += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int k = n / 4 * 4; k < n; k++) {
        dot += a[k] * b[k];
        aa += a[k] * a[k];
        bb += b[k] * b[k];
    }
    return dot / (sqrtf(aa) * sqrtf(bb));
}

KERNEL mars_ss(MARS_INPUT, MARS_OUTPUT, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        unsigned char *pair = mars_buffer + threadIdx.x * MARS_BUFFER_BYTES;
        struct entry own;
        const struct task *task;

        mars_start(key_start, value_start, first, done, keys, values, output,
                   emitted);
        own = input[i];
        task = (const struct task *)(input_values + own.value);
        *(float *)pair =
            score(*(const float *const *)(input_keys + own.key), task);
        ((int *)pair)[1] = task->first;
        ((int *)pair)[2] = task->second;
        mars_emit_pair(pair, 4, pair + 4, 8, key_start, value_start, first,
                       done, keys, values, output, emitted);
    }
}

/* Below 0 if a's score comes first, the higher ones; what has no key, last. */
GPU_INLINE int compare(const unsigned char *keys, int a, int b)
{
    int order = (a < 0) - (b < 0);

    if (a >= 0 && b >= 0) {
        float u = *(const float *)(keys + a);
        float v = *(const float *)(keys + b);

        order = (u < v) - (u > v);
    }
    return order;
}

/* A step of bitonic sort of a directory. */
KERNEL mars_ss_sort(record *entries, const unsigned char *keys, int distance,
                    int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (other > i) {
        record a = entries[i], b = entries[other];
        int order = compare(keys, a.x, b.x);

        if ((i & length) == 0 ? order > 0 : order < 0) {
            entries[i] = b;
            entries[other] = a;
        }
    }
}

KERNEL mars_ss_copy(const struct entry *entries, const unsigned char *from,
                    unsigned char *to, int part, int bytes, int count)
{
    mars_copy(entries, from, to, part, bytes, count);
}

/*
 * Hits of each URL in a web log, Mars's PageViewCount: two jobs over lines of
 * URL, address and cookie.  A key says where its line is, with a hash of what
 * it stands for: in the first job the line, which drops those that are there
 * twice; in the second the URL.  Keys are sorted by hash, then by text.
 */
#include "../mars.h"

struct page {
    const unsigned char *text;
    int offset, hash;
};

struct visit {
    int job, size;
};

KERNEL mars_pvc_count(MARS_INPUT, int *key_size, int *value_size, int *count,
                      int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    (void)input_keys;
    if (i < tasks) {
        const struct visit *visit =
            (const struct visit *)(input_values + input[i].value);

        mars_count_pair(16, visit->job == 0 ? 8 : 4, key_size, value_size,
                        count);
    }
}

GPU_INLINE int hash(const unsigned char *text, int size)
{
    int h = size;

    for (int k = 0; k < size; k++) {
        h = (h << 4) ^ (h >> 28) ^ text[k];
    }
    return h;
}

KERNEL mars_pvc_map(const struct entry *input, unsigned char *input_keys,
                    const unsigned char *input_values, MARS_OUTPUT, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        int *address = (int *)(mars_buffer + threadIdx.x * MARS_BUFFER_BYTES);
        struct entry own;
        struct page *page;
        const struct visit *visit;
        const unsigned char *line;
        int job, size = 0;

        mars_start(key_start, value_start, first, done, keys, values, output,
                   emitted);
        own = input[i];
        page = (struct page *)(input_keys + own.key);
        visit = (const struct visit *)(input_values + own.value);
        line = page->text + page->offset;
        job = visit->job;
        if (job == 0) {
            size = visit->size;
        } else {
            while (line[size] != '\t') {
                size++;
            }
            *address = page->offset + size + 1;
        }
        page->hash = hash(line, size);
        mars_emit_pair(page, 16, job == 0 ? (const void *)visit : address,
                       job == 0 ? 8 : 4, key_start, value_start, first, done,
                       keys, values, output, emitted);
    }
}

/* Below 0, 0 or above 0 as a's text comes before that of b: up to `last`. */
GPU_INLINE int compare(const unsigned char *keys, int a, int b, int last)
{
    const struct page *p = (const struct page *)(keys + a);
    const struct page *q = (const struct page *)(keys + b);
    int order = (p->hash > q->hash) - (p->hash < q->hash);

    if (order == 0) {
        const unsigned char *u = p->text + p->offset;
        const unsigned char *v = q->text + q->offset;

        while (*u == *v && *u != last) {
            u++;
            v++;
        }
        order = *u - *v;
    }
    return order;
}

/* A step of bitonic sort of a directory; what has no key is last. */
KERNEL mars_pvc_sort(record *entries, const unsigned char *keys, int distance,
                     int length, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (other > i) {
        record a = entries[i], b = entries[other];
        int order = (a.x < 0) - (b.x < 0);

        if (a.x >= 0 && b.x >= 0) {
            order = compare(keys, a.x, b.x, last);
        }
        if ((i & length) == 0 ? order > 0 : order < 0) {
            entries[i] = b;
            entries[other] = a;
        }
    }
}

KERNEL mars_pvc_copy(const struct entry *entries, const unsigned char *from,
                     unsigned char *to, int part, int bytes, int count)
{
    mars_copy(entries, from, to, part, bytes, count);
}

/* Where another key begins in sorted ones. */
KERNEL mars_pvc_group(const unsigned char *keys, int *first, int last,
                      int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        first[i] = i == 0 || compare(keys, 16 * i - 16, 16 * i, last) != 0;
    }
}

/* The first of each group is the input of the second job. */
KERNEL mars_pvc_reduce(const int *start, const unsigned char *keys,
                       const struct visit *visits, unsigned char *to,
                       struct visit *to_visits, int groups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < groups) {
        for (int k = 0; k < 16; k++) {
            to[16 * i + k] = keys[16 * start[i] + k];
        }
        to_visits[i].job = 1;
        to_visits[i].size = visits[start[i]].size;
    }
}

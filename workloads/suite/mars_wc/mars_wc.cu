/*
 * Count of each word of a text, Mars's WordCount: a line per map task; words
 * of six letters or more are keys.
 */
#include "../mars.h"

/* The next word from *at on; 0: none is left. */
GPU_INLINE int next_key(const unsigned char *text, int *at, int end)
{
    int size = 0;

    while (*at < end && size < 6) {
        *at += size;
        while (*at < end && text[*at] <= ' ') {
            (*at)++;
        }
        size = 0;
        while (*at + size < end && text[*at + size] > ' ') {
            size++;
        }
    }
    return size < 6 ? 0 : size;
}

KERNEL mars_wc_count(const unsigned char *text, const int *line, int *records,
                    int *bytes, int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < lines) {
        int at = line[i], end = line[i + 1], size, count = 0, total = 0;

        while ((size = next_key(text, &at, end)) > 0) {
            count++;
            total += size;
            at += size;
        }
        records[i] = count;
        bytes[i] = total;
    }
}

KERNEL mars_wc_map(const unsigned char *text, const int *line,
                  const int *first, const int *key_start,
                  struct record *records, unsigned char *keys, int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < lines) {
        int at = line[i], end = line[i + 1], size;
        int to = first[i], key = key_start[i];

        while ((size = next_key(text, &at, end)) > 0) {
            for (int k = 0; k < size; k++) {
                keys[key + k] = text[at + k];
            }
            records[to++] = (struct record){key, size, 1, 0};
            key += size;
            at += size;
        }
    }
}

MARS_KERNELS(mars_wc)

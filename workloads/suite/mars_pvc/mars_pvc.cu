/*
 * Hits of each URL in a web log, Mars's PageViewCount: a line per map task,
 * the URL at its beginning is the key.
 */
#include "../mars.h"

/* The URL, if *at is where a line begins; 0: none is left. */
GPU_INLINE int next_key(const unsigned char *text, int *at, int end)
{
    int size = 0;

    if (*at == 0 || text[*at - 1] == '\n') {
        while (*at + size < end && text[*at + size] > ' ') {
            size++;
        }
    }
    return size;
}

KERNEL mars_pvc_count(const unsigned char *text, const int *line, int *records,
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

KERNEL mars_pvc_map(const unsigned char *text, const int *line,
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

MARS_KERNELS(mars_pvc)

/*
 * Inverted index of links, Mars's InvertedIndex: a line of HTML per map task;
 * the targets of links are keys, the value is where the line begins.
 */
#include "../mars.h"

/* The next target of a link from *at on; 0: none is left. */
GPU_INLINE int next_key(const unsigned char *text, int *at, int end)
{
    int size = 0, found = 0;

    for (; *at + 6 < end && found == 0; (*at)++) {
        found = text[*at] == 'h' && text[*at + 1] == 'r' &&
                text[*at + 2] == 'e' && text[*at + 3] == 'f' &&
                text[*at + 4] == '=' && text[*at + 5] == '"';
    }
    if (found) {
        *at += 5;
        while (*at + size < end && text[*at + size] != '"') {
            size++;
        }
    }
    return size;
}

KERNEL mars_index_count(const unsigned char *text, const int *line, int *records,
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

KERNEL mars_index_map(const unsigned char *text, const int *line,
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
            records[to++] = (struct record){key, size, line[i], 0};
            key += size;
            at += size;
        }
    }
}

MARS_KERNELS(mars_index)

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

MARS_KERNELS(mars_wc, 1)

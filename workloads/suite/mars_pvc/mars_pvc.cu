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

MARS_KERNELS(mars_pvc, 1)

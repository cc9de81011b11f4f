/*
 * Inverted index of links, Mars's InvertedIndex: a line of HTML per map task;
 * the targets of links are keys, the value is where the line begins.
 */
#include "../mars.h"

#define HREF 0x687265663d22 /* href=" */

/* The next target of a link from *at on; 0: none is left.  `last` holds the
 * last six bytes. */
GPU_INLINE int next_key(const unsigned char *text, int *at, int end)
{
    unsigned long long last = 0;
    int size = 0;

    while (*at < end && last != HREF) {
        last = (last << 8 | text[(*at)++]) & 0xffffffffffff;
    }
    if (last == HREF) {
        while (*at + size < end && text[*at + size] != '"') {
            size++;
        }
    }
    return size;
}

MARS_KERNELS(mars_index, begin)

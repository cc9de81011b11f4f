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

MARS_KERNELS(mars_index, begin)

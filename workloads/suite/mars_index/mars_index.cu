/*
 * Inverted index of links, Mars's InvertedIndex: a piece of HTML per map task,
 * read byte by byte by an automaton that finds the targets of links; these are
 * keys, the value is where the task begins.
 */
#include "../mars.h"

enum state {
    IN_TEXT,
    IN_TAG,
    IN_ANCHOR,
    IN_HREF,
    IN_LINK
};

GPU_INLINE int is_href(const unsigned char *text)
{
    return text[0] == 'h' && text[1] == 'r' && text[2] == 'e' && text[3] == 'f';
}

/* The state after the byte at *at, which moves on over "href". */
GPU_INLINE enum state next_state(enum state state, const unsigned char *text,
                                 int *at)
{
    enum state next = IN_TEXT;

    switch (state) {
    case IN_TEXT:
        next = text[*at] == '<' ? IN_TAG : IN_TEXT;
        break;
    case IN_TAG:
        next = text[*at] == 'a' ? IN_ANCHOR
                                : (text[*at] == ' ' ? IN_TAG : IN_TEXT);
        break;
    case IN_ANCHOR:
        if (is_href(text + *at)) {
            *at += 3;
            next = IN_HREF;
        } else {
            next = text[*at] == ' ' ? IN_ANCHOR : IN_TEXT;
        }
        break;
    default:
        if (text[*at] == '"') {
            next = IN_LINK;
        } else {
            next = text[*at] == ' ' || text[*at] == '=' ? IN_HREF : IN_TEXT;
        }
        break;
    }
    return next;
}

/* Bytes up to the quotation mark that ends a link. */
GPU_INLINE int link_size(const unsigned char *text, int at, int end)
{
    int size = 0;

    while (at + size < end && text[at + size] != '"') {
        size++;
    }
    return size;
}

KERNEL mars_index_count(const unsigned char *text, const int *line,
                        int *records, int *bytes, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        enum state state = IN_TEXT;
        int end = line[i + 1], count = 0, total = 0;

        for (int at = line[i]; at < end; at++) {
            if (state == IN_LINK) {
                int size = link_size(text, at, end);

                count++;
                total += size;
                at += size;
                state = IN_TEXT;
            } else {
                state = next_state(state, text, &at);
            }
        }
        records[i] = count;
        bytes[i] = total;
    }
}

KERNEL mars_index_map(const unsigned char *text, const int *line,
                      const int *first, const int *key_start, record *records,
                      unsigned char *keys, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        enum state state = IN_TEXT;
        int begin = line[i], end = line[i + 1], to = first[i];
        int key = key_start[i];

        for (int at = begin; at < end; at++) {
            if (state == IN_LINK) {
                int size = link_size(text, at, end);

                mars_emit(records + to++, keys, text,
                          (record){key, size, begin, 0}, at);
                key += size;
                at += size;
                state = IN_TEXT;
            } else {
                state = next_state(state, text, &at);
            }
        }
    }
}

MARS_GROUP_KERNELS(mars_index)

/*
 * Writing the words of workloads/stream.h into buffers that grow and are
 * used again.
 *
 * Sizes in words for n active lanes: STRIDE 3, DELTA n + 1, LIST 2n.  So
 * STRIDE is smallest from two lanes on, DELTA for one, and LIST is needed
 * only where a distance does not fit into 32 bits.
 */
#include "workloads/streams/writer.h"

#include <stdlib.h>

#define MASK_BIT (1u << 23)
#define MODE_SHIFT 24
/* Head, mask and 32 full addresses. */
#define RECORD_MAX (2u + 2u * LOOM_WARP_LANES)
#define FIRST_CAPACITY 1024u

void loom_writer_reset(struct loom_stream_writer *writer)
{
    if (writer->buffer.spill != NULL) {
        loom_writer_free(writer);
    }
    writer->words = 0;
    writer->insts = 0;
    writer->failed = false;
}

void loom_writer_free(struct loom_stream_writer *writer)
{
    struct loom_stream_pool *pool = writer->pool;

    if (pool != NULL) {
        loom_pool_release(pool, &writer->buffer);
    } else {
        free(writer->word);
    }
    *writer = (struct loom_stream_writer){.pool = pool};
}

/* Room for so many words more, or for some of them. */
static bool grow(struct loom_stream_writer *writer, uint64_t more)
{
    uint64_t capacity =
        writer->capacity == 0 ? FIRST_CAPACITY : 2 * writer->capacity;
    uint32_t *word;

    if (writer->pool != NULL) {
        uint64_t least = writer->words + more;
        bool ok = loom_pool_grow(
            writer->pool, &writer->buffer,
            (least > FIRST_CAPACITY ? least : FIRST_CAPACITY) * sizeof(*word));

        /* It may have moved in any case. */
        writer->word = writer->buffer.at;
        writer->capacity = writer->buffer.bytes / sizeof(*word);
        writer->failed = writer->failed || !ok;
        return ok;
    }
    word = realloc(writer->word, capacity * sizeof(*word));
    if (word == NULL) {
        writer->failed = true;
        return false;
    }
    writer->word = word;
    writer->capacity = capacity;
    return true;
}

/* Room for one record of any kind. */
static inline bool make_room(struct loom_stream_writer *writer)
{
    return LOOM_LIKELY(writer->capacity - writer->words >= RECORD_MAX) ||
           grow(writer, RECORD_MAX);
}

static inline uint32_t *put_head(struct loom_stream_writer *writer,
                                 uint32_t index, uint32_t mask, uint32_t mode)
{
    uint32_t *at = writer->word + writer->words;

    *at++ = index | (mask == UINT32_MAX ? 0 : MASK_BIT) | mode << MODE_SHIFT;
    if (mask != UINT32_MAX) {
        *at++ = mask;
    }
    writer->insts++;
    return at;
}

static inline void finish(struct loom_stream_writer *writer, const uint32_t *at)
{
    writer->words = (uint64_t)(at - writer->word);
}

void loom_writer_put(struct loom_stream_writer *writer, uint32_t index,
                     uint32_t mask)
{
    if (make_room(writer)) {
        finish(writer, put_head(writer, index, mask, LOOM_ADDR_NONE));
    }
}

static inline bool fits(int64_t value)
{
    return value == (int32_t)value;
}

static inline uint32_t *put_address(uint32_t *at, loom_addr address)
{
    *at++ = (uint32_t)address;
    *at++ = (uint32_t)(address >> 32);
    return at;
}

/* Packs the distances of the active lanes from the first one; returns their
 * number.  *linear: they are multiples k of the first distance; *narrow: all
 * fit into 32 bits. */
static uint32_t measure(uint32_t mask, const loom_addr *address,
                        int64_t *distance, bool *linear, bool *narrow)
{
    loom_addr base = address[loom_lowest(mask)];
    uint32_t n = 0;
    uint64_t wide = 0, bent = 0, stride, due = 0;

    if (mask == UINT32_MAX) {
        for (; n < LOOM_WARP_LANES; n++) {
            distance[n] = (int64_t)(address[n] - base);
        }
    } else {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            distance[n++] = (int64_t)(address[loom_lowest(left)] - base);
        }
    }
    stride = n > 1 ? (uint64_t)distance[1] : 0;
    for (uint32_t k = 0; k < n; k++) {
        wide |= (uint64_t)distance[k] ^ (uint64_t)(int64_t)(int32_t)distance[k];
        bent |= (uint64_t)distance[k] ^ due;
        due += stride;
    }
    *linear = bent == 0 && fits((int64_t)stride);
    *narrow = wide == 0;
    return n;
}

void loom_writer_memory(struct loom_stream_writer *writer, uint32_t index,
                        uint32_t mask, const loom_addr address[LOOM_WARP_LANES])
{
    int64_t distance[LOOM_WARP_LANES];
    bool linear, narrow;
    loom_addr base;
    uint32_t n, *at;

    if (mask == 0) {
        loom_writer_put(writer, index, mask);
        return;
    }
    if (!make_room(writer)) {
        return;
    }
    n = measure(mask, address, distance, &linear, &narrow);
    base = address[loom_lowest(mask)];
    if (linear && n > 1) {
        at = put_head(writer, index, mask, LOOM_ADDR_STRIDE);
        at = put_address(at, base);
        *at++ = (uint32_t)distance[1];
    } else if (narrow) {
        at = put_head(writer, index, mask, LOOM_ADDR_DELTA);
        at = put_address(at, base);
        for (uint32_t k = 1; k < n; k++) {
            *at++ = (uint32_t)distance[k];
        }
    } else {
        at = put_head(writer, index, mask, LOOM_ADDR_LIST);
        for (uint32_t k = 0; k < n; k++) {
            at = put_address(at, base + (loom_addr)distance[k]);
        }
    }
    finish(writer, at);
}

uint32_t *loom_writer_room(struct loom_stream_writer *writer, uint64_t words)
{
    while (LOOM_UNLIKELY(writer->capacity - writer->words < words)) {
        if (!grow(writer, words)) {
            return NULL;
        }
    }
    return writer->word + writer->words;
}

/*
 * Writing a warp's stream: growable word buffers that are used again.
 *
 * The writer chooses the smallest address mode.  Failure to get memory is
 * remembered in `failed` and reported once by the caller.
 */
#ifndef WORKLOADS_STREAMS_WRITER_H
#define WORKLOADS_STREAMS_WRITER_H

#include "workloads/stream.h"
#include "workloads/streams/pool.h"

struct loom_stream_writer {
    uint32_t *word;
    uint64_t words, capacity;
    uint64_t insts;
    struct loom_stream_pool *pool;  /* where the words live; NULL: the heap */
    struct loom_pool_buffer buffer; /* with a pool only */
    bool failed;
};

/* Keeps the buffer for the next stream unless it is in the pool's file. */
void loom_writer_reset(struct loom_stream_writer *writer);
void loom_writer_free(struct loom_stream_writer *writer);

/* An instruction without addresses. */
void loom_writer_put(struct loom_stream_writer *writer, uint32_t index,
                     uint32_t mask);
/* A memory instruction: address[lane] for each lane in mask. */
void loom_writer_memory(struct loom_stream_writer *writer, uint32_t index,
                        uint32_t mask,
                        const loom_addr address[LOOM_WARP_LANES]);
/* Where the next `words` words go, for those who have whole records: they count
 * `words` and `insts` on themselves.  NULL: no memory, which is remembered. */
uint32_t *loom_writer_room(struct loom_stream_writer *writer, uint64_t words);

#endif

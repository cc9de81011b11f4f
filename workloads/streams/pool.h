/*
 * The pool that streams live in: so much memory, and a file for the rest.
 *
 * A buffer is plain contiguous memory whichever it is in, so that readers'
 * cursors are plain pointers.  Buffers that the pool has no room for are
 * mapped from an unlinked temporary file, piece by piece as they grow: what
 * is full is left to the host's page cache, which writes it out and drops
 * it, so that a stream may be larger than the host's memory.
 *
 * A pool belongs to one thread at a time.
 */
#ifndef WORKLOADS_STREAMS_POOL_H
#define WORKLOADS_STREAMS_POOL_H

#include "engine/error.h"

#define LOOM_POOL_BYTES (UINT64_C(256) << 20) /* default */

struct loom_stream_pool;
struct loom_spill; /* what a buffer has in the file; private to the pool */

struct loom_pool_buffer {
    void *at;                 /* [bytes] */
    uint64_t bytes;           /* usable */
    struct loom_spill *spill; /* NULL: in memory */
};

/* NULL: no memory. */
struct loom_stream_pool *loom_pool_create(uint64_t limit);
void loom_pool_destroy(struct loom_stream_pool *pool); /* or NULL */
void loom_pool_limit(struct loom_stream_pool *pool, uint64_t limit);
/* Where the file will be; /var/tmp unless said otherwise.  False: the name
 * is too long. */
bool loom_pool_folder(struct loom_stream_pool *pool, const char *folder);

/* Makes a buffer larger, to at least `bytes` and so much more that growing
 * again and again costs little; it may move, its content stays.  False: no
 * memory or no room in the file; the buffer is as before. An empty buffer is
 * all zeros. */
bool loom_pool_grow(struct loom_stream_pool *pool,
                    struct loom_pool_buffer *buffer, uint64_t bytes);
/* Gives all of it back; the buffer is empty then. */
void loom_pool_release(struct loom_stream_pool *pool,
                       struct loom_pool_buffer *buffer);
/* Tells that nobody will write the buffer for now: pages of the file may
 * leave the memory. */
void loom_pool_settle(struct loom_stream_pool *pool,
                      const struct loom_pool_buffer *buffer);

/* Is most of the memory taken?  Then buffers should not be kept for later. */
bool loom_pool_crowded(const struct loom_stream_pool *pool);

/* Bytes in memory and in the file now, and the most there ever were. */
struct loom_pool_use {
    uint64_t memory, file;
    uint64_t memory_max, file_max;
};
struct loom_pool_use loom_pool_use(const struct loom_stream_pool *pool);

#endif

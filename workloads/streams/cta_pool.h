/*
 * The streams of a launch's CTAs, for front ends: handed out to be written,
 * sealed, read by an SM, and taken back.
 *
 * They come back in any order; their buffers keep their size and serve later
 * CTAs, unless the stream pool is crowded.
 */
#ifndef WORKLOADS_STREAMS_CTA_POOL_H
#define WORKLOADS_STREAMS_CTA_POOL_H

#include "workloads/streams/writer.h"

/* A CTA that is being written or read. */
struct loom_cta_slot {
    struct loom_cta_stream stream; /* first */
    struct loom_cta_slot *next;    /* free, or handed out */
    struct loom_warp_stream *warp;
    struct loom_stream_writer *writer; /* [warps] */
};

struct loom_cta_pool {
    struct loom_cta_slot *spare, *out;
    struct loom_stream_pool *words; /* where they live; NULL: the heap */
    uint32_t warps;                 /* of a CTA */
};

/* Empty writers for the warps of a CTA; NULL: no memory. */
struct loom_cta_slot *loom_cta_take(struct loom_cta_pool *pool);
/* Nothing more is written: the stream may be read.  Returns its warp
 * instructions. */
uint64_t loom_cta_seal(const struct loom_cta_pool *pool,
                       struct loom_cta_slot *slot,
                       const struct loom_kernel *kernel, uint32_t cta);
/* Hands one that is out over to a pool of as many warps. */
void loom_cta_move(struct loom_cta_pool *from, struct loom_cta_pool *to,
                   struct loom_cta_slot *slot);
/* Takes one back. */
void loom_cta_give(struct loom_cta_pool *pool, struct loom_cta_slot *slot);
/* Frees all, those that were not given back as well. */
void loom_cta_pool_free(struct loom_cta_pool *pool);

#endif

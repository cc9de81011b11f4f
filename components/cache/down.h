/*
 * The lower side: the way to the component below.  Only files in
 * components/cache/ include this.
 *
 * A request goes straight to the channel if nothing waits and none was sent
 * in this cycle, else into the miss queue, of which exactly `miss_queue`
 * places can be used.  So one request per cycle leaves, and callers must ask
 * cache_room() first; but a line that leaves for a fill has a place of its
 * own, one for each MSHR, and so has a line that is gated by its fill.  A fill
 * that waited for room could be what the levels below wait for before they
 * take another request.
 */
#ifndef COMPONENTS_CACHE_DOWN_H
#define COMPONENTS_CACHE_DOWN_H

#include "components/cache/cache_types.h"

/* The channel takes a request without a queue. */
static LOOM_INLINE bool cache_at_once(const struct cache *c, loom_cycle now)
{
    return c->queue_count == 0 && c->sent_at != now && loom_ready(c->down, now);
}

/* Room for so many requests. */
static LOOM_INLINE bool cache_room(const struct cache *c, uint32_t requests,
                                   loom_cycle now)
{
    uint32_t room =
        c->miss_queue > c->queue_count ? c->miss_queue - c->queue_count : 0;

    return room >= requests || (room + 1 == requests && cache_at_once(c, now));
}

/* Where the next one is written. */
static LOOM_INLINE struct loom_mem_request *cache_push(struct cache *c,
                                                       loom_cycle now)
{
    uint32_t tail = c->queue_head + c->queue_count;

    if (cache_at_once(c, now)) {
        c->sent_at = now;
        return loom_send(c->down, now, 0);
    }
    LOOM_CHECK(c->queue_count < c->queue_places);
    c->queue_count++;
    return &c->queue[tail < c->queue_places ? tail : tail - c->queue_places];
}

/* Without a request below there is no reply to ask for. */
static LOOM_INLINE bool cache_expects_replies(const struct cache *c)
{
    return (c->mshr_used | c->passing_used | c->queries_out) != 0;
}

bool cache_take_queue(struct cache *c);
/* One request of the queue leaves, if there is one and the channel takes it. */
void cache_send_down(struct cache *c, loom_cycle now);
/* Is there room for a request without an MSHR, and for what is remembered of
 * it? */
bool cache_can_pass(struct cache *c, const struct loom_mem_request *request,
                    loom_cycle now);
/* A policy asks the components below (cache_hook.h). */
bool cache_query(void *cache, const struct loom_mem_request *request);

#endif

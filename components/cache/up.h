/*
 * The upper side: links to components above, requests that are served sector
 * by sector, and replies.  Only files in components/cache/ include this.
 *
 * A request for several sectors becomes one access for each, in ascending
 * order, one per access that the cache takes in a cycle (GPGPU-Sim 4 breaks a
 * request up at the memory partition, and its L2 answers each sector by a
 * reply of its own).  A parent remembers how many are not answered: each
 * sector's reply is sent as a part, or one reply when the last is there.
 */
#ifndef COMPONENTS_CACHE_UP_H
#define COMPONENTS_CACHE_UP_H

#include "components/cache/sectors.h"

/* Whose an access is.  Where all are of one port and none is a part of another
 * it goes without saying, and the second line of an item is not touched. */
static inline uint8_t cache_port_of(const struct cache *c,
                                    const struct cache_item *item)
{
    return c->lone ? 0 : item->port;
}

static inline uint32_t cache_parent_of(const struct cache *c,
                                       const struct cache_item *item)
{
    return c->lone ? CACHE_NONE : item->parent;
}

static inline uint32_t cache_after_port(const struct cache *c, uint32_t port)
{
    return port + 1 == c->ports ? 0 : port + 1;
}

/* A link of `up` with a message, from next_port on. */
static inline uint32_t cache_pending_port(const struct cache *c, loom_cycle now)
{
    uint32_t port = c->next_port;

    if (c->incoming == 0) {
        return CACHE_NO_PORT;
    }
    for (uint32_t i = 0; i < c->ports; i++) {
        if (loom_arrival(c->port[port].from_above) <= now) {
            return port;
        }
        port = cache_after_port(c, port);
    }
    return CACHE_NO_PORT;
}

/* May the reply to an access be sent? */
static LOOM_INLINE bool cache_may_reply(const struct cache *c,
                                        const struct cache_item *item,
                                        loom_cycle now)
{
    return loom_ready(c->port[cache_port_of(c, item)].up, now);
}

bool cache_take_ports(struct cache *c, struct loom_error *err);
/* A request that is to be served by sectors is here. */
void cache_split(struct cache *c, const struct loom_mem_request *r,
                 uint32_t port);
/* One of its sectors is done with.  False: there are others. */
bool cache_part_done(struct cache *c, struct cache_item *parent);
/* Sends the access's reply, where there must be room.  Returns what is sent;
 * NULL: nothing yet, or no part of its own. */
struct loom_mem_request *cache_put_whole(struct cache *c,
                                         const struct cache_item *item,
                                         uint32_t flags, loom_cycle now,
                                         loom_cycle delay);

static LOOM_INLINE struct loom_mem_request *
cache_put(struct cache *c, const struct cache_item *item, loom_cycle now,
          loom_cycle delay)
{
    struct loom_mem_request *reply =
        loom_send(c->port[cache_port_of(c, item)].up, now, delay);

    loom_mem_copy(reply, &item->request);
    c->stats->replies++;
    return reply;
}

static LOOM_INLINE struct loom_mem_request *
cache_send_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay)
{
    uint32_t all = (item->request.flags & ~(uint32_t)LOOM_MEM_HIT) |
                   LOOM_MEM_REPLY | flags;
    struct loom_mem_request *reply;

    if (cache_parent_of(c, item) != CACHE_NONE) { /* of one sector */
        struct cache_item *p = &c->parent[item->parent];
        bool last;

        if ((all & LOOM_MEM_MORE) != 0) {
            return NULL; /* a part of a part: its last one stands for it */
        }
        p->missed = p->missed || (all & LOOM_MEM_HIT) == 0;
        p->reply_bits |= reply_bits;
        last = cache_part_done(c, p);
        if (!c->split_each) {
            return last ? cache_put_whole(c, item,
                                          all & ~(uint32_t)LOOM_MEM_PART, now,
                                          delay)
                        : NULL;
        }
        all |= last ? LOOM_MEM_PART : LOOM_MEM_PART | LOOM_MEM_MORE;
    }
    reply = cache_put(c, item, now, delay);
    reply->flags = (uint8_t)all;
    reply->reply_bits = reply_bits;
    return reply;
}

#endif

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

#include "components/cache/cache_records.h"

/* A link to a component above. */
struct cache_port {
    struct loom_channel *up, *from_above;
};

struct cache_up {
    uint64_t incoming;         /* bit per link: a request is in its channel */
    struct cache_port *port;   /* [ports] */
    struct cache_item *parent; /* requests that are served by sectors */
    uint64_t replies, split_requests; /* for statistics */
    uint8_t ports, next_port;
    uint8_t split_port; /* of the request that is being split */
    uint8_t split_left; /* its sectors that are not in a bank; 0: none */
    bool bare_items;    /* one port, and nothing is split */
    bool split_each;    /* each sector of a request has a reply */
    uint32_t split_parent;
    uint32_t parent_free; /* list by `next` */
    uint32_t parents_used, parents;
    struct loom_mem_request *warm; /* where a reply goes without a link
                                    * (warm.c); NULL: links are used */
    struct cache_port first_port;  /* the port, if there is only one */
};

/* Makes `r`, which is like the request of `item`, the one for a sector of
 * it. */
static inline void cache_cut(const struct cache_item *item,
                             struct loom_mem_request *r, uint32_t sector)
{
    r->sectors = (uint8_t)(1u << sector);
    r->size_bytes = LOOM_SECTOR_BYTES;
    r->flags = item->flags;
    r->bypassed = item->bypassed;
    r->bypassed_by = item->bypassed_by;
    if (r->kind != LOOM_MEM_LOAD) {
        uint64_t mask = (uint64_t)UINT32_MAX << (32 * (sector % 2));

        r->bytes[0] = sector < 2 ? item->bytes[0] & mask : 0;
        r->bytes[1] = sector < 2 ? 0 : item->bytes[1] & mask;
    }
}

/* Whose an access is.  Where all are of one port and none is a part of another
 * it goes without saying, and the second line of an item is not touched. */
static inline uint8_t cache_port_of(const struct cache_up *u,
                                    const struct cache_item *item)
{
    return u->bare_items ? 0 : item->port;
}

static inline uint32_t cache_parent_of(const struct cache_up *u,
                                       const struct cache_item *item)
{
    return u->bare_items ? CACHE_NONE : item->parent;
}

static inline uint32_t cache_after_port(const struct cache_up *u, uint32_t port)
{
    return port + 1 == u->ports ? 0 : port + 1;
}

/* A link of `up` with a message, from next_port on. */
static inline uint32_t cache_pending_port(const struct cache_up *u,
                                          loom_cycle now)
{
    uint32_t port = u->next_port;

    if (u->incoming == 0) {
        return CACHE_NO_PORT;
    }
    for (uint32_t i = 0; i < u->ports; i++) {
        if (loom_arrival(u->port[port].from_above) <= now) {
            return port;
        }
        port = cache_after_port(u, port);
    }
    return CACHE_NO_PORT;
}

/* May the reply to an access be sent? */
static LOOM_INLINE bool cache_may_reply(const struct cache_up *u,
                                        const struct cache_item *item,
                                        loom_cycle now)
{
    return LOOM_UNLIKELY(u->warm != NULL) ||
           loom_ready(u->port[cache_port_of(u, item)].up, now);
}

bool cache_make_up(struct cache_up *u, struct loom_component *self,
                   struct loom_error *err);
/* For so many requests that are served by sectors. */
bool cache_make_parents(struct cache_up *u, struct loom_component *self,
                        uint32_t count);
/* A request that is to be served by sectors is here. */
void cache_split(struct cache_up *u, const struct loom_mem_request *r,
                 uint32_t port);
/* One of its sectors is done with.  False: there are others. */
bool cache_part_done(struct cache_up *u, struct cache_item *parent);
/* Sends the access's reply, where there must be room.  Returns what is sent;
 * NULL: nothing yet, or no part of its own. */
struct loom_mem_request *cache_put_whole(struct cache_up *u,
                                         const struct cache_item *item,
                                         uint32_t flags, loom_cycle now,
                                         loom_cycle delay);

static LOOM_INLINE struct loom_mem_request *
cache_put(struct cache_up *u, const struct cache_item *item, loom_cycle now,
          loom_cycle delay)
{
    struct loom_mem_request *reply =
        LOOM_UNLIKELY(u->warm != NULL)
            ? u->warm
            : loom_send(u->port[cache_port_of(u, item)].up, now, delay);

    loom_mem_copy(reply, &item->request);
    u->replies++;
    return reply;
}

static LOOM_INLINE struct loom_mem_request *
cache_send_reply(struct cache_up *u, const struct cache_item *item,
                 uint8_t flags, uint16_t reply_bits, loom_cycle now,
                 loom_cycle delay)
{
    uint32_t all = (item->request.flags & ~(uint32_t)LOOM_MEM_HIT) |
                   LOOM_MEM_REPLY | flags;
    struct loom_mem_request *reply;

    if (cache_parent_of(u, item) != CACHE_NONE) { /* of one sector */
        struct cache_item *p = &u->parent[item->parent];
        bool last;

        if ((all & LOOM_MEM_MORE) != 0) {
            return NULL; /* a part of a part: its last one stands for it */
        }
        p->missed = p->missed || (all & LOOM_MEM_HIT) == 0;
        p->reply_bits |= reply_bits;
        last = cache_part_done(u, p);
        if (!u->split_each) {
            return last ? cache_put_whole(u, item,
                                          all & ~(uint32_t)LOOM_MEM_PART, now,
                                          delay)
                        : NULL;
        }
        all |= last ? LOOM_MEM_PART : LOOM_MEM_PART | LOOM_MEM_MORE;
    }
    reply = cache_put(u, item, now, delay);
    reply->flags = (uint8_t)all;
    reply->reply_bits = reply_bits;
    return reply;
}

#endif

/*
 * The lower side: the way to the component below.
 *
 * A request goes straight to the channel if nothing waits and none was sent
 * in this cycle, else into the miss queue, of which exactly `miss_queue`
 * places can be used.  So one request per cycle leaves, and callers must ask
 * cache_room() first; but a line that leaves for a fill has a place of its
 * own, one for each MSHR, and so has a line that is gated by its fill.  A fill
 * that waited for room could be what the levels below wait for before they
 * take another request.
 *
 * A request that goes by without an MSHR is remembered until its reply comes.
 *
 * Company.  With `join_sectors` a sector goes with the request that was sent
 * last if that is for other sectors of the same block, of the same instruction,
 * and has not left, or leaves in this cycle.  Its token says so, and its reply
 * is one for each of them: fetches are found by their sectors, requests without
 * an MSHR are a list.
 * Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_DOWN_H
#define COMPONENTS_CACHE_DOWN_H

#include "engine/component.h"

#include "components/mem_protocol.h"

#define CACHE_QUERIES 8 /* that may wait to be sent */

/* What a token sent downwards names. */
#define CACHE_TOKEN_PASSING 0x80000000u
#define CACHE_TOKEN_QUERY 0x40000000u
#define CACHE_TOKEN_JOINED 0x20000000u /* and others of its block */

/* A request sent on without an MSHR: whose it was above. */
struct cache_passing {
    uint32_t token, port, parent;
    uint32_t next; /* that went with it, + 1; 0: none */
    uint16_t src, reply_bits, size_bytes;
    uint8_t sectors;
    bool bypass;
};

/* What every tick asks comes first: a line of the host's caches. */
struct cache_down {
    _Alignas(64) uint32_t count;        /* requests in the queue */
    uint32_t miss_queue;                /* places that callers may use */
    uint32_t passing_used, queries_out; /* wait for replies */
    uint8_t query_count, query_head;
    loom_cycle sent_at; /* last cycle in which the channel was used */
    struct loom_channel *channel;
    uint32_t head, places; /* of the queue, a ring */
    struct loom_mem_request *queue;
    struct loom_mem_request *apart; /* [places] the queue of warm.c */
    struct cache_passing *passing;  /* [passing_entries + 1]: one for warm.c */
    uint32_t *passing_free; /* stack of them; of each, how far it is from its
                             * place in it, so zeros are all, in order */
    uint32_t passing_entries;
    bool joins;                      /* the parameter join_sectors */
    struct loom_mem_request *newest; /* that others may go with; or NULL */
    loom_cycle newest_at;            /* it left; LOOM_NEVER: not yet */
    struct loom_mem_request query[CACHE_QUERIES]; /* ring */
};

/* `places` in all, more than `miss_queue`.  False: no memory. */
bool cache_make_down(struct cache_down *d, struct loom_component *self,
                     uint32_t miss_queue, uint32_t places,
                     uint32_t passing_entries);

/* The channel takes a request without a queue. */
static LOOM_INLINE bool cache_at_once(const struct cache_down *d,
                                      loom_cycle now)
{
    return d->count == 0 && d->sent_at != now && loom_ready(d->channel, now);
}

/* Room for so many requests. */
static LOOM_INLINE bool cache_room(const struct cache_down *d,
                                   uint32_t requests, loom_cycle now)
{
    uint32_t room = d->miss_queue > d->count ? d->miss_queue - d->count : 0;

    return room >= requests || (room + 1 == requests && cache_at_once(d, now));
}

/* Where the next one is written. */
static LOOM_INLINE struct loom_mem_request *cache_push(struct cache_down *d,
                                                       loom_cycle now)
{
    uint32_t tail = d->head + d->count;

    if (cache_at_once(d, now)) {
        d->sent_at = now;
        return loom_send(d->channel, now, 0);
    }
    LOOM_CHECK(d->count < d->places);
    d->count++;
    return &d->queue[tail < d->places ? tail : tail - d->places];
}

/* The request that a sector like those of `r` goes with; NULL: none.  `names`:
 * what the token of such a request names. */
static LOOM_INLINE struct loom_mem_request *
cache_company(const struct cache_down *d, const struct loom_mem_request *r,
              enum loom_mem_kind kind, uint32_t names, loom_cycle now)
{
    struct loom_mem_request *m = d->newest;

    return m != NULL && (d->newest_at == LOOM_NEVER || d->newest_at == now) &&
                   m->block == r->block && m->origin == r->origin &&
                   m->sm == r->sm && m->kind == kind &&
                   m->bypassed == r->bypassed &&
                   (m->sectors & r->sectors) == 0 &&
                   (r->sectors & (r->sectors - 1u)) == 0 &&
                   (m->token & CACHE_TOKEN_PASSING) == names
               ? m
               : NULL;
}

/* Others may go with a request that has just been pushed, if it is for a
 * sector. */
static inline void cache_await_company(struct cache_down *d,
                                       struct loom_mem_request *m,
                                       loom_cycle now)
{
    bool sector = m->sectors != 0 && (m->sectors & (m->sectors - 1u)) == 0;

    d->newest = sector ? m : NULL;
    d->newest_at = d->count == 0 ? now : LOOM_NEVER;
}

/* The sectors of `r` go with `m`. */
static inline void cache_join(struct loom_mem_request *m,
                              const struct loom_mem_request *r)
{
    m->sectors |= r->sectors;
    m->size_bytes = (uint16_t)(m->size_bytes + LOOM_SECTOR_BYTES);
    m->token |= CACHE_TOKEN_JOINED;
    if (m->kind != LOOM_MEM_LOAD) {
        m->bytes[0] |= r->bytes[0];
        m->bytes[1] |= r->bytes[1];
    }
}

/* Is there something to be sent?  The channel may have no room for it. */
static LOOM_INLINE bool cache_has_to_send(const struct cache_down *d)
{
    return (d->count | d->query_count) != 0;
}

/* One of these leaves.  False: the channel has no room. */
bool cache_send_down(struct cache_down *d, loom_cycle now);
/* The same without the channel: *request is what would leave.  False: there is
 * nothing. */
bool cache_take_sent(struct cache_down *d, struct loom_mem_request *request);
/* Is there room for a request without an MSHR, or one that it goes with, and
 * for what is remembered of it? */
bool cache_can_pass(const struct cache_down *d,
                    const struct loom_mem_request *request, loom_cycle now);
/* Remembers one; returns its token. */
uint32_t cache_remember(struct cache_down *d,
                        const struct cache_passing *passing);
void cache_forget(struct cache_down *d, uint32_t number);
/* The request of one token goes with that of the other. */
void cache_follow(struct cache_down *d, uint32_t token, uint32_t first);
/* One of a list is answered: the next one takes its place.  False: there is
 * none. */
bool cache_forget_one(struct cache_down *d, uint32_t number, uint32_t before);
/* A query of a policy, like `request`, from component `src`.  False: as many
 * wait already as may. */
bool cache_query(struct cache_down *d, const struct loom_mem_request *request,
                 uint16_t src);

#endif

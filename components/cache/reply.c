/*
 * Replies to accesses, and to those who wait in an MSHR.
 */
#include "components/cache/reply.h"

#include "components/cache/tell.h"

LOOM_NOINLINE static void reply_and_tell(struct cache *c,
                                         const struct cache_item *item,
                                         uint8_t flags, uint16_t reply_bits,
                                         loom_cycle now, loom_cycle delay)
{
    const struct loom_mem_request *reply =
        cache_send_reply(&c->up, item, flags, reply_bits, now, delay);

    if (reply != NULL) {
        cache_tell_reply(c, reply, now);
    }
}

void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay)
{
    if (LOOM_UNLIKELY(!c->unobserved) &&
        loom_observed(&c->observers, LOOM_EVENT_REPLY)) {
        reply_and_tell(c, item, flags, reply_bits, now, delay);
    } else {
        cache_send_reply(&c->up, item, flags, reply_bits, now, delay);
    }
}

/* ---- who waits in an entry ---- */

/* A sector that waits without an item. */
static LOOM_INLINE void reply_sector(struct cache *c, struct cache_item *parent,
                                     uint32_t sector, uint16_t reply_bits,
                                     loom_cycle now)
{
    struct loom_mem_request *reply;
    bool last;

    if (LOOM_UNLIKELY(!c->unobserved || !c->up.split_each)) {
        struct cache_item item = *parent;

        cache_cut(parent, &item.request, sector);
        cache_reply(c, &item, 0, reply_bits, now, 0);
        return;
    }
    parent->missed = true;
    parent->reply_bits |= reply_bits;
    reply = loom_send(c->up.port[parent->port].up, now, 0);
    loom_mem_copy(reply, &parent->request);
    cache_cut(parent, reply, sector);
    last = cache_part_done(&c->up, parent);
    reply->flags =
        (uint8_t)((parent->flags & ~(uint32_t)LOOM_MEM_HIT) | LOOM_MEM_REPLY |
                  LOOM_MEM_PART | (last ? 0u : (uint32_t)LOOM_MEM_MORE));
    reply->reply_bits = reply_bits;
    c->up.replies++;
}

static bool answer_sector(struct cache *c, struct cache_mshr *m, loom_cycle now)
{
    struct cache_item *parent = &c->up.parent[m->parent];

    if (!loom_ready(c->up.port[parent->port].up, now)) {
        return false;
    }
    reply_sector(c, parent, m->sector, m->reply_bits, now);
    m->parent = CACHE_NONE;
    m->count--;
    return true;
}

static bool answer_item(struct cache *c, uint32_t entry, loom_cycle now)
{
    const struct cache_item *item =
        &c->mshrs.waiting[c->mshrs.entry[entry].first];

    if (!cache_may_reply(&c->up, item, now)) {
        return false;
    }
    cache_reply(c, item, 0, item->request.reply_bits, now, 0);
    cache_mshr_drop_first(&c->mshrs, entry);
    return true;
}

bool cache_answer_first(struct cache *c, uint32_t entry, loom_cycle now)
{
    struct cache_mshr *m = &c->mshrs.entry[entry];
    bool done = m->parent != CACHE_NONE ? answer_sector(c, m, now)
                                        : answer_item(c, entry, now);

    c->changes += done;
    return done;
}

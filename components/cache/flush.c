/*
 * Flushes: every line is dropped, what is dirty is written back.
 */
#include "components/cache/answers.h"
#include "components/cache/place.h"
#include "components/cache/reply.h"

/* Drops lines from flush_at on.  False: no room for what is written back. */
static bool drop_all(struct cache *c, const struct cache_item *item,
                     loom_cycle now)
{
    struct cache_access a = {.request = &item->request, .now = now};

    for (; c->flush_at < c->lines; c->flush_at++) {
        struct cache_victim victim = cache_victim_of(c, c->flush_at);

        if (!cache_occupied(c, c->flush_at)) {
            continue;
        }
        if (victim.dirty != 0 && !cache_room(c, 1, now)) {
            return false;
        }
        a.set = c->flush_at / c->ways;
        a.way = c->flush_at % c->ways;
        a.line = victim.line;
        cache_drop(c, &a, LOOM_EVICT_FLUSH);
        c->stats->flushed_lines++;
        if (victim.dirty != 0) {
            cache_write_back(c, &victim, now);
        }
    }
    return true;
}

enum cache_stall cache_flush(struct cache *c, const struct cache_item *item,
                             loom_cycle now)
{
    if (c->mshr_used != 0 || (c->banks > 1 && c->held > 1) ||
        !drop_all(c, item, now)) {
        return CACHE_STALL_FLUSH;
    }
    if (!cache_may_reply(c, item, now)) {
        return CACHE_STALL_REPLY;
    }
    if (LOOM_UNLIKELY(c->infinite)) {
        cache_forget_tags(c);
    }
    c->flush_at = 0;
    c->stats->flushes++;
    c->flushing = false;
    if ((item->request.flags & LOOM_MEM_RESIZE) != 0 && !c->infinite) {
        cache_resize(c, item->request.block);
    }
    cache_reply(c, item, 0, 0, now, 0);
    return CACHE_DONE;
}

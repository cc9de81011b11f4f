/*
 * Flushes: every line is dropped, what is dirty is written back.
 */
#include "components/cache/answers.h"
#include "components/cache/place.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"

/* Drops lines from flush_at on.  False: no room for what is written back. */
static bool drop_all(struct cache *c, const struct cache_item *item,
                     loom_cycle now)
{
    struct cache_access a = {.request = &item->request, .now = now};

    for (; c->flush_at < c->tags.lines; c->flush_at++) {
        struct cache_victim victim;

        if (!cache_occupied(&c->tags, c->flush_at)) {
            continue;
        }
        victim = cache_victim_of(&c->tags, c->flush_at);
        if (victim.dirty != 0 && !cache_room(&c->down, 1, now)) {
            return false;
        }
        a.set = c->flush_at / c->tags.ways;
        a.way = c->flush_at % c->tags.ways;
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
    if (c->mshrs.used != 0 || (c->pipe.banks > 1 && c->pipe.held > 1) ||
        !drop_all(c, item, now)) {
        return CACHE_STALL_FLUSH;
    }
    if (!cache_may_reply(&c->up, item, now)) {
        return CACHE_STALL_REPLY;
    }
    if (LOOM_UNLIKELY(c->tags.infinite)) {
        cache_forget_tags(&c->tags);
    }
    c->flush_at = 0;
    c->stats->flushes++;
    c->pipe.flushing = false;
    if ((item->request.flags & LOOM_MEM_RESIZE) != 0 && !c->tags.infinite) {
        cache_resize(&c->tags, item->request.block);
        c->stats->ways_used = c->tags.active;
        c->stats->resizes++;
    }
    cache_reply(c, item, 0, 0, now, 0);
    return CACHE_DONE;
}

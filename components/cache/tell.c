/*
 * Telling those who watch a cache.
 */
#include "components/cache/tell.h"

LOOM_NOINLINE void cache_tell_watchers(struct cache *c,
                                       enum loom_event_kind kind,
                                       const struct cache_access *a)
{
    const struct loom_mem_request *request = a->request;
    const struct loom_event event = {
        .now = a->now,
        .request = request,
        .block = a->line,
        .kind = kind,
        .cta = request->cta,
        .inst = request->inst,
        .set = a->set,
        .way = a->way,
        .warp = request->warp,
        .rank = request->rank,
        .scheduler = request->scheduler,
    };
    loom_observers_tell(&c->observers, &event);
}

LOOM_NOINLINE void cache_tell_watchers_evict(struct cache *c,
                                             const struct cache_access *a,
                                             loom_addr block,
                                             enum loom_evict_reason reason)
{
    const struct loom_mem_request *request = a->request;
    const struct loom_event event = {
        .now = a->now,
        .request = request,
        .block = block,
        .kind = LOOM_EVENT_EVICT,
        .cta = request->cta,
        .inst = request->inst,
        .set = a->set,
        .way = a->way,
        .warp = request->warp,
        .rank = request->rank,
        .scheduler = request->scheduler,
        .reason = (uint8_t)reason,
        .dirty = cache_line_of(&c->tags, a)->dirty != 0,
    };
    loom_observers_tell(&c->observers, &event);
}

static void tell_of(struct cache *c, enum loom_event_kind kind,
                    const struct loom_mem_request *r, loom_cycle now)
{
    struct cache_access a = {
        .request = r,
        .line = r->block,
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    cache_tell(c, kind, &a);
}

void cache_tell_reply(struct cache *c, const struct loom_mem_request *reply,
                      loom_cycle now)
{
    tell_of(c, LOOM_EVENT_REPLY, reply, now);
}

void cache_tell_sent(struct cache *c, const struct loom_mem_request *request,
                     loom_cycle now)
{
    tell_of(c, LOOM_EVENT_SEND, request, now);
}

LOOM_NOINLINE void cache_tell_fail(struct cache *c, const struct cache_wait *w,
                                   const struct loom_mem_request *r,
                                   loom_cycle now)
{
    struct loom_event event = {
        .now = now,
        .request = r,
        .block = r->block,
        .kind = LOOM_EVENT_RESERVATION_FAIL,
        .cta = r->cta,
        .inst = r->inst,
        .count = (uint32_t)(now - w->since + 1),
        .set = CACHE_NONE,
        .way = CACHE_NONE,
        .warp = r->warp,
        .rank = r->rank,
        .scheduler = r->scheduler,
        .reason = (uint8_t)w->reason,
    };

    loom_observers_tell(&c->observers, &event);
}

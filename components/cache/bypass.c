/*
 * Around the cache.
 *
 * A bypass is stored in the request: its level's bit says that it went
 * around, bypassed_by which policy said so.  It asks for no less than the
 * sectors that its instruction wants, and for more if the verdict's size
 * says so.
 */
#include "components/cache/cache_private.h"

/* `size` widened to what its sectors need and narrowed to the line. */
static uint8_t widen(const struct cache *c, uint8_t sectors, uint32_t size)
{
    uint32_t first = c->sector[sectors & 15].offset / LOOM_SECTOR_BYTES;
    uint32_t line = (uint32_t)c->expand[c->whole] << first;

    if (size <= loom_popcount(sectors) * LOOM_SECTOR_BYTES) {
        return sectors;
    }
    if (size == 64 && (sectors & 3) == 0) {
        return (uint8_t)(12 & line);
    }
    if (size == 64 && (sectors & 12) == 0) {
        return (uint8_t)(3 & line);
    }
    return (uint8_t)line;
}

void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by)
{
    request->bypassed |= (uint8_t)c->level;
    request->bypassed_by = (uint8_t)by;
    request->flags &= (uint8_t)~LOOM_MEM_MAY_MERGE;
    request->flags |= how->may_merge ? LOOM_MEM_MAY_MERGE : 0;
    if (request->kind == LOOM_MEM_LOAD) {
        request->sectors = widen(c, request->sectors, how->size_bytes);
        request->size_bytes =
            (uint16_t)(loom_popcount(request->sectors) * LOOM_SECTOR_BYTES);
    }
}

/* A bypass that may share an MSHR.  False: it goes by alone. */
static bool bypass_by_mshr(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (c->by_sector && loom_popcount(r->sectors) > 1) {
        return false; /* more than one entry */
    }
    entry = cache_mshr_find(c, a->key);
    if (entry != CACHE_NONE) {
        if (!cache_joins(c, &c->mshr[entry], r->sectors)) {
            return false;
        }
        cache_count(c, a, LOOM_EVENT_BYPASS);
    } else {
        if (c->mshr_used == c->mshr_entries || c->free_item == CACHE_NONE ||
            !cache_room(c, 1, a->now)) {
            return false;
        }
        cache_count(c, a, LOOM_EVENT_BYPASS);
        entry = cache_mshr_new(c, a);
        cache_fetch(c, r, entry, r->sectors, a->now);
    }
    cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    return true;
}

enum cache_stall cache_bypass(struct cache *c, struct cache_item *item,
                              loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct cache_access a = {
        .request = r,
        .item = item,
        .line = r->block + c->sector[r->sectors & 15].offset,
        .key = cache_key(c, r),
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    if (r->kind == LOOM_MEM_LOAD && (r->flags & LOOM_MEM_MAY_MERGE) != 0 &&
        bypass_by_mshr(c, &a)) {
        return CACHE_DONE;
    }
    if (!cache_can_pass(c, r, now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (r->kind < CACHE_KINDS) {
        cache_count(c, &a, LOOM_EVENT_BYPASS);
        cache_pass(c, item, cache_answer(c, r), true, now);
    } else {
        cache_pass(c, item, 0, true, now);
    }
    return CACHE_DONE;
}

/*
 * Around: requests that are not looked up here.
 */
#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"
#include "components/cache/tell.h"

enum cache_stall cache_answer_query(struct cache *c, struct cache_item *item,
                                    loom_cycle now)
{
    struct cache_access a = {
        .request = &item->request,
        .line = item->request.block,
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    if (!cache_may_reply(&c->up, item, now)) {
        return CACHE_STALL_REPLY;
    }
    c->stats->queries++;
    cache_tell(c, LOOM_EVENT_QUERY, &a);
    cache_reply(c, item, 0, cache_answer(c, &item->request), now, 0);
    return CACHE_DONE;
}

/* A bypass that may share an MSHR.  False: it goes by alone. */
static bool bypass_by_mshr(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (c->sectors.by_sector && loom_popcount(r->sectors) > 1) {
        return false; /* more than one entry */
    }
    entry = cache_mshr_find(&c->mshrs, a->key);
    if (entry != CACHE_NONE) {
        if (c->up.warm != NULL || /* has its reply at once */
            !cache_joins(&c->mshrs, entry, r->sectors)) {
            return false;
        }
        cache_count(c, a, LOOM_EVENT_BYPASS, false);
    } else {
        if (cache_no_mshr(&c->mshrs) || !cache_room(&c->down, 1, a->now)) {
            return false;
        }
        cache_count(c, a, LOOM_EVENT_BYPASS, false);
        entry = cache_mshr_new(c, a);
        cache_fetch(c, r, entry, r->sectors, a->now, false);
        cache_retry(c); /* a load of its line may join it */
    }
    cache_mshr_append(&c->mshrs, entry, a->item, cache_answer(c, r));
    return true;
}

enum cache_stall cache_bypass(struct cache *c, struct cache_item *item,
                              loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct cache_access a = {
        .request = r,
        .item = item,
        .line = r->block + cache_offset(&c->sectors, r->sectors),
        .key = cache_key(&c->sectors, r),
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    if (r->kind == LOOM_MEM_LOAD && (r->flags & LOOM_MEM_MAY_MERGE) != 0 &&
        bypass_by_mshr(c, &a)) {
        return CACHE_DONE;
    }
    if (!cache_can_pass(&c->down, r, now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (r->kind < CACHE_KINDS) {
        cache_count(c, &a, LOOM_EVENT_BYPASS, false);
        cache_pass(c, item, cache_answer(c, r), true, now);
    } else {
        cache_pass(c, item, 0, true, now);
    }
    return CACHE_DONE;
}

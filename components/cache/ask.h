/*
 * Decisions: what policies say of an access.  Nothing changes here but in the
 * policies themselves.  Only files in components/cache/ include this.
 *
 * In the order in which an access meets them (policies/cache_hook.h): admit
 * (does it go around?), allocation (does its miss get a line?), candidates
 * (which ways may it have?), replacement (which of them?); and allocation
 * again if it fails, and for the bits of its reply.
 */
#ifndef COMPONENTS_CACHE_ASK_H
#define COMPONENTS_CACHE_ASK_H

#include "components/cache/cache_types.h"

/* Number of the policy that said BYPASS, from 1; 0: nobody did. */
uint32_t cache_ask_admit(struct cache *c,
                         const struct loom_mem_request *request,
                         struct loom_bypass *how);
/* Does a request that is new here go around, and who says so? */
bool cache_goes_around(struct cache *c, const struct loom_mem_request *request,
                       struct loom_bypass *how, uint32_t *by);
/* Does a miss get a line?  If not, `how` is set for a load. */
bool cache_may_allocate(struct cache *c, const struct cache_access *a,
                        struct loom_bypass *how);
/* Does an access that failed go around the cache?  Number of the policy that
 * said so, from 1; 0: it waits. */
uint32_t cache_ask_fail(struct cache *c, const struct loom_mem_request *r,
                        enum cache_stall reason, struct loom_bypass *how);
uint16_t cache_ask_answer(struct cache *c, const struct loom_mem_request *r);

/* Bits of the reply to a request. */
static inline uint16_t cache_answer(struct cache *c,
                                    const struct loom_mem_request *r)
{
    return LOOM_UNLIKELY(c->answers) ? cache_ask_answer(c, r) : 0;
}

/* The ways that the access may have, or why there is none; CACHE_DONE without
 * a way: `bypass` says how it goes around. */
enum cache_stall cache_candidates(struct cache *c, struct cache_access *a,
                                  struct loom_ways *ways,
                                  struct loom_bypass *bypass);
/* One of these ways: the last empty one, or as the policy says. */
uint32_t cache_choose_of(struct cache *c, const struct cache_access *a,
                         const struct loom_ways *ways);
/* Both: a way for the access, or why there is none; CACHE_DONE with *way ==
 * CACHE_NONE: `bypass` says how it goes around. */
enum cache_stall cache_choose(struct cache *c, struct cache_access *a,
                              uint32_t *way, struct loom_bypass *bypass);
/* The victim for a request among some ways, a bit each, as the replacement
 * policy says it. */
uint32_t cache_ask_victim(struct cache *c, const struct loom_mem_request *r,
                          uint32_t set, uint32_t ways);

static LOOM_INLINE uint32_t cache_oldest_of(const struct cache *c, uint32_t set,
                                            uint32_t ways)
{
    const uint64_t *age = *c->hints.ages + cache_at(&c->tags, set, 0);
    uint64_t least = UINT64_MAX, oldest = 0;

    for (uint32_t way = 0; way < c->tags.active; way++) {
        uint64_t mine = age[way] | ((ways >> way & 1) - UINT64_C(1));
        bool older = mine < least;

        least = loom_choose(older, mine, least);
        oldest = loom_choose(older, way, oldest);
    }
    return (uint32_t)oldest;
}

/* The same where only the replacement policy has a say (`free_choice`): one of
 * these ways, a bit each. */
static LOOM_INLINE uint32_t cache_choose_free(struct cache *c,
                                              const struct loom_mem_request *r,
                                              uint32_t set, uint32_t ways)
{
    const struct cache_line *line = c->tags.line + cache_at(&c->tags, set, 0);
    uint32_t empty = 0, way;

    for (way = 0; way < c->tags.active; way++) {
        empty |= (uint32_t)(line[way].tag == 0) << way;
    }
    empty &= ways;
    if (empty != 0) {
        return loom_log2(empty);
    }
    way = LOOM_LIKELY(c->hints.ages != NULL)
              ? cache_oldest_of(c, set, ways)
              : cache_ask_victim(c, r, set, ways);
    LOOM_CHECK(way < c->tags.ways);
    return way;
}

/* The line is used. */
static LOOM_INLINE void cache_promote(struct cache *c,
                                      const struct loom_mem_request *request,
                                      uint32_t set, uint32_t way)
{
    uint32_t at = cache_at(&c->tags, set, way);

    if (at == c->used_at) {
        return;
    }
    c->used_at = c->hints.hits_once ? at : CACHE_NONE;
    if (c->replacement->hit != NULL) {
        c->replacement->hit(c->replacement_self, request, set, way);
    }
}

/* It is new in its way. */
static LOOM_INLINE void cache_inserted(struct cache *c,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    c->used_at = c->hints.hits_once ? cache_at(&c->tags, set, way) : CACHE_NONE;
    if (c->replacement->inserted != NULL) {
        c->replacement->inserted(c->replacement_self, request, set, way);
    }
}

#endif

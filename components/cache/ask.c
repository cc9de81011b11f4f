/*
 * Decisions: chains of policies, and which way is replaced.
 */
#include "components/cache/ask.h"

uint32_t cache_ask_admit(struct cache *c,
                         const struct loom_mem_request *request,
                         struct loom_bypass *how)
{
    for (uint32_t i = 0; i < c->admit.count; i++) {
        const struct loom_bound *bound = &c->admit.item[i];
        const struct loom_admit_ops *ops = bound->ops;

        *how = (struct loom_bypass){request->size_bytes, false};
        switch (ops->admit(bound->policy, request, how)) {
        case LOOM_ADMIT_DEFAULT:
            break;
        case LOOM_ADMIT_LOOKUP:
            return 0;
        case LOOM_ADMIT_BYPASS:
            return i + 1;
        }
    }
    return 0;
}

bool cache_goes_around(struct cache *c, const struct loom_mem_request *request,
                       struct loom_bypass *how, uint32_t *by)
{
    *by = 0;
    if (request->kind == LOOM_MEM_ATOMIC && c->write != CACHE_WRITE_BACK) {
        return true; /* atomics are done where lines are written back */
    }
    if (loom_chain(&c->admit) == 0 || request->kind >= CACHE_KINDS) {
        return false;
    }
    *by = cache_ask_admit(c, request, how);
    return *by != 0;
}

bool cache_may_allocate(struct cache *c, const struct cache_access *a,
                        struct loom_bypass *how)
{
    for (uint32_t i = 0; i < loom_chain(&c->allocation); i++) {
        const struct loom_bound *bound = &c->allocation.item[i];
        const struct loom_allocation_ops *ops = bound->ops;
        enum loom_allocate verdict = LOOM_ALLOCATE_DEFAULT;

        *how = (struct loom_bypass){LOOM_SECTOR_BYTES, true};
        if (ops->allocate != NULL) {
            verdict = ops->allocate(bound->policy, a->request, a->set, how);
        }
        if (verdict != LOOM_ALLOCATE_DEFAULT) {
            return verdict == LOOM_ALLOCATE;
        }
    }
    return true;
}

uint32_t cache_ask_fail(struct cache *c, const struct loom_mem_request *r,
                        enum cache_stall reason, struct loom_bypass *how)
{
    for (uint32_t i = 0; i < loom_chain(&c->allocation); i++) {
        const struct loom_bound *bound = &c->allocation.item[i];
        const struct loom_allocation_ops *ops = bound->ops;
        enum loom_on_fail verdict = LOOM_FAIL_DEFAULT;

        *how = (struct loom_bypass){r->size_bytes, false};
        if (ops->fail != NULL) {
            verdict =
                ops->fail(bound->policy, r, (enum loom_fail_reason)reason, how);
        }
        if (verdict != LOOM_FAIL_DEFAULT) {
            return verdict == LOOM_FAIL_BYPASS ? i + 1 : 0;
        }
    }
    return 0;
}

uint16_t cache_ask_answer(struct cache *c, const struct loom_mem_request *r)
{
    uint16_t bits = 0;

    for (uint32_t i = 0; i < c->allocation.count; i++) {
        const struct loom_bound *bound = &c->allocation.item[i];
        const struct loom_allocation_ops *ops = bound->ops;

        if (ops->answer != NULL) {
            bits |= ops->answer(bound->policy, r);
        }
    }
    return bits;
}

/* ---- a way ---- */

static enum loom_no_candidate ask_empty(struct cache *c, struct cache_access *a,
                                        struct loom_bypass *bypass)
{
    for (uint32_t i = 0; i < loom_chain(&c->candidates); i++) {
        const struct loom_bound *bound = &c->candidates.item[i];
        const struct loom_candidates_ops *ops = bound->ops;
        enum loom_no_candidate verdict =
            ops->empty == NULL
                ? LOOM_EMPTY_DEFAULT
                : ops->empty(bound->policy, a->request, a->set, bypass);

        if (verdict != LOOM_EMPTY_DEFAULT) {
            c->empty_by = i + 1;
            return verdict;
        }
    }
    return LOOM_EMPTY_ANY;
}

/* Lets the chain remove ways; CACHE_DONE with none left: go around. */
LOOM_NOINLINE static enum cache_stall restrict_ways(struct cache *c,
                                                    struct cache_access *a,
                                                    struct loom_ways *ways,
                                                    struct loom_bypass *bypass)
{
    for (uint32_t i = 0; i < loom_chain(&c->candidates) && ways->count != 0;
         i++) {
        const struct loom_bound *bound = &c->candidates.item[i];
        const struct loom_candidates_ops *ops = bound->ops;

        ops->restrict_ways(bound->policy, a->request, a->set, ways);
    }
    if (ways->count == 0) {
        switch (a->forced ? LOOM_EMPTY_ANY : ask_empty(c, a, bypass)) {
        case LOOM_EMPTY_BYPASS:
            break;
        case LOOM_EMPTY_STALL:
            return (enum cache_stall)LOOM_FAIL_CANDIDATES;
        case LOOM_EMPTY_DEFAULT:
        case LOOM_EMPTY_ANY:
            *ways = cache_unreserved(&c->tags, a->set, ways->way);
            break;
        }
    }
    return CACHE_DONE;
}

/* Leaves modified lines alone until they are write_ratio percent of all
 * (GPGPU-Sim 4, -gpgpu_l1_cache_write_ratio).  There a set of modified lines
 * has no candidate until other sets have more of them, which may never be;
 * here they are candidates where nothing else is. */
static void spare_modified(struct cache *c, uint32_t set,
                           struct loom_ways *ways)
{
    const struct cache_line *line = c->tags.line + cache_at(&c->tags, set, 0);
    uint32_t kept = 0;

    if ((uint64_t)c->tags.modified * 100 >=
        (uint64_t)c->config->write_ratio * c->tags.sets * c->tags.active) {
        return;
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        kept += line[ways->way[i]].written == 0;
    }
    if (kept == 0) {
        c->stats->ratio_exceptions++;
        return;
    }
    kept = 0;
    for (uint32_t i = 0; i < ways->count; i++) {
        if (line[ways->way[i]].written == 0) {
            ways->way[kept++] = ways->way[i];
        }
    }
    ways->count = kept;
}

enum cache_stall cache_candidates(struct cache *c, struct cache_access *a,
                                  struct loom_ways *ways,
                                  struct loom_bypass *bypass)
{
    *ways = cache_unreserved(&c->tags, a->set, ways->way);
    if (ways->count == 0) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if (c->spares) {
        spare_modified(c, a->set, ways);
    }
    return loom_chain(&c->candidates) != 0 ? restrict_ways(c, a, ways, bypass)
                                           : CACHE_DONE;
}

uint32_t cache_choose_of(struct cache *c, const struct cache_access *a,
                         const struct loom_ways *ways)
{
    const struct cache_line *line =
        c->tags.line + cache_at(&c->tags, a->set, 0);
    uint32_t way;

    for (uint32_t i = ways->count; i-- > 0;) {
        if (line[ways->way[i]].tag == 0) {
            return ways->way[i];
        }
    }
    way = c->replacement->victim(c->replacement_self, a->request, a->set, ways);
    LOOM_CHECK(way < c->tags.ways && line[way].pending == 0);
    return way;
}

enum cache_stall cache_choose(struct cache *c, struct cache_access *a,
                              uint32_t *way, struct loom_bypass *bypass)
{
    struct loom_ways ways = {c->ways_left, 0};
    enum cache_stall stall;

    if (LOOM_UNLIKELY(c->tags.infinite)) {
        *way = cache_probe(&c->tags, a->line);
        return CACHE_DONE;
    }
    *way = CACHE_NONE;
    if (c->free_choice) {
        uint32_t free = cache_free_ways(&c->tags, a->set);

        *way = free != 0 ? cache_choose_free(c, a->request, a->set, free)
                         : CACHE_NONE;
        return free != 0 ? CACHE_DONE : (enum cache_stall)LOOM_FAIL_LINE;
    }
    stall = cache_candidates(c, a, &ways, bypass);
    if (stall == CACHE_DONE && ways.count != 0) {
        *way = cache_choose_of(c, a, &ways);
    }
    return stall;
}

LOOM_NOINLINE uint32_t cache_ask_victim(struct cache *c,
                                        const struct loom_mem_request *r,
                                        uint32_t set, uint32_t ways)
{
    uint16_t room[CACHE_WAYS];
    struct loom_ways list = {room, 0};

    for (; ways != 0; ways &= ways - 1) {
        room[list.count++] = (uint16_t)loom_lowest(ways);
    }
    return c->replacement->victim(c->replacement_self, r, set, &list);
}

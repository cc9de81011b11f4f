/*
 * The load of a cache in which no policy has a say and nobody watches: most
 * loads of most runs.  What access.c does in steps, each of which may be asked
 * for something, is done straight, in the same order and with the same
 * outcome.  What is not usual, a pending hit or a block on its way, takes the
 * steps of access.c: nothing has changed until then.
 */
#include "components/cache/access.h"
#include "components/cache/ask.h"
#include "components/cache/pipe.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"

/* A load, and where its line is. */
struct load {
    const struct cache_item *item;
    struct cache_bank *bank;
    loom_cycle now;
    loom_addr line, key;
    uint32_t set, way;
    uint8_t need, first; /* sectors of the line; where it begins in the block */
};

static LOOM_INLINE void count(struct cache *c, uint64_t *by_kind,
                              const struct loom_mem_request *r)
{
    by_kind[LOOM_MEM_LOAD]++;
    if (c->level == LOOM_LEVEL_L1) {
        c->rank[r->warp % CACHE_RANKS] = r->rank;
    }
}

static LOOM_INLINE enum cache_stall load_hit(struct cache *c,
                                             const struct load *l)
{
    const struct loom_mem_request *r = &l->item->request;

    if (!cache_may_reply(c, l->item, l->now)) {
        return CACHE_STALL_REPLY;
    }
    count(c, c->stats->hits_by_kind, r);
    cache_promote(c, r, l->set, l->way);
    cache_occupy(c, l->bank, r->size_bytes, l->now);
    cache_reply(c, l->item, LOOM_MEM_HIT, 0, l->now, 0);
    return CACHE_DONE;
}

static LOOM_INLINE uint32_t oldest_of(const struct cache *c,
                                      const struct load *l, uint32_t ways)
{
    const uint64_t *age = *c->ages + cache_at(c, l->set, 0);
    uint64_t least = UINT64_MAX, oldest = 0;

    for (uint32_t way = 0; way < c->active; way++) {
        uint64_t mine = age[way] | ((ways >> way & 1) - UINT64_C(1));
        bool older = mine < least;

        least = loom_choose(older, mine, least);
        oldest = loom_choose(older, way, oldest);
    }
    return (uint32_t)oldest;
}

/* The way to be replaced, one of `ways`: the last empty one, or as the policy
 * says. */
static LOOM_INLINE uint32_t victim_of(struct cache *c, const struct load *l,
                                      uint32_t ways)
{
    const struct cache_line *line = c->line + cache_at(c, l->set, 0);
    uint32_t empty = 0;

    for (uint32_t way = 0; way < c->active; way++) {
        empty |= (uint32_t)(line[way].tag == 0) << way;
    }
    empty &= ways;
    if (empty != 0) {
        return loom_log2(empty);
    }
    return LOOM_LIKELY(c->ages != NULL)
               ? oldest_of(c, l, ways)
               : cache_ask_victim(c, &l->item->request, l->set, ways);
}

static LOOM_INLINE uint32_t take_mshr(struct cache *c, const struct load *l,
                                      uint32_t way, uint8_t sectors)
{
    bool brief = c->brief && l->item->parent != CACHE_NONE;
    uint32_t waiting = brief ? CACHE_NONE : cache_keep(c, l->item, 0);

    return cache_mshr_take(
        c,
        &(struct cache_mshr){
            .line = l->line,
            .key = l->key,
            .first = waiting,
            .last = waiting,
            .count = 1,
            .outstanding = 1,
            .set = l->set,
            .way = way,
            .parent = brief ? l->item->parent : CACHE_NONE,
            .sector = (uint8_t)loom_lowest(l->item->request.sectors),
            .sectors = sectors,
            .whole = (uint8_t)(c->expand[c->whole] << l->first),
            .fill = true,
        },
        l->now);
}

static LOOM_INLINE void fetch(struct cache *c, const struct load *l,
                              uint32_t way, uint8_t missing)
{
    uint8_t sectors = (uint8_t)(c->expand[missing] << l->first);
    uint32_t entry = take_mshr(c, l, way, sectors);
    struct loom_mem_request *m = cache_push(c, l->now);

    loom_mem_copy_load(m, &l->item->request);
    m->src = c->id;
    m->token = entry;
    m->sectors = sectors;
    m->size_bytes = (uint16_t)(loom_popcount(sectors) * LOOM_SECTOR_BYTES);
    m->reply_bits = 0;
    c->stats->fetches++;
    c->stats->fetched_bytes += m->size_bytes;
}

/* The line gets `way`, which another one may have. */
static LOOM_INLINE void give_way(struct cache *c, const struct load *l,
                                 uint32_t way)
{
    struct cache_line *line = &c->line[cache_at(c, l->set, way)];
    struct cache_victim victim = {0};

    if (line->dirty != 0) {
        victim = cache_victim_of(c, cache_at(c, l->set, way));
    }
    c->stats->evictions += line->tag != 0 && line->tag != (l->line | 1);
    line->tag = l->line | 1;
    cache_empty_line(c, cache_at(c, l->set, way));
    line->pending |= l->need;
    cache_inserted(c, &l->item->request, l->set, way);
    fetch(c, l, way, l->need);
    if (LOOM_UNLIKELY(victim.dirty != 0)) {
        cache_write_back(c, &victim, l->now);
        cache_occupy(c, l->bank, c->line_bytes, l->now);
    }
}

static LOOM_INLINE enum cache_stall miss_without_line(struct cache *c,
                                                      const struct load *l)
{
    uint32_t way = CACHE_NONE, ways = 0;

    if (!c->on_fill) {
        ways = cache_free_ways(c, l->set);
        if (ways == 0) {
            return (enum cache_stall)LOOM_FAIL_LINE;
        }
    }
    if (cache_no_mshr(c)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, 1, l->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (!c->on_fill) {
        way = victim_of(c, l, ways);
        LOOM_CHECK(way < c->ways);
        if (c->line[cache_at(c, l->set, way)].dirty != 0 &&
            !cache_room(c, 2, l->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
    }
    count(c, c->stats->misses_by_kind, &l->item->request);
    if (way != CACHE_NONE) {
        give_way(c, l, way);
    } else {
        fetch(c, l, way, l->need);
    }
    return CACHE_DONE;
}

/* The line is there, but not all of its sectors. */
static LOOM_INLINE enum cache_stall miss_in_line(struct cache *c,
                                                 const struct load *l)
{
    struct cache_line *line = &c->line[cache_at(c, l->set, l->way)];
    uint8_t missing = (uint8_t)(l->need & ~(uint32_t)line->valid);

    if (cache_no_mshr(c)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, 1, l->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    count(c, c->stats->misses_by_kind, &l->item->request);
    c->stats->partial_fetches += (missing & line->written) != 0;
    if (LOOM_UNLIKELY((line->valid | line->pending | line->written) == 0)) {
        give_way(c, l, l->way);
        return CACHE_DONE;
    }
    c->stats->sector_misses++;
    line->pending |= missing;
    cache_promote(c, &l->item->request, l->set, l->way);
    fetch(c, l, l->way, missing);
    return CACHE_DONE;
}

enum cache_stall cache_serve_load(struct cache *c, struct cache_bank *bank,
                                  struct cache_item *item, loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    const struct cache_sector *s = &c->sector[r->sectors & 15];
    struct load l = {.item = item,
                     .bank = bank,
                     .now = now,
                     .line = r->block + s->first * (loom_addr)LOOM_SECTOR_BYTES,
                     .need = s->mask,
                     .first = s->first};
    uint32_t missing = l.need;

    if (LOOM_UNLIKELY(bank->data_free > now || s->spans)) {
        return cache_serve(c, bank, item, false, now);
    }
    l.key = cache_key(c, r);
    l.set = cache_look(c, l.line, &l.way);
    bank->set = l.set;
    bank->load = true;
    if (l.way != CACHE_NONE) {
        const struct cache_line *line = &c->line[cache_at(c, l.set, l.way)];

        if ((missing &= ~(uint32_t)line->valid) == 0) {
            return load_hit(c, &l);
        }
        missing &= ~(uint32_t)line->pending;
    }
    if (missing == 0 || cache_mshr_find(c, l.key) != CACHE_NONE) {
        return cache_serve(c, bank, item, false, now);
    }
    return l.way == CACHE_NONE ? miss_without_line(c, &l) : miss_in_line(c, &l);
}

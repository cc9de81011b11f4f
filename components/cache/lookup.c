/*
 * One access: the questions, the outcome, and what follows from it.
 *
 * Everything that can refuse an access is asked before anything changes, so
 * an access that must wait has left no trace and can be tried again.
 *
 * MSHRs first: an access whose block is already on its way joins the entry
 * and asks nobody whether to allocate.  A load that finds its tag gone but
 * the entry still draining (the line was evicted in between) joins it as a
 * pending hit and takes no way: in GPGPU-Sim it reserves one that nobody
 * will ever fill.  Writes and other sectors wait until it has drained.
 *
 * Of most loads no policy has a say and nobody watches.  What is done for
 * others in steps, each of which may be asked for something, is done for them
 * straight, in the same order and with the same outcome (cache_serve_load).
 * What is not usual, a pending hit or a block on its way, takes the steps as
 * long as nothing has changed.
 */
#include "components/cache/cache_inline.h"

static LOOM_INLINE void locate(struct cache *c, struct cache_bank *bank,
                               struct cache_item *item, loom_cycle now,
                               struct cache_access *a)
{
    const struct loom_mem_request *r = &item->request;
    const struct cache_sector *s = &c->sector[r->sectors & 15];
    struct loom_error err;

    if (LOOM_UNLIKELY(s->spans)) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "an access to %u bytes spans lines of %u bytes; lines may "
                  "not become shorter on the way to memory",
                  r->size_bytes, c->line_bytes);
        loom_fail_at(&err, loom_component_path(c->self));
        loom_raise(c->self, &err);
    }
    a->request = r;
    a->item = item;
    a->bank = bank;
    a->line = r->block + s->first * (loom_addr)LOOM_SECTOR_BYTES;
    a->now = now;
    a->set = cache_look(c, a->line, &a->way);
    a->need = s->mask;
    a->load = r->kind == LOOM_MEM_LOAD;
    bank->set = a->set;
    bank->load = a->load;
    a->keeps =
        !a->load && (c->write == CACHE_WRITE_BACK ||
                     (c->local_write_back && r->space == LOOM_SPACE_LOCAL));
    a->forced = false;
}

void cache_count_miss(struct cache *c, const struct cache_access *a)
{
    if (a->way != CACHE_NONE) {
        const struct cache_line *line = cache_line_of(c, a);

        c->stats->sector_misses +=
            (line->valid | line->pending | line->written) != 0;
    }
    cache_count(c, a, LOOM_EVENT_MISS);
}

/* A write that is sent on whatever it finds. */
static bool goes_on(const struct cache *c, const struct cache_access *a)
{
    return !a->load && (!a->keeps || (c->write_miss == CACHE_WRITE_ALLOCATE &&
                                      a->request->kind != LOOM_MEM_ATOMIC));
}

/* Sends a write on; it is counted already. */
static void send_write_on(struct cache *c, const struct cache_access *a)
{
    cache_pass(c, a->item, cache_answer(c, a->request), false, a->now);
}

/* ---- hits ---- */

static enum cache_stall hit(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    struct cache_line *line = cache_line_of(c, a);
    loom_cycle delay = 0;

    if (!a->load && !a->keeps) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count(c, a, LOOM_EVENT_HIT);
        cache_promote(c, a->request, a->set, a->way);
        send_write_on(c, a);
        if (c->write == CACHE_WRITE_THROUGH) {
            cache_modify(c, a, false);
        }
        if (c->write == CACHE_WRITE_EVICT && line->pending == 0) {
            cache_drop_written(c, a);
        } else {
            cache_power(c, LOOM_EVENT_HIT, a);
        }
        return CACHE_DONE;
    }
    if (r->kind != LOOM_MEM_WRITEBACK &&
        !loom_ready(c->port[cache_port_of(c, a->item)].up, a->now)) {
        return CACHE_STALL_REPLY;
    }
    if (LOOM_UNLIKELY(!c->plain) && c->power != NULL) {
        if ((line->dirty != 0 || !a->load) && !cache_room(c, 1, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        delay = line->power == LOOM_LINE_DROWSY || c->asleep
                    ? c->config->wake_cycles
                    : 0;
    }
    cache_count(c, a, LOOM_EVENT_HIT);
    cache_promote(c, a->request, a->set, a->way);
    if (!a->load) {
        cache_modify(c, a, true);
    }
    cache_occupy(c, a->bank, r->size_bytes, a->now);
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, LOOM_MEM_HIT, cache_answer(c, r), a->now,
                    delay);
    }
    cache_power(c, LOOM_EVENT_HIT, a);
    return CACHE_DONE;
}

static enum cache_stall pending_hit(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (goes_on(c, a)) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count(c, a, LOOM_EVENT_PENDING_HIT);
        cache_promote(c, a->request, a->set, a->way);
        send_write_on(c, a);
        cache_power(c, LOOM_EVENT_PENDING_HIT, a);
        return CACHE_DONE;
    }
    entry = cache_mshr_find(c, a->key);
    LOOM_CHECK(entry != CACHE_NONE && !c->mshr[entry].ready);
    if (r->kind != LOOM_MEM_WRITEBACK && !cache_joins(c, &c->mshr[entry], 0)) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    cache_count(c, a, LOOM_EVENT_PENDING_HIT);
    cache_promote(c, a->request, a->set, a->way);
    if (!a->load) {
        c->mshr[entry].dirty |= a->need;
    }
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    }
    cache_power(c, LOOM_EVENT_PENDING_HIT, a);
    return CACHE_DONE;
}

/* ---- misses ---- */

uint8_t cache_wanted(const struct cache *c, const struct cache_access *a,
                     uint8_t mask)
{
    const struct cache_sector *s = &c->sector[a->request->sectors & 15];

    return (uint8_t)(c->expand[mask] << s->first);
}

/* Does the write bring all bytes of its sectors? */
static bool covers(const struct cache *c, const struct cache_access *a)
{
    const uint64_t *bytes = a->request->bytes;
    uint32_t sectors = cache_wanted(c, a, a->need);

    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0 &&
            (uint32_t)(bytes[i / 2] >> (32 * (i % 2))) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* The access is a miss that gets a line: a->way now, or when its data comes.
 * `present`: the way that had its tag already. */
static void allocate(struct cache *c, struct cache_access *a, bool fetch,
                     uint32_t present)
{
    const struct loom_mem_request *r = a->request;
    uint32_t way = a->way;
    uint32_t entry;

    a->way = present; /* what a miss has to say of a way */
    cache_count_miss(c, a);
    if (fetch && present != CACHE_NONE) {
        const struct cache_line *line = cache_line_of(c, a);

        c->stats->partial_fetches +=
            (a->need & line->written & (uint8_t)~line->valid) != 0;
    }
    a->way = way;
    if (fetch) {
        entry = cache_mshr_new(c, a);
        a->entry = entry;
        c->mshr[entry].fill = true;
        c->mshr[entry].dirty = a->load ? 0 : a->need;
        if (r->kind != LOOM_MEM_WRITEBACK) {
            cache_mshr_append(c, entry, a->item, cache_answer(c, r));
        }
        if (way == CACHE_NONE) {
            cache_fetch(c, r, entry, cache_wanted(c, a, a->need), a->now);
        }
    }
    if (way != CACHE_NONE) {
        cache_reserve(c, a, fetch);
    }
    if (!fetch && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, 0, cache_answer(c, r), a->now, 0);
    }
}

enum cache_stall cache_means(struct cache *c, const struct cache_access *a,
                             bool fetches, uint32_t room)
{
    if (fetches && cache_no_mshr(c)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return !fetches && a->request->kind != LOOM_MEM_WRITEBACK &&
                   !loom_ready(c->port[cache_port_of(c, a->item)].up, a->now)
               ? CACHE_STALL_REPLY
               : CACHE_DONE;
}

static enum cache_stall miss(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t present = a->way;
    uint32_t entry = cache_mshr_find(c, a->key);
    enum cache_stall stall;
    bool fetch, line_now;
    uint32_t room;

    if (!a->load && r->kind != LOOM_MEM_ATOMIC) {
        if (c->write_miss == CACHE_NO_ALLOCATE ||
            (c->write != CACHE_WRITE_BACK && !c->through_allocates)) {
            return cache_miss_without_line(c, a);
        }
        if (c->write_miss == CACHE_WRITE_ALLOCATE) {
            return cache_write_and_fetch(c, a, entry);
        }
    }
    if (entry != CACHE_NONE) {
        return cache_merge(c, a, entry);
    }
    if (!cache_may_allocate(c, a) && r->kind != LOOM_MEM_ATOMIC) {
        return cache_miss_without_line(c, a);
    }
    fetch = a->load || r->kind == LOOM_MEM_ATOMIC ||
            c->write_miss != CACHE_VALIDATE || !covers(c, a);
    line_now = (!fetch || !c->on_fill) && present == CACHE_NONE;
    room = (fetch ? 1u : 0u) + (c->power != NULL ? 1u : 0u);
    stall = line_now ? cache_way_and_means(c, a, fetch, room)
                     : cache_means(c, a, fetch, room);
    if (stall != CACHE_DONE || (line_now && a->way == CACHE_NONE)) {
        return stall;
    }
    allocate(c, a, fetch, present);
    return CACHE_DONE;
}

/* ---- entry ---- */

static enum cache_stall look_up(struct cache *c, struct cache_access *a)
{
    const struct cache_line *line;
    uint32_t missing;

    if (!a->load && c->bytes != NULL && a->request->kind != LOOM_MEM_ATOMIC) {
        return cache_lazy_write(c, a);
    }
    if (a->way == CACHE_NONE) {
        a->key = cache_key(c, a->request);
        return miss(c, a);
    }
    line = cache_line_of(c, a);
    missing = a->need & ~(uint32_t)line->valid;
    if (missing == 0) {
        return hit(c, a);
    }
    a->key = cache_key(c, a->request);
    return (missing & ~(uint32_t)line->pending) == 0 ? pending_hit(c, a)
                                                     : miss(c, a);
}

enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now)
{
    struct loom_mem_request *r = &item->request;
    struct cache_access a;
    enum cache_stall stall;

    if (LOOM_UNLIKELY(r->kind >= CACHE_KINDS)) {
        return r->kind == LOOM_MEM_FLUSH ? cache_flush(c, item, now)
                                         : cache_answer_query(c, item, now);
    }
    if (again && c->asks_admit && (r->bypassed & c->level) == 0) {
        struct loom_bypass how;
        uint32_t by = cache_ask_admit(c, r, &how);

        if (by != 0) {
            cache_mark_bypass(c, r, &how, by);
        }
    }
    if ((r->bypassed & c->level) != 0) {
        return cache_bypass(c, item, now);
    }
    if (bank->data_free > now) {
        return CACHE_STALL_DATA_PORT;
    }
    locate(c, bank, item, now, &a);
    stall = look_up(c, &a);
    if ((uint32_t)stall < LOOM_FAIL_REASONS && c->fails &&
        cache_fails_over(c, item, stall)) {
        return cache_bypass(c, item, now);
    }
    return stall;
}

/* ---- the usual load ---- */

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

    if (!loom_ready(c->port[cache_port_of(c, l->item)].up, l->now)) {
        return CACHE_STALL_REPLY;
    }
    count(c, c->stats->hits_by_kind, r);
    cache_promote(c, r, l->set, l->way);
    cache_occupy(c, l->bank, r->size_bytes, l->now);
    cache_reply(c, l->item, LOOM_MEM_HIT, 0, l->now, 0);
    return CACHE_DONE;
}

/* Ways of the load's set that are not reserved: a bit each.  Which they are,
 * and which of them is the oldest, follows no pattern that the host could
 * guess, so there are no branches. */
static LOOM_INLINE uint32_t unreserved(const struct cache *c,
                                       const struct load *l)
{
    const struct cache_line *line = c->line + cache_at(c, l->set, 0);
    uint32_t ways = 0;

    for (uint32_t way = 0; way < c->active; way++) {
        ways |= (uint32_t)(line[way].pending == 0) << way;
    }
    return ways;
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

static LOOM_NOINLINE uint32_t ask_victim(struct cache *c, const struct load *l,
                                         uint32_t rest)
{
    uint16_t room[CACHE_WAYS];
    struct loom_ways ways = {room, 0};

    for (; rest != 0; rest &= rest - 1) {
        room[ways.count++] = (uint16_t)loom_lowest(rest);
    }
    return c->replacement->victim(c->replacement_self, &l->item->request,
                                  l->set, &ways);
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
    return LOOM_LIKELY(c->ages != NULL) ? oldest_of(c, l, ways)
                                        : ask_victim(c, l, ways);
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
        ways = unreserved(c, l);
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

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
 */
#include "components/cache/cache_private.h"

static void locate(struct cache *c, struct cache_item *item, loom_cycle now,
                   struct cache_access *a)
{
    const struct loom_mem_request *r = &item->request;
    const struct cache_sector *s = &c->sector[r->sectors & 15];
    struct loom_error err;

    if (LOOM_UNLIKELY(s->spans)) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "an access to %u bytes spans lines of %u bytes",
                  r->size_bytes, c->line_bytes);
        loom_raise(c->self, &err);
    }
    a->request = r;
    a->item = item;
    a->line = r->block + s->offset;
    a->now = now;
    a->set = cache_set_of(c, a->line);
    a->way = cache_find(c, a->set, a->line);
    a->need = s->mask;
    a->load = r->kind == LOOM_MEM_LOAD;
    a->keeps = c->write == CACHE_WRITE_BACK ||
               (c->config->local_write_back && r->space == LOOM_SPACE_LOCAL);
    a->forced = false;
}

static void promote(struct cache *c, const struct cache_access *a)
{
    if (c->replacement->hit != NULL) {
        c->replacement->hit(c->replacement_self, a->request, a->set, a->way);
    }
}

static void occupy_data_port(struct cache *c, uint32_t bytes, loom_cycle now)
{
    uint32_t cycles = (bytes + c->config->data_port_bytes - 1) >> c->data_shift;

    if (cycles > 1) {
        c->data_free = now + cycles;
    }
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
        promote(c, a);
        send_write_on(c, a);
        if (c->write == CACHE_WRITE_EVICT && line->pending == 0) {
            c->stats->write_evictions++;
            cache_drop(c, a, LOOM_EVICT_WRITE);
        } else {
            cache_power(c, LOOM_EVENT_HIT, a);
        }
        return CACHE_DONE;
    }
    if (r->kind != LOOM_MEM_WRITEBACK &&
        !loom_ready(c->up[a->item->port], a->now)) {
        return CACHE_STALL_REPLY;
    }
    if (c->power != NULL) {
        if (!cache_room(c, 1, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        delay = line->power == LOOM_LINE_DROWSY ? c->config->wake_cycles : 0;
    }
    cache_count(c, a, LOOM_EVENT_HIT);
    promote(c, a);
    if (!a->load) {
        line->dirty |= a->need;
    }
    occupy_data_port(c, r->size_bytes, a->now);
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

    if (!a->load && !a->keeps) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count(c, a, LOOM_EVENT_PENDING_HIT);
        promote(c, a);
        send_write_on(c, a);
        cache_power(c, LOOM_EVENT_PENDING_HIT, a);
        return CACHE_DONE;
    }
    entry = cache_mshr_find(c, a->line);
    LOOM_CHECK(entry != CACHE_NONE && !c->mshr[entry].ready);
    if (r->kind != LOOM_MEM_WRITEBACK && !cache_joins(c, &c->mshr[entry], 0)) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    cache_count(c, a, LOOM_EVENT_PENDING_HIT);
    promote(c, a);
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

/* Sectors of the block that `mask` of the access's line stands for. */
static uint8_t wanted(const struct cache *c, const struct cache_access *a,
                      uint8_t mask)
{
    const struct cache_sector *s = &c->sector[a->request->sectors & 15];

    return (uint8_t)(c->expand[mask] << (s->offset / LOOM_SECTOR_BYTES));
}

/* The block has an entry. */
static enum cache_stall merge(struct cache *c, struct cache_access *a,
                              uint32_t entry)
{
    const struct loom_mem_request *r = a->request;
    struct cache_mshr *m = &c->mshr[entry];
    uint8_t all = m->fill ? wanted(c, a, a->need) : r->sectors;
    uint8_t more = (uint8_t)(all & ~m->sectors);

    if (!cache_joins(c, m, 0) || (!a->load && (m->ready || !m->fill)) ||
        (m->ready && (more != 0 || a->way != CACHE_NONE))) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    if (more != 0 && !cache_room(c, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    cache_count(c, a, m->ready ? LOOM_EVENT_PENDING_HIT : LOOM_EVENT_MISS);
    if (more != 0) {
        cache_fetch(c, r, entry, more, a->now);
        if (m->way != CACHE_NONE) {
            c->line[cache_at(c, m->set, m->way)].pending |=
                c->sector[more].mask;
        }
    }
    if (!a->load) {
        m->dirty |= a->need;
    }
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    }
    return CACHE_DONE;
}

/* Goes down without a line: a write of a cache that does not allocate on
 * writes, or the verdict NO_ALLOCATE. */
static enum cache_stall miss_without_line(struct cache *c,
                                          struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (!a->load) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count(c, a, LOOM_EVENT_MISS);
        send_write_on(c, a);
        return CACHE_DONE;
    }
    if (c->mshr_used == c->config->mshr_entries || c->free_item == CACHE_NONE) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    a->way = CACHE_NONE;
    c->stats->unallocated_misses++;
    cache_count(c, a, LOOM_EVENT_MISS);
    entry = cache_mshr_new(c, a);
    cache_fetch(c, r, entry, r->sectors, a->now);
    cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    return CACHE_DONE;
}

static bool may_allocate(struct cache *c, const struct cache_access *a)
{
    for (uint32_t i = 0; i < c->allocation.count; i++) {
        const struct loom_bound *bound = &c->allocation.item[i];
        const struct loom_allocation_ops *ops = bound->ops;
        enum loom_allocate verdict =
            ops->allocate == NULL
                ? LOOM_ALLOCATE_DEFAULT
                : ops->allocate(bound->policy, a->request, a->set);

        if (verdict != LOOM_ALLOCATE_DEFAULT) {
            return verdict == LOOM_ALLOCATE;
        }
    }
    return true;
}

/* Does the write bring all bytes of its sectors? */
static bool covers(const struct cache *c, const struct cache_access *a)
{
    const uint64_t *bytes = a->request->bytes;
    uint32_t sectors = wanted(c, a, a->need);

    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0 &&
            (uint32_t)(bytes[i / 2] >> (32 * (i % 2))) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* A line of its own in a->way, which is chosen.  `fetch`: the data comes
 * from below; otherwise the write brought it all. */
static void reserve(struct cache *c, struct cache_access *a, bool fetch)
{
    uint32_t at = cache_at(c, a->set, a->way);
    bool present = c->tag[at] == (a->line | 1) && c->line[at].valid != 0;
    uint8_t missing = a->need & (uint8_t) ~(present ? c->line[at].valid : 0);
    loom_addr victim = 0;
    uint8_t dirty = 0;

    if (!present) {
        dirty = cache_install(c, a, &victim);
    }
    if (fetch) {
        c->line[at].pending |= missing;
    } else {
        c->line[at].valid |= a->need;
        c->line[at].dirty |= a->need;
    }
    if (!present) {
        cache_tell(c, LOOM_EVENT_ALLOCATE, a);
        if (c->replacement->inserted != NULL) {
            c->replacement->inserted(c->replacement_self, a->request, a->set,
                                     a->way);
        }
    } else {
        promote(c, a);
    }
    if (fetch) {
        uint32_t entry = cache_mshr_find(c, a->line);

        c->mshr[entry].way = a->way;
        cache_fetch(c, a->request, entry, wanted(c, a, missing), a->now);
    }
    if (dirty != 0) {
        cache_write_back(c, victim, dirty, a->now);
        occupy_data_port(c, c->line_bytes, a->now);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
}

/* A way for the access in a->way, asked only once everything else is there.
 * CACHE_DONE with a->way CACHE_NONE: it has gone around. */
static enum cache_stall choose(struct cache *c, struct cache_access *a,
                               uint32_t room)
{
    struct loom_bypass how = {a->request->size_bytes, false};
    enum cache_stall stall = cache_choose(c, a, &a->way, &how);

    if (stall != CACHE_DONE) {
        return stall;
    }
    if (a->way == CACHE_NONE) {
        cache_mark_bypass(c, &a->item->request, &how, c->empty_by);
        return cache_bypass(c, a->item, a->now);
    }
    if (cache_line_of(c, a)->dirty != 0 && !cache_room(c, room + 1, a->now)) {
        a->way = CACHE_NONE;
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return CACHE_DONE;
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
    cache_count(c, a, LOOM_EVENT_MISS);
    a->way = way;
    if (fetch) {
        entry = cache_mshr_new(c, a);
        c->mshr[entry].fill = true;
        c->mshr[entry].dirty = a->load ? 0 : a->need;
        if (r->kind != LOOM_MEM_WRITEBACK) {
            cache_mshr_append(c, entry, a->item, cache_answer(c, r));
        }
        if (way == CACHE_NONE) {
            cache_fetch(c, r, entry, wanted(c, a, a->need), a->now);
        }
    }
    if (way != CACHE_NONE) {
        reserve(c, a, fetch);
    }
    if (!fetch && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, 0, cache_answer(c, r), a->now, 0);
    }
}

static enum cache_stall miss(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t present = a->way;
    uint32_t entry = cache_mshr_find(c, a->line);
    bool fetch, line_now;
    uint32_t room;

    if (!a->load && c->write != CACHE_WRITE_BACK) {
        return miss_without_line(c, a);
    }
    if (entry != CACHE_NONE) {
        return merge(c, a, entry);
    }
    if (!may_allocate(c, a) && r->kind != LOOM_MEM_ATOMIC) {
        return miss_without_line(c, a);
    }
    fetch =
        a->load || r->kind == LOOM_MEM_ATOMIC || !c->validate || !covers(c, a);
    line_now = !fetch || !c->on_fill || present != CACHE_NONE;
    room = (fetch ? 1u : 0u) + (c->power != NULL ? 1u : 0u);
    if (line_now && present == CACHE_NONE && cache_all_reserved(c, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if (fetch && (c->mshr_used == c->config->mshr_entries ||
                  c->free_item == CACHE_NONE)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (!fetch && r->kind != LOOM_MEM_WRITEBACK &&
        !loom_ready(c->up[a->item->port], a->now)) {
        return CACHE_STALL_REPLY;
    }
    if (line_now && present == CACHE_NONE) {
        enum cache_stall stall = choose(c, a, room);

        if (stall != CACHE_DONE || a->way == CACHE_NONE) {
            return stall;
        }
    }
    allocate(c, a, fetch, present);
    return CACHE_DONE;
}

/* ---- entry ---- */

static enum cache_stall query(struct cache *c, struct cache_item *item,
                              loom_cycle now)
{
    struct cache_access a = {
        .request = &item->request,
        .line = item->request.block,
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    if (!loom_ready(c->up[item->port], now)) {
        return CACHE_STALL_REPLY;
    }
    c->stats->queries++;
    cache_tell(c, LOOM_EVENT_QUERY, &a);
    cache_reply(c, item, 0, cache_answer(c, &item->request), now, 0);
    return CACHE_DONE;
}

static enum cache_stall flush(struct cache *c, struct cache_item *item,
                              loom_cycle now)
{
    struct cache_access a = {.request = &item->request, .now = now};

    if (c->mshr_used != 0) {
        return CACHE_STALL_FLUSH;
    }
    for (; c->flush_at < c->lines; c->flush_at++) {
        const struct cache_line *line = &c->line[c->flush_at];
        uint8_t dirty = line->dirty;

        if (c->tag[c->flush_at] == 0) {
            continue;
        }
        if (dirty != 0 && !cache_room(c, 1, now)) {
            return CACHE_STALL_FLUSH;
        }
        a.set = c->flush_at / c->ways;
        a.way = c->flush_at % c->ways;
        a.line = c->tag[c->flush_at] & ~(loom_addr)1;
        cache_drop(c, &a, LOOM_EVICT_FLUSH);
        c->stats->flushed_lines++;
        if (dirty != 0) {
            cache_write_back(c, a.line, dirty, now);
        }
    }
    if (!loom_ready(c->up[item->port], now)) {
        return CACHE_STALL_REPLY;
    }
    c->flush_at = 0;
    c->stats->flushes++;
    cache_reply(c, item, 0, 0, now, 0);
    return CACHE_DONE;
}

static enum cache_stall look_up(struct cache *c, struct cache_access *a)
{
    const struct cache_line *line;
    uint32_t missing;

    if (a->way == CACHE_NONE) {
        return miss(c, a);
    }
    line = cache_line_of(c, a);
    missing = a->need & ~(uint32_t)line->valid;
    if (missing == 0) {
        return hit(c, a);
    }
    return (missing & ~(uint32_t)line->pending) == 0 ? pending_hit(c, a)
                                                     : miss(c, a);
}

/* The chain may send an access that failed around the cache. */
static bool fails_over(struct cache *c, struct cache_item *item,
                       enum cache_stall reason)
{
    for (uint32_t i = 0; i < c->allocation.count; i++) {
        const struct loom_bound *bound = &c->allocation.item[i];
        const struct loom_allocation_ops *ops = bound->ops;
        struct loom_bypass how = {item->request.size_bytes, false};
        enum loom_on_fail verdict =
            ops->fail == NULL ? LOOM_FAIL_DEFAULT
                              : ops->fail(bound->policy, &item->request,
                                          (enum loom_fail_reason)reason, &how);

        if (verdict != LOOM_FAIL_DEFAULT) {
            if (verdict == LOOM_FAIL_BYPASS) {
                cache_mark_bypass(c, &item->request, &how, i + 1);
            }
            return verdict == LOOM_FAIL_BYPASS;
        }
    }
    return false;
}

enum cache_stall cache_serve(struct cache *c, struct cache_item *item,
                             bool again, loom_cycle now)
{
    struct loom_mem_request *r = &item->request;
    struct cache_access a;
    enum cache_stall stall;

    if (LOOM_UNLIKELY(r->kind >= CACHE_KINDS)) {
        return r->kind == LOOM_MEM_FLUSH ? flush(c, item, now)
                                         : query(c, item, now);
    }
    if (again && c->admit.count != 0 && (r->bypassed & c->level) == 0) {
        struct loom_bypass how;
        uint32_t by = cache_ask_admit(c, r, &how);

        if (by != 0) {
            cache_mark_bypass(c, r, &how, by);
        }
    }
    if ((r->bypassed & c->level) != 0) {
        return cache_bypass(c, item, now);
    }
    if (c->data_free > now) {
        return CACHE_STALL_DATA_PORT;
    }
    locate(c, item, now, &a);
    stall = look_up(c, &a);
    if ((uint32_t)stall < LOOM_FAIL_REASONS && c->fails &&
        fails_over(c, item, stall)) {
        return cache_bypass(c, item, now);
    }
    return stall;
}

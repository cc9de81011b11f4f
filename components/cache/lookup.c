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

/* The set of the access's line, and the way that holds it.  A set is a
 * function of the line alone (policies/cache_hook.h). */
static LOOM_INLINE void find(struct cache *c, struct cache_access *a)
{
    if (a->line != c->near_line) {
        c->near_line = a->line;
        c->near_set = cache_set_of(c, a->line);
        c->near_way = 0;
    }
    a->set = c->near_set;
    a->way = c->near_way;
    if (cache_line_of(c, a)->tag != (a->line | 1)) {
        a->way = cache_find(c, a->set, a->line);
        c->near_way = a->way != CACHE_NONE ? a->way : 0;
    }
}

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
    find(c, a);
    a->need = s->mask;
    a->load = r->kind == LOOM_MEM_LOAD;
    bank->set = a->set;
    bank->load = a->load;
    a->keeps =
        !a->load && (c->write == CACHE_WRITE_BACK ||
                     (c->local_write_back && r->space == LOOM_SPACE_LOCAL));
    a->forced = false;
}

void cache_promote(struct cache *c, const struct cache_access *a)
{
    uint32_t at = cache_at(c, a->set, a->way);

    if (at == c->used_at) {
        return;
    }
    c->used_at = c->replacement->hits_once ? at : CACHE_NONE;
    if (c->replacement->hit != NULL) {
        c->replacement->hit(c->replacement_self, a->request, a->set, a->way);
    }
}

void cache_occupy(struct cache *c, const struct cache_access *a, uint32_t bytes)
{
    uint32_t cycles = (bytes + (1u << c->data_shift) - 1) >> c->data_shift;

    if (cycles > 1) {
        a->bank->data_free = a->now + cycles;
    }
}

void cache_modify(struct cache *c, const struct cache_access *a, bool dirty)
{
    uint32_t at = cache_at(c, a->set, a->way);

    c->line[at].dirty |= dirty ? a->need : 0;
    cache_note_written(c, at, a->need);
    if (LOOM_LIKELY(c->bytes == NULL)) {
        return;
    }
    if (a->request->kind == LOOM_MEM_ATOMIC) { /* of sectors that are whole */
        cache_sector_bytes(cache_wanted(c, a, a->need), c->bytes[at]);
        return;
    }
    c->bytes[at][0] |= a->request->bytes[0];
    c->bytes[at][1] |= a->request->bytes[1];
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
        cache_promote(c, a);
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
        !loom_ready(c->port[a->item->port].up, a->now)) {
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
    cache_promote(c, a);
    if (!a->load) {
        cache_modify(c, a, true);
    }
    cache_occupy(c, a, r->size_bytes);
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
        cache_promote(c, a);
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
    cache_promote(c, a);
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

/* The block has an entry. */
static enum cache_stall merge(struct cache *c, struct cache_access *a,
                              uint32_t entry)
{
    const struct loom_mem_request *r = a->request;
    struct cache_mshr *m = &c->mshr[entry];
    uint8_t all = m->fill ? cache_wanted(c, a, a->need) : r->sectors;
    uint8_t more = (uint8_t)(all & ~m->sectors);

    if (!cache_joins(c, m, 0) || (!a->load && (m->ready || !m->fill)) ||
        (m->ready && (more != 0 || a->way != CACHE_NONE))) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    if (more != 0 && !cache_room(c, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (m->ready) {
        cache_count(c, a, LOOM_EVENT_PENDING_HIT);
    } else {
        cache_count_miss(c, a);
    }
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

enum cache_stall cache_miss_without_line(struct cache *c,
                                         struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (!a->load) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count_miss(c, a);
        send_write_on(c, a);
        return CACHE_DONE;
    }
    if (c->mshr_used == c->mshr_entries || c->free_item == CACHE_NONE) {
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

bool cache_may_allocate(struct cache *c, const struct cache_access *a)
{
    for (uint32_t i = 0; i < loom_chain(&c->allocation); i++) {
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
    uint32_t sectors = cache_wanted(c, a, a->need);

    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0 &&
            (uint32_t)(bytes[i / 2] >> (32 * (i % 2))) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* Puts the line in a->way, where it may be already. */
static bool place(struct cache *c, const struct cache_access *a,
                  struct cache_victim *victim)
{
    uint32_t at = cache_at(c, a->set, a->way);
    const struct cache_line *line = &c->line[at];

    if (line->tag == (a->line | 1) &&
        (line->valid | line->pending | line->written) != 0) {
        return true;
    }
    cache_install(c, a, victim);
    return false;
}

void cache_settle_line(struct cache *c, const struct cache_access *a,
                       bool present)
{
    if (present) {
        cache_promote(c, a);
        return;
    }
    cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    c->used_at =
        c->replacement->hits_once ? cache_at(c, a->set, a->way) : CACHE_NONE;
    if (c->replacement->inserted != NULL) {
        c->replacement->inserted(c->replacement_self, a->request, a->set,
                                 a->way);
    }
}

void cache_reserve(struct cache *c, struct cache_access *a, bool fetch)
{
    uint32_t at = cache_at(c, a->set, a->way);
    struct cache_victim victim = {0};
    bool present = place(c, a, &victim);
    uint8_t missing = a->need & (uint8_t)~c->line[at].valid;

    if (fetch) {
        c->line[at].pending |= missing;
    } else {
        c->line[at].valid |= a->need;
        cache_modify(c, a, true);
    }
    cache_settle_line(c, a, present);
    if (fetch) {
        c->mshr[a->entry].way = a->way;
        cache_fetch(c, a->request, a->entry, cache_wanted(c, a, missing),
                    a->now);
    }
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(c, a, c->line_bytes);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
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
    if (fetches &&
        (c->mshr_used == c->mshr_entries || c->free_item == CACHE_NONE)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return !fetches && a->request->kind != LOOM_MEM_WRITEBACK &&
                   !loom_ready(c->port[a->item->port].up, a->now)
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
        return merge(c, a, entry);
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

    if (!loom_ready(c->port[item->port].up, now)) {
        return CACHE_STALL_REPLY;
    }
    c->stats->queries++;
    cache_tell(c, LOOM_EVENT_QUERY, &a);
    cache_reply(c, item, 0, cache_answer(c, &item->request), now, 0);
    return CACHE_DONE;
}

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

/* The chain may send an access that failed around the cache. */
static bool fails_over(struct cache *c, struct cache_item *item,
                       enum cache_stall reason)
{
    for (uint32_t i = 0; i < loom_chain(&c->allocation); i++) {
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

enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now)
{
    struct loom_mem_request *r = &item->request;
    struct cache_access a;
    enum cache_stall stall;

    if (LOOM_UNLIKELY(r->kind >= CACHE_KINDS)) {
        return r->kind == LOOM_MEM_FLUSH ? cache_flush(c, item, now)
                                         : query(c, item, now);
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
        fails_over(c, item, stall)) {
        return cache_bypass(c, item, now);
    }
    return stall;
}

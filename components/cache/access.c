/*
 * One access: the questions, the outcome, and what follows from it.
 *
 * MSHRs first: an access whose block is already on its way joins the entry
 * and asks nobody whether to allocate.  A load that finds its tag gone but
 * the entry still draining (the line was evicted in between) joins it as a
 * pending hit and takes no way: in GPGPU-Sim it reserves one that nobody
 * will ever fill.  Writes and other sectors wait until it has drained.
 */
#include "components/cache/access.h"

#include "components/cache/answers.h"
#include "components/cache/miss.h"

static LOOM_INLINE void locate(struct cache *c, struct cache_bank *bank,
                               struct cache_item *item, loom_cycle now,
                               struct cache_access *a, bool quiet)
{
    const struct loom_mem_request *r = &item->request;
    const struct cache_sector *s = &c->sectors.of[r->sectors & 15];
    struct loom_error err;

    if (LOOM_UNLIKELY(s->spans)) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "an access to %u bytes spans lines of %u bytes; lines may "
                  "not become shorter on the way to memory",
                  r->size_bytes, c->tags.line_bytes);
        loom_fail_at(&err, loom_component_path(c->self));
        loom_raise(c->self, &err);
    }
    a->request = r;
    a->item = item;
    a->bank = bank;
    a->line = r->block + s->first * (loom_addr)LOOM_SECTOR_BYTES;
    a->now = now;
    a->set = cache_look(&c->tags, a->line, &a->way);
    a->need = s->mask;
    a->load = quiet || r->kind == LOOM_MEM_LOAD;
    bank->set = a->set;
    bank->load = a->load;
    a->keeps =
        !a->load && (c->write == CACHE_WRITE_BACK ||
                     (c->local_write_back && r->space == LOOM_SPACE_LOCAL));
    a->forced = false;
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

/* A write that finds its line and is sent on. */
static enum cache_stall write_hit(struct cache *c, struct cache_access *a)
{
    const struct cache_line *line = cache_line_of(&c->tags, a);

    if (!cache_can_pass(&c->down, a->request, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    cache_count(c, a, LOOM_EVENT_HIT, false);
    cache_promote(c, a->request, a->set, a->way);
    send_write_on(c, a);
    if (c->write == CACHE_WRITE_THROUGH) {
        cache_modify(&c->tags, &c->sectors, a, false);
    }
    if (c->write == CACHE_WRITE_EVICT && line->pending == 0) {
        cache_drop_written(c, a);
    } else {
        cache_power(c, LOOM_EVENT_HIT, a);
    }
    return CACHE_DONE;
}

/* What the state of its line adds to a hit; false: it must be written back
 * first, and there is no room. */
static bool may_wake(const struct cache *c, const struct cache_access *a,
                     loom_cycle *delay)
{
    const struct cache_line *line = cache_line_of(&c->tags, a);

    *delay = line->power == LOOM_LINE_DROWSY || c->asleep
                 ? c->config->wake_cycles
                 : 0;
    return (line->dirty == 0 && a->load) || cache_room(&c->down, 1, a->now);
}

static LOOM_INLINE enum cache_stall hit(struct cache *c, struct cache_access *a,
                                        bool quiet)
{
    const struct loom_mem_request *r = a->request;
    loom_cycle delay = 0;

    if (!a->load && !a->keeps) {
        return write_hit(c, a);
    }
    if ((quiet || r->kind != LOOM_MEM_WRITEBACK) &&
        !cache_may_reply(&c->up, a->item, a->now)) {
        return CACHE_STALL_REPLY;
    }
    if (!quiet && c->power != NULL && !may_wake(c, a, &delay)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    cache_count(c, a, LOOM_EVENT_HIT, quiet);
    cache_promote(c, r, a->set, a->way);
    if (!a->load) {
        cache_modify(&c->tags, &c->sectors, a, true);
    }
    cache_occupy(&c->pipe, a->bank, r->size_bytes, a->now);
    if (quiet || r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, LOOM_MEM_HIT, quiet ? 0 : cache_answer(c, r),
                    a->now, delay);
    }
    if (!quiet) {
        cache_power(c, LOOM_EVENT_HIT, a);
    }
    return CACHE_DONE;
}

static LOOM_NOINLINE enum cache_stall pending_hit(struct cache *c,
                                                  struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (goes_on(c, a)) {
        if (!cache_can_pass(&c->down, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count(c, a, LOOM_EVENT_PENDING_HIT, false);
        cache_promote(c, a->request, a->set, a->way);
        send_write_on(c, a);
        cache_power(c, LOOM_EVENT_PENDING_HIT, a);
        return CACHE_DONE;
    }
    entry = cache_mshr_find(&c->mshrs, a->key);
    LOOM_CHECK(entry != CACHE_NONE && !c->mshrs.entry[entry].ready);
    if (r->kind != LOOM_MEM_WRITEBACK && !cache_joins(&c->mshrs, entry, 0)) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    cache_count(c, a, LOOM_EVENT_PENDING_HIT, false);
    cache_promote(c, a->request, a->set, a->way);
    if (!a->load) {
        c->mshrs.entry[entry].dirty |= a->need;
    }
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(&c->mshrs, entry, a->item, cache_answer(c, r));
    }
    cache_power(c, LOOM_EVENT_PENDING_HIT, a);
    return CACHE_DONE;
}

/* A copy, so that `a` may stay in registers. */
static enum cache_stall pending(struct cache *c, const struct cache_access *a)
{
    struct cache_access copy = *a;

    return pending_hit(c, &copy);
}

static enum cache_stall join(struct cache *c, const struct cache_access *a,
                             uint32_t entry)
{
    struct cache_access copy = *a;

    return cache_merge(c, &copy, entry);
}

/* Must the data of a miss come from below? */
static LOOM_INLINE bool fetches(const struct cache *c,
                                const struct cache_access *a)
{
    return a->load || a->request->kind == LOOM_MEM_ATOMIC ||
           c->write_miss != CACHE_VALIDATE ||
           !cache_covers(&c->sectors, a->request, a->need);
}

static LOOM_INLINE enum cache_stall miss(struct cache *c,
                                         struct cache_access *a, bool quiet)
{
    const struct loom_mem_request *r = a->request;
    uint32_t present = a->way;
    uint32_t entry = cache_mshr_find(&c->mshrs, a->key);
    struct loom_bypass how;
    enum cache_stall stall;
    bool fetch, line_now;
    uint32_t room;

    if (!a->load && r->kind != LOOM_MEM_ATOMIC) {
        if (c->write_miss == CACHE_NO_ALLOCATE ||
            (c->write != CACHE_WRITE_BACK && !c->through_allocates)) {
            return cache_write_without_line(c, a);
        }
        if (c->write_miss == CACHE_WRITE_ALLOCATE) {
            return cache_write_and_fetch(c, a, entry);
        }
    }
    if (entry != CACHE_NONE) {
        return join(c, a, entry);
    }
    if (!quiet && !cache_may_allocate(c, a, &how) &&
        r->kind != LOOM_MEM_ATOMIC) {
        return a->load ? cache_load_without_line(c, a, &how)
                       : cache_write_without_line(c, a);
    }
    fetch = fetches(c, a);
    line_now = (!fetch || !c->on_fill) && present == CACHE_NONE;
    room = (fetch ? 1u : 0u) + (!quiet && c->power != NULL ? 1u : 0u);
    stall = line_now ? cache_way_and_means(c, a, fetch, room, quiet)
                     : cache_means(c, a, fetch, room);
    if (stall != CACHE_DONE || (!quiet && line_now && a->way == CACHE_NONE)) {
        return stall;
    }
    cache_allocate(c, a, fetch, present, quiet);
    return CACHE_DONE;
}

static LOOM_INLINE enum cache_stall look_up(struct cache *c,
                                            struct cache_access *a, bool quiet)
{
    const struct cache_line *line;
    uint32_t missing;

    if (!a->load && c->tags.bytes != NULL &&
        a->request->kind != LOOM_MEM_ATOMIC) {
        return cache_lazy_write(c, a);
    }
    a->key = cache_key(&c->sectors, a->request);
    if (a->way == CACHE_NONE) {
        return miss(c, a, quiet);
    }
    line = cache_line_of(&c->tags, a);
    missing = a->need & ~(uint32_t)line->valid;
    if (missing == 0) {
        return hit(c, a, quiet);
    }
    return (missing & ~(uint32_t)line->pending) == 0 ? pending(c, a)
                                                     : miss(c, a, quiet);
}

/* One that the bank's unit does: it has an interval. */
static LOOM_NOINLINE enum cache_stall look_up_atomic(struct cache *c,
                                                     struct cache_access *a)
{
    loom_cycle free = cache_unit_free(a->bank, a->request);
    enum cache_stall stall;

    if (free > a->now) {
        a->bank->data_free = free;
        return CACHE_STALL_DATA_PORT;
    }
    stall = look_up(c, a, false);
    if (stall == CACHE_DONE) {
        cache_unit_take(&c->pipe, a->bank, a->request, a->now);
    }
    return stall;
}

/* An access that is not sent around.  `quiet`, a constant: a load, and neither
 * is anybody but the replacement policy asked about it, nor anybody told of
 * it, so that all of this is left out. */
static LOOM_INLINE enum cache_stall serve_here(struct cache *c,
                                               struct cache_bank *bank,
                                               struct cache_item *item,
                                               loom_cycle now, bool quiet)
{
    struct cache_access a;

    if (bank->data_free > now) {
        return CACHE_STALL_DATA_PORT;
    }
    locate(c, bank, item, now, &a, quiet);
    if (!quiet && LOOM_UNLIKELY(a.request->kind == LOOM_MEM_ATOMIC) &&
        (c->pipe.unit_interval | c->pipe.unit_real) != 0) {
        return look_up_atomic(c, &a);
    }
    return look_up(c, &a, quiet);
}

enum cache_stall cache_serve_load(struct cache *c, struct cache_bank *bank,
                                  struct cache_item *item, loom_cycle now)
{
    return serve_here(c, bank, item, now, true);
}

enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now)
{
    struct loom_mem_request *r = &item->request;
    struct loom_bypass how;
    enum cache_stall stall;
    uint32_t by;

    if (LOOM_UNLIKELY(r->kind >= CACHE_KINDS)) {
        return r->kind == LOOM_MEM_FLUSH ? cache_flush(c, item, now)
                                         : cache_answer_query(c, item, now);
    }
    if (again && c->asks_admit && (r->bypassed & c->level) == 0) {
        by = cache_ask_admit(c, r, &how);
        if (by != 0) {
            cache_mark_bypass(c, r, &how, by);
        }
    }
    if ((r->bypassed & c->level) != 0) {
        return cache_bypass(c, item, now);
    }
    stall = serve_here(c, bank, item, now, false);
    if ((uint32_t)stall >= LOOM_FAIL_REASONS || !c->fails) {
        return stall;
    }
    by = cache_ask_fail(c, r, stall, &how);
    if (by == 0) {
        return stall;
    }
    cache_mark_bypass(c, r, &how, by);
    return cache_bypass(c, item, now);
}

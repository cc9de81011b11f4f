/*
 * The upper side: what policies say of a request, requests that go around the
 * cache or are served sector by sector, and replies.
 *
 * A bypass is stored in the request: its level's bit says that it went
 * around, bypassed_by which policy said so.  It asks for no less than the
 * sectors that its instruction wants, and for more if the verdict's size
 * says so.
 *
 * A request for several sectors becomes one access for each, in ascending
 * order, one per access that the cache takes in a cycle (GPGPU-Sim 4 breaks a
 * request up at the memory partition, and its L2 answers each sector by a
 * reply of its own).  A parent remembers how many are not answered: each
 * sector's reply is sent as a part, or one reply when the last is there.
 */
#include "components/cache/cache_inline.h"

/* ---- what policies say, and are told ---- */

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

bool cache_fails_over(struct cache *c, struct cache_item *item,
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

    if (!loom_ready(c->port[cache_port_of(c, item)].up, now)) {
        return CACHE_STALL_REPLY;
    }
    c->stats->queries++;
    cache_tell(c, LOOM_EVENT_QUERY, &a);
    cache_reply(c, item, 0, cache_answer(c, &item->request), now, 0);
    return CACHE_DONE;
}

/* ---- around ---- */

/* `size` widened to what its sectors need and narrowed to the line. */
static uint8_t widen(const struct cache *c, uint8_t sectors, uint32_t size)
{
    uint32_t line = cache_line_sectors(c, sectors);

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
        cache_retry(c); /* a load of its line may join it */
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
        .line = r->block + cache_offset(c, r->sectors),
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

/* ---- banks, sectors and replies ---- */

struct cache_bank *cache_bank_of(const struct cache *c,
                                 const struct loom_mem_request *r,
                                 uint8_t sectors)
{
    loom_addr at = r->block + (sectors == 0 ? 0
                                            : (loom_addr)loom_lowest(sectors) *
                                                  LOOM_SECTOR_BYTES);
    loom_addr number;

    if (r->kind == LOOM_MEM_FLUSH) {
        return &c->bank[0];
    }
    number = at >> c->bank_shift;
    if (c->bank_fold != 0) {
        number ^= number >> c->bank_fold;
    }
    return &c->bank[number & (c->banks - 1)];
}

void cache_split(struct cache *c, const struct loom_mem_request *r,
                 uint32_t port)
{
    uint32_t number = c->parent_free;
    uint32_t sectors = loom_popcount(r->sectors & 15u);
    struct cache_item *p = &c->parent[number];

    LOOM_DEBUG_CHECK(c->parents_used < c->parents);
    c->parents_used++;
    c->parent_free = p->next;
    loom_mem_copy(&p->request, r);
    p->parent = number;
    p->size_bytes = r->size_bytes;
    p->reply_bits = 0;
    p->port = (uint8_t)port;
    p->sectors = r->sectors;
    p->left = (uint8_t)sectors;
    p->missed = false;
    if (r->kind != LOOM_MEM_LOAD) {
        p->bytes[0] = r->bytes[0];
        p->bytes[1] = r->bytes[1];
    }
    p->flags = r->flags;
    p->bypassed = r->bypassed;
    p->bypassed_by = r->bypassed_by;
    c->split_left = r->sectors & 15u;
    c->split_parent = number;
    c->stats->split_requests++;
}

bool cache_part_done(struct cache *c, struct cache_item *parent)
{
    if (--parent->left != 0) {
        return false;
    }
    parent->next = c->parent_free;
    c->parent_free = parent->parent;
    c->parents_used--;
    return true;
}

static void tell_reply(struct cache *c, const struct loom_mem_request *reply,
                       loom_cycle now)
{
    struct cache_access a = {
        .request = reply,
        .line = reply->block,
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    cache_tell(c, LOOM_EVENT_REPLY, &a);
}

static LOOM_INLINE struct loom_mem_request *put(struct cache *c,
                                                const struct cache_item *item,
                                                loom_cycle now,
                                                loom_cycle delay)
{
    struct loom_mem_request *reply =
        loom_send(c->port[cache_port_of(c, item)].up, now, delay);

    loom_mem_copy(reply, &item->request);
    c->stats->replies++;
    return reply;
}

/* All sectors of a request are answered, by one reply. */
static struct loom_mem_request *put_whole(struct cache *c,
                                          const struct cache_item *item,
                                          uint32_t flags, loom_cycle now,
                                          loom_cycle delay)
{
    const struct cache_item *p = &c->parent[item->parent];
    struct loom_mem_request *reply = put(c, item, now, delay);

    reply->flags =
        (uint8_t)(p->missed ? flags & ~(uint32_t)LOOM_MEM_HIT : flags);
    reply->reply_bits = p->reply_bits;
    reply->sectors = p->sectors;
    reply->size_bytes = p->size_bytes;
    if (reply->kind != LOOM_MEM_LOAD) {
        reply->bytes[0] = p->bytes[0];
        reply->bytes[1] = p->bytes[1];
    }
    return reply;
}

static LOOM_INLINE struct loom_mem_request *
reply_with(struct cache *c, const struct cache_item *item, uint8_t flags,
           uint16_t reply_bits, loom_cycle now, loom_cycle delay)
{
    uint32_t all = (item->request.flags & ~(uint32_t)LOOM_MEM_HIT) |
                   LOOM_MEM_REPLY | flags;
    struct loom_mem_request *reply;

    if (cache_parent_of(c, item) != CACHE_NONE) { /* of one sector */
        struct cache_item *p = &c->parent[item->parent];
        bool last;

        if ((all & LOOM_MEM_MORE) != 0) {
            return NULL; /* a part of a part: its last one stands for it */
        }
        p->missed = p->missed || (all & LOOM_MEM_HIT) == 0;
        p->reply_bits |= reply_bits;
        last = cache_part_done(c, p);
        if (!c->split_each) {
            return last ? put_whole(c, item, all & ~(uint32_t)LOOM_MEM_PART,
                                    now, delay)
                        : NULL;
        }
        all |= last ? LOOM_MEM_PART : LOOM_MEM_PART | LOOM_MEM_MORE;
    }
    reply = put(c, item, now, delay);
    reply->flags = (uint8_t)all;
    reply->reply_bits = reply_bits;
    return reply;
}

LOOM_NOINLINE static void reply_and_tell(struct cache *c,
                                         const struct cache_item *item,
                                         uint8_t flags, uint16_t reply_bits,
                                         loom_cycle now, loom_cycle delay)
{
    const struct loom_mem_request *reply =
        reply_with(c, item, flags, reply_bits, now, delay);

    if (reply != NULL) {
        tell_reply(c, reply, now);
    }
}

void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay)
{
    if (LOOM_UNLIKELY(!c->plain) &&
        loom_observed(&c->observers, LOOM_EVENT_REPLY)) {
        reply_and_tell(c, item, flags, reply_bits, now, delay);
    } else {
        reply_with(c, item, flags, reply_bits, now, delay);
    }
}

/* ---- who waits in an entry ---- */

/* A sector that waits without an item. */
static LOOM_INLINE void reply_sector(struct cache *c, struct cache_item *parent,
                                     uint32_t sector, uint16_t reply_bits,
                                     loom_cycle now)
{
    struct loom_mem_request *reply;
    bool last;

    if (LOOM_UNLIKELY(!c->plain || !c->split_each)) {
        struct cache_item item = *parent;

        cache_cut(parent, &item.request, sector);
        cache_reply(c, &item, 0, reply_bits, now, 0);
        return;
    }
    parent->missed = true;
    parent->reply_bits |= reply_bits;
    reply = loom_send(c->port[parent->port].up, now, 0);
    loom_mem_copy(reply, &parent->request);
    cache_cut(parent, reply, sector);
    last = cache_part_done(c, parent);
    reply->flags =
        (uint8_t)((parent->flags & ~(uint32_t)LOOM_MEM_HIT) | LOOM_MEM_REPLY |
                  LOOM_MEM_PART | (last ? 0u : (uint32_t)LOOM_MEM_MORE));
    reply->reply_bits = reply_bits;
    c->stats->replies++;
}

static bool answer_sector(struct cache *c, struct cache_mshr *m, loom_cycle now)
{
    struct cache_item *parent = &c->parent[m->parent];

    if (!loom_ready(c->port[parent->port].up, now)) {
        return false;
    }
    reply_sector(c, parent, m->sector, m->reply_bits, now);
    m->parent = CACHE_NONE;
    m->count--;
    c->changes++;
    return true;
}

static bool answer_item(struct cache *c, struct cache_mshr *m, loom_cycle now)
{
    uint32_t number = m->first;
    struct cache_item *item = &c->waiting[number];

    if (!loom_ready(c->port[cache_port_of(c, item)].up, now)) {
        return false;
    }
    cache_reply(c, item, 0, item->request.reply_bits, now, 0);
    m->first = c->next_waiting[number];
    m->count--;
    c->next_waiting[number] = c->free_item;
    c->free_item = number;
    c->changes++;
    return true;
}

bool cache_answer_first(struct cache *c, struct cache_mshr *m, loom_cycle now)
{
    return m->parent != CACHE_NONE ? answer_sector(c, m, now)
                                   : answer_item(c, m, now);
}

void cache_tell_first(struct cache *c, struct cache_mshr *m, uint16_t bits)
{
    if (m->parent != CACHE_NONE) {
        m->reply_bits |= bits;
    } else if (m->first != CACHE_NONE) {
        c->waiting[m->first].request.reply_bits |= bits;
    }
}

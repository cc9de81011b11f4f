/*
 * Writes that get a line without waiting for data.
 *
 * Lazy (GPGPU-Sim 4's L, write-validate with fetch on read): a write puts its
 * bytes into the line and is done; nothing is fetched.  A sector all of whose
 * bytes are written is valid; one that holds only some of them is fetched by
 * the first load that needs it, and what was written stays.  Write-back
 * caches keep the bytes until the line leaves; write-through ones have sent
 * them on as well.
 *
 * Write and fetch (GPGPU-Sim 3.2.2's W, naive write-allocate): the write goes
 * on and its line is fetched, which comes clean as it contains the write.
 */
#include "components/cache/access.h"
#include "components/cache/ask.h"
#include "components/cache/miss.h"
#include "components/cache/place.h"
#include "components/cache/power.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"
#include "components/cache/tell.h"

/* What the write finds: pending sectors first, as GPGPU-Sim 4's probe. */
static enum loom_event_kind outcome_of(const struct cache *c,
                                       const struct cache_access *a)
{
    const struct cache_line *line;
    uint8_t missing;

    if (a->way == CACHE_NONE) {
        return LOOM_EVENT_MISS;
    }
    line = cache_line_of(&c->tags, a);
    missing = a->need & (uint8_t) ~(line->valid | line->written);
    if ((missing & (uint8_t)~line->pending) != 0) {
        return LOOM_EVENT_MISS;
    }
    return (a->need & line->pending) != 0 ? LOOM_EVENT_PENDING_HIT
                                          : LOOM_EVENT_HIT;
}

static void write_bytes(struct cache *c, struct cache_access *a, bool present,
                        bool keep)
{
    uint32_t at = cache_at(&c->tags, a->set, a->way);
    struct cache_victim victim = {0};

    if (!present) {
        cache_install(c, a, &victim, false);
    }
    cache_modify(&c->tags, &c->sectors, a, keep);
    c->tags.line[at].valid |=
        a->need & cache_complete(&c->tags, &c->sectors, at, a->line);
    cache_settle_line(c, a, present, false);
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(&c->pipe, a->bank, c->tags.line_bytes, a->now);
    }
}

enum cache_stall cache_lazy_write(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    bool keep = a->keeps; /* else it is sent on */
    uint32_t room = (keep ? 0u : 1u) + (c->power != NULL ? 1u : 0u);
    enum loom_event_kind outcome = outcome_of(c, a);
    uint32_t found = a->way;
    bool present = found != CACHE_NONE && cache_holds(&c->tags, a);
    struct loom_bypass unused;
    enum cache_stall stall;

    if (!present && !cache_may_allocate(c, a, &unused)) {
        return cache_write_without_line(c, a);
    }
    stall = cache_ready_to_write(c, a, keep, room);
    if (stall != CACHE_DONE) {
        return stall;
    }
    if (found == CACHE_NONE) {
        stall = cache_choose_or_pass(c, a, room);
        if (stall != CACHE_DONE || a->way == CACHE_NONE) {
            return stall;
        }
    }
    if (outcome == LOOM_EVENT_MISS) {
        uint32_t way = a->way;

        a->way = found;
        cache_count_miss(c, a, false);
        a->way = way;
    } else {
        cache_count(c, a, outcome, false);
    }
    if (!keep) {
        cache_pass(c, a->item, cache_answer(c, r), false, a->now);
    }
    write_bytes(c, a, present, keep);
    if (outcome == LOOM_EVENT_HIT) {
        cache_occupy(&c->pipe, a->bank, r->size_bytes, a->now);
    }
    if (keep && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, outcome == LOOM_EVENT_HIT ? LOOM_MEM_HIT : 0,
                    cache_answer(c, r), a->now, 0);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
    return CACHE_DONE;
}

/* `found`: the way that had its tag already. */
static void send_and_fetch(struct cache *c, struct cache_access *a,
                           uint32_t found, bool fetch)
{
    uint32_t way = a->way;
    uint32_t entry;

    a->way = found;
    cache_count_miss(c, a, false);
    a->way = way;
    cache_pass(c, a->item, cache_answer(c, a->request), false, a->now);
    if (!fetch) {
        return;
    }
    entry = cache_mshr_new(c, a);
    a->entry = entry;
    c->mshrs.entry[entry].fill = true;
    if (way != CACHE_NONE) {
        cache_reserve(c, a, true, false);
    } else {
        cache_fetch(c, a->request, entry,
                    cache_wanted(&c->sectors, a->request, a->need), a->now,
                    false);
    }
}

enum cache_stall cache_write_and_fetch(struct cache *c, struct cache_access *a,
                                       uint32_t entry)
{
    bool fetch = entry == CACHE_NONE;
    bool way_now = fetch && (!c->on_fill || a->way != CACHE_NONE);
    uint32_t room = 1u + (fetch ? 1u : 0u) + (c->power != NULL ? 1u : 0u);
    uint32_t found = a->way;
    struct loom_bypass unused;
    enum cache_stall stall;

    if (fetch && !cache_may_allocate(c, a, &unused)) {
        return cache_write_without_line(c, a);
    }
    stall = fetch ? cache_may_fetch(c, a, way_now) : CACHE_DONE;
    if (stall != CACHE_DONE) {
        return stall;
    }
    if (!cache_can_pass(&c->down, a->request, a->now) ||
        !cache_room(&c->down, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (way_now && found == CACHE_NONE) {
        stall = cache_choose_or_pass(c, a, room);
        if (stall != CACHE_DONE || a->way == CACHE_NONE) {
            return stall;
        }
    }
    send_and_fetch(c, a, found, fetch);
    return CACHE_DONE;
}

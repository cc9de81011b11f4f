/*
 * Requests are admitted: into the pipeline of their bank, sector by sector if
 * they are split, or around the cache.  Inline, as tick.c has a version of its
 * own for one bank that takes one access per cycle (`single`), and includes
 * this alone.
 */
#ifndef COMPONENTS_CACHE_ADMIT_H
#define COMPONENTS_CACHE_ADMIT_H

#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/pipe.h"
#include "components/cache/send.h"
#include "components/cache/up.h"
#include "components/cache/wait.h"

/* Does the oldest request of `port` go around?  Asked once: a verdict of
 * BYPASS is final. */
static bool decide_around(struct cache *c, const struct loom_mem_request *r,
                          uint32_t port)
{
    if (c->gate_port == port) {
        return true;
    }
    c->gate_bypass = (struct loom_bypass){
        r->size_bytes,
        (r->flags & LOOM_MEM_MAY_MERGE) != 0,
    };
    c->gate_by = r->bypassed_by;
    if ((r->bypassed & c->level) != 0) {
        return r->kind != LOOM_MEM_FLUSH;
    }
    c->gate_by = 0;
    c->gate_bypass.may_merge = false;
    if (r->kind == LOOM_MEM_ATOMIC && c->write != CACHE_WRITE_BACK) {
        return true; /* atomics are done where lines are written back */
    }
    if (loom_chain(&c->admit) == 0 || r->kind >= CACHE_KINDS) {
        return false;
    }
    c->gate_by = cache_ask_admit(c, r, &c->gate_bypass);
    return c->gate_by != 0;
}

/* .. first what nobody has a say in. */
static LOOM_INLINE bool
goes_around(struct cache *c, const struct loom_mem_request *r, uint32_t port)
{
    if (LOOM_LIKELY(!c->asks_admit && c->gate_port != port &&
                    (r->bypassed & c->level) == 0 &&
                    r->kind != LOOM_MEM_ATOMIC)) {
        return false;
    }
    return decide_around(c, r, port);
}

static bool send_around(struct cache *c, const struct loom_mem_request *r,
                        uint32_t port, loom_cycle now)
{
    struct cache_item item = {
        .request = *r, .port = (uint8_t)port, .parent = CACHE_NONE};
    enum cache_stall stall;

    cache_settle_wait(c, &c->gate, now);
    cache_mark_bypass(c, &item.request, &c->gate_bypass, c->gate_by);
    stall = cache_bypass(c, &item, now);
    if (stall != CACHE_DONE) {
        c->gate_port = (uint8_t)port;
        cache_wait_on(c, &c->gate, r, stall, now);
        return false;
    }
    c->gate_port = CACHE_NO_PORT;
    c->gate.reason = CACHE_DONE;
    return true;
}

/* The next sector of the request that is split.  Where there are banks, two of
 * its sectors may be tried in one cycle, and each has an item. */
static LOOM_INLINE bool admit_sector(struct cache *c, struct cache_bank *bank,
                                     loom_cycle now, bool single)
{
    uint32_t sector = loom_lowest(c->split_left);

    if (single || c->banks == 1) {
        cache_take_slot(c, bank, c->split_parent, sector, now);
    } else {
        struct cache_item *item = cache_take_slot(c, bank, CACHE_NONE, 0, now);

        *item = c->parent[c->split_parent];
        cache_cut(item, &item->request, sector);
    }
    c->stats->split_accesses++;
    c->split_left &= (uint8_t)(c->split_left - 1u);
    return c->split_left == 0;
}

static LOOM_INLINE void admit_whole(struct cache *c, struct cache_bank *bank,
                                    const struct loom_mem_request *r,
                                    uint32_t port, loom_cycle now)
{
    struct cache_item *item = cache_take_slot(c, bank, CACHE_NONE, 0, now);

    loom_mem_copy(&item->request, r);
    if (!c->lone) {
        item->port = (uint8_t)port;
        item->parent = CACHE_NONE;
    }
}

/* The bank that takes the request, or its next sector; NULL: it cannot. */
static LOOM_INLINE struct cache_bank *
bank_with_place(struct cache *c, const struct loom_mem_request *r,
                loom_cycle now, bool single)
{
    struct cache_bank *bank = &c->first_bank;

    if (!single && c->banks > 1) {
        bank = cache_bank_of(c, r,
                             c->split_left != 0 ? c->split_left : r->sectors);
        if (cache_has_taken(c, bank, now)) {
            c->stats->other_stalls[CACHE_STALL_BANK - LOOM_FAIL_REASONS]++;
            return NULL;
        }
    }
    if (bank->count == c->pipe_capacity) {
        c->full = bank;
        return NULL;
    }
    if (!single) {
        c->full = NULL;
        c->flushing = c->banks > 1 && r->kind == LOOM_MEM_FLUSH;
    }
    return bank;
}

/* Puts the request, or its next sector, into its bank.  False: the bank has
 * no place; *whole: nothing of the request is left. */
static LOOM_INLINE bool admit(struct cache *c, const struct loom_mem_request *r,
                              uint32_t port, loom_cycle now, bool *whole,
                              bool single)
{
    struct cache_bank *bank = bank_with_place(c, r, now, single);

    if (bank == NULL) {
        *whole = false;
        return false;
    }
    if (c->split && r->kind < CACHE_KINDS &&
        (r->sectors & (r->sectors - 1u)) != 0) {
        cache_split(c, r, port);
        c->split_port = (uint8_t)port;
        *whole = admit_sector(c, bank, now, single);
    } else {
        admit_whole(c, bank, r, port, now);
        *whole = true;
    }
    return true;
}

/* .. and the sectors that follow. */
static LOOM_INLINE bool admit_next(struct cache *c, loom_cycle now, bool *whole,
                                   bool single)
{
    const struct loom_mem_request *r = &c->parent[c->split_parent].request;
    struct cache_bank *bank = bank_with_place(c, r, now, single);

    *whole = bank != NULL && admit_sector(c, bank, now, single);
    return bank != NULL;
}

static LOOM_INLINE bool room_to_admit(const struct cache *c, bool single)
{
    if (single || c->banks == 1) {
        return c->held < c->pipe_capacity;
    }
    return !c->flushing &&
           (c->full == NULL || c->full->count < c->pipe_capacity);
}

/* A link of `up` has a request that is not admitted yet. */
static LOOM_INLINE bool accept(struct cache *c, uint32_t port, loom_cycle now,
                               bool *whole, bool single)
{
    const struct loom_mem_request *r = loom_peek(c->port[port].from_above, now);

    return goes_around(c, r, port) ? send_around(c, r, port, now)
                                   : admit(c, r, port, now, whole, single);
}

/* One access.  False: there is none, or it cannot be admitted. */
static LOOM_INLINE bool accept_one(struct cache *c, loom_cycle now, bool single)
{
    uint32_t port = c->split_port;
    bool whole = true;

    if (c->split_left != 0) {
        if (!admit_next(c, now, &whole, single)) {
            return false;
        }
    } else {
        port = c->gate_port != CACHE_NO_PORT ? c->gate_port
                                             : cache_pending_port(c, now);
        if (port == CACHE_NO_PORT || !accept(c, port, now, &whole, single)) {
            return false;
        }
    }
    if (whole) {
        loom_pop(c->port[port].from_above, now);
        c->next_port = (uint8_t)cache_after_port(c, port);
    }
    return true;
}

static LOOM_INLINE void accept_all(struct cache *c, loom_cycle now, bool single)
{
    uint32_t width = single ? 1 : c->config->accesses_per_cycle;

    while (width-- != 0 && room_to_admit(c, single) &&
           accept_one(c, now, single)) {
    }
}

#endif

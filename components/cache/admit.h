/*
 * Requests are admitted: into the pipeline of their bank, sector by sector if
 * they are split, or around the cache.  Inline, as tick.c has a version of its
 * own for one bank that takes one access per cycle (`one_access`), and includes
 * this alone.
 */
#ifndef COMPONENTS_CACHE_ADMIT_H
#define COMPONENTS_CACHE_ADMIT_H

#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/send.h"
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
    c->gate_bypass.may_merge = false;
    return cache_goes_around(c, r, &c->gate_bypass, &c->gate_by);
}

/* Does the request go around?  Most are seen at once not to. */
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
                                     loom_cycle now, bool one_access)
{
    uint32_t sector = loom_lowest(c->up.split_left);

    if (one_access || c->pipe.banks == 1) {
        cache_take_slot(&c->pipe, bank, c->up.split_parent, sector, now);
    } else {
        struct cache_item *item =
            cache_take_slot(&c->pipe, bank, CACHE_NONE, 0, now);

        *item = c->up.parent[c->up.split_parent];
        cache_cut(item, &item->request, sector);
    }
    c->stats->split_accesses++;
    c->up.split_left &= (uint8_t)(c->up.split_left - 1u);
    return c->up.split_left == 0;
}

static LOOM_INLINE void admit_whole(struct cache *c, struct cache_bank *bank,
                                    const struct loom_mem_request *r,
                                    uint32_t port, loom_cycle now)
{
    struct cache_item *item =
        cache_take_slot(&c->pipe, bank, CACHE_NONE, 0, now);

    loom_mem_copy(&item->request, r);
    if (!c->up.bare_items) {
        item->port = (uint8_t)port;
        item->parent = CACHE_NONE;
    }
}

/* The bank that takes the request, or its next sector; NULL: it cannot. */
static LOOM_INLINE struct cache_bank *
bank_with_place(struct cache *c, const struct loom_mem_request *r,
                loom_cycle now, bool one_access)
{
    struct cache_bank *bank = &c->pipe.first_bank;

    if (!one_access && c->pipe.banks > 1) {
        bank = cache_bank_of(
            &c->pipe, r, c->up.split_left != 0 ? c->up.split_left : r->sectors);
        if (cache_has_taken(&c->pipe, bank, now)) {
            c->stats->other_stalls[CACHE_STALL_BANK - (int)LOOM_FAIL_REASONS]++;
            return NULL;
        }
    }
    if (bank->count == c->pipe.capacity) {
        c->pipe.full = bank;
        return NULL;
    }
    if (!one_access) {
        c->pipe.full = NULL;
        c->pipe.flushing = c->pipe.banks > 1 && r->kind == LOOM_MEM_FLUSH;
    }
    return bank;
}

/* Puts the request, or its next sector, into its bank.  False: the bank has
 * no place; *whole: nothing of the request is left. */
static LOOM_INLINE bool admit(struct cache *c, const struct loom_mem_request *r,
                              uint32_t port, loom_cycle now, bool *whole,
                              bool one_access)
{
    struct cache_bank *bank = bank_with_place(c, r, now, one_access);

    if (bank == NULL) {
        *whole = false;
        return false;
    }
    if (c->split && r->kind < CACHE_KINDS &&
        (r->sectors & (r->sectors - 1u)) != 0) {
        cache_split(&c->up, r, port);
        c->up.split_port = (uint8_t)port;
        *whole = admit_sector(c, bank, now, one_access);
    } else {
        admit_whole(c, bank, r, port, now);
        *whole = true;
    }
    return true;
}

/* The sectors of a split request that follow its first. */
static LOOM_INLINE bool admit_next(struct cache *c, loom_cycle now, bool *whole,
                                   bool one_access)
{
    const struct loom_mem_request *r =
        &c->up.parent[c->up.split_parent].request;
    struct cache_bank *bank = bank_with_place(c, r, now, one_access);

    *whole = bank != NULL && admit_sector(c, bank, now, one_access);
    return bank != NULL;
}

static LOOM_INLINE bool room_to_admit(const struct cache *c, bool one_access)
{
    if (one_access || c->pipe.banks == 1) {
        return c->pipe.held < c->pipe.capacity;
    }
    return !c->pipe.flushing &&
           (c->pipe.full == NULL || c->pipe.full->count < c->pipe.capacity);
}

/* A link of `up` has a request that is not admitted yet. */
static LOOM_INLINE bool accept(struct cache *c, uint32_t port, loom_cycle now,
                               bool *whole, bool one_access)
{
    const struct loom_mem_request *r =
        loom_peek(c->up.port[port].from_above, now);

    return goes_around(c, r, port) ? send_around(c, r, port, now)
                                   : admit(c, r, port, now, whole, one_access);
}

/* One access.  False: there is none, or it cannot be admitted. */
static LOOM_INLINE bool accept_one(struct cache *c, loom_cycle now,
                                   bool one_access)
{
    uint32_t port = c->up.split_port;
    bool whole = true;

    if (c->up.split_left != 0) {
        if (!admit_next(c, now, &whole, one_access)) {
            return false;
        }
    } else {
        port = c->gate_port != CACHE_NO_PORT ? c->gate_port
                                             : cache_pending_port(&c->up, now);
        if (port == CACHE_NO_PORT ||
            !accept(c, port, now, &whole, one_access)) {
            return false;
        }
    }
    if (whole) {
        loom_pop(c->up.port[port].from_above, now);
        c->up.next_port = (uint8_t)cache_after_port(&c->up, port);
    }
    return true;
}

static LOOM_INLINE void accept_all(struct cache *c, loom_cycle now,
                                   bool one_access)
{
    uint32_t width = one_access ? 1 : c->config->accesses_per_cycle;
    uint32_t requests = one_access ? 0 : c->config->requests_per_cycle;
    bool bounded = requests != 0;

    while (width-- != 0 && room_to_admit(c, one_access)) {
        if (bounded && c->up.split_left == 0 && requests-- == 0) {
            break;
        }
        if (!accept_one(c, now, one_access)) {
            break;
        }
    }
}

#endif

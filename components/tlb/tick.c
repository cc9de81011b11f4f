/*
 * A cycle of a TLB.
 *
 *   1. replies pass, one per link
 *   2. an entry that has come lets those that wait for it go on
 *   3. a request of each link passes: one that has waited, or the next one if
 *      its page is known; if not it waits and its entry is sent for
 *   4. one entry is sent for
 */
#include "components/tlb/tlb_private.h"

static void append(struct tlb_list *list, struct tlb_held *held)
{
    held->next = NULL;
    *list->end = held;
    list->end = &held->next;
}

static struct tlb_held *take(struct tlb_list *list)
{
    struct tlb_held *held = list->head;

    list->head = held->next;
    if (list->head == NULL) {
        list->end = &list->head;
    }
    return held;
}

static bool pass_replies(struct tlb *t, loom_cycle now)
{
    bool moved = false;

    for (uint64_t left = t->replies; left != 0; left &= left - 1) {
        struct tlb_link *link = &t->link[loom_lowest(left)];
        const struct loom_mem_request *r = loom_peek(link->down_in, now);

        if (r != NULL && loom_ready(link->up_out, now)) {
            loom_mem_copy(loom_send(link->up_out, now, 0), r);
            t->stats->replies += (r->flags & LOOM_MEM_MORE) == 0;
            loom_pop(link->down_in, now);
            moved = true;
        }
    }
    return moved;
}

/* Who waits for this walk goes on, behind others of the same link. */
static void finish(struct tlb *t, struct tlb_walk *walk, loom_cycle now)
{
    loom_histogram_add(&t->stats->walk_latency, now - walk->since);
    tlb_insert(t, walk->page);
    while (walk->waiting.head != NULL) {
        struct tlb_held *held = take(&walk->waiting);

        append(&t->link[held->link].ready, held);
        t->ready |= loom_bit(held->link);
    }
    walk->page = 0;
    t->walks_used--;
}

static bool take_entry(struct tlb *t, loom_cycle now)
{
    const struct loom_mem_request *r = loom_peek(t->walk_in, now);

    if (r == NULL) {
        return false;
    }
    if ((r->flags & LOOM_MEM_MORE) == 0) {
        finish(t, &t->walk[r->token], now);
    }
    loom_pop(t->walk_in, now);
    return true;
}

/* The walk for a page, a new one if there is none; NULL: no room. */
static struct tlb_walk *walk_for(struct tlb *t, uint64_t page, loom_cycle now)
{
    struct tlb_walk *free = NULL;

    for (uint32_t i = 0; i < t->config->walks; i++) {
        struct tlb_walk *walk = &t->walk[i];

        if (walk->page == page) {
            t->stats->pending_hits++;
            return walk;
        }
        free = free == NULL && walk->page == 0 ? walk : free;
    }
    if (free != NULL) {
        uint32_t walks = t->config->walks;

        free->page = page;
        free->since = now;
        t->unsent[(t->unsent_head + t->unsent_count++) % walks] =
            (uint32_t)(free - t->walk);
        t->walks_used++;
        t->stats->misses++;
    }
    return free;
}

/* Its page is not known. */
static bool hold(struct tlb *t, uint32_t number,
                 const struct loom_mem_request *r, loom_cycle now)
{
    struct tlb_held *held = t->free;
    struct tlb_walk *walk;

    if (held == NULL) {
        return false;
    }
    walk = walk_for(t, tlb_page(t, r), now);
    if (walk == NULL) {
        return false;
    }
    t->free = held->next;
    loom_mem_copy(&held->request, r);
    held->link = number;
    append(&walk->waiting, held);
    return true;
}

static bool pass_held(struct tlb *t, uint32_t number, loom_cycle now)
{
    struct tlb_link *link = &t->link[number];
    struct tlb_held *held;

    if (!loom_ready(link->down_out, now)) {
        return false;
    }
    held = take(&link->ready);
    loom_mem_copy(loom_send(link->down_out, now, 0), &held->request);
    held->next = t->free;
    t->free = held;
    if (link->ready.head == NULL) {
        t->ready &= ~loom_bit(number);
    }
    return true;
}

/* The next request of a link; *full: there is no room for it. */
static bool pass_next(struct tlb *t, uint32_t number, loom_cycle now,
                      bool *full)
{
    struct tlb_link *link = &t->link[number];
    const struct loom_mem_request *r = loom_peek(link->up_in, now);

    if (r == NULL) {
        return false;
    }
    if (tlb_find(t, tlb_page(t, r))) {
        if (!loom_ready(link->down_out, now)) {
            return false;
        }
        loom_mem_copy(loom_send(link->down_out, now, 0), r);
        t->stats->hits++;
    } else if (!hold(t, number, r, now)) {
        *full = true;
        return false;
    }
    t->stats->requests++;
    loom_pop(link->up_in, now);
    return true;
}

static bool pass_requests(struct tlb *t, loom_cycle now)
{
    bool moved = false, full = false;

    for (uint64_t left = t->requests | t->ready; left != 0; left &= left - 1) {
        uint32_t number = loom_lowest(left);

        moved |= (t->ready >> number & 1) != 0
                     ? pass_held(t, number, now)
                     : pass_next(t, number, now, &full);
    }
    if (!full) {
        tlb_settle(t->self, now);
        t->full_since = LOOM_NEVER;
    } else if (t->full_since == LOOM_NEVER) {
        t->full_since = now;
    }
    return moved;
}

static bool send_walk(struct tlb *t, loom_cycle now)
{
    uint32_t number = t->unsent[t->unsent_head];
    struct tlb_walk *walk = &t->walk[number];
    struct loom_mem_request *r;

    if (t->unsent_count == 0 || !loom_ready(t->walk_out, now)) {
        return false;
    }
    r = loom_send(t->walk_out, now, 0);
    *r = tlb_fetch(t, walk->page, &walk->waiting.head->request);
    r->token = number;
    t->unsent_head = (t->unsent_head + 1) % t->config->walks;
    t->unsent_count--;
    t->stats->walks++;
    return true;
}

loom_cycle tlb_tick(struct loom_component *self, loom_cycle now)
{
    struct tlb *t = loom_state(self);
    bool moved = pass_replies(t, now);

    moved |= take_entry(t, now);
    moved |= pass_requests(t, now);
    moved |= send_walk(t, now);
    return moved ? now + 1 : LOOM_NEVER;
}

/* Cycles in which a request found no walk or no place. */
void tlb_settle(struct loom_component *self, loom_cycle now)
{
    struct tlb *t = loom_state(self);

    if (t->full_since != LOOM_NEVER) {
        t->stats->full_cycles += now - t->full_since;
        t->full_since = now;
    }
}

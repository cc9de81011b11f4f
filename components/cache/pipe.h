/*
 * Banks: accesses on their way through the tags, in order.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_PIPE_H
#define COMPONENTS_CACHE_PIPE_H

#include "components/cache/sectors.h"

bool cache_take_banks(struct cache *c);
/* The bank of an address: lines, or pieces of them, interleaved. */
struct cache_bank *cache_bank_of(const struct cache *c,
                                 const struct loom_mem_request *r,
                                 uint8_t sectors);

/* The next place of a bank is taken, by a sector of `parent` or an item. */
static LOOM_INLINE struct cache_item *
cache_take_slot(struct cache *c, struct cache_bank *bank, uint32_t parent,
                uint32_t sector, loom_cycle now)
{
    uint32_t tail = bank->head + bank->count;
    struct cache_slot *slot;

    tail -= tail < c->pipe_capacity ? 0 : c->pipe_capacity;
    slot = &bank->pipe[tail];
    slot->ready = now + c->hit_latency;
    slot->parent = parent;
    slot->sector = sector;
    bank->due = loom_choose(bank->count++ == 0, slot->ready, bank->due);
    c->held++;
    return &bank->item[tail];
}

/* The bank has taken an access in this cycle. */
static inline bool cache_has_taken(const struct cache *c,
                                   const struct cache_bank *bank,
                                   loom_cycle now)
{
    uint32_t newest = bank->head + bank->count - 1;

    newest = newest < c->pipe_capacity ? newest : newest - c->pipe_capacity;
    return bank->count != 0 && bank->pipe[newest].ready == now + c->hit_latency;
}

/* The oldest access of the bank. */
static LOOM_INLINE struct cache_item *
cache_oldest(struct cache *c, struct cache_bank *bank, bool again)
{
    const struct cache_slot *slot = &bank->pipe[bank->head];
    struct cache_item *item;

    if (slot->parent == CACHE_NONE) {
        return &bank->item[bank->head];
    }
    item = &c->parent[slot->parent];
    if (!again) {
        cache_cut(item, &item->request, slot->sector);
    }
    return item;
}

/* In the ring of a bank; short ones would make a branch a coin toss. */
static LOOM_INLINE uint32_t cache_next_place(const struct cache *c,
                                             uint32_t place)
{
    uint32_t next = place + 1;

    return next & (0u - (uint32_t)(next != c->pipe_capacity));
}

/* So many bytes pass a bank's data port. */
static LOOM_INLINE void cache_occupy(const struct cache *c,
                                     struct cache_bank *bank, uint32_t bytes,
                                     loom_cycle now)
{
    uint32_t cycles = (bytes + (1u << c->data_shift) - 1) >> c->data_shift;

    if (cycles > 1) {
        bank->data_free = now + cycles;
    }
}

#endif

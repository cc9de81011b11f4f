/*
 * Banks: accesses on their way through the tags, in order.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_PIPE_H
#define COMPONENTS_CACHE_PIPE_H

#include "components/cache/cache_records.h"

struct cache_pipe {
    struct cache_bank first_bank; /* the bank, if there is only one */
    uint32_t held, capacity;      /* accesses in all banks; of one */
    uint16_t hit_latency;
    uint8_t data_shift;                /* log2 of the data port's bytes */
    uint32_t unit_interval, unit_real; /* atomic_interval, atomic_real_latency
                                        * in parts of a cycle; 0: no limit */
    bool flushing; /* a flush is in a bank: nothing is admitted behind it */
    struct cache_slot few[CACHE_FEW];      /* the pipeline, if it is as short */
    struct cache_bank *bank;               /* [banks] */
    uint32_t banks, bank_shift, bank_fold; /* fold: 0, or bits to XOR */
    const struct cache_bank *full;         /* the oldest request waits for it */
};

/* With what is written above from `banks` on.  False: no memory. */
bool cache_make_pipe(struct cache_pipe *p, struct loom_component *self);
/* The bank of an address: lines, or pieces of them, interleaved. */
struct cache_bank *cache_bank_of(const struct cache_pipe *p,
                                 const struct loom_mem_request *r,
                                 uint8_t sectors);

/* The next place of a bank is taken, by a sector of `parent` or an item. */
static LOOM_INLINE struct cache_item *
cache_take_slot(struct cache_pipe *p, struct cache_bank *bank, uint32_t parent,
                uint32_t sector, loom_cycle now)
{
    uint32_t tail = bank->head + bank->count;
    struct cache_slot *slot;

    tail -= tail < p->capacity ? 0 : p->capacity;
    slot = &bank->pipe[tail];
    slot->ready = now + p->hit_latency;
    slot->parent = parent;
    slot->sector = sector;
    bank->due = loom_choose(bank->count++ == 0, slot->ready, bank->due);
    p->held++;
    return &bank->item[tail];
}

/* The bank has taken an access in this cycle. */
static inline bool cache_has_taken(const struct cache_pipe *p,
                                   const struct cache_bank *bank,
                                   loom_cycle now)
{
    uint32_t newest = bank->head + bank->count - 1;

    newest = newest < p->capacity ? newest : newest - p->capacity;
    return bank->count != 0 && bank->pipe[newest].ready == now + p->hit_latency;
}

/* In the ring of a bank; short ones would make a branch a coin toss. */
static LOOM_INLINE uint32_t cache_next_place(const struct cache_pipe *p,
                                             uint32_t place)
{
    uint32_t next = place + 1;

    return next & (0u - (uint32_t)(next != p->capacity));
}

static inline loom_addr cache_unit_sector(const struct loom_mem_request *r)
{
    return r->block + r->sectors;
}

/* When the bank's unit takes an atomic, soonest. */
static inline loom_cycle cache_unit_free(const struct cache_bank *bank,
                                         const struct loom_mem_request *r)
{
    uint64_t at = bank->unit_sector == cache_unit_sector(r) ? bank->unit_ready
                                                            : bank->unit_free;

    return at / CACHE_PART;
}

/* It does; all bytes of a sector need no interval. */
static inline void cache_unit_take(const struct cache_pipe *p,
                                   struct cache_bank *bank,
                                   const struct loom_mem_request *r,
                                   loom_cycle now)
{
    uint64_t at = bank->unit_sector == cache_unit_sector(r) ? bank->unit_ready
                                                            : bank->unit_free;
    uint32_t used = loom_popcount(r->bytes[0]) + loom_popcount(r->bytes[1]);
    bool real = (r->flags & LOOM_MEM_REAL) != 0;

    at = at > now * CACHE_PART ? at : now * CACHE_PART;
    bank->unit_sector = cache_unit_sector(r);
    bank->unit_free = at + (used < r->size_bytes ? p->unit_interval : 0);
    bank->unit_ready = bank->unit_free;
    if (real && at + p->unit_real > bank->unit_free) {
        bank->unit_ready = at + p->unit_real;
    }
}

/* So many bytes pass a bank's data port. */
static LOOM_INLINE void cache_occupy(const struct cache_pipe *p,
                                     struct cache_bank *bank, uint32_t bytes,
                                     loom_cycle now)
{
    uint32_t cycles = (bytes + (1u << p->data_shift) - 1) >> p->data_shift;

    if (cycles > 1) {
        bank->data_free = now + cycles;
    }
}

#endif

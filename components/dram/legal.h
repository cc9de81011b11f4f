/*
 * When is a command legal?  What the bank, its group and its pseudo channel
 * say.  And what the queue keeps count of.
 */
#ifndef COMPONENTS_DRAM_LEGAL_H
#define COMPONENTS_DRAM_LEGAL_H

#include "components/dram/dram_private.h"

static inline loom_cycle dram_later(loom_cycle a, loom_cycle b)
{
    return a > b ? a : b;
}

static inline void dram_not_before(loom_cycle *at, loom_cycle cycle)
{
    *at = dram_later(*at, cycle);
}

/* The bit of a bank, if `set`. */
static inline uint64_t dram_bit_if(bool set, uint32_t bank)
{
    return (uint64_t)set << bank;
}

static inline uint32_t dram_group_of(const struct dram *dram, uint32_t bank)
{
    return bank >> dram->group_shift & dram->group_mask;
}

static inline uint32_t dram_half_of(const struct dram *dram, uint32_t bank)
{
    return dram_group_of(dram, bank) >> dram->half_shift & dram->half_mask;
}

/* The banks of a group. */
static inline uint64_t dram_mates(const struct dram *dram, uint32_t group)
{
    return dram->mates << (group << dram->group_shift);
}

/* As far as the bank and its group are concerned. */
static inline loom_cycle dram_bank_at(const struct dram *dram,
                                      enum dram_kind kind, uint32_t bank)
{
    return dram_later(dram->bank_at[kind][bank],
                      dram->group_at[dram_group_of(dram, bank)][kind]);
}

static inline loom_cycle dram_legal_at(const struct dram *dram,
                                       enum dram_kind kind, uint32_t bank)
{
    return dram_later(dram_bank_at(dram, kind, bank),
                      dram->half_at[dram_half_of(dram, bank)][kind]);
}

static inline uint64_t dram_hit_banks(const struct dram *dram)
{
    return dram->read_banks | dram->write_banks;
}

/* The queue's length changes at `now`. */
static inline void dram_count_occupancy(struct dram *dram, loom_cycle now)
{
    dram->queue_cycles += dram->queued * (now - dram->counted);
    dram->counted = now;
}

/* A read or write is in the queue, +1, or leaves it, -1. */
static inline void dram_count_queue(struct dram *dram, bool write, int change)
{
    struct loom_schedule_queue *queue = &dram->backlog.queue;
    uint32_t *count = write ? &queue->writes : &queue->reads;

    *count += (uint32_t)change;
    dram->backlog.changed = true;
}

/* The row of a bank has changed. */
static inline void dram_classify(struct dram *dram, uint32_t number)
{
    const struct dram_bank *bank = &dram->bank[number];
    uint64_t bit = loom_bit(number);
    uint64_t misses = bank->entries & ~bank->hits;
    uint64_t reads = bank->hits & ~dram->view.writes;
    uint64_t writes = bank->hits & dram->view.writes;
    uint64_t open = bank->open ? bit : 0;

    dram->closed_banks =
        (dram->closed_banks & ~bit) | (bank->entries != 0 ? bit & ~open : 0);
    dram->read_banks = (dram->read_banks & ~bit) | (reads != 0 ? bit : 0);
    dram->write_banks = (dram->write_banks & ~bit) | (writes != 0 ? bit : 0);
    dram->miss_banks = (dram->miss_banks & ~bit) | (misses != 0 ? open : 0);
}

#endif

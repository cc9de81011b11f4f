/*
 * Requests that wait for commands: each has an entry, which policies see, and a
 * place among those of its bank.
 */
#ifndef COMPONENTS_DRAM_ENTRY_H
#define COMPONENTS_DRAM_ENTRY_H

#include "components/dram/legal.h"

/* Everyone who waits has arrived before entry `number`. */
static inline void dram_line_up(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t others = ~loom_bit(number);

    for (uint32_t i = 0; i < DRAM_ENTRIES; i++) {
        dram->before[i] &= others; /* of who had this place */
    }
    dram->before[number] = view->waiting & others;
}

/* Where those with entries have not arrived in the order of theirs. */
static inline void dram_line_up_by_order(struct dram *dram, uint32_t number)
{
    uint64_t order = dram->entry[number].order, bit = loom_bit(number);

    for (uint32_t i = 0; i < DRAM_ENTRIES; i++) {
        dram->before[i] &= ~bit; /* of who had this place */
    }
    dram->before[number] = 0;
    for (uint64_t rest = dram->view.waiting; rest != 0; rest &= rest - 1) {
        uint32_t other = loom_lowest(rest);

        if (dram->entry[other].order < order) {
            dram->before[number] |= loom_bit(other);
        } else {
            dram->before[other] |= bit;
        }
    }
}

static inline uint32_t dram_columns_of(const struct dram *dram, uint32_t bytes)
{
    uint32_t atom = dram->atom_bytes;

    return bytes <= atom ? 1 : (bytes + atom - 1) / atom;
}

/* Entry `number` waits for a bank: for which command first?  Without branches:
 * nobody could guess. */
static inline enum dram_kind dram_wait_for(struct dram *dram, uint32_t number,
                                           const struct dram_enter *in)
{
    struct dram_bank *bank = &dram->bank[in->bank];
    bool hit = bank->open & (bank->row == in->row);
    uint64_t of_bank = loom_bit(in->bank), bit = loom_bit(number);
    uint64_t of_hit = dram_bit_if(hit, in->bank);
    uint64_t of_write = of_hit & (0 - (uint64_t)in->write);
    uint64_t of_closed = dram_bit_if(!bank->open, in->bank);

    bank->entries |= bit;
    bank->hits |= dram_bit_if(hit, number);
    dram->view.hits |= dram_bit_if(hit, number);
    dram->closing &= ~of_hit;
    dram->closed_banks |= of_closed;
    dram->miss_banks |= of_bank & ~(of_closed | of_hit);
    dram->write_banks |= of_write;
    dram->read_banks |= of_hit & ~of_write;
    return (enum dram_kind)loom_choose(
        hit, (uint64_t)DRAM_RD + in->write,
        loom_choose(bank->open, DRAM_PRE, DRAM_ACT));
}

/* It waits for commands from `from` on, in entry `number`. */
static inline void dram_enter(struct dram *dram, const struct dram_enter *in,
                              uint32_t number, loom_cycle from)
{
    struct loom_schedule_view *view = &dram->view;
    struct loom_schedule_entry *entry = &dram->entry[number];
    uint64_t bit = loom_bit(number);
    enum dram_kind first;

    dram->wait[number] = (struct dram_wait){
        .way = in->way,
        .left = (uint16_t)dram_columns_of(dram, in->bytes),
        .column = in->column,
    };
    entry->order = in->order;
    entry->row = in->row;
    entry->bank = (uint8_t)in->bank;
    if (LOOM_UNLIKELY(dram->deep)) {
        dram_line_up_by_order(dram, number);
    } else {
        dram_line_up(dram, number);
    }
    view->waiting |= bit;
    view->writes |= in->write ? bit : 0;
    first = dram_wait_for(dram, number, in);
    if (!dram->first_ready && dram->schedule_ops->arrived != NULL) {
        dram->schedule_ops->arrived(dram->schedule, number, in->bank, in->row,
                                    in->write);
    }
    dram_expect(dram, first, in->bank, from);
}

#endif

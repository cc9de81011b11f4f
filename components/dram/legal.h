/*
 * When is a command legal?  What the bank, its group and its pseudo channel
 * say.
 */
#ifndef COMPONENTS_DRAM_LEGAL_H
#define COMPONENTS_DRAM_LEGAL_H

#include "components/dram/dram_private.h"

static inline loom_cycle dram_later(loom_cycle a, loom_cycle b)
{
    return a > b ? a : b;
}

static inline loom_cycle dram_activate_at(const struct dram *dram,
                                          const struct dram_bank *bank)
{
    return dram_later(bank->at.act, dram_later(dram->group[bank->group].act,
                                               dram->half[bank->half].at.act));
}

static inline loom_cycle dram_precharge_at(const struct dram *dram,
                                           const struct dram_bank *bank)
{
    return dram_later(bank->at.pre, dram_later(dram->group[bank->group].pre,
                                               dram->half[bank->half].at.pre));
}

static inline loom_cycle dram_read_at(const struct dram *dram,
                                      const struct dram_bank *bank)
{
    return dram_later(bank->at.rd, dram_later(dram->group[bank->group].rd,
                                              dram->half[bank->half].at.rd));
}

static inline loom_cycle dram_write_at(const struct dram *dram,
                                       const struct dram_bank *bank)
{
    return dram_later(bank->at.wr, dram_later(dram->group[bank->group].wr,
                                              dram->half[bank->half].at.wr));
}

/* The requests or the row of a bank have changed. */
static inline void dram_classify(struct dram *dram, uint32_t number)
{
    const struct dram_bank *bank = &dram->bank[number];
    uint64_t bit = loom_bit(number);
    bool closed = !bank->open && bank->entries != 0;
    bool miss = bank->open && bank->entries != bank->hits;

    dram->closed_banks = (dram->closed_banks & ~bit) | (closed ? bit : 0);
    dram->hit_banks = (dram->hit_banks & ~bit) | (bank->hits != 0 ? bit : 0);
    dram->miss_banks = (dram->miss_banks & ~bit) | (miss ? bit : 0);
}

#endif

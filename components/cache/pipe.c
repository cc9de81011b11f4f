/*
 * Banks: their memory, and which one an address belongs to.
 */
#include "components/cache/pipe.h"

bool cache_take_banks(struct cache *c)
{
    c->bank = c->banks == 1 ? &c->first_bank
                            : loom_alloc(c->self, c->banks, sizeof(*c->bank));
    for (uint32_t i = 0; c->bank != NULL && i < c->banks; i++) {
        struct cache_bank *bank = &c->bank[i];

        bank->pipe =
            c->banks == 1 && c->pipe_capacity <= CACHE_FEW
                ? c->few
                : loom_alloc(c->self, c->pipe_capacity, sizeof(*bank->pipe));
        bank->item = loom_alloc(c->self, c->pipe_capacity, sizeof(*bank->item));
        bank->due = LOOM_NEVER;
        bank->wait.reason = CACHE_DONE;
        if (bank->pipe == NULL || bank->item == NULL) {
            return false;
        }
    }
    return c->bank != NULL;
}

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

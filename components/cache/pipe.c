/*
 * Banks: their memory, and which one an address belongs to.
 */
#include "components/cache/pipe.h"

bool cache_make_pipe(struct cache_pipe *p, struct loom_component *self)
{
    p->bank = p->banks == 1 ? &p->first_bank
                            : loom_alloc(self, p->banks, sizeof(*p->bank));
    for (uint32_t i = 0; p->bank != NULL && i < p->banks; i++) {
        struct cache_bank *bank = &p->bank[i];

        bank->pipe = p->banks == 1 && p->capacity <= CACHE_FEW
                         ? p->few
                         : loom_alloc(self, p->capacity, sizeof(*bank->pipe));
        bank->item = loom_alloc(self, p->capacity, sizeof(*bank->item));
        bank->due = LOOM_NEVER;
        bank->wait.reason = CACHE_DONE;
        if (bank->pipe == NULL || bank->item == NULL) {
            return false;
        }
    }
    return p->bank != NULL;
}

struct cache_bank *cache_bank_of(const struct cache_pipe *p,
                                 const struct loom_mem_request *r,
                                 uint8_t sectors)
{
    loom_addr at = r->block + (sectors == 0 ? 0
                                            : (loom_addr)loom_lowest(sectors) *
                                                  LOOM_SECTOR_BYTES);
    loom_addr number;

    if (r->kind == LOOM_MEM_FLUSH) {
        return &p->bank[0];
    }
    number = at >> p->bank_shift;
    if (p->bank_fold != 0) {
        number ^= number >> p->bank_fold;
    }
    return &p->bank[number & (p->banks - 1)];
}

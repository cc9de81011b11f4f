/*
 * A TLB's entries, and the request for one.
 */
#include "components/tlb/tlb_private.h"

uint64_t tlb_page(const struct tlb *t, const struct loom_mem_request *r)
{
    return (r->block >> t->page_shift) + 1;
}

bool tlb_find(struct tlb *t, uint64_t page)
{
    uint64_t *set = t->entry + page % t->sets * t->config->ways;
    uint32_t way = 0;

    while (set[way] != page) {
        if (++way == t->config->ways) {
            return false;
        }
    }
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = page;
    return true;
}

void tlb_insert(struct tlb *t, uint64_t page)
{
    uint64_t *set = t->entry + page % t->sets * t->config->ways;

    for (uint32_t way = t->config->ways - 1; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = page;
}

struct loom_mem_request tlb_fetch(const struct tlb *t, uint64_t page,
                                  const struct loom_mem_request *why)
{
    loom_addr at = t->config->table + (page - 1) * TLB_ENTRY_BYTES;

    return (struct loom_mem_request){
        .block = at & ~(loom_addr)(LOOM_BLOCK_BYTES - 1),
        .src = t->id,
        .size_bytes = LOOM_SECTOR_BYTES,
        .kind = LOOM_MEM_LOAD,
        .sectors = (uint8_t)(1u << (at / LOOM_SECTOR_BYTES & 3)),
        .space = LOOM_SPACE_GLOBAL,
        .sm = why->sm,
        .warp = why->warp,
        .accesses = 1,
        .cta = why->cta,
        .born = why->born,
        .kernel = why->kernel,
        .inst = why->inst,
    };
}

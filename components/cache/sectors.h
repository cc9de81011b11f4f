/*
 * Sectors: what the 32-byte sectors of a request's block mean to a line, which
 * may be longer or shorter than a block's 128 bytes and has sectors of its own.
 * Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_SECTORS_H
#define COMPONENTS_CACHE_SECTORS_H

#include "components/cache/cache_types.h"

/* Where the line of these sectors begins in their block. */
static inline uint32_t cache_offset(const struct cache *c, uint32_t sectors)
{
    return c->sector[sectors & 15u].first * (uint32_t)LOOM_SECTOR_BYTES;
}

/* The sectors of the block that are their line's. */
static inline uint8_t cache_line_sectors(const struct cache *c,
                                         uint32_t sectors)
{
    return (uint8_t)(c->expand[c->whole] << c->sector[sectors & 15u].first);
}

/* What the MSHR of an access is found by. */
static inline loom_addr cache_key(const struct cache *c,
                                  const struct loom_mem_request *r)
{
    uint32_t sectors = r->sectors & 15u;

    if (c->by_sector && sectors != 0) {
        return r->block + (loom_addr)loom_lowest(sectors) * LOOM_SECTOR_BYTES;
    }
    return r->block + cache_offset(c, sectors);
}

/* Sectors of the block that `mask` of the access's line stands for. */
static inline uint8_t cache_wanted(const struct cache *c,
                                   const struct cache_access *a, uint8_t mask)
{
    const struct cache_sector *s = &c->sector[a->request->sectors & 15];

    return (uint8_t)(c->expand[mask] << s->first);
}

/* The bytes of these sectors of a block, or-ed in. */
static inline void cache_sector_bytes(uint8_t sectors, uint64_t bytes[2])
{
    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0) {
            bytes[i / 2] |= (uint64_t)UINT32_MAX << (32 * (i % 2));
        }
    }
}

/* Makes `r`, which is like the request of `item`, the one for a sector of
 * it. */
static inline void cache_cut(const struct cache_item *item,
                             struct loom_mem_request *r, uint32_t sector)
{
    r->sectors = (uint8_t)(1u << sector);
    r->size_bytes = LOOM_SECTOR_BYTES;
    r->flags = item->flags;
    r->bypassed = item->bypassed;
    r->bypassed_by = item->bypassed_by;
    if (r->kind != LOOM_MEM_LOAD) {
        uint64_t mask = (uint64_t)UINT32_MAX << (32 * (sector % 2));

        r->bytes[0] = sector < 2 ? item->bytes[0] & mask : 0;
        r->bytes[1] = sector < 2 ? 0 : item->bytes[1] & mask;
    }
}

/* What each combination of a request's four sectors means to a line. */
void cache_make_sectors(struct cache *c);
/* Does the write bring all bytes of its sectors? */
bool cache_covers(const struct cache *c, const struct cache_access *a);
/* `size` widened to what its sectors need and narrowed to the line. */
uint8_t cache_widen(const struct cache *c, uint8_t sectors, uint32_t size);

#endif

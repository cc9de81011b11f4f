/*
 * Sectors: what the 32-byte sectors of a request's block mean to a line, which
 * may be shorter than a block's 128 bytes and has sectors of its own.
 *
 * Sector masks of a line count from the line's first sector; an unsectored
 * line is one sector.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_SECTORS_H
#define COMPONENTS_CACHE_SECTORS_H

#include "engine/component.h"

#include "components/mem_protocol.h"

/* What a request's sectors mean. */
struct cache_sector {
    uint8_t mask : 4;  /* of the line */
    uint8_t first : 2; /* sector of the block at which the line begins */
    uint8_t spans : 1; /* more than one line */
};

struct cache_sectors {
    struct cache_sector of[16]; /* by a request's sectors */
    uint8_t whole;              /* mask of all sectors of a line */
    bool by_sector;             /* an MSHR is for a sector, not a line */
    uint8_t expand[16];         /* line mask -> 32-byte sectors */
};

/* Lines of 32 to 128 bytes, of sectors of 32 to `line_bytes`. */
void cache_make_sectors(struct cache_sectors *s, uint32_t line_bytes,
                        uint32_t sector_bytes);

/* Where the line of these sectors begins in their block. */
static inline uint32_t cache_offset(const struct cache_sectors *s,
                                    uint32_t sectors)
{
    return s->of[sectors & 15u].first * (uint32_t)LOOM_SECTOR_BYTES;
}

/* The sectors of the block that are their line's. */
static inline uint8_t cache_line_sectors(const struct cache_sectors *s,
                                         uint32_t sectors)
{
    return (uint8_t)(s->expand[s->whole] << s->of[sectors & 15u].first);
}

/* What the MSHR of an access is found by. */
static inline loom_addr cache_key(const struct cache_sectors *s,
                                  const struct loom_mem_request *r)
{
    uint32_t sectors = r->sectors & 15u;

    if (s->by_sector && sectors != 0) {
        return r->block + (loom_addr)loom_lowest(sectors) * LOOM_SECTOR_BYTES;
    }
    return r->block + cache_offset(s, sectors);
}

/* Sectors of the block that `mask` of the request's line stands for. */
static inline uint8_t cache_wanted(const struct cache_sectors *s,
                                   const struct loom_mem_request *r,
                                   uint8_t mask)
{
    return (uint8_t)(s->expand[mask] << s->of[r->sectors & 15].first);
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

/* Does a write bring all bytes of the sectors `need` of its line? */
bool cache_covers(const struct cache_sectors *s,
                  const struct loom_mem_request *r, uint8_t need);
/* `size` widened to what its sectors need and narrowed to the line. */
uint8_t cache_widen(const struct cache_sectors *s, uint8_t sectors,
                    uint32_t size);

#endif

/*
 * Sectors: the tables, and questions that are not asked in every tick.
 */
#include "components/cache/sectors.h"

void cache_make_sectors(struct cache_sectors *s, uint32_t line_bytes,
                        uint32_t sector_bytes)
{
    uint32_t per_line = line_bytes / LOOM_SECTOR_BYTES;
    uint32_t per_sector = sector_bytes / LOOM_SECTOR_BYTES;

    s->whole = (uint8_t)(loom_bit(line_bytes / sector_bytes) - 1);
    for (uint32_t m = 0; m < 16; m++) {
        uint32_t first = (m == 0 ? 0 : loom_lowest(m)) / per_line * per_line;
        uint32_t mask = 0;

        for (uint32_t i = first; i < 4; i++) {
            if ((m >> i & 1) != 0) {
                mask |= 1u << ((i - first) / per_sector);
            }
        }
        s->of[m].first = first & 3u;
        s->of[m].spans = (mask & ~(uint32_t)s->whole) != 0;
        s->of[m].mask = (mask != 0 ? mask & s->whole : 1) & 15u;
        for (uint32_t i = 0; i < per_line; i++) {
            if ((m >> i / per_sector & 1) != 0) {
                s->expand[m] |= (uint8_t)(1u << i);
            }
        }
    }
}

bool cache_covers(const struct cache_sectors *s,
                  const struct loom_mem_request *r, uint8_t need)
{
    const uint64_t *bytes = r->bytes;
    uint32_t sectors = cache_wanted(s, r, need);

    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0 &&
            (uint32_t)(bytes[i / 2] >> (32 * (i % 2))) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

uint8_t cache_widen(const struct cache_sectors *s, uint8_t sectors,
                    uint32_t size)
{
    uint32_t line = cache_line_sectors(s, sectors);

    if (size <= loom_popcount(sectors) * LOOM_SECTOR_BYTES) {
        return sectors;
    }
    if (size == 64 && (sectors & 3) == 0) {
        return (uint8_t)(12 & line);
    }
    if (size == 64 && (sectors & 12) == 0) {
        return (uint8_t)(3 & line);
    }
    return (uint8_t)line;
}

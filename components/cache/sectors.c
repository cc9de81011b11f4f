/*
 * Sectors: the tables, and questions that are not asked in every tick.
 */
#include "components/cache/sectors.h"

void cache_make_sectors(struct cache *c)
{
    const struct cache_config *k = c->config;
    uint32_t sector = k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes;
    uint32_t per_line = k->line_bytes / LOOM_SECTOR_BYTES;
    uint32_t per_sector = sector / LOOM_SECTOR_BYTES;

    c->whole = (uint8_t)(loom_bit(k->line_bytes / sector) - 1);
    for (uint32_t m = 0; m < 16; m++) {
        uint32_t first = (m == 0 ? 0 : loom_lowest(m)) / per_line * per_line;
        uint32_t mask = 0;

        for (uint32_t i = first; i < 4; i++) {
            if ((m >> i & 1) != 0) {
                mask |= 1u << ((i - first) / per_sector);
            }
        }
        c->sector[m].first = first & 3u;
        c->sector[m].spans = (mask & ~(uint32_t)c->whole) != 0;
        c->sector[m].mask = (mask != 0 ? mask & c->whole : 1) & 15u;
        for (uint32_t i = 0; i < per_line; i++) {
            if ((m >> i / per_sector & 1) != 0) {
                c->expand[m] |= (uint8_t)(1u << i);
            }
        }
    }
}

bool cache_covers(const struct cache *c, const struct cache_access *a)
{
    const uint64_t *bytes = a->request->bytes;
    uint32_t sectors = cache_wanted(c, a, a->need);

    for (uint32_t i = 0; i < 4; i++) {
        if ((sectors >> i & 1) != 0 &&
            (uint32_t)(bytes[i / 2] >> (32 * (i % 2))) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

uint8_t cache_widen(const struct cache *c, uint8_t sectors, uint32_t size)
{
    uint32_t line = cache_line_sectors(c, sectors);

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

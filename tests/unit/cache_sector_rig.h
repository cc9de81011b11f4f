/*
 * Caches of sectors on the bench of cache_rig.h.
 */
#ifndef TESTS_UNIT_CACHE_SECTOR_RIG_H
#define TESTS_UNIT_CACHE_SECTOR_RIG_H

#include "tests/unit/cache_rig_run.h"

static inline struct rig *open_l2(void)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "level", "l2");
    rig_text(rig, "write_policy", "write_back");
    return rig;
}

static inline struct rig *open_split(const char *replies)
{
    struct rig *rig = open_l2();

    rig_set(rig, "sector_bytes", 32);
    rig_flag(rig, "split_sectors");
    rig_text(rig, "mshr_unit", "sector");
    rig_text(rig, "split_replies", replies);
    rig_set(rig, "data_port_bytes", 32);
    rig_set(rig, "fill_port_bytes", 32);
    return rig;
}

/* Only bytes `first` to `last` of the block. */
static inline void bytes_of(struct loom_mem_request *r, uint32_t first,
                            uint32_t last)
{
    r->bytes[0] = r->bytes[1] = 0;
    r->sectors = 0;
    for (uint32_t i = first; i <= last; i++) {
        r->bytes[i / 64] |= loom_bit(i % 64);
        r->sectors |= (uint8_t)(1u << i / 32);
    }
    r->size_bytes = (uint16_t)(32 * loom_popcount(r->sectors));
}

#endif

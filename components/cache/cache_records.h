/*
 * The records that a cache keeps: lines, MSHRs, accesses and what they wait
 * for.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_CACHE_RECORDS_H
#define COMPONENTS_CACHE_CACHE_RECORDS_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/observe_hook.h"

#define CACHE_NONE UINT32_MAX
#define CACHE_KINDS 4       /* load, store, atomic, write-back */
#define CACHE_ALIGN 64      /* of records that are looked at here and there */
#define CACHE_NO_PORT 0xffu /* number of no link of `up` */
#define CACHE_PART 64       /* of a cycle, in which atomics are timed */
#define CACHE_FEW 2         /* places of a pipeline in the cache's own record */
#define CACHE_WAYS 32       /* of a set that are listed on the stack */
#define CACHE_RANKS 256     /* warp slots whose rank is remembered */

/* Why an access waits: enum loom_fail_reason first, then the others. */
enum cache_stall {
    CACHE_STALL_DATA_PORT = LOOM_FAIL_REASONS,
    CACHE_STALL_REPLY,
    CACHE_STALL_FLUSH,
    CACHE_STALL_BANK, /* its bank takes one access per cycle */
    CACHE_STALLS,
    CACHE_DONE = CACHE_STALLS /* it does not */
};
#define CACHE_OTHER_STALLS (CACHE_STALLS - (int)LOOM_FAIL_REASONS)

/* May an access that was refused be left alone until what it was refused is
 * there? */
enum cache_patience {
    CACHE_IMPATIENT, /* a chain is asked again in each cycle */
    CACHE_PATIENT,   /* until something has come free */
    CACHE_ALONE      /* one bank, and nobody observes failures: until that is
                      * there which a load was refused */
};

/* What a part of a reply that completes nothing needs. */
enum cache_parts {
    CACHE_PARTS_FILL,   /* all that a reply needs */
    CACHE_PARTS_CHANGE, /* to be counted, and who waits to be tried again */
    CACHE_PARTS_COUNT   /* to be counted */
};

enum cache_write {
    CACHE_WRITE_EVICT,
    CACHE_WRITE_THROUGH,
    CACHE_WRITE_BACK
};

enum cache_write_miss {
    CACHE_FETCH_ON_WRITE,
    CACHE_VALIDATE,
    CACHE_LAZY,
    CACHE_WRITE_ALLOCATE,
    CACHE_NO_ALLOCATE
};

/* Sector masks.  dirty: to be written back; written: something was written
 * since the line came, so that it counts as modified; pending: on its way.  A
 * sector that is written but not valid holds some of its bytes only. */
struct cache_line {
    loom_addr tag; /* line | 1; 0: none */
    uint8_t valid, dirty, pending, written;
    uint8_t power; /* enum loom_line_power */
};

/* What is left of a line that leaves. */
struct cache_victim {
    loom_addr line;
    uint64_t bytes[2]; /* of the block; lazy caches only */
    uint8_t dirty;     /* sectors of the line */
};

/* An access held here: a request in the pipeline or in the list of an MSHR,
 * or one that is served sector by sector.  Of that, `request` is the sector
 * that is looked up, and what differs in the request stands behind it. */
struct cache_item {
    _Alignas(CACHE_ALIGN) struct loom_mem_request request;
    uint32_t next;   /* free place, of those served by sectors */
    uint32_t parent; /* request of which it is a sector, or CACHE_NONE */
    uint16_t size_bytes, reply_bits;
    uint8_t port;    /* link of `up` that it came by */
    uint8_t sectors; /* of the request */
    uint8_t left;    /* sectors that are not answered */
    bool missed;     /* one of its sectors did not hit */
    uint64_t bytes[2];
    uint8_t flags, bypassed, bypassed_by;
};

/* A place of a pipeline. */
struct cache_slot {
    loom_cycle ready; /* when it may be served */
    uint32_t parent;  /* a sector of this request; CACHE_NONE: an item */
    uint32_t sector;  /* its number in the block */
};

/* A block that was asked for below, and who waits for it.  It waits for
 * `outstanding` replies, is then ready, gives its accesses back one per cycle
 * and is freed. */
struct cache_mshr {
    _Alignas(CACHE_ALIGN) loom_addr line;
    loom_addr key;        /* the line, or the sector: what it is found by */
    uint32_t chain;       /* next of its hash bucket, + 1; 0: none */
    uint32_t ready_next;  /* next of those that are ready */
    uint32_t first, last; /* items */
    uint32_t count;       /* who wait: items and `parent` */
    uint32_t outstanding;
    uint32_t set, way;   /* the reserved line; way CACHE_NONE: none */
    uint32_t parent;     /* a sector of this request waits first, without an
                          * item; CACHE_NONE: none does */
    uint16_t reply_bits; /* for it */
    uint8_t sector;      /* its number in the block */
    uint8_t sectors;     /* 32-byte sectors of the block asked for so far */
    uint8_t arrived;     /* 32-byte sectors of the block that came in parts */
    uint8_t dirty;       /* sectors of the line that waiting writes change */
    uint8_t whole;       /* 32-byte sectors of the block that are the line's */
    bool fill;           /* a line is filled when the data comes */
    bool ready;
};

/* Why the access at one place waits and how far that is counted. */
struct cache_wait {
    loom_cycle since, counted; /* cycles up to `counted` are in statistics */
    uint32_t reason;           /* CACHE_DONE: nothing waits */
    bool failed;               /* counted in fail_accesses */
};

/* Accesses on their way through the tags, in order; one bank or several. */
struct cache_bank {
    struct cache_slot *pipe; /* [pipe_capacity] ring */
    loom_cycle due;          /* when its oldest is ready; LOOM_NEVER: empty */
    uint32_t head, count;
    struct cache_wait wait; /* of the oldest access */
    loom_cycle data_free;
    loom_addr unit_sector;          /* of the last atomic, + its mask */
    uint64_t unit_free, unit_ready; /* CACHE_PART: for another one; for one on
                                     * the same sector */
    uint32_t set;                   /* of the oldest access when it was tried */
    bool load;                      /* it was a load */
    uint8_t patience;               /* enum cache_patience, of the cache */
    uint64_t tried;                 /* cache.changes when it was tried */
    struct cache_item *item;        /* [pipe_capacity] of `pipe` */
};

/* One attempt to serve an access. */
struct cache_access {
    const struct loom_mem_request *request;
    struct cache_item *item; /* of which it is; NULL for a fill */
    struct cache_bank *bank; /* NULL for a fill or a bypass */
    loom_addr line, key;     /* key: what its MSHR is found by */
    loom_cycle now;
    uint32_t set, way; /* way CACHE_NONE: tag not present */
    uint32_t entry;    /* MSHR of a miss that fetches */
    uint8_t need;      /* sector mask */
    bool load;
    bool keeps;  /* a write stays here, dirty */
    bool forced; /* an empty span of candidates means any way */
};

static inline uint32_t cache_hash(loom_addr line, uint32_t shift)
{
    return (uint32_t)((line >> 5) * UINT64_C(0x9E3779B97F4A7C15) >> shift);
}

#endif

/*
 * The records that a cache keeps: lines, MSHRs, accesses and what they wait
 * for.  Only files in components/cache/ include this.
 *
 * Sector masks of a line count from the line's first sector; an unsectored
 * line is one sector.
 */
#ifndef COMPONENTS_CACHE_CACHE_TYPES_H
#define COMPONENTS_CACHE_CACHE_TYPES_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/cache_hook.h"
#include "policies/dram_hook.h"
#include "policies/mark_hook.h"
#include "policies/observe_hook.h"

#define CACHE_NONE UINT32_MAX
#define CACHE_KINDS 4   /* load, store, atomic, write-back */
#define CACHE_QUERIES 8 /* that may wait to be sent */
#define CACHE_ALIGN 64  /* of records that are looked at here and there */
#define CACHE_RANKS 256 /* warp slots whose rank is remembered */

/* What a token sent downwards names. */
#define CACHE_TOKEN_PASSING 0x80000000u
#define CACHE_TOKEN_QUERY 0x40000000u

/* Why an access waits: enum loom_fail_reason first, then the others. */
enum cache_stall {
    CACHE_STALL_DATA_PORT = LOOM_FAIL_REASONS,
    CACHE_STALL_REPLY,
    CACHE_STALL_FLUSH,
    CACHE_STALL_BANK, /* its bank takes one access per cycle */
    CACHE_STALLS,
    CACHE_DONE = CACHE_STALLS /* it does not */
};
#define CACHE_OTHER_STALLS (CACHE_STALLS - LOOM_FAIL_REASONS)

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
    uint8_t valid, dirty, pending, written;
    uint8_t power; /* enum loom_line_power */
};

/* What is left of a line that leaves. */
struct cache_victim {
    loom_addr line;
    uint64_t bytes[2]; /* of the block; lazy caches only */
    uint8_t dirty;     /* sectors of the line */
};

/* An access held here: in the pipeline or in the list of an MSHR. */
struct cache_item {
    _Alignas(CACHE_ALIGN) struct loom_mem_request request;
    uint32_t port;   /* link of `up` that it came by */
    uint32_t next;   /* of the list */
    uint32_t parent; /* request of which it is a sector, or CACHE_NONE */
};

/* A request that is served sector by sector. */
struct cache_parent {
    uint64_t bytes[2];
    uint32_t left; /* sectors that are not answered */
    uint16_t size_bytes, reply_bits;
    uint8_t sectors;
    bool missed; /* one of its sectors did not hit */
};

/* A block that was asked for below, and who waits for it.  It waits for
 * `outstanding` replies, is then ready, gives its accesses back one per cycle
 * and is freed. */
struct cache_mshr {
    _Alignas(CACHE_ALIGN) loom_addr line;
    loom_addr key;        /* the line, or the sector: what it is found by */
    uint32_t chain;       /* next of its hash bucket */
    uint32_t ready_next;  /* next of those that are ready */
    uint32_t first, last; /* items */
    uint32_t count;       /* of items */
    uint32_t outstanding;
    uint32_t set, way; /* the reserved line; way CACHE_NONE: none */
    uint8_t sectors;   /* 32-byte sectors of the block asked for so far */
    uint8_t arrived;   /* 32-byte sectors of the block that came in parts */
    uint8_t dirty;     /* sectors of the line that waiting writes change */
    bool fill;         /* a line is filled when the data comes */
    bool ready;
};

/* A request sent on without an MSHR: whose it was above. */
struct cache_passing {
    uint32_t src, token, port, parent;
    uint16_t reply_bits, size_bytes;
    uint8_t sectors;
    bool bypass;
};

/* Why the access at one place waits and how far that is counted. */
struct cache_wait {
    loom_cycle since, counted; /* cycles up to `counted` are in statistics */
    uint32_t reason;           /* CACHE_DONE: nothing waits */
    bool failed;               /* counted in fail_accesses */
};

/* What a request's sectors mean here. */
struct cache_sector {
    uint8_t mask;   /* of the line */
    uint8_t offset; /* of the line in the block */
    bool spans;     /* more than one line */
};

/* Accesses on their way through the tags, in order; one bank or several. */
struct cache_bank {
    struct cache_item *pipe; /* [pipe_capacity] ring */
    loom_cycle *ready;       /* [pipe_capacity] */
    uint32_t head, count;
    struct cache_wait wait; /* of the oldest access */
    loom_cycle data_free, accepted_at;
    uint64_t tried; /* cache.changes when the oldest access was tried .. */
    uint32_t set;   /* .. its set .. */
    bool load;      /* .. and kind */
};

struct cache {
    struct loom_component *self;
    const struct cache_config *config;
    struct cache_stats *stats;
    uint64_t *outcome[4]; /* hits.. by kind, in the order of the events */
    /* Lines */
    loom_addr *tag;          /* [sets * ways] line | 1; 0: none */
    struct cache_line *line; /* [sets * ways] */
    uint64_t (*bytes)[2];    /* [sets * ways] written bytes; NULL: not lazy */
    uint16_t *ways_left;     /* [ways] scratch */
    uint32_t sets, ways, lines, used;
    uint32_t active;   /* ways that may be used now */
    uint32_t modified; /* lines in which something is written */
    uint32_t line_bytes, level;
    uint8_t whole;                  /* mask of all sectors of a line */
    struct cache_sector sector[16]; /* by a request's sectors */
    uint8_t expand[16];             /* line mask -> 32-byte sectors */
    enum cache_write write;
    enum cache_write_miss write_miss;
    bool on_fill, infinite;
    bool through_allocates; /* a write that is sent on gets a line as well */
    bool by_sector;         /* an MSHR is for a sector, not for a line */
    /* MSHRs */
    struct cache_mshr *mshr;    /* [mshr_entries] */
    uint32_t *bucket;           /* [2^(64 - bucket_shift)] or CACHE_NONE */
    uint32_t *mshr_free;        /* [mshr_entries] stack */
    struct cache_item *waiting; /* [entries * merges] */
    uint32_t mshr_entries, mshr_merges;
    uint32_t bucket_shift, probe_shift, mshr_used, free_item;
    uint32_t ready_first, ready_last;
    /* Below */
    struct loom_channel *down, *from_below;
    struct loom_mem_request *queue; /* [miss_queue] ring */
    struct loom_mem_request query[CACHE_QUERIES];
    struct cache_passing *passing; /* [passing_entries] */
    uint32_t *passing_free;        /* [passing_entries] stack */
    uint32_t queue_places; /* miss_queue, and one or two for each MSHR */
    uint32_t queue_head, queue_count, query_head, query_count;
    uint32_t passing_used, queries_out;
    loom_cycle sent_at; /* last cycle in which `down` was used */
    /* Above */
    struct loom_channel **up, **from_above; /* [ports] */
    uint32_t ports, next_port;
    uint64_t incoming; /* bit per link of `up`: a request is in its channel */
    struct cache_bank *bank;               /* [banks] */
    uint32_t banks, bank_shift, bank_fold; /* fold: 0, or bits to XOR */
    uint32_t pipe_capacity, held;          /* held: accesses in all banks */
    const struct cache_bank *full;         /* the oldest request waits for it */
    struct cache_parent *parent;           /* requests served by sectors */
    uint32_t *parent_free;                 /* stack */
    uint32_t parents_used, parents;
    uint32_t split_parent; /* of the request that is being split, or NONE */
    uint32_t split_port;
    uint8_t split_left; /* its sectors that are not in a bank; 0: none */
    bool split, split_each;
    bool flushing; /* a flush is in a bank: nothing is admitted behind it */
    struct loom_bypass gate_bypass; /* verdict on the head of gate_port */
    uint32_t gate_port, gate_by;    /* CACHE_NONE: no verdict waits */
    uint32_t empty_by; /* policy that said what to do without candidates */
    /* Time */
    struct cache_wait gate;
    loom_cycle next;  /* when the last tick wanted to run again */
    uint64_t changes; /* how often something came free */
    loom_cycle fill_free;
    uint32_t data_shift, fill_shift, id;
    uint32_t in_power[3]; /* lines by enum loom_line_power */
    uint32_t flush_at;    /* next line to be flushed */
    loom_cycle mshr_counted, power_counted;
    uint16_t *rank; /* [CACHE_RANKS] */
    /* Policies */
    struct loom_binding admit, allocation, candidates, marks;
    const struct loom_replacement_ops *replacement;
    struct loom_policy *replacement_self;
    const struct loom_set_index_ops *index;
    struct loom_policy *index_self;
    const struct loom_power_ops *power; /* NULL: none */
    struct loom_policy *power_self;
    const struct loom_map_ops *map; /* NULL: none */
    struct loom_policy *map_self;
    /* The line looked up last, where it was; sectors of a line come one after
     * the other. */
    loom_addr near_line;
    uint32_t near_set, near_way;
    bool answers, fails, patient; /* chain asks; patient: no chain at all */
    bool single;                  /* one bank, one access per cycle */
    bool alone;                   /* one bank, and nobody observes failures */
    bool asleep;                  /* lines that are on are drowsy */
    struct loom_observers observers;
    struct loom_cache_host host;
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

#endif

/*
 * The inside of a cache.  Only files in components/cache/ include this.
 *
 * Tags, line states and everything a lookup touches are flat arrays indexed
 * by set * ways + way.  A tag is the line's address with bit 0 set, so that
 * zeroed memory is an empty cache.  Sector masks of a line count from the
 * line's first sector; an unsectored line is one sector.
 */
#ifndef COMPONENTS_CACHE_CACHE_PRIVATE_H
#define COMPONENTS_CACHE_CACHE_PRIVATE_H

#include "engine/component.h"

#include "components/cache/cache_config.h"
#include "components/mem_protocol.h"
#include "policies/cache_hook.h"
#include "policies/dram_hook.h"
#include "policies/mark_hook.h"

#define CACHE_NONE UINT32_MAX
#define CACHE_QUERIES 8 /* that may wait to be sent */
#define CACHE_RANKS 256 /* warp slots whose rank is remembered */

/* What a token sent downwards names. */
#define CACHE_TOKEN_PASSING 0x80000000u
#define CACHE_TOKEN_QUERY 0x40000000u

enum cache_write {
    CACHE_WRITE_EVICT,
    CACHE_WRITE_THROUGH,
    CACHE_WRITE_BACK
};

struct cache_line {
    uint8_t valid, dirty, pending; /* sector masks; pending: on their way */
    uint8_t power;                 /* enum loom_line_power */
};

/* An access held here: in the pipeline or in the list of an MSHR. */
struct cache_item {
    struct loom_mem_request request;
    uint32_t port; /* link of `up` that it came by */
    uint32_t next; /* of the list */
};

/* A block that was asked for below, and who waits for it.  It waits for
 * `outstanding` replies, is then ready, gives its accesses back one per cycle
 * and is freed. */
struct cache_mshr {
    loom_addr line;
    uint32_t chain;       /* next of its hash bucket */
    uint32_t ready_next;  /* next of those that are ready */
    uint32_t first, last; /* items */
    uint32_t count;       /* of items */
    uint32_t outstanding;
    uint32_t set, way; /* the reserved line; way CACHE_NONE: none */
    uint8_t sectors;   /* 32-byte sectors of the block asked for so far */
    uint8_t dirty;     /* sectors of the line that waiting writes change */
    bool fill;         /* a line is filled when the data comes */
    bool ready;
};

/* A request sent on without an MSHR: whose it was above. */
struct cache_passing {
    uint32_t src, token, port;
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

struct cache {
    struct loom_component *self;
    const struct cache_config *config;
    struct cache_stats *stats;
    uint64_t *outcome[4]; /* hits.. by kind, in the order of the events */
    /* Lines */
    loom_addr *tag;          /* [sets * ways] line | 1; 0: none */
    struct cache_line *line; /* [sets * ways] */
    uint16_t *ways_left;     /* [ways] scratch */
    uint32_t sets, ways, lines, used;
    uint32_t line_bytes, level;
    uint8_t whole;                  /* mask of all sectors of a line */
    struct cache_sector sector[16]; /* by a request's sectors */
    uint8_t expand[16];             /* line mask -> 32-byte sectors */
    enum cache_write write;
    bool on_fill, validate, infinite;
    /* MSHRs */
    struct cache_mshr *mshr;    /* [mshr_entries] */
    uint32_t *bucket;           /* [2^(64 - bucket_shift)] or CACHE_NONE */
    uint32_t *mshr_free;        /* [mshr_entries] stack */
    struct cache_item *waiting; /* [entries * merges] */
    uint32_t bucket_shift, probe_shift, mshr_used, free_item;
    uint32_t ready_first, ready_last;
    /* Below */
    struct loom_channel *down, *from_below;
    struct loom_mem_request *queue; /* [miss_queue] ring */
    struct loom_mem_request query[CACHE_QUERIES];
    struct cache_passing *passing; /* [passing_entries] */
    uint32_t *passing_free;        /* [passing_entries] stack */
    uint32_t queue_head, queue_count, query_head, query_count;
    uint32_t passing_used, queries_out;
    loom_cycle sent_at; /* last cycle in which `down` was used */
    /* Above */
    struct loom_channel **up, **from_above; /* [ports] */
    uint32_t ports, next_port;
    struct cache_item *pipe; /* [pipe_capacity] ring */
    loom_cycle *pipe_ready;
    uint32_t pipe_head, pipe_count, pipe_capacity;
    struct loom_bypass gate_bypass; /* verdict on the head of gate_port */
    uint32_t gate_port, gate_by;    /* CACHE_NONE: no verdict waits */
    uint32_t empty_by; /* policy that said what to do without candidates */
    /* Time */
    struct cache_wait head, gate;
    bool changed; /* something came free since the head was tried */
    loom_cycle data_free, fill_free;
    uint32_t data_shift, fill_shift, on_lines, id;
    uint32_t flush_at; /* next line to be flushed */
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
    bool answers, fails, patient; /* chain asks; patient: no chain at all */
    struct loom_observers observers;
    struct loom_cache_host host;
};

/* One attempt to serve an access. */
struct cache_access {
    const struct loom_mem_request *request;
    struct cache_item *item; /* of which it is; NULL for a fill */
    loom_addr line;
    loom_cycle now;
    uint32_t set, way; /* way CACHE_NONE: tag not present */
    uint8_t need;      /* sector mask */
    bool load;
    bool keeps;  /* a write stays here, dirty */
    bool forced; /* an empty span of candidates means any way */
};

static inline uint32_t cache_hash(loom_addr line, uint32_t shift)
{
    return (uint32_t)((line >> 5) * UINT64_C(0x9E3779B97F4A7C15) >> shift);
}

static inline uint32_t cache_at(const struct cache *c, uint32_t set,
                                uint32_t way)
{
    return set * c->ways + way;
}

static inline struct cache_line *cache_line_of(const struct cache *c,
                                               const struct cache_access *a)
{
    return &c->line[cache_at(c, a->set, a->way)];
}

/* init.c */
bool cache_validate(const void *config, struct loom_error *err);
bool cache_init(struct loom_component *self, struct loom_error *err);

/* lines.c */
uint32_t cache_find(const struct cache *c, uint32_t set, loom_addr line);
uint32_t cache_set_of(const struct cache *c, loom_addr line);
bool cache_all_reserved(const struct cache *c, uint32_t set);
/* A way for the access, or why there is none; CACHE_DONE with *way ==
 * CACHE_NONE: `bypass` says how it goes around. */
enum cache_stall cache_choose(struct cache *c, struct cache_access *a,
                              uint32_t *way, struct loom_bypass *bypass);
/* Puts the access's line in a->way, with nothing valid; whoever was there is
 * told to leave.  Returns its dirty sectors, its address in *victim. */
uint8_t cache_install(struct cache *c, const struct cache_access *a,
                      loom_addr *victim);
void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason);
/* Asks the power policy, if there is one. */
void cache_power(struct cache *c, enum loom_event_kind event,
                 const struct cache_access *a);
void cache_tell(struct cache *c, enum loom_event_kind kind,
                const struct cache_access *a);
void cache_integrate(struct cache *c, loom_cycle now);

/* below.c */
bool cache_room(struct cache *c, uint32_t requests, loom_cycle now);
bool cache_can_pass(struct cache *c, const struct loom_mem_request *request,
                    loom_cycle now);
void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now);
void cache_fetch(struct cache *c, const struct loom_mem_request *request,
                 uint32_t entry, uint8_t sectors, loom_cycle now);
void cache_write_back(struct cache *c, loom_addr line, uint8_t dirty,
                      loom_cycle now);
uint32_t cache_mshr_find(const struct cache *c, loom_addr line);
uint32_t cache_mshr_new(struct cache *c, const struct cache_access *a);
void cache_mshr_append(struct cache *c, uint32_t entry,
                       const struct cache_item *item, uint16_t reply_bits);
void cache_from_below(struct cache *c, loom_cycle now);
void cache_drain(struct cache *c, loom_cycle now);
void cache_send_down(struct cache *c, loom_cycle now);
bool cache_query(void *cache, const struct loom_mem_request *request);

/* The access is accepted; `outcome` is HIT, PENDING_HIT, MISS or BYPASS. */
void cache_count(struct cache *c, const struct cache_access *a,
                 enum loom_event_kind outcome);
uint16_t cache_answer(struct cache *c, const struct loom_mem_request *r);
/* May an access to these sectors wait in the entry? */
bool cache_joins(const struct cache *c, const struct cache_mshr *m,
                 uint8_t sectors);
void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by);
/* Number of the policy that said BYPASS, from 1; 0: nobody did. */
uint32_t cache_ask_admit(struct cache *c,
                         const struct loom_mem_request *request,
                         struct loom_bypass *how);
enum cache_stall cache_bypass(struct cache *c, struct cache_item *item,
                              loom_cycle now);

/* lookup.c */
enum cache_stall cache_serve(struct cache *c, struct cache_item *item,
                             bool again, loom_cycle now);

/* tick.c */
loom_cycle cache_tick(struct loom_component *self, loom_cycle now);
void cache_settle(struct loom_component *self, loom_cycle now);
/* Sends the access's reply up, where there must be room. */
void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay);

#endif

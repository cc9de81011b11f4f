/*
 * The inside of a cache.  Only files in components/cache/ include this.
 *
 * Tags, line states and everything a lookup touches are flat arrays indexed
 * by set * ways + way.  A tag is the line's address with bit 0 set, so that
 * zeroed memory is an empty cache.
 */
#ifndef COMPONENTS_CACHE_CACHE_PRIVATE_H
#define COMPONENTS_CACHE_CACHE_PRIVATE_H

#include "engine/component.h"

#include "components/cache/cache_types.h"
#include "components/mem_protocol.h"

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

/* init.c */
bool cache_validate(const void *config, struct loom_error *err);
bool cache_init(struct loom_component *self, struct loom_error *err);
void cache_resize(struct cache *c, uint64_t bytes);

/* lines.c: the place of a line in an infinite cache, or CACHE_NONE. */
uint32_t cache_find_infinite(const struct cache *c, loom_addr line);
uint32_t cache_set_of(struct cache *c, loom_addr line);
bool cache_all_reserved(const struct cache *c, uint32_t set);
/* A way for the access, or why there is none; CACHE_DONE with *way ==
 * CACHE_NONE: `bypass` says how it goes around. */
enum cache_stall cache_choose(struct cache *c, struct cache_access *a,
                              uint32_t *way, struct loom_bypass *bypass);
/* The same, asked only once everything else is there: `room` for requests.
 * CACHE_DONE with a->way CACHE_NONE: it has gone around. */
enum cache_stall cache_choose_or_pass(struct cache *c, struct cache_access *a,
                                      uint32_t room);
/* A way for a miss, and the means.  The ways come first, as in GPGPU-Sim,
 * whose tags are probed before MSHRs are asked for: an access that policies
 * leave no way goes around even while all MSHRs are in use. */
enum cache_stall cache_way_and_means(struct cache *c, struct cache_access *a,
                                     bool fetches, uint32_t room);
/* Puts the access's line in a->way, with nothing valid; whoever was there is
 * told to leave.  *victim says what of it must be written back. */
void cache_install(struct cache *c, const struct cache_access *a,
                   struct cache_victim *victim);
/* A line of its own in a->way, which is chosen.  `fetch`: the data comes from
 * below; otherwise the write brought it all. */
void cache_reserve(struct cache *c, struct cache_access *a, bool fetch);
/* The line is in its way: was there already, or is new. */
void cache_settle_line(struct cache *c, const struct cache_access *a,
                       bool present);
/* Sectors of a line hold something written. */
void cache_note_written(struct cache *c, uint32_t at, uint8_t sectors);
void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason);
enum cache_stall cache_flush(struct cache *c, const struct cache_item *item,
                             loom_cycle now);
void cache_drop_written(struct cache *c, const struct cache_access *a);
/* Asks the power policy; tells who has subscribed. */
void cache_ask_power(struct cache *c, enum loom_event_kind event,
                     const struct cache_access *a);
void cache_tell_watchers(struct cache *c, enum loom_event_kind kind,
                         const struct cache_access *a);
/* .. if there is one. */
static inline void cache_power(struct cache *c, enum loom_event_kind event,
                               const struct cache_access *a)
{
    if (LOOM_UNLIKELY(!c->plain) && c->power != NULL) {
        cache_ask_power(c, event, a);
    }
}
static inline void cache_tell(struct cache *c, enum loom_event_kind kind,
                              const struct cache_access *a)
{
    if (LOOM_UNLIKELY(!c->plain) && loom_observed(&c->observers, kind)) {
        cache_tell_watchers(c, kind, a);
    }
}
/* Brings the cycles of lines by their state up to `now`. */
void cache_integrate_power(struct cache *c, loom_cycle now);
/* What a power policy does between events (cache_hook.h). */
bool cache_set_power(void *cache, uint32_t set, uint32_t way,
                     enum loom_line_power state, loom_cycle now);
void cache_sleep(void *cache, bool asleep, loom_cycle now);

/* below.c */
bool cache_can_pass(struct cache *c, const struct loom_mem_request *request,
                    loom_cycle now);
void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now);
void cache_fetch(struct cache *c, const struct loom_mem_request *request,
                 uint32_t entry, uint8_t sectors, loom_cycle now);
void cache_write_back(struct cache *c, const struct cache_victim *victim,
                      loom_cycle now);
uint32_t cache_mshr_new(struct cache *c, const struct cache_access *a);
void cache_mshr_append(struct cache *c, uint32_t entry,
                       const struct cache_item *item, uint16_t reply_bits);
void cache_send_down(struct cache *c, loom_cycle now);
bool cache_query(void *cache, const struct loom_mem_request *request);

void cache_from_below(struct cache *c, loom_cycle now);
/* Takes a reply, which must be there, if it is a part of a fetch that
 * completes nothing and so is only counted. */
bool cache_take_part(struct cache *c, loom_cycle now);
/* Answers one that waits in an entry that is ready, of which there is one. */
void cache_drain(struct cache *c, loom_cycle now);

/* The access is accepted; `outcome` is HIT, PENDING_HIT, MISS or BYPASS. */
static inline void cache_count(struct cache *c, const struct cache_access *a,
                               enum loom_event_kind outcome)
{
    const struct loom_mem_request *r = a->request;
    struct cache_stats *s = c->stats;
    uint64_t *counter = outcome == LOOM_EVENT_HIT    ? s->hits_by_kind
                        : outcome == LOOM_EVENT_MISS ? s->misses_by_kind
                        : outcome == LOOM_EVENT_PENDING_HIT
                            ? s->pending_hits_by_kind
                            : s->bypasses_by_kind;

    counter[r->kind]++;
    if (c->level == LOOM_LEVEL_L1) {
        c->rank[r->warp % CACHE_RANKS] = r->rank;
    }
    if (LOOM_UNLIKELY(!c->plain)) {
        cache_tell(c, LOOM_EVENT_ACCESS, a);
        cache_tell(c, outcome, a);
    }
}

/* May an access to these sectors wait in the entry? */
bool cache_joins(const struct cache *c, const struct cache_mshr *m,
                 uint8_t sectors);
/* A miss whose block has an entry. */
enum cache_stall cache_merge(struct cache *c, struct cache_access *a,
                             uint32_t entry);
/* Goes down without a line: a write of a cache that does not allocate on
 * writes, or the verdict NO_ALLOCATE. */
enum cache_stall cache_miss_without_line(struct cache *c,
                                         struct cache_access *a);

/* lookup.c */
enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now);
/* .. a load that is not sent around, where cache.usual is set. */
enum cache_stall cache_serve_load(struct cache *c, struct cache_bank *bank,
                                  struct cache_item *item, loom_cycle now);
void cache_count_miss(struct cache *c, const struct cache_access *a);
/* Sectors of the block that `mask` of the access's line stands for. */
uint8_t cache_wanted(const struct cache *c, const struct cache_access *a,
                     uint8_t mask);
/* What else a miss needs: an MSHR if it `fetches`, room for an answer if not,
 * room for so many requests. */
enum cache_stall cache_means(struct cache *c, const struct cache_access *a,
                             bool fetches, uint32_t room);

/* writes.c: the access writes its sectors of the line that it found. */
void cache_modify(struct cache *c, const struct cache_access *a, bool dirty);
enum cache_stall cache_lazy_write(struct cache *c, struct cache_access *a);
enum cache_stall cache_write_and_fetch(struct cache *c, struct cache_access *a,
                                       uint32_t entry);
/* A copy of the host. */
bool cache_command(struct loom_component *self, const void *command,
                   struct loom_error *err);

/* tick.c */
loom_cycle cache_tick(struct loom_component *self, loom_cycle now);
/* Counts the cycles before `now`. */
void cache_settle_wait(struct cache *c, struct cache_wait *w, loom_cycle now);

/* above.c */
bool cache_may_allocate(struct cache *c, const struct cache_access *a);
/* The chain may send an access that failed around the cache. */
bool cache_fails_over(struct cache *c, struct cache_item *item,
                      enum cache_stall reason);
enum cache_stall cache_answer_query(struct cache *c, struct cache_item *item,
                                    loom_cycle now);
uint16_t cache_ask_answer(struct cache *c, const struct loom_mem_request *r);
static inline uint16_t cache_answer(struct cache *c,
                                    const struct loom_mem_request *r)
{
    return LOOM_UNLIKELY(c->answers) ? cache_ask_answer(c, r) : 0;
}
/* Number of the policy that said BYPASS, from 1; 0: nobody did. */
uint32_t cache_ask_admit(struct cache *c,
                         const struct loom_mem_request *request,
                         struct loom_bypass *how);
void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by);
enum cache_stall cache_bypass(struct cache *c, struct cache_item *item,
                              loom_cycle now);
/* An access waits; tells those who watch. */
void cache_tell_fail(struct cache *c, const struct cache_wait *w,
                     const struct loom_mem_request *r, loom_cycle now);
/* The bank of an address: lines, or pieces of them, interleaved. */
struct cache_bank *cache_bank_of(const struct cache *c,
                                 const struct loom_mem_request *r,
                                 uint8_t sectors);
/* A request that is to be served by sectors is here. */
void cache_split(struct cache *c, const struct loom_mem_request *r,
                 uint32_t port);
/* One of its sectors is done with.  False: there are others. */
bool cache_part_done(struct cache *c, struct cache_item *parent);
/* Sends the access's reply up, where there must be room. */
void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay);
/* The first one that waits in an entry gets its reply, if there is room .. */
bool cache_answer_first(struct cache *c, struct cache_mshr *m, loom_cycle now);
/* .. and with it what was said below of the block. */
void cache_tell_first(struct cache *c, struct cache_mshr *m, uint16_t bits);

#endif

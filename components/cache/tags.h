/*
 * Tags: where a line is, what of it is there, what would leave.  Nobody is
 * asked or told here but for the set of a line.  Only files in
 * components/cache/ include this.
 *
 * Tags, line states and everything a lookup touches are flat arrays indexed
 * by set * ways + way.  A tag is the line's address with bit 0 set, so that
 * zeroed memory is an empty cache.
 *
 * A line is reserved while any of its sectors is on its way; such a way can
 * neither be chosen nor dropped.  An infinite cache is one set of very many
 * ways in which a line's way is its place in a hash table with linear
 * probing: nothing leaves, and a dropped line keeps its place until a flush.
 */
#ifndef COMPONENTS_CACHE_TAGS_H
#define COMPONENTS_CACHE_TAGS_H

#include "components/cache/sectors.h"

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

bool cache_take_lines(struct cache *c);
/* The place of a line in an infinite cache: its own or the one it would take;
 * its own, or CACHE_NONE. */
uint32_t cache_probe(const struct cache *c, loom_addr line);
uint32_t cache_find_infinite(const struct cache *c, loom_addr line);
/* Another line is in use: are there too many? */
void cache_check_infinite(struct cache *c);
uint32_t cache_set_of(struct cache *c, loom_addr line);
bool cache_all_reserved(const struct cache *c, uint32_t set);

/* The way of a set that holds a line, or CACHE_NONE. */
static LOOM_INLINE uint32_t cache_find(const struct cache *c, uint32_t set,
                                       loom_addr line)
{
    const struct cache_line *lines = c->line + cache_at(c, set, 0);
    loom_addr wanted = line | 1;
    uint32_t way = 0;

    if (LOOM_UNLIKELY(c->infinite)) {
        return cache_find_infinite(c, line);
    }
    for (; way + 8 <= c->active; way += 8) { /* one branch for eight ways .. */
        uint32_t found = 0;

        for (uint32_t i = 0; i < 8; i++) {
            found |= (uint32_t)(lines[way + i].tag == wanted) << i;
        }
        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way + 4 <= c->active; way += 4) { /* .. or for four */
        uint32_t found = (uint32_t)(lines[way].tag == wanted) |
                         (uint32_t)(lines[way + 1].tag == wanted) << 1 |
                         (uint32_t)(lines[way + 2].tag == wanted) << 2 |
                         (uint32_t)(lines[way + 3].tag == wanted) << 3;

        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way < c->active; way++) {
        if (lines[way].tag == wanted) {
            return way;
        }
    }
    return CACHE_NONE;
}

/* The set of a line, and the way that holds it.  A set is a function of the
 * line alone (policies/cache_hook.h). */
static LOOM_INLINE uint32_t cache_look(struct cache *c, loom_addr line,
                                       uint32_t *way)
{
    if (line != c->near_line) {
        c->near_line = line;
        c->near_set = cache_set_of(c, line);
        c->near_way = 0;
    }
    *way = c->near_way;
    if (c->line[cache_at(c, c->near_set, *way)].tag != (line | 1)) {
        *way = cache_find(c, c->near_set, line);
        c->near_way = *way != CACHE_NONE ? *way : 0;
    }
    return c->near_set;
}

/* The ways that are not reserved, in ascending order. */
static LOOM_INLINE struct loom_ways
cache_unreserved(const struct cache *c, uint32_t set, uint16_t *room)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    struct loom_ways ways = {room, 0};

    for (uint32_t way = 0; way < c->active; way++) {
        ways.way[ways.count] = (uint16_t)way;
        ways.count += line[way].pending == 0;
    }
    return ways;
}

/* The same, a bit each.  Which they are follows no pattern that the host could
 * guess, so there are no branches. */
static LOOM_INLINE uint32_t cache_free_ways(const struct cache *c, uint32_t set)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    uint32_t ways = 0;

    for (uint32_t way = 0; way < c->active; way++) {
        ways |= (uint32_t)(line[way].pending == 0) << way;
    }
    return ways;
}

/* What a line would leave behind. */
static LOOM_INLINE struct cache_victim cache_victim_of(const struct cache *c,
                                                       uint32_t at)
{
    struct cache_victim victim = {
        .line = c->line[at].tag & ~(loom_addr)1,
        .dirty = c->line[at].dirty,
    };

    if (c->bytes != NULL) {
        victim.bytes[0] = c->bytes[at][0];
        victim.bytes[1] = c->bytes[at][1];
    }
    return victim;
}

/* Nothing is left of it. */
static LOOM_INLINE void cache_empty_line(struct cache *c, uint32_t at)
{
    struct cache_line *line = &c->line[at];

    c->modified -= line->written != 0;
    line->valid = 0;
    line->dirty = 0;
    line->written = 0;
    if (c->bytes != NULL) {
        c->bytes[at][0] = 0;
        c->bytes[at][1] = 0;
    }
}

/* Sectors of a line hold something written. */
void cache_note_written(struct cache *c, uint32_t at, uint8_t sectors);
/* The access writes its sectors of the line that it found. */
void cache_modify(struct cache *c, const struct cache_access *a, bool dirty);
/* The data of waiting writes goes into the line. */
void cache_write_line(struct cache *c, const struct cache_access *a,
                      uint8_t dirty);
/* Sectors of the line all of whose bytes are written. */
uint8_t cache_complete(const struct cache *c, uint32_t at, loom_addr line);
/* The line is there, or there is a gated one whose tag is. */
bool cache_holds(const struct cache *c, const struct cache_access *a);
/* Is there something to drop?  In an infinite cache a tag may have outlived
 * its line. */
bool cache_occupied(const struct cache *c, uint32_t at);
/* Of an infinite cache whose lines are all dropped. */
void cache_forget_tags(struct cache *c);
/* As many ways as `bytes` need are used from now on. */
void cache_resize(struct cache *c, uint64_t bytes);

/* Nothing is reserved, dirty sectors are written ones, and only a lazy cache
 * has a sector that is written but not valid. */
bool cache_check_line(const struct cache *c, uint32_t at,
                      struct loom_error *err);
/* No line is in two ways of its set. */
bool cache_check_set(const struct cache *c, uint32_t set,
                     struct loom_error *err);

#endif

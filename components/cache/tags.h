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

#include "components/cache/cache_records.h"
#include "components/cache/sectors.h"
#include "policies/cache_hook.h"
#include "policies/dram_hook.h"

struct cache_tags {
    struct cache_line *line; /* [lines]: sets * ways */
    /* The line looked up last, and where it was: sectors of a line come one
     * after the other. */
    loom_addr near_line;
    uint32_t near_set, near_way;
    uint32_t ways, active; /* of these, what may be used now */
    bool infinite;
    bool touched;               /* a line was installed once */
    uint8_t probe_shift;        /* of an infinite one */
    uint32_t sets, lines, used; /* used: of an infinite one */
    const struct loom_set_index_ops *index;
    struct loom_policy *index_self;
    const struct loom_map_ops *map; /* NULL: none */
    struct loom_policy *map_self;
    uint64_t (*bytes)[2]; /* [lines] written bytes of blocks; NULL: not lazy */
    uint32_t modified;    /* lines in which something is written */
    uint32_t line_bytes;
};

/* With its shape written above.  `lazy`: it knows which bytes are written.
 * False: no memory. */
bool cache_make_tags(struct cache_tags *t, struct loom_component *self,
                     bool lazy);

static inline uint32_t cache_at(const struct cache_tags *t, uint32_t set,
                                uint32_t way)
{
    return set * t->ways + way;
}

static inline struct cache_line *cache_line_of(const struct cache_tags *t,
                                               const struct cache_access *a)
{
    return &t->line[cache_at(t, a->set, a->way)];
}

/* The place of a line in an infinite cache: its own or the one it would take;
 * its own, or CACHE_NONE. */
uint32_t cache_probe(const struct cache_tags *t, loom_addr line);
uint32_t cache_find_infinite(const struct cache_tags *t, loom_addr line);
/* Another line of an infinite cache is in use: are there too many? */
bool cache_infinite_full(struct cache_tags *t);
uint32_t cache_set_of(struct cache_tags *t, loom_addr line);
bool cache_all_reserved(const struct cache_tags *t, uint32_t set);

/* The way of a set that holds a line, or CACHE_NONE. */
static LOOM_INLINE uint32_t cache_find(const struct cache_tags *t, uint32_t set,
                                       loom_addr line)
{
    const struct cache_line *lines = t->line + cache_at(t, set, 0);
    loom_addr wanted = line | 1;
    uint32_t way = 0;

    if (LOOM_UNLIKELY(t->infinite)) {
        return cache_find_infinite(t, line);
    }
    for (; way + 8 <= t->active; way += 8) { /* one branch for eight ways */
        uint32_t found = 0;

        for (uint32_t i = 0; i < 8; i++) {
            found |= (uint32_t)(lines[way + i].tag == wanted) << i;
        }
        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way + 4 <= t->active; way += 4) { /* or one for four */
        uint32_t found = (uint32_t)(lines[way].tag == wanted) |
                         (uint32_t)(lines[way + 1].tag == wanted) << 1 |
                         (uint32_t)(lines[way + 2].tag == wanted) << 2 |
                         (uint32_t)(lines[way + 3].tag == wanted) << 3;

        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way < t->active; way++) {
        if (lines[way].tag == wanted) {
            return way;
        }
    }
    return CACHE_NONE;
}

/* The set of a line, and the way that holds it.  A set is a function of the
 * line alone (policies/cache_hook.h). */
static LOOM_INLINE uint32_t cache_look(struct cache_tags *t, loom_addr line,
                                       uint32_t *way)
{
    if (line != t->near_line) {
        t->near_line = line;
        t->near_set = cache_set_of(t, line);
        t->near_way = 0;
    }
    *way = t->near_way;
    if (t->line[cache_at(t, t->near_set, *way)].tag != (line | 1)) {
        *way = cache_find(t, t->near_set, line);
        t->near_way = *way != CACHE_NONE ? *way : 0;
    }
    return t->near_set;
}

/* The ways that are not reserved, in ascending order. */
static LOOM_INLINE struct loom_ways
cache_unreserved(const struct cache_tags *t, uint32_t set, uint16_t *room)
{
    const struct cache_line *line = t->line + cache_at(t, set, 0);
    struct loom_ways ways = {room, 0};

    for (uint32_t way = 0; way < t->active; way++) {
        ways.way[ways.count] = (uint16_t)way;
        ways.count += line[way].pending == 0;
    }
    return ways;
}

/* The same, a bit each.  Which they are follows no pattern that the host could
 * guess, so there are no branches. */
static LOOM_INLINE uint32_t cache_free_ways(const struct cache_tags *t,
                                            uint32_t set)
{
    const struct cache_line *line = t->line + cache_at(t, set, 0);
    uint32_t ways = 0;

    for (uint32_t way = 0; way < t->active; way++) {
        ways |= (uint32_t)(line[way].pending == 0) << way;
    }
    return ways;
}

/* What a line would leave behind. */
static LOOM_INLINE struct cache_victim
cache_victim_of(const struct cache_tags *t, uint32_t at)
{
    struct cache_victim victim = {
        .line = t->line[at].tag & ~(loom_addr)1,
        .dirty = t->line[at].dirty,
    };

    if (t->bytes != NULL) {
        victim.bytes[0] = t->bytes[at][0];
        victim.bytes[1] = t->bytes[at][1];
    }
    return victim;
}

/* Nothing is left of it. */
static LOOM_INLINE void cache_empty_line(struct cache_tags *t, uint32_t at)
{
    struct cache_line *line = &t->line[at];

    t->modified -= line->written != 0;
    line->valid = 0;
    line->dirty = 0;
    line->written = 0;
    if (t->bytes != NULL) {
        t->bytes[at][0] = 0;
        t->bytes[at][1] = 0;
    }
}

/* Sectors of a line hold something written. */
void cache_note_written(struct cache_tags *t, uint32_t at, uint8_t sectors);
/* The access writes its sectors of the line that it found. */
void cache_modify(struct cache_tags *t, const struct cache_sectors *s,
                  const struct cache_access *a, bool dirty);
/* The data of waiting writes goes into the line. */
void cache_write_line(struct cache_tags *t, const struct cache_sectors *s,
                      const struct cache_access *a, uint8_t dirty);
/* Sectors of the line all of whose bytes are written. */
uint8_t cache_complete(const struct cache_tags *t,
                       const struct cache_sectors *s, uint32_t at,
                       loom_addr line);
/* The line is there, or there is a gated one whose tag is. */
bool cache_holds(const struct cache_tags *t, const struct cache_access *a);
/* Is there something to drop?  In an infinite cache a tag may have outlived
 * its line. */
static LOOM_INLINE bool cache_occupied(const struct cache_tags *t, uint32_t at)
{
    const struct cache_line *line = &t->line[at];

    return line->tag != 0 &&
           (!t->infinite || (line->valid | line->written) != 0);
}
/* Of an infinite cache whose lines are all dropped. */
void cache_forget_tags(struct cache_tags *t);
/* As many ways as `bytes` need are used from now on. */
void cache_resize(struct cache_tags *t, uint64_t bytes);

/* Nothing is reserved, dirty sectors are written ones, and only a lazy cache
 * has a sector that is written but not valid. */
bool cache_check_line(const struct cache_tags *t, uint32_t at,
                      struct loom_error *err);
/* No line is in two ways of its set. */
bool cache_check_set(const struct cache_tags *t, uint32_t set,
                     struct loom_error *err);

#endif

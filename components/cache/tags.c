/*
 * Tags: what is not done in every tick.
 */
#include "components/cache/tags.h"

bool cache_take_lines(struct cache *c)
{
    bool lazy = c->write_miss == CACHE_LAZY &&
                (c->write == CACHE_WRITE_BACK || c->through_allocates);

    c->line = loom_alloc(c->self, c->lines, sizeof(*c->line));
    c->ways_left = loom_alloc(c->self, c->ways, sizeof(*c->ways_left));
    if (lazy) {
        c->bytes = loom_alloc(c->self, c->lines, sizeof(*c->bytes));
    }
    return c->line != NULL && c->ways_left != NULL &&
           (!lazy || c->bytes != NULL);
}

/* ---- where a line is ---- */

uint32_t cache_probe(const struct cache *c, loom_addr line)
{
    uint32_t mask = c->ways - 1;
    uint32_t way = cache_hash(line, c->probe_shift);

    while (c->line[way].tag != 0 && c->line[way].tag != (line | 1)) {
        way = (way + 1) & mask;
    }
    return way;
}

uint32_t cache_find_infinite(const struct cache *c, loom_addr line)
{
    uint32_t way = cache_probe(c, line);

    return c->line[way].tag != 0 ? way : CACHE_NONE;
}

void cache_check_infinite(struct cache *c)
{
    struct loom_error err;

    if (++c->used > c->ways / 8 * 7) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "more than %u lines are in use, raise 'infinite_lines'",
                  c->used - 1);
        loom_raise(c->self, &err);
        c->used = 0; /* said once; the table itself is still sound */
    }
}

uint32_t cache_set_of(struct cache *c, loom_addr line)
{
    uint32_t set;

    if (c->infinite) {
        return 0;
    }
    if (c->map != NULL) {
        line = loom_map_local(c->map, c->map_self, line);
    }
    set = c->index->index(c->index_self, line);
    LOOM_DEBUG_CHECK(set < c->sets);
    return set;
}

bool cache_all_reserved(const struct cache *c, uint32_t set)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    bool free = false;

    if (c->infinite) {
        return false;
    }
    for (uint32_t way = 0; way < c->active; way++) {
        free |= line[way].pending == 0; /* when, nobody can guess */
    }
    return !free;
}

/* ---- what is written ---- */

void cache_note_written(struct cache *c, uint32_t at, uint8_t sectors)
{
    struct cache_line *line = &c->line[at];

    c->modified += line->written == 0 && sectors != 0;
    line->written |= sectors;
}

void cache_modify(struct cache *c, const struct cache_access *a, bool dirty)
{
    uint32_t at = cache_at(c, a->set, a->way);

    c->line[at].dirty |= dirty ? a->need : 0;
    cache_note_written(c, at, a->need);
    if (LOOM_LIKELY(c->bytes == NULL)) {
        return;
    }
    if (a->request->kind == LOOM_MEM_ATOMIC) { /* of sectors that are whole */
        cache_sector_bytes(cache_wanted(c, a, a->need), c->bytes[at]);
        return;
    }
    c->bytes[at][0] |= a->request->bytes[0];
    c->bytes[at][1] |= a->request->bytes[1];
}

void cache_write_line(struct cache *c, const struct cache_access *a,
                      uint8_t dirty)
{
    uint32_t at = cache_at(c, a->set, a->way);

    c->line[at].dirty |= dirty;
    cache_note_written(c, at, dirty);
    if (c->bytes != NULL) {
        uint32_t first =
            (uint32_t)(a->line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;

        cache_sector_bytes((uint8_t)(c->expand[dirty] << first), c->bytes[at]);
    }
}

uint8_t cache_complete(const struct cache *c, uint32_t at, loom_addr line)
{
    uint32_t first =
        (uint32_t)(line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;
    uint32_t whole = 0;

    for (uint32_t i = 0; (c->whole >> i & 1) != 0; i++) {
        uint64_t all[2] = {0, 0};

        cache_sector_bytes((uint8_t)(c->expand[1u << i] << first), all);
        if ((all[0] & ~c->bytes[at][0]) == 0 &&
            (all[1] & ~c->bytes[at][1]) == 0) {
            whole |= 1u << i;
        }
    }
    return (uint8_t)whole;
}

/* ---- what is there ---- */

bool cache_holds(const struct cache *c, const struct cache_access *a)
{
    const struct cache_line *line = cache_line_of(c, a);

    return (line->valid | line->pending | line->written) != 0;
}

bool cache_occupied(const struct cache *c, uint32_t at)
{
    const struct cache_line *line = &c->line[at];

    return c->line[at].tag != 0 &&
           (!c->infinite || (line->valid | line->written) != 0);
}

void cache_forget_tags(struct cache *c)
{
    for (uint32_t i = 0; i < c->lines; i++) {
        c->line[i].tag = 0;
    }
    c->used = 0;
}

void cache_resize(struct cache *c, uint64_t bytes)
{
    uint64_t set_bytes = (uint64_t)c->sets * c->line_bytes;
    uint64_t ways = (bytes + set_bytes / 2) / set_bytes;

    ways = ways < 1 ? 1 : ways;
    c->active = ways > c->ways ? c->ways : (uint32_t)ways;
    c->stats->ways_used = c->active;
    c->stats->resizes++;
}

/* ---- what must hold ---- */

bool cache_check_line(const struct cache *c, uint32_t at,
                      struct loom_error *err)
{
    const struct cache_line *line = &c->line[at];
    bool partial = (line->written & ~(uint32_t)line->valid) != 0;

    if (line->pending == 0 && (line->dirty & ~(uint32_t)line->written) == 0 &&
        (!partial || c->bytes != NULL) &&
        (c->infinite || at % c->ways < c->active || line->tag == 0)) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_LAW,
                     "set %u way %u: sectors valid %x, pending %x, written "
                     "%x, dirty %x",
                     at / c->ways, at % c->ways, line->valid, line->pending,
                     line->written, line->dirty);
}

bool cache_check_set(const struct cache *c, uint32_t set,
                     struct loom_error *err)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);

    for (uint32_t i = 1; !c->infinite && i < c->active; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (line[i].tag != 0 && line[i].tag == line[k].tag) {
                return loom_fail(err, LOOM_ERR_LAW,
                                 "line 0x%llx is in ways %u and %u of set %u",
                                 (unsigned long long)(line[i].tag - 1), k, i,
                                 set);
            }
        }
    }
    return true;
}

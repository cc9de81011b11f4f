/*
 * Tags: what is not done in every tick.
 */
#include "components/cache/tags.h"

#include "components/cache/cache_types.h"

bool cache_make_tags(struct cache_tags *t, struct loom_component *self,
                     bool lazy)
{
    t->near_line = UINT64_MAX; /* not a line */
    t->line = loom_alloc(self, t->lines, sizeof(*t->line));
    if (lazy) {
        t->bytes = loom_alloc(self, t->lines, sizeof(*t->bytes));
    }
    return t->line != NULL && (!lazy || t->bytes != NULL);
}

/* ---- where a line is ---- */

uint32_t cache_probe(const struct cache_tags *t, loom_addr line)
{
    uint32_t mask = t->ways - 1;
    uint32_t way = cache_hash(line, t->probe_shift);

    while (t->line[way].tag != 0 && t->line[way].tag != (line | 1)) {
        way = (way + 1) & mask;
    }
    return way;
}

uint32_t cache_find_infinite(const struct cache_tags *t, loom_addr line)
{
    uint32_t way = cache_probe(t, line);

    return t->line[way].tag != 0 ? way : CACHE_NONE;
}

bool cache_infinite_full(struct cache_tags *t)
{
    return ++t->used > t->ways / 8 * 7;
}

uint32_t cache_set_of(struct cache_tags *t, loom_addr line)
{
    uint32_t set;

    if (t->infinite) {
        return 0;
    }
    if (t->map != NULL) {
        line = loom_map_local(t->map, t->map_self, line);
    }
    set = t->index->index(t->index_self, line);
    LOOM_DEBUG_CHECK(set < t->sets);
    return set;
}

bool cache_all_reserved(const struct cache_tags *t, uint32_t set)
{
    const struct cache_line *line = t->line + cache_at(t, set, 0);
    bool free = false;

    if (t->infinite) {
        return false;
    }
    for (uint32_t way = 0; way < t->active; way++) {
        free |= line[way].pending == 0; /* when, nobody can guess */
    }
    return !free;
}

/* ---- what is written ---- */

void cache_note_written(struct cache_tags *t, uint32_t at, uint8_t sectors)
{
    struct cache_line *line = &t->line[at];

    t->modified += line->written == 0 && sectors != 0;
    line->written |= sectors;
}

void cache_modify(struct cache_tags *t, const struct cache_sectors *s,
                  const struct cache_access *a, bool dirty)
{
    uint32_t at = cache_at(t, a->set, a->way);

    t->line[at].dirty |= dirty ? a->need : 0;
    cache_note_written(t, at, a->need);
    if (LOOM_LIKELY(t->bytes == NULL)) {
        return;
    }
    if (a->request->kind == LOOM_MEM_ATOMIC) { /* of sectors that are whole */
        cache_sector_bytes(cache_wanted(s, a->request, a->need), t->bytes[at]);
        return;
    }
    t->bytes[at][0] |= a->request->bytes[0];
    t->bytes[at][1] |= a->request->bytes[1];
}

void cache_write_line(struct cache_tags *t, const struct cache_sectors *s,
                      const struct cache_access *a, uint8_t dirty)
{
    uint32_t at = cache_at(t, a->set, a->way);

    t->line[at].dirty |= dirty;
    cache_note_written(t, at, dirty);
    if (t->bytes != NULL) {
        uint32_t first =
            (uint32_t)(a->line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;

        cache_sector_bytes((uint8_t)(s->expand[dirty] << first), t->bytes[at]);
    }
}

uint8_t cache_complete(const struct cache_tags *t,
                       const struct cache_sectors *s, uint32_t at,
                       loom_addr line)
{
    uint32_t first =
        (uint32_t)(line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;
    uint32_t whole = 0;

    for (uint32_t i = 0; (s->whole >> i & 1) != 0; i++) {
        uint64_t all[2] = {0, 0};

        cache_sector_bytes((uint8_t)(s->expand[1u << i] << first), all);
        if ((all[0] & ~t->bytes[at][0]) == 0 &&
            (all[1] & ~t->bytes[at][1]) == 0) {
            whole |= 1u << i;
        }
    }
    return (uint8_t)whole;
}

/* ---- what is there ---- */

bool cache_holds(const struct cache_tags *t, const struct cache_access *a)
{
    const struct cache_line *line = cache_line_of(t, a);

    return (line->valid | line->pending | line->written) != 0;
}

void cache_forget_tags(struct cache_tags *t)
{
    for (uint32_t i = 0; i < t->lines; i++) {
        t->line[i].tag = 0;
    }
    t->used = 0;
}

void cache_resize(struct cache_tags *t, uint64_t bytes)
{
    uint64_t set_bytes = (uint64_t)t->sets * t->line_bytes;
    uint64_t ways = (bytes + set_bytes / 2) / set_bytes;

    ways = ways < 1 ? 1 : ways;
    t->active = ways > t->ways ? t->ways : (uint32_t)ways;
}

/* ---- what must hold ---- */

bool cache_check_line(const struct cache_tags *t, uint32_t at,
                      struct loom_error *err)
{
    const struct cache_line *line = &t->line[at];
    bool partial = (line->written & ~(uint32_t)line->valid) != 0;

    if (line->pending == 0 && (line->dirty & ~(uint32_t)line->written) == 0 &&
        (!partial || t->bytes != NULL) &&
        (t->infinite || at % t->ways < t->active || line->tag == 0)) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_LAW,
                     "set %u way %u: sectors valid %x, pending %x, written "
                     "%x, dirty %x",
                     at / t->ways, at % t->ways, line->valid, line->pending,
                     line->written, line->dirty);
}

bool cache_check_set(const struct cache_tags *t, uint32_t set,
                     struct loom_error *err)
{
    const struct cache_line *line = t->line + cache_at(t, set, 0);

    for (uint32_t i = 1; !t->infinite && i < t->active; i++) {
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

/*
 * Lines come and leave.
 */
#include "components/cache/place.h"

#include "components/cache/ask.h"
#include "components/cache/pipe.h"
#include "components/cache/power.h"
#include "components/cache/tell.h"

void cache_install(struct cache *c, const struct cache_access *a,
                   struct cache_victim *victim)
{
    uint32_t at = cache_at(c, a->set, a->way);

    *victim = cache_victim_of(c, at);
    if (c->line[at].tag != 0 && victim->line != a->line) {
        c->stats->evictions++;
        cache_tell_evict(c, a, victim->line, LOOM_EVICT_CAPACITY);
        cache_power(c, LOOM_EVENT_EVICT, a);
    } else if (LOOM_UNLIKELY(c->infinite) && c->line[at].tag == 0) {
        cache_check_infinite(c);
    }
    c->line[at].tag = a->line | 1;
    cache_empty_line(c, at);
}

/* Puts the line in a->way, where it may be already. */
static bool place(struct cache *c, const struct cache_access *a,
                  struct cache_victim *victim)
{
    uint32_t at = cache_at(c, a->set, a->way);
    const struct cache_line *line = &c->line[at];

    if (line->tag == (a->line | 1) &&
        (line->valid | line->pending | line->written) != 0) {
        return true;
    }
    cache_install(c, a, victim);
    return false;
}

void cache_settle_line(struct cache *c, const struct cache_access *a,
                       bool present)
{
    if (present) {
        cache_promote(c, a->request, a->set, a->way);
        return;
    }
    cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    cache_inserted(c, a->request, a->set, a->way);
}

void cache_reserve(struct cache *c, struct cache_access *a, bool fetch)
{
    uint32_t at = cache_at(c, a->set, a->way);
    struct cache_victim victim = {0};
    bool present = place(c, a, &victim);
    uint8_t missing = a->need & (uint8_t)~c->line[at].valid;

    if (fetch) {
        c->line[at].pending |= missing;
    } else {
        c->line[at].valid |= a->need;
        cache_modify(c, a, true);
    }
    cache_settle_line(c, a, present);
    if (fetch) {
        c->mshr[a->entry].way = a->way;
        cache_fetch(c, a->request, a->entry, cache_wanted(c, a, missing),
                    a->now);
    }
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(c, a->bank, c->line_bytes, a->now);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
}

void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason)
{
    uint32_t at = cache_at(c, a->set, a->way);
    loom_addr block = c->line[at].tag & ~(loom_addr)1;

    cache_tell_evict(c, a, block, reason);
    cache_empty_line(c, at);
    if (!c->infinite) {
        c->line[at].tag = 0;
    }
    if (c->replacement->invalidated != NULL) {
        c->replacement->invalidated(c->replacement_self, a->set, a->way);
    }
    cache_power(c, LOOM_EVENT_EVICT, a);
}

/* A write-evict cache drops what is written: the sectors, if others of the
 * line stay and nothing in it is newer than below (GPGPU-Sim 4, wr_hit_we). */
void cache_drop_written(struct cache *c, const struct cache_access *a)
{
    struct cache_line *line = cache_line_of(c, a);

    if (c->bytes == NULL && (line->valid & ~(uint32_t)a->need) != 0 &&
        (line->written & a->need) == 0) {
        line->valid &= (uint8_t) ~(uint32_t)a->need;
        return;
    }
    c->stats->write_evictions++;
    cache_drop(c, a, LOOM_EVICT_WRITE);
}

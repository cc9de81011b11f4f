/*
 * Lines come and leave.
 */
#include "components/cache/place.h"

void cache_check_infinite(struct cache *c)
{
    struct loom_error err;

    if (cache_infinite_full(&c->tags)) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "more than %u lines are in use, raise 'infinite_lines'",
                  c->tags.used - 1);
        loom_raise(c->self, &err);
        c->tags.used = 0; /* said once; the table itself is still sound */
    }
}

void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason)
{
    uint32_t at = cache_at(&c->tags, a->set, a->way);
    loom_addr block = c->tags.line[at].tag & ~(loom_addr)1;

    cache_tell_evict(c, a, block, reason);
    cache_empty_line(&c->tags, at);
    if (!c->tags.infinite) {
        c->tags.line[at].tag = 0;
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
    struct cache_line *line = cache_line_of(&c->tags, a);

    if (c->tags.bytes == NULL && (line->valid & ~(uint32_t)a->need) != 0 &&
        (line->written & a->need) == 0) {
        line->valid &= (uint8_t) ~(uint32_t)a->need;
        return;
    }
    c->stats->write_evictions++;
    cache_drop(c, a, LOOM_EVICT_WRITE);
}

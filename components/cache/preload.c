/*
 * Copies of the host that leave their data here (GPGPU-Sim 4,
 * -gpgpu_perf_sim_memcpy): each line of the range that this slice holds is put
 * into the tags, at once and without a message.  It takes the way that a miss
 * would take; nothing of the line that leaves is written back, as the copy is
 * not part of the machine's time either.  A line on its way is left alone.
 */
#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/place.h"
#include "components/cache/power.h"
#include "components/cache/tell.h"

/* The bytes [from, end) as a request for them, of one line. */
static struct loom_mem_request request_for(const struct cache *c,
                                           loom_addr from, loom_addr end)
{
    struct loom_mem_request r = {
        .block = from & ~(loom_addr)(LOOM_BLOCK_BYTES - 1),
        .src = c->id,
        .kind = LOOM_MEM_LOAD,
        .space = LOOM_SPACE_GLOBAL,
        .accesses = 1,
    };

    for (loom_addr at = from & ~(loom_addr)(LOOM_SECTOR_BYTES - 1); at < end;
         at += LOOM_SECTOR_BYTES) {
        r.sectors |= (uint8_t)(1u << (at - r.block) / LOOM_SECTOR_BYTES);
    }
    r.size_bytes = (uint16_t)(loom_popcount(r.sectors) * LOOM_SECTOR_BYTES);
    cache_sector_bytes(r.sectors, r.bytes);
    return r;
}

static bool holds_here(const struct cache *c, loom_addr line)
{
    return c->tags.map == NULL ||
           loom_map_slice(c->tags.map, c->tags.map_self, line) ==
               loom_component_index(c->self);
}

/* A way for a line that is not there; false: none is free. */
static bool make_room(struct cache *c, struct cache_access *a)
{
    struct loom_bypass ignored = {0};
    struct cache_victim dropped;

    if (cache_choose(c, a, &a->way, &ignored) != CACHE_DONE ||
        a->way == CACHE_NONE) {
        return false;
    }
    cache_install(c, a, &dropped, false);
    if (c->config->preload_last) { /* its place is as old as before */
        cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    } else {
        cache_settle_line(c, a, false, false);
    }
    return true;
}

static void preload_line(struct cache *c, loom_addr from, loom_addr end)
{
    struct loom_mem_request r = request_for(c, from, end);
    struct cache_access a = {
        .request = &r,
        .line = from & ~(loom_addr)(c->tags.line_bytes - 1),
        .now = c->mshrs.counted, /* when something last changed */
        .need = c->sectors.of[r.sectors].mask,
    };
    struct cache_line *line;

    if (!holds_here(c, a.line)) {
        return;
    }
    a.set = cache_set_of(&c->tags, a.line);
    a.way = cache_find(&c->tags, a.set, a.line);
    if (a.way == CACHE_NONE) {
        if (!make_room(c, &a)) {
            return;
        }
    } else if (!c->config->preload_last) {
        cache_promote(c, &r, a.set, a.way);
    }
    line = cache_line_of(&c->tags, &a);
    line->valid |= a.need & (uint8_t)~line->pending;
    c->stats->preloaded_lines++;
    cache_tell(c, LOOM_EVENT_FILL, &a);
    cache_power(c, LOOM_EVENT_FILL, &a);
}

bool cache_command(struct loom_component *self, const void *command,
                   struct loom_error *err)
{
    struct cache *c = loom_state(self);
    const struct loom_mem_command *range = command;
    loom_addr end = range->address + range->bytes;

    if (range->future != NULL) {
        c->future = range->future;
        loom_stay_asleep(self);
        return true;
    }
    if (!c->config->preload) {
        return loom_fail(err, LOOM_ERR_CONFIG, "'%s' has preload = false",
                         loom_component_path(self));
    }
    for (loom_addr at = range->address; at < end;) {
        loom_addr next = (at | (c->tags.line_bytes - 1)) + 1;

        preload_line(c, at, next < end ? next : end);
        at = next;
    }
    cache_retry(c); /* what a load was refused may be there now */
    loom_stay_asleep(self);
    return true;
}

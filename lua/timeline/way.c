/*
 * The way of an access: from its instruction's issue through the caches to
 * DRAM and back, as parts that follow each other.
 *
 * Where something did not happen, or not seen, the part that is under way goes
 * on: so parts always add up.
 */
#include "lua/timeline/timeline_private.h"

/* Parts so far. */
struct way {
    struct tl_part *part;
    uint32_t count;
    loom_time at, done;
};

/* Names by level: L1, L1.5, L2, L3. */
#define BY_LEVEL(what)                                                         \
    {                                                                          \
        "L1 " what, "L1.5 " what, "L2 " what, "L3 " what                       \
    }

static const char *const lookup[] = BY_LEVEL("look-up");
static const char *const wait[] = BY_LEVEL("wait");
static const char *const queue[] = BY_LEVEL("miss queue");
static const char *const merged[] = BY_LEVEL("merged");
static const char *const fill[] = BY_LEVEL("fill");

/* `name` lasts until `end`; 0: unknown. */
static void until(struct way *way, const char *name, loom_time end)
{
    end = end < way->done ? end : way->done;
    if (end <= way->at || way->count == TL_PARTS) {
        return;
    }
    way->part[way->count++] = (struct tl_part){name, end};
    way->at = end;
}

loom_time tl_answered(const struct tl_sector *sector)
{
    for (uint32_t l = 0; l < TL_LEVELS; l++) {
        if (sector->level[l].accepted != 0) {
            return sector->level[l].reply;
        }
    }
    return 0;
}

const struct tl_sector *tl_last_sector(const struct tl_access *access)
{
    const struct tl_sector *last = &access->sector[0];

    for (uint32_t i = 1; i < TL_SECTORS; i++) {
        if (tl_answered(&access->sector[i]) > tl_answered(last)) {
            last = &access->sector[i];
        }
    }
    return last;
}

/* Down; returns the lowest level that it has reached, or TL_LEVELS. */
static uint32_t down(struct way *way, const struct tl_sector *sector)
{
    uint32_t lowest = TL_LEVELS;

    for (uint32_t l = 0; l < TL_LEVELS; l++) {
        const struct tl_stamps *s = &sector->level[l];

        if (s->accepted == 0) {
            continue;
        }
        until(way, lowest == TL_LEVELS ? "queue" : "NoC out", s->arrived);
        until(way, lookup[l], s->seen);
        until(way, wait[l], s->accepted);
        until(way, queue[l], s->sent);
        lowest = l;
    }
    until(way, "to DRAM", sector->queued);
    until(way, "DRAM queue", sector->column);
    until(way, "DRAM", sector->data);
    return lowest;
}

uint32_t tl_parts(const struct tl_sector *sector, loom_time born,
                  loom_time done, struct tl_part part[TL_PARTS])
{
    struct way way = {part, 0, born, done};
    uint32_t lowest = down(&way, sector);
    const char *back = "DRAM back";

    for (uint32_t l = lowest; lowest != TL_LEVELS && l < TL_LEVELS; l--) {
        const struct tl_stamps *s = &sector->level[l];

        if (s->accepted == 0) {
            continue;
        }
        if (l == lowest && s->sent == 0) {
            until(&way,
                  s->outcome == LOOM_EVENT_PENDING_HIT ? merged[l] : lookup[l],
                  s->reply);
        } else if (s->fill != 0) {
            until(&way, back, s->fill);
            until(&way, fill[l], s->reply);
        } else {
            until(&way, back, s->reply);
        }
        back = "NoC back";
    }
    until(&way, lowest == TL_LEVELS ? "execution" : "write-back", done);
    return way.count;
}

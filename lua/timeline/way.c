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

/* Places by level. */
static const uint8_t in_level[] = {TL_IN_L1, TL_IN_MIDDLE, TL_IN_L2, TL_IN_L3};

/* `name`, at a place, lasts until `end`; 0: unknown. */
static void until(struct way *way, const char *name, enum tl_place place,
                  loom_time end)
{
    end = end < way->done ? end : way->done;
    if (end <= way->at || way->count == TL_PARTS) {
        return;
    }
    way->part[way->count++] = (struct tl_part){name, end, (uint8_t)place};
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
        until(way, lowest == TL_LEVELS ? "queue" : "NoC out",
              lowest == TL_LEVELS ? TL_QUEUE : TL_NOC_OUT, s->arrived);
        until(way, lookup[l], in_level[l], s->seen);
        until(way, wait[l], in_level[l], s->accepted);
        until(way, queue[l], in_level[l], s->sent);
        lowest = l;
    }
    until(way, "to DRAM", TL_DRAM_QUEUE, sector->queued);
    until(way, "DRAM queue", TL_DRAM_QUEUE, sector->column);
    until(way, "DRAM", TL_IN_DRAM, sector->data);
    return lowest;
}

/* Up through the lowest level that it has reached: its data came there, or
 * was there, or comes with another access. */
static void answer(struct way *way, const struct tl_stamps *s, uint32_t l)
{
    if (s->outcome == LOOM_EVENT_PENDING_HIT) {
        until(way, merged[l], TL_IN_MERGED, s->reply);
    } else {
        until(way, lookup[l], in_level[l], s->reply);
    }
}

uint32_t tl_parts(const struct tl_sector *sector, loom_time born,
                  loom_time done, struct tl_part part[TL_PARTS])
{
    struct way way = {part, 0, born, done};
    uint32_t lowest = down(&way, sector);
    enum tl_place place = TL_IN_DRAM; /* of what follows */

    for (uint32_t l = lowest; lowest != TL_LEVELS && l < TL_LEVELS; l--) {
        const struct tl_stamps *s = &sector->level[l];
        const char *back = place == TL_IN_DRAM ? "DRAM back" : "NoC back";

        if (s->accepted == 0) {
            continue;
        }
        if (l == lowest && s->sent == 0) {
            answer(&way, s, l);
        } else if (s->fill != 0) {
            until(&way, back, place, s->fill);
            until(&way, fill[l], in_level[l], s->reply);
        } else {
            until(&way, back, place, s->reply);
        }
        place = TL_NOC_BACK;
    }
    until(&way, lowest == TL_LEVELS ? "execution" : "write-back",
          lowest == TL_LEVELS ? TL_EXECUTION : TL_WRITE_BACK, done);
    return way.count;
}

/*
 * Shadows of memory: who wrote it, and whether anybody did.
 *
 * Races are found with vector clocks, as race detectors of threads do: each
 * warp counts the barriers it has passed, and knows for each other warp up
 * to which of that warp's counts it has waited for it.  An access races with
 * an earlier one of another warp that it does not know of, unless both read
 * or both are atomics.  A byte remembers its last writer and the last two
 * warps that read it, so the first race of a byte is found, if not each.
 * Threads of one warp do not race: they execute together here.
 *
 * Barriers order warps (bar, barrier); other ways to order them (mbarrier,
 * flags in memory with fences) are not known, and count as none.
 */
#include "workloads/ptx/exec_check.h"

#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"

/* An access: warp number + 1, 0 for none; and the warp's count then. */
struct touch {
    uint32_t count;
    uint32_t op; /* whose it was */
    uint16_t warp;
    bool atomic;
};

struct byte_shadow {
    struct touch write, read[2];
};

struct exec_races {
    struct byte_shadow *byte; /* [shared_bytes] */
    uint32_t *known; /* [warps][warps]: what a warp knows of another one;
                      * its own count on the diagonal */
    uint32_t *came;  /* [EXEC_BARRIERS][warps]: what those that came know */
};

struct exec_races *ptx_races_create(const struct exec_launch *launch)
{
    struct exec_races *races = calloc(1, sizeof(*races));
    size_t warps = launch->warps;

    if (races == NULL) {
        return NULL;
    }
    races->byte =
        calloc(launch->kernel.shared_bytes + 1u, sizeof(*races->byte));
    races->known = calloc(warps * warps, sizeof(*races->known));
    races->came = calloc(EXEC_BARRIERS * warps, sizeof(*races->came));
    if (races->byte == NULL || races->known == NULL || races->came == NULL) {
        ptx_races_free(races);
        return NULL;
    }
    return races;
}

void ptx_races_free(struct exec_races *races)
{
    if (races != NULL) {
        free(races->byte);
        free(races->known);
        free(races->came);
        free(races);
    }
}

void ptx_races_start(struct exec_launch *launch)
{
    struct exec_races *races = launch->races;
    size_t warps = launch->warps;

    memset(races->byte, 0, launch->kernel.shared_bytes * sizeof(*races->byte));
    memset(races->known, 0, warps * warps * sizeof(*races->known));
    memset(races->came, 0, EXEC_BARRIERS * warps * sizeof(*races->came));
    for (uint32_t w = 0; w < launch->warps; w++) {
        races->known[w * launch->warps + w] = 1;
    }
}

static void join_into(uint32_t *to, const uint32_t *from, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        to[w] = to[w] > from[w] ? to[w] : from[w];
    }
}

void ptx_races_arrive(struct exec_launch *launch, const struct exec_warp *warp,
                      uint32_t barrier)
{
    struct exec_races *races = launch->races;
    uint32_t *own = races->known + (size_t)warp->number * launch->warps;

    join_into(races->came + (size_t)barrier * launch->warps, own,
              launch->warps);
    own[warp->number]++; /* what comes later is not before the barrier */
}

void ptx_races_release(struct exec_launch *launch, uint32_t barrier)
{
    struct exec_races *races = launch->races;
    uint32_t *came = races->came + (size_t)barrier * launch->warps;

    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_WAITS && warp->barrier == barrier) {
            join_into(races->known + (size_t)w * launch->warps, came,
                      launch->warps);
        }
    }
    memset(came, 0, launch->warps * sizeof(*came));
}

/* Does this warp know that `touch` is over? */
static bool ordered(const struct exec_launch *launch,
                    const struct exec_warp *warp, const struct touch *touch)
{
    const uint32_t *own =
        launch->races->known + (size_t)warp->number * launch->warps;

    return touch->warp == 0 || touch->warp == warp->number + 1 ||
           touch->count <= own[touch->warp - 1];
}

static bool report_race(struct exec_launch *launch,
                        const struct exec_warp *warp, const struct exec_op *op,
                        loom_addr at, const struct touch *other,
                        const char *what)
{
    const struct exec_code *code = launch->code;

    return ptx_fault(launch, warp, op,
                     "a race in shared memory: byte 0x%llx was %s by warp %u "
                     "at pc 0x%x, and there is no barrier in between",
                     (unsigned long long)at, what, other->warp - 1u,
                     code->inst[other->op].pc);
}

static bool touch_byte(struct exec_launch *launch, const struct exec_warp *warp,
                       const struct exec_op *op, loom_addr at)
{
    struct byte_shadow *b = &launch->races->byte[at];
    const struct touch now = {
        launch->races
            ->known[(size_t)warp->number * launch->warps + warp->number],
        op->index, (uint16_t)(warp->number + 1), op->kind == EXEC_ATOMIC};

    if (!(now.atomic && b->write.atomic) && !ordered(launch, warp, &b->write)) {
        return report_race(launch, warp, op, at, &b->write, "written");
    }
    if (!ptx_writes(op)) {
        if (b->read[0].warp != now.warp) {
            b->read[1] = b->read[0];
        }
        b->read[0] = now;
        return true;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (!ordered(launch, warp, &b->read[i])) {
            return report_race(launch, warp, op, at, &b->read[i], "read");
        }
    }
    b->write = now;
    return true;
}

static bool check_races(struct exec_launch *launch,
                        const struct exec_warp *warp, const struct exec_op *op,
                        const struct exec_access *access)
{
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        loom_addr at = access->address[loom_lowest(left)];

        for (uint32_t i = 0; i < access->bytes; i++) {
            if (!touch_byte(launch, warp, op, at + i)) {
                return false;
            }
        }
    }
    return true;
}

static bool check_written(struct exec_launch *launch,
                          const struct exec_warp *warp,
                          const struct exec_op *op,
                          const struct exec_access *access)
{
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        loom_addr at = access->address[lane];
        struct loom_allocation a;

        if (op->kind == EXEC_STORE) {
            loom_memory_mark(launch->memory, at, access->bytes);
        } else if (!loom_memory_written(launch->memory, at, access->bytes) &&
                   loom_memory_nearest(launch->memory, at, &a)) {
            return ptx_fault(launch, warp, op,
                             "thread %u: reads %u bytes at 0x%llx ('%.48s' + "
                             "%llu) that nobody has written",
                             warp->number * LOOM_WARP_LANES + lane,
                             access->bytes, (unsigned long long)at, a.name,
                             (unsigned long long)(at - a.base));
        }
    }
    return true;
}

bool ptx_check_access(struct exec_launch *launch, const struct exec_warp *warp,
                      const struct exec_op *op,
                      const struct exec_access *access)
{
    if (access->space == EXEC_SHARED && launch->races != NULL) {
        return check_races(launch, warp, op, access);
    }
    if (access->space == EXEC_GLOBAL &&
        (launch->watch & LOOM_WATCH_UNINITIALISED) != 0) {
        return check_written(launch, warp, op, access);
    }
    return true;
}

bool ptx_takes_tickets(const struct exec_code *code)
{
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct loom_static_inst *inst = &code->inst[i];

        if (inst->op == LOOM_OP_ATOMIC && inst->loop != LOOM_NO_LOOP &&
            inst->space == LOOM_SPACE_GLOBAL &&
            (inst->flags & LOOM_INST_RETURNS) != 0) {
            return true;
        }
    }
    return false;
}

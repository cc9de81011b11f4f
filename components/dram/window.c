/*
 * A window of entries in front of a queue that is longer.
 *
 * Entries are what policies see, 64 at most.  Where more requests wait than
 * that, the rest is in a list for each bank, in order of arrival, and what may
 * be next has an entry: of each bank the oldest request for another row than
 * the open one, and the oldest read and the oldest write of the open row.
 * Where reads and writes have places of their own, the oldest of both for
 * another row.  No policy that goes by rows and age has any use for others.
 * Entries that are not next any more, as another row was opened, stay.
 *
 * A policy that assigns requests has two lines of them first, reads and writes;
 * they give their places free and come to the list of their bank when they are
 * assigned, and that is their order.
 *
 * Invariant: at the end of a cycle the oldest request of every bank has an
 * entry; so has, where reads and writes have places of their own, a read if any
 * waits, and a write, or a policy that serves one side would find nobody.  So
 * an entry is kept for each bank that has none, and for each side.
 */
#include <string.h>

#include "components/dram/entry.h"

enum category {
    MISS_READ,
    MISS_WRITE,
    HIT_READ,
    HIT_WRITE,
    CATEGORIES
};

enum {
    SIDES = 2
};

static void wait_in_line(struct dram *dram, const struct dram_enter *in)
{
    struct loom_schedule_queue *queue = &dram->backlog.queue;
    uint32_t number = in->way.record, side = in->write ? 1 : 0;

    dram->backlog.later[number] = (struct dram_later){
        .way = in->way, .bytes = in->bytes, .column = in->column};
    dram->backlog.request[number] = (struct loom_schedule_request){
        .order = in->order,
        .row = in->row,
        .next = LOOM_SCHEDULE_NONE,
        .bank = (uint8_t)in->bank,
        .write = in->write,
    };
    if (queue->line[side] == LOOM_SCHEDULE_NONE) {
        queue->line[side] = number;
    } else {
        dram->backlog.request[dram->backlog.last[side]].next = number;
    }
    dram->backlog.last[side] = number;
    dram->assigning = true;
}

void dram_deep_queue(struct dram *dram, const struct dram_enter *in)
{
    if (dram->assigns) {
        wait_in_line(dram, in);
        return;
    }
    dram_put_off(dram, in);
    dram->backlog.stale |= loom_bit(in->bank);
}

void dram_deep_open(struct dram *dram, uint32_t number)
{
    struct dram_wait *wait = &dram->wait[number];

    if (!wait->out) {
        wait->out = true;
        dram_count_queue(dram, (dram->view.writes >> number & 1) != 0, -1);
    }
}

/* ---- assigning ---- */

/* Request `number` leaves the line it is in. */
static void leave_line(struct dram *dram, uint32_t number)
{
    struct loom_schedule_request *request = dram->backlog.request;
    uint32_t side = request[number].write ? 1 : 0;
    uint32_t *at = &dram->backlog.queue.line[side];
    uint32_t before = LOOM_SCHEDULE_NONE;

    while (*at != number) {
        before = *at;
        LOOM_CHECK(before != LOOM_SCHEDULE_NONE);
        at = &request[before].next;
    }
    *at = request[number].next;
    if (dram->backlog.last[side] == number) {
        dram->backlog.last[side] = before;
    }
}

static void assign(struct dram *dram)
{
    uint32_t number =
        dram->schedule_ops->assign(dram->schedule, &dram->backlog.queue);
    const struct loom_schedule_request *request;
    const struct dram_later *later;
    struct dram_enter in;

    dram->assigning = number != LOOM_SCHEDULE_NONE;
    if (!dram->assigning) {
        return;
    }
    request = &dram->backlog.request[number];
    later = &dram->backlog.later[number];
    in = (struct dram_enter){
        .way = later->way,
        .order = dram->backlog.assigned++,
        .bank = request->bank,
        .row = request->row,
        .column = later->column,
        .bytes = later->bytes,
        .write = request->write,
    };
    leave_line(dram, number);
    dram_count_queue(dram, in.write, -1);
    dram_put_off(dram, &in);
    dram->backlog.stale |= loom_bit(in.bank);
}

/* ---- the window ---- */

/* Do reads and writes have places of their own, also here? */
static bool apart(const struct dram *dram)
{
    return dram->config->write_entries != 0 && !dram->assigns;
}

static enum category category(const struct dram *dram, uint32_t number,
                              uint32_t row, bool write)
{
    const struct dram_bank *bank = &dram->bank[number];

    if (bank->open && bank->row == row) {
        return write ? HIT_WRITE : HIT_READ;
    }
    return write && apart(dram) ? MISS_WRITE : MISS_READ;
}

/* May a request have an entry that is not the oldest of its bank? */
static bool has_spare(const struct dram *dram)
{
    uint32_t taken = loom_popcount(dram->view.waiting);
    uint32_t kept = loom_popcount(dram->backlog.stale) + SIDES;

    for (uint32_t b = 0; b < dram->banks; b++) {
        kept += dram->bank[b].entries == 0 ? 1 : 0;
    }
    return taken + kept < DRAM_ENTRIES;
}

/* May another request have an entry, the oldest of its bank or another?  Of 64
 * banks one may have to wait for it, as two places are kept for the sides. */
static bool may_enter(const struct dram *dram, bool oldest)
{
    uint32_t taken = loom_popcount(dram->view.waiting);

    if (!oldest) {
        return has_spare(dram);
    }
    return taken + (apart(dram) ? SIDES : 0) < DRAM_ENTRIES;
}

static void bring(struct dram *dram, uint32_t number, loom_cycle now)
{
    struct dram_enter in;

    dram_take_out(dram, number, &in);
    dram_enter(dram, &in, loom_lowest(~dram->view.waiting), now + 1);
}

/* Brings the requests of a bank that may be next into entries.  False if there
 * was no place for the oldest. */
static bool look_at_bank(struct dram *dram, uint32_t bank, loom_cycle now)
{
    const struct loom_schedule_request *request = dram->backlog.request;
    uint64_t best[CATEGORIES], oldest = UINT64_MAX;
    uint32_t number = LOOM_SCHEDULE_NONE;
    bool good = true;

    memset(best, -1, sizeof(best));
    for (uint64_t rest = dram->bank[bank].entries; rest != 0;
         rest &= rest - 1) {
        uint32_t e = loom_lowest(rest);
        enum category c = category(dram, bank, dram->entry[e].row,
                                   (dram->view.writes >> e & 1) != 0);
        uint64_t order = dram->entry[e].order;

        best[c] = order < best[c] ? order : best[c];
        oldest = order < oldest ? order : oldest;
    }
    if ((dram->backlog.queue.banks >> bank & 1) != 0) {
        number = dram->backlog.oldest[bank];
    }
    while (number != LOOM_SCHEDULE_NONE) {
        uint32_t next = request[number].next;
        uint64_t order = request[number].order;
        enum category c =
            category(dram, bank, request[number].row, request[number].write);

        if (order < best[c] && may_enter(dram, order < oldest)) {
            bring(dram, number, now);
            best[c] = order;
            oldest = order < oldest ? order : oldest;
        } else {
            good = good && order > oldest;
        }
        number = next;
    }
    return good;
}

/* A side of which nobody has an entry: the oldest in a list gets one. */
static void show_side(struct dram *dram, bool write, loom_cycle now)
{
    const struct loom_schedule_request *request = dram->backlog.request;
    uint32_t oldest = LOOM_SCHEDULE_NONE;

    for (uint64_t rest = dram->backlog.queue.banks; rest != 0;
         rest &= rest - 1) {
        uint32_t number = dram->backlog.oldest[loom_lowest(rest)];

        while (number != LOOM_SCHEDULE_NONE && request[number].write != write) {
            number = request[number].next;
        }
        if (number != LOOM_SCHEDULE_NONE &&
            (oldest == LOOM_SCHEDULE_NONE ||
             request[number].order < request[oldest].order)) {
            oldest = number;
        }
    }
    if (oldest != LOOM_SCHEDULE_NONE && ~dram->view.waiting != 0) {
        bring(dram, oldest, now);
    }
}

static void show_sides(struct dram *dram, loom_cycle now)
{
    uint64_t waiting = dram->view.waiting, writes = dram->view.writes;

    if (dram->backlog.queue.banks == 0) {
        return;
    }
    if ((waiting & ~writes) == 0) {
        show_side(dram, false, now);
    }
    if ((waiting & writes) == 0) {
        show_side(dram, true, now);
    }
}

void dram_deepen(struct dram *dram, loom_cycle now)
{
    const uint32_t *line = dram->backlog.queue.line;
    uint64_t again = 0;

    if (line[0] != LOOM_SCHEDULE_NONE || line[1] != LOOM_SCHEDULE_NONE) {
        assign(dram);
    } else {
        dram->assigning = false;
    }
    while (dram->backlog.stale != 0) {
        uint32_t bank = loom_lowest(dram->backlog.stale);

        dram->backlog.stale &= dram->backlog.stale - 1;
        again |= look_at_bank(dram, bank, now) ? 0 : loom_bit(bank);
    }
    dram->backlog.stale = again; /* when a place is free */
    if (apart(dram)) {
        show_sides(dram, now);
    }
    if (dram->backlog.changed) {
        const struct loom_schedule_queue *queue = &dram->backlog.queue;

        dram->backlog.changed = false;
        dram->backlog.room[0] = dram_has_place(dram, false);
        dram->backlog.room[1] = dram_has_place(dram, true);
        if (dram->schedule_ops->queued != NULL) {
            dram->schedule_ops->queued(dram->schedule, queue->reads,
                                       queue->writes);
        }
    }
}

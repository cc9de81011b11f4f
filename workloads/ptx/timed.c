/*
 * From what was executed to what is timed: a warp's stream once more, in the
 * order of the kernel's schedule and without what was folded.
 *
 * The records of a run through a region lie one behind the other, for neither
 * branches nor calls are inside of one; they are put down in its order.
 */
#include <string.h>

#include "workloads/ptx/program_private.h"

struct timing {
    const struct exec_code *code;
    const struct ptx_schedule *schedule;
    struct loom_stream_writer *to;
    struct loom_cursor cursor;
    uint32_t first, last; /* the region */
    /* Where the records of its instructions begin; and behind the last. */
    const uint32_t *at[PTX_REGION + 1];
};

/* The instruction that a record is of. */
static uint32_t inst_of(const struct exec_code *code, uint32_t index)
{
    uint32_t insts = code->analysis->inst_count;

    return index < insts ? index : code->owner[index - insts];
}

static uint32_t next_inst(const struct timing *t)
{
    return inst_of(t->code, loom_stream_index(&t->cursor));
}

static void put_region(struct timing *t)
{
    for (uint32_t k = t->first; k <= t->last; k++) {
        uint32_t i = t->schedule->order[k];
        const uint32_t *from = t->at[i - t->first];
        const uint32_t *end = t->at[i - t->first + 1];

        if (t->schedule->times[i] == 0) {
            break; /* those behind it are folded, too */
        }
        for (uint32_t n = t->schedule->times[i]; n > 0; n--) {
            loom_writer_copy(t->to, from, end);
        }
    }
}

/* The records of one run; they end where another region begins, or the same
 * one does again, or the stream. */
static void take_region(struct timing *t)
{
    struct loom_warp_inst inst;
    uint32_t now = next_inst(t), next = now;

    t->first = now;
    t->last = t->schedule->last[now];
    t->at[0] = t->cursor.at;
    do {
        for (; now < next; now++) {
            t->at[now + 1 - t->first] = t->cursor.at;
        }
        loom_stream_next(&t->cursor, &inst);
        next = t->cursor.at != t->cursor.end ? next_inst(t) : UINT32_MAX;
    } while (next >= now && next <= t->last);
    for (; now <= t->last; now++) {
        t->at[now + 1 - t->first] = t->cursor.at;
    }
}

void ptx_time_stream(const struct exec_code *code,
                     struct loom_stream_writer *stream,
                     struct loom_stream_writer *spare)
{
    struct loom_warp_stream from = {stream->word, stream->words, stream->insts};
    struct timing t = {.code = code,
                       .schedule = code->analysis->schedule,
                       .to = spare,
                       .cursor = loom_cursor_of(&from)};
    struct loom_stream_writer executed = *stream;

    loom_writer_reset(spare);
    while (t.cursor.at != t.cursor.end) {
        take_region(&t);
        put_region(&t);
    }
    *stream = *spare;
    *spare = executed;
}

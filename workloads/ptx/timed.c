/*
 * From what was executed to what is timed: a warp's stream once more, in the
 * order of the kernel's schedule and without what was folded.
 *
 * The records of a run through a region lie one behind the other, for neither
 * branches nor calls are inside of one; they are put down in its order.  Of a
 * run that is left where lanes wait for others (exec/meet.c) each part is put
 * down so.
 */
#include <string.h>

#include "workloads/ptx/program_private.h"

#define WORDS 8u /* that are copied at a time */

struct timing {
    const struct ptx_schedule *schedule;
    const uint32_t *owner, *more;
    uint32_t insts;       /* of the kernel; what is beyond has an owner */
    uint32_t first, last; /* the region */
    bool several;         /* an instruction has several records, or none */
    /* Where the records of its instructions begin; and behind the last. */
    const uint32_t *at[PTX_REGION + 1];
};

/* The instruction that a record is of. */
static inline uint32_t inst_of(const struct timing *t,
                               const struct loom_cursor *cursor)
{
    uint32_t index = loom_stream_index(cursor);

    return LOOM_LIKELY(index < t->insts) ? index : t->owner[index - t->insts];
}

/* The records of one run; they end where another region begins, or the same
 * one does again, or the stream. */
static inline void take_region(struct timing *t, struct loom_cursor *cursor)
{
    uint32_t now = inst_of(t, cursor), next;
    const uint32_t **at = t->at;

    t->first = now;
    t->last = t->schedule->last[now];
    t->several = false;
    while (LOOM_UNLIKELY(t->first > 0 &&
                         t->schedule->last[t->first - 1] == t->last)) {
        *at++ = cursor->at;
        t->first--;
        t->several = true;
    }
    *at++ = cursor->at;
    for (;;) {
        loom_stream_skip(cursor);
        next = cursor->at != cursor->end ? inst_of(t, cursor) : UINT32_MAX;
        if (next < now || next > t->last) {
            break;
        }
        if (LOOM_LIKELY(next == now + 1)) {
            *at++ = cursor->at;
            now = next;
            continue;
        }
        t->several = true;
        while (now < next) {
            *at++ = cursor->at;
            now++;
        }
    }
    t->several = t->several || now != t->last;
    for (; now <= t->last; now++) {
        *at++ = cursor->at;
    }
}

static uint64_t count_records(const uint32_t *from, const uint32_t *end)
{
    struct loom_cursor cursor = {from, end};
    uint64_t count = 0;

    for (; cursor.at != end; count++) {
        loom_stream_skip(&cursor);
    }
    return count;
}

/* Records are short, most of them a word: some words too many are read, and
 * written, which the next record covers. */
static inline uint32_t *copy(uint32_t *out, const uint32_t *from,
                             const uint32_t *end)
{
    do {
        memcpy(out, from, WORDS * sizeof(*out));
        out += WORDS;
        from += WORDS;
    } while (from < end);
    return out - (from - end);
}

/* The records of a sequence, each part's with the number of its entry. */
static LOOM_NOINLINE uint32_t *put_steps(const struct timing *t, uint32_t inst,
                                         const uint32_t *from,
                                         const uint32_t *end, uint32_t *out)
{
    const struct ptx_steps *steps = &ptx_sequences[t->schedule->sequence[inst]];
    uint32_t more = t->more[inst];

    for (uint32_t i = 0; i < steps->count; i++) {
        const struct ptx_step *step = &steps->step[i];
        uint32_t index = step->more ? more++ : inst;
        uint32_t left =
            step->count != 0 ? step->count : t->schedule->times[inst] - 1u;

        for (; left > 0; left--) {
            uint32_t *head = out;

            out = copy(out, from, end);
            *head = (*head & ~(LOOM_STATIC_MAX - 1)) | index;
        }
    }
    return out;
}

/* False: no memory. */
static inline bool put_region(const struct timing *t,
                              struct loom_stream_writer *to)
{
    const uint32_t *order = t->schedule->order + t->first;
    const uint8_t *times = t->schedule->times;
    uint32_t count = t->last - t->first + 1;
    uint64_t words = (uint64_t)(t->at[count] - t->at[0]), records = 0;
    uint32_t *out = loom_writer_room(to, words * PTX_TIMES + WORDS);

    if (out == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count && times[order[k]] != 0; k++) {
        const uint32_t *const *at = &t->at[order[k] - t->first];
        uint32_t left = times[order[k]];

        records +=
            left *
            (LOOM_UNLIKELY(t->several) ? count_records(at[0], at[1]) : 1);
        if (left > 1 && t->more[order[k]] != 0 && at[0] != at[1]) {
            out = put_steps(t, order[k], at[0], at[1], out);
            continue;
        }
        do {
            out = copy(out, at[0], at[1]);
        } while (--left > 0);
    }
    to->words = (uint64_t)(out - to->word);
    to->insts += records;
    return true;
}

void ptx_time_stream(const struct exec_code *code,
                     struct loom_stream_writer *stream,
                     struct loom_stream_writer *spare)
{
    struct loom_stream_writer executed;
    struct loom_cursor cursor;
    struct timing t;

    if (loom_writer_room(stream, WORDS) == NULL) { /* to be read only */
        return;
    }
    executed = *stream;
    cursor = (struct loom_cursor){stream->word, stream->word + stream->words};
    t.schedule = code->analysis->schedule;
    t.owner = code->owner;
    t.more = code->more;
    t.insts = code->analysis->inst_count;
    loom_writer_reset(spare);
    while (cursor.at != cursor.end) {
        take_region(&t, &cursor);
        if (!put_region(&t, spare)) {
            break;
        }
    }
    *stream = *spare;
    *spare = executed;
}

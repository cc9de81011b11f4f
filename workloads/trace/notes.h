/*
 * What is odd about a trace, each oddity once, with how often it was met.
 */
#ifndef WORKLOADS_TRACE_NOTES_H
#define WORKLOADS_TRACE_NOTES_H

#include "workloads/program.h"

struct trace_notes {
    struct loom_note *item;
    uint32_t count, room;
    bool silent; /* nothing is counted now */
};

/* Number of the note with this text, made if it is new; UINT32_MAX if there
 * is no memory.  Does not count. */
uint32_t trace_note(struct trace_notes *notes, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
void trace_notes_free(struct trace_notes *notes);

static inline void trace_note_count(struct trace_notes *notes, uint32_t number)
{
    if (number < notes->count && !notes->silent) {
        notes->item[number].count++;
    }
}

#endif

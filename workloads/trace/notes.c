/*
 * A short list: a trace has few oddities, however often it shows them.
 */
#include "workloads/trace/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 256u /* a damaged file must not fill memory with notes */

uint32_t trace_note(struct trace_notes *notes, const char *fmt, ...)
{
    char text[256];
    va_list args;
    char *copy;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (uint32_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->item[i].text, text) == 0) {
            return i;
        }
    }
    if (notes->count == NOTES_MAX) {
        return UINT32_MAX;
    }
    if (notes->count == notes->room) {
        uint32_t room = notes->room * 2 + 8;
        struct loom_note *grown =
            realloc(notes->item, room * sizeof(*notes->item));

        if (grown == NULL) {
            return UINT32_MAX;
        }
        notes->item = grown;
        notes->room = room;
    }
    copy = strdup(text);
    if (copy == NULL) {
        return UINT32_MAX;
    }
    notes->item[notes->count] = (struct loom_note){copy, 0};
    return notes->count++;
}

void trace_notes_free(struct trace_notes *notes)
{
    for (uint32_t i = 0; i < notes->count; i++) {
        free((char *)(uintptr_t)notes->item[i].text);
    }
    free(notes->item);
    *notes = (struct trace_notes){0};
}

/*
 * A table of docs/ptx-coverage.md: forms with the same end, which says by
 * which test they are supported or why not, share a line.
 */
#ifndef TESTS_PTX_TABLE_H
#define TESTS_PTX_TABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/error.h"

struct text {
    char *text;
    size_t used, room;
};

struct table_line {
    struct text forms;
    char end[520];
};

struct table {
    struct table_line *line; /* [room] */
    uint32_t lines, room;
};

static inline void put(struct text *t, const char *text)
{
    size_t n = strlen(text);

    if (t->used + n + 1 > t->room) {
        t->room = (t->used + n + 1) * 2;
        t->text = realloc(t->text, t->room);
        LOOM_CHECK(t->text != NULL);
    }
    memcpy(t->text + t->used, text, n + 1);
    t->used += n;
}

static inline void table_add(struct table *table, const char *form,
                             const char *end)
{
    struct table_line *line = table->line;
    struct table_line *last = line + table->lines;

    while (line < last && strcmp(line->end, end) != 0) {
        line++;
    }
    if (line == last) {
        if (table->lines == table->room) {
            table->room = table->room * 2 + 64;
            table->line =
                realloc(table->line, table->room * sizeof(*table->line));
            LOOM_CHECK(table->line != NULL);
        }
        line = &table->line[table->lines++];
        memset(line, 0, sizeof(*line));
        LOOM_CHECK(strlen(end) < sizeof(line->end));
        memcpy(line->end, end, strlen(end) + 1);
    } else {
        put(&line->forms, ", ");
    }
    put(&line->forms, form);
}

/* Writes the lines and forgets them. */
static inline void table_put(struct table *table, struct text *out,
                             const char *head)
{
    put(out, head);
    put(out, "|-|-|\n");
    for (uint32_t i = 0; i < table->lines; i++) {
        put(out, "| ");
        put(out, table->line[i].forms.text);
        put(out, " | ");
        put(out, table->line[i].end);
        put(out, " |\n");
        free(table->line[i].forms.text);
    }
    free(table->line);
    *table = (struct table){0};
}

#endif

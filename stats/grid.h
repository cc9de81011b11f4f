/*
 * Tables for people (aligned), for spreadsheets (CSV) and for programs (JSON),
 * kept until the widths of their columns are known.
 *
 * Text comes from files and from labels that anyone wrote.  Here it can do
 * nothing: bytes that a terminal obeys are shown as `?`, and in CSV a cell of
 * text that a spreadsheet would take for a formula begins with an apostrophe
 * (docs/looking.md).  Numbers stay numbers, and a missing one is "-" for
 * people, an empty cell in CSV and null in JSON.
 */
#ifndef STATS_GRID_H
#define STATS_GRID_H

#include <stdio.h>

#include "engine/base.h"

struct loom_grid_cell {
    char *text; /* owned */
    bool is_number;
};
struct loom_grid {
    struct loom_grid_cell *cell; /* [rows * columns] */
    size_t columns, room, count;
    bool failed; /* no memory */
};

/* Cells are added row by row. */
void loom_grid_text(struct loom_grid *grid, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
void loom_grid_number(struct loom_grid *grid, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
void loom_grid_missing(struct loom_grid *grid); /* a number that is not */

/* JSON is a list of objects; the first row are their names. */
enum loom_grid_form {
    LOOM_GRID_TABLE,
    LOOM_GRID_CSV,
    LOOM_GRID_JSON
};
void loom_grid_write(FILE *out, const struct loom_grid *grid,
                     enum loom_grid_form form);
void loom_grid_free(struct loom_grid *grid);

#endif

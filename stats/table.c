/*
 * Growing tables (see the header for why).
 *
 * A row is a run of words in memory, so adding one is a few stores; writing
 * gathers each column from the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/table_private.h"

#define MAX_CHUNK_ROWS 1024
/* Strings are stored as uncompressed references of 16 bytes. */
#define MAX_TEXT_CHUNK_ROWS 128
#define FIRST_ROOM 16

static uint64_t chunk_rows(const struct loom_rows *rows, uint64_t width)
{
    uint64_t count = rows->chunk_bytes / (8 * width);

    return count < 1 ? 1 : count > MAX_CHUNK_ROWS ? MAX_CHUNK_ROWS : count;
}

static struct loom_rows_column *new_column(struct loom_rows *rows)
{
    struct loom_rows_column *grown = rows->column;

    if (rows->columns == rows->column_room) {
        size_t room = rows->column_room == 0 ? 16 : rows->column_room * 2;

        grown = realloc(grown, room * sizeof(*grown));
        if (grown == NULL) {
            loom_h5_no_memory(rows->h5, "add a column");
            return NULL;
        }
        rows->column = grown;
        rows->column_room = room;
    }
    grown[rows->columns] = (struct loom_rows_column){.dataset = -1};
    return &grown[rows->columns++];
}

void loom_rows_init(struct loom_rows *rows, struct loom_h5 *h5, hid_t group,
                    const char *axis, const char *doc, size_t chunk_bytes)
{
    struct loom_h5_dataset spec = {
        .name = axis, .unit = "1", .doc = doc, .type = LOOM_H5_U64};
    struct loom_rows_column *column;

    *rows = (struct loom_rows){.h5 = h5, .chunk_bytes = chunk_bytes};
    spec.chunk_rows = chunk_rows(rows, 1);
    loom_h5_scale_init(h5, &rows->leading, group, &spec, 0, NULL);
    column = new_column(rows);
    if (column != NULL) {
        *column = (struct loom_rows_column){.dataset = rows->leading.dataset,
                                            .type = LOOM_H5_U64,
                                            .rank = 1,
                                            .dims = {1},
                                            .chunk_rows = spec.chunk_rows,
                                            .width = 1};
        rows->words = 1;
    }
}

static void free_texts(struct loom_rows *rows)
{
    for (size_t c = 0; c < rows->columns; c++) {
        const struct loom_rows_column *column = &rows->column[c];

        if (column->type != LOOM_H5_TEXT) {
            continue;
        }
        for (uint64_t r = 0; r < rows->buffered; r++) {
            for (size_t i = 0; i < column->width; i++) {
                free(rows->row[r * rows->words + column->offset + i].s);
            }
        }
    }
    rows->text_bytes = 0;
}

void loom_rows_fini(struct loom_rows *rows)
{
    free_texts(rows);
    for (size_t c = 1; c < rows->columns; c++) {
        loom_h5_release(rows->h5, rows->column[c].dataset);
    }
    loom_h5_scale_fini(rows->h5, &rows->leading);
    free(rows->column);
    free(rows->row);
    *rows = (struct loom_rows){0};
}

size_t loom_rows_column(struct loom_rows *rows, hid_t group,
                        const struct loom_h5_dataset *spec, hid_t *dataset)
{
    struct loom_h5_dataset whole = *spec;
    struct loom_rows_column *column = new_column(rows);

    if (dataset != NULL) {
        *dataset = -1;
    }
    if (column == NULL) {
        return 0;
    }
    column->width = 1;
    column->dims[0] = 1;
    whole.rank = spec->rank + 1;
    whole.scale[0] = &rows->leading;
    for (int i = 0; i < spec->rank; i++) {
        whole.scale[i + 1] = spec->scale[i];
        column->dims[i + 1] = spec->scale[i]->length;
        column->width *= spec->scale[i]->length;
    }
    whole.chunk_rows = chunk_rows(rows, column->width);
    if (spec->type == LOOM_H5_TEXT && whole.chunk_rows > MAX_TEXT_CHUNK_ROWS) {
        whole.chunk_rows = MAX_TEXT_CHUNK_ROWS;
    }
    column->chunk_rows = whole.chunk_rows;
    column->type = spec->type;
    column->rank = whole.rank;
    column->offset = rows->words;
    rows->words += column->width;
    column->dataset = loom_h5_new(rows->h5, group, &whole);
    if (dataset != NULL) {
        *dataset = column->dataset;
    }
    return column->offset;
}

size_t loom_rows_simple(struct loom_rows *rows, hid_t group, const char *name,
                        const char *unit, const char *doc,
                        enum loom_h5_type type)
{
    struct loom_h5_dataset spec = {
        .name = name, .unit = unit, .doc = doc, .type = type};

    return loom_rows_column(rows, group, &spec, NULL);
}

void loom_rows_time(struct loom_rows *rows, hid_t group, size_t *time,
                    size_t *tick)
{
    *time = loom_rows_simple(rows, group, "time", "s",
                             "simulated time since the start", LOOM_H5_F64);
    *tick =
        loom_rows_simple(rows, group, "tick", "fs",
                         "simulated time since the start, exact", LOOM_H5_U64);
}

void loom_rows_ready(struct loom_rows *rows)
{
    loom_h5_scale_finish(rows->h5, &rows->leading);
}

union loom_word *loom_rows_add(struct loom_rows *rows)
{
    union loom_word *row;

    if (rows->h5->failed) {
        return NULL; /* columns may be missing */
    }
    if (rows->buffered == rows->room) {
        uint64_t room = rows->room == 0 ? FIRST_ROOM : rows->room * 2;

        row = realloc(rows->row, room * rows->words * sizeof(*row));
        if (row == NULL) {
            return NULL;
        }
        rows->row = row;
        rows->room = room;
    }
    row = &rows->row[rows->buffered * rows->words];
    memset(row, 0, rows->words * sizeof(*row));
    row[0].u = loom_rows_count(rows);
    rows->buffered++;
    return row;
}

void loom_rows_text(struct loom_rows *rows, union loom_word *word,
                    const char *text)
{
    size_t bytes = text == NULL ? 1 : strlen(text) + 1;

    word->s = malloc(bytes);
    if (word->s == NULL) {
        loom_h5_no_memory(rows->h5, "write a text");
        return;
    }
    memcpy(word->s, text == NULL ? "" : text, bytes);
    rows->text_bytes += bytes;
}

uint64_t loom_rows_count(const struct loom_rows *rows)
{
    return rows->buffered + rows->written;
}

uint64_t loom_rows_bytes(const struct loom_rows *rows)
{
    return rows->buffered * rows->words * sizeof(*rows->row) + rows->text_bytes;
}

static void write_column(struct loom_rows *rows,
                         const struct loom_rows_column *column,
                         union loom_word *scratch)
{
    hsize_t total[LOOM_H5_RANK], start[LOOM_H5_RANK] = {rows->written};
    hsize_t count[LOOM_H5_RANK];
    hid_t file, memory;

    for (uint64_t r = 0; r < rows->buffered; r++) {
        memcpy(scratch + r * column->width,
               &rows->row[r * rows->words + column->offset],
               column->width * sizeof(*scratch));
    }
    memcpy(total, column->dims, sizeof(total));
    memcpy(count, column->dims, sizeof(count));
    total[0] = rows->written + rows->buffered;
    count[0] = rows->buffered;
    if (!loom_h5_did(rows->h5, H5Dset_extent(column->dataset, total),
                     "lengthen a column") ||
        rows->buffered == 0) {
        return;
    }
    file = H5Screate_simple(column->rank, total, NULL);
    memory = H5Screate_simple(column->rank, count, NULL);
    if (file < 0 || memory < 0 ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) <
            0 ||
        H5Dwrite(column->dataset, loom_h5_memory_type(rows->h5, column->type),
                 memory, file, rows->h5->transfer, scratch) < 0) {
        loom_h5_broken(rows->h5, "write a column");
    }
    loom_h5_release(rows->h5, memory);
    loom_h5_release(rows->h5, file);
}

static void write_columns(struct loom_rows *rows)
{
    union loom_word *scratch;
    size_t widest = 1;

    for (size_t c = 0; c < rows->columns; c++) {
        widest =
            rows->column[c].width > widest ? rows->column[c].width : widest;
    }
    scratch = malloc((rows->buffered * widest + 1) * sizeof(*scratch));
    if (scratch == NULL) {
        loom_h5_no_memory(rows->h5, "write rows");
        return;
    }
    for (size_t c = rows->columns; c-- > 0 && !rows->h5->failed;) {
        write_column(rows, &rows->column[c], scratch);
    }
    free(scratch);
}

void loom_rows_write(struct loom_rows *rows)
{
    if ((rows->buffered == 0 && !rows->has_draft) || rows->h5->failed) {
        return;
    }
    write_columns(rows);
    if (!rows->h5->failed) {
        free_texts(rows);
        rows->written += rows->buffered;
        rows->buffered = 0;
        rows->has_draft = false;
    }
}

void loom_rows_draft(struct loom_rows *rows)
{
    LOOM_CHECK(rows->buffered == 1);
    loom_rows_write(rows);
    if (!rows->h5->failed) {
        rows->written--;
        rows->has_draft = true;
    }
}

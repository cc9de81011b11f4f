/*
 * What has rows but no instances: kernels, and tables that users fill.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/recorder_private.h"

static enum loom_h5_type file_type(enum loom_cell_type type)
{
    switch (type) {
    case LOOM_CELL_U64:
        return LOOM_H5_U64;
    case LOOM_CELL_I64:
        return LOOM_H5_I64;
    case LOOM_CELL_F64:
        return LOOM_H5_F64;
    case LOOM_CELL_TEXT:
        return LOOM_H5_TEXT;
    }
    LOOM_BUG("cell type %d", (int)type);
}

static bool check_spec(const struct loom_recorder *recorder,
                       const struct loom_table_spec *spec,
                       struct loom_error *err)
{
    if (!loom_record_name_ok("table", spec->name, err)) {
        return false;
    }
    for (uint32_t i = 0; i < recorder->table_count; i++) {
        if (strcmp(recorder->table[i]->name, spec->name) == 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "there are two tables named '%s'", spec->name);
        }
    }
    for (size_t i = 0; i < spec->columns; i++) {
        if (!loom_record_name_ok("column", spec->column[i].name, err)) {
            return loom_fail_at(err, spec->name);
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(spec->column[i].name, spec->column[k].name) == 0) {
                return loom_fail(err, LOOM_ERR_CONFIG,
                                 "table '%s' has two columns '%s'", spec->name,
                                 spec->column[i].name);
            }
        }
        if (strcmp(spec->column[i].name, "row") == 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "column 'row' of table '%s' is the number of the "
                             "row and always there",
                             spec->name);
        }
    }
    if (loom_rows_count(&recorder->stats) > 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "table '%s' comes after the first snapshot",
                         spec->name);
    }
    return loom_h5_ok(&recorder->h5, err);
}

static void lay_out(struct loom_recorder *recorder,
                    struct loom_record_table *table,
                    const struct loom_table_spec *spec)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t parent = loom_h5_group(h5, h5->file, "tables");
    hid_t group = loom_h5_group(h5, parent, spec->name);

    loom_h5_put_text(h5, group, "long_name", spec->doc);
    loom_rows_init(&table->rows, h5, group, "row", "number of the row",
                   LOOM_SERIES_CHUNK);
    for (size_t i = 0; i < spec->columns; i++) {
        const struct loom_table_column *column = &spec->column[i];

        table->type[i] = column->type;
        loom_rows_simple(&table->rows, group, column->name, column->unit,
                         column->doc, file_type(column->type));
    }
    loom_rows_ready(&table->rows);
    loom_h5_release(h5, group);
    loom_h5_release(h5, parent);
}

bool loom_recorder_add_table(struct loom_recorder *recorder,
                             const struct loom_table_spec *spec,
                             uint32_t *table, struct loom_error *err)
{
    struct loom_record_table **list, *fresh;

    if (!check_spec(recorder, spec, err)) {
        return false;
    }
    list =
        realloc(recorder->table, (recorder->table_count + 1) * sizeof(fresh));
    recorder->table = list == NULL ? recorder->table : list;
    fresh = calloc(1, sizeof(*fresh));
    if (fresh != NULL) {
        fresh->type = calloc(spec->columns + 1, sizeof(*fresh->type));
    }
    if (list == NULL || fresh == NULL || fresh->type == NULL) {
        free(fresh);
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for table '%s'",
                         spec->name);
    }
    memcpy(fresh->name, spec->name, strlen(spec->name));
    fresh->columns = spec->columns;
    list[recorder->table_count] = fresh;
    *table = recorder->table_count++;
    lay_out(recorder, fresh, spec);
    return loom_h5_ok(&recorder->h5, err);
}

bool loom_recorder_append(struct loom_recorder *recorder, uint32_t table,
                          const union loom_cell *cell, struct loom_error *err)
{
    struct loom_record_table *self;
    union loom_word *row;

    LOOM_CHECK(table < recorder->table_count);
    self = recorder->table[table];
    row = loom_rows_add(&self->rows);
    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for table '%s'",
                         self->name);
    }
    for (size_t i = 0; i < self->columns; i++) {
        if (self->type[i] == LOOM_CELL_TEXT) {
            loom_rows_text(&self->rows, &row[i + 1], cell[i].s);
        } else {
            row[i + 1].u = cell[i].u;
        }
    }
    return loom_recorder_added(recorder, err);
}

static const struct {
    const char *name, *unit, *doc;
    enum loom_h5_type type;
} kernel_columns[] = {
    {"id", "1", "number of the launch, from 0", LOOM_H5_U64},
    {"name", "1", "name of the kernel", LOOM_H5_TEXT},
    {"stream", "1", "stream it was launched in", LOOM_H5_U64},
    {"grid_x", "cta", "thread blocks along x", LOOM_H5_U64},
    {"grid_y", "cta", "thread blocks along y", LOOM_H5_U64},
    {"grid_z", "cta", "thread blocks along z", LOOM_H5_U64},
    {"block_x", "thread", "threads of a block along x", LOOM_H5_U64},
    {"block_y", "thread", "threads of a block along y", LOOM_H5_U64},
    {"block_z", "thread", "threads of a block along z", LOOM_H5_U64},
    {"registers", "register", "registers per thread", LOOM_H5_U64},
    {"shared_bytes", "byte", "shared memory per block", LOOM_H5_U64},
    {"interleave", "warp_inst",
     "warp instructions of a turn, if its blocks were executed in turns; 0: "
     "one after the other",
     LOOM_H5_U64},
    {"launch_tick", "fs", "when the host launched it", LOOM_H5_U64},
    {"start_tick", "fs", "when its first block was placed", LOOM_H5_U64},
    {"end_tick", "fs", "when its last block had finished", LOOM_H5_U64},
    {"sample_begin", "1", "snapshot in /stats before it; -1: none",
     LOOM_H5_I64},
    {"sample_end", "1", "snapshot in /stats after it; -1: none", LOOM_H5_I64},
};

void loom_record_kernels(struct loom_recorder *recorder)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t group = loom_h5_group(h5, h5->file, "kernel");

    _Static_assert(LOOM_COUNTOF(kernel_columns) <
                       LOOM_COUNTOF(((struct loom_recorder *)0)->kernel_column),
                   "every kernel column has its place");
    loom_rows_init(&recorder->kernels, h5, group, "kernel", "row of the kernel",
                   LOOM_SNAPSHOT_CHUNK);
    for (size_t i = 0; i < LOOM_COUNTOF(kernel_columns); i++) {
        recorder->kernel_column[i] =
            loom_rows_simple(&recorder->kernels, group, kernel_columns[i].name,
                             kernel_columns[i].unit, kernel_columns[i].doc,
                             kernel_columns[i].type);
    }
    loom_rows_ready(&recorder->kernels);
    loom_h5_release(h5, group);
}

bool loom_recorder_kernel(struct loom_recorder *recorder,
                          const struct loom_kernel_record *kernel,
                          struct loom_error *err)
{
    const uint64_t value[] = {kernel->id,
                              0, /* the name */
                              kernel->stream,
                              kernel->grid[0],
                              kernel->grid[1],
                              kernel->grid[2],
                              kernel->block[0],
                              kernel->block[1],
                              kernel->block[2],
                              kernel->registers,
                              kernel->shared_bytes,
                              kernel->interleave,
                              kernel->launch,
                              kernel->start,
                              kernel->end,
                              (uint64_t)kernel->sample_begin,
                              (uint64_t)kernel->sample_end};
    union loom_word *row = loom_rows_add(&recorder->kernels);

    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for kernel '%s'",
                         kernel->name);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(value); i++) {
        row[recorder->kernel_column[i]].u = value[i];
    }
    loom_rows_text(&recorder->kernels, &row[recorder->kernel_column[1]],
                   kernel->name);
    return loom_recorder_added(recorder, err);
}

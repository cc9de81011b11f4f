/*
 * Which loads the rows of a table by load are: coordinates of its axis, with
 * the names that a profile has.  They are laid out empty and filled in at the
 * end, for only then is it known what has run.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/recorder_private.h"

static const struct {
    const char *name, *unit, *doc;
    size_t offset;
    enum loom_h5_type type;
} columns[] = {
    {"kernel", "1", "name of the kernel; \"\": the row is empty",
     offsetof(struct loom_load, kernel), LOOM_H5_TEXT},
    {"kernel_number", "1", "the kernel, in order of first launch",
     offsetof(struct loom_load, kernel_number), LOOM_H5_U64},
    {"pc", "byte", "offset in the kernel", offsetof(struct loom_load, pc),
     LOOM_H5_U64},
    {"line", "1",
     "line of the source, where the PTX has .loc, else of the PTX; 0: unknown",
     offsetof(struct loom_load, line), LOOM_H5_U64},
    {"text", "1", "the instruction, as PTX or SASS",
     offsetof(struct loom_load, text), LOOM_H5_TEXT},
    {"op", "1", "what it needs from the SM", offsetof(struct loom_load, op),
     LOOM_H5_TEXT},
};

_Static_assert(sizeof(const char *) == sizeof(uint64_t),
               "texts and numbers are words");

static bool is_free(const struct loom_tree_builder *builder)
{
    char name[80];

    for (size_t i = 0; i < LOOM_COUNTOF(columns); i++) {
        loom_tree_unique(builder, columns[i].name, name, sizeof(name));
        if (strcmp(name, columns[i].name) != 0) {
            return false;
        }
    }
    return true;
}

/* A column of a word for each row; an empty one for rows that are not there.
 * NULL: no memory. */
static void *gather(size_t column, const struct loom_load *row, size_t rows,
                    size_t count)
{
    uint64_t *word = calloc(count + 1, sizeof(*word));
    const char *nothing = "";

    for (size_t i = 0; word != NULL && i < count; i++) {
        if (i < rows) {
            memcpy(&word[i], (const char *)&row[i] + columns[column].offset,
                   sizeof(word[i]));
        }
        if (columns[column].type == LOOM_H5_TEXT && word[i] == 0) {
            memcpy(&word[i], &nothing, sizeof(word[i]));
        }
    }
    return word;
}

void loom_tree_loads(struct loom_tree_builder *builder,
                     struct loom_tree_axis *axis)
{
    if (!builder->names || strcmp(axis->name, "load") != 0 ||
        !is_free(builder)) {
        return;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(columns); i++) {
        struct loom_h5_dataset spec = {.name = columns[i].name,
                                       .unit = columns[i].unit,
                                       .doc = columns[i].doc,
                                       .type = columns[i].type,
                                       .scale = {&axis->scale},
                                       .rank = 1};
        void *word = gather(i, NULL, 0, axis->count);

        if (word == NULL) {
            loom_h5_no_memory(builder->h5, "lay out a table by load");
            return;
        }
        loom_h5_fill(builder->h5, builder->group, &spec, word);
        free(word);
    }
    axis->coordinates = " kernel kernel_number pc line text op";
}

static void write_column(struct loom_h5 *h5, hid_t group, size_t column,
                         const struct loom_load *row, size_t rows)
{
    hsize_t dims[LOOM_H5_RANK] = {0};
    hid_t dataset;
    void *word;

    if (h5->failed || !loom_h5_exists(h5, group, columns[column].name)) {
        return;
    }
    dataset = H5Dopen2(group, columns[column].name, H5P_DEFAULT);
    if (loom_h5_did(h5, dataset, "open a dataset") &&
        loom_h5_dims(dataset, dims) == 1) {
        word = gather(column, row, rows, (size_t)dims[0]);
        if (word == NULL) {
            loom_h5_no_memory(h5, "write a table by load");
        } else {
            loom_h5_write(h5, dataset, columns[column].type, word);
        }
        free(word);
    }
    loom_h5_release(h5, dataset);
}

bool loom_recorder_loads(struct loom_recorder *recorder, const char *group,
                         const struct loom_load *row, size_t rows,
                         struct loom_error *err)
{
    struct loom_h5 *h5 = &recorder->h5;
    char path[LOOM_STAT_NAME + 160];
    hid_t where;

    snprintf(path, sizeof(path), "stats/%s", group);
    where = loom_h5_group(h5, h5->file, path);
    if (loom_h5_exists(h5, where, "load")) { /* else it was not chosen */
        for (size_t i = 0; i < LOOM_COUNTOF(columns); i++) {
            write_column(h5, where, i, row, rows);
        }
    }
    loom_h5_release(h5, where);
    return loom_h5_ok(h5, err);
}

/*
 * /profile: one axis, `inst`, whose coordinates say which instruction a row
 * is, and the columns along it.
 */
#include "stats/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/recorder_private.h"

enum {
    AXES = 4,
    COORDINATES = 160 /* bytes of their names */
};

/* While the group is laid out. */
struct layout {
    struct loom_h5 *h5;
    hid_t group;
    struct loom_h5_scale inst, axis[AXES];
    const char *name[AXES];
    size_t axes;
    char coordinates[COORDINATES];
};

static struct loom_h5_scale *axis_of(struct layout *layout,
                                     const struct loom_profile_column *column)
{
    struct loom_h5_dataset spec = {.name = column->axis,
                                   .unit = "1",
                                   .doc = "label along the axis",
                                   .type = LOOM_H5_TEXT};
    size_t i = 0;

    while (i < layout->axes && strcmp(layout->name[i], column->axis) != 0) {
        i++;
    }
    if (i == layout->axes) {
        LOOM_CHECK(i < AXES);
        layout->name[layout->axes++] = column->axis;
        loom_h5_scale_init(layout->h5, &layout->axis[i], layout->group, &spec,
                           column->labels, column->label);
    }
    return &layout->axis[i];
}

/* The column's values of all rows, one behind the other. */
static void *gather(const struct loom_profile *profile,
                    const struct loom_profile_column *column)
{
    size_t size = column->type == LOOM_PROFILE_TEXT ? sizeof(const char *)
                                                    : sizeof(uint64_t);
    size_t bytes = size * (column->axis == NULL ? 1 : column->labels);
    char *out = calloc(profile->rows, bytes);

    for (size_t i = 0; out != NULL && i < profile->rows; i++) {
        memcpy(out + i * bytes,
               (const char *)profile->row + i * profile->row_size +
                   column->offset,
               bytes);
    }
    return out;
}

static void put_column(struct layout *layout,
                       const struct loom_profile *profile,
                       const struct loom_profile_column *column)
{
    static const enum loom_h5_type types[] = {
        [LOOM_PROFILE_U64] = LOOM_H5_U64,
        [LOOM_PROFILE_F64] = LOOM_H5_F64,
        [LOOM_PROFILE_TEXT] = LOOM_H5_TEXT,
    };
    struct loom_h5 *h5 = layout->h5;
    struct loom_h5_dataset spec = {.name = column->name,
                                   .unit = column->unit,
                                   .doc = column->doc,
                                   .type = types[column->type],
                                   .scale = {&layout->inst},
                                   .rank = 1};
    void *data = gather(profile, column);
    hid_t dataset;

    if (data == NULL) {
        loom_h5_no_memory(h5, "write a profile");
        return;
    }
    if (column->axis != NULL) {
        spec.scale[spec.rank++] = axis_of(layout, column);
    }
    loom_h5_fill(h5, layout->group, &spec, data);
    free(data);
    if (h5->failed || column->coordinate) {
        return;
    }
    dataset = H5Dopen2(layout->group, column->name, H5P_DEFAULT);
    loom_h5_did(h5, dataset, "open a dataset");
    loom_h5_put_text(h5, dataset, "coordinates", layout->coordinates);
    loom_h5_release(h5, dataset);
}

static void put_columns(struct layout *layout,
                        const struct loom_profile *profile)
{
    for (size_t i = 0; i < profile->columns; i++) {
        const struct loom_profile_column *column = &profile->column[i];
        size_t used = strlen(layout->coordinates);

        if (column->coordinate) {
            snprintf(layout->coordinates + used, COORDINATES - used, "%s%s",
                     used == 0 ? "" : " ", column->name);
        }
    }
    for (size_t i = 0; i < profile->columns && !layout->h5->failed; i++) {
        put_column(layout, profile, &profile->column[i]);
    }
}

bool loom_recorder_profile(struct loom_recorder *recorder,
                           const struct loom_profile *profile,
                           struct loom_error *err)
{
    struct loom_h5 *h5 = &recorder->h5;
    struct layout layout = {.h5 = h5};
    const struct loom_h5_dataset spec = {.name = "inst",
                                         .unit = "1",
                                         .doc = "row of the static instruction",
                                         .type = LOOM_H5_U64};

    layout.group = loom_h5_group(h5, h5->file, "profile");
    loom_h5_put_text(h5, layout.group, "long_name",
                     "static instructions, over the whole run and all SMs");
    loom_h5_put_u64(h5, layout.group, "left_out", &profile->left_out, 0);
    loom_h5_scale_init(h5, &layout.inst, layout.group, &spec, profile->rows,
                       NULL);
    put_columns(&layout, profile);
    loom_h5_scale_finish(h5, &layout.inst);
    loom_h5_scale_fini(h5, &layout.inst);
    for (size_t i = 0; i < layout.axes; i++) {
        loom_h5_scale_finish(h5, &layout.axis[i]);
        loom_h5_scale_fini(h5, &layout.axis[i]);
    }
    loom_h5_release(h5, layout.group);
    return loom_h5_ok(h5, err);
}

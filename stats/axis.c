/*
 * The axes of a class: its instances, and whatever its vectors, arrays and
 * histograms run along.
 *
 * Statistics of one class share a scale where the labels are the same (two
 * vectors by stall reason) and get their own where not.  An array may be
 * longer in one instance than in another; the axis is as long as the longest
 * and <axis>_valid_length says how far each instance uses it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/tree_private.h"

/* The `n`th segment of a path: its name, and its index or -1. */
static bool segment(const char *path, size_t n, char *name, size_t size,
                    int64_t *index)
{
    size_t length;

    for (; n > 0; n--) {
        path = strchr(path, '.');
        if (path == NULL) {
            return false;
        }
        path++;
    }
    length = strcspn(path, ".[");
    snprintf(name, size, "%.*s", (int)length, path);
    *index = path[length] == '['
                 ? (int64_t)strtoull(path + length + 1, NULL, 10)
                 : -1;
    return true;
}

static size_t segments(const char *path)
{
    size_t count = 1;

    for (; *path != '\0'; path++) {
        count += *path == '.';
    }
    return count;
}

static void put_coordinate(struct loom_tree_builder *builder, const char *name,
                           size_t n)
{
    const struct loom_class *class = builder->class;
    struct loom_h5_dataset spec = {.unit = "1", .rank = 1};
    uint64_t *value = calloc(class->count, sizeof(*value));
    char unique[80], doc[160], ignored[80];
    int64_t index;

    if (value == NULL) {
        loom_h5_no_memory(builder->h5, "write a coordinate");
        return;
    }
    for (uint32_t i = 0; i < class->count; i++) {
        if (segment(class->path[i], n, ignored, sizeof(ignored), &index) &&
            index >= 0) {
            value[i] = (uint64_t)index;
        }
    }
    loom_tree_unique(builder, name, unique, sizeof(unique));
    snprintf(doc, sizeof(doc), "index of '%.60s' in the instance's path", name);
    spec.name = unique;
    spec.doc = doc;
    spec.scale[0] = &builder->instance;
    loom_h5_fill(builder->h5, builder->group, &spec, value);
    snprintf(builder->coordinates + strlen(builder->coordinates),
             sizeof(builder->coordinates) - strlen(builder->coordinates), " %s",
             unique);
    free(value);
}

void loom_tree_instances(struct loom_tree_builder *builder)
{
    const struct loom_class *class = builder->class;
    size_t count = segments(class->path[0]);
    struct loom_h5_dataset spec = {.name = builder->instance_name,
                                   .unit = "1",
                                   .doc = "canonical path of the instance",
                                   .type = LOOM_H5_TEXT};
    char name[80];
    int64_t index;

    segment(class->path[0], count - 1, name, sizeof(name), &index);
    loom_tree_unique(builder, name, builder->instance_name,
                     sizeof(builder->instance_name));
    loom_h5_scale_init(builder->h5, &builder->instance, builder->group, &spec,
                       class->count, class->path);
    for (size_t n = 0; n < count; n++) {
        if (segment(class->path[0], n, name, sizeof(name), &index) &&
            index >= 0) {
            put_coordinate(builder, n + 1 == count ? "index" : name, n);
        }
    }
}

static struct loom_array array_of(const struct loom_class *class, uint32_t row,
                                  const struct loom_stat *stat)
{
    struct loom_array array;

    memcpy(&array, (const char *)class->block[row] + stat->offset,
           sizeof(array));
    return array;
}

/* Could `stat` use an existing axis? */
static bool fits(const struct loom_tree_builder *builder,
                 const struct loom_tree_axis *axis,
                 const struct loom_stat *stat)
{
    const struct loom_class *class = builder->class;

    if (axis->bins || stat->kind == LOOM_STAT_HISTOGRAM ||
        strncmp(axis->name, stat->axis, strlen(stat->axis)) != 0) {
        return false;
    }
    if (stat->kind == LOOM_STAT_VECTOR) {
        return axis->valid == NULL && axis->keys == stat->keys &&
               axis->count == stat->count;
    }
    for (uint32_t i = 0; axis->valid != NULL && i < class->count; i++) {
        if (axis->valid[i] != array_of(class, i, stat).count) {
            return false;
        }
    }
    return axis->valid != NULL;
}

/* For an array: how long it is where. */
static void measure(struct loom_tree_builder *builder,
                    struct loom_tree_axis *axis, const struct loom_stat *stat)
{
    const struct loom_class *class = builder->class;

    axis->valid = calloc(class->count, sizeof(*axis->valid));
    axis->count = 1; /* an axis of none cannot be stored */
    if (axis->valid == NULL) {
        loom_h5_no_memory(builder->h5, "measure an axis");
        return;
    }
    for (uint32_t i = 0; i < class->count; i++) {
        axis->valid[i] = array_of(class, i, stat).count;
        axis->count =
            axis->valid[i] > axis->count ? axis->valid[i] : axis->count;
    }
}

static void put_valid_length(struct loom_tree_builder *builder,
                             const struct loom_tree_axis *axis)
{
    char wanted[96], name[112];
    struct loom_h5_dataset spec = {
        .name = name,
        .unit = "1",
        .doc = "entries of the axis that the instance has",
        .scale = {&builder->instance},
        .rank = 1};

    snprintf(wanted, sizeof(wanted), "%s_valid_length", axis->name);
    loom_tree_unique(builder, wanted, name, sizeof(name));
    loom_h5_fill(builder->h5, builder->group, &spec, axis->valid);
    loom_h5_put_text(builder->h5, axis->scale.dataset, "valid_length", name);
}

/* Bin edges: 0, 1, 2, 4 .. and the largest value that there is. */
static void put_bins(struct loom_tree_builder *builder,
                     struct loom_tree_axis *axis, const struct loom_stat *stat)
{
    uint64_t edge[LOOM_HISTOGRAM_BINS + 1] = {0};
    struct loom_h5_dataset spec = {
        .name = axis->name,
        .unit = loom_unit_name(stat->unit),
        .doc = "lower edge of the bin; the last bin has no upper edge"};

    for (uint32_t i = 1; i < LOOM_HISTOGRAM_BINS; i++) {
        edge[i] = UINT64_C(1) << (i - 1);
    }
    edge[LOOM_HISTOGRAM_BINS] = UINT64_MAX;
    loom_h5_scale_init(builder->h5, &axis->scale, builder->group, &spec,
                       axis->count, edge);
    loom_h5_put_u64(builder->h5, axis->scale.dataset, "edges", edge,
                    LOOM_HISTOGRAM_BINS + 1);
}

static void new_axis(struct loom_tree_builder *builder,
                     struct loom_tree_axis *axis, const struct loom_stat *stat)
{
    struct loom_h5_dataset spec = {.name = axis->name,
                                   .unit = "1",
                                   .doc = "position along the axis",
                                   .type = LOOM_H5_U64};
    char wanted[80];

    axis->bins = stat->kind == LOOM_STAT_HISTOGRAM;
    snprintf(wanted, sizeof(wanted), "%.64s%s",
             axis->bins ? stat->name : stat->axis, axis->bins ? "_bin" : "");
    loom_tree_unique(builder, wanted, axis->name, sizeof(axis->name) - 1);
    if (axis->bins) {
        axis->count = LOOM_HISTOGRAM_BINS;
        put_bins(builder, axis, stat);
        return;
    }
    if (stat->kind == LOOM_STAT_ARRAY) {
        measure(builder, axis, stat);
    } else {
        axis->keys = stat->keys;
        axis->count = stat->count;
    }
    if (axis->keys != NULL) {
        spec.type = LOOM_H5_TEXT;
        spec.doc = "label along the axis";
    }
    loom_h5_scale_init(builder->h5, &axis->scale, builder->group, &spec,
                       axis->count, axis->keys);
    if (axis->valid != NULL) {
        put_valid_length(builder, axis);
        loom_tree_loads(builder, axis);
    }
}

struct loom_tree_axis *loom_tree_axis_of(struct loom_tree_builder *builder,
                                         const struct loom_stat *stat)
{
    struct loom_tree_axis *axis;

    for (size_t i = 0; i < builder->axes; i++) {
        if (fits(builder, &builder->axis[i], stat)) {
            return &builder->axis[i];
        }
    }
    if (builder->axes == LOOM_TREE_AXES) {
        struct loom_error err;

        loom_fail(&err, LOOM_ERR_CONFIG, "class '%s' has more than %d axes",
                  builder->class->group, LOOM_TREE_AXES);
        loom_h5_set_error(builder->h5, &err);
        return NULL;
    }
    axis = &builder->axis[builder->axes++];
    *axis = (struct loom_tree_axis){0}; /* the last class used it too */
    new_axis(builder, axis, stat);
    return builder->h5->failed ? NULL : axis;
}

void loom_tree_axes_finish(struct loom_tree_builder *builder)
{
    loom_h5_scale_finish(builder->h5, &builder->instance);
    loom_h5_scale_fini(builder->h5, &builder->instance);
    for (size_t i = 0; i < builder->axes; i++) {
        loom_h5_scale_finish(builder->h5, &builder->axis[i].scale);
        loom_h5_scale_fini(builder->h5, &builder->axis[i].scale);
        free(builder->axis[i].valid);
    }
    builder->axes = 0;
}

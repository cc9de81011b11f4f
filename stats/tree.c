/*
 * Laying out and reading the statistics of all classes.
 *
 * What a reader in another language needs to understand a number stands
 * beside it: unit, meaning, what kind it is and which dataset it was computed
 * from.  Interval values of a ratio must be computed from @inputs, never as
 * a difference of ratios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimate.h"
#include "stats/tree_private.h"

/* One column of a statistic. */
struct column {
    const char *suffix, *doc, *kind, *scope; /* kind: NULL of an error */
    struct loom_tree_axis *axis;             /* NULL: none */
    enum loom_h5_type type;
    bool pure; /* a number of values: unit 1 */
    bool all;  /* instances together */
};

static bool is_energy(const struct loom_stat *stat)
{
    return stat->kind == LOOM_STAT_ENERGY || stat->kind == LOOM_STAT_POWER;
}

/* What an energy is computed from; its coefficients are in /energy. */
static void describe_energy(struct loom_tree_builder *builder, hid_t dataset,
                            const struct loom_stat *stat)
{
    const struct loom_class_energy *energy = builder->class->energy;
    const char *power[] = {"energy", "time"};
    const char *input[64];
    size_t inputs = 0;
    char path[LOOM_STAT_NAME + 64];

    if (stat->kind == LOOM_STAT_POWER) {
        loom_h5_put_text(builder->h5, dataset, "formula", "energy / time");
        loom_h5_put_texts(builder->h5, dataset, "inputs", power, 2);
    } else if (stat->offset == energy->events) {
        for (; inputs < energy->events && inputs < LOOM_COUNTOF(input);
             inputs++) {
            input[inputs] = energy->event[inputs].name;
        }
        loom_h5_put_text(builder->h5, dataset, "formula", "sum of inputs");
        loom_h5_put_texts(builder->h5, dataset, "inputs", input, inputs);
    } else {
        const struct loom_class_event *event = &energy->event[stat->offset];

        snprintf(path, sizeof(path), "/energy/%s/%s", builder->class->group,
                 event->name);
        loom_h5_put_text(builder->h5, dataset, "formula",
                         "coefficient * count");
        loom_h5_put_text(builder->h5, dataset, "count", event->energy.count);
        loom_h5_put_text(builder->h5, dataset, "coefficients", path);
        loom_h5_put_text(builder->h5, dataset, "source", event->source);
    }
}

static bool has_error(const struct loom_tree_builder *builder,
                      const struct loom_stat *stat)
{
    return builder->errors && !stat->exact && stat->kind != LOOM_STAT_GAUGE;
}

/* Whether the dataset of this name is an estimate, and where its error is. */
static void describe_error(struct loom_tree_builder *builder, hid_t dataset,
                           const struct loom_stat *stat,
                           const struct column *column, const char *name)
{
    char names[300];
    uint64_t exact = 1;

    if (!builder->errors || column->kind == NULL) {
        return;
    }
    if (has_error(builder, stat) && strcmp(column->scope, "whole_run") != 0) {
        snprintf(names, sizeof(names), "%s_stderr %s_total_stderr", name, name);
        loom_h5_put_text(builder->h5, dataset, "ancillary_variables", names);
    } else if (stat->exact) {
        loom_h5_put_u64(builder->h5, dataset, "exact", &exact, 0);
    }
}

static void describe(struct loom_tree_builder *builder, hid_t dataset,
                     const struct loom_stat *stat, const struct column *column)
{
    struct loom_h5 *h5 = builder->h5;
    const char *input[2];
    char formula[160], names[320];

    if (column->kind != NULL) { /* readers know statistics by it */
        loom_h5_put_text(h5, dataset, "kind", column->kind);
        loom_h5_put_text(h5, dataset, "scope", column->scope);
    }
    snprintf(names, sizeof(names), "%s%s", builder->coordinates,
             column->axis != NULL && column->axis->coordinates != NULL
                 ? column->axis->coordinates
                 : "");
    loom_h5_put_text(h5, dataset, "coordinates", names);
    if (column->kind == NULL) {
        return;
    }
    if (is_energy(stat)) {
        describe_energy(builder, dataset, stat);
        return;
    }
    if (stat->kind != LOOM_STAT_RATIO && stat->kind != LOOM_STAT_RATE) {
        return;
    }
    input[0] = loom_stat_at(builder->class->stats, stat->offset);
    input[1] = stat->kind == LOOM_STAT_RATE
                   ? "time"
                   : loom_stat_at(builder->class->stats, stat->den_offset);
    if (input[0] == NULL || input[1] == NULL) {
        return; /* the audit of the schema refuses such a table */
    }
    snprintf(formula, sizeof(formula), "%s / %s", input[0], input[1]);
    loom_h5_put_text(h5, dataset, "formula", formula);
    loom_h5_put_texts(h5, dataset, "inputs", input, 2);
}

static bool name_is_free(struct loom_tree_builder *builder, const char *name)
{
    struct loom_error err;

    if (!loom_h5_exists(builder->h5, builder->group, name)) {
        return true;
    }
    loom_fail(&err, LOOM_ERR_CONFIG,
              "statistic '%s' of '%s' has the same name as another statistic "
              "or as a part of that component; rename the part",
              name, builder->class->group);
    loom_h5_set_error(builder->h5, &err);
    return false;
}

static size_t add_column(struct loom_tree_builder *builder,
                         const struct loom_stat *stat,
                         const struct column *column)
{
    char name[128], doc[400];
    struct loom_h5_dataset spec = {
        .name = name,
        .doc = doc,
        .unit = column->pure ? "1" : loom_unit_name(stat->unit),
        .type = column->type};
    hid_t dataset;
    size_t offset;

    if (!column->all) {
        spec.scale[spec.rank++] = &builder->instance;
    }
    if (column->axis != NULL) {
        spec.scale[spec.rank++] = &column->axis->scale;
    }
    snprintf(name, sizeof(name), "%s%s", stat->name, column->suffix);
    snprintf(doc, sizeof(doc), "%s%s", stat->doc, column->doc);
    if (builder->h5->failed || !name_is_free(builder, name)) {
        return 0;
    }
    offset = loom_rows_column(builder->rows, builder->group, &spec, &dataset);
    describe(builder, dataset, stat, column);
    describe_error(builder, dataset, stat, column, name);
    return offset;
}

/* Columns beside the one of `suffix` for standard errors. */
static void add_errors(struct loom_tree_builder *builder,
                       const struct loom_stat *stat, const char *suffix,
                       struct loom_tree_axis *axis, bool pure,
                       struct loom_probe *probe)
{
    char name[80];
    struct column column = {name, ": standard error of the estimate",
                            NULL, "cumulative",
                            axis, LOOM_H5_F64,
                            pure, false};
    size_t first;

    if (!has_error(builder, stat)) {
        return;
    }
    snprintf(name, sizeof(name), "%s_stderr", suffix);
    first = add_column(builder, stat, &column);
    snprintf(name, sizeof(name), "%s_total_stderr", suffix);
    column.doc = ": standard error of the sum over instances";
    column.all = true;
    add_column(builder, stat, &column);
    probe->error = probe->error == 0 ? first : probe->error;
}

static size_t add_histogram(struct loom_tree_builder *builder,
                            const struct loom_stat *stat,
                            struct loom_probe *probe)
{
    const struct column rest[] = {
        {"_count", ": number of values", "counter", "cumulative", NULL,
         LOOM_H5_U64, true, false},
        {"_sum", ": sum of values", "counter", "cumulative", NULL, LOOM_H5_U64,
         false, false},
        {"_min", ": smallest value", "min", "whole_run", NULL, LOOM_H5_U64,
         false, false},
        {"_max", ": largest value", "max", "whole_run", NULL, LOOM_H5_U64,
         false, false}};
    struct column bins = {
        "_hist", ": values per bin", "histogram", "cumulative",
        NULL,    LOOM_H5_U64,        true,        false};
    size_t offset;

    bins.axis = loom_tree_axis_of(builder, stat);
    offset = add_column(builder, stat, &bins);
    for (size_t i = 0; i < LOOM_COUNTOF(rest); i++) {
        add_column(builder, stat, &rest[i]);
    }
    /* In the order of their quantities (stats/estimate.h). */
    add_errors(builder, stat, "_hist", bins.axis, true, probe);
    add_errors(builder, stat, "_count", NULL, true, probe);
    add_errors(builder, stat, "_sum", NULL, false, probe);
    return offset;
}

static void add_stat(struct loom_tree_builder *builder,
                     const struct loom_stat *stat, struct loom_probe *probe)
{
    struct column column = {"",   "",          "counter", "cumulative",
                            NULL, LOOM_H5_U64, false,     false};

    *probe =
        (struct loom_probe){.class = builder->class, .stat = stat, .width = 1};
    switch (stat->kind) {
    case LOOM_STAT_COUNTER:
        break;
    case LOOM_STAT_GAUGE:
        column.kind = "gauge";
        column.scope = "instant";
        break;
    case LOOM_STAT_VECTOR:
    case LOOM_STAT_ARRAY:
        column.axis = loom_tree_axis_of(builder, stat);
        break;
    case LOOM_STAT_HISTOGRAM:
        probe->offset = add_histogram(builder, stat, probe);
        probe->width = LOOM_HISTOGRAM_BINS;
        return;
    case LOOM_STAT_RATIO:
        column.kind = "ratio";
        column.type = LOOM_H5_F64;
        break;
    case LOOM_STAT_RATE:
        column.kind = "rate";
        column.type = LOOM_H5_F64;
        break;
    case LOOM_STAT_ENERGY:
        column.type = LOOM_H5_F64;
        break;
    case LOOM_STAT_POWER:
        column.kind = "rate";
        column.type = LOOM_H5_F64;
        break;
    }
    probe->offset = add_column(builder, stat, &column);
    probe->width = column.axis == NULL ? 1 : column.axis->count;
    add_errors(builder, stat, "", column.axis, false, probe);
}

/* Hard links to the coordinates of the samples, so that a reader of this
 * group alone has them. */
static void link_shared(struct loom_tree_builder *builder, hid_t root,
                        const char *shared)
{
    char name[64], unique[80];

    while (*shared != '\0' && !builder->h5->failed) {
        size_t length = strcspn(shared, " ");

        snprintf(name, sizeof(name), "%.*s", (int)length, shared);
        loom_tree_unique(builder, name, unique, sizeof(unique));
        if (H5Lcreate_hard(root, name, builder->group, unique, H5P_DEFAULT,
                           H5P_DEFAULT) < 0) {
            loom_h5_broken(builder->h5, "link a coordinate");
        }
        snprintf(builder->coordinates + strlen(builder->coordinates),
                 sizeof(builder->coordinates) - strlen(builder->coordinates),
                 "%s%s", builder->coordinates[0] == '\0' ? "" : " ", unique);
        shared += length;
        shared += *shared == ' ';
    }
}

static void describe_group(const struct loom_tree_builder *builder)
{
    const struct loom_class *class = builder->class;
    uint64_t count = class->count;

    loom_h5_put_text(builder->h5, builder->group,
                     class->is_policy ? "policy_class" : "component_class",
                     class->type);
    loom_h5_put_text(builder->h5, builder->group, "long_name", class->doc);
    loom_h5_put_u64(builder->h5, builder->group, "instances", &count, 0);
}

static bool is_chosen(const struct loom_class *class, const bool *chosen)
{
    for (size_t i = 0; i < class->stats.count; i++) {
        if (chosen == NULL || chosen[class->first + i]) {
            return true;
        }
    }
    return false;
}

static bool add_class(struct loom_tree *tree, struct loom_tree_builder *builder,
                      const bool *chosen, hid_t root, const char *shared)
{
    const struct loom_class *class = builder->class;

    if (!is_chosen(class, chosen)) {
        return true;
    }
    builder->coordinates[0] = '\0';
    builder->group = loom_h5_group(builder->h5, root, class->group);
    describe_group(builder);
    link_shared(builder, root, shared);
    loom_tree_instances(builder);
    for (size_t i = 0; i < class->stats.count; i++) {
        if (chosen == NULL || chosen[class->first + i]) {
            add_stat(builder, &class->stats.item[i],
                     &tree->probe[tree->probes++]);
        }
    }
    loom_tree_axes_finish(builder);
    loom_h5_release(builder->h5, builder->group);
    return !builder->h5->failed;
}

/* All groups exist before any dataset does, so that names of parts and of
 * statistics are told apart whatever the order of classes. */
static void make_groups(const struct loom_catalog *catalog, const bool *chosen,
                        struct loom_h5 *h5, hid_t root)
{
    for (uint32_t i = 0; i < catalog->count && !h5->failed; i++) {
        if (is_chosen(&catalog->item[i], chosen)) {
            hid_t group = loom_h5_group(h5, root, catalog->item[i].group);

            loom_h5_release(h5, group);
        }
    }
}

bool loom_tree_init(struct loom_tree *tree, const struct loom_catalog *catalog,
                    const bool *chosen, struct loom_rows *rows, hid_t root,
                    const char *shared)
{
    struct loom_tree_builder *builder = calloc(1, sizeof(*builder));
    bool ok = true;

    *tree = (struct loom_tree){
        .catalog = catalog,
        .errors = tree->errors,
        .probe = calloc(catalog->stat_count + 1, sizeof(*tree->probe))};
    if (builder == NULL || tree->probe == NULL) {
        loom_h5_no_memory(rows->h5, "lay out statistics");
        free(builder);
        return false;
    }
    builder->h5 = rows->h5;
    builder->rows = rows;
    builder->names = tree->errors;
    builder->errors = catalog->estimate != NULL && tree->errors;
    make_groups(catalog, chosen, rows->h5, root);
    for (uint32_t i = 0; ok && i < catalog->count; i++) {
        builder->class = &catalog->item[i];
        ok = add_class(tree, builder, chosen, root, shared);
    }
    free(builder);
    return ok && !rows->h5->failed;
}

void loom_tree_fini(struct loom_tree *tree)
{
    free(tree->probe);
    *tree = (struct loom_tree){0};
}

static void sample_histogram(const struct loom_histogram *histogram,
                             union loom_word *row, uint32_t instance,
                             uint32_t count)
{
    union loom_word *rest =
        row + (size_t)count * LOOM_HISTOGRAM_BINS + instance;

    memcpy(row + (size_t)instance * LOOM_HISTOGRAM_BINS, histogram->bin,
           sizeof(histogram->bin));
    rest[0].u = histogram->count;
    rest[(size_t)count].u = histogram->sum;
    rest[(size_t)count * 2].u = histogram->min;
    rest[(size_t)count * 3].u = histogram->max;
}

static void sample_one(const struct loom_probe *probe, union loom_word *row,
                       uint32_t i, double seconds)
{
    const char *block = probe->class->block[i];
    const void *field = block;
    const struct loom_array *array;

    if (!is_energy(probe->stat)) {
        field = block + probe->stat->offset;
    }
    array = field;
    switch (probe->stat->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
        row[i].u = *(const uint64_t *)field;
        break;
    case LOOM_STAT_VECTOR:
        memcpy(row + i * probe->width, field, probe->width * sizeof(*row));
        break;
    case LOOM_STAT_ARRAY:
        LOOM_CHECK(array->count <= probe->width); /* sized in init only */
        if (array->count != 0) {
            memcpy(row + i * probe->width, array->item,
                   array->count * sizeof(*row));
        }
        break;
    case LOOM_STAT_HISTOGRAM:
        sample_histogram(field, row, i, probe->class->count);
        break;
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
        row[i].f = loom_stat_read(probe->stat, block, seconds);
        break;
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        row[i].f =
            loom_class_energy_read(probe->class, probe->stat, i, seconds);
        break;
    }
}

static void put_error(const struct loom_tree *tree,
                      const struct loom_probe *probe, union loom_word *row,
                      uint32_t instance, size_t width, size_t first)
{
    const struct loom_class *class = probe->class;

    for (size_t k = 0; k < width; k++) {
        row[k].f = loom_estimate_error(
            tree->catalog->estimate, (uint32_t)(class - tree->catalog->item),
            (size_t)(probe->stat - class->stats.item), instance,
            (uint32_t)(first + k));
    }
}

/* The errors of a column of so many words an instance, the first of which is
 * entry `first`; returns how many words it and that of the totals have. */
static size_t sample_errors(const struct loom_tree *tree,
                            const struct loom_probe *probe, union loom_word *at,
                            size_t width, size_t first)
{
    uint32_t count = probe->class->count;

    for (uint32_t i = 0; i <= count; i++) {
        put_error(tree, probe, at + i * width, i, width, first);
    }
    return (count + 1) * width;
}

void loom_tree_sample(const struct loom_tree *tree, union loom_word *row,
                      double seconds)
{
    for (size_t p = 0; p < tree->probes; p++) {
        const struct loom_probe *probe = &tree->probe[p];

        for (uint32_t i = 0; i < probe->class->count; i++) {
            sample_one(probe, row + probe->offset, i, seconds);
        }
        if (probe->error != 0) {
            union loom_word *at = row + probe->error;

            at += sample_errors(tree, probe, at, probe->width, 0);
            if (probe->stat->kind == LOOM_STAT_HISTOGRAM) {
                at += sample_errors(tree, probe, at, 1, probe->width);
                sample_errors(tree, probe, at, 1, probe->width + 1);
            }
        }
    }
}

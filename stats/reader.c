/*
 * The index of a results file is read at once (names, units, shapes), the
 * values of a statistic when they are asked for.
 */
#include "stats/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"

struct attribute {
    char *name, *value;
};

struct loom_reader {
    hid_t file;
    char *path;
    uint64_t samples;
    char **label;   /* [samples] */
    uint64_t *time; /* [samples] bits of doubles */
    struct loom_reader_stat *stat;
    uint32_t count, room;
    struct attribute *attribute; /* what was asked for */
    size_t attributes;
};

static bool broken(const struct loom_reader *reader, const char *what,
                   struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_INPUT, "'%.200s' is damaged: cannot read %s",
                     reader->path, what);
}

static void free_stat(struct loom_reader_stat *stat)
{
    free(stat->name);
    free(stat->dataset);
    free(stat->unit);
    free(stat->doc);
    free(stat->kind);
    free(stat->input[0]);
    free(stat->input[1]);
    loom_h5_free_texts(stat->instance, stat->instances);
    loom_h5_free_texts(stat->label, stat->width);
}

void loom_reader_close(struct loom_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    for (uint32_t i = 0; i < reader->count; i++) {
        free_stat(&reader->stat[i]);
    }
    for (size_t i = 0; i < reader->attributes; i++) {
        free(reader->attribute[i].name);
        free(reader->attribute[i].value);
    }
    loom_h5_free_texts(reader->label, reader->samples);
    if (reader->file >= 0) {
        H5Fclose(reader->file);
    }
    free(reader->attribute);
    free(reader->time);
    free(reader->stat);
    free(reader->path);
    free(reader);
}

/* "/stats/gpu/sm/hits" -> "gpu.sm.hits" */
static char *dotted(const char *path)
{
    char *name = strdup(path + strlen("/stats/"));

    for (char *c = name; c != NULL && *c != '\0'; c++) {
        *c = *c == '/' ? '.' : *c;
    }
    return name;
}

static bool labelled(hid_t dataset)
{
    hid_t scale = loom_h5_scale_of(dataset, 2);
    hid_t type;
    bool text;

    if (scale < 0) {
        return false;
    }
    type = H5Dget_type(scale);
    text = H5Tget_class(type) == H5T_STRING;
    H5Tclose(type);
    H5Dclose(scale);
    return text;
}

/* Adds a dataset if it is a statistic, which is what has a kind. */
static bool add_stat(void *context, hid_t dataset, const char *path)
{
    struct loom_reader *reader = context;
    struct loom_reader_stat stat = {0}, *grown;
    hsize_t dims[LOOM_H5_RANK];
    int rank = loom_h5_dims(dataset, dims);
    hid_t type;

    stat.kind = loom_h5_get_text(dataset, "kind");
    if (stat.kind == NULL || rank < 2) {
        free(stat.kind);
        return true;
    }
    stat.name = dotted(path);
    stat.dataset = strdup(path);
    stat.unit = loom_h5_get_text(dataset, "units");
    stat.doc = loom_h5_get_text(dataset, "long_name");
    loom_h5_get_texts(dataset, "inputs", stat.input, 2);
    stat.instances = dims[1];
    stat.width = rank == 3 ? dims[2] : 1;
    stat.is_labelled = rank == 3 && labelled(dataset);
    type = H5Dget_type(dataset);
    stat.is_float = H5Tget_class(type) == H5T_FLOAT;
    H5Tclose(type);
    if (reader->count == reader->room) {
        reader->room = reader->room == 0 ? 64 : reader->room * 2;
        grown = realloc(reader->stat, reader->room * sizeof(*grown));
        if (grown == NULL) {
            free_stat(&stat);
            return false;
        }
        reader->stat = grown;
    }
    reader->stat[reader->count++] = stat;
    return stat.name != NULL && stat.dataset != NULL && stat.unit != NULL &&
           stat.doc != NULL;
}

/* How many snapshots there are, when, and what they are called. */
static bool read_samples(struct loom_reader *reader, hid_t group)
{
    hid_t sample = H5Dopen2(group, "sample", H5P_DEFAULT);
    hid_t time = H5Dopen2(group, "time", H5P_DEFAULT);
    hid_t label = H5Dopen2(group, "label", H5P_DEFAULT);
    hsize_t dims[LOOM_H5_RANK] = {0};
    bool ok = false;

    if (sample >= 0 && time >= 0 && label >= 0 &&
        loom_h5_dims(sample, dims) == 1) {
        reader->time = loom_h5_read_words(time, H5T_NATIVE_DOUBLE, dims[0]);
        reader->label = loom_h5_read_texts(label, dims[0]);
        reader->samples = reader->label == NULL ? 0 : dims[0];
        ok = reader->time != NULL && reader->label != NULL;
    }
    H5Dclose(label);
    H5Dclose(time);
    H5Dclose(sample);
    return ok;
}

static bool read_index(struct loom_reader *reader, struct loom_error *err)
{
    const char *format = loom_reader_attribute(reader, "format");
    hid_t group;
    bool ok;

    if (strcmp(format, "warploom-stats") != 0) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "'%.200s' is an HDF5 file but not of warploom: its "
                         "format is '%.60s'",
                         reader->path, format);
    }
    group = H5Gopen2(reader->file, "stats", H5P_DEFAULT);
    if (group < 0) {
        return broken(reader, "/stats", err);
    }
    ok = read_samples(reader, group);
    if (!ok) {
        broken(reader, "the list of snapshots", err);
    } else if (!loom_h5_each(group, "/stats", add_stat, reader)) {
        ok = broken(reader, "the list of statistics", err);
    }
    H5Gclose(group);
    return ok;
}

struct loom_reader *loom_reader_open(const char *path, struct loom_error *err)
{
    struct loom_reader *reader = calloc(1, sizeof(*reader));

    if (reader == NULL || (reader->path = strdup(path)) == NULL) {
        free(reader);
        loom_fail(err, LOOM_ERR_MEMORY, "no memory to read '%.200s'", path);
        return NULL;
    }
    reader->file = loom_h5_open(path, err);
    if (reader->file < 0 || !read_index(reader, err)) {
        loom_reader_close(reader);
        return NULL;
    }
    return reader;
}

const char *loom_reader_attribute(struct loom_reader *reader, const char *name)
{
    struct attribute *grown;
    char *value;

    for (size_t i = 0; i < reader->attributes; i++) {
        if (strcmp(reader->attribute[i].name, name) == 0) {
            return reader->attribute[i].value;
        }
    }
    value = loom_h5_get_text(reader->file, name);
    if (value == NULL) {
        return "";
    }
    grown =
        realloc(reader->attribute, (reader->attributes + 1) * sizeof(*grown));
    if (grown == NULL) {
        free(value);
        return "";
    }
    reader->attribute = grown;
    grown[reader->attributes].name = strdup(name);
    grown[reader->attributes].value = value;
    if (grown[reader->attributes].name == NULL) {
        free(value);
        return "";
    }
    reader->attributes++;
    return value;
}

uint64_t loom_reader_samples(const struct loom_reader *reader)
{
    return reader->samples;
}

const char *loom_reader_label(const struct loom_reader *reader, uint64_t sample)
{
    LOOM_CHECK(sample < reader->samples);
    return reader->label[sample];
}

double loom_reader_time(const struct loom_reader *reader, uint64_t sample)
{
    double time;

    LOOM_CHECK(sample < reader->samples);
    memcpy(&time, &reader->time[sample], sizeof(time));
    return time;
}

bool loom_reader_sample(const struct loom_reader *reader, const char *which,
                        uint64_t *sample, struct loom_error *err)
{
    char *end;

    if (reader->samples == 0) {
        return loom_fail(err, LOOM_ERR_INPUT, "'%.200s' has no snapshot yet",
                         reader->path);
    }
    *sample = reader->samples - 1;
    if (which == NULL || strcmp(which, "last") == 0) {
        return true;
    }
    for (; *sample + 1 > 0; (*sample)--) {
        if (strcmp(reader->label[*sample], which) == 0) {
            return true;
        }
    }
    *sample = strtoull(which, &end, 10);
    if (*end == '\0' && end != which && which[0] != '-' &&
        *sample < reader->samples) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_INPUT,
                     "'%.160s' has no snapshot '%.100s'; it has %llu, the last "
                     "is '%.100s'",
                     reader->path, which, (unsigned long long)reader->samples,
                     reader->label[reader->samples - 1]);
}

uint32_t loom_reader_count(const struct loom_reader *reader)
{
    return reader->count;
}

const struct loom_reader_stat *
loom_reader_stat(const struct loom_reader *reader, uint32_t number)
{
    LOOM_CHECK(number < reader->count);
    return &reader->stat[number];
}

int64_t loom_reader_find(const struct loom_reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        if (strcmp(reader->stat[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The texts of a dimension's scale; NULL if it has none or they are not
 * text. */
static char **scale_texts(hid_t dataset, int dimension, uint64_t count)
{
    hid_t scale = loom_h5_scale_of(dataset, dimension);
    char **text = NULL;

    if (scale >= 0) {
        text = loom_h5_read_texts(scale, count);
        H5Dclose(scale);
    }
    return text;
}

static bool read_row(hid_t dataset, const struct loom_reader_stat *stat,
                     uint64_t sample, union loom_reader_value *value)
{
    hsize_t dims[LOOM_H5_RANK], start[LOOM_H5_RANK] = {sample};
    hsize_t count[LOOM_H5_RANK] = {1, stat->instances, stat->width};
    int rank = loom_h5_dims(dataset, dims);
    hid_t file, memory;
    bool ok;

    if (rank < 2 || sample >= dims[0] || dims[1] != stat->instances ||
        (rank == 3 && dims[2] != stat->width)) {
        return false;
    }
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(rank, count, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    ok =
        H5Dread(dataset, stat->is_float ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64,
                memory, file, H5P_DEFAULT, value) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return ok;
}

bool loom_reader_values(struct loom_reader *reader, uint32_t number,
                        uint64_t sample, union loom_reader_value **value,
                        struct loom_error *err)
{
    struct loom_reader_stat *stat;
    hid_t dataset;
    bool ok;

    LOOM_CHECK(number < reader->count);
    stat = &reader->stat[number];
    *value = calloc(stat->instances * stat->width + 1, sizeof(**value));
    if (*value == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%.200s'",
                         stat->name);
    }
    dataset = H5Dopen2(reader->file, stat->dataset, H5P_DEFAULT);
    ok = dataset >= 0 && read_row(dataset, stat, sample, *value);
    if (ok && stat->instance == NULL) {
        stat->instance = scale_texts(dataset, 1, stat->instances);
        ok = stat->instance != NULL;
    }
    if (ok && stat->label == NULL && stat->is_labelled) {
        stat->label = scale_texts(dataset, 2, stat->width);
    }
    H5Dclose(dataset);
    if (!ok) {
        free(*value);
        *value = NULL;
        return broken(reader, stat->dataset, err);
    }
    return true;
}

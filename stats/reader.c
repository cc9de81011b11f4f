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

/* Rows of a statistic.  HDF5 unpacks a chunk of them for each that is read,
 * so neighbours are kept. */
struct block {
    uint32_t number;
    uint64_t first, rows; /* 0 rows: nothing */
    union loom_reader_value *value;
};
enum {
    BLOCKS = 8,
    BLOCK_ROWS = 64,
    BLOCK_VALUES = 1 << 19
};

struct loom_reader {
    hid_t file;
    char *path;
    char *root; /* "/stats", "/series/bw" */
    bool is_series;
    uint64_t samples;
    char **label;   /* [samples]; NULL in a series */
    uint64_t *time; /* [samples] bits of doubles */
    struct loom_reader_stat *stat;
    uint32_t count, room;
    struct attribute *attribute; /* what was asked for */
    size_t attributes;
    struct block block[BLOCKS];
    size_t oldest; /* of them */
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
        loom_h5_close_read(reader->file, reader->path);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        free(reader->block[i].value);
    }
    free(reader->attribute);
    free(reader->root);
    free(reader->time);
    free(reader->stat);
    free(reader->path);
    free(reader);
}

/* "/stats/gpu/sm/hits" -> "gpu.sm.hits" */
static char *dotted(const struct loom_reader *reader, const char *path)
{
    char *name = strdup(path + strlen(reader->root) + 1);

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
        bool is_none = stat.kind != NULL || H5Aexists(dataset, "kind") == 0;

        free(stat.kind);
        return is_none;
    }
    stat.name = dotted(reader, path);
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
        uint32_t room = reader->room == 0 ? 64 : reader->room * 2;

        grown = realloc(reader->stat, room * sizeof(*grown));
        if (grown == NULL) {
            free_stat(&stat);
            return false;
        }
        reader->stat = grown;
        reader->room = room;
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
    hid_t label =
        reader->is_series ? -1 : H5Dopen2(group, "label", H5P_DEFAULT);
    hsize_t dims[LOOM_H5_RANK] = {0};
    bool ok = false;

    if (sample >= 0 && time >= 0 && loom_h5_dims(sample, dims) == 1) {
        reader->time = loom_h5_read_words(time, H5T_NATIVE_DOUBLE, dims[0]);
        reader->label = label < 0 ? NULL : loom_h5_read_texts(label, dims[0]);
        ok = reader->time != NULL &&
             (reader->label != NULL || reader->is_series);
        reader->samples = ok ? dims[0] : 0;
    }
    if (!ok && reader->label != NULL) {
        loom_h5_free_texts(reader->label, dims[0]);
        reader->label = NULL;
    }
    H5Dclose(label);
    H5Dclose(time);
    H5Dclose(sample);
    return ok;
}

/* "; it has 'bw', 'l1'" */
static void list_series(const struct loom_reader *reader, char *text,
                        size_t size)
{
    hid_t group = H5Gopen2(reader->file, "/series", H5P_DEFAULT);
    H5G_info_t info = {.nlinks = 0};
    char name[64];
    int at = 0;

    text[0] = '\0';
    if (group < 0 || H5Gget_info(group, &info) < 0) {
        return;
    }
    for (hsize_t i = 0; i < info.nlinks && (size_t)at + 80 < size; i++) {
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                               sizeof(name), H5P_DEFAULT) > 0) {
            at += snprintf(text + at, size - (size_t)at, "%s'%s'",
                           at == 0 ? "; it has " : ", ", name);
        }
    }
    H5Gclose(group);
}

static bool no_root(const struct loom_reader *reader, struct loom_error *err)
{
    char list[400];

    if (!reader->is_series) {
        return broken(reader, "/stats", err);
    }
    list_series(reader, list, sizeof(list));
    return loom_fail(err, LOOM_ERR_INPUT, "'%.200s' has no series '%.64s'%s",
                     reader->path, reader->root + strlen("/series/"),
                     list[0] == '\0' ? "; a script asks for them with "
                                       "stats = { series = .. }"
                                     : list);
}

static bool read_index(struct loom_reader *reader, struct loom_error *err)
{
    hid_t group;
    bool ok;

    if (!loom_h5_is_run(loom_reader_attribute(reader, "format"), reader->path,
                        err)) {
        return false;
    }
    group = H5Gopen2(reader->file, reader->root, H5P_DEFAULT);
    if (group < 0) {
        return no_root(reader, err);
    }
    ok = read_samples(reader, group);
    if (!ok) {
        broken(reader, "the list of snapshots", err);
    } else if (!loom_h5_each(group, reader->root, add_stat, reader)) {
        ok = broken(reader, "the list of statistics", err);
    }
    H5Gclose(group);
    return ok;
}

/* What messages say of it, and where its datasets are. */
static bool set_names(struct loom_reader *reader, const char *path,
                      const char *series)
{
    size_t size = strlen("/series/") + strlen(series == NULL ? "" : series) + 1;

    reader->is_series = series != NULL;
    reader->path = strdup(path);
    reader->root = malloc(size);
    if (reader->root != NULL) {
        snprintf(reader->root, size, "%s%s",
                 series == NULL ? "/stats" : "/series/",
                 series == NULL ? "" : series);
    }
    return reader->path != NULL && reader->root != NULL;
}

struct loom_reader *loom_reader_open(const char *path, const char *series,
                                     struct loom_error *err)
{
    struct loom_reader *reader = calloc(1, sizeof(*reader));

    if (reader == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory to read '%.200s'", path);
        return NULL;
    }
    reader->file = -1;
    if (!set_names(reader, path, series)) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory to read '%.200s'", path);
    } else if ((reader->file = loom_h5_open(path, err)) >= 0 &&
               read_index(reader, err)) {
        return reader;
    }
    loom_reader_close(reader);
    return NULL;
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

bool loom_reader_progress(const struct loom_reader *reader, double *seconds)
{
    hid_t meta = H5Gopen2(reader->file, "meta", H5P_DEFAULT);
    hid_t time = -1;
    bool ok;

    if (meta >= 0 && H5Aexists(meta, "sim_time") > 0) {
        time = H5Aopen(meta, "sim_time", H5P_DEFAULT);
    }
    ok = time >= 0 && H5Aread(time, H5T_NATIVE_DOUBLE, seconds) >= 0;
    if (time >= 0) {
        H5Aclose(time);
    }
    if (meta >= 0) {
        H5Gclose(meta);
    }
    return ok;
}

uint64_t loom_reader_samples(const struct loom_reader *reader)
{
    return reader->samples;
}

const char *loom_reader_label(const struct loom_reader *reader, uint64_t sample)
{
    LOOM_CHECK(sample < reader->samples);
    return reader->is_series ? "" : reader->label[sample];
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

int64_t loom_reader_input(const struct loom_reader *reader, uint32_t number,
                          int which)
{
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    const char *dot = strrchr(stat->name, '.');
    size_t group = dot == NULL ? 0 : (size_t)(dot - stat->name) + 1;
    const char *input = stat->input[which];

    for (uint32_t i = 0; input != NULL && i < reader->count; i++) {
        const char *name = reader->stat[i].name;

        if (strncmp(name, stat->name, group) == 0 &&
            strcmp(name + group, input) == 0) {
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

bool loom_reader_names(struct loom_reader *reader, uint32_t number,
                       struct loom_error *err)
{
    struct loom_reader_stat *stat;
    hid_t dataset;

    LOOM_CHECK(number < reader->count);
    stat = &reader->stat[number];
    if (stat->instance != NULL) {
        return true;
    }
    dataset = H5Dopen2(reader->file, stat->dataset, H5P_DEFAULT);
    if (dataset >= 0) {
        stat->instance = scale_texts(dataset, 1, stat->instances);
        if (stat->is_labelled) {
            stat->label = scale_texts(dataset, 2, stat->width);
        }
        H5Dclose(dataset);
    }
    return stat->instance != NULL || broken(reader, stat->dataset, err);
}

/* As many rows from `first` on as there are, up to block->rows. */
static bool read_rows(hid_t dataset, const struct loom_reader_stat *stat,
                      struct block *block)
{
    hsize_t dims[LOOM_H5_RANK], start[LOOM_H5_RANK] = {block->first};
    hsize_t count[LOOM_H5_RANK] = {block->rows, stat->instances, stat->width};
    int rank = loom_h5_dims(dataset, dims);
    hid_t file, memory;
    bool ok;

    if (rank < 2 || block->first >= dims[0] || dims[1] != stat->instances ||
        (rank == 3 && dims[2] != stat->width)) {
        return false;
    }
    count[0] = dims[0] - block->first < block->rows ? dims[0] - block->first
                                                    : block->rows;
    block->rows = count[0];
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(rank, count, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    ok =
        H5Dread(dataset, stat->is_float ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64,
                memory, file, H5P_DEFAULT, block->value) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return ok;
}

/* Reads the rows around `sample`. */
static bool fill_block(struct loom_reader *reader, struct block *block,
                       uint32_t number, uint64_t sample)
{
    const struct loom_reader_stat *stat = &reader->stat[number];
    uint64_t width = stat->instances * stat->width;
    uint64_t rows = BLOCK_VALUES / (width + 1);
    hid_t dataset;
    bool ok;

    rows = rows == 0 ? 1 : rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
    free(block->value);
    *block = (struct block){
        .number = number,
        .first = sample - sample % rows,
        .rows = rows,
        .value = calloc(rows * width + 1, sizeof(*block->value))};
    dataset = H5Dopen2(reader->file, stat->dataset, H5P_DEFAULT);
    ok = block->value != NULL && dataset >= 0 &&
         read_rows(dataset, stat, block) && sample - block->first < block->rows;
    H5Dclose(dataset);
    if (!ok) {
        block->rows = 0;
    }
    return ok;
}

const union loom_reader_value *loom_reader_values(struct loom_reader *reader,
                                                  uint32_t number,
                                                  uint64_t sample,
                                                  struct loom_error *err)
{
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    struct block *block = NULL;

    for (size_t i = 0; i < BLOCKS; i++) {
        struct block *one = &reader->block[i];

        if (one->rows > 0 && one->number == number && sample >= one->first &&
            sample - one->first < one->rows) {
            block = one;
        }
    }
    if (block == NULL) {
        block = &reader->block[reader->oldest];
        reader->oldest = (reader->oldest + 1) % BLOCKS;
        if (!fill_block(reader, block, number, sample)) {
            broken(reader, stat->dataset, err);
            return NULL;
        }
    }
    return block->value +
           (sample - block->first) * stat->instances * stat->width;
}

/* A row of a dataset of doubles, which has `width` of them. */
static bool read_errors(hid_t dataset, uint64_t sample, uint64_t width,
                        double *error)
{
    hsize_t dims[LOOM_H5_RANK], start[2] = {sample, 0}, count[2] = {1, width};
    int rank = loom_h5_dims(dataset, dims);
    hid_t file, memory;
    bool ok;

    if (rank != (width == 1 ? 1 : 2) || sample >= dims[0] ||
        (rank == 2 && dims[1] != width)) {
        return false;
    }
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &count[1], NULL);
    ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >=
             0 &&
         H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT,
                 error) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return ok;
}

bool loom_reader_errors(struct loom_reader *reader, uint32_t number,
                        uint64_t sample, double *error)
{
    static const char suffix[] = "_total_stderr";
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    size_t length = strlen(stat->dataset);
    char *name = malloc(length + sizeof(suffix));
    bool ok = false;

    if (name == NULL) {
        return false;
    }
    memcpy(name, stat->dataset, length);
    memcpy(name + length, suffix, sizeof(suffix));
    if (H5Lexists(reader->file, name, H5P_DEFAULT) > 0) {
        hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);

        ok = dataset >= 0 && read_errors(dataset, sample, stat->width, error);
        H5Dclose(dataset);
    }
    free(name);
    return ok;
}

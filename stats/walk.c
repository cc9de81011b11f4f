/*
 * Walking a results file: is everything described, and what are its values?
 */
#include "stats/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"

struct walk {
    loom_walk_sink *sink;
    void *context;
    struct loom_walk *result;
};

static void report(struct walk *walk, const char *path, const char *problem)
{
    walk->result->problems++;
    if (walk->sink != NULL) {
        walk->sink(walk->context, path, problem);
    }
}

static bool has_text(hid_t dataset, const char *name)
{
    char *text = loom_h5_get_text(dataset, name);
    bool ok = text != NULL && text[0] != '\0';

    free(text);
    return ok;
}

/* Is the scale as long as the dimension it describes? */
static void check_scale(struct walk *walk, hid_t dataset, const char *path,
                        int dimension, hsize_t length)
{
    hid_t scale = loom_h5_scale_of(dataset, dimension);
    hsize_t dims[LOOM_H5_RANK];
    char problem[80];

    snprintf(problem, sizeof(problem), "dimension %d has no scale", dimension);
    if (scale < 0) {
        report(walk, path, problem);
        return;
    }
    if (loom_h5_dims(scale, dims) != 1 || dims[0] != length) {
        snprintf(problem, sizeof(problem),
                 "dimension %d and its scale differ in length", dimension);
        report(walk, path, problem);
    }
    if (H5Aexists(scale, "CLASS") <= 0 ||
        H5Aexists(scale, "REFERENCE_LIST") <= 0) {
        snprintf(problem, sizeof(problem),
                 "the scale of dimension %d does not know of it", dimension);
        report(walk, path, problem);
    }
    H5Dclose(scale);
}

static bool check(void *context, hid_t dataset, const char *path)
{
    struct walk *walk = context;
    hsize_t dims[LOOM_H5_RANK];
    int rank = loom_h5_dims(dataset, dims);

    walk->result->datasets++;
    if (!has_text(dataset, "units")) {
        report(walk, path, "has no units");
    }
    if (!has_text(dataset, "long_name")) {
        report(walk, path, "has no description (long_name)");
    }
    if (rank < 0) {
        report(walk, path, "has more dimensions than any of ours");
    }
    if (H5Aexists(dataset, "CLASS") > 0) {
        return true; /* a scale is its own scale */
    }
    for (int i = 0; i < rank; i++) {
        check_scale(walk, dataset, path, i, dims[i]);
    }
    return true;
}

/* A results file, of one run or of many; -1 if it is none. */
static hid_t open_ours(const char *path, struct loom_error *err)
{
    hid_t file = loom_h5_open(path, err);
    char *format = file < 0 ? NULL : loom_h5_get_text(file, "format");

    if (file >= 0 &&
        !loom_h5_is_ours(format == NULL ? "" : format, path, err)) {
        loom_h5_close_read(file, path);
        file = -1;
    }
    free(format);
    return file;
}

bool loom_walk_file(const char *path, loom_walk_sink *sink, void *context,
                    struct loom_walk *result, struct loom_error *err)
{
    struct walk walk = {sink, context, result};
    hid_t file = open_ours(path, err);
    bool ok;

    *result = (struct loom_walk){0};
    if (file < 0) {
        return false;
    }
    ok = loom_h5_each(file, "/", check, &walk);
    if (!ok) {
        loom_fail(err, LOOM_ERR_INPUT, "'%.200s' is damaged: cannot list it",
                  path);
    }
    loom_h5_close_read(file, path);
    return ok;
}

static bool add_texts(struct loom_digest *digest, hid_t dataset, uint64_t count)
{
    char **text = loom_h5_read_texts(dataset, count);

    for (uint64_t i = 0; text != NULL && i < count; i++) {
        loom_digest_add(digest, text[i], strlen(text[i]) + 1);
    }
    loom_h5_free_texts(text, count);
    return text != NULL;
}

/* Reads a few rows at a time: a series may be larger than memory. */
static bool add_rows(struct loom_digest *digest, hid_t dataset, int rank,
                     const hsize_t *dims, hid_t memory_type)
{
    hsize_t start[LOOM_H5_RANK] = {0}, count[LOOM_H5_RANK];
    uint64_t row = 1, run, *word;
    hid_t file = H5Dget_space(dataset);
    bool ok = true;

    memcpy(count, dims, sizeof(count));
    for (int i = 1; i < rank; i++) {
        row *= dims[i];
    }
    run = row > 65536 ? 1 : 65536 / (row == 0 ? 1 : row);
    run = run < dims[0] ? run : dims[0];
    word = calloc(run * row + 1, sizeof(*word));
    for (hsize_t at = 0; ok && word != NULL && at < dims[0]; at += run) {
        hid_t memory;

        start[0] = at;
        count[0] = dims[0] - at < run ? dims[0] - at : run;
        memory = H5Screate_simple(rank, count, NULL);
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
        ok =
            H5Dread(dataset, memory_type, memory, file, H5P_DEFAULT, word) >= 0;
        H5Sclose(memory);
        if (ok) {
            loom_digest_add_numbers(digest, word, count[0] * row);
        }
    }
    ok = ok && word != NULL;
    free(word);
    H5Sclose(file);
    return ok;
}

static bool add_dataset(void *context, hid_t dataset, const char *path)
{
    struct loom_digest *digest = context;
    hsize_t dims[LOOM_H5_RANK];
    int rank = loom_h5_dims(dataset, dims);
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = H5Tget_class(type);
    uint64_t shape[LOOM_H5_RANK + 2] = {(uint64_t) class, H5Tget_size(type)};

    H5Tclose(type);
    if (rank < 1) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        shape[i + 2] = dims[i];
    }
    loom_digest_add(digest, path, strlen(path) + 1);
    loom_digest_add_numbers(digest, shape, (uint64_t)rank + 2);
    if (class == H5T_STRING) {
        return rank == 1 && add_texts(digest, dataset, dims[0]);
    }
    return add_rows(digest, dataset, rank, dims,
                    class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64);
}

bool loom_results_digest(const char *path, char text[LOOM_DIGEST_TEXT],
                         struct loom_error *err)
{
    static const char *const group[] = {"stats",    "series",  "kernel",
                                        "topology", "metrics", "derived",
                                        "axes",     "values"};
    struct loom_digest digest;
    hid_t file = open_ours(path, err);
    bool ok = true;

    if (file < 0) {
        return false;
    }
    loom_digest_init(&digest);
    for (size_t i = 0; ok && i < LOOM_COUNTOF(group); i++) {
        hid_t root;
        char name[16];

        if (H5Lexists(file, group[i], H5P_DEFAULT) <= 0) {
            continue;
        }
        snprintf(name, sizeof(name), "/%s", group[i]);
        root = H5Gopen2(file, group[i], H5P_DEFAULT);
        ok = root >= 0 && loom_h5_each(root, name, add_dataset, &digest);
        H5Gclose(root);
    }
    if (!ok) {
        loom_fail(err, LOOM_ERR_INPUT, "'%.200s' is damaged: cannot read it",
                  path);
    }
    loom_h5_close_read(file, path);
    loom_digest_text(&digest, text);
    return ok;
}

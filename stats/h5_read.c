/*
 * Reading HDF5 files that may be anything.
 *
 * Types and shapes are checked before anything is read into memory, and
 * sizes that a file claims are bounded before memory is taken for them.
 * Objects are listed by index and not with H5Literate or H5Ovisit, whose
 * signatures differ between versions of the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"
#include "stats/writer.h"

#define MAX_VALUES (UINT64_C(1) << 28)
#define MAX_DEPTH 32
#define MAX_PATH_BYTES 1024

static bool is_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
}

bool loom_h5_is_ours(const char *format, const char *path,
                     struct loom_error *err)
{
    return strcmp(format, "warploom-stats") == 0 ||
           strcmp(format, "warploom-sweep") == 0 ||
           loom_fail(err, LOOM_ERR_INPUT,
                     "'%.200s' is an HDF5 file but not of warploom: its format "
                     "is '%.60s'",
                     path, format);
}

bool loom_h5_is_run(const char *format, const char *path,
                    struct loom_error *err)
{
    if (strcmp(format, "warploom-sweep") == 0) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "'%.200s' has many runs side by side, a sweep's or "
                         "those of warploom merge: use warploom export, plot, "
                         "report or diff",
                         path);
    }
    return loom_h5_is_ours(format, path, err);
}

bool loom_h5_get_texts(hid_t object, const char *name, char **text,
                       size_t count)
{
    hid_t attribute, type, space;
    char *raw[2] = {NULL, NULL};
    bool ok = false;

    LOOM_CHECK(count <= LOOM_COUNTOF(raw));
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    attribute = H5Aopen(object, name, H5P_DEFAULT);
    type = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    if (is_text(type) &&
        H5Sget_simple_extent_npoints(space) == (hssize_t)count &&
        H5Aread(attribute, type, raw) >= 0) {
        ok = true;
        for (size_t i = 0; i < count; i++) {
            text[i] = strdup(raw[i] == NULL ? "" : raw[i]);
            ok = ok && text[i] != NULL;
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return ok;
}

char *loom_h5_get_text(hid_t object, const char *name)
{
    char *text = NULL;

    return loom_h5_get_texts(object, name, &text, 1) ? text : NULL;
}

void loom_h5_free_texts(char **text, uint64_t count)
{
    for (uint64_t i = 0; text != NULL && i < count; i++) {
        free(text[i]);
    }
    free(text);
}

int loom_h5_dims(hid_t dataset, hsize_t dims[LOOM_H5_RANK])
{
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_ndims(space);
    uint64_t values = 1;

    memset(dims, 0, LOOM_H5_RANK * sizeof(*dims));
    if (rank < 0 || rank > LOOM_H5_RANK) {
        rank = -1;
    } else {
        H5Sget_simple_extent_dims(space, dims, NULL);
    }
    /* Every product of dimensions but the first must be a sane size. */
    for (int i = 1; i < rank; i++) {
        if (dims[i] > MAX_VALUES || values * dims[i] > MAX_VALUES) {
            rank = -1;
        } else {
            values *= dims[i];
        }
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return rank;
}

/* Reads [0, count) of a one-dimensional dataset. */
static bool read_first(hid_t dataset, hid_t memory_type, uint64_t count,
                       void *data)
{
    hsize_t dims[LOOM_H5_RANK], start = 0, size = count;
    hid_t file, memory, transfer;
    bool ok;

    if (loom_h5_dims(dataset, dims) != 1 || dims[0] < count ||
        count > MAX_VALUES) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &size, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &size, NULL);
    transfer = loom_h5_transfer();
    ok = H5Dread(dataset, memory_type, memory, file, transfer, data) >= 0;
    H5Pclose(transfer);
    H5Sclose(memory);
    H5Sclose(file);
    return ok;
}

char **loom_h5_read_texts(hid_t dataset, uint64_t count)
{
    hid_t type = H5Dget_type(dataset), memory;
    char **text = NULL;
    bool ok = is_text(type) && count <= MAX_VALUES;

    H5Tclose(type);
    if (ok) {
        text = calloc(count + 1, sizeof(*text));
    }
    if (text == NULL) {
        return NULL;
    }
    memory = loom_h5_text_type();
    ok = read_first(dataset, memory, count, text);
    H5Tclose(memory);
    for (uint64_t i = 0; i < count; i++) {
        char *copy = strdup(text[i] == NULL ? "" : text[i]);

        if (text[i] != NULL) {
            H5free_memory(text[i]);
        }
        text[i] = copy;
        ok = ok && copy != NULL;
    }
    if (!ok) {
        loom_h5_free_texts(text, count);
        return NULL;
    }
    return text;
}

uint64_t *loom_h5_read_words(hid_t dataset, hid_t memory_type, uint64_t count)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = H5Tget_class(type);
    uint64_t *word = NULL;

    H5Tclose(type);
    if ((class == H5T_INTEGER || class == H5T_FLOAT) && count <= MAX_VALUES) {
        word = calloc(count + 1, sizeof(*word));
    }
    if (word != NULL && !read_first(dataset, memory_type, count, word)) {
        free(word);
        return NULL;
    }
    return word;
}

hid_t loom_h5_scale_of(hid_t dataset, int dimension)
{
    hvl_t list[LOOM_H5_RANK] = {{0, NULL}};
    hid_t attribute, type, space, scale = -1;
    hsize_t dims[LOOM_H5_RANK];
    int rank = loom_h5_dims(dataset, dims);

    if (rank <= dimension || H5Aexists(dataset, "DIMENSION_LIST") <= 0) {
        return -1;
    }
    attribute = H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT);
    space = H5Aget_space(attribute);
    type = H5Tvlen_create(H5T_STD_REF_OBJ);
    if (H5Sget_simple_extent_npoints(space) == rank &&
        H5Aread(attribute, type, list) >= 0) {
        if (list[dimension].len > 0) {
            scale = H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT,
                                    list[dimension].p);
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, list);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    if (scale >= 0 && H5Iget_type(scale) != H5I_DATASET) {
        H5Oclose(scale);
        scale = -1;
    }
    return scale;
}

static bool each(hid_t group, char *path, int depth, loom_h5_visit *visit,
                 void *context);

/* One link of a group; `path` has room for MAX_PATH_BYTES. */
static bool each_link(hid_t group, const char *name, char *path, int depth,
                      loom_h5_visit *visit, void *context)
{
    size_t length = strlen(path);
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    bool ok = true;

    if (object < 0) {
        return false;
    }
    snprintf(path + length, MAX_PATH_BYTES - length, "%s%s",
             path[length - 1] == '/' ? "" : "/", name);
    if (H5Iget_type(object) == H5I_DATASET) {
        ok = visit(context, object, path);
    } else if (H5Iget_type(object) == H5I_GROUP) {
        ok = depth < MAX_DEPTH && each(object, path, depth + 1, visit, context);
    }
    path[length] = '\0';
    H5Oclose(object);
    return ok;
}

/* Asking for an order that a group does not keep, or keeps damaged, makes
 * some versions of HDF5 free what they never took. */
static H5_index_t order_of(hid_t group)
{
    hid_t properties = H5Gget_create_plist(group);
    unsigned flags = 0;

    H5Pget_link_creation_order(properties, &flags);
    H5Pclose(properties);
    return (flags & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER
                                                : H5_INDEX_NAME;
}

static bool each(hid_t group, char *path, int depth, loom_h5_visit *visit,
                 void *context)
{
    H5_index_t index = order_of(group);
    H5G_info_t info;
    char name[256];
    ssize_t length;

    if (H5Gget_info(group, &info) < 0) {
        return false;
    }
    for (hsize_t i = 0; i < info.nlinks; i++) {
        length = H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, i, name,
                                    sizeof(name), H5P_DEFAULT);
        if (length < 0 || (size_t)length >= sizeof(name) ||
            strlen(path) + (size_t)length + 2 > MAX_PATH_BYTES ||
            !each_link(group, name, path, depth, visit, context)) {
            return false;
        }
    }
    return true;
}

bool loom_h5_each(hid_t group, const char *path, loom_h5_visit *visit,
                  void *context)
{
    char text[MAX_PATH_BYTES];

    snprintf(text, sizeof(text), "%s", path[0] == '\0' ? "/" : path);
    return each(group, text, 0, visit, context);
}

/* A file that says nothing of it is refused by its format, or not at all. */
static bool layout_is_known(hid_t file, const char *path,
                            struct loom_error *err)
{
    char *layout = loom_h5_get_text(file, "format_version");
    bool known = layout == NULL ||
                 strtol(layout, NULL, 10) <= strtol(LOOM_LAYOUT, NULL, 10);

    if (!known) {
        loom_fail(err, LOOM_ERR_INPUT,
                  "'%.200s' has results layout %.20s, and this program reads "
                  "those up to %s: use a newer one",
                  path, layout, LOOM_LAYOUT);
    }
    free(layout);
    return known;
}

hid_t loom_h5_open(const char *path, struct loom_error *err)
{
    hid_t file = loom_h5_open_any(path, err);

    if (file >= 0 && !layout_is_known(file, path, err)) {
        loom_h5_close_read(file, path);
        file = -1;
    }
    return file;
}

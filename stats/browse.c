/*
 * The list of datasets is read at once, everything else when it is asked for.
 */
#include "stats/browse.h"

#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"

#define MAX_VALUES (UINT64_C(1) << 27) /* 1 GiB at once */

struct loom_browser {
    hid_t file;
    char *path;
    struct loom_browse_item *item;
    uint32_t count, room;
};

void loom_values_release(struct loom_values *values)
{
    loom_h5_free_texts(values->text, values->count);
    free(values->i64);
    free(values->u64);
    free(values->f64);
    memset(values, 0, sizeof(*values));
}

void loom_browser_close(struct loom_browser *browser)
{
    if (browser == NULL) {
        return;
    }
    for (uint32_t i = 0; i < browser->count; i++) {
        free(browser->item[i].path);
    }
    if (browser->file >= 0) {
        loom_h5_close_read(browser->file, browser->path);
    }
    free(browser->item);
    free(browser->path);
    free(browser);
}

static enum loom_values_type type_of(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return H5Tget_sign(type) == H5T_SGN_NONE ? LOOM_VALUES_U64
                                                 : LOOM_VALUES_I64;
    case H5T_FLOAT:
        return LOOM_VALUES_F64;
    case H5T_STRING:
        return H5Tis_variable_str(type) > 0 ? LOOM_VALUES_TEXT
                                            : LOOM_VALUES_NONE;
    default:
        return LOOM_VALUES_NONE;
    }
}

static int shape_of(hid_t dataset, uint64_t dim[LOOM_BROWSE_RANK])
{
    hsize_t dims[LOOM_BROWSE_RANK] = {0};
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_ndims(space);

    if (rank > LOOM_BROWSE_RANK || rank < 0) {
        rank = -1;
    } else if (rank > 0) {
        H5Sget_simple_extent_dims(space, dims, NULL);
    }
    for (int i = 0; i < rank; i++) {
        dim[i] = dims[i];
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return rank;
}

static bool add_item(void *context, hid_t dataset, const char *path)
{
    struct loom_browser *browser = context;
    struct loom_browse_item item = {0}, *grown;
    hobj_ref_t reference = 0;
    hid_t type;

    if (browser->count == browser->room) {
        browser->room = browser->room == 0 ? 256 : browser->room * 2;
        grown = realloc(browser->item, browser->room * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        browser->item = grown;
    }
    type = H5Dget_type(dataset);
    item.type = type_of(type);
    H5Tclose(type);
    item.rank = shape_of(dataset, item.dim);
    if (H5Rcreate(&reference, dataset, ".", H5R_OBJECT, -1) < 0) {
        return false;
    }
    item.reference = (uint64_t)reference;
    item.path = strdup(path);
    if (item.path == NULL) {
        return false;
    }
    browser->item[browser->count++] = item;
    return true;
}

struct loom_browser *loom_browser_open(const char *path, struct loom_error *err)
{
    struct loom_browser *browser = calloc(1, sizeof(*browser));
    char *format;
    bool ok;

    if (browser == NULL || (browser->path = strdup(path)) == NULL) {
        free(browser);
        loom_fail(err, LOOM_ERR_MEMORY, "no memory to read '%.200s'", path);
        return NULL;
    }
    browser->file = loom_h5_open(path, err);
    if (browser->file < 0) {
        loom_browser_close(browser);
        return NULL;
    }
    format = loom_h5_get_text(browser->file, "format");
    ok = loom_h5_is_ours(format == NULL ? "" : format, path, err);
    if (ok && !loom_h5_each(browser->file, "/", add_item, browser)) {
        ok = loom_fail(err, LOOM_ERR_INPUT,
                       "'%.200s' is damaged: cannot list it", path);
    }
    free(format);
    if (!ok) {
        loom_browser_close(browser);
        return NULL;
    }
    return browser;
}

uint32_t loom_browser_count(const struct loom_browser *browser)
{
    return browser->count;
}

const struct loom_browse_item *
loom_browser_item(const struct loom_browser *browser, uint32_t number)
{
    LOOM_CHECK(number < browser->count);
    return &browser->item[number];
}

/* The attribute is a list of references for each dimension. */
static bool read_scales(hid_t dataset, int rank,
                        uint64_t scale[LOOM_BROWSE_RANK])
{
    hvl_t list[LOOM_BROWSE_RANK] = {{0, NULL}};
    hid_t attribute, type, space;
    htri_t exists = H5Aexists(dataset, "DIMENSION_LIST");
    bool ok = false;

    if (rank < 1 || exists <= 0) {
        return exists >= 0;
    }
    attribute = H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT);
    space = H5Aget_space(attribute);
    type = H5Tvlen_create(H5T_STD_REF_OBJ);
    if (H5Sget_simple_extent_npoints(space) == rank &&
        H5Aread(attribute, type, list) >= 0) {
        for (int i = 0; i < rank; i++) {
            if (list[i].len > 0) {
                scale[i] = (uint64_t) * (hobj_ref_t *)list[i].p;
            }
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, list);
        ok = true;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return ok;
}

bool loom_browser_scales(struct loom_browser *browser, uint32_t number,
                         uint64_t scale[LOOM_BROWSE_RANK],
                         struct loom_error *err)
{
    const struct loom_browse_item *item = loom_browser_item(browser, number);
    hid_t dataset = H5Dopen2(browser->file, item->path, H5P_DEFAULT);
    bool ok = false;

    memset(scale, 0, LOOM_BROWSE_RANK * sizeof(*scale));
    if (dataset >= 0) {
        ok = read_scales(dataset, item->rank, scale);
        H5Dclose(dataset);
    }
    return ok || loom_fail(err, LOOM_ERR_INPUT,
                           "'%.200s' is damaged: cannot read what the "
                           "dimensions of '%.200s' are",
                           browser->path, item->path);
}

/* Memory for `count` values, and the type in which HDF5 fills them in.  Text
 * has a type of its own, which the caller closes. */
static void *room_for(struct loom_values *values, hid_t *memory_type)
{
    size_t count = (size_t)values->count + 1;

    switch (values->type) {
    case LOOM_VALUES_I64:
        *memory_type = H5T_NATIVE_INT64;
        return values->i64 = calloc(count, sizeof(*values->i64));
    case LOOM_VALUES_U64:
        *memory_type = H5T_NATIVE_UINT64;
        return values->u64 = calloc(count, sizeof(*values->u64));
    case LOOM_VALUES_F64:
        *memory_type = H5T_NATIVE_DOUBLE;
        return values->f64 = calloc(count, sizeof(*values->f64));
    case LOOM_VALUES_TEXT:
        *memory_type = loom_h5_text_type();
        return values->text = calloc(count, sizeof(*values->text));
    case LOOM_VALUES_NONE:
        break;
    }
    return NULL;
}

/* HDF5's strings become ours. */
static bool own_texts(struct loom_values *values)
{
    bool ok = true;

    for (uint64_t i = 0; i < values->count; i++) {
        char *given = values->text[i];

        values->text[i] = strdup(given == NULL ? "" : given);
        if (given != NULL) {
            H5free_memory(given);
        }
        ok = ok && values->text[i] != NULL;
    }
    return ok;
}

/* Reads what the shape of `values` says; `dataset` may be an attribute. */
static bool take(struct loom_values *values, hid_t object, bool is_attribute,
                 hid_t memory, hid_t file)
{
    hid_t type = -1;
    void *data = room_for(values, &type);
    bool ok = data != NULL;

    if (ok && values->count > 0 && is_attribute) {
        ok = H5Aread(object, type, data) >= 0;
    } else if (ok && values->count > 0) {
        hid_t transfer = loom_h5_transfer();

        ok = H5Dread(object, type, memory, file, transfer, data) >= 0;
        H5Pclose(transfer);
    }
    if (values->type == LOOM_VALUES_TEXT) {
        H5Tclose(type);
        ok = data != NULL && own_texts(values) && ok;
    }
    if (!ok) {
        loom_values_release(values);
    }
    return ok;
}

struct visiting {
    loom_attribute_visit *visit;
    void *context;
};

static herr_t visit_attribute(hid_t object, const char *name,
                              const H5A_info_t *info, void *context)
{
    struct visiting *visiting = context;
    struct loom_values values = {0};
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    bool ok = attribute >= 0 && type >= 0 && space >= 0;

    (void)info;
    values.type = type_of(type);
    values.is_scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    if (values.type != LOOM_VALUES_NONE && count >= 0 &&
        (uint64_t)count < MAX_VALUES) {
        values.count = (uint64_t)count;
        ok = ok && take(&values, attribute, true, -1, -1);
        if (ok) {
            visiting->visit(visiting->context, name, &values);
            loom_values_release(&values);
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return ok ? 0 : -1; /* an attribute that is left out may be missed */
}

bool loom_browser_attributes(struct loom_browser *browser, const char *path,
                             loom_attribute_visit *visit, void *context,
                             struct loom_error *err)
{
    struct visiting visiting = {visit, context};
    hid_t object = H5Oopen(browser->file, path, H5P_DEFAULT);
    hsize_t at = 0;
    bool ok;

    if (object < 0) {
        return loom_fail(err, LOOM_ERR_INPUT, "'%.200s' has no '%.200s'",
                         browser->path, path);
    }
    ok = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, visit_attribute,
                     &visiting) >= 0;
    H5Oclose(object);
    return ok || loom_fail(err, LOOM_ERR_INPUT,
                           "'%.200s' is damaged: cannot read the attributes "
                           "of '%.200s'",
                           browser->path, path);
}

/* How many values the rows have; false if that cannot be. */
static bool size_of(const struct loom_browse_item *item, uint64_t first,
                    uint64_t rows, uint64_t *count)
{
    *count = 1;
    if (item->rank < 0 ||
        (item->rank > 0 && rows > 0 &&
         (first > item->dim[0] || rows > item->dim[0] - first))) {
        return false;
    }
    for (int i = 0; i < item->rank; i++) {
        uint64_t size = i == 0 && rows > 0 ? rows : item->dim[i];

        if (size > MAX_VALUES || *count * size > MAX_VALUES) {
            return false;
        }
        *count *= size;
    }
    return true;
}

static bool read_rows(hid_t dataset, const struct loom_browse_item *item,
                      uint64_t first, uint64_t rows, struct loom_values *values)
{
    hsize_t start[LOOM_BROWSE_RANK] = {first}, count[LOOM_BROWSE_RANK];
    hid_t file, memory;
    bool ok;

    if (rows == 0 || item->rank == 0) {
        return take(values, dataset, false, H5S_ALL, H5S_ALL);
    }
    for (int i = 0; i < item->rank; i++) {
        count[i] = i == 0 ? rows : item->dim[i];
    }
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(item->rank, count, NULL);
    ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >=
             0 &&
         take(values, dataset, false, memory, file);
    H5Sclose(memory);
    H5Sclose(file);
    return ok;
}

bool loom_browser_read(struct loom_browser *browser, uint32_t number,
                       uint64_t first, uint64_t rows,
                       struct loom_values *values, struct loom_error *err)
{
    const struct loom_browse_item *item = loom_browser_item(browser, number);
    hid_t dataset;
    bool ok;

    *values =
        (struct loom_values){.type = item->type, .is_scalar = item->rank == 0};
    if (item->type == LOOM_VALUES_NONE ||
        !size_of(item, first, rows, &values->count)) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "'%.200s': '%.200s' has another type, shape or size "
                         "than any of ours",
                         browser->path, item->path);
    }
    dataset = H5Dopen2(browser->file, item->path, H5P_DEFAULT);
    ok = dataset >= 0 && read_rows(dataset, item, first, rows, values);
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    return ok || loom_fail(err, LOOM_ERR_INPUT,
                           "'%.200s' is damaged: cannot read '%.200s'",
                           browser->path, item->path);
}

/*
 * Datasets and dimension scales.
 *
 * Growing datasets are chunked, shuffled and deflated with filters that every
 * HDF5 has.  Their chunk cache is off: a table writes whole runs of rows, so
 * a cache would only hold memory.  Unwritten ends of chunks are zero, not
 * whatever was in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"

/* An element of REFERENCE_LIST: which dataset, which of its dimensions. */
struct loom_h5_use {
    hobj_ref_t dataset;
    int dimension;
};

hid_t loom_h5_file_type(const struct loom_h5 *h5, enum loom_h5_type type)
{
    switch (type) {
    case LOOM_H5_U64:
        return H5T_STD_U64LE;
    case LOOM_H5_I64:
        return H5T_STD_I64LE;
    case LOOM_H5_F64:
        return H5T_IEEE_F64LE;
    case LOOM_H5_U8:
        return H5T_STD_U8LE;
    case LOOM_H5_TEXT:
        return h5->text;
    }
    LOOM_BUG("type %d", (int)type);
}

hid_t loom_h5_memory_type(const struct loom_h5 *h5, enum loom_h5_type type)
{
    switch (type) {
    case LOOM_H5_U64:
    case LOOM_H5_U8:
        return H5T_NATIVE_UINT64;
    case LOOM_H5_I64:
        return H5T_NATIVE_INT64;
    case LOOM_H5_F64:
        return H5T_NATIVE_DOUBLE;
    case LOOM_H5_TEXT:
        return h5->text;
    }
    LOOM_BUG("type %d", (int)type);
}

static bool note_use(struct loom_h5_scale *scale, hobj_ref_t dataset,
                     int dimension)
{
    struct loom_h5_use *grown;

    if (scale->uses == scale->room) {
        size_t room = scale->room == 0 ? 32 : scale->room * 2;

        grown = realloc(scale->use, room * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        scale->use = grown;
        scale->room = room;
    }
    /* Zeroed with its padding: it is written to the file as it is. */
    memset(&scale->use[scale->uses], 0, sizeof(*scale->use));
    scale->use[scale->uses].dataset = dataset;
    scale->use[scale->uses].dimension = dimension;
    scale->uses++;
    return true;
}

/* The references that DIMENSION_LIST holds, and who uses which scale. */
static bool refer(struct loom_h5 *h5, hid_t dataset,
                  const struct loom_h5_dataset *spec,
                  hobj_ref_t ref[LOOM_H5_RANK])
{
    hobj_ref_t self;

    if (!loom_h5_did(h5, H5Rcreate(&self, dataset, ".", H5R_OBJECT, -1),
                     "refer to a dataset")) {
        return false;
    }
    for (int i = 0; i < spec->rank; i++) {
        ref[i] = spec->scale[i]->self;
        if (!note_use(spec->scale[i], self, i)) {
            loom_h5_no_memory(h5, "attach a scale");
            return false;
        }
    }
    return true;
}

static void attach(struct loom_h5 *h5, hid_t dataset,
                   const struct loom_h5_dataset *spec)
{
    hobj_ref_t ref[LOOM_H5_RANK];
    hvl_t list[LOOM_H5_RANK];
    hsize_t rank = (hsize_t)spec->rank;
    struct loom_h5_value value = {
        .data = list, .file_type = h5->scales, .memory_type = h5->scales};

    if (h5->failed || !refer(h5, dataset, spec, ref)) {
        return;
    }
    for (int i = 0; i < spec->rank; i++) {
        list[i] = (hvl_t){1, &ref[i]};
    }
    value.space = H5Screate_simple(1, &rank, NULL);
    loom_h5_attribute(h5, dataset, "DIMENSION_LIST", &value);
    loom_h5_release(h5, value.space);
}

/* Creation properties for these dimensions; length 0 grows. */
static hid_t properties(struct loom_h5 *h5, const struct loom_h5_dataset *spec,
                        const hsize_t *dims)
{
    hid_t create = spec->type == LOOM_H5_TEXT ? h5->texts : h5->words;
    hsize_t chunk[LOOM_H5_RANK];

    if (spec->rank == 0 || dims[0] != 0) {
        return h5->fixed;
    }
    chunk[0] = spec->chunk_rows;
    for (int i = 1; i < spec->rank; i++) {
        chunk[i] = dims[i];
    }
    loom_h5_did(h5, H5Pset_chunk(create, spec->rank, chunk),
                "create a dataset");
    return create;
}

static hid_t space_of(struct loom_h5 *h5, const struct loom_h5_dataset *spec,
                      const hsize_t *dims)
{
    hsize_t limit[LOOM_H5_RANK];
    hid_t space;

    for (int i = 0; i < spec->rank; i++) {
        limit[i] = dims[i] == 0 ? H5S_UNLIMITED : dims[i];
    }
    space = spec->rank == 0 ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(spec->rank, dims, limit);
    loom_h5_did(h5, space, "create a dataset");
    return space;
}

static hid_t new_dataset(struct loom_h5 *h5, hid_t group,
                         const struct loom_h5_dataset *spec,
                         const hsize_t *dims)
{
    hid_t space, create, dataset = -1;

    if (h5->failed) {
        return -1;
    }
    space = space_of(h5, spec, dims);
    create = properties(h5, spec, dims);
    if (!h5->failed) {
        dataset =
            H5Dcreate2(group, spec->name, loom_h5_file_type(h5, spec->type),
                       space, H5P_DEFAULT, create, h5->access);
        loom_h5_did(h5, dataset, "create a dataset");
    }
    loom_h5_release(h5, space);
    loom_h5_put_text(h5, dataset, "units", spec->unit);
    loom_h5_put_text(h5, dataset, "long_name", spec->doc);
    return dataset;
}

hid_t loom_h5_new(struct loom_h5 *h5, hid_t group,
                  const struct loom_h5_dataset *spec)
{
    hsize_t dims[LOOM_H5_RANK] = {0};
    hid_t dataset;

    for (int i = 0; i < spec->rank; i++) {
        dims[i] = spec->scale[i]->length;
    }
    dataset = new_dataset(h5, group, spec, dims);
    if (spec->rank > 0) {
        attach(h5, dataset, spec);
    }
    return dataset;
}

void loom_h5_write(struct loom_h5 *h5, hid_t dataset, enum loom_h5_type type,
                   const void *data)
{
    if (!h5->failed) {
        loom_h5_did(h5,
                    H5Dwrite(dataset, loom_h5_memory_type(h5, type), H5S_ALL,
                             H5S_ALL, h5->transfer, data),
                    "write a dataset");
    }
}

void loom_h5_fill(struct loom_h5 *h5, hid_t group,
                  const struct loom_h5_dataset *spec, const void *data)
{
    hid_t dataset = loom_h5_new(h5, group, spec);

    loom_h5_write(h5, dataset, spec->type, data);
    loom_h5_release(h5, dataset);
}

void loom_h5_put_document(struct loom_h5 *h5, hid_t group, const char *name,
                          const char *doc, const char *text)
{
    struct loom_h5_dataset spec = {
        .name = name, .unit = "1", .doc = doc, .type = LOOM_H5_TEXT};
    const char *value = text == NULL ? "" : text;

    loom_h5_fill(h5, group, &spec, &value);
}

/* CLASS and NAME are fixed strings: the specification wants them so. */
static void put_fixed(struct loom_h5 *h5, hid_t object, const char *name,
                      const char *text)
{
    struct loom_h5_value value = {.data = text};

    if (h5->failed) {
        return;
    }
    value.file_type = H5Tcopy(H5T_C_S1);
    value.memory_type = value.file_type;
    value.space = h5->scalar;
    if (loom_h5_did(h5, value.file_type, "make a scale") &&
        loom_h5_did(h5, H5Tset_size(value.file_type, strlen(text) + 1),
                    "make a scale")) {
        loom_h5_attribute(h5, object, name, &value);
    }
    loom_h5_release(h5, value.file_type);
}

/* The words 0, 1, 2 and so on. */
static void write_numbers(struct loom_h5 *h5, hid_t dataset, uint64_t length)
{
    uint64_t *number = malloc(length * sizeof(*number));

    if (number == NULL) {
        loom_h5_no_memory(h5, "number a scale");
        return;
    }
    for (uint64_t i = 0; i < length; i++) {
        number[i] = i;
    }
    loom_h5_write(h5, dataset, LOOM_H5_U64, number);
    free(number);
}

void loom_h5_scale_init(struct loom_h5 *h5, struct loom_h5_scale *scale,
                        hid_t group, const struct loom_h5_dataset *dataset,
                        uint64_t length, const void *data)
{
    struct loom_h5_dataset spec = *dataset;
    hsize_t size = length;

    spec.rank = 1;
    *scale = (struct loom_h5_scale){.length = length};
    scale->dataset = new_dataset(h5, group, &spec, &size);
    if (!h5->failed) {
        loom_h5_did(
            h5, H5Rcreate(&scale->self, scale->dataset, ".", H5R_OBJECT, -1),
            "refer to a scale");
    }
    put_fixed(h5, scale->dataset, "CLASS", "DIMENSION_SCALE");
    put_fixed(h5, scale->dataset, "NAME", spec.name);
    if (length != 0 && data != NULL) {
        loom_h5_write(h5, scale->dataset, spec.type, data);
    } else if (length != 0) {
        write_numbers(h5, scale->dataset, length);
    }
}

static hid_t use_type(struct loom_h5 *h5, bool in_memory)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct loom_h5_use));

    if (loom_h5_did(h5, type, "finish a scale")) {
        loom_h5_did(h5,
                    H5Tinsert(type, "dataset",
                              offsetof(struct loom_h5_use, dataset),
                              H5T_STD_REF_OBJ),
                    "finish a scale");
        loom_h5_did(h5,
                    H5Tinsert(type, "dimension",
                              offsetof(struct loom_h5_use, dimension),
                              in_memory ? H5T_NATIVE_INT : H5T_STD_I32LE),
                    "finish a scale");
    }
    return type;
}

void loom_h5_scale_finish(struct loom_h5 *h5, struct loom_h5_scale *scale)
{
    struct loom_h5_value value = {.data = scale->use};
    hsize_t count = scale->uses;

    if (!h5->failed && scale->uses > 0) {
        value.file_type = use_type(h5, false);
        value.memory_type = use_type(h5, true);
        value.space = H5Screate_simple(1, &count, NULL);
        loom_h5_attribute(h5, scale->dataset, "REFERENCE_LIST", &value);
        loom_h5_release(h5, value.space);
        loom_h5_release(h5, value.memory_type);
        loom_h5_release(h5, value.file_type);
    }
    if (scale->length != 0) {
        loom_h5_scale_fini(h5, scale);
    }
}

void loom_h5_scale_fini(struct loom_h5 *h5, struct loom_h5_scale *scale)
{
    if (scale->dataset > 0) {
        loom_h5_release(h5, scale->dataset);
    }
    free(scale->use);
    *scale = (struct loom_h5_scale){0};
}

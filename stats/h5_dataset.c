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

#define DEFLATE_LEVEL 1
#define COMPACT_ATTRIBUTES 30

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
        scale->room = scale->room == 0 ? 32 : scale->room * 2;
        grown = realloc(scale->use, scale->room * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        scale->use = grown;
    }
    /* Zeroed with its padding: it is written to the file as it is. */
    memset(&scale->use[scale->uses], 0, sizeof(*scale->use));
    scale->use[scale->uses].dataset = dataset;
    scale->use[scale->uses].dimension = dimension;
    scale->uses++;
    return true;
}

/* Writes DIMENSION_LIST and notes the use in each scale. */
static void attach(struct loom_h5 *h5, hid_t dataset,
                   const struct loom_h5_dataset *spec)
{
    hobj_ref_t self, ref[LOOM_H5_RANK];
    hvl_t list[LOOM_H5_RANK];
    hsize_t rank = (hsize_t)spec->rank;
    hid_t type, space, attribute;

    if (h5->failed) {
        return;
    }
    H5Rcreate(&self, dataset, ".", H5R_OBJECT, -1);
    for (int i = 0; i < spec->rank; i++) {
        H5Rcreate(&ref[i], spec->scale[i]->dataset, ".", H5R_OBJECT, -1);
        list[i] = (hvl_t){1, &ref[i]};
        if (!note_use(spec->scale[i], self, i)) {
            loom_h5_broken(h5, "attach a scale (no memory)");
        }
    }
    type = H5Tvlen_create(H5T_STD_REF_OBJ);
    space = H5Screate_simple(1, &rank, NULL);
    attribute = H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT,
                           H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, list) < 0) {
        loom_h5_broken(h5, "attach a scale");
    }
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

/* Creation properties for these dimensions; length 0 grows. */
static hid_t properties(const struct loom_h5_dataset *spec, const hsize_t *dims)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[LOOM_H5_RANK];

    H5Pset_obj_track_times(create, 0);
    H5Pset_attr_phase_change(create, COMPACT_ATTRIBUTES,
                             COMPACT_ATTRIBUTES - 2);
    if (spec->rank > 0 && dims[0] == 0) {
        chunk[0] = spec->chunk_rows;
        for (int i = 1; i < spec->rank; i++) {
            chunk[i] = dims[i];
        }
        H5Pset_chunk(create, spec->rank, chunk);
        H5Pset_fill_time(create, H5D_FILL_TIME_ALLOC);
        if (spec->type != LOOM_H5_TEXT) {
            H5Pset_shuffle(create);
            H5Pset_deflate(create, DEFLATE_LEVEL);
        }
    }
    return create;
}

static hid_t new_dataset(struct loom_h5 *h5, hid_t group,
                         const struct loom_h5_dataset *spec,
                         const hsize_t *dims)
{
    hsize_t limit[LOOM_H5_RANK];
    hid_t space, create, access, dataset;

    if (h5->failed) {
        return -1;
    }
    for (int i = 0; i < spec->rank; i++) {
        limit[i] = dims[i] == 0 ? H5S_UNLIMITED : dims[i];
    }
    space = spec->rank == 0 ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(spec->rank, dims, limit);
    create = properties(spec, dims);
    access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 1, 0, 0.0);
    dataset = H5Dcreate2(group, spec->name, loom_h5_file_type(h5, spec->type),
                         space, H5P_DEFAULT, create, access);
    if (dataset < 0) {
        loom_h5_broken(h5, "create a dataset");
    }
    H5Pclose(access);
    H5Pclose(create);
    H5Sclose(space);
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

static void write_all(struct loom_h5 *h5, hid_t dataset, enum loom_h5_type type,
                      const void *data)
{
    if (!h5->failed && H5Dwrite(dataset, loom_h5_memory_type(h5, type), H5S_ALL,
                                H5S_ALL, H5P_DEFAULT, data) < 0) {
        loom_h5_broken(h5, "write a dataset");
    }
}

void loom_h5_fill(struct loom_h5 *h5, hid_t group,
                  const struct loom_h5_dataset *spec, const void *data)
{
    hid_t dataset = loom_h5_new(h5, group, spec);

    write_all(h5, dataset, spec->type, data);
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
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
                      const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute;

    if (!h5->failed) {
        H5Tset_size(type, strlen(value) + 1);
        attribute =
            H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0 || H5Awrite(attribute, type, value) < 0) {
            loom_h5_broken(h5, "make a scale");
        }
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* The words 0, 1, 2 .. */
static void write_numbers(struct loom_h5 *h5, hid_t dataset, uint64_t length)
{
    uint64_t *number = malloc(length * sizeof(*number));

    if (number == NULL) {
        loom_h5_broken(h5, "number a scale (no memory)");
        return;
    }
    for (uint64_t i = 0; i < length; i++) {
        number[i] = i;
    }
    write_all(h5, dataset, LOOM_H5_U64, number);
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
    put_fixed(h5, scale->dataset, "CLASS", "DIMENSION_SCALE");
    put_fixed(h5, scale->dataset, "NAME", spec.name);
    if (length != 0 && data != NULL) {
        write_all(h5, scale->dataset, spec.type, data);
    } else if (length != 0) {
        write_numbers(h5, scale->dataset, length);
    }
}

static hid_t use_type(bool in_memory)
{
    size_t size = sizeof(struct loom_h5_use);
    hid_t type = H5Tcreate(H5T_COMPOUND, size);

    H5Tinsert(type, "dataset", offsetof(struct loom_h5_use, dataset),
              H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", offsetof(struct loom_h5_use, dimension),
              in_memory ? H5T_NATIVE_INT : H5T_STD_I32LE);
    return type;
}

void loom_h5_scale_finish(struct loom_h5 *h5, struct loom_h5_scale *scale)
{
    hsize_t count = scale->uses;
    hid_t file_type, memory_type, space, attribute;

    if (!h5->failed && scale->uses > 0) {
        file_type = use_type(false);
        memory_type = use_type(true);
        space = H5Screate_simple(1, &count, NULL);
        attribute = H5Acreate2(scale->dataset, "REFERENCE_LIST", file_type,
                               space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0 || H5Awrite(attribute, memory_type, scale->use) < 0) {
            loom_h5_broken(h5, "finish a scale");
        }
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(memory_type);
        H5Tclose(file_type);
    }
    if (scale->length != 0) {
        loom_h5_scale_fini(scale);
    }
}

void loom_h5_scale_fini(struct loom_h5_scale *scale)
{
    if (scale->dataset > 0) {
        H5Dclose(scale->dataset);
    }
    free(scale->use);
    *scale = (struct loom_h5_scale){0};
}

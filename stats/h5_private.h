/*
 * HDF5 as the results layer uses it: few shapes, one way to fail.
 *
 * Building a file takes hundreds of calls that all fail for the same reason
 * (the disk), so errors stick: after the first one every function here does
 * nothing, and the caller asks once, at the end of a phase, whether all went
 * well.  HDF5's own printing is off; its innermost message becomes ours.
 *
 * What readers in other languages cannot digest is not offered: no compound,
 * enum, bool or fixed-length string datasets and no fill values.  Integers
 * are 64 bit (flags 8 bit), text is variable-length UTF-8.
 *
 * Dimension scales are written by hand (three attributes, as the HDF5
 * dimension scale specification 1.0 says) and not through libhdf5_hl, whose
 * H5DSattach_scale rewrites the list of all users of a scale for each one.
 */
#ifndef STATS_H5_PRIVATE_H
#define STATS_H5_PRIVATE_H

#include <hdf5.h>

#include "engine/error.h"

#define LOOM_H5_RANK 3 /* sample, instance, axis */

/* The file while HDF5 writes it (h5_image.c). */
struct loom_h5_image {
    unsigned char *byte;
    size_t room;
};

/* What a writer carries along. */
struct loom_h5 {
    hid_t file;
    struct loom_h5_image *image;
    hid_t text;       /* the type of every string */
    hid_t transfer;   /* how datasets are written */
    hid_t scalar;     /* the space of one value */
    hid_t scales;     /* the type of DIMENSION_LIST */
    hid_t access;     /* properties of datasets: how they are used, */
    hid_t fixed;      /* and made: of fixed size, */
    hid_t words;      /* growing, of numbers, */
    hid_t texts;      /* growing, of strings */
    const char *path; /* for messages; not owned */
    bool failed;
    struct loom_error error; /* the first one, if failed */
};

enum loom_h5_type {
    LOOM_H5_U64,
    LOOM_H5_I64,
    LOOM_H5_F64,
    LOOM_H5_U8,
    LOOM_H5_TEXT
};

/* A dimension scale and who uses it. */
struct loom_h5_scale {
    hid_t dataset;
    hobj_ref_t self; /* refers to it */
    uint64_t length; /* 0: grows (the leading axis of a table) */
    struct loom_h5_use *use;
    size_t uses, room;
};

/* One dataset, before it exists. */
struct loom_h5_dataset {
    const char *name, *unit, *doc;
    enum loom_h5_type type;
    struct loom_h5_scale *scale[LOOM_H5_RANK]; /* one per dimension */
    int rank;
    uint64_t chunk_rows; /* for a growing dataset */
};

/* Stops HDF5 from printing, and from doing anything when the process ends: its
 * exit handler cannot stand a file that could not be closed.  Call it before
 * any other use of the library. */
void loom_h5_quiet(void);

/* The innermost message of the HDF5 call that failed last. */
void loom_h5_reason(char *text, size_t size);

/* Variable-length UTF-8; the caller closes it. */
hid_t loom_h5_text_type(void);

/* Properties of a transfer, for its buffer: HDF5's own is a megabyte, which it
 * clears for each dataset whose types differ.  The caller closes it. */
hid_t loom_h5_transfer(void);

/* Are the heaps that hold all strings whole?  (HDF5 does not ask.) */
bool loom_h5_heaps_ok(int fd);

/* Opens for reading; explains what is wrong with the file.  -1 on failure. */
hid_t loom_h5_open(const char *path, struct loom_error *err);
/* The same of a file of any layout. */
hid_t loom_h5_open_any(const char *path, struct loom_error *err);

/* Closes a file that was opened for reading. */
void loom_h5_close_read(hid_t file, const char *path);

/* For h5_guard.c: HDF5 begins to read a file that may be damaged; it is done
 * with it. */
void loom_h5_reads(const char *path);
void loom_h5_has_read(const char *path);

/* Is a file of this `format` of warploom?  And one run's results?  If not,
 * what it is. */
bool loom_h5_is_ours(const char *format, const char *path,
                     struct loom_error *err);
bool loom_h5_is_run(const char *format, const char *path,
                    struct loom_error *err);

/* Reading, with care: what has another shape than ours is "not there".
 * Strings and arrays of strings are the caller's to free. */
char *loom_h5_get_text(hid_t object, const char *name);
bool loom_h5_get_texts(hid_t object, const char *name, char **text,
                       size_t count);
void loom_h5_free_texts(char **text, uint64_t count); /* accepts NULL */
/* Sizes of the dimensions; the rank, or -1 if it is above LOOM_H5_RANK. */
int loom_h5_dims(hid_t dataset, hsize_t dims[LOOM_H5_RANK]);
/* The first `count` elements of a dataset of one dimension; NULL if it has
 * fewer, or another type. */
char **loom_h5_read_texts(hid_t dataset, uint64_t count);
uint64_t *loom_h5_read_words(hid_t dataset, hid_t memory_type, uint64_t count);
/* The scale of a dimension, opened; -1 if there is none. */
hid_t loom_h5_scale_of(hid_t dataset, int dimension);
/* Calls `visit` for each dataset below, in order of creation (or of name);
 * false if something cannot be read or `visit` returned false. */
typedef bool loom_h5_visit(void *context, hid_t dataset, const char *path);
bool loom_h5_each(hid_t group, const char *path, loom_h5_visit *visit,
                  void *context);

/* Begins a file, in memory; `path` is for messages.  `grows`: it will have
 * large chunked datasets. */
bool loom_h5_create(struct loom_h5 *h5, const char *path, bool grows,
                    struct loom_error *err);
/* Its bytes, once it was flushed or closed. */
const void *loom_h5_image_bytes(const struct loom_h5 *h5, size_t *bytes);
/* Closes it; also when `failed`.  The bytes stay. */
bool loom_h5_close(struct loom_h5 *h5, struct loom_error *err);
/* Frees the bytes of a closed file; nothing is freed a second time. */
void loom_h5_free(struct loom_h5 *h5);
/* HDF5 shall write to this memory. */
bool loom_h5_image_access(hid_t access, struct loom_h5_image *image);

/* Every call of HDF5 that writes, sets or closes something goes through one of
 * these, for any of them may be the one that finds a failure: an id, a status
 * or an answer below 0 while doing `what`. */
bool loom_h5_did(struct loom_h5 *h5, int64_t result, const char *what);
/* Closes an id of any kind; -1 is none. */
void loom_h5_release(struct loom_h5 *h5, hid_t id);

/* Remembers a failure of HDF5 while doing `what`; the first one stays. */
void loom_h5_broken(struct loom_h5 *h5, const char *what);
/* Remembers that there was no memory to `what`. */
void loom_h5_no_memory(struct loom_h5 *h5, const char *what);
/* Remembers any other failure. */
void loom_h5_set_error(struct loom_h5 *h5, const struct loom_error *err);
/* True, or the remembered failure in *err. */
bool loom_h5_ok(const struct loom_h5 *h5, struct loom_error *err);

/* Opens or creates a group and what lies between; the caller closes it. */
hid_t loom_h5_group(struct loom_h5 *h5, hid_t where, const char *path);
/* Is there something of this name directly in `where`? */
bool loom_h5_exists(struct loom_h5 *h5, hid_t where, const char *name);

/* Attributes.  Writing a second time replaces. */
void loom_h5_put_text(struct loom_h5 *h5, hid_t object, const char *name,
                      const char *value);
void loom_h5_put_texts(struct loom_h5 *h5, hid_t object, const char *name,
                       const char *const *value, size_t count);
void loom_h5_put_u64(struct loom_h5 *h5, hid_t object, const char *name,
                     const uint64_t *value, size_t count);
void loom_h5_put_f64(struct loom_h5 *h5, hid_t object, const char *name,
                     double value);

/* What an attribute holds. */
struct loom_h5_value {
    hid_t file_type, memory_type, space;
    const void *data;
};
/* One that is not there yet. */
void loom_h5_attribute(struct loom_h5 *h5, hid_t object, const char *name,
                       const struct loom_h5_value *value);

/* A dataset with its units, description and scales; the caller closes it. */
hid_t loom_h5_new(struct loom_h5 *h5, hid_t group,
                  const struct loom_h5_dataset *dataset);
/* The type of elements in the file and in memory.  Do not close either. */
hid_t loom_h5_file_type(const struct loom_h5 *h5, enum loom_h5_type type);
hid_t loom_h5_memory_type(const struct loom_h5 *h5, enum loom_h5_type type);

/* All values of an open dataset of fixed size. */
void loom_h5_write(struct loom_h5 *h5, hid_t dataset, enum loom_h5_type type,
                   const void *data);
/* A whole dataset of fixed size: 64-bit words, or `const char *`. */
void loom_h5_fill(struct loom_h5 *h5, hid_t group,
                  const struct loom_h5_dataset *dataset, const void *data);
/* One string, such as the configuration. */
void loom_h5_put_document(struct loom_h5 *h5, hid_t group, const char *name,
                          const char *doc, const char *text);

/* A scale of `length` words or strings; `data` NULL: 0, 1, 2 ..; length 0: it
 * grows with its table, chunk_rows at a time. */
void loom_h5_scale_init(struct loom_h5 *h5, struct loom_h5_scale *scale,
                        hid_t group, const struct loom_h5_dataset *dataset,
                        uint64_t length, const void *data);
/* Writes down who uses the scale, and closes it unless it grows. */
void loom_h5_scale_finish(struct loom_h5 *h5, struct loom_h5_scale *scale);
/* Frees what finish does not, after a failure or at the end. */
void loom_h5_scale_fini(struct loom_h5 *h5, struct loom_h5_scale *scale);

#endif

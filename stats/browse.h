/*
 * Any dataset of a results file, of one run or of many, for the commands that
 * look at files: which datasets there are, their shapes, attributes and
 * scales, and their values.
 *
 * stats/reader.h knows what a statistic is; this knows only what HDF5 says,
 * with any number of dimensions up to LOOM_BROWSE_RANK.  A file that is not
 * one of ours, cut short or damaged is an error, never a crash.
 */
#ifndef STATS_BROWSE_H
#define STATS_BROWSE_H

#include "engine/error.h"

#define LOOM_BROWSE_RANK 12

enum loom_values_type {
    LOOM_VALUES_NONE, /* of a type that we do not write */
    LOOM_VALUES_I64,
    LOOM_VALUES_U64,
    LOOM_VALUES_F64,
    LOOM_VALUES_TEXT
};

/* Values of a dataset or of an attribute, the last index fastest. */
struct loom_values {
    enum loom_values_type type;
    bool is_scalar; /* one value without dimensions */
    uint64_t count;
    int64_t *i64;
    uint64_t *u64;
    double *f64;
    char **text; /* owned, as are the arrays */
};
void loom_values_release(struct loom_values *values);

struct loom_browse_item {
    char *path; /* "/stats/gpu/sm/l1d/hits" */
    enum loom_values_type type;
    int rank; /* 0: a scalar; -1: more than LOOM_BROWSE_RANK */
    uint64_t dim[LOOM_BROWSE_RANK];
    uint64_t reference; /* of the object: the same for two links to it */
};

struct loom_browser;

/* NULL on failure. */
struct loom_browser *loom_browser_open(const char *path,
                                       struct loom_error *err);
void loom_browser_close(struct loom_browser *browser); /* accepts NULL */

/* All datasets, in the order in which they were created. */
uint32_t loom_browser_count(const struct loom_browser *browser);
const struct loom_browse_item *
loom_browser_item(const struct loom_browser *browser, uint32_t number);

/* References of the scales of a dataset's dimensions, 0 where there is none;
 * false if they cannot be read. */
bool loom_browser_scales(struct loom_browser *browser, uint32_t number,
                         uint64_t scale[LOOM_BROWSE_RANK],
                         struct loom_error *err);

/* Calls `visit` for each attribute of the object at `path` that has one of
 * the types above, in order of names. */
typedef void loom_attribute_visit(void *context, const char *name,
                                  const struct loom_values *values);
bool loom_browser_attributes(struct loom_browser *browser, const char *path,
                             loom_attribute_visit *visit, void *context,
                             struct loom_error *err);

/* Rows [first, first + rows) of a dataset along its first dimension, or all
 * of it if `rows` is 0.  On success the caller releases *values. */
bool loom_browser_read(struct loom_browser *browser, uint32_t number,
                       uint64_t first, uint64_t rows,
                       struct loom_values *values, struct loom_error *err);

#endif

/*
 * Reading statistics of a running machine by name, without a file.
 *
 * This is what a script's `run.stats "gpu/sm/l1d".miss_ratio` asks.  A path
 * names instances: "gpu/sm/l1d" all of them, "gpu[0].sm[3].l1d" one,
 * "gpu/sm[3]/l1d" those of one SM; an index that is not written matches any.
 * `.` and `/` are the same.
 *
 * Over several instances counters are summed and a ratio is the sum of its
 * numerators over the sum of its denominators; LOOM_NAN if that is 0, as in
 * files (stats/window.h).
 */
#ifndef STATS_QUERY_H
#define STATS_QUERY_H

#include "stats/catalog.h"

struct loom_reading {
    const struct loom_stat *stat;
    uint32_t instances; /* how many were put together */
    bool is_integer;    /* counters and gauges: `total` is exact */
    uint64_t total;     /* vectors, arrays: over the axis; histograms: count */
    uint64_t denominator; /* ratios, whose `total` is the numerator */
    double value;         /* the same, or the ratio or rate; histograms: mean */
    uint64_t *item;       /* vectors and arrays: sums along the axis, owned */
    uint32_t items;
    struct loom_histogram histogram;
};

/* Brings the machine's counters up to now and reads.  On success the caller
 * releases *reading. */
bool loom_query(const struct loom_catalog *catalog, const char *path,
                const char *stat, struct loom_reading *reading,
                struct loom_error *err);
/* The same, less what it was in `since`, an earlier mark (stats/mark.h) of this
 * catalogue, or NULL: counters are subtracted, a ratio is of differences, a
 * gauge is what it is, the extremes of a histogram are those since time 0. */
bool loom_query_since(const struct loom_catalog *catalog,
                      const struct loom_catalog *since, const char *path,
                      const char *stat, struct loom_reading *reading,
                      struct loom_error *err);
/* The same of a class by its number: of one row of it, or of LOOM_ALL_ROWS.  It
 * brings no counters up to now. */
#define LOOM_ALL_ROWS UINT32_MAX
struct loom_rows_of {
    uint32_t number, row;
    const struct loom_stat *stat;
};
bool loom_read_since(const struct loom_catalog *catalog,
                     const struct loom_catalog *since, struct loom_rows_of what,
                     struct loom_reading *reading, struct loom_error *err);
/* The standard error of what loom_query() reads: 0 where it is exact, NaN where
 * nobody can tell, as of several instances that are not all.  Of a statistic
 * with an axis that of entry `key`. */
bool loom_query_error(const struct loom_catalog *catalog, const char *path,
                      const char *stat, uint32_t key, double *error,
                      struct loom_error *err);

void loom_reading_release(struct loom_reading *reading);

/* Does `path` (as above) name this instance? */
bool loom_path_matches(const char *path, const char *instance);

/* Does it name the instance, or one that the instance is a part of?
 * "gpu.sm[3]" holds "gpu[0].sm[3].l1d". */
bool loom_path_holds(const char *path, const char *instance);

/* The class that a path names, or an error with a suggestion. */
const struct loom_class *loom_query_class(const struct loom_catalog *catalog,
                                          const char *path,
                                          struct loom_error *err);

#endif

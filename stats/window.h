/*
 * What a statistic did within a window of a run: between two snapshots, or
 * between two times of a series.
 *
 * There is one rule for each kind, and everything that draws, prints or
 * exports numbers of a results file takes them from here:
 *
 *   counters, vectors, arrays, histograms   the difference of the two rows
 *   ratio   the difference of its numerator over that of its denominator
 *   rate    the difference of its counter over the seconds
 *   gauge   its value at the end of the window
 *   smallest and largest value   those since time 0, so only a window that
 *           begins there has them
 *
 * Over several instances the differences are summed first: a ratio is never
 * a mean of ratios, nor a difference of them.  A ratio of nothing (0 / 0) is
 * missing, never 0.
 */
#ifndef STATS_WINDOW_H
#define STATS_WINDOW_H

#include "stats/reader.h"

#define LOOM_WINDOW_START (-1) /* time 0, before the first row */

struct loom_window {
    int64_t from; /* a sample, or LOOM_WINDOW_START */
    uint64_t to;
};

/* What a row of a table stands for: since the row before it.  Of the smallest
 * and the largest value: since time 0. */
struct loom_window loom_window_ending(const struct loom_reader *reader,
                                      uint32_t number, uint64_t sample);

/* A number, exact where it is a count; NaN where there is none. */
struct loom_amount {
    bool is_integer;
    int64_t whole;
    double value; /* the same, or the one that is no integer */
};

/* Of all instances, or of those that `instance` names as loom_path_holds()
 * does, and of all entries along the axis. */
bool loom_window_total(struct loom_reader *reader, uint32_t number,
                       struct loom_window window, const char *instance,
                       struct loom_amount *total, struct loom_error *err);

/* The same for each entry along the axis: [width]. */
bool loom_window_entries(struct loom_reader *reader, uint32_t number,
                         struct loom_window window, const char *instance,
                         struct loom_amount *entry, struct loom_error *err);

/* For each instance and entry by itself: [instances * width]. */
bool loom_window_each(struct loom_reader *reader, uint32_t number,
                      struct loom_window window, struct loom_amount *each,
                      struct loom_error *err);

#endif

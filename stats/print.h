/*
 * Printing a results file for people (`warploom stats`), spreadsheets and
 * programs.
 */
#ifndef STATS_PRINT_H
#define STATS_PRINT_H

#include <stdio.h>

#include "stats/grid.h"
#include "stats/reader.h"

struct loom_print_options {
    /* As loom_glob_loose, with indices of instances: "gpu.sm[3].l1d.*"; NULL:
     * everything. */
    const char *pattern;
    const char *series; /* what happened in its windows, not a snapshot */
    const char *sample; /* as loom_reader_sample; NULL: the last */
    bool all;           /* one line per instance */
    enum loom_grid_form form;
};

/* False if the file cannot be read or nothing matches.  Of a damaged file all
 * that can be read is printed, and then it is false too. */
bool loom_print_stats(FILE *out, const char *path,
                      const struct loom_print_options *options,
                      struct loom_error *err);

#endif

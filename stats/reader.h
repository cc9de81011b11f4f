/*
 * Reading a results file: which statistics it has, and their values at each
 * snapshot, or at each time of a series.
 *
 * Works on files that are still being written or were left behind by a
 * killed run, up to their last flush.  A file that is not one of ours, cut
 * short or damaged is an error, and so is asking for what it does not have.
 */
#ifndef STATS_READER_H
#define STATS_READER_H

#include "engine/error.h"

struct loom_reader;

/* NULL on failure.  `series`: of that series, not of the snapshots. */
struct loom_reader *loom_reader_open(const char *path, const char *series,
                                     struct loom_error *err);
void loom_reader_close(struct loom_reader *reader); /* accepts NULL */

/* A root attribute ("status", "state_digest"), "" if there is none.  Lives as
 * long as the reader. */
const char *loom_reader_attribute(struct loom_reader *reader, const char *name);

/* How far a run in progress was when it last wrote this file, in seconds of
 * simulated time; false if the file does not say. */
bool loom_reader_progress(const struct loom_reader *reader, double *seconds);

/* Snapshots, or times of the series, that can be read. */
uint64_t loom_reader_samples(const struct loom_reader *reader);
/* The label of one, "" in a series; lives as long as the reader. */
const char *loom_reader_label(const struct loom_reader *reader,
                              uint64_t sample);
double loom_reader_time(const struct loom_reader *reader, uint64_t sample);
/* Finds a snapshot: NULL or "last", a label (the last one so called), or a
 * number. */
bool loom_reader_sample(const struct loom_reader *reader, const char *which,
                        uint64_t *sample, struct loom_error *err);

/* One dataset that varies over samples and instances. */
struct loom_reader_stat {
    char *name;    /* "gpu.sm.l1d.hits" */
    char *dataset; /* "/stats/gpu/sm/l1d/hits" */
    char *unit, *doc, *kind;
    char *input[2]; /* names of a ratio's counters, or NULL */
    bool is_float;
    uint64_t instances;
    uint64_t width;   /* values per instance: 1, or along its axis */
    bool is_labelled; /* the axis has names */
    char **instance;  /* [instances] paths; filled in by _names */
    char **label;     /* [width] labels, or NULL; filled in by _names */
};
union loom_reader_value {
    uint64_t u;
    double f; /* if is_float */
};

uint32_t loom_reader_count(const struct loom_reader *reader);
const struct loom_reader_stat *
loom_reader_stat(const struct loom_reader *reader, uint32_t number);
/* The statistic of a dotted name, or -1. */
int64_t loom_reader_find(const struct loom_reader *reader, const char *name);

/* The statistic that a ratio or rate is of, by the name beside it, or -1. */
int64_t loom_reader_input(const struct loom_reader *reader, uint32_t number,
                          int which);

/* Reads the names of a statistic's instances and entries. */
bool loom_reader_names(struct loom_reader *reader, uint32_t number,
                       struct loom_error *err);

/* The values [instances * width] of one snapshot; NULL on failure.  They live
 * until the next call: rows that were read lately are kept. */
const union loom_reader_value *loom_reader_values(struct loom_reader *reader,
                                                  uint32_t number,
                                                  uint64_t sample,
                                                  struct loom_error *err);

/* Standard errors, for each entry those of the instances together, of the
 * values of one snapshot: [width].  False: the statistic is no estimate, as of
 * runs that are not sampled. */
bool loom_reader_errors(struct loom_reader *reader, uint32_t number,
                        uint64_t sample, double *error);

#endif

/*
 * /profile: rows of static instructions, as a driver has counted them.
 */
#ifndef STATS_PROFILE_H
#define STATS_PROFILE_H

#include "stats/recorder.h"

enum loom_profile_type {
    LOOM_PROFILE_U64,
    LOOM_PROFILE_F64,
    LOOM_PROFILE_TEXT /* const char * */
};

/* A column: a field of a row, or an array in it, along an axis. */
struct loom_profile_column {
    const char *name, *unit, *doc;
    const char *axis;         /* NULL: it is one field */
    const char *const *label; /* of the axis; columns share it by its name */
    size_t offset, labels;
    enum loom_profile_type type;
    bool coordinate; /* it says what a row is */
};

struct loom_profile {
    const void *row;
    size_t rows, row_size; /* at least one row */
    const struct loom_profile_column *column;
    size_t columns;
    uint64_t left_out; /* events of instructions without a row */
};

/* Once, before the recorder is closed. */
bool loom_recorder_profile(struct loom_recorder *recorder,
                           const struct loom_profile *profile,
                           struct loom_error *err);

#endif

/*
 * Looking at everything in a results file.
 */
#ifndef STATS_WALK_H
#define STATS_WALK_H

#include "engine/digest.h"
#include "engine/error.h"

/* Called for every dataset that lacks units, a description (long_name) or a
 * scale of one of its dimensions. */
typedef void loom_walk_sink(void *context, const char *dataset,
                            const char *problem);

struct loom_walk {
    uint64_t datasets, problems;
};
/* False if the file cannot be read at all. */
bool loom_walk_file(const char *path, loom_walk_sink *sink, void *context,
                    struct loom_walk *result, struct loom_error *err);

/* SHA-256 over names, shapes, types and values of every dataset of /stats,
 * /series, /kernel and /topology: equal for equal runs. */
bool loom_results_digest(const char *path, char text[LOOM_DIGEST_TEXT],
                         struct loom_error *err);

#endif

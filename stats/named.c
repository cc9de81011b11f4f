/*
 * Patterns with indices, against the statistics of a file.
 */
#include "stats/named.h"

#include <stdint.h>
#include <string.h>

#include "stats/glob.h"
#include "stats/query.h"

bool loom_names_instance(struct loom_reader *reader, uint32_t number,
                         const char *instance)
{
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    struct loom_error err;

    if (instance == NULL || !loom_reader_names(reader, number, &err)) {
        return true;
    }
    for (uint64_t i = 0; i < stat->instances; i++) {
        if (loom_path_holds(instance, stat->instance[i])) {
            return true;
        }
    }
    return false;
}

bool loom_nothing_matches(struct loom_reader *reader, const char *pattern,
                          const char *instance, struct loom_error *err)
{
    const char *nearest = "";
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < loom_reader_count(reader); i++) {
        const char *name = loom_reader_stat(reader, i)->name;

        if (instance != NULL && loom_glob_loose(pattern, name)) {
            return loom_fail(err, LOOM_ERR_INPUT,
                             "'%.200s' has no instance '%.200s'", name,
                             instance);
        }
    }
    for (uint32_t i = 0; i < loom_reader_count(reader); i++) {
        const char *name = loom_reader_stat(reader, i)->name;
        const char *dot = strrchr(name, '.');
        uint32_t distance = loom_glob_distance(pattern, name);
        uint32_t tail =
            dot == NULL ? distance : loom_glob_distance(pattern, dot + 1);

        distance = tail < distance ? tail : distance;
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    if (loom_glob_near(pattern, least)) {
        return loom_fail(
            err, LOOM_ERR_INPUT,
            "no statistic matches '%.120s'; did you mean '%.200s'?", pattern,
            nearest);
    }
    return loom_fail(err, LOOM_ERR_INPUT,
                     "none of the %u statistics matches '%.200s'",
                     loom_reader_count(reader), pattern);
}

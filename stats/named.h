/*
 * Which statistics of a file a pattern with indices is about, and what to say
 * where it is none.
 */
#ifndef STATS_NAMED_H
#define STATS_NAMED_H

#include "stats/reader.h"

/* Has a statistic an instance that `instance` names, as loom_path_holds() has
 * it?  True without one, and where the file is damaged, which is told where it
 * is read. */
bool loom_names_instance(struct loom_reader *reader, uint32_t number,
                         const char *instance);

/* Fails: no statistic, or no such instance of those that match. */
bool loom_nothing_matches(struct loom_reader *reader, const char *pattern,
                          const char *instance, struct loom_error *err);

#endif

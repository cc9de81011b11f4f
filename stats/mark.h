/*
 * Marks: what the statistics of a running machine were at a moment.
 *
 * A mark is a catalogue of the same classes whose numbers do not move; all that
 * reads catalogues reads it, and brings no machine up to date.  What happened
 * between two marks, or since one, is the difference of two readings
 * (loom_query_since()), as between snapshots in a results file
 * (stats/window.h).
 */
#ifndef STATS_MARK_H
#define STATS_MARK_H

#include "stats/catalog.h"

/* Of what `catalog` says now, which must outlive the mark; NULL on failure.
 * Destroyed as a catalogue is. */
struct loom_catalog *loom_mark_create(const struct loom_catalog *catalog,
                                      struct loom_error *err);
/* Takes it again, of the same catalogue. */
void loom_mark_take(struct loom_catalog *mark,
                    const struct loom_catalog *catalog);

#endif

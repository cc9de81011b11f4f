/*
 * The statistics of a run that is over, put back into the machine that it was
 * of, so that questions about it are answered as they were then.
 *
 * A sweep computes its metrics anew this way, without simulating.
 */
#ifndef STATS_RESTORE_H
#define STATS_RESTORE_H

#include "stats/catalog.h"

/* Fills the counters of the catalogue's machine, which has just been built and
 * will not run, from the last snapshot of a results file.  An error if the
 * file is of another machine or damaged. */
bool loom_catalog_restore(struct loom_catalog *catalog, const char *path,
                          struct loom_error *err);

#endif

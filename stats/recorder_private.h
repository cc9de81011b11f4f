/*
 * The recorder's parts: which files of stats/ write which groups.
 */
#ifndef STATS_RECORDER_PRIVATE_H
#define STATS_RECORDER_PRIVATE_H

#include "stats/recorder.h"
#include "stats/tree_private.h"

/* Wanted size of a chunk of one column.  Snapshots are few (one per kernel),
 * so small chunks keep short runs small; series and tables are long. */
#define LOOM_SNAPSHOT_CHUNK 2048
#define LOOM_SERIES_CHUNK 65536

struct loom_series {
    struct loom_rows rows;
    struct loom_tree tree;
    size_t time, tick; /* columns */
    char name[64];
};

struct loom_recorder {
    struct loom_machine *machine; /* not owned */
    struct loom_catalog *catalog;
    char *path, *partial, *fresh, *working;
    int fd;       /* of PATH.working, which is locked */
    bool is_ours; /* PATH.working: no other run has it */
    struct loom_h5 h5;
    uint32_t clock;
    uint64_t flush_ms;               /* between copies for readers, at least */
    uint64_t shown_ms, show_cost_ms; /* of the monotonic clock */
    bool is_stale;                   /* the partial file lacks something */
    bool is_chosen;                  /* not all launches are timed */

    struct loom_rows stats;
    struct loom_tree tree;
    size_t time, tick, cycle, label, reason, kernel_id, stream; /* columns */

    struct loom_rows kernels, sources, inputs;
    size_t kernel_column[24], source_column[3], input_column[3];
    struct loom_series **series;
    uint32_t series_count;
};

/* Groups, while the file is laid out.  Failures stick to recorder->h5. */
void loom_record_meta(struct loom_recorder *recorder,
                      const struct loom_recorder_options *options);
void loom_record_topology(struct loom_recorder *recorder,
                          const struct loom_recorder_options *options);
/* What policies store, on their groups: after the statistics are laid out,
 * whose order listings keep. */
void loom_record_storage(struct loom_recorder *recorder,
                         const struct loom_recorder_options *options);
void loom_record_energy(struct loom_recorder *recorder,
                        const struct loom_recorder_options *options);
void loom_record_kernels(struct loom_recorder *recorder);
/* Attributes that are known at the end only. */
void loom_record_ending(struct loom_recorder *recorder,
                        const struct loom_ending *ending);

/* Sets chosen[i] for each statistic that matches a pattern, and for those that
 * it is computed from (series.c). */
bool loom_recorder_choose(const struct loom_catalog *catalog,
                          const char *const *pattern, size_t patterns,
                          bool *chosen, struct loom_error *err);

/* ---- flush.c ---- */

/* The layout is there: time begins. */
void loom_recorder_begin(struct loom_recorder *recorder);
/* Hands all rows to HDF5. */
bool loom_recorder_write(struct loom_recorder *recorder,
                         struct loom_error *err);
/* HDF5's bytes under a name of ours. */
bool loom_recorder_put(struct loom_recorder *recorder, const char *path,
                       struct loom_error *err);
/* Closes HDF5's side; false if it failed now or before. */
bool loom_recorder_end(struct loom_recorder *recorder, struct loom_error *err);
/* After a new row: flushes if it is time or memory says so. */
bool loom_recorder_added(struct loom_recorder *recorder,
                         struct loom_error *err);

#endif

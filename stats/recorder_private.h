/*
 * The recorder's parts: which files of stats/ write which groups.
 */
#ifndef STATS_RECORDER_PRIVATE_H
#define STATS_RECORDER_PRIVATE_H

#include "stats/recorder.h"
#include "stats/tree_private.h"

/* Wanted size of a chunk of one column.  Snapshots are few (one per kernel),
 * so small chunks keep short runs small; series and tables are long. */
#define LOOM_SNAPSHOT_CHUNK 8192
#define LOOM_SERIES_CHUNK 65536

struct loom_series {
    struct loom_rows rows;
    struct loom_tree tree;
    size_t time, tick; /* columns */
    char name[64];
};

struct loom_record_table {
    struct loom_rows rows;
    char name[64];
    size_t columns;
    enum loom_cell_type *type; /* [columns] */
};

struct loom_recorder {
    struct loom_machine *machine; /* not owned */
    struct loom_catalog *catalog;
    char *path, *partial, *fresh, *working;
    int fd;       /* of PATH.working, which is locked */
    bool is_ours; /* PATH.working: no other run has it */
    struct loom_h5 h5;
    uint32_t clock;
    uint64_t flush_ms, flushed_ms; /* of the monotonic clock */
    uint64_t shown_ms, show_cost_ms;
    bool is_stale; /* the partial file lacks something */

    struct loom_rows stats;
    struct loom_tree tree;
    size_t time, tick, cycle, label, reason, kernel_id, stream; /* columns */

    struct loom_rows kernels, sources, inputs;
    size_t kernel_column[18], source_column[3], input_column[3];
    struct loom_series **series;
    uint32_t series_count;
    struct loom_record_table **table;
    uint32_t table_count;
};

/* Adds a column without further axes. */
size_t loom_rows_simple(struct loom_rows *rows, hid_t group, const char *name,
                        const char *unit, const char *doc,
                        enum loom_h5_type type);
/* The columns `time` and `tick` that every sample axis has. */
void loom_rows_time(struct loom_rows *rows, hid_t group, size_t *time,
                    size_t *tick);
/* [a-z][a-z0-9_]*, shorter than 64? */
bool loom_record_name_ok(const char *what, const char *name,
                         struct loom_error *err);

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

/* After a new row: flushes if it is time or memory says so. */
bool loom_recorder_added(struct loom_recorder *recorder,
                         struct loom_error *err);

#endif

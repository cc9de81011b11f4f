/*
 * Recording a run into one HDF5 file.
 *
 *     create -> add_series.. source..
 *            -> snapshot / epoch / kernel / input ..
 *            -> close
 *
 * The file is put together in memory; a run needs as much of that as its
 * results take.  All datasets exist before the first snapshot.  Counters are
 * cumulative since time 0 and never reset; what happened in a kernel is the
 * difference of two snapshots.
 *
 * Rows are collected and handed to HDF5 every few seconds and at the end, so a
 * snapshot costs microseconds.  Then all of the file is written to
 * PATH.partial, by way of a rename, so whoever reads that, during a run or
 * after it was killed at any moment, finds a whole file.  It has one snapshot
 * more, of the reason LOOM_REASON_SO_FAR, with what all statistics were when
 * it was written.  Writing takes at most a twentieth of the time; large files
 * are written more rarely.  When it fails, the error is reported and what was
 * written before stays.  PATH itself is there once the run has ended.
 *
 * /stats, /series, /kernel and /topology depend on the simulated machine and
 * program only: two identical runs give identical datasets there.
 *
 * One recorder is used by one thread.
 */
#ifndef STATS_RECORDER_H
#define STATS_RECORDER_H

#include "engine/machine.h"

#include "stats/energy.h"
#include "stats/estimate.h"
#include "stats/provenance.h"

struct loom_recorder;

#define LOOM_STORAGE_UNKNOWN UINT64_MAX

/* Who set a parameter, and where in the script. */
struct loom_origin {
    const char *origin;   /* "default", "preset", "user" or "derived" */
    const char *lua_site; /* "atax.lua:12", or "" */
    /* Of a policy itself: what hardware would store for it (engine/cost.h),
     * or LOOM_STORAGE_UNKNOWN. */
    uint64_t storage_bits;
};
/* Asked for every parameter of every part; `param` NULL: for the part itself.
 * The strings must live until the next call. */
typedef struct loom_origin loom_origin_fn(void *context, const char *path,
                                          const char *param);

/* All optional: zero is a good default. */
struct loom_recorder_options {
    /* Root attributes: any text, the script's path, and what ran on what. */
    const char *title, *experiment, *workload, *machine;
    const char *timed; /* which launches are timed; NULL: all */
    uint32_t clock;    /* whose cycles /stats/cycle counts */
    uint32_t flush_ms; /* 0: 5000 */
    const struct loom_provenance *provenance;
    const struct loom_energy_model *energy; /* NULL: no energies */
    const char *energy_model;               /* how it was described, or NULL */
    struct loom_estimate *estimate; /* what counters are shown as, with their
                                     * errors; NULL: as they are.  It must
                                     * outlive the recorder */
    /* Which statistics snapshots have, as in a series; none: all. */
    const char *const *pattern;
    size_t patterns;
    loom_origin_fn *origin; /* NULL: default or user, by value; no sites */
    void *origin_context;
};

/* Lays out the file for a frozen machine, which must outlive the recorder.
 * NULL on failure, and then no file is left. */
struct loom_recorder *
loom_recorder_create(struct loom_machine *machine, const char *path,
                     const struct loom_recorder_options *options,
                     struct loom_error *err);

/* A subset of the statistics at regular times, with a sample axis of its own
 * under /series/<name>.  Patterns are those of stats/glob.h over names like
 * "gpu.dram.read_bytes"; one that matches nothing is an error.  Choosing a
 * ratio chooses its inputs too.  Before the first snapshot only. */
struct loom_series_spec {
    const char *name; /* [a-z][a-z0-9_]* */
    loom_time period; /* > 0 */
    const char *const *pattern;
    size_t patterns;
};
bool loom_recorder_add_series(struct loom_recorder *recorder,
                              const struct loom_series_spec *spec,
                              uint32_t *series, struct loom_error *err);
/* The period has passed: the driver calls it at each multiple. */
bool loom_recorder_epoch(struct loom_recorder *recorder, uint32_t series,
                         loom_time now, struct loom_error *err);

/* One sample of every statistic, all counters brought up to now. */
enum loom_reason {
    LOOM_REASON_KERNEL_END = 1,
    LOOM_REASON_USER = 2,
    LOOM_REASON_FINAL = 4,
    LOOM_REASON_SO_FAR = 8 /* in PATH.partial only, as its last */
};
struct loom_snapshot {
    const char *label; /* NULL: "" */
    enum loom_reason reason;
    int64_t kernel; /* id in /kernel; -1: none */
    int64_t stream; /* -1: none */
};
bool loom_recorder_snapshot(struct loom_recorder *recorder,
                            const struct loom_snapshot *snapshot,
                            struct loom_error *err);
/* Snapshots so far: the next one's number. */
uint64_t loom_recorder_samples(const struct loom_recorder *recorder);

/* A row of /kernel, when the kernel has ended. */
struct loom_kernel_record {
    uint64_t id, stream;
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t registers;         /* per thread */
    const char *registers_from; /* who has counted them */
    uint64_t shared_bytes;
    uint64_t interleave; /* warp instructions of a turn; 0: no turns */
    uint64_t resident;   /* CTAs that all SMs hold at a time; 0: unknown */
    bool passed;         /* over, in a sampled run: its times are estimates */
    const char *tensor_form; /* its tensor instructions; "": it has none */
    double tensor_parts;     /* products in one of them, on average */
    loom_time launch, start, end;
    int64_t sample_begin; /* the snapshot before it; -1: none */
    int64_t sample_end;   /* the snapshot after it; -1: none */
};
bool loom_recorder_kernel(struct loom_recorder *recorder,
                          const struct loom_kernel_record *kernel,
                          struct loom_error *err);

/* What a row of a table by load is; `kernel` NULL: nothing. */
struct loom_load {
    const char *kernel, *text, *op;
    uint64_t kernel_number, pc, line;
};
/* Of the tables of a class, by its group: at the end, when that is known. */
bool loom_recorder_loads(struct loom_recorder *recorder, const char *group,
                         const struct loom_load *row, size_t rows,
                         struct loom_error *err);

/* A Lua file that was loaded, and a file that was read.  `sha256` NULL: it is
 * computed, and then `bytes` is ignored. */
bool loom_recorder_source(struct loom_recorder *recorder, const char *path,
                          const char *text, struct loom_error *err);
bool loom_recorder_input(struct loom_recorder *recorder, const char *path,
                         const char *sha256, uint64_t bytes,
                         struct loom_error *err);

/* Writes PATH.partial: always, or only if the last time is longer ago than
 * flush_ms.  A driver polls now and then in long runs. */
bool loom_recorder_flush(struct loom_recorder *recorder,
                         struct loom_error *err);
bool loom_recorder_poll(struct loom_recorder *recorder, struct loom_error *err);

enum loom_run_status {
    LOOM_RUN_COMPLETE,
    LOOM_RUN_DEADLOCK,
    LOOM_RUN_ERROR,
    LOOM_RUN_INTERRUPTED
};
struct loom_ending {
    enum loom_run_status status;
    const char *exit_reason;  /* one line */
    const char *state_digest; /* stats/state.h and the driver's memory */
    double wall_s;            /* host seconds of the run */
    double kips; /* thousands of warp instructions per host second */
    /* If options.timed: of so many launches so many were timed. */
    uint64_t launches, launches_timed;
};
/* Writes PATH and removes PATH.partial; on failure that stays, or is written
 * if it can be.  The recorder is gone in either case. */
bool loom_recorder_close(struct loom_recorder *recorder,
                         const struct loom_ending *ending,
                         struct loom_error *err);

/* Gives up: leaves what there is at PATH.partial.  Accepts NULL. */
void loom_recorder_abandon(struct loom_recorder *recorder);

#endif

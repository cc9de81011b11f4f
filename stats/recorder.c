/*
 * Life of a results file: layout, snapshots, flushes, and the rename at the
 * end.
 *
 * A failure of HDF5 itself sticks (the state of its caches is then unknown);
 * a full disk does not, because it is noticed before HDF5 is called, and the
 * next flush tries again.
 */
#define _GNU_SOURCE /* fallocate, F_OFD_SETLK */
#include "stats/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "stats/recorder_private.h"

#define FORMAT "warploom-stats"
#define FORMAT_VERSION "1.0"
#define DEFAULT_FLUSH_MS 5000
/* Flush earlier when this much waits. */
#define MAX_BUFFERED (16u << 20)
/* Room for attributes and whatever else HDF5 rewrites. */
#define FLUSH_SLACK (128u << 10)
/* Copies for readers take one of so many milliseconds. */
#define SHOW_SHARE 20u

static bool write_all(struct loom_recorder *recorder, struct loom_error *err);

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static double seconds(loom_time now)
{
    return (double)now / 1e15;
}

static bool output_error(struct loom_error *err, const char *what,
                         const char *path)
{
    return loom_fail(err, LOOM_ERR_OUTPUT, "cannot %s '%.300s': %s", what, path,
                     strerror(errno));
}

size_t loom_rows_simple(struct loom_rows *rows, hid_t group, const char *name,
                        const char *unit, const char *doc,
                        enum loom_h5_type type)
{
    struct loom_h5_dataset spec = {
        .name = name, .unit = unit, .doc = doc, .type = type};

    return loom_rows_column(rows, group, &spec, NULL);
}

void loom_rows_time(struct loom_rows *rows, hid_t group, size_t *time,
                    size_t *tick)
{
    *time = loom_rows_simple(rows, group, "time", "s",
                             "simulated time since the start", LOOM_H5_F64);
    *tick =
        loom_rows_simple(rows, group, "tick", "fs",
                         "simulated time since the start, exact", LOOM_H5_U64);
}

bool loom_record_name_ok(const char *what, const char *name,
                         struct loom_error *err)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (name[length] != '\0' || length == 0 || length > 63 ||
        strchr("abcdefghijklmnopqrstuvwxyz", name[0]) == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "name '%.100s' of a %s is not [a-z][a-z0-9_]* of at "
                         "most 63 characters",
                         name, what);
    }
    return true;
}

static void lay_out_reason(struct loom_recorder *recorder, hid_t group)
{
    struct loom_h5_dataset spec = {.name = "reason",
                                   .unit = "1",
                                   .doc = "why the snapshot was taken (flags)",
                                   .type = LOOM_H5_U8};
    const uint64_t values[] = {LOOM_REASON_KERNEL_END, LOOM_REASON_USER,
                               LOOM_REASON_FINAL};
    hid_t dataset;

    recorder->reason =
        loom_rows_column(&recorder->stats, group, &spec, &dataset);
    loom_h5_put_u64(&recorder->h5, dataset, "flag_values", values,
                    LOOM_COUNTOF(values));
    loom_h5_put_text(&recorder->h5, dataset, "flag_meanings",
                     "kernel_end user final");
}

static void lay_out_cycle(struct loom_recorder *recorder, hid_t group)
{
    struct loom_h5_dataset spec = {.name = "cycle",
                                   .unit = "cycle",
                                   .doc = "edges of the reference clock so far",
                                   .type = LOOM_H5_U64};
    uint64_t hertz = loom_machine_hertz(recorder->machine, recorder->clock);
    hid_t dataset;

    recorder->cycle =
        loom_rows_column(&recorder->stats, group, &spec, &dataset);
    loom_h5_put_u64(&recorder->h5, dataset, "clock_hertz", &hertz, 0);
}

static void lay_out_stats(struct loom_recorder *recorder)
{
    struct loom_h5 *h5 = &recorder->h5;
    struct loom_rows *rows = &recorder->stats;
    hid_t group = loom_h5_group(h5, h5->file, "stats");

    loom_h5_put_text(h5, group, "long_name",
                     "snapshots of all statistics; counters are cumulative "
                     "since time 0");
    loom_rows_init(rows, h5, group, "sample", "number of the snapshot",
                   LOOM_SNAPSHOT_CHUNK);
    loom_rows_time(rows, group, &recorder->time, &recorder->tick);
    lay_out_cycle(recorder, group);
    recorder->label =
        loom_rows_simple(rows, group, "label", "1",
                         "what the snapshot was called", LOOM_H5_TEXT);
    lay_out_reason(recorder, group);
    recorder->kernel_id =
        loom_rows_simple(rows, group, "kernel_id", "1",
                         "kernel that ended; -1: none", LOOM_H5_I64);
    recorder->stream =
        loom_rows_simple(rows, group, "stream", "1",
                         "stream of that kernel; -1: none", LOOM_H5_I64);
    loom_tree_init(&recorder->tree, recorder->catalog, NULL, rows, group,
                   "time label");
    loom_rows_ready(rows);
    if (group >= 0) {
        H5Gclose(group);
    }
}

static void put_named(struct loom_h5 *h5, const char *name, const char *text)
{
    if (text != NULL) {
        loom_h5_put_text(h5, h5->file, name, text);
    }
}

static void lay_out(struct loom_recorder *recorder,
                    const struct loom_recorder_options *options)
{
    struct loom_h5 *h5 = &recorder->h5;

    loom_h5_put_text(h5, h5->file, "format", FORMAT);
    loom_h5_put_text(h5, h5->file, "format_version", FORMAT_VERSION);
    loom_h5_put_text(h5, h5->file, "Conventions", "CF-1.8");
    loom_h5_put_text(h5, h5->file, "default", "stats");
    loom_h5_put_text(h5, h5->file, "status", "running");
    put_named(h5, "title", options->title);
    put_named(h5, "experiment", options->experiment);
    put_named(h5, "workload", options->workload);
    put_named(h5, "machine", options->machine);
    loom_record_meta(recorder, options);
    loom_record_topology(recorder, options);
    loom_record_energy(recorder, options);
    lay_out_stats(recorder);
    loom_record_storage(recorder, options);
    loom_record_kernels(recorder);
}

/* A lock on the working file keeps two runs from writing the same one.  It
 * belongs to our descriptor, because HDF5 closes others of this file, and it
 * is no flock, which would keep readers of HDF5 out. */
static bool claim(struct loom_recorder *recorder, struct loom_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    recorder->fd = open(recorder->working, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (recorder->fd < 0) {
        return output_error(err, "write results to", recorder->working);
    }
    if (fcntl(recorder->fd, F_OFD_SETLK, &lock) < 0 &&
        (errno == EAGAIN || errno == EACCES)) {
        return loom_fail(err, LOOM_ERR_OUTPUT,
                         "'%.300s' is being written by another run",
                         recorder->path);
    }
    recorder->is_ours = true;
    recorder->is_open =
        loom_h5_create(&recorder->h5, recorder->working, true, err);
    return recorder->is_open;
}

static struct loom_recorder *
new_recorder(struct loom_machine *machine, const char *path,
             const struct loom_energy_model *energy, struct loom_error *err)
{
    struct loom_recorder *recorder = calloc(1, sizeof(*recorder));
    size_t size = strlen(path) + sizeof(".partial");

    if (recorder != NULL) {
        recorder->fd = -1;
        recorder->machine = machine;
        recorder->path = strdup(path);
        recorder->partial = malloc(size);
        recorder->working = malloc(size);
    }
    if (recorder == NULL || recorder->path == NULL ||
        recorder->partial == NULL || recorder->working == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the recorder");
        loom_recorder_abandon(recorder);
        return NULL;
    }
    snprintf(recorder->partial, size, "%s.partial", path);
    snprintf(recorder->working, size, "%s.working", path);
    recorder->catalog = loom_catalog_create(machine, energy, err);
    if (recorder->catalog == NULL) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    return recorder;
}

struct loom_recorder *
loom_recorder_create(struct loom_machine *machine, const char *path,
                     const struct loom_recorder_options *options,
                     struct loom_error *err)
{
    const struct loom_recorder_options none = {0};
    struct loom_recorder *recorder;

    options = options == NULL ? &none : options;
    recorder = new_recorder(machine, path, options->energy, err);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->clock = options->clock;
    recorder->flush_ms =
        options->flush_ms == 0 ? DEFAULT_FLUSH_MS : options->flush_ms;
    if (!claim(recorder, err)) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    lay_out(recorder, options);
    recorder->shown_ms = now_ms();
    if (!write_all(recorder, err)) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    return recorder;
}

/* Calls `visit` for everything that grows. */
static void each_rows(struct loom_recorder *recorder,
                      void (*visit)(struct loom_rows *rows, void *context),
                      void *context)
{
    visit(&recorder->sources, context);
    visit(&recorder->inputs, context);
    visit(&recorder->kernels, context);
    for (uint32_t i = 0; i < recorder->table_count; i++) {
        visit(&recorder->table[i]->rows, context);
    }
    for (uint32_t i = 0; i < recorder->series_count; i++) {
        visit(&recorder->series[i]->rows, context);
    }
    visit(&recorder->stats, context);
}

static void add_need(struct loom_rows *rows, void *context)
{
    *(uint64_t *)context += loom_rows_need(rows);
}

static void add_bytes(struct loom_rows *rows, void *context)
{
    *(uint64_t *)context += loom_rows_bytes(rows);
}

static void write_rows(struct loom_rows *rows, void *context)
{
    (void)context;
    loom_rows_write(rows);
}

static void fini_rows(struct loom_rows *rows, void *context)
{
    (void)context;
    loom_rows_fini(rows);
}

/* Makes the file `need` bytes longer than HDF5 uses, on disk.  Filesystems
 * that cannot promise space are believed.  A file longer than its superblock
 * says is fine for HDF5. */
static bool reserve(const struct loom_recorder *recorder, uint64_t need,
                    struct loom_error *err)
{
    struct rlimit limit;
    hsize_t used;

    if (H5Fget_filesize(recorder->h5.file, &used) < 0) {
        return true;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY && used + need > limit.rlim_cur) {
        errno = EFBIG;
        return output_error(err, "write results to", recorder->working);
    }
    if (fallocate(recorder->fd, 0, (off_t)used, (off_t)need) < 0 &&
        (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
        return output_error(err, "write results to", recorder->working);
    }
    return true;
}

/* Writes all rows to the working file. */
static bool write_all(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t need = FLUSH_SLACK;
    sigset_t all, before;

    if (!loom_h5_ok(&recorder->h5, err)) {
        return false;
    }
    recorder->flushed_ms = now_ms();
    each_rows(recorder, add_need, &need);
    if (!reserve(recorder, need, err)) {
        return false;
    }
    /* Whoever ends the run politely waits these milliseconds. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    each_rows(recorder, write_rows, NULL);
    if (!recorder->h5.failed &&
        H5Fflush(recorder->h5.file, H5F_SCOPE_LOCAL) < 0) {
        loom_h5_broken(&recorder->h5, "flush");
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    recorder->is_stale = true;
    return loom_h5_ok(&recorder->h5, err);
}

/* Shows what was written.  A disk without room for it keeps the old copy. */
static void show(struct loom_recorder *recorder)
{
    uint64_t begin = now_ms();

    loom_publish_copy(recorder->fd, recorder->partial);
    recorder->shown_ms = now_ms();
    recorder->show_cost_ms = recorder->shown_ms - begin;
    recorder->is_stale = false;
}

bool loom_recorder_flush(struct loom_recorder *recorder, struct loom_error *err)
{
    if (!write_all(recorder, err)) {
        return false;
    }
    show(recorder);
    return true;
}

/* Copies of large files are rarer: they take a twentieth of the time. */
static void show_if_due(struct loom_recorder *recorder)
{
    uint64_t pause = SHOW_SHARE * recorder->show_cost_ms;

    if (pause < recorder->flush_ms) {
        pause = recorder->flush_ms;
    }
    if (recorder->is_stale && now_ms() - recorder->shown_ms >= pause) {
        show(recorder);
    }
}

bool loom_recorder_poll(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t bytes = 0;
    bool ok = true;

    if (now_ms() - recorder->flushed_ms < recorder->flush_ms) {
        return loom_h5_ok(&recorder->h5, err);
    }
    each_rows(recorder, add_bytes, &bytes);
    ok = bytes == 0 || write_all(recorder, err);
    if (ok) {
        show_if_due(recorder);
    }
    return ok;
}

bool loom_recorder_added(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t bytes = 0;

    each_rows(recorder, add_bytes, &bytes);
    if (bytes > MAX_BUFFERED) {
        return write_all(recorder, err);
    }
    return loom_recorder_poll(recorder, err);
}

uint64_t loom_recorder_samples(const struct loom_recorder *recorder)
{
    return loom_rows_count(&recorder->stats);
}

bool loom_recorder_snapshot(struct loom_recorder *recorder,
                            const struct loom_snapshot *snapshot,
                            struct loom_error *err)
{
    loom_time now = loom_machine_now(recorder->machine);
    union loom_word *row;

    loom_machine_settle(recorder->machine);
    row = loom_rows_add(&recorder->stats);
    if (row == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a snapshot");
    }
    row[recorder->time].f = seconds(now);
    row[recorder->tick].u = now;
    row[recorder->cycle].u =
        loom_machine_cycle(recorder->machine, recorder->clock);
    loom_rows_text(&recorder->stats, &row[recorder->label], snapshot->label);
    row[recorder->reason].u = (uint64_t)snapshot->reason;
    row[recorder->kernel_id].i = snapshot->kernel;
    row[recorder->stream].i = snapshot->stream;
    loom_tree_sample(&recorder->tree, row, seconds(now));
    return loom_recorder_added(recorder, err);
}

/* Closes HDF5's side; false if it failed now or before. */
static bool close_file(struct loom_recorder *recorder, struct loom_error *err)
{
    each_rows(recorder, fini_rows, NULL);
    recorder->is_open = false;
    return loom_h5_close(&recorder->h5, err);
}

bool loom_recorder_close(struct loom_recorder *recorder,
                         const struct loom_ending *ending,
                         struct loom_error *err)
{
    bool ok = write_all(recorder, err);

    if (ok) {
        loom_record_ending(recorder, ending);
        ok = write_all(recorder, err);
    }
    if (ok) {
        ok = close_file(recorder, err);
        recorder->is_ours = !ok; /* else whole, whatever becomes of it */
        ok = ok && loom_publish(recorder, err);
    }
    loom_recorder_abandon(recorder);
    return ok;
}

/* A file that was not published: what is in it may be all that is left of the
 * run. */
static void leave(struct loom_recorder *recorder)
{
    struct loom_error ignored;
    bool is_whole = false;

    if (recorder->is_open) {
        is_whole = recorder->is_stale && loom_recorder_samples(recorder) != 0;
        is_whole = close_file(recorder, &ignored) && is_whole;
    }
    if (recorder->is_ours &&
        !(is_whole && rename(recorder->working, recorder->partial) == 0)) {
        unlink(recorder->working);
    }
}

void loom_recorder_abandon(struct loom_recorder *recorder)
{
    if (recorder == NULL) {
        return;
    }
    leave(recorder);
    if (recorder->fd >= 0) {
        close(recorder->fd);
    }
    loom_tree_fini(&recorder->tree);
    for (uint32_t i = 0; i < recorder->series_count; i++) {
        loom_tree_fini(&recorder->series[i]->tree);
        free(recorder->series[i]);
    }
    for (uint32_t i = 0; i < recorder->table_count; i++) {
        free(recorder->table[i]->type);
        free(recorder->table[i]);
    }
    free(recorder->series);
    free(recorder->table);
    loom_catalog_destroy(recorder->catalog);
    free(recorder->path);
    free(recorder->partial);
    free(recorder->working);
    free(recorder);
}

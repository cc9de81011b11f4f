/*
 * Life of a results file: layout, snapshots, flushes, and its name at the
 * end.
 *
 * A failure of HDF5 itself sticks (the state of its caches is then unknown);
 * a full disk does not, because HDF5 has no part in it (h5_image.c), and the
 * next flush tries again.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "stats/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/file.h"

#include "stats/recorder_private.h"

#define FORMAT "warploom-stats"
#define FORMAT_VERSION "1.0"
#define DEFAULT_FLUSH_MS 5000
/* Flush earlier when this much waits. */
#define MAX_BUFFERED (16u << 20)
/* Copies for readers take one of so many milliseconds. */
#define SHOW_SHARE 20u

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
                               LOOM_REASON_FINAL, LOOM_REASON_SO_FAR};
    hid_t dataset;

    recorder->reason =
        loom_rows_column(&recorder->stats, group, &spec, &dataset);
    loom_h5_put_u64(&recorder->h5, dataset, "flag_values", values,
                    LOOM_COUNTOF(values));
    loom_h5_put_text(&recorder->h5, dataset, "flag_meanings",
                     "kernel_end user final so_far");
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
    loom_h5_release(h5, group);
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

/* Is the file that we opened still the one of this name? */
static bool is_named(int fd, const char *path)
{
    struct stat ours, named;

    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* A lock on PATH.working, which is empty, keeps two runs from writing the
 * same results.  Who has just removed it may have done so between our opening
 * and locking it. */
static bool claim(struct loom_recorder *recorder, struct loom_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (!loom_file_replaceable(recorder->path, err) ||
        !loom_file_replaceable(recorder->working, err)) {
        return false;
    }
    for (;;) {
        recorder->fd =
            open(recorder->working,
                 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (recorder->fd < 0) {
            return output_error(err, "write results to", recorder->working);
        }
        if (fcntl(recorder->fd, F_OFD_SETLK, &lock) < 0 &&
            (errno == EAGAIN || errno == EACCES)) {
            return loom_fail(err, LOOM_ERR_OUTPUT,
                             "'%.300s' is being written by another run",
                             recorder->path);
        }
        if (is_named(recorder->fd, recorder->working)) {
            recorder->is_ours = true;
            return true;
        }
        close(recorder->fd);
    }
}

static struct loom_recorder *
new_recorder(struct loom_machine *machine, const char *path,
             const struct loom_energy_model *energy, struct loom_error *err)
{
    struct loom_recorder *recorder = calloc(1, sizeof(*recorder));
    size_t size = strlen(path) + sizeof(".partial.new");

    if (recorder != NULL) {
        recorder->fd = -1;
        recorder->h5.file = -1;
        recorder->machine = machine;
        recorder->path = strdup(path);
        recorder->partial = malloc(size);
        recorder->fresh = malloc(size);
        recorder->working = malloc(size);
    }
    if (recorder == NULL || recorder->path == NULL ||
        recorder->partial == NULL || recorder->fresh == NULL ||
        recorder->working == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the recorder");
        loom_recorder_abandon(recorder);
        return NULL;
    }
    snprintf(recorder->partial, size, "%s.partial", path);
    snprintf(recorder->fresh, size, "%s.partial.new", path);
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
    if (!claim(recorder, err) ||
        !loom_h5_create(&recorder->h5, recorder->path, true, err)) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    lay_out(recorder, options);
    recorder->shown_ms = now_ms();
    recorder->flushed_ms = recorder->shown_ms;
    if (!loom_h5_ok(&recorder->h5, err)) {
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

/* Hands all rows to HDF5. */
static bool write_all(struct loom_recorder *recorder, struct loom_error *err)
{
    recorder->flushed_ms = now_ms();
    each_rows(recorder, write_rows, NULL);
    recorder->is_stale = true;
    return loom_h5_ok(&recorder->h5, err);
}

/* HDF5's bytes under a name of ours. */
static bool put_file(struct loom_recorder *recorder, const char *path,
                     struct loom_error *err)
{
    const void *data;
    size_t bytes;

    if (!loom_h5_ok(&recorder->h5, err)) {
        return false;
    }
    data = loom_h5_image_bytes(&recorder->h5, &bytes);
    return loom_file_put(path, recorder->fresh, data, bytes, err);
}

static bool add_sample(struct loom_recorder *recorder,
                       const struct loom_snapshot *snapshot,
                       struct loom_error *err);

/* What a reader of a run in progress, or of one that was killed, wants to
 * know: the statistics as they are now, as one more snapshot, and the time. */
static bool add_draft(struct loom_recorder *recorder, struct loom_error *err)
{
    static const struct loom_snapshot draft = {.label = "so far",
                                               .reason = LOOM_REASON_SO_FAR,
                                               .kernel = -1,
                                               .stream = -1};
    struct loom_h5 *h5 = &recorder->h5;
    double now = seconds(loom_machine_now(recorder->machine));
    hid_t meta = loom_h5_group(h5, h5->file, "meta");

    loom_h5_put_f64(h5, meta, "sim_time", now);
    loom_h5_release(h5, meta);
    if (!loom_h5_ok(h5, err) || !add_sample(recorder, &draft, err)) {
        return false;
    }
    loom_rows_draft(&recorder->stats);
    return true;
}

/* Writes PATH.partial anew. */
static bool show(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t begin = now_ms();
    bool ok =
        write_all(recorder, err) && add_draft(recorder, err) &&
        loom_h5_did(&recorder->h5, H5Fflush(recorder->h5.file, H5F_SCOPE_LOCAL),
                    "flush the file");

    ok = ok && put_file(recorder, recorder->partial, err);
    recorder->shown_ms = now_ms();
    recorder->show_cost_ms = recorder->shown_ms - begin;
    recorder->is_stale = !ok;
    if (recorder->h5.failed) {
        loom_h5_ok(&recorder->h5, err);
    }
    return ok;
}

bool loom_recorder_flush(struct loom_recorder *recorder, struct loom_error *err)
{
    return show(recorder, err);
}

/* Large files are written more rarely: it takes a twentieth of the time. */
bool loom_recorder_poll(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t pause = SHOW_SHARE * recorder->show_cost_ms;

    if (pause < recorder->flush_ms) {
        pause = recorder->flush_ms;
    }
    if (now_ms() - recorder->shown_ms < pause) {
        return loom_h5_ok(&recorder->h5, err);
    }
    return show(recorder, err);
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

static bool add_sample(struct loom_recorder *recorder,
                       const struct loom_snapshot *snapshot,
                       struct loom_error *err)
{
    loom_time now = loom_machine_now(recorder->machine);
    union loom_word *row;

    loom_machine_settle(recorder->machine);
    row = loom_rows_add(&recorder->stats);
    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for a snapshot");
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
    return loom_h5_ok(&recorder->h5, err);
}

bool loom_recorder_snapshot(struct loom_recorder *recorder,
                            const struct loom_snapshot *snapshot,
                            struct loom_error *err)
{
    return add_sample(recorder, snapshot, err) &&
           loom_recorder_added(recorder, err);
}

/* Closes HDF5's side; false if it failed now or before. */
static bool close_file(struct loom_recorder *recorder, struct loom_error *err)
{
    each_rows(recorder, fini_rows, NULL);
    return loom_h5_close(&recorder->h5, err);
}

bool loom_recorder_close(struct loom_recorder *recorder,
                         const struct loom_ending *ending,
                         struct loom_error *err)
{
    bool ok = write_all(recorder, err);

    if (ok) {
        loom_record_ending(recorder, ending);
        ok = close_file(recorder, err) &&
             put_file(recorder, recorder->path, err);
    }
    if (ok) {
        unlink(recorder->partial);
        recorder->is_stale = false;
    }
    loom_recorder_abandon(recorder);
    return ok;
}

/* What is in a file that was not finished may be all that is left of the
 * run. */
static void leave(struct loom_recorder *recorder)
{
    struct loom_error ignored;

    if (recorder->h5.file >= 0) {
        if (recorder->is_stale && loom_recorder_samples(recorder) != 0) {
            show(recorder, &ignored);
        }
        close_file(recorder, &ignored);
    } else if (recorder->is_stale) {
        put_file(recorder, recorder->partial, &ignored);
    }
    loom_h5_free(&recorder->h5);
    if (recorder->is_ours) {
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
    free(recorder->fresh);
    free(recorder->working);
    free(recorder);
}

/*
 * Life of a results file: its layout, and its name at the end.
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
#include <unistd.h>

#include "engine/file.h"

#include "stats/recorder_private.h"
#include "stats/writer.h"

#define FORMAT "warploom-stats"
#define DEFAULT_FLUSH_MS 5000

static bool output_error(struct loom_error *err, const char *what,
                         const char *path)
{
    return loom_fail(err, LOOM_ERR_OUTPUT, "cannot %s '%.300s': %s", what, path,
                     strerror(errno));
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

static void lay_out_stats(struct loom_recorder *recorder, const bool *chosen)
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
    recorder->tree.errors = true;
    loom_tree_init(&recorder->tree, recorder->catalog, chosen, rows, group,
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
                    const struct loom_recorder_options *options,
                    const bool *chosen)
{
    struct loom_h5 *h5 = &recorder->h5;

    loom_h5_put_text(h5, h5->file, "format", FORMAT);
    loom_h5_put_text(h5, h5->file, "format_version", LOOM_LAYOUT);
    loom_h5_put_text(h5, h5->file, "Conventions", "CF-1.8");
    loom_h5_put_text(h5, h5->file, "default", "stats");
    loom_h5_put_text(h5, h5->file, "status", "running");
    put_named(h5, "estimates", options->estimate != NULL ? "sampled" : NULL);
    put_named(h5, "timed", options->timed);
    put_named(h5, "title", options->title);
    put_named(h5, "experiment", options->experiment);
    put_named(h5, "workload", options->workload);
    put_named(h5, "machine", options->machine);
    loom_record_meta(recorder, options);
    loom_record_topology(recorder, options);
    loom_record_energy(recorder, options);
    lay_out_stats(recorder, chosen);
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

/* Lays out the file with the statistics that are wanted. */
static bool fill(struct loom_recorder *recorder,
                 const struct loom_recorder_options *options,
                 struct loom_error *err)
{
    bool *chosen = calloc(recorder->catalog->stat_count + 1, sizeof(*chosen));
    bool ok = chosen != NULL;

    if (!ok) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the recorder");
    } else if (options->patterns != 0) {
        ok = loom_recorder_choose(recorder->catalog, options->pattern,
                                  options->patterns, chosen, err);
    }
    if (ok) {
        lay_out(recorder, options, options->patterns == 0 ? NULL : chosen);
        loom_recorder_begin(recorder);
        ok = loom_h5_ok(&recorder->h5, err);
    }
    free(chosen);
    return ok;
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
    recorder->is_chosen = options->timed != NULL;
    recorder->flush_ms =
        options->flush_ms == 0 ? DEFAULT_FLUSH_MS : options->flush_ms;
    if (!claim(recorder, err) ||
        !loom_h5_create(&recorder->h5, recorder->path, true, err)) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    if (options->estimate != NULL) {
        loom_estimate_show(options->estimate, recorder->catalog);
    }
    if (!fill(recorder, options, err)) {
        loom_recorder_abandon(recorder);
        return NULL;
    }
    return recorder;
}

bool loom_recorder_close(struct loom_recorder *recorder,
                         const struct loom_ending *ending,
                         struct loom_error *err)
{
    bool ok = loom_recorder_write(recorder, err);

    if (ok) {
        loom_record_ending(recorder, ending);
        ok = loom_recorder_end(recorder, err) &&
             loom_recorder_put(recorder, recorder->path, err);
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
            loom_recorder_flush(recorder, &ignored);
        }
        loom_recorder_end(recorder, &ignored);
    } else if (recorder->is_stale) {
        loom_recorder_put(recorder, recorder->partial, &ignored);
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
    free(recorder->series);
    loom_catalog_destroy(recorder->catalog);
    free(recorder->path);
    free(recorder->partial);
    free(recorder->fresh);
    free(recorder->working);
    free(recorder);
}

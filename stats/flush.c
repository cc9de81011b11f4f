/*
 * Snapshots, and when rows reach the file: HDF5's bytes, and the copy for
 * readers of a run in progress.
 */
#include <time.h>

#include "engine/file.h"

#include "stats/estimate.h"
#include "stats/recorder_private.h"

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

void loom_recorder_begin(struct loom_recorder *recorder)
{
    recorder->shown_ms = now_ms();
}

/* Calls `visit` for everything that grows. */
static void each_rows(struct loom_recorder *recorder,
                      void (*visit)(struct loom_rows *rows, void *context),
                      void *context)
{
    visit(&recorder->sources, context);
    visit(&recorder->inputs, context);
    visit(&recorder->kernels, context);
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

bool loom_recorder_write(struct loom_recorder *recorder, struct loom_error *err)
{
    each_rows(recorder, write_rows, NULL);
    recorder->is_stale = true;
    return loom_h5_ok(&recorder->h5, err);
}

bool loom_recorder_put(struct loom_recorder *recorder, const char *path,
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
                       struct loom_error *err)
{
    loom_time now = loom_machine_now(recorder->machine);
    union loom_word *row;

    loom_estimate_settle(recorder->catalog);
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
bool loom_recorder_flush(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t begin = now_ms();
    bool ok =
        loom_recorder_write(recorder, err) && add_draft(recorder, err) &&
        loom_h5_did(&recorder->h5, H5Fflush(recorder->h5.file, H5F_SCOPE_LOCAL),
                    "flush the file");

    ok = ok && loom_recorder_put(recorder, recorder->partial, err);
    recorder->shown_ms = now_ms();
    recorder->show_cost_ms = recorder->shown_ms - begin;
    recorder->is_stale = !ok;
    if (recorder->h5.failed) {
        loom_h5_ok(&recorder->h5, err);
    }
    return ok;
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
    return loom_recorder_flush(recorder, err);
}

bool loom_recorder_added(struct loom_recorder *recorder, struct loom_error *err)
{
    uint64_t bytes = 0;

    each_rows(recorder, add_bytes, &bytes);
    if (bytes > MAX_BUFFERED) {
        return loom_recorder_write(recorder, err);
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
    return add_sample(recorder, snapshot, err) &&
           loom_recorder_added(recorder, err);
}

bool loom_recorder_end(struct loom_recorder *recorder, struct loom_error *err)
{
    each_rows(recorder, fini_rows, NULL);
    return loom_h5_close(&recorder->h5, err);
}

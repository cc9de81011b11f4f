/*
 * Series: chosen statistics at regular times.
 *
 * Rows are as in /stats, cumulative; an interval is the difference of two.
 * That keeps a series exact when epochs are merged or one is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/estimate.h"
#include "stats/recorder_private.h"

/* The numbers of a class's counters at these offsets. */
static void choose_inputs(const struct loom_class *class, size_t i,
                          bool *chosen)
{
    const struct loom_stat *stat = &class->stats.item[i];
    const char *name[2] = {NULL, NULL};

    if (stat->kind == LOOM_STAT_RATIO || stat->kind == LOOM_STAT_RATE) {
        name[0] = loom_stat_at(class->stats, stat->offset);
    }
    if (stat->kind == LOOM_STAT_RATIO) {
        name[1] = loom_stat_at(class->stats, stat->den_offset);
    }
    for (size_t k = 0; k < class->stats.count; k++) {
        for (size_t n = 0; n < 2; n++) {
            if (name[n] != NULL &&
                strcmp(class->stats.item[k].name, name[n]) == 0) {
                chosen[class->first + k] = true;
            }
        }
    }
}

/* The counters of an event, all events of a sum, the sum of a power. */
static void choose_energy(const struct loom_class *class, size_t i,
                          bool *chosen)
{
    const struct loom_stat *stat = &class->stats.item[i];
    const struct loom_class_energy *energy = class->energy;

    if (stat->kind != LOOM_STAT_ENERGY && stat->kind != LOOM_STAT_POWER) {
        return;
    }
    for (size_t k = 0; k < class->stats.count; k++) {
        const struct loom_stat *other = &class->stats.item[k];

        if (stat->offset == energy->events) {
            chosen[class->first + k] |= other->kind == LOOM_STAT_ENERGY;
            continue;
        }
        for (uint32_t n = 0; n < energy->event[stat->offset].sum.terms; n++) {
            const char *name =
                energy->event[stat->offset].sum.term[n].stat->name;

            chosen[class->first + k] |= strcmp(name, other->name) == 0;
        }
    }
}

bool loom_recorder_choose(const struct loom_catalog *catalog,
                          const char *const *pattern, size_t patterns,
                          bool *chosen, struct loom_error *err)
{
    if (!loom_catalog_select(catalog, pattern, patterns, chosen, err)) {
        return false;
    }
    for (uint32_t c = 0; c < catalog->count; c++) {
        /* Backwards: sums of energies stand behind their parts. */
        for (size_t i = catalog->item[c].stats.count; i-- > 0;) {
            if (chosen[catalog->item[c].first + i]) {
                choose_inputs(&catalog->item[c], i, chosen);
                choose_energy(&catalog->item[c], i, chosen);
            }
        }
    }
    return true;
}

static void lay_out(struct loom_recorder *recorder, struct loom_series *series,
                    const struct loom_series_spec *spec, const bool *chosen)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t parent = loom_h5_group(h5, h5->file, "series");
    hid_t group = loom_h5_group(h5, parent, spec->name);
    uint64_t period = spec->period;

    loom_h5_put_f64(h5, group, "period", (double)spec->period / 1e15);
    loom_h5_put_text(h5, group, "period_units", "s");
    loom_h5_put_u64(h5, group, "period_fs", &period, 0);
    loom_h5_put_texts(h5, group, "select", spec->pattern, spec->patterns);
    loom_rows_init(&series->rows, h5, group, "sample", "number of the epoch",
                   LOOM_SERIES_CHUNK);
    loom_rows_time(&series->rows, group, &series->time, &series->tick);
    loom_tree_init(&series->tree, recorder->catalog, chosen, &series->rows,
                   group, "time");
    loom_rows_ready(&series->rows);
    loom_h5_release(h5, group);
    loom_h5_release(h5, parent);
}

static bool check_name(const char *name, struct loom_error *err)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (name[length] != '\0' || length == 0 || length > 63 ||
        strchr("abcdefghijklmnopqrstuvwxyz", name[0]) == NULL) {
        return loom_fail(
            err, LOOM_ERR_CONFIG,
            "name '%.100s' of a series is not [a-z][a-z0-9_]* of at "
            "most 63 characters",
            name);
    }
    return true;
}

static bool check_spec(const struct loom_recorder *recorder,
                       const struct loom_series_spec *spec,
                       struct loom_error *err)
{
    if (!check_name(spec->name, err)) {
        return false;
    }
    if (spec->period == 0 || spec->patterns == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "series '%s' needs a period above 0 and at least one "
                         "pattern",
                         spec->name);
    }
    for (uint32_t i = 0; i < recorder->series_count; i++) {
        if (strcmp(recorder->series[i]->name, spec->name) == 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "there are two series named '%s'", spec->name);
        }
    }
    if (loom_rows_count(&recorder->stats) > 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "series '%s' comes after the first snapshot",
                         spec->name);
    }
    return loom_h5_ok(&recorder->h5, err);
}

bool loom_recorder_add_series(struct loom_recorder *recorder,
                              const struct loom_series_spec *spec,
                              uint32_t *series, struct loom_error *err)
{
    struct loom_series **list;
    struct loom_series *fresh;
    bool *chosen;

    if (!check_spec(recorder, spec, err)) {
        return false;
    }
    chosen = calloc(recorder->catalog->stat_count + 1, sizeof(*chosen));
    list = realloc(recorder->series,
                   (recorder->series_count + 1) * sizeof(struct loom_series *));
    fresh = calloc(1, sizeof(*fresh));
    recorder->series = list == NULL ? recorder->series : list;
    if (chosen == NULL || list == NULL || fresh == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for series '%s'",
                  spec->name);
        goto failed;
    }
    if (!loom_recorder_choose(recorder->catalog, spec->pattern, spec->patterns,
                              chosen, err)) {
        loom_fail_at(err, spec->name);
        goto failed;
    }
    memcpy(fresh->name, spec->name, strlen(spec->name));
    list[recorder->series_count] = fresh;
    *series = recorder->series_count++;
    lay_out(recorder, fresh, spec, chosen);
    free(chosen);
    return loom_h5_ok(&recorder->h5, err);
failed:
    free(chosen);
    free(fresh);
    return false;
}

bool loom_recorder_epoch(struct loom_recorder *recorder, uint32_t series,
                         loom_time now, struct loom_error *err)
{
    struct loom_series *self;
    union loom_word *row;
    double seconds = (double)now / 1e15;

    LOOM_CHECK(series < recorder->series_count);
    self = recorder->series[series];
    loom_estimate_settle(recorder->catalog);
    row = loom_rows_add(&self->rows);
    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for series '%s'",
                         self->name);
    }
    row[self->time].f = seconds;
    row[self->tick].u = now;
    loom_tree_sample(&self->tree, row, seconds);
    return loom_recorder_added(recorder, err);
}

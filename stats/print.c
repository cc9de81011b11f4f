/*
 * Results as text: one line per statistic over its instances, or one line
 * per instance.
 *
 * Totals mean what a reader expects: counters are summed, a ratio is
 * computed from the sums of its counters and never averaged.
 */
#include "stats/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

#include "stats/glob.h"
#include "stats/named.h"
#include "stats/query.h"
#include "stats/window.h"

struct printer {
    struct loom_reader *reader;
    const struct loom_print_options *options;
    char *pattern;  /* without indices, or NULL */
    char *instance; /* "gpu.sm[3].l1d" if the pattern had any */
    uint64_t sample;
    struct loom_grid grid;
    bool is_worth_printing;
    bool estimates; /* the file is of a sampled run: errors are shown */
};

/* Takes the indices out of "gpu.sm[3].l1d.hits", which names instances
 * "gpu.sm[3].l1d". */
static bool split_pattern(struct printer *printer, struct loom_error *err)
{
    const char *given = printer->options->pattern;
    bool indexed = given != NULL && strchr(given, '[') != NULL;
    char *to, *dot;

    if (given == NULL) {
        return true;
    }
    printer->pattern = strdup(given);
    printer->instance = indexed ? strdup(given) : NULL;
    if (printer->pattern == NULL || (indexed && printer->instance == NULL)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for the pattern");
    }
    if (indexed) {
        to = printer->pattern;
        for (const char *from = given; *from != '\0'; from++) {
            const char *end = *from == '[' ? strchr(from, ']') : NULL;

            from = end == NULL ? from : end;
            *to = *from;
            to += end == NULL;
        }
        *to = '\0';
        dot = printer->instance + strlen(printer->instance);
        while (dot > printer->instance && *dot != '.' && *dot != '/' &&
               *dot != ']') {
            dot--;
        }
        dot[*dot == ']' ? 1 : 0] = '\0';
    }
    return true;
}

static bool is_named(const struct printer *printer, const char *instance)
{
    return printer->instance == NULL ||
           loom_path_holds(printer->instance, instance);
}

/* "-0.125", "17", "18446744073709551615". */
static void put_amount(struct loom_grid *grid, struct loom_amount amount)
{
    if (amount.is_integer && amount.value >= 0) {
        loom_grid_number(grid, "%" PRIu64, (uint64_t)amount.whole);
    } else if (amount.is_integer) {
        loom_grid_number(grid, "%" PRId64, amount.whole);
    } else if (amount.value == amount.value) {
        loom_grid_number(grid, "%.6g", amount.value);
    } else {
        loom_grid_missing(grid);
    }
}

/* Name of entry `k` of an axis as a suffix: "[scoreboard]". */
static void suffix(const struct loom_reader_stat *stat, uint64_t k, char *text,
                   size_t size)
{
    if (stat->width == 1) {
        text[0] = '\0';
    } else if (stat->label != NULL) {
        snprintf(text, size, "[%.100s]", stat->label[k]);
    } else {
        snprintf(text, size, "[%" PRIu64 "]", k);
    }
}

/* Over instances, and over entries from the first: those that have a value. */
struct spread {
    struct loom_amount least, most;
    double sum;
    uint64_t count, instances;
};

static struct spread spread_of(const struct printer *printer,
                               const struct loom_reader_stat *stat,
                               const struct loom_amount *each, uint64_t first,
                               uint64_t entries)
{
    struct spread spread = {.least = {.value = LOOM_NAN},
                            .most = {.value = LOOM_NAN}};

    for (uint64_t i = 0; i < stat->instances; i++) {
        bool named = is_named(printer, stat->instance[i]);

        spread.instances += named;
        for (uint64_t k = first; named && k < first + entries; k++) {
            struct loom_amount one = each[i * stat->width + k];

            if (!(one.value == one.value)) {
                continue;
            }
            if (spread.count == 0 || one.value < spread.least.value) {
                spread.least = one;
            }
            if (spread.count == 0 || one.value > spread.most.value) {
                spread.most = one;
            }
            spread.sum += one.value;
            spread.count++;
        }
    }
    return spread;
}

/* Amounts of each instance and entry, and of the instances together. */
struct amounts {
    struct loom_amount *each, *entry, total;
    double *error; /* [width] of the instances together; NULL: it is exact */
};

/* Standard errors of these entries together, as if they had one cause; nothing
 * where it is exact, or of some instances only. */
static void put_error(struct printer *printer, const struct amounts *amounts,
                      uint64_t first, uint64_t entries)
{
    double sum = 0;

    for (uint64_t k = first; amounts->error != NULL && k < first + entries;
         k++) {
        sum += amounts->error[k];
    }
    if (amounts->error == NULL || printer->instance != NULL) {
        loom_grid_text(&printer->grid, "%s", "");
    } else {
        put_amount(&printer->grid, (struct loom_amount){.value = sum});
    }
}

/* One line for `entries` values of each instance, beginning with the
 * `first`: one entry of an axis, or all of it. */
static void summary_line(struct printer *printer, uint32_t number,
                         const struct amounts *amounts, uint64_t first,
                         struct loom_amount total)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(printer->reader, number);
    struct loom_grid *grid = &printer->grid;
    bool is_entry = stat->width > 1 && stat->is_labelled;
    struct spread spread = spread_of(printer, stat, amounts->each, first,
                                     is_entry ? 1 : stat->width);
    char name[128] = "";

    if (is_entry) {
        suffix(stat, first, name, sizeof(name));
    }
    loom_grid_text(grid, "%s%s", stat->name, name);
    loom_grid_number(grid, "%" PRIu64, spread.instances);
    put_amount(grid, total);
    if (printer->estimates) {
        put_error(printer, amounts, first, is_entry ? 1 : stat->width);
    }
    put_amount(grid, (struct loom_amount){
                         .value = spread.count == 0
                                      ? LOOM_NAN
                                      : spread.sum / (double)spread.count});
    put_amount(grid, spread.least);
    put_amount(grid, spread.most);
    loom_grid_text(grid, "%s", stat->unit);
    loom_grid_text(grid, "%s", stat->doc);
}

static bool measure(struct printer *printer, uint32_t number,
                    struct loom_window window, struct amounts *amounts,
                    struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(printer->reader, number);
    struct loom_reader *reader = printer->reader;

    amounts->each =
        calloc(stat->instances * stat->width + 1, sizeof(*amounts->each));
    amounts->entry = calloc(stat->width + 1, sizeof(*amounts->entry));
    if (amounts->each == NULL || amounts->entry == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%.200s'",
                         stat->name);
    }
    return loom_reader_names(reader, number, err) &&
           loom_window_each(reader, number, window, amounts->each, err) &&
           loom_window_entries(reader, number, window, printer->instance,
                               amounts->entry, err) &&
           loom_window_total(reader, number, window, printer->instance,
                             &amounts->total, err);
}

static void summary(struct printer *printer, uint32_t number,
                    const struct amounts *amounts)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(printer->reader, number);

    if (stat->width == 1 || !stat->is_labelled) {
        summary_line(printer, number, amounts, 0, amounts->total);
        return;
    }
    for (uint64_t k = 0; k < stat->width; k++) {
        summary_line(printer, number, amounts, k, amounts->entry[k]);
    }
}

static const char *own_name(const struct loom_reader_stat *stat)
{
    const char *dot = strrchr(stat->name, '.');

    return dot == NULL ? stat->name : dot + 1;
}

static void each_instance(struct printer *printer,
                          const struct loom_reader_stat *stat,
                          const struct amounts *amounts)
{
    struct loom_grid *grid = &printer->grid;
    char axis[128];

    for (uint64_t i = 0; i < stat->instances; i++) {
        if (!is_named(printer, stat->instance[i])) {
            continue;
        }
        for (uint64_t k = 0; k < stat->width; k++) {
            suffix(stat, k, axis, sizeof(axis));
            loom_grid_text(grid, "%s", stat->instance[i]);
            loom_grid_text(grid, "%s%s", own_name(stat), axis);
            put_amount(grid, amounts->each[i * stat->width + k]);
            loom_grid_text(grid, "%s", stat->unit);
        }
    }
}

/* Bins say little in a summary: they are printed when asked for. */
static bool is_wanted(const struct printer *printer,
                      const struct loom_reader_stat *stat)
{
    const char *pattern = printer->pattern;

    if (strcmp(stat->kind, "histogram") == 0 && !printer->options->all &&
        (pattern == NULL || strstr(pattern, "_hist") == NULL)) {
        return false;
    }
    return pattern == NULL || loom_glob_loose(pattern, stat->name);
}

static void put_heads(struct loom_grid *grid, bool all, bool estimates)
{
    static const char *const heads[] = {
        "statistic", "instances", "total", "stderr",     "mean",
        "min",       "max",       "unit",  "description"};
    static const char *const all_heads[] = {"instance", "statistic", "value",
                                            "unit"};

    grid->columns =
        all ? LOOM_COUNTOF(all_heads) : LOOM_COUNTOF(heads) - !estimates;
    for (size_t i = 0;
         i < (all ? LOOM_COUNTOF(all_heads) : LOOM_COUNTOF(heads)); i++) {
        if (all || estimates || i != 3) {
            loom_grid_text(grid, "%s", all ? all_heads[i] : heads[i]);
        }
    }
}

/* Lines of one statistic at the snapshot. */
static bool put_stat(struct printer *printer, uint32_t number,
                     struct loom_error *err)
{
    const struct loom_window window = {LOOM_WINDOW_START, printer->sample};
    struct amounts amounts = {0};
    bool ok = measure(printer, number, window, &amounts, err);
    double *error = NULL;

    if (printer->estimates) {
        error = calloc(loom_reader_stat(printer->reader, number)->width + 1,
                       sizeof(*error));
    }
    if (error != NULL &&
        loom_reader_errors(printer->reader, number, printer->sample, error)) {
        amounts.error = error;
    }
    if (ok && printer->options->all) {
        each_instance(printer, loom_reader_stat(printer->reader, number),
                      &amounts);
    } else if (ok) {
        summary(printer, number, &amounts);
    }
    free(error);
    free(amounts.each);
    free(amounts.entry);
    return ok;
}

static bool fill(struct printer *printer, struct loom_error *err)
{
    uint32_t printed = 0, damaged = 0;

    printer->estimates =
        !printer->options->all &&
        loom_reader_attribute(printer->reader, "estimates")[0] != '\0';
    put_heads(&printer->grid, printer->options->all, printer->estimates);
    for (uint32_t i = 0; i < loom_reader_count(printer->reader); i++) {
        if (!is_wanted(printer, loom_reader_stat(printer->reader, i)) ||
            !loom_names_instance(printer->reader, i, printer->instance)) {
            continue;
        }
        if (put_stat(printer, i, err)) {
            printed++;
        } else {
            damaged++; /* the rest may be worth reading */
        }
    }
    if (printed + damaged == 0 && printer->pattern != NULL) {
        return loom_nothing_matches(printer->reader, printer->pattern,
                                    printer->instance, err);
    }
    printer->is_worth_printing =
        (printed > 0 || damaged == 0) && !printer->grid.failed;
    if (printer->grid.failed) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for the table");
    }
    return damaged == 0; /* *err says what the last one was */
}

/* The columns of a statistic in a series: one for each entry that has a
 * name, or with --all for each instance and entry. */
static void put_series_heads(struct printer *printer,
                             const struct loom_reader_stat *stat)
{
    struct loom_grid *grid = &printer->grid;
    bool all = printer->options->all;
    const char *unit = strcmp(stat->unit, "1") == 0 ? "" : stat->unit;
    char axis[128] = "";

    for (uint64_t i = 0; i < (all ? stat->instances : 1); i++) {
        uint64_t entries = all || stat->is_labelled ? stat->width : 1;

        if (all && !is_named(printer, stat->instance[i])) {
            continue;
        }
        for (uint64_t k = 0; k < entries; k++) {
            if (entries > 1) {
                suffix(stat, k, axis, sizeof(axis));
            }
            loom_grid_text(
                grid, "%s%s%s%s%s%s%s", all ? stat->instance[i] : stat->name,
                all ? "." : "", all ? own_name(stat) : "", axis,
                unit[0] == '\0' ? "" : " [", unit, unit[0] == '\0' ? "" : "]");
        }
    }
}

static void put_series_cells(struct printer *printer,
                             const struct loom_reader_stat *stat,
                             const struct amounts *amounts)
{
    struct loom_grid *grid = &printer->grid;

    if (!printer->options->all && !stat->is_labelled) {
        put_amount(grid, amounts->total);
        return;
    }
    for (uint64_t k = 0; !printer->options->all && k < stat->width; k++) {
        put_amount(grid, amounts->entry[k]);
    }
    for (uint64_t i = 0; printer->options->all && i < stat->instances; i++) {
        for (uint64_t k = 0;
             is_named(printer, stat->instance[i]) && k < stat->width; k++) {
            put_amount(grid, amounts->each[i * stat->width + k]);
        }
    }
}

/* Cells of one statistic at one time, or its headings. */
static bool put_series_stat(struct printer *printer, uint32_t number,
                            bool is_head, struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(printer->reader, number);
    struct amounts amounts = {0};
    bool ok =
        measure(printer, number,
                loom_window_ending(printer->reader, number, printer->sample),
                &amounts, err);

    if (ok && is_head) {
        put_series_heads(printer, stat);
    } else if (ok) {
        put_series_cells(printer, stat, &amounts);
    }
    free(amounts.each);
    free(amounts.entry);
    return ok;
}

static bool put_series_row(struct printer *printer, bool is_head,
                           struct loom_error *err)
{
    struct loom_reader *reader = printer->reader;
    struct loom_grid *grid = &printer->grid;

    if (is_head) {
        loom_grid_text(grid, "from [s]");
        loom_grid_text(grid, "to [s]");
    } else {
        loom_grid_number(grid, "%.9g",
                         printer->sample == 0
                             ? 0.0
                             : loom_reader_time(reader, printer->sample - 1));
        loom_grid_number(grid, "%.9g",
                         loom_reader_time(reader, printer->sample));
    }
    for (uint32_t i = 0; i < loom_reader_count(reader); i++) {
        if (is_wanted(printer, loom_reader_stat(reader, i)) &&
            loom_names_instance(printer->reader, i, printer->instance) &&
            !put_series_stat(printer, i, is_head, err)) {
            return false;
        }
    }
    return true;
}

static bool fill_series(struct printer *printer, struct loom_error *err)
{
    uint64_t samples = loom_reader_samples(printer->reader);
    struct loom_grid *grid = &printer->grid;

    if (samples == 0) {
        return loom_fail(err, LOOM_ERR_INPUT, "series '%.64s' has no row yet",
                         printer->options->series);
    }
    if (!put_series_row(printer, true, err)) {
        return false;
    }
    grid->columns = grid->count;
    if (grid->columns == 2 && printer->pattern != NULL) {
        return loom_nothing_matches(printer->reader, printer->pattern,
                                    printer->instance, err);
    }
    for (; printer->sample < samples; printer->sample++) {
        if (!put_series_row(printer, false, err)) {
            return false;
        }
    }
    printer->is_worth_printing = !grid->failed;
    return !grid->failed ||
           loom_fail(err, LOOM_ERR_MEMORY, "no memory for the table");
}

/* Lines that are not of the table. */
static void put_line(FILE *out, const char *fmt, ...) LOOM_PRINTF(2, 3);

static void put_line(FILE *out, const char *fmt, ...)
{
    char line[600];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    loom_text_tame(line);
    fputs(line, out);
    fputs("\n", out);
}

/* A file that nobody finished: its run goes on, or something ended it. */
static void print_progress(FILE *out, struct loom_reader *reader)
{
    double seconds;

    if (strcmp(loom_reader_attribute(reader, "status"), "running") == 0 &&
        loom_reader_progress(reader, &seconds)) {
        put_line(out,
                 "not finished: the run goes on, or was ended from outside; "
                 "this is up to %.6g s of simulated time",
                 seconds);
    }
}

static void put_head(FILE *out, struct printer *printer, const char *path)
{
    struct loom_reader *reader = printer->reader;
    const char *status = loom_reader_attribute(reader, "status");
    const char *timed = loom_reader_attribute(reader, "timed");

    print_progress(out, reader);
    if (printer->options->series != NULL) {
        put_line(out,
                 "%.200s: %.40s, series '%.64s': what happened in each of "
                 "%" PRIu64 " windows",
                 path, status, printer->options->series,
                 loom_reader_samples(reader));
    } else {
        put_line(out,
                 "%.200s: %.40s, snapshot %" PRIu64 " of %" PRIu64
                 " '%.100s' at %.6g s",
                 path, status, printer->sample, loom_reader_samples(reader),
                 loom_reader_label(reader, printer->sample),
                 loom_reader_time(reader, printer->sample));
    }
    if (timed[0] != '\0') {
        put_line(out, "of some launches only: %.400s", timed);
    }
    fputs("\n", out);
}

static bool open_reader(struct printer *printer, const char *path,
                        struct loom_error *err)
{
    const struct loom_print_options *options = printer->options;

    if (!split_pattern(printer, err)) {
        return false;
    }
    printer->reader = loom_reader_open(path, options->series, err);
    return printer->reader != NULL;
}

bool loom_print_stats(FILE *out, const char *path,
                      const struct loom_print_options *options,
                      struct loom_error *err)
{
    struct printer printer = {.options = options};
    bool ok = open_reader(&printer, path, err);

    if (ok && options->series != NULL) {
        ok = fill_series(&printer, err);
    } else if (ok) {
        ok = loom_reader_sample(printer.reader, options->sample,
                                &printer.sample, err) &&
             fill(&printer, err);
    }
    if (printer.is_worth_printing && options->form == LOOM_GRID_TABLE) {
        put_head(out, &printer, path);
    }
    if (printer.is_worth_printing) {
        loom_grid_write(out, &printer.grid, options->form);
    }
    loom_grid_free(&printer.grid);
    loom_reader_close(printer.reader);
    free(printer.pattern);
    free(printer.instance);
    return ok;
}

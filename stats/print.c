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

#include "stats/glob.h"

#define MAX_COLUMNS 8

/* Cells of a table, kept until the widths are known. */
struct grid {
    char **cell; /* [rows * columns] */
    size_t rows, columns, room, at;
    bool failed; /* no memory */
};

struct printer {
    struct loom_reader *reader;
    const struct loom_print_options *options;
    uint64_t sample;
    struct grid grid;
    bool is_worth_printing;
};

static void put(struct grid *grid, const char *fmt, ...) LOOM_PRINTF(2, 3);

static void put(struct grid *grid, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    char **grown;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (grid->at == grid->room) {
        grid->room = grid->room == 0 ? 512 : grid->room * 2;
        grown = realloc(grid->cell, grid->room * sizeof(*grown));
        if (grown == NULL) {
            grid->failed = true;
            grid->room = grid->at;
            return;
        }
        grid->cell = grown;
    }
    grid->cell[grid->at] = strdup(text);
    if (grid->cell[grid->at] == NULL) {
        grid->failed = true;
        return;
    }
    grid->at++;
}

static void put_row(struct grid *grid, const char *const *text)
{
    for (size_t i = 0; i < grid->columns; i++) {
        put(grid, "%s", text[i]);
    }
}

static void grid_free(struct grid *grid)
{
    for (size_t i = 0; i < grid->at; i++) {
        free(grid->cell[i]);
    }
    free(grid->cell);
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && (strchr("0123456789-", text[0]) != NULL) &&
           strspn(text, "0123456789.+-einfa") == strlen(text);
}

/* Columns of numbers stand to the right, with their headings. */
static void measure(const struct grid *grid, size_t width[MAX_COLUMNS],
                    bool right[MAX_COLUMNS])
{
    for (size_t c = 0; c < grid->columns; c++) {
        width[c] = 0;
        right[c] = grid->at > grid->columns;
    }
    for (size_t i = 0; i < grid->at; i++) {
        size_t length = strlen(grid->cell[i]), c = i % grid->columns;

        width[c] = length > width[c] ? length : width[c];
        if (i >= grid->columns && !is_number(grid->cell[i])) {
            right[c] = false;
        }
    }
}

static void print_aligned(FILE *out, const struct grid *grid)
{
    size_t width[MAX_COLUMNS];
    bool right[MAX_COLUMNS];
    char line[2200];

    measure(grid, width, right);
    for (size_t i = 0; i < grid->at; i++) {
        size_t c = i % grid->columns;
        int pad = (int)(width[c] - strlen(grid->cell[i]));
        bool last = c + 1 == grid->columns;

        snprintf(line, sizeof(line), "%*s%s%*s%s", right[c] ? pad : 0, "",
                 grid->cell[i], right[c] || last ? 0 : pad, "",
                 last ? "\n" : "  ");
        fputs(line, out);
    }
}

static void print_csv(FILE *out, const struct grid *grid)
{
    for (size_t i = 0; i < grid->at; i++) {
        const char *text = grid->cell[i];
        bool quoted = strpbrk(text, ",\"\n") != NULL;

        fputs(quoted ? "\"" : "", out);
        for (; *text != '\0'; text++) {
            fputs(*text == '"' ? "\"" : "", out);
            fputc(*text, out);
        }
        fputs(quoted ? "\"" : "", out);
        fputc((i + 1) % grid->columns == 0 ? '\n' : ',', out);
    }
}

/* "-0.125", "17", "18446744073709551615". */
static void put_value(struct grid *grid, const struct loom_reader_stat *stat,
                      union loom_reader_value value)
{
    if (stat->is_float) {
        put(grid, "%.6g", value.f);
    } else {
        put(grid, "%" PRIu64, value.u);
    }
}

static double as_double(const struct loom_reader_stat *stat,
                        union loom_reader_value value)
{
    return stat->is_float ? value.f : (double)value.u;
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

/* Sum over all instances of the statistic `name` beside `stat`. */
static bool sum_of_input(struct printer *printer,
                         const struct loom_reader_stat *stat, const char *name,
                         double *sum)
{
    const char *dot = strrchr(stat->name, '.');
    const struct loom_reader_stat *input;
    union loom_reader_value *value;
    struct loom_error ignored;
    char full[1200];
    int64_t number;

    snprintf(full, sizeof(full), "%.*s.%s",
             dot == NULL ? 0 : (int)(dot - stat->name), stat->name, name);
    number = loom_reader_find(printer->reader, full);
    if (number < 0 || !loom_reader_values(printer->reader, (uint32_t)number,
                                          printer->sample, &value, &ignored)) {
        return false;
    }
    input = loom_reader_stat(printer->reader, (uint32_t)number);
    *sum = 0;
    for (uint64_t i = 0; i < input->instances; i++) {
        *sum += as_double(input, value[i]);
    }
    free(value);
    return true;
}

/* A ratio's total from its inputs; "-" without them. */
static void put_quotient(struct printer *printer,
                         const struct loom_reader_stat *stat)
{
    double a, b;
    bool is_rate = strcmp(stat->kind, "rate") == 0;

    if (stat->input[0] == NULL || stat->input[1] == NULL ||
        !sum_of_input(printer, stat, stat->input[0], &a)) {
        put(&printer->grid, "-");
        return;
    }
    if (is_rate) {
        b = loom_reader_time(printer->reader, printer->sample);
    } else if (!sum_of_input(printer, stat, stat->input[1], &b)) {
        put(&printer->grid, "-");
        return;
    }
    put(&printer->grid, "%.6g", b > 0 ? a / b : 0.0);
}

/* The smallest value of a histogram over the instances that have any: what
 * counted nothing has 0, which is not the smallest. */
static uint64_t least_counted(struct printer *printer,
                              const struct loom_reader_stat *stat,
                              const union loom_reader_value *value)
{
    size_t length = strlen(stat->name) - strlen("_min");
    union loom_reader_value *counted = NULL;
    struct loom_error ignored;
    uint64_t least = 0;
    char full[1200];
    int64_t number;
    bool any = false;

    snprintf(full, sizeof(full), "%.*s_count", (int)length, stat->name);
    number = loom_reader_find(printer->reader, full);
    if (number >= 0 &&
        loom_reader_stat(printer->reader, (uint32_t)number)->instances ==
            stat->instances) {
        loom_reader_values(printer->reader, (uint32_t)number, printer->sample,
                           &counted, &ignored);
    }
    for (uint64_t i = 0; i < stat->instances; i++) {
        if ((counted == NULL || counted[i].u > 0) &&
            (!any || value[i].u < least)) {
            least = value[i].u;
            any = true;
        }
    }
    free(counted);
    return least;
}

/* One line for `entries` values of each instance, beginning with the
 * `first`: one entry of an axis, or all of it. */
static void summary_line(struct printer *printer,
                         const struct loom_reader_stat *stat,
                         const union loom_reader_value *value, uint64_t first,
                         uint64_t entries)
{
    struct grid *grid = &printer->grid;
    union loom_reader_value least = {0}, most = {0};
    uint64_t count = 0, total = 0;
    double sum = 0;
    char name[128] = "";

    if (entries == 1) {
        suffix(stat, first, name, sizeof(name));
    }
    for (uint64_t i = 0; i < stat->instances; i++) {
        for (uint64_t k = first; k < first + entries; k++, count++) {
            union loom_reader_value one = value[i * stat->width + k];

            total += stat->is_float ? 0 : one.u;
            sum += as_double(stat, one);
            if (count == 0 || as_double(stat, one) < as_double(stat, least)) {
                least = one;
            }
            if (count == 0 || as_double(stat, one) > as_double(stat, most)) {
                most = one;
            }
        }
    }
    put(grid, "%s%s", stat->name, name);
    put(grid, "%" PRIu64, stat->instances);
    if (stat->is_float && strcmp(stat->kind, "counter") == 0) {
        put(grid, "%.6g", sum);
    } else if (stat->is_float) {
        put_quotient(printer, stat);
    } else if (strcmp(stat->kind, "min") == 0) {
        put(grid, "%" PRIu64, least_counted(printer, stat, value));
    } else if (strcmp(stat->kind, "max") == 0) {
        put_value(grid, stat, most);
    } else {
        put(grid, "%" PRIu64, total);
    }
    put(grid, "%.6g", count == 0 ? 0.0 : sum / (double)count);
    put_value(grid, stat, least);
    put_value(grid, stat, most);
    put(grid, "%s", stat->unit);
    put(grid, "%s", stat->doc);
}

static void summary(struct printer *printer,
                    const struct loom_reader_stat *stat,
                    const union loom_reader_value *value)
{
    if (stat->width == 1 || !stat->is_labelled) {
        summary_line(printer, stat, value, 0, stat->width);
        return;
    }
    for (uint64_t k = 0; k < stat->width; k++) {
        summary_line(printer, stat, value, k, 1);
    }
}

static void each_instance(struct printer *printer,
                          const struct loom_reader_stat *stat,
                          const union loom_reader_value *value)
{
    struct grid *grid = &printer->grid;
    const char *dot = strrchr(stat->name, '.');
    const char *name = dot == NULL ? stat->name : dot + 1;
    char axis[128];

    for (uint64_t i = 0; i < stat->instances; i++) {
        for (uint64_t k = 0; k < stat->width; k++) {
            suffix(stat, k, axis, sizeof(axis));
            put(grid, "%s", stat->instance[i]);
            put(grid, "%s%s", name, axis);
            put_value(grid, stat, value[i * stat->width + k]);
            put(grid, "%s", stat->unit);
        }
    }
}

/* Bins say little in a summary: they are printed when asked for. */
static bool is_wanted(const struct printer *printer,
                      const struct loom_reader_stat *stat)
{
    const char *pattern = printer->options->pattern;

    if (strcmp(stat->kind, "histogram") == 0 && !printer->options->all &&
        (pattern == NULL || strstr(pattern, "_hist") == NULL)) {
        return false;
    }
    return pattern == NULL || loom_glob_loose(pattern, stat->name);
}

static bool nothing_matches(const struct printer *printer,
                            struct loom_error *err)
{
    const char *pattern = printer->options->pattern;
    const char *nearest = "";
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < loom_reader_count(printer->reader); i++) {
        const char *name = loom_reader_stat(printer->reader, i)->name;
        const char *dot = strrchr(name, '.');
        uint32_t distance = loom_glob_distance(pattern, name);
        uint32_t tail =
            dot == NULL ? distance : loom_glob_distance(pattern, dot + 1);

        distance = tail < distance ? tail : distance;
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    if (loom_glob_near(pattern, least)) {
        return loom_fail(
            err, LOOM_ERR_INPUT,
            "no statistic matches '%.120s'; did you mean '%.200s'?", pattern,
            nearest);
    }
    return loom_fail(err, LOOM_ERR_INPUT,
                     "none of the %u statistics matches '%.200s'",
                     loom_reader_count(printer->reader), pattern);
}

static bool fill(struct printer *printer, struct loom_error *err)
{
    static const char *const heads[] = {"statistic", "instances",  "total",
                                        "mean",      "min",        "max",
                                        "unit",      "description"};
    static const char *const all_heads[] = {"instance", "statistic", "value",
                                            "unit"};
    union loom_reader_value *value;
    uint32_t printed = 0, damaged = 0;

    printer->grid.columns =
        printer->options->all ? LOOM_COUNTOF(all_heads) : LOOM_COUNTOF(heads);
    put_row(&printer->grid, printer->options->all ? all_heads : heads);
    for (uint32_t i = 0; i < loom_reader_count(printer->reader); i++) {
        const struct loom_reader_stat *stat =
            loom_reader_stat(printer->reader, i);

        if (!is_wanted(printer, stat)) {
            continue;
        }
        if (!loom_reader_values(printer->reader, i, printer->sample, &value,
                                err)) {
            damaged++; /* the rest may be worth reading */
            continue;
        }
        if (printer->options->all) {
            each_instance(printer, stat, value);
        } else {
            summary(printer, stat, value);
        }
        free(value);
        printed++;
    }
    if (printed + damaged == 0 && printer->options->pattern != NULL) {
        return nothing_matches(printer, err);
    }
    printer->is_worth_printing = printed > 0 || damaged == 0;
    if (printer->grid.failed) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for the table");
    }
    return damaged == 0; /* *err says what the last one was */
}

static void print_head(FILE *out, struct printer *printer, const char *path)
{
    char line[600];

    snprintf(line, sizeof(line),
             "%.200s: %.40s, snapshot %" PRIu64 " of %" PRIu64
             " '%.100s' at %.6g s\n\n",
             path, loom_reader_attribute(printer->reader, "status"),
             printer->sample, loom_reader_samples(printer->reader),
             loom_reader_label(printer->reader, printer->sample),
             loom_reader_time(printer->reader, printer->sample));
    fputs(line, out);
}

bool loom_print_stats(FILE *out, const char *path,
                      const struct loom_print_options *options,
                      struct loom_error *err)
{
    struct printer printer = {.options = options};
    bool ok;

    printer.reader = loom_reader_open(path, err);
    if (printer.reader == NULL) {
        return false;
    }
    ok = loom_reader_sample(printer.reader, options->sample, &printer.sample,
                            err) &&
         fill(&printer, err);
    if (printer.is_worth_printing && options->csv) {
        print_csv(out, &printer.grid);
    } else if (printer.is_worth_printing) {
        print_head(out, &printer, path);
        print_aligned(out, &printer.grid);
    }
    grid_free(&printer.grid);
    loom_reader_close(printer.reader);
    return ok;
}

/*
 * Differences, and quotients of differences.
 */
#include "stats/window.h"

#include <stdlib.h>
#include <string.h>

#include "stats/query.h"

/* What is put together: instances and entries in ranges, and of the
 * instances those that are chosen. */
struct part {
    struct loom_reader *reader;
    struct loom_window window;
    uint64_t instance, instances;
    uint64_t entry, entries;
    const bool *chosen; /* [instance + instances]; NULL: all */
};

static struct loom_amount none(void)
{
    return (struct loom_amount){.value = LOOM_NAN};
}

static struct loom_amount of_double(double value)
{
    return (struct loom_amount){.value = value};
}

/* Counters have no sign in the file. */
static struct loom_amount of_count(uint64_t count)
{
    return (struct loom_amount){true, (int64_t)count, (double)count};
}

static struct loom_amount of_difference(uint64_t count)
{
    return (struct loom_amount){true, (int64_t)count, (double)(int64_t)count};
}

static bool is_kind(const struct loom_reader_stat *stat, const char *kind)
{
    return strcmp(stat->kind, kind) == 0;
}

static bool is_extreme(const struct loom_reader_stat *stat)
{
    return is_kind(stat, "min") || is_kind(stat, "max");
}

struct loom_window loom_window_ending(const struct loom_reader *reader,
                                      uint32_t number, uint64_t sample)
{
    bool whole_run = is_extreme(loom_reader_stat(reader, number));

    return (struct loom_window){
        whole_run ? LOOM_WINDOW_START : (int64_t)sample - 1, sample};
}

static bool is_chosen(const struct part *part, uint64_t instance)
{
    return part->chosen == NULL || part->chosen[instance];
}

/* Adds the values of one row to a sum, of doubles or of counts. */
static void add_row(const struct part *part,
                    const struct loom_reader_stat *stat,
                    const union loom_reader_value *row, double *real,
                    uint64_t *count)
{
    for (uint64_t i = 0; i < part->instances; i++) {
        const union loom_reader_value *value =
            row + (part->instance + i) * stat->width + part->entry;

        if (!is_chosen(part, part->instance + i)) {
            continue;
        }
        for (uint64_t k = 0; k < part->entries; k++) {
            *real += stat->is_float ? value[k].f : 0;
            *count += stat->is_float ? 0 : value[k].u;
        }
    }
}

/* What a statistic that can be summed did; a gauge is what it is. */
static bool difference(const struct part *part, uint32_t number,
                       struct loom_amount *amount, struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(part->reader, number);
    double real[2] = {0, 0};
    uint64_t count[2] = {0, 0};
    const union loom_reader_value *row;

    row = loom_reader_values(part->reader, number, part->window.to, err);
    if (row == NULL) {
        return false;
    }
    add_row(part, stat, row, &real[1], &count[1]);
    if (part->window.from >= 0 && !is_kind(stat, "gauge")) {
        row = loom_reader_values(part->reader, number,
                                 (uint64_t)part->window.from, err);
        if (row == NULL) {
            return false;
        }
        add_row(part, stat, row, &real[0], &count[0]);
    }
    if (stat->is_float) {
        *amount = of_double(real[1] - real[0]);
    } else if (part->window.from < 0) {
        *amount = of_count(count[1]);
    } else {
        *amount = of_difference(count[1] - count[0]);
    }
    return true;
}

static double seconds(const struct part *part)
{
    double to = loom_reader_time(part->reader, part->window.to);

    return part->window.from < 0
               ? to
               : to - loom_reader_time(part->reader,
                                       (uint64_t)part->window.from);
}

/* The difference of what a ratio or rate is of; none if the file has it
 * not. */
static bool input(const struct part *part, uint32_t number, int which,
                  struct loom_amount *amount, struct loom_error *err)
{
    const struct loom_reader_stat *stat, *other;
    int64_t found = loom_reader_input(part->reader, number, which);

    *amount = none();
    if (found < 0) {
        return true;
    }
    stat = loom_reader_stat(part->reader, number);
    other = loom_reader_stat(part->reader, (uint32_t)found);
    if (other->instances != stat->instances || other->width != stat->width) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "%.200s is of %.200s, which has another shape",
                         stat->dataset, other->dataset);
    }
    return difference(part, (uint32_t)found, amount, err);
}

static bool quotient(const struct part *part, uint32_t number,
                     struct loom_amount *amount, struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(part->reader, number);
    struct loom_amount top, bottom;

    if (!input(part, number, 0, &top, err)) {
        return false;
    }
    if (is_kind(stat, "rate")) {
        bottom = of_double(seconds(part));
    } else if (!input(part, number, 1, &bottom, err)) {
        return false;
    }
    *amount = bottom.value > 0 ? of_double(top.value / bottom.value) : none();
    return true;
}

/* How many values a histogram has of each instance; an instance that counted
 * nothing has a smallest value of 0, which is none. */
static int64_t counts_of(const struct part *part,
                         const struct loom_reader_stat *stat)
{
    size_t stem = strlen(stat->name);

    if (stem < 4) {
        return -1;
    }
    stem -= 4; /* "_min", "_max" */
    for (uint32_t i = 0; i < loom_reader_count(part->reader); i++) {
        const struct loom_reader_stat *other =
            loom_reader_stat(part->reader, i);

        if (strncmp(other->name, stat->name, stem) == 0 &&
            strcmp(other->name + stem, "_count") == 0) {
            return other->instances == stat->instances ? (int64_t)i : -1;
        }
    }
    return -1;
}

/* The smallest or largest value since time 0. */
static bool extreme(const struct part *part, uint32_t number,
                    struct loom_amount *amount, struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(part->reader, number);
    const union loom_reader_value *row, *count = NULL;
    bool is_least = is_kind(stat, "min"), any = false;
    int64_t counted = counts_of(part, stat);
    uint64_t best = 0;

    *amount = none();
    if (part->window.from >= 0) {
        return true;
    }
    row = loom_reader_values(part->reader, number, part->window.to, err);
    if (row != NULL && counted >= 0) {
        count = loom_reader_values(part->reader, (uint32_t)counted,
                                   part->window.to, err);
    }
    if (row == NULL || (counted >= 0 && count == NULL)) {
        return false;
    }
    for (uint64_t i = part->instance; i < part->instance + part->instances;
         i++) {
        if (is_chosen(part, i) && (count == NULL || count[i].u > 0) &&
            (!any || (is_least ? row[i].u < best : row[i].u > best))) {
            best = row[i].u;
            any = true;
        }
    }
    if (any) {
        *amount = of_count(best);
    }
    return true;
}

static bool measure(const struct part *part, uint32_t number,
                    struct loom_amount *amount, struct loom_error *err)
{
    const struct loom_reader_stat *stat =
        loom_reader_stat(part->reader, number);

    if (is_kind(stat, "ratio") || is_kind(stat, "rate")) {
        return quotient(part, number, amount, err);
    }
    if (is_extreme(stat)) {
        return extreme(part, number, amount, err);
    }
    return difference(part, number, amount, err);
}

/* Which instances a pattern names; *chosen is NULL if it is all of them. */
static bool choose(struct part *part, uint32_t number, const char *instance,
                   bool **chosen, struct loom_error *err)
{
    struct loom_reader *reader = part->reader;
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    bool any = false;

    *chosen = NULL;
    if (instance == NULL) {
        return true;
    }
    if (!loom_reader_names(reader, number, err)) {
        return false;
    }
    *chosen = calloc(stat->instances + 1, sizeof(**chosen));
    if (*chosen == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%.200s'",
                         stat->name);
    }
    for (uint64_t i = 0; i < stat->instances; i++) {
        (*chosen)[i] = loom_path_holds(instance, stat->instance[i]);
        any = any || (*chosen)[i];
    }
    part->chosen = *chosen;
    if (!any) {
        free(*chosen);
        return loom_fail(err, LOOM_ERR_INPUT,
                         "'%.200s' has no instance '%.200s'", stat->name,
                         instance);
    }
    return true;
}

static struct part whole(struct loom_reader *reader, uint32_t number,
                         struct loom_window window)
{
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);

    return (struct part){.reader = reader,
                         .window = window,
                         .instances = stat->instances,
                         .entries = stat->width};
}

bool loom_window_total(struct loom_reader *reader, uint32_t number,
                       struct loom_window window, const char *instance,
                       struct loom_amount *total, struct loom_error *err)
{
    struct part part = whole(reader, number, window);
    bool *chosen, ok;

    if (!choose(&part, number, instance, &chosen, err)) {
        return false;
    }
    ok = measure(&part, number, total, err);
    free(chosen);
    return ok;
}

bool loom_window_entries(struct loom_reader *reader, uint32_t number,
                         struct loom_window window, const char *instance,
                         struct loom_amount *entry, struct loom_error *err)
{
    struct part part = whole(reader, number, window);
    uint64_t width = part.entries;
    bool *chosen, ok = true;

    if (!choose(&part, number, instance, &chosen, err)) {
        return false;
    }
    part.entries = 1;
    for (part.entry = 0; ok && part.entry < width; part.entry++) {
        ok = measure(&part, number, &entry[part.entry], err);
    }
    free(chosen);
    return ok;
}

bool loom_window_each(struct loom_reader *reader, uint32_t number,
                      struct loom_window window, struct loom_amount *each,
                      struct loom_error *err)
{
    struct part part = whole(reader, number, window);
    uint64_t instances = part.instances, width = part.entries;

    part.instances = 1;
    part.entries = 1;
    for (uint64_t n = 0; n < instances * width; n++) {
        part.instance = n / width;
        part.entry = n % width;
        if (!measure(&part, number, &each[n], err)) {
            return false;
        }
    }
    return true;
}

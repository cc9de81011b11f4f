/*
 * Counters from a results file: the reverse of what tree.c lays out.  Ratios,
 * rates and energies are computed from counters, so they are not read.
 */
#include "stats/restore.h"

#include <stdio.h>
#include <string.h>

#include "stats/reader.h"

struct restore {
    struct loom_reader *reader;
    const struct loom_class *class;
    const struct loom_stat *stat;
    const char *path;
    uint64_t sample;
    struct loom_error *err;
};

/* Values of a dataset, `width` to an instance; NULL if it is not there or has
 * another shape. */
static const union loom_reader_value *
values_of(struct restore *restore, const char *suffix, uint64_t *width)
{
    char name[LOOM_STAT_NAME * 2];
    const struct loom_reader_stat *found = NULL;
    int64_t number;

    snprintf(name, sizeof(name), "%s.%s%s", restore->class->group,
             restore->stat->name, suffix);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '.' : *c;
    }
    number = loom_reader_find(restore->reader, name);
    if (number >= 0) {
        found = loom_reader_stat(restore->reader, (uint32_t)number);
    }
    if (found == NULL || found->is_float ||
        found->instances != restore->class->count) {
        loom_fail(restore->err, LOOM_ERR_INPUT,
                  "'%.200s' is of another machine: %s", restore->path, name);
        return NULL;
    }
    *width = found->width;
    return loom_reader_values(restore->reader, (uint32_t)number,
                              restore->sample, restore->err);
}

/* The machine is ours to fill; that the catalogue only reads is a promise to
 * others. */
static void *field_of(const struct restore *restore, uint32_t row)
{
    return (void *)((uintptr_t)restore->class->block[row] +
                    restore->stat->offset);
}

/* Up to `most` values of each instance, from `at` bytes into its field on. */
static bool put(struct restore *restore, const char *suffix, size_t at,
                uint64_t most)
{
    bool is_array = restore->stat->kind == LOOM_STAT_ARRAY;
    uint64_t width;
    const union loom_reader_value *value = values_of(restore, suffix, &width);

    if (value == NULL) {
        return false;
    }
    for (uint32_t row = 0; row < restore->class->count; row++) {
        char *field = field_of(restore, row);
        const struct loom_array *array = (const void *)field;
        uint64_t *target =
            is_array ? array->item : (uint64_t *)(void *)(field + at);
        uint64_t count = is_array ? array->count : most;

        for (uint64_t i = 0; i < count && i < width; i++) {
            target[i] = value[row * width + i].u;
        }
    }
    return true;
}

static bool put_stat(struct restore *restore)
{
    switch (restore->stat->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_ARRAY:
        return put(restore, "", 0, 1);
    case LOOM_STAT_VECTOR:
        return put(restore, "", 0, restore->stat->count);
    case LOOM_STAT_HISTOGRAM:
        return put(restore, "_hist", offsetof(struct loom_histogram, bin),
                   LOOM_HISTOGRAM_BINS) &&
               put(restore, "_count", offsetof(struct loom_histogram, count),
                   1) &&
               put(restore, "_sum", offsetof(struct loom_histogram, sum), 1) &&
               put(restore, "_min", offsetof(struct loom_histogram, min), 1) &&
               put(restore, "_max", offsetof(struct loom_histogram, max), 1);
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        return true;
    }
    LOOM_BUG("kind %d", (int)restore->stat->kind);
}

bool loom_catalog_restore(struct loom_catalog *catalog, const char *path,
                          struct loom_error *err)
{
    struct restore restore = {
        .reader = loom_reader_open(path, NULL, err), .path = path, .err = err};
    bool ok = restore.reader != NULL;

    if (ok && loom_reader_samples(restore.reader) == 0) {
        ok = loom_fail(err, LOOM_ERR_INPUT, "'%.200s' has no snapshot", path);
    }
    if (ok) {
        restore.sample = loom_reader_samples(restore.reader) - 1;
        catalog->is_restored = true;
        catalog->seconds = loom_reader_time(restore.reader, restore.sample);
    }
    for (uint32_t i = 0; ok && i < catalog->count; i++) {
        restore.class = &catalog->item[i];
        for (size_t k = 0; ok && k < restore.class->stats.count; k++) {
            restore.stat = &restore.class->stats.item[k];
            ok = put_stat(&restore);
        }
    }
    loom_reader_close(restore.reader);
    return ok;
}

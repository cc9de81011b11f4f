/*
 * Reading what an energy event counts.
 */
#include "engine/energy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 64

/* What is left to read, for messages with the whole. */
struct reader {
    const char *at, *whole;
    struct loom_stats stats;
    struct loom_error *err;
};

static void skip(struct reader *reader)
{
    while (*reader->at == ' ') {
        reader->at++;
    }
}

static bool read_name(struct reader *reader, char name[NAME_SIZE])
{
    size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (length == 0 || length >= NAME_SIZE) {
        return loom_fail(reader->err, LOOM_ERR_CONFIG,
                         "'%.200s' has no name at '%.40s'", reader->whole,
                         reader->at);
    }
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
    skip(reader);
    return true;
}

/* "12*", if there is one. */
static bool read_factor(struct reader *reader, uint32_t *factor)
{
    char *end;
    unsigned long value;

    *factor = 1;
    skip(reader);
    if (!isdigit((unsigned char)*reader->at)) {
        return true;
    }
    value = strtoul(reader->at, &end, 10);
    reader->at = end;
    skip(reader);
    if (value == 0 || value > 1000000 || *reader->at != '*') {
        return loom_fail(reader->err, LOOM_ERR_CONFIG,
                         "'%.200s' has a factor that is not 1..1000000 and "
                         "followed by '*'",
                         reader->whole);
    }
    *factor = (uint32_t)value;
    reader->at++;
    skip(reader);
    return true;
}

static bool read_key(struct reader *reader, struct loom_energy_term *term)
{
    const struct loom_stat *stat = term->stat;
    char key[NAME_SIZE];

    reader->at++;
    if (!read_name(reader, key)) {
        return false;
    }
    for (uint32_t i = 0; stat->kind == LOOM_STAT_VECTOR && i < stat->count;
         i++) {
        if (strcmp(stat->keys[i], key) == 0) {
            term->offset += i * sizeof(uint64_t);
            term->words = 1;
            return true;
        }
    }
    return loom_fail(reader->err, LOOM_ERR_CONFIG,
                     "'%.200s': statistic '%s' has no element '%s'",
                     reader->whole, stat->name, key);
}

static bool read_term(struct reader *reader, struct loom_energy_term *term)
{
    char name[NAME_SIZE];

    if (!read_factor(reader, &term->factor) || !read_name(reader, name)) {
        return false;
    }
    term->stat = loom_stats_find(reader->stats, name);
    if (term->stat == NULL || (term->stat->kind != LOOM_STAT_COUNTER &&
                               term->stat->kind != LOOM_STAT_VECTOR &&
                               term->stat->kind != LOOM_STAT_ARRAY)) {
        return loom_fail(reader->err, LOOM_ERR_CONFIG,
                         "'%.200s': '%s' is no counter, vector or array",
                         reader->whole, name);
    }
    term->offset = term->stat->offset;
    term->words = term->stat->kind == LOOM_STAT_VECTOR  ? term->stat->count
                  : term->stat->kind == LOOM_STAT_ARRAY ? 0
                                                        : 1;
    return *reader->at != '.' || read_key(reader, term);
}

bool loom_energy_parse(const char *count, struct loom_stats stats,
                       struct loom_energy_sum *sum, struct loom_error *err)
{
    struct reader reader = {
        .at = count, .whole = count, .stats = stats, .err = err};

    *sum = (struct loom_energy_sum){.terms = 0};
    if (strcmp(count, "time") == 0) {
        return true;
    }
    for (;;) {
        if (sum->terms == LOOM_ENERGY_TERMS) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "'%.200s' has more than %d terms", count,
                             LOOM_ENERGY_TERMS);
        }
        if (!read_term(&reader, &sum->term[sum->terms++])) {
            return false;
        }
        if (*reader.at == '\0') {
            return true;
        }
        if (*reader.at != '+') {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "'%.200s' has '%.40s', expected '+'", count,
                             reader.at);
        }
        reader.at++;
    }
}

static uint64_t count_term(const struct loom_energy_term *term,
                           const char *stats)
{
    const void *field = stats + term->offset;
    const struct loom_array *array = field;
    const uint64_t *word = term->words == 0 ? array->item : field;
    uint32_t words = term->words == 0 ? array->count : term->words;
    uint64_t total = 0;

    for (uint32_t i = 0; i < words; i++) {
        total += word[i];
    }
    return total * term->factor;
}

uint64_t loom_energy_count(const struct loom_energy_sum *sum, const void *stats)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < sum->terms; i++) {
        total += count_term(&sum->term[i], stats);
    }
    return total;
}

bool loom_energy_is_power(const struct loom_energy *energy)
{
    return strcmp(energy->count, "time") == 0;
}

const struct loom_energy *loom_energies_find(struct loom_energies energies,
                                             const char *name)
{
    for (size_t i = 0; i < energies.count; i++) {
        if (strcmp(energies.item[i].name, name) == 0) {
            return &energies.item[i];
        }
    }
    return NULL;
}

/* Statistics and events share the names of datasets. */
static bool names_clash(struct loom_stats stats, struct loom_error *err)
{
    for (size_t i = 0; i < stats.count; i++) {
        const char *name = stats.item[i].name;

        if (strcmp(name, "energy") == 0 || strcmp(name, "power") == 0 ||
            strncmp(name, "energy_", strlen("energy_")) == 0) {
            loom_fail(err, LOOM_ERR_CONFIG,
                      "statistic '%s' has a name that energies need", name);
            return true;
        }
    }
    return false;
}

bool loom_energies_audit(struct loom_energies energies, struct loom_stats stats,
                         struct loom_error *err)
{
    struct loom_energy_sum sum;

    for (size_t i = 0; i < energies.count; i++) {
        const struct loom_energy *e = &energies.item[i];
        size_t length =
            strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789_");

        if (e->name[length] != '\0' || length == 0 || e->name[0] < 'a' ||
            e->name[0] > 'z' || strcmp(e->name, "instance") == 0 ||
            loom_energies_find(energies, e->name) != e) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "energy event '%s' is declared twice or has a "
                             "name other than [a-z][a-z0-9_]*",
                             e->name);
        }
        if (e->doc == NULL || e->doc[0] == '\0' || e->source == NULL ||
            e->source[0] == '\0' || !(e->value >= 0) || e->value > 1e6) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "energy event '%s' needs a doc, a source and a "
                             "value of at least 0",
                             e->name);
        }
        if (!loom_energy_parse(e->count, stats, &sum, err)) {
            return loom_fail_at(err, e->name);
        }
    }
    return !names_clash(stats, err);
}

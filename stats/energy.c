/*
 * Energies as statistics of a class.
 */
#include "stats/energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/catalog.h"

static const struct loom_energy storage_event = {
    LOOM_ENERGY_STORAGE, "Leakage of the bits that the policy stores", "time",
    0, "none"};

static void release(struct loom_class_event *event)
{
    free(event->name);
    free(event->source);
    free(event->coefficient);
}

static bool no_memory(struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY, "no memory for the energies");
}

/* A coefficient that arithmetic can be done with. */
static bool is_plain(double value)
{
    return value >= 0 && value < 1e30;
}

/* Asks for every instance; *known if the model knows any. */
static bool ask_all(const struct loom_class *item,
                    struct loom_class_event *event,
                    const struct loom_energy_model *model, bool *known,
                    struct loom_error *err)
{
    *known = false;
    for (uint32_t i = 0; i < item->count; i++) {
        struct loom_coefficient one = {0, NULL};

        if (!model->ask(model->context, item->path[i], event->energy.name,
                        &one)) {
            continue;
        }
        if (!is_plain(one.value)) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "energy '%s' of '%.200s' is %g, expected a "
                             "number of at least 0",
                             event->energy.name, item->path[i], one.value);
        }
        event->coefficient[i] = one.value;
        if (!*known) {
            event->source =
                strdup(one.source == NULL ? event->energy.source : one.source);
            if (event->source == NULL) {
                return no_memory(err);
            }
        }
        *known = true;
    }
    return true;
}

static bool add_event(struct loom_class *item, const struct loom_energy *energy,
                      const struct loom_energy_model *model,
                      struct loom_error *err)
{
    struct loom_class_energy *into = item->energy;
    struct loom_class_event event = {.energy = *energy};
    size_t size = strlen(energy->name) + sizeof("energy_");
    bool known;

    event.name = malloc(size);
    event.coefficient = calloc(item->count, sizeof(double));
    if (event.name == NULL || event.coefficient == NULL) {
        release(&event);
        return no_memory(err);
    }
    snprintf(event.name, size, "energy_%s", energy->name);
    if (!loom_energy_parse(energy->count, item->stats, &event.sum, err) ||
        !ask_all(item, &event, model, &known, err)) {
        release(&event);
        return false;
    }
    if (known) {
        into->event[into->events++] = event;
    } else {
        release(&event);
    }
    return true;
}

/* The statistics of the type, then one for each event, then two. */
static bool add_stats(struct loom_class *item, struct loom_error *err)
{
    struct loom_class_energy *energy = item->energy;
    size_t own = item->stats.count;
    struct loom_stat *stat = calloc(own + energy->events + 2, sizeof(*stat));

    if (stat == NULL) {
        return no_memory(err);
    }
    if (own > 0) {
        memcpy(stat, item->stats.item, own * sizeof(*stat));
    }
    for (size_t i = 0; i < energy->events; i++) {
        stat[own + i] = (struct loom_stat){.name = energy->event[i].name,
                                           .doc = energy->event[i].energy.doc,
                                           .kind = LOOM_STAT_ENERGY,
                                           .unit = LOOM_UNIT_JOULE,
                                           .offset = i};
    }
    stat[own + energy->events] =
        (struct loom_stat){.name = "energy",
                           .doc = "Energy of all events together",
                           .kind = LOOM_STAT_ENERGY,
                           .unit = LOOM_UNIT_JOULE,
                           .offset = energy->events};
    stat[own + energy->events + 1] =
        (struct loom_stat){.name = "power",
                           .doc = "Energy per second, on average since time 0",
                           .kind = LOOM_STAT_POWER,
                           .unit = LOOM_UNIT_WATT,
                           .offset = energy->events};
    energy->stat = stat;
    item->stats.item = stat;
    item->stats.count = own + energy->events + 2;
    return true;
}

bool loom_class_energy_add(struct loom_class *item,
                           struct loom_energies energies,
                           const struct loom_energy_model *model,
                           struct loom_error *err)
{
    size_t most = energies.count + 1;

    item->energy = calloc(1, sizeof(*item->energy));
    if (item->energy == NULL) {
        return no_memory(err);
    }
    item->energy->event = calloc(most, sizeof(*item->energy->event));
    if (item->energy->event == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < energies.count; i++) {
        if (!add_event(item, &energies.item[i], model, err)) {
            return false;
        }
    }
    if (item->is_policy && !add_event(item, &storage_event, model, err)) {
        return false;
    }
    if (item->energy->events == 0) {
        loom_class_energy_remove(item);
        return true;
    }
    return add_stats(item, err);
}

void loom_class_energy_remove(struct loom_class *item)
{
    struct loom_class_energy *energy = item->energy;

    if (energy == NULL) {
        return;
    }
    for (size_t i = 0; i < energy->events; i++) {
        release(&energy->event[i]);
    }
    free(energy->event);
    free(energy->stat);
    free(energy);
    item->energy = NULL;
}

static double one_event(const struct loom_class *item, size_t event,
                        uint32_t row, double seconds)
{
    const struct loom_class_event *e = &item->energy->event[event];
    double count = e->sum.terms == 0
                       ? seconds
                       : (double)loom_energy_count(&e->sum, item->block[row]);

    return e->coefficient[row] * count;
}

double loom_class_energy_read(const struct loom_class *item,
                              const struct loom_stat *stat, uint32_t row,
                              double seconds)
{
    double total = 0;

    if (stat->offset < item->energy->events) {
        return one_event(item, stat->offset, row, seconds);
    }
    for (size_t i = 0; i < item->energy->events; i++) {
        total += one_event(item, i, row, seconds);
    }
    if (stat->kind == LOOM_STAT_POWER) {
        return seconds > 0 ? total / seconds : LOOM_NAN;
    }
    return total;
}

/*
 * Energies of a machine: counters times the coefficients of a model.
 *
 * Nothing here runs unless a script attaches a model, and then only when
 * statistics are read.  A class whose type declares energy events
 * (engine/energy.h) gets one more statistic for each event to which the model
 * gives a coefficient, "energy_<event>", and two more: "energy", the sum of
 * those in their order, and "power", that sum per second since time 0.
 *
 * The energy of an event is its coefficient times the number that
 * loom_energy_count() gives, as doubles; of a power, times the simulated
 * seconds.  Whoever has the counters and the coefficients, which are in the
 * results file, computes the same bits.
 */
#ifndef STATS_ENERGY_H
#define STATS_ENERGY_H

#include "engine/energy.h"

struct loom_class;

/* What the model says of one event of the part at `path`. */
struct loom_coefficient {
    double value; /* joules per count, watts; at least 0 and finite */
    /* Where it comes from; copied.  NULL: the declaration's source. */
    const char *source;
};

struct loom_energy_model {
    /* False: the model says nothing of it.  The strings must live until the
     * next call. */
    bool (*ask)(void *context, const char *path, const char *event,
                struct loom_coefficient *coefficient);
    void *context;
};

/* The events of a class that have coefficients. */
struct loom_class_event {
    struct loom_energy energy;
    struct loom_energy_sum sum;
    char *name;          /* "energy_<event>", owned */
    char *source;        /* owned */
    double *coefficient; /* [instances], owned */
};
struct loom_class_energy {
    struct loom_class_event *event;
    size_t events;
    struct loom_stat *stat; /* what loom_class.stats points at */
};

/* The event that every policy has: leakage of the bits that it stores, watts.
 */
#define LOOM_ENERGY_STORAGE "storage"

/* Asks the model about all events of a class and adds statistics for those it
 * knows. */
bool loom_class_energy_add(struct loom_class *item,
                           struct loom_energies energies,
                           const struct loom_energy_model *model,
                           struct loom_error *err);
void loom_class_energy_remove(struct loom_class *item);

/* Joules of instance `row` for a statistic of kind LOOM_STAT_ENERGY, watts
 * for LOOM_STAT_POWER, at `seconds` of simulated time. */
double loom_class_energy_read(const struct loom_class *item,
                              const struct loom_stat *stat, uint32_t row,
                              double seconds);

#endif

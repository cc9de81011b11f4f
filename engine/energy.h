/*
 * Energy: what an event of a part costs, declared once beside its statistics.
 *
 * A part says which of its counters are events that take energy, and what one
 * takes on a machine that is named with the number.  Nothing of that is read
 * while a machine runs: where a script attaches an energy model
 * (lua/warploom/machine/energy.lua), stats/ multiplies counters with the
 * model's coefficients when it takes a snapshot.
 *
 * `count` is a sum of counters of the same part, such as "hits" or
 * "hits + 2*fills + insts.fp_mad": "NAME.KEY" is one element of a vector,
 * "NAME" of a vector or array the sum of all its elements, and a factor is a
 * whole number.  "time" alone is simulated time in seconds: the value is then
 * a power.
 */
#ifndef ENGINE_ENERGY_H
#define ENGINE_ENERGY_H

#include "engine/schema.h"

struct loom_energy {
    const char *name;   /* of the event, [a-z][a-z0-9_]* */
    const char *doc;    /* one sentence, no full stop */
    const char *count;  /* what is counted, as above */
    double value;       /* joules per count; watts where `count` is "time" */
    const char *source; /* where the value comes from, or "assumed: .." */
};

struct loom_energies {
    const struct loom_energy *item;
    size_t count;
};

#define LOOM_ENERGY_TERMS 32

struct loom_energy_term {
    size_t offset;  /* into the statistics struct */
    uint32_t words; /* neighbouring counters; 0: a loom_array */
    uint32_t factor;
    const struct loom_stat *stat;
};

/* A `count`, resolved. */
struct loom_energy_sum {
    struct loom_energy_term term[LOOM_ENERGY_TERMS];
    uint32_t terms; /* 0: "time" */
};

/* Resolves `count` in a table of statistics. */
bool loom_energy_parse(const char *count, struct loom_stats stats,
                       struct loom_energy_sum *sum, struct loom_error *err);

/* How many events a part has counted; `stats` is its struct. */
uint64_t loom_energy_count(const struct loom_energy_sum *sum,
                           const void *stats);

bool loom_energy_is_power(const struct loom_energy *energy);

const struct loom_energy *loom_energies_find(struct loom_energies energies,
                                             const char *name);

/* Is every declaration complete, and does what it counts exist? */
bool loom_energies_audit(struct loom_energies energies, struct loom_stats stats,
                         struct loom_error *err);

#endif

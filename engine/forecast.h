/*
 * Forecasts: what several threads could make of a run, from a run on one.
 *
 * Between two synchronisations a thread has the ticks of its components to
 * execute.  The run measures how long each of them takes, window by window, and
 * adds up what the busiest of 2, 4, .. threads would have, dealt as the engine
 * deals (engine/deal.c, engine/pace.c).  Nothing is simulated otherwise, and
 * no result depends on it.
 */
#ifndef ENGINE_FORECAST_H
#define ENGINE_FORECAST_H

#include "engine/machine.h"

#define LOOM_FORECASTS 6 /* 1, 2, 4, 8, 16 and 32 threads */

/* Seconds of the host.  Their sum is what the run would take. */
struct loom_forecast {
    uint32_t threads;
    double even;     /* ticks, if each thread had as much as all others */
    double one;      /* beyond that: one component takes longer in a window
                      * than an even share of all */
    double uneven;   /* beyond that: shares are not even in each window */
    double steps;    /* the engine's own, which each thread makes */
    double meetings; /* synchronisations */
    double wakes;    /* of threads that had to wait so long that they sleep */
    double together; /* launches that read the time: on one thread */
    const char *longest; /* of `one` the most: a component's path, or NULL */
};

/* Measured. */
struct loom_forecast_facts {
    uint64_t windows, stretches; /* stretches: of those that run ahead */
    double window, stretch;      /* seconds: of the synchronisations of one */
    double wake, patience;       /* of waking a thread; until it sleeps */
    double spent;                /* in loom_machine_run(), all told */
    double others; /* in which others had the processor: it is not counted */
    bool crowded;  /* they had it while synchronisations were measured */
};

/* The machine, which has one thread, is to be measured, for threads that share
 * components at that pace.  Before it is frozen. */
void loom_machine_foresee(struct loom_machine *machine, enum loom_pace how);
/* False: it was not measured. */
bool loom_machine_forecast(const struct loom_machine *machine, uint32_t number,
                           struct loom_forecast *forecast);
struct loom_forecast_facts
loom_machine_forecast_facts(const struct loom_machine *machine);
/* Of a component's ticks. */
double loom_machine_forecast_part(const struct loom_machine *machine,
                                  uint32_t id);

#endif

/*
 * Forecasts: what the rest of the engine does for them.  Only files in engine/
 * include this.
 */
#ifndef ENGINE_FORECAST_PRIVATE_H
#define ENGINE_FORECAST_PRIVATE_H

#include "engine/machine_private.h"

/* Where no forecast is wanted nothing happens. */
bool loom_foresight_start(struct loom_machine *machine);
/* Once it can run: measures what synchronisations of two threads take. */
void loom_foresight_meet(struct loom_machine *machine);
void loom_foresight_free(struct loom_machine *machine);
/* What loom_machine_run() does before and after its windows, and in the open
 * one, of the one shard that there is. */
void loom_foresight_begin(struct loom_machine *machine);
void loom_foresight_end(struct loom_machine *machine);
void loom_foresight_window(struct loom_machine *machine, loom_time until);

/* meetings.c: in seconds.  All 0: there is no memory, or nothing to be dealt.
 */
struct loom_meetings {
    double window, wake, patience; /* as in struct loom_forecast_facts */
    bool crowded;
};
struct loom_meetings loom_meetings_of_two(struct loom_machine *machine);

/* deal.c: which of so many shards each component, by id, goes to.  Of each kind
 * every one gets its share.  False: no memory. */
bool loom_deal_choose(const struct loom_machine *machine, uint32_t shards,
                      const double *share, uint32_t *shard);
/* pace.c: makes shares smaller of those that had more to do.  False: they are
 * even. */
bool loom_pace_share(double *share, const double *busy, uint32_t shards);
/* threads.c: how long a thread that waits for others spins before it sleeps,
 * measured. */
uint64_t loom_threads_patience(void);

#endif

/*
 * Running ahead: components whose cycles are simulated before those of the
 * components that they answer.  Only files in engine/ include this.
 */
#ifndef ENGINE_AHEAD_PRIVATE_H
#define ENGINE_AHEAD_PRIVATE_H

#include "engine/machine_private.h"

enum {
    AHEAD_SPAN = 256, /* cycles of any clock that a stretch may have, and one */
    AHEAD_SHORT = 16  /* cycles: a delay or a stretch that is not worth it */
};

/* To another clock: for each edge of the part's own one the first after it. */
struct ahead_crossing {
    struct clock *clock;
    const loom_cycle *next; /* [AHEAD_SPAN] */
};

/* A channel to who is left behind. */
struct ahead_out {
    struct loom_channel *channel;
    const struct place *end; /* after its last place */
};

/* A component that runs ahead. */
struct ahead_part {
    struct loom_component *self;
    struct ahead_out *out; /* [outs] to those that it leaves behind */
    uint32_t *before;      /* [befores] parts whose messages come at once */
    struct ahead_crossing *crossing; /* [crossings] */
    uint32_t outs, befores, crossings;
    uint32_t beyond;   /* the tail: the last place that a tick may ask for */
    bool cramped;      /* a channel never has room enough */
    loom_time reached; /* it has done all edges before this one */
};

/* A stretch in cycles of a clock. */
struct ahead_edges {
    loom_cycle from, to;
    loom_time at[AHEAD_SPAN];
    loom_cycle (*next)[AHEAD_SPAN]; /* [clock_count] for each edge the first one
                                     * after it of another clock */
};

struct ahead {
    struct ahead_part *part; /* [parts] in the order in which they run */
    struct loom_component **notifier; /* [notifiers] that call loom_notify() */
    struct ahead_edges *edges;        /* [clock_count] */
    uint32_t parts, notifiers;
    uint64_t ticks;
    loom_time length; /* of a stretch at most */
    loom_time period; /* of the fastest clock */
};

/* Finds who may run ahead, once components have had their init.  False: no
 * memory. */
bool loom_ahead_find(struct loom_machine *machine);
/* All edges before `begin` are done: runs those components through cycles from
 * `begin` to no more than `until`, as far as nobody can tell the difference,
 * and sets when to try again. */
void loom_ahead_run(struct loom_machine *machine, loom_time begin,
                    loom_time until);

/* island.c: the least time between an event at `from` and its effect at `to`
 * so many of its cycles later. */
loom_time loom_least_time(const struct loom_component *from,
                          const struct loom_component *to, loom_cycle cycles);
/* step.c: timers of hosted policies that are due. */
void loom_run_timers(struct loom_component *self, loom_cycle now);

#endif

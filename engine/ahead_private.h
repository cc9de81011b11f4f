/*
 * Running ahead: components whose cycles are simulated before those of the
 * components that they answer.  Only files in engine/ include this.
 */
#ifndef ENGINE_AHEAD_PRIVATE_H
#define ENGINE_AHEAD_PRIVATE_H

#include "engine/machine_private.h"

enum {
    READ_FIRST = 4,   /* lines of a state that a tick is likely to look at */
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

/* Of one shard. */
struct ahead_share {
    struct ahead_part *part;   /* [parts] in the order in which they run */
    struct ahead_edges *edges; /* [clock_count] */
    uint32_t parts;
    uint32_t ticks; /* in this stretch */
    loom_time last; /* the last of them */
};

struct ahead {
    struct loom_component **notifier; /* [notifiers] that call loom_notify() */
    uint32_t notifiers;
    loom_time length; /* of a stretch at most */
    loom_time period; /* of the fastest clock */
    loom_time begin;  /* of this one */
};

/* Finds who may run ahead in the layout that there is, once components have
 * had their init.  False: no memory. */
bool loom_ahead_find(struct loom_machine *machine, struct loom_arena *arena);
/* All edges before `begin` are done.  May components run through cycles from
 * there to no more than `until` so that nobody can tell the difference?  If
 * so loom_ahead_shard() is to be called for each shard, and then
 * loom_ahead_done(). */
bool loom_ahead_plan(struct loom_machine *machine, loom_time begin,
                     loom_time until);
void loom_ahead_shard(struct shard *shard);
/* The same of a shard that has some, one by one: `number` from 0. */
void loom_ahead_open(struct shard *shard);
void loom_ahead_part(struct shard *shard, uint32_t number);
void loom_ahead_close(struct shard *shard);
/* Sets when to try again. */
void loom_ahead_done(struct loom_machine *machine);

/* island.c: the least time between an event at `from` and its effect at `to`
 * so many of its cycles later. */
loom_time loom_least_time(const struct loom_component *from,
                          const struct loom_component *to, loom_cycle cycles);
/* step.c: timers of hosted policies that are due. */
void loom_run_timers(struct loom_component *self, loom_cycle now);

/* Was an error raised before the step at `next`?  That of a component that ran
 * ahead counts when the others have come as far. */
static LOOM_INLINE bool loom_shard_raised(const struct shard *shard,
                                          loom_time next)
{
    return LOOM_UNLIKELY(shard->error.kind != LOOM_ERR_NONE) &&
           shard->error_time < next;
}

/* Whose error is the earliest of those; NULL: there is none. */
const struct shard *loom_shard_failed(const struct loom_machine *machine,
                                      loom_time next);

/* What a tick reads first comes into the host's cache during the one before
 * it: between two ticks of a component it holds those of all others. */
static LOOM_INLINE void loom_component_fetch(const struct loom_component *self)
{
    const unsigned char *state = (const unsigned char *)(self + 1);

    __builtin_prefetch(self);
    for (size_t line = 0; line < READ_FIRST; line++) {
        __builtin_prefetch(state + line * LOOM_LINE);
    }
}

#endif

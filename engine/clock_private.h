/*
 * Clocks and their wheels.  Only files in engine/ include this.
 *
 * Scheduling.  Components of one clock have consecutive positions in its
 * tick order.  The clock's wheel has one bucket per coming cycle, and a
 * bucket has one bit per position: to wake a component at a cycle is to set
 * a bit.  A bitmap over the buckets finds the next cycle with work, so idle
 * cycles and idle components cost nothing.  Of the wakes beyond the wheel's
 * horizon the earliest of each component is kept in `far`; when it comes over
 * the horizon, the component is asked for the others again.
 */
#ifndef ENGINE_CLOCK_PRIVATE_H
#define ENGINE_CLOCK_PRIVATE_H

#include "engine/arena_private.h"
#include "engine/error.h"

struct loom_component;

enum {
    WHEEL_SLOTS = 1024, /* power of 2 */
    WHEEL_MASK = WHEEL_SLOTS - 1,
    SUMMARY_WORDS = WHEEL_SLOTS / 64
};

struct clock {
    uint64_t hertz;
    uint64_t quotient, remainder; /* of 10^15 / hertz */
    loom_cycle base;              /* last cycle processed, or later idle */
    loom_time base_time;          /* its edge */
    uint64_t base_rest;           /* base * 10^15 mod hertz, carried exactly */
    loom_cycle next; /* earliest with a bit set or in `far`; LOOM_NEVER */
    loom_time next_time;
    uint64_t next_rest; /* as base_rest */
    uint32_t count;     /* components of this clock */
    uint32_t words;     /* per bucket */
    uint64_t *bucket;   /* [WHEEL_SLOTS * words] */
    uint64_t summary[SUMMARY_WORDS];
    uint64_t pops;        /* messages taken by its components: progress */
    loom_cycle *far;      /* [count] */
    uint64_t *far_set;    /* [words] who is in `far` */
    loom_cycle far_next;  /* the earliest of them; LOOM_NEVER */
    loom_time met_time;   /* what loom_clock_meet() was last asked */
    loom_cycle met_cycle; /* its answer */
    struct loom_component **order; /* [count] */
};

bool loom_clock_start(struct clock *clock, struct loom_arena *arena);
/* Edge time of a cycle, exactly floor(cycle * 10^15 / hertz), but no later
 * than LOOM_TIME_END. */
loom_time loom_clock_time(const struct clock *clock, loom_cycle cycle);
/* Number of the first edge strictly after `time`. */
loom_cycle loom_clock_after(const struct clock *clock, loom_time time);
/* The same, for a clock of this shard; moves it up to that time if it is
 * idle. */
loom_cycle loom_clock_meet(struct clock *clock, loom_time time);
/* Makes `cycle` the last one processed. */
void loom_clock_set_base(struct clock *clock, loom_cycle cycle);
/* Moves an idle clock up to the edges before `cycle`. */
void loom_clock_catch_up(struct clock *clock, loom_cycle cycle);
/* The same beyond the wheel's horizon. */
void loom_clock_wake_far(struct clock *clock, uint32_t position,
                         loom_cycle cycle);
/* Those in `far` that the horizon has reached come into the wheel
 * (horizon.c). */
void loom_clock_bring(struct clock *clock);
/* Makes `cycle`, after the base, the next one with work. */
void loom_clock_set_next(struct clock *clock, loom_cycle cycle);

/* Sets a bit of a bucket, whose word of slot 0 is `row`: wakes at a cycle
 * within the horizon that is not before the next one. */
static inline void loom_clock_set(struct clock *clock, uint64_t *row,
                                  uint64_t bit, loom_cycle cycle)
{
    uint32_t slot = (uint32_t)cycle & WHEEL_MASK;

    LOOM_DEBUG_CHECK(cycle > clock->base && cycle - clock->base < WHEEL_SLOTS &&
                     cycle >= clock->next);
    row[slot * clock->words] |= bit;
    clock->summary[slot / 64] |= loom_bit(slot % 64);
}

/* The same as below, for such a cycle. */
static inline void loom_clock_wake_near(struct clock *clock, uint32_t position,
                                        loom_cycle cycle)
{
    loom_clock_set(clock, clock->bucket + position / 64,
                   loom_bit(position % 64), cycle);
}

/* Wakes the component at `cycle`, which must lie after clock->base. */
static inline void loom_clock_wake(struct clock *clock, uint32_t position,
                                   loom_cycle cycle)
{
    uint32_t slot = (uint32_t)cycle & WHEEL_MASK;

    LOOM_DEBUG_CHECK(cycle > clock->base);
    if (LOOM_UNLIKELY(cycle - clock->base >= WHEEL_SLOTS)) {
        loom_clock_wake_far(clock, position, cycle);
        return;
    }
    clock->bucket[slot * clock->words + position / 64] |=
        loom_bit(position % 64);
    clock->summary[slot / 64] |= loom_bit(slot % 64);
    if (LOOM_UNLIKELY(cycle < clock->next)) {
        loom_clock_set_next(clock, cycle);
    }
}

/* loom_clock_meet(), asked many times at one time. */
static inline loom_cycle loom_clock_after_near(struct clock *clock,
                                               loom_time time)
{
    return LOOM_LIKELY(clock->met_time == time) ? clock->met_cycle
                                                : loom_clock_meet(clock, time);
}

/* The latest cycle at which somebody is woken; LOOM_NEVER: nobody is. */
loom_cycle loom_clock_last(const struct clock *clock);

/* Finds the next cycle with work after base and sets next and its time. */
void loom_clock_advance(struct clock *clock);

/* To be called whenever the base has moved and buckets are looked at. */
static inline void loom_clock_horizon(struct clock *clock)
{
    if (LOOM_UNLIKELY(clock->far_next - clock->base < WHEEL_SLOTS)) {
        loom_clock_bring(clock);
    }
}

/* The next cycle with work becomes the last one processed. */
static inline void loom_clock_begin(struct clock *clock)
{
    clock->base = clock->next;
    clock->base_time = clock->next_time;
    clock->base_rest = clock->next_rest;
}

#endif

/*
 * The inside of a machine.  Only files in engine/ include this.
 *
 * Scheduling.  Components of one clock have consecutive positions in its
 * tick order.  The clock's wheel has one bucket per coming cycle, and a
 * bucket has one bit per position: to wake a component at a cycle is to set
 * a bit.  A bitmap over the buckets finds the next cycle with work, so idle
 * cycles and idle components cost nothing.  A wake beyond the wheel's
 * horizon is kept in `far` and passed on from horizon to horizon.
 *
 * Windows and shards.  The run advances in windows no longer than the
 * lookahead, the shortest time in which one island of the machine can affect
 * another.  Within a window islands do not see each other, so shards of
 * islands may run on threads of their own; what they sent and freed is handed
 * over between windows.  One shard or many, the same things happen at the
 * same times.
 */
#ifndef ENGINE_MACHINE_PRIVATE_H
#define ENGINE_MACHINE_PRIVATE_H

#include "engine/arena_private.h"
#include "engine/machine.h"
#include "engine/rng.h"

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
    loom_cycle next; /* earliest cycle with a bit set; LOOM_NEVER */
    loom_time next_time;
    uint32_t count;   /* components of this clock */
    uint32_t words;   /* per bucket */
    uint64_t *bucket; /* [WHEEL_SLOTS * words] */
    uint64_t summary[SUMMARY_WORDS];
    uint64_t pops;         /* messages taken by its components: progress */
    loom_cycle *far;       /* [count] */
    uint32_t fars;         /* how many of them are not LOOM_NEVER */
    loom_time near_time;   /* loom_clock_after_near() was last asked for .. */
    loom_cycle near_cycle; /* .. and its answer */
    struct loom_component **order; /* [count] */
};

/* What one thread runs: components with wheels of their own. */
struct shard {
    struct loom_machine *machine;
    struct clock *clock; /* [clock_count] */
    loom_time now;       /* time of its last step */
    loom_time next;      /* of its next one, LOOM_NEVER */
    uint64_t progress, ticks;
    struct loom_channel **sent;  /* [shards] lists of channels with messages */
    struct loom_channel **freed; /* .. with credits for that shard */
    struct loom_error error;
    loom_time error_time;
    uint32_t error_id, index;
    bool notified;
};

/* Place i of a channel: the receiver's cycle from which its message can be
 * seen, the sender's cycle from which it can be taken, and the message. */
struct place {
    loom_cycle arrive;  /* LOOM_NEVER: empty */
    loom_cycle free_at; /* LOOM_NEVER: taken */
};

/* The first cache line is what the receiver looks at, the second what the
 * sender does; head_at and tail_at repeat what their places say. */
struct loom_channel {
    loom_cycle head_at; /* arrive of the oldest message */
    struct place *head; /* its place */
    struct clock *receiver_clock;
    uint64_t popped;
    loom_cycle credit;
    struct place *first, *end; /* the ring */
    uint32_t stride, sender_position;

    loom_cycle tail_at; /* free_at of the next place */
    struct place *tail;
    loom_cycle last_arrival, latency;
    uint64_t sent;
    struct clock *sender_clock;
    uint64_t *watch; /* word in which `watched` is set while not empty */
    uint32_t receiver_position;
    bool same_clock, deferred;
    bool starved; /* the sender found it full and wants to be woken */

    uint64_t watched;
    uint32_t capacity;
    struct loom_component *sender, *receiver;
    /* Between shards: what is handed over at the end of a window. */
    loom_cycle *out_at;  /* [capacity] arrivals, written by the sender */
    loom_cycle *back_at; /* [capacity] credits, written by the receiver */
    uint32_t out_first, out_count, back_first, back_count;
    struct loom_channel *next_sent, *next_freed;
};

struct port {
    uint32_t count, capacity;
    struct loom_channel **out, **in; /* [count] */
    struct loom_component **peer;    /* [count] */
};

struct slot {
    struct loom_bound *bound;
    uint32_t count, capacity;
};

struct loom_component {
    const struct loom_component_ops *ops;
    void *state, *config, *stats;
    struct clock *clock;
    struct shard *shard;
    struct loom_machine *machine;
    loom_cycle timer;  /* earliest timer of a hosted policy */
    uint32_t position; /* in the clock's tick order */
    uint32_t id, clock_number, group, depth, island;
    const struct loom_component_type *type;
    char *path;
    struct port *ports; /* [type->ports.count] */
    struct slot *slots; /* [type->slots.count] */
    struct loom_policy **hosted;
    uint32_t hosted_count;
    struct loom_arena arena;
    struct loom_rng rng;
    bool frozen, started, stays_asleep;
};

struct loom_policy {
    const struct loom_policy_type *type;
    void *state, *config, *stats;
    struct loom_component *host;
    loom_cycle timer;
    char *path;
    struct loom_machine *machine;
    struct loom_arena arena;
    struct loom_rng rng;
    bool frozen;
};

struct link {
    struct loom_link_info info;
    struct loom_channel *request, *reply; /* NULL where nothing is said */
};

struct list {
    void **item;
    size_t count, capacity;
};

/* Policy bits that have a name. */
struct bits {
    const char *name[LOOM_BITS];
    uint32_t shift[LOOM_BITS], width[LOOM_BITS];
    uint32_t count, used;
};

struct loom_machine {
    uint64_t seed;
    loom_time now;
    loom_time lookahead; /* length of a window, >= 1 */
    loom_time end;       /* of the current window */
    struct shard *shard; /* [shards] */
    uint32_t shards, threads, islands;
    struct pool *pool; /* threads; NULL: none needed */
    uint64_t windows;
    uint64_t mark;   /* progress when it was last seen to grow .. */
    loom_time since; /* .. and when that was */
    struct clock **clock;
    uint32_t clock_count;
    struct list components, policies, links;
    struct loom_arena arena;
    struct bits bits[LOOM_BITS_SPACES];
    uint64_t shuffle;
    bool shuffled, frozen;
};

/* ---- clock.c ---- */

bool loom_clock_start(struct clock *clock, struct loom_arena *arena);
/* Edge time of a cycle, exactly floor(cycle * 10^15 / hertz). */
loom_time loom_clock_time(const struct clock *clock, loom_cycle cycle);
/* Number of the first edge strictly after `time`. */
loom_cycle loom_clock_after(const struct clock *clock, loom_time time);
/* The same, for a clock of this shard that is near that time. */
loom_cycle loom_clock_after_near(struct clock *clock, loom_time time);
/* Makes `cycle` the last one processed. */
void loom_clock_set_base(struct clock *clock, loom_cycle cycle);
/* Moves an idle clock up to the edges before `cycle`. */
void loom_clock_catch_up(struct clock *clock, loom_cycle cycle);
/* The same beyond the wheel's horizon. */
void loom_clock_wake_far(struct clock *clock, uint32_t position,
                         loom_cycle cycle);
/* Edge time of a cycle after the base. */
loom_time loom_clock_time_ahead(const struct clock *clock, loom_cycle cycle);

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
        clock->next = cycle;
        clock->next_time = loom_clock_time_ahead(clock, cycle);
    }
}

/* Finds the next cycle with work after base and sets next, next_time. */
void loom_clock_advance(struct clock *clock);

/* ---- others ---- */

bool loom_list_add(struct list *list, void *item);
int loom_path_compare(const char *a, const char *b);
bool loom_component_freeze(struct loom_component *self, struct loom_error *err);
void loom_machine_order(struct loom_machine *machine);

/* ---- island.c ---- */

/* Finds islands and the lookahead; makes shards and their wheels. */
bool loom_machine_shard(struct loom_machine *machine);
/* Takes over what the other shards sent and freed for this one. */
void loom_shard_merge(struct shard *shard);

/* ---- run.c ---- */

/* Runs a shard to the end of the machine's window. */
void loom_shard_run(struct shard *shard);
/* Finds the time of its next step. */
void loom_shard_plan(struct shard *shard);

/* ---- threads.c ---- */

bool loom_threads_start(struct loom_machine *machine);
/* A run begins and ends; its windows are in between. */
void loom_threads_begin(struct loom_machine *machine);
void loom_threads_end(struct loom_machine *machine);
/* One window on all shards: run, merge, plan. */
void loom_threads_window(struct loom_machine *machine);
void loom_threads_stop(struct loom_machine *machine);
struct loom_channel *loom_channel_create(struct loom_machine *machine,
                                         struct loom_component *sender,
                                         struct loom_component *receiver,
                                         size_t size, struct loom_wire wire);
/* Once clocks and positions are known. */
bool loom_channel_tie(struct loom_channel *c, struct loom_arena *arena);
/* Between windows: what the other shard sent or freed; none of it is due
 * before `soonest`. */
void loom_channel_take_messages(struct loom_channel *c, loom_cycle soonest);
void loom_channel_take_credits(struct loom_channel *c, loom_cycle soonest);
loom_cycle loom_component_after_now(const struct loom_component *self);

#endif

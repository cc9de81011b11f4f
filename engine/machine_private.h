/*
 * The inside of a machine.  Only files in engine/ include this.
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

#include "engine/channel_private.h"
#include "engine/machine.h"
#include "engine/rng.h"

/* What one thread runs: components with wheels of their own. */
struct shard {
    struct loom_machine *machine;
    struct clock *clock; /* [clock_count] */
    loom_time now;       /* time of its last step */
    loom_time next;      /* of its next one, LOOM_NEVER */
    uint64_t progress, ticks;
    struct loom_channel **sent;  /* [shards] lists of channels with messages */
    struct loom_channel **freed; /* [shards] with credits for that shard */
    struct loom_error error;
    loom_time error_time;
    uint32_t error_id, index;
    bool notified;
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

/* The state follows in memory, which loom_state() need not look up.  The
 * first cache line is what a tick and a wake-up need. */
struct loom_component {
    _Alignas(LOOM_LINE)
        loom_cycle (*tick)(struct loom_component *self, loom_cycle now);
    struct clock *clock;
    struct shard *shard;
    void *config, *stats;
    loom_cycle timer;  /* earliest timer of a hosted policy */
    uint32_t position; /* in the clock's tick order */
    uint32_t id;
    const struct loom_component_ops *ops;

    struct loom_machine *machine;
    uint32_t clock_number, group, depth, island;
    const struct loom_component_type *type;
    char *path;
    struct port *ports; /* [type->ports.count] */
    struct slot *slots; /* [type->slots.count] */
    uint64_t hash;      /* of the path: finds it among many */
    struct loom_policy **hosted;
    uint32_t hosted_count;
    struct loom_arena arena;
    struct loom_rng rng;
    loom_meeting *meeting; /* NULL: none in this cycle */
    bool frozen, started, stays_asleep;
};

/* Likewise. */
struct loom_policy {
    _Alignas(LOOM_LINE) const struct loom_policy_type *type;
    void *config, *stats;
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
    struct pool *pool;    /* threads; NULL: none needed */
    struct ahead *ahead;  /* NULL: nobody runs ahead */
    loom_time ahead_at;   /* when to try; LOOM_NEVER */
    loom_time ahead_end;  /* who ran ahead got no further */
    loom_time ahead_last; /* their last tick */
    uint64_t windows;
    loom_time skipped;    /* that passed without anybody taking part */
    loom_time silence;    /* the longest of a component */
    loom_time patience;   /* of this call, no less than that */
    uint64_t mark;        /* progress when it was last seen to grow; LOOM_NEVER:
                           * to be judged from now on */
    loom_time patient_to; /* no progress until then is no deadlock */
    uint32_t waits;       /* how often that was put off since `mark` */
    struct clock **clock;
    uint32_t clock_count;
    struct list components, policies, links;
    size_t apart; /* policies that are no part of the machine, the last ones */
    struct loom_arena arena;
    struct image *image; /* what it can be saved by; NULL: it cannot */
    struct bits bits[LOOM_BITS_SPACES];
    struct loom_interrupt *interrupt; /* or NULL */
    struct loom_component **meeting;  /* [components] that called loom_meet() */
    size_t meetings;
    bool together; /* they may */
    uint64_t shuffle;
    bool shuffled, frozen;
};

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

/* ---- step.c ---- */

/* Runs a shard to the end of the machine's window. */
void loom_shard_run(struct shard *shard);
/* From `clock`, whose edge is the next one, to `end`; returns the clock of the
 * first edge after that. */
struct clock *loom_shard_run_to(struct shard *shard, struct clock *clock,
                                loom_time end);
/* The clock whose edge is the next one. */
struct clock *loom_shard_earliest(const struct shard *shard);
/* Finds the time of its next step. */
void loom_shard_plan(struct shard *shard);

/* The open window of all shards, edge by edge: run, merge, plan. */
void loom_together_window(struct loom_machine *machine);

/* ---- image.c ---- */

/* Where the memory of policies comes from. */
struct loom_arena *loom_policy_arena(struct loom_machine *machine);
/* Parts have had their init; what follows is the engine's own. */
void loom_image_parts_end(struct loom_machine *machine);
/* The machine is as it will be at time 0. */
bool loom_image_begin(struct loom_machine *machine);
void loom_image_free(struct loom_machine *machine);

/* ---- threads.c ---- */

bool loom_threads_start(struct loom_machine *machine);
/* A run begins and ends; its windows are in between. */
void loom_threads_begin(struct loom_machine *machine);
void loom_threads_end(struct loom_machine *machine);
/* One window on all shards, which are several: run, merge, plan. */
void loom_threads_window(struct loom_machine *machine);
void loom_threads_stop(struct loom_machine *machine);
loom_cycle loom_component_after_now(const struct loom_component *self);

#endif

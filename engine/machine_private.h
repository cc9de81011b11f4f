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
    struct clock *clock;       /* [clock_count] */
    struct ahead_share *ahead; /* who of them runs ahead; NULL: nobody does */
    loom_time now;             /* time of its last step */
    loom_time next;            /* of its next one, LOOM_NEVER */
    uint64_t progress, ticks;
    uint64_t busy;               /* nanoseconds, of some of its windows */
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

/* Who runs what.  Components say which shard they are in. */
struct layout {
    struct shard *shard; /* [shards] */
    uint32_t shards;
    struct ahead *ahead; /* NULL: nobody runs ahead */
};

struct loom_machine {
    uint64_t seed;
    loom_time now;
    loom_time lookahead; /* length of a window, >= 1 */
    loom_time end;       /* of the current window */
    struct shard *shard; /* [shards], ahead: of the layout that there is now */
    struct ahead *ahead;
    uint32_t shards, threads, islands;
    struct layout alone; /* all in one shard: as it is at first */
    struct deal *deal;   /* what other layouts need; NULL: there are none */
    enum loom_pace pace_how;
    struct pace *pace;           /* which layout there shall be; NULL: alone */
    struct pool *pool;           /* threads; NULL: none needed */
    struct foresight *foresight; /* NULL: no forecast is wanted */
    loom_time ahead_at;          /* when to try; LOOM_NEVER */
    loom_time ahead_end;         /* who ran ahead got no further */
    loom_time ahead_last;        /* their last tick */
    uint64_t ahead_ticks;
    uint64_t windows;
    uint64_t watched;   /* bits of it that are set before a look at the pace */
    loom_time skipped;  /* that passed without anybody taking part */
    loom_time silence;  /* the longest of a component */
    loom_time patience; /* of this call, no less than that */
    uint64_t mark;      /* progress when it was last seen to grow; LOOM_NEVER:
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
    struct loom_work work;
    uint32_t work_capacity;
    uint32_t *work_kind;              /* what `work` shows */
    struct loom_interrupt *interrupt; /* or NULL */
    struct loom_component **meeting;  /* [components] that called loom_meet() */
    size_t meetings;
    bool together; /* they may */
    uint64_t shuffle;
    bool shuffled, frozen, foreseen;
};

/* ---- others ---- */

bool loom_list_add(struct list *list, void *item);
int loom_path_compare(const char *a, const char *b);
bool loom_component_freeze(struct loom_component *self, struct loom_error *err);
void loom_machine_order(struct loom_machine *machine);

/* ---- island.c ---- */

/* Finds islands and the lookahead; makes the shard that has all and its
 * wheels. */
bool loom_machine_shard(struct loom_machine *machine);
/* The first component of its island. */
struct loom_component *
loom_island_first(const struct loom_component *component);
/* The clocks of shards once components have their places in them.  They are
 * where the open window ends. */
bool loom_shard_clocks(struct loom_machine *machine, struct loom_arena *arena);
/* All channels once those are known. */
bool loom_machine_tie(struct loom_machine *machine, struct loom_arena *arena);
/* Takes over what the other shards sent and freed for this one. */
void loom_shard_merge(struct shard *shard);

/* ---- deal.c ---- */

/* Between windows: components go to so many shards, of which each has its
 * part of all shares, or to one.  False: no memory, and all are in one. */
bool loom_deal_out(struct loom_machine *machine, uint32_t shards,
                   const double share[LOOM_THREADS_MAX]);
void loom_deal_alone(struct loom_machine *machine);
void loom_deal_free(struct loom_machine *machine);

/* ---- pace.c ---- */

/* A run begins; looks whether another layout is faster, where that is asked
 * for; and ends. */
void loom_pace_begin(struct loom_machine *machine);
void loom_pace_look(struct loom_machine *machine);
void loom_pace_end(struct loom_machine *machine);
bool loom_pace_start(struct loom_machine *machine);
void loom_pace_free(struct loom_machine *machine);

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

/* What has happened so far, whoever ran it. */
uint64_t loom_machine_progress(const struct loom_machine *machine);
/* The open window of the one shard that there is, edge by edge: run, plan. */
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

/* Nanoseconds of the host's clock.  Nothing that is simulated may ask. */
uint64_t loom_host_time(void);
bool loom_threads_start(struct loom_machine *machine);
/* A stretch of windows of one layout of several shards begins and ends; the
 * windows are in between.  Not between the two: nothing. */
void loom_threads_begin(struct loom_machine *machine);
void loom_threads_end(struct loom_machine *machine);
/* One window on all shards, which are several: run, merge, plan.  If `ahead`,
 * first what loom_ahead_plan() has allowed. */
void loom_threads_window(struct loom_machine *machine, bool ahead);
void loom_threads_stop(struct loom_machine *machine);
loom_cycle loom_component_after_now(const struct loom_component *self);

#endif

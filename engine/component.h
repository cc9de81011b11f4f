/*
 * Components: the parts of the simulated machine.
 *
 * A component is one const descriptor and the functions it names.  The engine
 * allocates the state, fills in the configuration, binds ports and policies,
 * and then calls init once and tick many times.
 *
 * Life of a component:
 *
 *     created -> configured -> linked -> init -> tick ... tick -> fini
 *
 * All memory is taken in init.  A tick allocates nothing, blocks on nothing,
 * looks up no name and reads no clock but the one it is given, so a run can
 * be repeated.
 *
 * A component is woken at a cycle when a message arrives at one of its ports
 * in that cycle, when a credit that loom_ready() found missing comes back,
 * when its last tick asked for that cycle, or when one of its policies'
 * timers is due.  A tick must cope with being called when nothing happened.
 */
#ifndef ENGINE_COMPONENT_H
#define ENGINE_COMPONENT_H

#include "engine/channel.h"
#include "engine/energy.h"
#include "engine/policy.h"

struct loom_component; /* one instance; its layout is private to the engine */
struct loom_report;
struct loom_warm_ops;

/* What a component says so that some may be simulated ahead of the others
 * (engine/ahead.c). */
struct loom_ahead_ops {
    /* How many places of one link a tick takes or asks for at most, if cycles
     * may be simulated before those of the components at the other ends: what
     * a tick does is up to its state and its messages, and it does not ask
     * loom_room().  0: they may not.  Asked once, after init.  Optional. */
    uint32_t (*places)(struct loom_component *self);

    /* Of a component that calls loom_notify(): true if it will not before a
     * request of launch *launch is answered that is on its way and `awaited`,
     * or, with LOOM_NO_LAUNCH, before a message reaches it.  Required of all
     * that call it in a machine where components run ahead. */
    bool (*calm)(struct loom_component *self, uint32_t *launch);

    /* When the newest request is seen, in cycles of its clock, of those on
     * their way to it without whose answer launch `launch` cannot end; 0:
     * there is none.  Optional. */
    loom_cycle (*awaited)(struct loom_component *self, uint32_t launch);
};

#define LOOM_COMPONENTS_MAX 65535 /* of a machine: requests name them */
#define LOOM_NO_LAUNCH UINT32_MAX

struct loom_component_ops {
    /* Checks what single ranges cannot: relations between parameters.
     * Optional.  Runs before anything is allocated. */
    bool (*validate)(const void *config, struct loom_error *err);

    /* Takes ports and slots, sizes the state from the configuration, binds
     * policies.  Required. */
    bool (*init)(struct loom_component *self, struct loom_error *err);

    /* Does the work of cycle `now` of the component's clock.  Returns the
     * next cycle at which to run again (> now), or LOOM_NEVER to sleep.
     * Required. */
    loom_cycle (*tick)(struct loom_component *self, loom_cycle now);

    /* Ticks at its clock's first edge after time 0 without being asked; all
     * others wait for a message or a command.  Optional. */
    bool starts;

    /* Brings counters of idle cycles up to date before statistics are read:
     * afterwards they cover all cycles < `now`, which is the first cycle that
     * has not been ticked yet.  Optional; must be idempotent. */
    void (*settle)(struct loom_component *self, loom_cycle now);

    /* Conservation laws at the end of a run: what went in came out.
     * Optional. */
    bool (*check)(struct loom_component *self, struct loom_error *err);

    /* Tells the no-progress report what the component holds and waits for.
     * Optional. */
    void (*report)(struct loom_component *self, struct loom_report *report);

    /* A command from outside the machine (see components/host_protocol.h).
     * Optional. */
    bool (*command)(struct loom_component *self, const void *command,
                    struct loom_error *err);

    /* Releases what was taken from outside the engine.  Optional. */
    void (*fini)(struct loom_component *self);

    /* Optional. */
    const struct loom_ahead_ops *ahead;
    const struct loom_warm_ops *warm; /* engine/warm.h; optional */
};

/* A place for a policy (or, if its hook is a chain, for several). */
struct loom_slot_decl {
    const char *name;
    const char *doc;
    const struct loom_hook *hook;
    const char *def; /* policy type used when the script gives none; NULL:
                      * the slot may stay empty */
};

struct loom_slots {
    const struct loom_slot_decl *item;
    size_t count;
};

struct loom_component_type {
    const char *name; /* what a Lua script writes: loom.cache { ... } */
    const char *doc;
    size_t state_size; /* the engine allocates this, zeroed */
    size_t config_size;
    size_t stats_size;
    struct loom_params params;
    struct loom_stats stats;
    struct loom_energies energies;
    struct loom_ports ports;
    struct loom_slots slots;
    const struct loom_component_ops *ops;
};

/* What a slot holds after linking: the policies and their ops, in order of
 * attachment. */
struct loom_bound {
    struct loom_policy *policy;
    const void *ops;
};
struct loom_binding {
    const struct loom_bound *item;
    uint32_t count;
};

/* Length of a chain, where a machine that runs asks for it.  Built with
 * LOOM_NO_CHAINS nobody is ever asked: tests/bench/hooks.sh measures what
 * empty chains cost that way. */
static inline uint32_t loom_chain(const struct loom_binding *chain)
{
#ifdef LOOM_NO_CHAINS
    (void)chain;
    return 0;
#else
    return chain->count;
#endif
}

void *loom_state(struct loom_component *self);
const void *loom_config(const struct loom_component *self);
void *loom_stats_of(struct loom_component *self);

/* Dense number from the sorted order of canonical paths, below
 * LOOM_COMPONENTS_MAX. */
uint16_t loom_component_id(const struct loom_component *self);
const char *loom_component_path(const struct loom_component *self);
/* Hardware index: the last [n] of the path. */
uint32_t loom_component_index(const struct loom_component *self);

/* For init only: all of these search by name. */
uint32_t loom_port_count(const struct loom_component *self, const char *port);
/* The channel on which this component sends (client: requests; server:
 * replies) or receives over link `index` of `port`; NULL if not connected. */
struct loom_channel *loom_port_out(struct loom_component *self,
                                   const char *port, uint32_t index);
struct loom_channel *loom_port_in(struct loom_component *self, const char *port,
                                  uint32_t index);
/* Id of the component at the other end. */
uint32_t loom_port_peer(const struct loom_component *self, const char *port,
                        uint32_t index);
struct loom_binding loom_slot(struct loom_component *self, const char *slot);
/* Zeroed memory that lives as long as the component.  Only init may call it.
 * NULL when the host has none left. */
void *loom_alloc(struct loom_component *self, size_t count, size_t size);
/* An array statistic of `count` items, all 0. */
void loom_array(struct loom_component *self, struct loom_array *array,
                uint32_t count);
/* Has there been memory for all that it asked for?  To be called before any of
 * it is used. */
bool loom_has_memory(const struct loom_component *self, struct loom_error *err);

struct loom_rng *loom_component_rng(struct loom_component *self);

/* Femtoseconds of cycle `cycle` of the component's clock. */
loom_time loom_cycle_time(const struct loom_component *self, loom_cycle cycle);
/* The first cycle that is not before a time, which is at least 1 and before
 * LOOM_TIME_END. */
loom_cycle loom_cycle_at(const struct loom_component *self, loom_time time);
/* The same as everybody outside the machine knows it: later by what was skipped
 * (engine/machine.h). */
loom_time loom_told_time(const struct loom_component *self, loom_cycle cycle);

/* Ends loom_machine_run() with this error after the current window; the
 * first error stays. */
void loom_raise(struct loom_component *self, const struct loom_error *err);

/* For init only: the component ticks in cycle 1 without a reason from
 * outside. */
void loom_start_awake(struct loom_component *self);

/* For init only: it may be at work on one message for so many cycles, at most,
 * with nobody else seeing anything; what takes longer is a deadlock.  Need not
 * be said where it cannot be many thousands. */
void loom_may_take(struct loom_component *self, loom_cycle cycles);

/* For ticks, where the driver allows it (loom_machine_together()): `what` is
 * called at the end of the cycle, when all others of this clock have ticked;
 * of several components one after the other, in the order of their ids.  It is
 * for what they share that is no message. */
typedef void loom_meeting(struct loom_component *self, loom_cycle now);
void loom_meet(struct loom_component *self, loom_meeting *what);

/* Called in ops->command: there is nothing to do, so the component is not
 * woken. */
void loom_stay_asleep(struct loom_component *self);

/* Ends loom_machine_run() with success after the current window: the
 * component has something for whoever drives the machine. */
void loom_notify(struct loom_component *self);

/* Progress in the sense of the no-progress report: a warp instruction
 * issued, a CTA started.  Popping a message and loom_notify() count by
 * themselves; a time that somebody has asked to be woken at is waited for. */
void loom_progress(struct loom_component *self);

/* One line of a no-progress report.  `since` is the cycle (of this
 * component's clock) since which the thing waits; LOOM_NEVER if unknown. */
void loom_report_line(struct loom_report *report,
                      const struct loom_component *self, loom_cycle since,
                      const char *fmt, ...) LOOM_PRINTF(4, 5);

#endif

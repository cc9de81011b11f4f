/*
 * Policies: decisions that a component leaves to someone else.
 *
 * A component owns the mechanism (tags, queues, timing) and asks its policies
 * at fixed points: which way to evict, whether to bypass.  The questions that
 * one kind of component asks form a hook, declared in policies/<hook>.h and
 * known to both sides.  Neither side sees the other's headers.
 *
 * One policy may answer several hooks with one state (facets).  APCM, for
 * example, watches loads at the SM and acts at the cache.
 *
 * Life: created, configured, init, then `bind` of each facet by the component
 * that owns the slot (the hook's ops struct has it), then questions.  All
 * memory is taken in init and bind.
 */
#ifndef ENGINE_POLICY_H
#define ENGINE_POLICY_H

#include "engine/cost.h"
#include "engine/energy.h"

struct loom_policy; /* one instance; its layout is private to the engine */
struct loom_rng;

/* The identity of a hook.  Hooks are compared by address. */
struct loom_hook {
    const char *name;
    const char *doc;
    bool chain; /* several policies may answer, in order of attachment */
};

struct loom_facet {
    const struct loom_hook *hook;
    const void *ops; /* the ops struct that policies/<hook>.h defines */
};

struct loom_facets {
    const struct loom_facet *item;
    size_t count;
};

/* LOOM_FACETS({&hook, &ops}, ..): what a type answers. */
#define LOOM_FACETS(...) LOOM_SLICE(((const struct loom_facet[]){__VA_ARGS__}))

struct loom_policy_type {
    const char *name; /* what a Lua script writes: loom.lru {} */
    const char *doc;
    size_t state_size; /* the engine allocates this, zeroed */
    size_t config_size;
    size_t stats_size;
    struct loom_params params;
    struct loom_stats stats;
    struct loom_energies energies;
    struct loom_facets facets;
    /* Instances share state: they are asked in the order of time. */
    bool in_order;
    /* It watches and is no part of the machine: results do not have it. */
    bool apart;
    /* It may begin at a machine that has run, between two kernels: it needs
     * not have been told what came before, and nothing that is under way then
     * carries anything of its own (engine/image.h). */
    bool joins;

    /* Relations between parameters that single ranges cannot state.
     * Optional.  Runs before anything is allocated. */
    bool (*validate)(const void *config, struct loom_error *err);
    /* Sizes what depends on the configuration only.  Optional. */
    bool (*init)(struct loom_policy *self, struct loom_error *err);
    /* The cycle asked for with loom_policy_wake has come; called before the
     * host's tick of that cycle.  Optional. */
    void (*timer)(struct loom_policy *self, loom_cycle now);
    /* The driver is about to give the machine `work` of this kind, of which
     * nothing has happened yet: told wherever the policy is attached, while
     * nothing ticks.  What work is, driver and policies know
     * (workloads/stream.h: a launch is a struct loom_kernel).  Optional. */
    void (*given)(struct loom_policy *self, const void *work, uint32_t kind);
    /* Brings counters up to cycle `now` before statistics are read.
     * Optional; must be idempotent. */
    void (*settle)(struct loom_policy *self, loom_cycle now);
    /* Conservation laws at the end of a run.  Optional. */
    bool (*check)(struct loom_policy *self, struct loom_error *err);
    /* Bits that hardware would keep for one instance, from a configuration
     * that has passed `validate` and the hardware around it (engine/cost.h);
     * `warploom info --cost` prints them.  Nothing of the machine exists.
     * Required: loom_cost_none where there is nothing to keep. */
    void (*cost)(const void *config, const struct loom_cost_shape *shape,
                 struct loom_cost *cost);
};

void *loom_policy_state(struct loom_policy *policy);
const void *loom_policy_config(const struct loom_policy *policy);
void *loom_policy_stats(struct loom_policy *policy);
const char *loom_policy_path(const struct loom_policy *policy);
const struct loom_policy_type *
loom_policy_type_of(const struct loom_policy *policy);

/* The ops with which a type answers `hook`, or NULL. */
const void *loom_policy_type_ops(const struct loom_policy_type *type,
                                 const struct loom_hook *hook);

/* Zeroed memory that lives as long as the policy.  Only init and bind may
 * call it.  NULL when the host has none left. */
void *loom_policy_alloc(struct loom_policy *policy, size_t count, size_t size);

/* An array statistic of `count` items, all 0. */
void loom_policy_array(struct loom_policy *policy, struct loom_array *array,
                       uint32_t count);

/* Has there been memory for all that the policy asked for?  To be called before
 * any of it is used. */
bool loom_policy_has_memory(const struct loom_policy *policy,
                            struct loom_error *err);

/* The policy's own random numbers, seeded from the run's seed and its path. */
struct loom_rng *loom_policy_rng(struct loom_policy *policy);

/* Work that the driver has given to the machine, by its number: of which kind
 * it is. */
#define LOOM_NO_KIND UINT32_MAX
struct loom_work {
    const uint32_t *kind; /* [count] or LOOM_NO_KIND */
    uint32_t count;
};

/* The machine's, as it is now; for init and later. */
const struct loom_work *loom_policy_work(const struct loom_policy *policy);

/* The fields of a message that policies may use, as bits allotted by name:
 * requests and replies have 16 each. */
enum loom_bits {
    LOOM_BITS_REQUEST,
    LOOM_BITS_REPLY,
    LOOM_BITS_SPACES
};
#define LOOM_BITS 16

/* Allots `width` adjacent bits to `name`, or finds those that another policy
 * of the machine was allotted under this name; *shift is the lowest.  Fails
 * if too few are left or the widths differ.  For init and bind only. */
bool loom_policy_bits(struct loom_policy *policy, enum loom_bits space,
                      const char *name, uint32_t width, uint32_t *shift,
                      struct loom_error *err);

/* Cycle of the host's clock now.  The host is the first component that bound
 * one of the policy's facets. */
loom_cycle loom_policy_now(const struct loom_policy *policy);

/* Asks for one call of `timer` at a later cycle of the host's clock; a second
 * call before that replaces the first. */
void loom_policy_wake(struct loom_policy *policy, loom_cycle at);

/* Wakes the host now-ish: it ticks at the next edge even if asleep.  For a
 * policy whose answer changed because of an event at another component of
 * its group. */
void loom_policy_kick(struct loom_policy *policy);

#endif

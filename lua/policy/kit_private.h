/*
 * Policies whose answers are Lua functions.
 *
 * loom.policy { .. } makes a policy type at run time: its parameters and
 * statistics are declared in Lua and laid out here, its facets are the hooks
 * that it has functions for.  Each hook has one ops struct of C functions
 * that hand the question over (ops.h, ask.c), so the engine and the components
 * do not know the difference.
 *
 * A question that is not a number is a view: userdata that reads the fields
 * of a C struct where it is, valid during the call only.  Calls run in a Lua
 * thread of the type's own, as the script that started the run waits inside
 * another one.
 */
#ifndef LUA_POLICY_KIT_PRIVATE_H
#define LUA_POLICY_KIT_PRIVATE_H

#include "engine/component.h"

#include "lua/core.h"
#include "lua/policy/ops.h"
#include "policies/cache_hook.h"
#include "policies/observe_hook.h"

/* Every function that a policy may have. */
#define KIT_ROWS(hook, type, ...) __VA_ARGS__
#define KIT_CALL(hook, op, ...) KIT_##hook##_##op,
#define KIT_NONE(...)
enum kit_call {
    KIT_INIT,
    KIT_BIND,
    KIT_TIMER,
    KIT_SETTLE,
    KIT_CHECK,
    KIT_HOOKS(KIT_ROWS, KIT_CALL, KIT_CALL, KIT_CALL, KIT_NONE, KIT_NONE)
    KIT_EVENT, /* and one for each kind of event */
    KIT_CALLS = KIT_EVENT + LOOM_EVENTS
};

struct kit_call_info {
    const char *name; /* "replacement.victim"; of events "evict" */
    const struct loom_hook *hook;
    bool required; /* by a policy that answers the hook */
};
struct kit_call_info kit_call_info(enum kit_call call);

/* Each hook and its C side but those that observe; [kit_facets] */
extern const struct loom_facet kit_facet[];
extern const size_t kit_facets;

enum kit_view {
    VIEW_REQUEST,
    VIEW_EVENT,
    VIEW_EVENT_REQUEST,
    VIEW_KERNEL,
    VIEW_THROTTLE,
    VIEW_NEXT,
    VIEW_SCHEDULE,
    VIEW_DISPATCH,
    VIEW_HOP,
    VIEW_COMMAND,
    KIT_VIEWS
};

struct kit_view_data {
    const void *at; /* NULL: the call is over */
    uint32_t view;  /* enum kit_view */
    struct kit_type *type;
};

struct kit_type {
    struct loom_policy_type type;
    lua_State *L; /* the thread of its calls */
    struct loom_param *param;
    struct loom_stat *stat;
    struct loom_facet *facet;
    struct loom_observe_ops observe[3]; /* SM, load/store unit, cache */
    struct kit_view_data *view[KIT_VIEWS];
    int view_ref[KIT_VIEWS];
    int ref[KIT_CALLS];     /* functions in the registry, or LUA_NOREF */
    uint32_t *array_count;  /* of each statistic; 0: not an array */
    uint32_t queues, depth; /* order; 0: the parameter of that name */
    uint32_t steps;         /* of the call under way, in millions */
    uint64_t running;       /* calls that are under way: they nest */
};

/* One instance. */
struct kit_state {
    struct kit_type *type;
    int self; /* its `self` in the registry */
    bool failed;
    uint32_t sets, ways;                        /* of the cache */
    uint32_t queues;                            /* order */
    uint32_t inputs, outputs, vcs, slice_links; /* of the router */
    uint32_t channels, slices_per_channel;      /* map */
    const struct loom_cache_host *host;
};

/* First statistic of every policy in Lua. */
struct kit_stats {
    uint64_t lua_calls;
};

struct kit_state *kit_state(struct loom_policy *policy);

/* transform.rewrite (transform.c). */
struct loom_rewrite;
bool kit_rewrite(struct loom_policy *policy, struct loom_rewrite *work,
                 struct loom_error *err);

bool kit_has(struct loom_policy *policy, enum kit_call call);
/* The error of the first failed call, for init and bind. */
bool kit_outcome(struct loom_policy *policy, struct loom_error *err);

/* ---- views (view.c) ---- */

/* Pushes the view and lets it show `at`, or nil; returns what it showed before.
 */
const void *kit_show(struct kit_type *type, enum kit_view view, const void *at);
void kit_hide(struct kit_type *type, enum kit_view view, const void *before);
void kit_open_views(lua_State *L, struct kit_type *type);
/* A static instruction as a table. */
void kit_push_inst(lua_State *L, const struct loom_static_inst *inst);
extern const char *const kit_spaces[];

/* ---- self (self.c) ---- */

bool kit_make_self(struct loom_policy *policy, struct loom_error *err);
void kit_drop_self(struct loom_policy *policy);
/* Adds numbers to self.shape, then calls bind. */
struct kit_shape {
    const char *name;
    uint64_t value;
};
#define KIT_SHAPE(field)                                                       \
    {                                                                          \
#field, shape->field                                                   \
    }
bool kit_bind(struct loom_policy *policy, const struct loom_hook *hook,
              const struct kit_shape *number, uint32_t count,
              struct loom_error *err);
struct loom_policy *kit_policy_at(lua_State *L, int at);

/* ---- declarations (declare.c) ----
 *
 * The declaration is at 1 of the stack, what the type needs is kept in the
 * table at `anchor`. */
void *kit_keep(lua_State *L, int anchor, size_t count, size_t size);
/* Text of field `name` of the table on top, kept; NULL if there is none. */
const char *kit_text(lua_State *L, int anchor, const char *name);
void kit_read_params(lua_State *L, int anchor, struct kit_type *type);
void kit_read_stats(lua_State *L, int anchor, struct kit_type *type);

/* Tests for a type made here. */
bool kit_is(const struct loom_policy_type *type);

#endif

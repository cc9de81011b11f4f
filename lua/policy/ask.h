/*
 * Asking: a call of a Lua function with its arguments, and reading what it
 * answers.
 *
 *     const struct kit_ask *ask = KIT_ASK(policy, KIT_timer, now);
 *
 *     if (kit_call(ask, results)) {
 *         read results from -results .. -1
 *         kit_done(ask, results);
 *     }
 */
#ifndef LUA_POLICY_ASK_H
#define LUA_POLICY_ASK_H

#include "lua/policy/kit_private.h"

/* What an argument is pushed as. */
enum kit_arg_kind {
    ARG_NOTHING, /* not told: C's place for more of the answer */
    ARG_NUMBER,
    ARG_FLAG,
    ARG_TEXT,
    ARG_WAYS, /* a list of them */
    ARG_PUSH, /* whatever `push` makes of it */
    ARG_VIEW  /* + enum kit_view; NULL is nil */
};

struct kit_arg {
    enum kit_arg_kind kind;
    uint64_t value; /* a number, or an address as one */
    void (*push)(lua_State *L, const void *at);
    const void *before; /* what the view showed */
};

struct kit_ask {
    struct loom_policy *policy;
    enum kit_call call;
    uint32_t count;
    struct kit_arg *arg; /* [count] */
};

struct loom_access;
struct loom_bypass;
struct loom_command_event;
struct loom_dispatch_view;
struct loom_hop;
struct loom_lanes;
struct loom_queue_view;
struct loom_schedule_view;
struct loom_throttle_view;
struct loom_ways;

/* An expression as an argument. */
#define KIT_ARG(x)                                                             \
    {                                                                          \
        .kind = (enum kit_arg_kind)KIT_ARG_KIND(x),                            \
        .value = (uint64_t)(uintptr_t)(x)                                      \
    }
/* clang-format off */
#define KIT_ARG_KIND(x) \
    _Generic((x), \
        bool: ARG_FLAG, \
        uint32_t: ARG_NUMBER, \
        uint64_t: ARG_NUMBER, \
        const char *: ARG_TEXT, \
        struct loom_ways *: ARG_WAYS, \
        const struct loom_ways *: ARG_WAYS, \
        struct loom_bypass *: ARG_NOTHING, \
        const struct loom_mem_request *: (int)ARG_VIEW + VIEW_REQUEST, \
        const struct loom_event *: (int)ARG_VIEW + VIEW_EVENT, \
        const struct loom_throttle_view *: (int)ARG_VIEW + VIEW_THROTTLE, \
        const struct loom_schedule_view *: (int)ARG_VIEW + VIEW_SCHEDULE, \
        const struct loom_dispatch_view *: (int)ARG_VIEW + VIEW_DISPATCH, \
        const struct loom_hop *: (int)ARG_VIEW + VIEW_HOP, \
        const struct loom_command_event *: (int)ARG_VIEW + VIEW_COMMAND)
/* clang-format on */
#define KIT_PUSH(function, at)                                                 \
    {                                                                          \
        .kind = ARG_PUSH, .value = (uint64_t)(uintptr_t)(at), .push = function \
    }

/* One to four of them: KIT_EACH(macro, ..) is macro_n(..). */
#define KIT_COUNT(...) KIT_COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define KIT_COUNT_(a, b, c, d, n, ...) n
#define KIT_EACH(macro, ...)                                                   \
    KIT_EACH_(macro, KIT_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KIT_EACH_(macro, n, ...) KIT_EACH__(macro, n, __VA_ARGS__)
#define KIT_EACH__(macro, n, ...) macro##_##n(__VA_ARGS__)

#define KIT_ARGS_1(a) KIT_ARG(a)
#define KIT_ARGS_2(a, b) KIT_ARGS_1(a), KIT_ARG(b)
#define KIT_ARGS_3(a, b, c) KIT_ARGS_2(a, b), KIT_ARG(c)
#define KIT_ARGS_4(a, b, c, d) KIT_ARGS_3(a, b, c), KIT_ARG(d)

#define KIT_ASK(policy, call, ...)                                             \
    KIT_ASK_ARGS(policy, call, KIT_EACH(KIT_ARGS, __VA_ARGS__))
/* The same with arguments that are written as { .kind = .. }. */
#define KIT_ASK_ARGS(policy, call, ...)                                        \
    (&(const struct kit_ask){policy, call,                                     \
                             LOOM_COUNTOF(((struct kit_arg[]){__VA_ARGS__})),  \
                             (struct kit_arg[]){__VA_ARGS__}})

/* True: the results are on the stack of the type. */
bool kit_call(const struct kit_ask *ask, int results);
void kit_done(const struct kit_ask *ask, int results);
/* A call without results. */
void kit_tell(const struct kit_ask *ask);
/* A call whose answer is a whole number in [low, high]; `otherwise` if there
 * is no answer, or if it is nil and `nil` is true. */
struct kit_range {
    uint64_t low, high, otherwise;
    bool nil;
};
uint64_t kit_number(const struct kit_ask *ask, const struct kit_range *range);
/* A call whose answer is one of names[count], told as its index.  0: none of
 * them, that is nil, false and what is refused.  Names may be missing.  With
 * `bypass` there are two more results, how to bypass. */
uint32_t kit_choice(const struct kit_ask *ask, const char *const *names,
                    uint32_t count, struct loom_bypass *bypass);
/* The answer cannot be: ends the run.  The text says what was expected. */
void kit_refuse(const struct kit_ask *ask, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
/* Result at `at` as a whole number in [low, high]; false and refused if not. */
bool kit_integer(const struct kit_ask *ask, int at, uint64_t low, uint64_t high,
                 uint64_t *value);

/* ---- lists and tables (tables.c) ---- */

bool kit_has_way(const struct loom_ways *ways, uint64_t way);
/* Keeps the ways of the list on top, which must be among them. */
void kit_keep_ways(const struct kit_ask *ask, struct loom_ways *ways);

/* For KIT_PUSH: of a struct loom_lanes, a struct kit_queues and a struct
 * kit_inputs. */
void kit_push_lanes(lua_State *L, const void *at);
void kit_push_queues(lua_State *L, const void *at);
void kit_push_inputs(lua_State *L, const void *at);
struct kit_queues {
    const struct loom_queue_view *queue;
    uint32_t count;
};
struct kit_inputs {
    const uint64_t *requests; /* one bit each */
    uint32_t count;
};

static inline bool kit_wants(const uint64_t *requests, uint32_t input)
{
    return (requests[input / 64] >> (input % 64) & 1) != 0;
}

/* The list on top, or 0 if it is none, or does not cover the lanes. */
uint32_t kit_read_accesses(lua_State *L, const struct loom_lanes *lanes,
                           struct loom_access *access);

#endif

/*
 * Calls of a policy's Lua functions, and what is done when one fails.
 *
 * The first error ends the run (loom_raise): results so far are written.
 * Until the window ends the policy answers with defaults and is not called.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/machine.h"

#include "lua/policy/ask.h"
#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"
#include "policies/transform_hook.h"

#define NAME(hook, op, name, required, ...) OWN_NAME(hook, op, name, required)
#define OWN_NAME(hook, op, name, required)                                     \
    {name, &loom_##hook##_hook, required},

static const struct kit_call_info calls[] = {
    {"init", NULL, false},
    {"bind", NULL, false},
    {"timer", NULL, false},
    {"settle", NULL, false},
    {"check", NULL, false},
    KIT_HOOKS(KIT_ROWS, NAME, NAME, OWN_NAME, KIT_NONE, KIT_NONE)};

struct kit_call_info kit_call_info(enum kit_call call)
{
    enum loom_event_kind event = (enum loom_event_kind)(call - KIT_EVENT);

    if (call < KIT_EVENT) {
        return calls[call];
    }
    return (struct kit_call_info){loom_event_names[event],
                                  loom_event_hook(event), false};
}

struct kit_state *kit_state(struct loom_policy *policy)
{
    return loom_policy_state(policy);
}

bool kit_has(struct loom_policy *policy, enum kit_call call)
{
    return kit_state(policy)->type->ref[call] != LUA_NOREF;
}

/* ---- failing ---- */

static void raise(struct loom_policy *policy, const char *text)
{
    struct kit_state *state = kit_state(policy);
    struct loom_error err;

    if (state->failed) {
        return;
    }
    state->failed = true;
    loom_fail(&err, LOOM_ERR_POLICY, "%s", text);
    loom_raise(loom_policy_host(policy), &err);
    /* For init and bind, where nothing runs yet. */
    lua_pushstring(state->type->L, text);
    lua_setfield(state->type->L, LUA_REGISTRYINDEX, "warploom.policy_error");
}

bool kit_outcome(struct loom_policy *policy, struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;
    const char *text;

    if (!state->failed) {
        return true;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, "warploom.policy_error");
    text = lua_tostring(L, -1);
    loom_fail(err, LOOM_ERR_POLICY, "%s", text != NULL ? text : "failed");
    lua_pop(L, 1);
    return false;
}

/* Adds which function of which policy it was. */
static void explain(const struct kit_ask *ask, const char *text)
{
    char full[480];
    size_t used;

    snprintf(full, sizeof(full), "%s", text);
    used = strcspn(full, "\n");
    snprintf(full + used, sizeof(full) - used, " (in '%s' of %s)",
             kit_call_info(ask->call).name, loom_policy_path(ask->policy));
    raise(ask->policy, full);
}

void kit_refuse(const struct kit_ask *ask, const char *fmt, ...)
{
    struct kit_type *type = kit_state(ask->policy)->type;
    lua_State *L = type->L;
    lua_Debug where;
    char text[300], full[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    lua_rawgeti(L, LUA_REGISTRYINDEX, type->ref[ask->call]);
    lua_getinfo(L, ">S", &where);
    snprintf(full, sizeof(full), "%s:%d: answered %s", where.short_src,
             where.linedefined, text);
    explain(ask, full);
}

/* ---- calling ---- */

static void push_ways(lua_State *L, const struct loom_ways *ways)
{
    lua_createtable(L, (int)ways->count, 0);
    for (uint32_t i = 0; i < ways->count; i++) {
        lua_pushinteger(L, ways->way[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Returns how many arguments of the Lua function that is. */
static int push_arg(struct kit_type *type, struct kit_arg *arg)
{
    lua_State *L = type->L;
    const void *at = (const void *)(uintptr_t)arg->value;

    switch (arg->kind) {
    case ARG_NOTHING:
        return 0;
    case ARG_NUMBER:
        lua_pushinteger(L, (lua_Integer)arg->value);
        return 1;
    case ARG_FLAG:
        lua_pushboolean(L, arg->value != 0);
        return 1;
    case ARG_TEXT:
        lua_pushstring(L, at);
        return 1;
    case ARG_WAYS:
        push_ways(L, at);
        return 1;
    case ARG_PUSH:
        arg->push(L, at);
        return 1;
    case ARG_VIEW:
        break;
    }
    arg->before = kit_show(type, (enum kit_view)(arg->kind - ARG_VIEW), at);
    return 1;
}

bool kit_call(const struct kit_ask *ask, int results)
{
    struct kit_state *state = kit_state(ask->policy);
    struct kit_type *type = state->type;
    lua_State *L = type->L;
    struct kit_stats *stats;
    int arguments = 1;
    bool ok;

    if (type->ref[ask->call] == LUA_NOREF || state->failed) {
        return false;
    }
    if (!lua_checkstack(L, 64)) {
        raise(ask->policy, "no memory for a call");
        return false;
    }
    stats = loom_policy_stats(ask->policy);
    stats->lua_calls++;
    if (type->running++ == 0) {
        type->steps = 0;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, type->ref[ask->call]);
    for (uint32_t i = 0; i < ask->count; i++) {
        arguments += push_arg(type, &ask->arg[i]);
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->self);
    ok = lua_pcall(L, arguments, results, 0) == LUA_OK;
    type->running--;
    if (!ok) {
        explain(ask, luaL_tolstring(L, -1, NULL));
        kit_done(ask, 2);
    }
    return ok;
}

void kit_done(const struct kit_ask *ask, int results)
{
    struct kit_type *type = kit_state(ask->policy)->type;

    if (results != 0) {
        lua_pop(type->L, results);
    }
    for (uint32_t i = 0; i < ask->count; i++) {
        if (ask->arg[i].kind >= ARG_VIEW) {
            kit_hide(type, (enum kit_view)(ask->arg[i].kind - ARG_VIEW),
                     ask->arg[i].before);
        }
    }
}

void kit_tell(const struct kit_ask *ask)
{
    if (kit_call(ask, 0)) {
        kit_done(ask, 0);
    }
}

/* ---- answers ---- */

bool kit_integer(const struct kit_ask *ask, int at, uint64_t low, uint64_t high,
                 uint64_t *value)
{
    lua_State *L = kit_state(ask->policy)->type->L;
    int is_integer;
    uint64_t given = (uint64_t)lua_tointegerx(L, at, &is_integer);

    if (is_integer == 0 || given < low || given > high) {
        kit_refuse(ask, "%s, expected a whole number %llu..%llu",
                   luaL_tolstring(L, at, NULL), (unsigned long long)low,
                   (unsigned long long)high);
        lua_pop(L, 1);
        return false;
    }
    *value = given;
    return true;
}

uint64_t kit_number(const struct kit_ask *ask, const struct kit_range *range)
{
    uint64_t value = range->otherwise;

    if (kit_call(ask, 1)) {
        if (!range->nil || !lua_isnil(kit_state(ask->policy)->type->L, -1)) {
            kit_integer(ask, -1, range->low, range->high, &value);
        }
        kit_done(ask, 1);
    }
    return value;
}

/* The result at `at` as an index of names[]. */
static uint32_t choice_at(const struct kit_ask *ask, int at,
                          const char *const *names, uint32_t count)
{
    lua_State *L = kit_state(ask->policy)->type->L;
    const char *text = NULL;
    char list[160] = "nil";

    if (!lua_toboolean(L, at)) {
        return 0;
    }
    if (lua_type(L, at) == LUA_TSTRING) {
        text = lua_tostring(L, at);
    }
    for (uint32_t i = 0; i < count && text != NULL; i++) {
        if (names[i] != NULL && strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (names[i] != NULL) {
            snprintf(list + strlen(list), sizeof(list) - strlen(list),
                     ", \"%s\"", names[i]);
        }
    }
    kit_refuse(ask, "%s, expected one of %s", luaL_tolstring(L, at, NULL),
               list);
    lua_pop(L, 1);
    return 0;
}

/* Results -2 and -1: the size to fetch, and whether it may merge. */
static void read_bypass(const struct kit_ask *ask, struct loom_bypass *bypass)
{
    lua_State *L = kit_state(ask->policy)->type->L;
    uint64_t size = bypass->size_bytes;

    if (!lua_isnil(L, -2)) {
        if (kit_integer(ask, -2, 32, 128, &size) && !loom_is_power_of_2(size)) {
            kit_refuse(ask, "a size of %u, expected 32, 64 or 128",
                       (uint32_t)size);
            return;
        }
        bypass->size_bytes = (uint16_t)size;
    }
    if (!lua_isnil(L, -1)) {
        bypass->may_merge = lua_toboolean(L, -1) != 0;
    }
}

uint32_t kit_choice(const struct kit_ask *ask, const char *const *names,
                    uint32_t count, struct loom_bypass *bypass)
{
    const int results = bypass != NULL ? 3 : 1;
    uint32_t choice = 0;

    if (kit_call(ask, results)) {
        choice = choice_at(ask, -results, names, count);
        if (choice != 0 && bypass != NULL) {
            read_bypass(ask, bypass);
        }
        kit_done(ask, results);
    }
    return choice;
}

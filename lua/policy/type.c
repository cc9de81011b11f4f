/*
 * A policy type from its declaration in Lua.
 *
 * The library (lua/warploom/policy/kit.lua) has checked the declaration and
 * worded its mistakes; what comes here has every field.  A type lives until
 * the Lua state is closed, as machines that were made with it do.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/machine.h"
#include "engine/registry.h"

#include "lua/policy/ask.h"
#include "lua/policy_types.h"

#define TYPE "warploom.policy_type"
#define TYPES "warploom.policy_types"

/* ---- functions and facets ---- */

static void observe(struct loom_policy *policy, const struct loom_event *event)
{
    kit_tell(KIT_ASK(policy, (enum kit_call)(KIT_EVENT + event->kind), event));
}

#define BIND(place, ...)                                                       \
    static bool place##_bind(struct loom_policy *policy,                       \
                             const struct loom_observe_shape *shape,           \
                             struct loom_error *err)                           \
    {                                                                          \
        const struct kit_shape numbers[] = {__VA_ARGS__};                      \
                                                                               \
        return kit_bind(policy, &loom_##place##_observe_hook, numbers,         \
                        LOOM_COUNTOF(numbers), err);                           \
    }
#define N KIT_SHAPE

/* clang-format off */
BIND(sm, N(schedulers), N(warps))
BIND(ldst, N(schedulers), N(warps))
BIND(cache, N(sm), N(sets), N(ways), N(line_bytes))
/* clang-format on */

/* Pushes the name that a call has in a declaration. */
static const char *push_name(lua_State *L, enum kit_call call)
{
    const char *name = kit_call_info(call).name;

    return call < KIT_EVENT ? lua_pushstring(L, name)
                            : lua_pushfstring(L, "observe.%s", name);
}

/* Functions by name. */
static void read_functions(lua_State *L, struct kit_type *type)
{
    lua_getfield(L, 1, "functions");
    for (int i = 0; i < KIT_CALLS; i++) {
        push_name(L, (enum kit_call)i);
        type->ref[i] = LUA_NOREF;
        if (lua_rawget(L, -2) == LUA_TFUNCTION) {
            type->ref[i] = luaL_ref(L, LUA_REGISTRYINDEX);
        } else {
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

static bool answers(const struct kit_type *type, const struct loom_hook *hook)
{
    for (int i = 0; i < KIT_EVENT; i++) {
        if (type->ref[i] != LUA_NOREF &&
            kit_call_info((enum kit_call)i).hook == hook) {
            return true;
        }
    }
    return false;
}

static void add_facet(struct kit_type *type, struct loom_facet facet)
{
    type->facet[type->type.facets.count++] = facet;
}

/* The hooks that it has functions for. */
static void read_facets(lua_State *L, int anchor, struct kit_type *type)
{
    static const struct loom_hook *const hooks[3] = {&loom_sm_observe_hook,
                                                     &loom_ldst_observe_hook,
                                                     &loom_cache_observe_hook};

    type->facet = kit_keep(L, anchor, kit_facets + 3, sizeof(*type->facet));
    type->type.facets.item = type->facet;
    for (size_t i = 0; i < kit_facets; i++) {
        if (answers(type, kit_facet[i].hook)) {
            add_facet(type, kit_facet[i]);
        }
    }
    type->observe[0].bind = sm_bind;
    type->observe[1].bind = ldst_bind;
    type->observe[2].bind = cache_bind;
    for (size_t i = 0; i < LOOM_COUNTOF(hooks); i++) {
        type->observe[i].observe = observe;
        for (int event = 0; event < LOOM_EVENTS; event++) {
            if (type->ref[KIT_EVENT + event] != LUA_NOREF &&
                loom_event_hook((enum loom_event_kind)event) == hooks[i]) {
                type->observe[i].events |= loom_bit((uint32_t)event);
            }
        }
        if (type->observe[i].events != 0) {
            add_facet(type, (struct loom_facet){hooks[i], &type->observe[i]});
        }
    }
}

/* ---- life of an instance ---- */

static bool kit_init(struct loom_policy *policy, struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);

    state->type = (struct kit_type *)(uintptr_t)loom_policy_type_of(policy);
    for (size_t i = 0; i < state->type->type.stats.count; i++) {
        const struct loom_stat *stat = &state->type->stat[i];
        struct loom_array *array;

        if (stat->kind == LOOM_STAT_ARRAY) {
            array = (void *)((char *)loom_policy_stats(policy) + stat->offset);
            array->count = state->type->array_count[i];
            array->item =
                loom_policy_alloc(policy, array->count, sizeof(uint64_t));
            if (array->item == NULL) {
                return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'",
                                 stat->name);
            }
        }
    }
    if (!kit_make_self(policy, err)) {
        return false;
    }
    kit_tell(&(const struct kit_ask){policy, KIT_INIT, 0, NULL});
    return kit_outcome(policy, err);
}

static void kit_timer(struct loom_policy *policy, loom_cycle now)
{
    kit_tell(KIT_ASK(policy, KIT_TIMER, now));
}

static void kit_settle(struct loom_policy *policy, loom_cycle now)
{
    kit_tell(KIT_ASK(policy, KIT_SETTLE, now));
}

/* Answers true or nothing, or false (or nil) and what is wrong. */
static bool kit_check(struct loom_policy *policy, struct loom_error *err)
{
    const struct kit_ask ask = {policy, KIT_CHECK, 0, NULL};
    lua_State *L = kit_state(policy)->type->L;
    bool ok = true;

    if (!kit_call(&ask, 2)) {
        return kit_outcome(policy, err);
    }
    if (!lua_toboolean(L, -2) && lua_type(L, -1) == LUA_TSTRING) {
        ok = loom_fail(err, LOOM_ERR_POLICY, "%s", lua_tostring(L, -1));
    }
    kit_done(&ask, 2);
    return ok;
}

/* A call of a hundred million instructions will not end. */
static void count_steps(lua_State *L, lua_Debug *ar)
{
    struct kit_type *type = *(struct kit_type **)lua_getextraspace(L);

    (void)ar; /* NULL: a coroutine's */
    if (type != NULL && ++type->steps > 100) {
        luaL_where(L, 0); /* the function that was interrupted */
        lua_pushliteral(L, "the call does not end: it ran a hundred million "
                           "instructions");
        lua_concat(L, 2);
        lua_error(L);
    }
}

static void fill_ops(struct kit_type *type)
{
    type->type.state_size = sizeof(struct kit_state);
    type->type.init = kit_init;
    if (type->ref[KIT_TIMER] != LUA_NOREF) {
        type->type.timer = kit_timer;
    }
    if (type->ref[KIT_SETTLE] != LUA_NOREF) {
        type->type.settle = kit_settle;
    }
    type->type.check = kit_check;
    type->type.in_order = true; /* what a script keeps beside its instances */
}

bool kit_is(const struct loom_policy_type *type)
{
    return type->init == kit_init;
}

/* core.policy(declaration) -> the type as core.registry() tells it. */
static int new_policy(lua_State *L)
{
    struct kit_type *type;
    int anchor;

    lua_settop(L, 1);
    lua_newtable(L);
    anchor = lua_gettop(L);
    type = kit_keep(L, anchor, 1, sizeof(*type));
    lua_pushvalue(L, 1);
    type->type.name = kit_text(L, anchor, "name");
    type->type.doc = kit_text(L, anchor, "doc");
    type->queues = (uint32_t)loom_lua_int(L, 1, "queues", 0);
    type->depth = (uint32_t)loom_lua_int(L, 1, "depth", 0);
    lua_pop(L, 1);
    kit_read_params(L, anchor, type);
    kit_read_stats(L, anchor, type);
    read_functions(L, type);
    read_facets(L, anchor, type);
    fill_ops(type);
    type->L = lua_newthread(L);
    lua_rawseti(L, anchor, (lua_Integer)lua_rawlen(L, anchor) + 1);
    *(struct kit_type **)lua_getextraspace(type->L) = type;
    lua_sethook(type->L, count_steps, LUA_MASKCOUNT, 1000000);
    kit_open_views(L, type);
    loom_lua_add_policy_type(L, &type->type, anchor);
    loom_lua_push_policy_type(L, &type->type);
    return 1;
}

/* core.policy_calls() -> list of { name = "admit.admit" or "observe.evict",
 * hook =, required = }, list of units. */
static int policy_calls(lua_State *L)
{
    lua_Integer row = 0;

    lua_newtable(L);
    for (int i = 0; i < KIT_CALLS; i++) {
        const struct kit_call_info info = kit_call_info((enum kit_call)i);

        lua_newtable(L);
        push_name(L, (enum kit_call)i);
        lua_setfield(L, -2, "name");
        if (info.hook != NULL) {
            loom_lua_set_text(L, "hook", info.hook->name);
        }
        loom_lua_set_flag(L, "required", info.required);
        lua_rawseti(L, -2, ++row);
    }
    lua_newtable(L);
    row = 0;
    for (int i = 0; i < LOOM_UNIT_END; i++) {
        if (i != LOOM_UNIT_RATIO) { /* "1", as a pure number */
            lua_pushstring(L, loom_unit_name((enum loom_unit)i));
            lua_rawseti(L, -2, ++row);
        }
    }
    return 2;
}

/* core.policy_hint(function): words "did you mean" for unknown fields. */
static int policy_hint(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "warploom.policy_hint");
    return 0;
}

void loom_lua_drop_selves(struct loom_machine *machine)
{
    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        struct loom_policy *policy = loom_machine_policy(machine, i);

        if (kit_is(loom_policy_type_of(policy)) &&
            kit_state(policy)->type != NULL) {
            kit_drop_self(policy);
        }
    }
}

void loom_lua_open_policy(lua_State *L)
{
    static const luaL_Reg functions[] = {{"policy", new_policy},
                                         {"policy_calls", policy_calls},
                                         {"policy_hint", policy_hint},
                                         {NULL, NULL}};

    *(struct kit_type **)lua_getextraspace(L) = NULL;
    luaL_setfuncs(L, functions, 0);
}

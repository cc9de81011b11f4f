/*
 * A machine as Lua userdata: built from one resolved description, run in
 * slices by the library, read, and closed.
 *
 * The description is checked by the library before it comes here; what is
 * refused here nevertheless (by a part's own init, say) is reported as a
 * list of { path =, text = }, all of it at once.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/forecast.h"
#include "engine/image.h"
#include "engine/registry.h"

#include "lua/image.h"
#include "lua/interrupt.h"
#include "lua/methods.h"
#include "lua/policy_types.h"

/* Where errors go while a machine is built: the table at `list`. */
struct problems {
    lua_State *L;
    int list;
};

static void add_problem(void *context, const char *path,
                        const struct loom_error *err)
{
    struct problems *problems = context;
    lua_State *L = problems->L;

    lua_newtable(L);
    loom_lua_set_text(L, "path", path);
    loom_lua_set_text(L, "text", err->text);
    loom_lua_set_text(L, "kind", loom_lua_error_kind(err->kind));
    lua_rawseti(L, problems->list,
                (lua_Integer)lua_rawlen(L, problems->list) + 1);
}

/* One parameter: the value is on top and stays there.  `target` says which
 * of the two is given. */
struct target {
    struct loom_component *component;
    struct loom_policy *policy;
    struct loom_params params;
    const char *path;
};

static void set_one(struct problems *problems, const struct target *target,
                    const struct loom_param *param)
{
    lua_State *L = problems->L;
    int top = lua_gettop(L);
    union loom_value value;
    struct loom_error err;

    if (!loom_lua_value(L, top, param, &value, &err) ||
        !(target->component != NULL
              ? loom_machine_put(target->component, param, value, &err)
              : loom_machine_put_policy(target->policy, param, value, &err))) {
        add_problem(problems, target->path, &err);
    }
    lua_settop(L, top);
}

/* Names of the table at `params` that the type does not have. */
static void refuse_unknown(struct problems *problems,
                           const struct target *target, int params)
{
    lua_State *L = problems->L;
    struct loom_error err;

    lua_pushnil(L);
    while (lua_next(L, params) != 0) {
        const char *name = lua_tostring(L, -2);

        if (loom_params_find(target->params, name) == NULL) {
            loom_fail(&err, LOOM_ERR_CONFIG, "no parameter '%s'", name);
            add_problem(problems, target->path, &err);
        }
        lua_pop(L, 1);
    }
}

/* The table of parameters in field `params` of the entry on top, in the order
 * of their declaration: what is kept of them lies in memory in this order, each
 * time (engine/image.h). */
static void set_all(struct problems *problems, const struct target *target)
{
    lua_State *L = problems->L;
    int entry = lua_gettop(L);
    size_t given = 0, known = 0;

    lua_getfield(L, entry, "params");
    lua_pushnil(L);
    for (; lua_next(L, entry + 1) != 0; lua_pop(L, 1)) {
        given++;
    }
    for (size_t i = 0; i < target->params.count && known < given; i++) {
        const struct loom_param *param = &target->params.item[i];

        if (lua_getfield(L, entry + 1, param->name) != LUA_TNIL) {
            known++;
            set_one(problems, target, param);
        }
        lua_settop(L, entry + 1);
    }
    if (known < given) {
        refuse_unknown(problems, target, entry + 1);
    }
    lua_settop(L, entry);
}

static void add_component(struct problems *problems,
                          struct loom_machine *machine)
{
    lua_State *L = problems->L;
    int entry = lua_gettop(L);
    const char *path = loom_lua_text(L, entry, "path");
    const char *name = loom_lua_text(L, entry, "type");
    const struct loom_component_type *type = loom_lua_component_type(L, name);
    uint64_t hertz = (uint64_t)loom_lua_int(L, entry, "hertz", 1);
    struct target target = {NULL, NULL, {NULL, 0}, path};
    struct loom_error err;

    if (type == NULL) {
        loom_fail(&err, LOOM_ERR_CONFIG, "no component type '%s'", name);
        add_problem(problems, path, &err);
        return;
    }
    target.params = type->params;
    target.component = loom_machine_add(
        machine, type, path, loom_machine_clock(machine, hertz), &err);
    if (target.component == NULL) {
        add_problem(problems, path, &err);
        return;
    }
    set_all(problems, &target);
}

/* Attachments: field `attach` of the entry on top. */
static void attach_all(struct problems *problems, struct loom_machine *machine,
                       struct loom_policy *policy)
{
    lua_State *L = problems->L;
    int entry = lua_gettop(L);
    lua_Integer count;

    lua_getfield(L, entry, "attach");
    count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        const char *path, *slot;
        struct loom_component *component;
        struct loom_error err;

        lua_rawgeti(L, entry + 1, i);
        path = loom_lua_text(L, entry + 2, "component");
        slot = loom_lua_text(L, entry + 2, "slot");
        component = loom_machine_find(machine, path);
        if (component != NULL &&
            !loom_machine_attach(component, slot, policy, &err)) {
            add_problem(problems, path, &err);
        }
        lua_settop(L, entry + 1);
    }
    lua_settop(L, entry);
}

static void add_policy(struct problems *problems, struct loom_machine *machine)
{
    lua_State *L = problems->L;
    int entry = lua_gettop(L);
    const char *path = loom_lua_text(L, entry, "path");
    const char *name = loom_lua_text(L, entry, "type");
    const struct loom_policy_type *type = loom_lua_policy_type(L, name);
    struct target target = {NULL, NULL, {NULL, 0}, path};
    struct loom_error err;

    if (type == NULL) {
        loom_fail(&err, LOOM_ERR_CONFIG, "no policy type '%s'", name);
        add_problem(problems, path, &err);
        return;
    }
    target.params = type->params;
    target.policy = loom_machine_add_policy(machine, type, path, &err);
    if (target.policy == NULL) {
        add_problem(problems, path, &err);
        return;
    }
    set_all(problems, &target);
    attach_all(problems, machine, target.policy);
}

static struct loom_wire wire_of(lua_State *L, int entry, const char *name)
{
    struct loom_wire wire;
    int at;

    lua_getfield(L, entry, name);
    at = lua_gettop(L);
    wire.latency = (loom_cycle)loom_lua_int(L, at, "latency", 1);
    wire.credit = (loom_cycle)loom_lua_int(L, at, "credit", 1);
    wire.capacity = (uint32_t)loom_lua_int(L, at, "capacity", 2);
    lua_pop(L, 1);
    return wire;
}

static struct loom_end end_of(lua_State *L, struct loom_machine *machine,
                              int entry, const char *name)
{
    struct loom_end end;
    int at;

    lua_getfield(L, entry, name);
    at = lua_gettop(L);
    end.component = loom_machine_find(machine, loom_lua_text(L, at, "path"));
    end.port = loom_lua_text(L, at, "port");
    end.index = (uint32_t)loom_lua_int(L, at, "index", 0);
    lua_pop(L, 1);
    return end;
}

static void add_link(struct problems *problems, struct loom_machine *machine)
{
    lua_State *L = problems->L;
    int entry = lua_gettop(L);
    struct loom_end client = end_of(L, machine, entry, "client");
    struct loom_end server = end_of(L, machine, entry, "server");
    struct loom_wire request = wire_of(L, entry, "request");
    struct loom_wire reply = wire_of(L, entry, "reply");
    struct loom_error err;

    if (client.component != NULL && server.component != NULL &&
        !loom_machine_link(machine, client, server, request, reply, &err)) {
        add_problem(problems, loom_component_path(client.component), &err);
    }
}

/* Calls `add` for each entry of list `name` of the description at 1. */
static void each(struct problems *problems, struct loom_machine *machine,
                 const char *name,
                 void (*add)(struct problems *, struct loom_machine *))
{
    lua_State *L = problems->L;
    int top = lua_gettop(L);
    lua_Integer count;

    luaL_checkstack(L, 32, "description");
    lua_getfield(L, 1, name);
    count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, top + 1, i);
        add(problems, machine);
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
}

/* The place at 4, if there is one (engine/image.h). */
static bool put_in_place(struct problems *problems,
                         struct loom_machine *machine, lua_Integer place)
{
    struct loom_error err;

    if (place < 0 || (place < LOOM_IMAGE_PLACES &&
                      loom_machine_place(machine, (uint32_t)place))) {
        return true;
    }
    loom_fail(&err, LOOM_ERR_MEMORY,
              "its part of the address space is taken, or is not there");
    add_problem(problems, "machine", &err);
    return false;
}

/* Tests want all threads at work, however small the machine. */
static enum loom_pace pace(void)
{
    const char *how = getenv("WARPLOOM_PACE");

    if (how != NULL && strcmp(how, "fixed") == 0) {
        return LOOM_PACE_FIXED;
    }
    return how != NULL && strcmp(how, "change") == 0 ? LOOM_PACE_CHANGE
                                                     : LOOM_PACE_PAYS;
}

/* core.machine(description, threads, shuffle, place) -> machine, or nil and a
 * list of problems.  With 0 threads it has one and is measured (forecast.c).
 * `shuffle` is for tests: the seed of another order of ticks.  With `place` it
 * can be saved. */
static int machine_new(lua_State *L)
{
    struct problems problems = {L, 2};
    uint32_t threads = (uint32_t)luaL_optinteger(L, 2, 1);
    lua_Integer shuffle = luaL_optinteger(L, 3, 0);
    lua_Integer place = luaL_optinteger(L, 4, -1);
    struct loom_lua_owner *owner;
    struct loom_machine *machine;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newtable(L);
    owner = loom_lua_own(L, LOOM_LUA_MACHINE, 1);
    lua_newtable(L); /* its launches */
    lua_setiuservalue(L, -2, 1);
    machine = loom_machine_create((uint64_t)loom_lua_int(L, 1, "seed", 1));
    owner->object = machine;
    if (machine == NULL) {
        return loom_lua_no_memory(L, "a machine");
    }
    if (threads == 0) {
        loom_machine_foresee(machine, pace());
    } else {
        loom_machine_threads(machine, threads, pace());
    }
    loom_machine_interruptible(machine, loom_interrupt_pause());
    if (shuffle != 0) {
        loom_machine_shuffle(machine, (uint64_t)shuffle);
    }
    if (put_in_place(&problems, machine, place)) {
        each(&problems, machine, "components", add_component);
        each(&problems, machine, "policies", add_policy);
        each(&problems, machine, "links", add_link);
    }
    if (lua_rawlen(L, 2) == 0 &&
        loom_machine_freeze(machine, add_problem, &problems)) {
        return 1;
    }
    loom_lua_drop_selves(machine);
    loom_machine_destroy(machine);
    owner->object = NULL;
    lua_pushnil(L);
    lua_pushvalue(L, 2);
    return 2;
}

static int machine_close(lua_State *L)
{
    struct loom_machine *machine = loom_lua_disown(L, LOOM_LUA_MACHINE);

    if (machine != NULL) {
        loom_lua_drop_selves(machine);
    }
    loom_machine_destroy(machine);
    return 0;
}

/* machine:run(until, patience) in femtoseconds; nil: no limit.  Returns why
 * it stopped, and for "error" the text and kind. */
static int machine_run(lua_State *L)
{
    static const char *const names[] = {
        [LOOM_STOP_NOTIFY] = "notify", [LOOM_STOP_IDLE] = "idle",
        [LOOM_STOP_TIME] = "time",     [LOOM_STOP_STUCK] = "stuck",
        [LOOM_STOP_ERROR] = "error",   [LOOM_STOP_ASKED] = "asked",
    };
    struct loom_machine *machine = loom_lua_machine(L, 1);
    loom_time until =
        lua_isnoneornil(L, 2) ? LOOM_NEVER : (loom_time)luaL_checkinteger(L, 2);
    loom_time patience =
        lua_isnoneornil(L, 3) ? LOOM_NEVER : (loom_time)luaL_checkinteger(L, 3);
    struct loom_error err = {LOOM_ERR_NONE, ""};
    enum loom_stop stop = loom_machine_run(machine, until, patience, &err);

    lua_pushstring(L, names[stop]);
    if (stop != LOOM_STOP_ERROR) {
        return 1;
    }
    lua_pushstring(L, err.text);
    lua_pushstring(L, loom_lua_error_kind(err.kind));
    return 3;
}

static int machine_settle(lua_State *L)
{
    loom_machine_settle(loom_lua_machine(L, 1));
    return 0;
}

/* machine:check() -> list of problems: broken conservation laws. */
static int machine_check(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    struct problems problems = {L, 2};

    lua_settop(L, 1);
    lua_newtable(L);
    loom_machine_check(machine, add_problem, &problems);
    return 1;
}

static int machine_report(lua_State *L)
{
    char *text = loom_machine_report(loom_lua_machine(L, 1));

    lua_pushstring(L, text == NULL ? "no memory for a report\n" : text);
    free(text);
    return 1;
}

static int machine_now(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)loom_machine_now(loom_lua_machine(L, 1)));
    return 1;
}

/* machine:skip(femtoseconds): so much time passes without the machine. */
static int machine_skip(lua_State *L)
{
    loom_machine_skip(loom_lua_machine(L, 1),
                      (loom_time)luaL_checkinteger(L, 2));
    return 0;
}

/* machine:together(whether): a launch that reads the time is under way. */
static int machine_together(lua_State *L)
{
    loom_machine_together(loom_lua_machine(L, 1), lua_toboolean(L, 2));
    return 0;
}

static int machine_ticks(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)loom_machine_ticks(loom_lua_machine(L, 1)));
    return 1;
}

/* machine:cycle(path): cycle of that component's clock. */
static int machine_cycle(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    struct loom_component *component =
        loom_machine_find(machine, luaL_checkstring(L, 2));

    luaL_argcheck(L, component != NULL, 2, "no such component");
    lua_pushinteger(L, (lua_Integer)loom_machine_cycle(
                           machine, loom_component_clock(component)));
    return 1;
}

static double seconds(const struct loom_machine *machine)
{
    return (double)loom_machine_now(machine) / 1e15;
}

static void push_entry(lua_State *L, const char *path, const char *type)
{
    lua_newtable(L);
    loom_lua_set_text(L, "path", path);
    loom_lua_set_text(L, "type", type);
}

/* machine:read() -> list of { path =, type =, host =, stats = } of all
 * components and policies, settled. */
static int machine_read(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    lua_Integer row = 0;

    loom_machine_settle(machine);
    lua_newtable(L);
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        struct loom_component *c = loom_machine_component(machine, i);
        const struct loom_component_type *type = loom_component_type_of(c);

        push_entry(L, loom_component_path(c), type->name);
        loom_lua_push_stats(L, type->stats, loom_stats_of(c), seconds(machine));
        lua_setfield(L, -2, "stats");
        lua_rawseti(L, -2, ++row);
    }
    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        struct loom_policy *p = loom_machine_policy(machine, i);
        const struct loom_policy_type *type = loom_policy_type_of(p);

        push_entry(L, loom_policy_path(p), type->name);
        loom_lua_set_flag(L, "policy", true);
        loom_lua_push_stats(L, type->stats, loom_policy_stats(p),
                            seconds(machine));
        lua_setfield(L, -2, "stats");
        lua_rawseti(L, -2, ++row);
    }
    return 1;
}

/* machine:total(type, stat): a counter summed over all components of a type;
 * 0 if the type does not have it. */
static int machine_total(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    const struct loom_component_type *type =
        loom_lua_component_type(L, luaL_checkstring(L, 2));
    const struct loom_stat *stat =
        type == NULL ? NULL
                     : loom_stats_find(type->stats, luaL_checkstring(L, 3));
    double total = 0;

    for (uint32_t i = 0;
         stat != NULL && i < loom_machine_component_count(machine); i++) {
        struct loom_component *c = loom_machine_component(machine, i);

        if (loom_component_type_of(c) == type) {
            total += loom_stat_read(stat, loom_stats_of(c), seconds(machine));
        }
    }
    lua_pushnumber(L, total);
    return 1;
}

void loom_lua_open_machine(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", machine_close},        {"run", machine_run},
        {"settle", machine_settle},      {"check", machine_check},
        {"report", machine_report},      {"now", machine_now},
        {"preload", loom_lua_preload},   {"ticks", machine_ticks},
        {"cycle", machine_cycle},        {"read", machine_read},
        {"total", machine_total},        {"launch", loom_lua_launch},
        {"copy", loom_lua_copy},         {"mark", loom_lua_mark},
        {"wait", loom_lua_wait},         {"pass", loom_lua_pass},
        {"skip", machine_skip},          {"together", machine_together},
        {"progress", loom_lua_progress}, {"links", loom_lua_links},
        {"loads", loom_lua_loads},       {"save", loom_lua_save},
        {"load", loom_lua_load},         {NULL, NULL}};
    static const luaL_Reg functions[] = {{"machine", machine_new},
                                         {"given", loom_lua_given},
                                         {"forecast", loom_lua_forecast},
                                         {NULL, NULL}};

    loom_lua_class(L, LOOM_LUA_MACHINE, methods, machine_close);
    luaL_setfuncs(L, functions, 0);
}

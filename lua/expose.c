/*
 * The registry as Lua tables.  Constructors, checks, `info`, the stubs and
 * the reference pages are all made from these, so that a name, a default or
 * a range has one source: the table beside the C struct.
 */
#include <stdint.h>

#include "engine/registry.h"

#include "lua/core.h"
#include "lua/policy_types.h"

/* A limit of 0 as maximum, or one beyond what Lua can write, is none. */
static void set_limit(lua_State *L, const char *name,
                      const struct loom_param *param, union loom_value value)
{
    bool upper = name[1] == 'a';

    if (param->type == LOOM_F64) {
        if (!upper || value.f != 0.0) {
            lua_pushnumber(L, value.f);
            lua_setfield(L, -2, name);
        }
    } else if (param->type == LOOM_U32 || param->type == LOOM_U64 ||
               param->type == LOOM_LIST) {
        if ((!upper || value.u != 0) && value.u <= (uint64_t)INT64_MAX) {
            loom_lua_set_int(L, name, value.u);
        }
    }
}

void loom_lua_push_value(lua_State *L, enum loom_type type,
                         union loom_value value)
{
    switch (type) {
    case LOOM_BOOL:
        lua_pushboolean(L, value.b);
        break;
    case LOOM_U32:
    case LOOM_U64:
        lua_pushinteger(L, (lua_Integer)value.u);
        break;
    case LOOM_F64:
        lua_pushnumber(L, value.f);
        break;
    case LOOM_STR:
        lua_pushstring(L, value.s);
        break;
    case LOOM_LIST:
        lua_createtable(L, (int)value.list.count, 0);
        for (uint32_t i = 0; i < value.list.count; i++) {
            lua_pushinteger(L, (lua_Integer)value.list.item[i]);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        break;
    }
}

static void push_param(lua_State *L, const struct loom_param *param)
{
    lua_newtable(L);
    loom_lua_set_text(L, "name", param->name);
    loom_lua_set_text(L, "doc", param->doc);
    loom_lua_set_text(L, "source", param->source);
    loom_lua_set_text(L, "type", loom_type_name(param->type));
    loom_lua_set_text(L, "unit", loom_unit_name(param->unit));
    loom_lua_set_flag(L, "required", param->required);
    loom_lua_set_flag(L, "power_of_2", param->power_of_2);
    loom_lua_set_flag(L, "wide", param->type != LOOM_U32);
    set_limit(L, "min", param, param->min);
    set_limit(L, "max", param, param->max);
    if (!param->required) {
        loom_lua_push_value(L, param->type, param->def);
        lua_setfield(L, -2, "default");
    }
    if (param->choices != NULL) {
        lua_newtable(L);
        for (lua_Integer i = 0; param->choices[i] != NULL; i++) {
            lua_pushstring(L, param->choices[i]);
            lua_rawseti(L, -2, i + 1);
        }
        lua_setfield(L, -2, "choices");
    }
}

static void set_params(lua_State *L, struct loom_params params)
{
    lua_newtable(L);
    for (size_t i = 0; i < params.count; i++) {
        push_param(L, &params.item[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "params");
}

static const char *const stat_kinds[] = {
    [LOOM_STAT_COUNTER] = "counter",     [LOOM_STAT_GAUGE] = "gauge",
    [LOOM_STAT_VECTOR] = "vector",       [LOOM_STAT_ARRAY] = "array",
    [LOOM_STAT_HISTOGRAM] = "histogram", [LOOM_STAT_RATIO] = "ratio",
    [LOOM_STAT_RATE] = "rate",           [LOOM_STAT_ENERGY] = "energy",
    [LOOM_STAT_POWER] = "power",
};

static void push_stat(lua_State *L, struct loom_stats stats,
                      const struct loom_stat *stat)
{
    lua_newtable(L);
    loom_lua_set_text(L, "name", stat->name);
    loom_lua_set_text(L, "doc", stat->doc);
    loom_lua_set_text(L, "kind", stat_kinds[stat->kind]);
    loom_lua_set_text(L, "unit", loom_unit_name(stat->unit));
    loom_lua_set_text(L, "axis", stat->axis);
    if (stat->kind == LOOM_STAT_RATIO || stat->kind == LOOM_STAT_RATE) {
        loom_lua_set_text(L, "numerator", loom_stat_at(stats, stat->offset));
    }
    if (stat->kind == LOOM_STAT_RATIO) {
        loom_lua_set_text(L, "denominator",
                          loom_stat_at(stats, stat->den_offset));
    }
    if (stat->kind == LOOM_STAT_VECTOR && stat->keys != NULL) {
        lua_newtable(L);
        for (uint32_t i = 0; i < stat->count; i++) {
            lua_pushstring(L, stat->keys[i]);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        lua_setfield(L, -2, "keys");
    }
}

void loom_lua_set_stats(lua_State *L, struct loom_stats stats)
{
    lua_newtable(L);
    for (size_t i = 0; i < stats.count; i++) {
        push_stat(L, stats, &stats.item[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "stats");
}

static void set_energies(lua_State *L, struct loom_energies energies)
{
    lua_newtable(L);
    for (size_t i = 0; i < energies.count; i++) {
        const struct loom_energy *energy = &energies.item[i];

        lua_newtable(L);
        loom_lua_set_text(L, "name", energy->name);
        loom_lua_set_text(L, "doc", energy->doc);
        loom_lua_set_text(L, "count", energy->count);
        loom_lua_set_text(L, "unit", loom_energy_is_power(energy) ? "W" : "J");
        loom_lua_set_text(L, "source", energy->source);
        lua_pushnumber(L, energy->value);
        lua_setfield(L, -2, "value");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "energies");
}

static void set_ports(lua_State *L, struct loom_ports ports)
{
    lua_newtable(L);
    for (size_t i = 0; i < ports.count; i++) {
        const struct loom_port_decl *port = &ports.item[i];

        lua_newtable(L);
        loom_lua_set_text(L, "name", port->name);
        loom_lua_set_text(L, "doc", port->doc);
        loom_lua_set_text(L, "role",
                          port->role == LOOM_CLIENT ? "client" : "server");
        loom_lua_set_text(L, "protocol", port->protocol->name);
        loom_lua_set_int(L, "min", port->min);
        loom_lua_set_int(L, "max", port->max);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "ports");
}

static void set_slots(lua_State *L, struct loom_slots slots)
{
    lua_newtable(L);
    for (size_t i = 0; i < slots.count; i++) {
        const struct loom_slot_decl *slot = &slots.item[i];

        lua_newtable(L);
        loom_lua_set_text(L, "name", slot->name);
        loom_lua_set_text(L, "doc", slot->doc);
        loom_lua_set_text(L, "hook", slot->hook->name);
        loom_lua_set_flag(L, "chain", slot->hook->chain);
        loom_lua_set_text(L, "default", slot->def);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "slots");
}

static void push_component(lua_State *L, const struct loom_component_type *type)
{
    lua_newtable(L);
    loom_lua_set_text(L, "kind", "component");
    loom_lua_set_text(L, "name", type->name);
    loom_lua_set_text(L, "doc", type->doc);
    set_params(L, type->params);
    set_ports(L, type->ports);
    set_slots(L, type->slots);
    loom_lua_set_stats(L, type->stats);
    set_energies(L, type->energies);
}

static void push_policy(lua_State *L, const struct loom_policy_type *type)
{
    lua_newtable(L);
    loom_lua_set_text(L, "kind", "policy");
    loom_lua_set_text(L, "name", type->name);
    loom_lua_set_text(L, "doc", type->doc);
    loom_lua_set_flag(L, "joins", type->joins);
    set_params(L, type->params);
    loom_lua_set_stats(L, type->stats);
    set_energies(L, type->energies);
    lua_newtable(L);
    for (size_t i = 0; i < type->facets.count; i++) {
        const struct loom_hook *hook = type->facets.item[i].hook;

        lua_newtable(L);
        loom_lua_set_text(L, "hook", hook->name);
        loom_lua_set_text(L, "doc", hook->doc);
        loom_lua_set_flag(L, "chain", hook->chain);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "facets");
}

/* Types added while the program runs: a table in the Lua registry, from
 * "policy NAME" and "component NAME" to their addresses, and at whole numbers
 * what they need. */
#define ADDED "warploom.types"

static void added_types(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, ADDED);
}

static const void *added(lua_State *L, const char *kind, const char *name)
{
    const void *type;

    added_types(L);
    lua_pushfstring(L, "%s %s", kind, name);
    lua_rawget(L, -2);
    type = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return type;
}

static void add_type(lua_State *L, const char *kind, const char *name,
                     const void *type)
{
    added_types(L);
    lua_pushfstring(L, "%s %s", kind, name);
    lua_pushlightuserdata(L, (void *)(uintptr_t)type);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

const struct loom_policy_type *loom_lua_policy_type(lua_State *L,
                                                    const char *name)
{
    const struct loom_policy_type *type = loom_policy_type_find(name);

    return type != NULL ? type : added(L, "policy", name);
}

const struct loom_component_type *loom_lua_component_type(lua_State *L,
                                                          const char *name)
{
    const struct loom_component_type *type = loom_component_type_find(name);

    return type != NULL ? type : added(L, "component", name);
}

void loom_lua_add_policy_type(lua_State *L, const struct loom_policy_type *type,
                              int anchor)
{
    add_type(L, "policy", type->name, type);
    if (anchor != 0) {
        lua_pushvalue(L, anchor);
        added_types(L);
        lua_insert(L, -2);
        luaL_ref(L, -2);
        lua_pop(L, 1);
    }
}

void loom_lua_add_component_type(lua_State *L,
                                 const struct loom_component_type *type)
{
    add_type(L, "component", type->name, type);
}

void loom_lua_push_policy_type(lua_State *L,
                               const struct loom_policy_type *type)
{
    push_policy(L, type);
}

void loom_lua_push_component_type(lua_State *L,
                                  const struct loom_component_type *type)
{
    push_component(L, type);
}

/* core.registry() -> { components = {..}, policies = {..}, frontends = {..} }
 */
static int registry(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    for (size_t i = 0; i < loom_component_type_count; i++) {
        push_component(L, loom_component_types[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "components");
    lua_newtable(L);
    for (size_t i = 0; i < loom_policy_type_count; i++) {
        push_policy(L, loom_policy_types[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "policies");
    lua_newtable(L);
    for (size_t i = 0; i < loom_workload_type_count; i++) {
        lua_newtable(L);
        loom_lua_set_text(L, "name", loom_workload_types[i]->name);
        loom_lua_set_text(L, "doc", loom_workload_types[i]->doc);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "frontends");
    return 1;
}

static void add_problem(lua_State *L, int list, const char *param,
                        const struct loom_error *err)
{
    lua_newtable(L);
    loom_lua_set_text(L, "param", param);
    loom_lua_set_text(L, "text", err->text);
    lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

/* Stores the values of the table at `from` in `config`; problems go to the
 * list at `list`.  Values of lists stay on the stack, as config points at
 * them. */
static void fill(lua_State *L, struct loom_params params, void *config,
                 int from, int list)
{
    loom_params_default(params, config);
    for (size_t i = 0; i < params.count; i++) {
        const struct loom_param *param = &params.item[i];
        struct loom_error err;
        union loom_value value;

        luaL_checkstack(L, 8, "parameters");
        if (lua_getfield(L, from, param->name) == LUA_TNIL) {
            lua_pop(L, 1);
        } else if (!loom_lua_value(L, lua_gettop(L), param, &value, &err) ||
                   !loom_param_set(param, config, value, &err)) {
            add_problem(L, list, param->name, &err);
        }
    }
}

/* core.validate(kind, type, params) -> list of { param =, text = }: what the
 * type itself says of a configuration. */
static int validate(lua_State *L)
{
    const char *kind = luaL_checkstring(L, 1);
    const char *name = luaL_checkstring(L, 2);
    bool component = kind[0] == 'c';
    const struct loom_component_type *c =
        component ? loom_lua_component_type(L, name) : NULL;
    const struct loom_policy_type *p =
        component ? NULL : loom_lua_policy_type(L, name);
    struct loom_error err;
    size_t size;
    void *config;
    bool (*check)(const void *, struct loom_error *);

    luaL_argcheck(L, c != NULL || p != NULL, 2, "unknown type");
    size = c != NULL ? c->config_size : p->config_size;
    check = c != NULL ? c->ops->validate : p->validate;
    lua_settop(L, 3);
    lua_newtable(L);
    config = lua_newuserdatauv(L, size + 1, 0);
    fill(L, c != NULL ? c->params : p->params, config, 3, 4);
    if (lua_rawlen(L, 4) == 0 && check != NULL && !check(config, &err)) {
        add_problem(L, 4, NULL, &err);
    }
    lua_pushvalue(L, 4);
    return 1;
}

static void push_cost(lua_State *L, const struct loom_cost *cost)
{
    lua_newtable(L);
    for (uint32_t i = 0; i < cost->count; i++) {
        lua_newtable(L);
        loom_lua_set_text(L, "name", cost->part[i].name);
        loom_lua_set_text(L, "doc", cost->part[i].doc);
        loom_lua_set_int(L, "count", cost->part[i].count);
        loom_lua_set_int(L, "bits", cost->part[i].bits);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    loom_lua_set_int(L, "total", loom_cost_bits(cost));
}

/* core.cost(policy, params, shape) -> { { name =, doc =, count =, bits = }
 * .., total = bits }; nil if the policy does not say; nil and a list of
 * problems, as of core.validate. */
static int cost(lua_State *L)
{
    const struct loom_policy_type *type =
        loom_lua_policy_type(L, luaL_checkstring(L, 1));
    struct loom_cost parts = {.count = 0};
    struct loom_cost_shape shape;
    struct loom_error err;
    void *config;

    luaL_argcheck(L, type != NULL, 1, "unknown policy type");
    lua_settop(L, 3);
    if (type->cost == NULL) {
        lua_pushnil(L);
        return 1;
    }
    lua_newtable(L);
    config = lua_newuserdatauv(L, type->config_size + 1, 0);
    fill(L, type->params, config, 2, 4);
    fill(L, loom_cost_shape_params, &shape, 3, 4);
    if (lua_rawlen(L, 4) == 0 && type->validate != NULL &&
        !type->validate(config, &err)) {
        add_problem(L, 4, NULL, &err);
    }
    if (lua_rawlen(L, 4) > 0) {
        lua_pushnil(L);
        lua_pushvalue(L, 4);
        return 2;
    }
    type->cost(config, &shape, &parts);
    push_cost(L, &parts);
    return 1;
}

/* core.cost_shape() -> what `shape` may hold, as the parameters of a type. */
static int cost_shape(lua_State *L)
{
    lua_newtable(L);
    set_params(L, loom_cost_shape_params);
    lua_getfield(L, -1, "params");
    return 1;
}

void loom_lua_open_registry(lua_State *L)
{
    static const luaL_Reg functions[] = {{"registry", registry},
                                         {"validate", validate},
                                         {"cost", cost},
                                         {"cost_shape", cost_shape},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}

/*
 * `self`: what a policy in Lua keeps and may do.
 *
 *     self.params   values of its parameters
 *     self.shape    numbers of the component that it is bound to
 *     self.stats    its statistics: fields that are read and written
 *     self.path     "gpu[0].sm[3].l1d.policy.mine"
 *
 * All other fields are the policy's memory.  Methods are below.
 */
#include <string.h>

#include "engine/machine.h"
#include "engine/rng.h"

#include "lua/policy/ask.h"
#include "policies/ldst_hook.h"

#define HANDLE "warploom.policy"
#define STATS "warploom.policy_stats"
#define PART "warploom.policy_stat"

/* Stands for the instance in its self; dead once the machine is closed. */
struct handle {
    struct loom_policy *policy;
};

/* self.stats.x where x is a histogram, a vector or an array. */
struct part {
    struct loom_policy *policy;
    const struct loom_stat *stat;
};

static const char key[] = "handle";      /* hidden fields: where their */
static const char stats_key[] = "stats"; /* addresses are */

struct loom_policy *kit_policy_at(lua_State *L, int at)
{
    const struct handle *handle;

    luaL_checktype(L, at, LUA_TTABLE);
    lua_rawgetp(L, at, key);
    handle = luaL_testudata(L, -1, HANDLE);
    luaL_argcheck(L, handle != NULL, at, "expected the policy's self");
    luaL_argcheck(L, handle->policy != NULL, at, "the machine is closed");
    lua_pop(L, 1);
    return handle->policy;
}

/* ---- statistics ---- */

static char *field_of(struct loom_policy *policy, const struct loom_stat *stat)
{
    return (char *)loom_policy_stats(policy) + stat->offset;
}

/* self.stats.name; upvalue 1: table of name -> part or integer. */
static int stats_index(lua_State *L)
{
    const struct handle *handle = luaL_checkudata(L, 1, STATS);
    const struct loom_stat *stat;
    uint64_t value;

    luaL_argcheck(L, handle->policy != NULL, 1, "the machine is closed");
    lua_getiuservalue(L, 1, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        return luaL_error(L, "there is no statistic '%s'",
                          luaL_tolstring(L, 2, NULL));
    } else if (lua_type(L, -1) == LUA_TUSERDATA) {
        return 1;
    }
    stat = &kit_state(handle->policy)->type->stat[lua_tointeger(L, -1)];
    if (stat->kind == LOOM_STAT_RATIO || stat->kind == LOOM_STAT_RATE) {
        return luaL_error(L, "statistic '%s' is computed from others",
                          stat->name);
    }
    memcpy(&value, field_of(handle->policy, stat), sizeof(value));
    lua_pushinteger(L, (lua_Integer)value);
    return 1;
}

static int stats_newindex(lua_State *L)
{
    const struct handle *handle = luaL_checkudata(L, 1, STATS);
    lua_Integer value = luaL_checkinteger(L, 3);
    const struct loom_stat *stat;
    uint64_t before;
    char *at;

    lua_settop(L, 2);
    stats_index(L); /* refuses what is none */
    if (lua_type(L, -1) != LUA_TNUMBER) {
        return luaL_error(L, "statistic '%s' is not one number",
                          lua_tostring(L, 2));
    }
    before = (uint64_t)lua_tointeger(L, -1);
    lua_getiuservalue(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    stat = &kit_state(handle->policy)->type->stat[lua_tointeger(L, -1)];
    at = field_of(handle->policy, stat);
    if (value < 0 ||
        (stat->kind == LOOM_STAT_COUNTER && (uint64_t)value < before)) {
        return luaL_error(L, "counter '%s' only grows: it is %I, got %I",
                          stat->name, (lua_Integer)before, value);
    }
    memcpy(at, &value, sizeof(value));
    return 0;
}

static const struct part *part_at(lua_State *L)
{
    const struct part *part = luaL_checkudata(L, 1, PART);

    luaL_argcheck(L, part->policy != NULL, 1, "the machine is closed");
    return part;
}

/* self.stats.reuse:add(value): a histogram. */
static int part_add(lua_State *L)
{
    const struct part *part = part_at(L);
    lua_Integer value = luaL_checkinteger(L, 2);

    luaL_argcheck(L, part->stat->kind == LOOM_STAT_HISTOGRAM, 1,
                  "not a histogram");
    luaL_argcheck(L, value >= 0, 2, "is negative");
    loom_histogram_add((void *)field_of(part->policy, part->stat),
                       (uint64_t)value);
    return 0;
}

/* The counter of an axis at argument `at`: an index from 0, or a key. */
static uint64_t *element(lua_State *L, const struct part *part, int at)
{
    const struct loom_stat *stat = part->stat;
    void *field = field_of(part->policy, stat);
    uint64_t *item = field;
    lua_Integer count = stat->count, i = -1;

    if (stat->kind == LOOM_STAT_ARRAY) {
        item = ((struct loom_array *)field)->item;
        count = ((struct loom_array *)field)->count;
    }
    if (lua_isinteger(L, at)) {
        i = lua_tointeger(L, at);
    } else if (stat->keys != NULL && lua_type(L, at) == LUA_TSTRING) {
        for (i = count - 1; i >= 0; i--) {
            if (strcmp(stat->keys[i], lua_tostring(L, at)) == 0) {
                break;
            }
        }
    }
    if (i < 0 || i >= count) {
        luaL_error(L, "statistic '%s' has no %s '%s'", stat->name, stat->axis,
                   luaL_tolstring(L, at, NULL));
    }
    return &item[i];
}

static int part_index(lua_State *L)
{
    const struct part *part = part_at(L);

    if (part->stat->kind == LOOM_STAT_HISTOGRAM) {
        lua_pushcfunction(L, part_add);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)*element(L, part, 2));
    return 1;
}

static int part_newindex(lua_State *L)
{
    const struct part *part = part_at(L);
    lua_Integer value = luaL_checkinteger(L, 3);
    uint64_t *item;

    luaL_argcheck(L, part->stat->kind != LOOM_STAT_HISTOGRAM, 1,
                  "use :add(value)");
    item = element(L, part, 2);
    if (value < 0 || (uint64_t)value < *item) {
        return luaL_error(L, "counter '%s' only grows: it is %I, got %I",
                          part->stat->name, (lua_Integer)*item, value);
    }
    *item = (uint64_t)value;
    return 0;
}

/* ---- methods ---- */

static int self_now(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)loom_policy_now(kit_policy_at(L, 1)));
    return 1;
}

static int self_wake(lua_State *L)
{
    struct loom_policy *policy = kit_policy_at(L, 1);
    lua_Integer at = luaL_checkinteger(L, 2);

    luaL_argcheck(L, at > (lua_Integer)loom_policy_now(policy), 2,
                  "expected a later cycle than self:now()");
    luaL_argcheck(L, kit_has(policy, KIT_TIMER), 2,
                  "the policy has no function 'timer'");
    loom_policy_wake(policy, (loom_cycle)at);
    return 0;
}

static int self_kick(lua_State *L)
{
    loom_policy_kick(kit_policy_at(L, 1));
    return 0;
}

/* self:random(n): 0 .. n - 1; self:random(): in [0, 1). */
static int self_random(lua_State *L)
{
    struct loom_rng *rng = loom_policy_rng(kit_policy_at(L, 1));
    lua_Integer bound = luaL_optinteger(L, 2, 0);

    if (lua_isnoneornil(L, 2)) {
        lua_pushnumber(L, loom_rng_real(rng));
        return 1;
    }
    luaL_argcheck(L, bound > 0, 2, "expected at least 1");
    lua_pushinteger(L, (lua_Integer)loom_rng_below(rng, (uint64_t)bound));
    return 1;
}

/* self:bits("request" or "reply", name, width) -> the lowest bit; for init and
 * bind. */
static int self_bits(lua_State *L)
{
    static const char *const spaces[] = {"request", "reply", NULL};
    struct loom_policy *policy = kit_policy_at(L, 1);
    int space = luaL_checkoption(L, 2, NULL, spaces);
    const char *name = luaL_checkstring(L, 3);
    lua_Integer width = luaL_optinteger(L, 4, 1);
    struct loom_error err;
    uint32_t shift;

    luaL_argcheck(L, width >= 1 && width <= LOOM_BITS, 4, "expected 1..16");
    lua_getfield(L, 1, "bound");
    if (lua_toboolean(L, -1)) {
        return luaL_error(L, "self:bits is for init and bind");
    }
    if (!loom_policy_bits(policy, (enum loom_bits)space, name, (uint32_t)width,
                          &shift, &err)) {
        return luaL_error(L, "%s", err.text);
    }
    lua_pushinteger(L, shift);
    return 1;
}

/* What only a cache does. */
static const struct kit_state *cache_of(lua_State *L)
{
    const struct kit_state *state = kit_state(kit_policy_at(L, 1));

    if (state->host == NULL) {
        luaL_error(L, "the policy answers no question of a cache");
    }
    return state;
}

/* The cache, and the line of it at arguments 2 and 3, a set and a way. */
static const struct loom_cache_host *line_at(lua_State *L, uint32_t *set,
                                             uint32_t *way)
{
    const struct kit_state *state = cache_of(L);
    lua_Integer s = luaL_checkinteger(L, 2), w = luaL_checkinteger(L, 3);

    luaL_argcheck(L, s >= 0 && s < (lua_Integer)state->sets, 2, "no such set");
    luaL_argcheck(L, w >= 0 && w < (lua_Integer)state->ways, 3, "no such way");
    *set = (uint32_t)s;
    *way = (uint32_t)w;
    return state->host;
}

static int self_valid(lua_State *L)
{
    uint32_t set, way;
    const struct loom_cache_host *host = line_at(L, &set, &way);

    lua_pushboolean(L, host->valid(host->cache, set, way));
    return 1;
}

static int self_reserved(lua_State *L)
{
    uint32_t set, way;
    const struct loom_cache_host *host = line_at(L, &set, &way);

    lua_pushboolean(L, host->reserved(host->cache, set, way));
    return 1;
}

static int self_block(lua_State *L)
{
    uint32_t set, way;
    const struct loom_cache_host *host = line_at(L, &set, &way);

    lua_pushinteger(L, (lua_Integer)host->block(host->cache, set, way));
    return 1;
}

static int self_rank(lua_State *L)
{
    const struct kit_state *state = cache_of(L);
    lua_Integer warp = luaL_checkinteger(L, 2);

    luaL_argcheck(L, warp >= 0 && warp < 4096, 2, "no such warp");
    lua_pushinteger(L, state->host->rank(state->host->cache, (uint32_t)warp));
    return 1;
}

/* self:query { block =, policy_bits =, inst = } -> was there room? */
static int self_query(lua_State *L)
{
    const struct kit_state *state = cache_of(L);
    struct loom_mem_request request = {.kind = LOOM_MEM_QUERY};

    luaL_checktype(L, 2, LUA_TTABLE);
    request.block = (loom_addr)loom_lua_int(L, 2, "block", 0) &
                    ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
    request.policy_bits = (uint16_t)loom_lua_int(L, 2, "policy_bits", 0);
    request.inst = (uint32_t)loom_lua_int(L, 2, "inst", 0);
    lua_pushboolean(L, state->host->query(state->host->cache, &request));
    return 1;
}

/* ---- making it ---- */

static void part_class(lua_State *L, const char *name, lua_CFunction index,
                       lua_CFunction newindex)
{
    if (luaL_newmetatable(L, name) != 0) {
        lua_pushcfunction(L, index);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, newindex);
        lua_setfield(L, -2, "__newindex");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
}

static void push_stats(lua_State *L, struct loom_policy *policy)
{
    const struct kit_type *type = kit_state(policy)->type;
    struct handle *handle = lua_newuserdatauv(L, sizeof(*handle), 1);

    handle->policy = policy;
    part_class(L, STATS, stats_index, stats_newindex);
    lua_newtable(L);
    for (size_t i = 0; i < type->type.stats.count; i++) {
        const struct loom_stat *stat = &type->stat[i];

        if (stat->kind == LOOM_STAT_HISTOGRAM ||
            stat->kind == LOOM_STAT_VECTOR || stat->kind == LOOM_STAT_ARRAY) {
            struct part *part = lua_newuserdatauv(L, sizeof(*part), 0);

            *part = (struct part){policy, stat};
            part_class(L, PART, part_index, part_newindex);
        } else {
            lua_pushinteger(L, (lua_Integer)i);
        }
        lua_setfield(L, -2, stat->name);
    }
    lua_setiuservalue(L, -2, 1);
}

static void push_params(lua_State *L, struct loom_policy *policy)
{
    const struct loom_params params = kit_state(policy)->type->type.params;

    lua_newtable(L);
    for (size_t i = 0; i < params.count; i++) {
        loom_lua_push_value(
            L, params.item[i].type,
            loom_param_get(&params.item[i], loom_policy_config(policy)));
        lua_setfield(L, -2, params.item[i].name);
    }
}

static void push_methods(lua_State *L)
{
    static const luaL_Reg methods[] = {{"now", self_now},
                                       {"wake", self_wake},
                                       {"kick", self_kick},
                                       {"random", self_random},
                                       {"bits", self_bits},
                                       {"valid", self_valid},
                                       {"reserved", self_reserved},
                                       {"block", self_block},
                                       {"rank", self_rank},
                                       {"query", self_query},
                                       {NULL, NULL}};

    if (luaL_newmetatable(L, "warploom.policy_self") != 0) {
        luaL_newlib(L, methods);
        lua_setfield(L, -2, "__index");
    }
}

static int make_self(lua_State *L)
{
    struct loom_policy *policy = lua_touserdata(L, 1);
    struct handle *handle;

    lua_newtable(L);
    handle = lua_newuserdatauv(L, sizeof(*handle), 0);
    handle->policy = policy;
    luaL_newmetatable(L, HANDLE);
    lua_setmetatable(L, -2);
    lua_rawsetp(L, -2, key);
    push_params(L, policy);
    lua_setfield(L, -2, "params");
    push_stats(L, policy);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, stats_key);
    lua_setfield(L, -2, "stats");
    lua_newtable(L);
    lua_setfield(L, -2, "shape");
    loom_lua_set_text(L, "path", loom_policy_path(policy));
    push_methods(L);
    lua_setmetatable(L, -2);
    return 1;
}

bool kit_make_self(struct loom_policy *policy, struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;

    lua_checkstack(L, 64);
    lua_pushcfunction(L, make_self);
    lua_pushlightuserdata(L, policy);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
        loom_fail(err, LOOM_ERR_MEMORY, "%s", lua_tostring(L, -1));
        lua_pop(L, 1);
        return false;
    }
    state->self = luaL_ref(L, LUA_REGISTRYINDEX);
    return true;
}

void kit_drop_self(struct loom_policy *policy)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;

    if (state->self == 0) {
        return;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->self);
    lua_rawgetp(L, -1, key);
    ((struct handle *)lua_touserdata(L, -1))->policy = NULL;
    lua_pop(L, 1);
    lua_rawgetp(L, -1, stats_key);
    ((struct handle *)lua_touserdata(L, -1))->policy = NULL;
    lua_getiuservalue(L, -1, 1);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        if (lua_type(L, -1) == LUA_TUSERDATA) {
            ((struct part *)lua_touserdata(L, -1))->policy = NULL;
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 3);
    luaL_unref(L, LUA_REGISTRYINDEX, state->self);
    state->self = 0;
}

bool kit_bind(struct loom_policy *policy, const struct loom_hook *hook,
              const struct kit_shape *number, uint32_t count,
              struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;

    lua_checkstack(L, 16);
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->self);
    lua_getfield(L, -1, "shape");
    for (uint32_t i = 0; lua_istable(L, -1) && i < count; i++) {
        if (number[i].value != UINT32_MAX) {
            loom_lua_set_int(L, number[i].name, number[i].value);
        }
    }
    lua_pop(L, 2);
    kit_tell(KIT_ASK(policy, KIT_BIND, hook->name));
    return kit_outcome(policy, err);
}

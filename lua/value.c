/*
 * Small conversions between Lua values and those of the engine.
 */
#include <string.h>

#include "lua/core.h"

const char *loom_lua_error_kind(enum loom_error_kind kind)
{
    switch (kind) {
    case LOOM_ERR_CONFIG:
        return "config";
    case LOOM_ERR_INPUT:
        return "input";
    case LOOM_ERR_MEMORY:
        return "memory";
    case LOOM_ERR_WORKLOAD:
        return "workload";
    case LOOM_ERR_LAW:
        return "law";
    case LOOM_ERR_OUTPUT:
        return "output";
    case LOOM_ERR_POLICY:
        return "policy";
    case LOOM_ERR_INTERRUPTED:
        return "interrupted";
    case LOOM_ERR_NONE:
        break;
    }
    return "none";
}

int loom_lua_failed(lua_State *L, const struct loom_error *err)
{
    lua_pushnil(L);
    lua_pushstring(L, err->text);
    lua_pushstring(L, loom_lua_error_kind(err->kind));
    return 3;
}

int loom_lua_no_memory(lua_State *L, const char *what)
{
    lua_createtable(L, 0, 1);
    loom_lua_set_text(L, "memory", what);
    return lua_error(L);
}

int loom_lua_done(lua_State *L, bool ok, const struct loom_error *err)
{
    if (!ok) {
        return loom_lua_failed(L, err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Registry: the sources of the library's chunks, if scripts are not trusted. */
#define LIBRARY "warploom.library"

/* core.guard(sources or nil) */
int loom_lua_guard(lua_State *L)
{
    lua_settop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, LIBRARY);
    return 0;
}

/* Is it the library that asks?  Scripts find handles in the tables that they
 * are handed; closing a machine under a run would be the end of both. */
static bool is_trusted(lua_State *L)
{
    bool trusted = lua_getfield(L, LUA_REGISTRYINDEX, LIBRARY) != LUA_TTABLE;
    lua_Debug caller;

    if (!trusted && lua_getstack(L, 1, &caller) != 0 &&
        lua_getinfo(L, "S", &caller) != 0) {
        trusted = lua_getfield(L, -1, caller.source) == LUA_TBOOLEAN;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return trusted;
}

/* __index of a class: its first upvalue has the methods. */
static int method_of(lua_State *L)
{
    if (!is_trusted(L)) {
        return luaL_error(L, "a part of the library cannot be used by scripts");
    }
    lua_settop(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    return 1;
}

void loom_lua_class(lua_State *L, const char *name, const luaL_Reg *methods,
                    lua_CFunction gc)
{
    if (luaL_newmetatable(L, name) != 0) {
        lua_newtable(L);
        luaL_setfuncs(L, methods, 0);
        lua_pushcclosure(L, method_of, 1);
        lua_setfield(L, -2, "__index");
        if (gc != NULL) {
            lua_pushcfunction(L, gc);
            lua_setfield(L, -2, "__gc");
        }
        lua_pushstring(L, "locked");
        lua_setfield(L, -2, "__metatable");
    }
    lua_pop(L, 1);
}

struct loom_lua_owner *loom_lua_own(lua_State *L, const char *name, int values)
{
    struct loom_lua_owner *owner = lua_newuserdatauv(L, sizeof(*owner), values);

    owner->object = NULL;
    luaL_setmetatable(L, name);
    return owner;
}

void *loom_lua_owned(lua_State *L, int at, const char *name)
{
    struct loom_lua_owner *owner = luaL_checkudata(L, at, name);

    if (owner->object == NULL) {
        luaL_argerror(L, at, lua_pushfstring(L, "%s is closed", name));
    }
    return owner->object;
}

void *loom_lua_disown(lua_State *L, const char *name)
{
    struct loom_lua_owner *owner = luaL_checkudata(L, 1, name);
    void *object = owner->object;

    owner->object = NULL;
    return object;
}

void loom_lua_set_int(lua_State *L, const char *name, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

void loom_lua_set_text(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

void loom_lua_set_flag(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

void loom_lua_set_dim3(lua_State *L, const char *name, struct loom_dim3 value)
{
    const uint32_t side[] = {value.x, value.y, value.z};

    lua_createtable(L, 3, 0);
    for (lua_Integer i = 0; i < 3; i++) {
        lua_pushinteger(L, side[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, name);
}

const char *loom_lua_text(lua_State *L, int at, const char *name)
{
    const char *text;

    lua_getfield(L, at, name);
    text = lua_tostring(L, -1);
    if (text == NULL) {
        luaL_error(L, "field '%s' is not a string", name);
    }
    lua_pop(L, 1); /* the table still holds it */
    return text;
}

lua_Integer loom_lua_int(lua_State *L, int at, const char *name,
                         lua_Integer def)
{
    lua_Integer value = def;

    if (lua_getfield(L, at, name) != LUA_TNIL) {
        int ok;

        value = lua_tointegerx(L, -1, &ok);
        if (!ok) {
            luaL_error(L, "field '%s' is not an integer", name);
        }
    }
    lua_pop(L, 1);
    return value;
}

static bool integer(lua_State *L, int at, const struct loom_param *param,
                    uint64_t *value, struct loom_error *err)
{
    int ok;
    lua_Integer number = lua_tointegerx(L, at, &ok);

    if (!ok || number < 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter '%s' is not a whole number >= 0",
                         param->name);
    }
    *value = (uint64_t)number;
    return true;
}

static bool list(lua_State *L, int at, const struct loom_param *param,
                 struct loom_list *value, struct loom_error *err)
{
    uint32_t count = (uint32_t)lua_rawlen(L, at);
    uint64_t *item = lua_newuserdatauv(L, (count + 1) * sizeof(*item), 0);

    for (uint32_t i = 0; i < count; i++) {
        bool ok;

        lua_rawgeti(L, at, (lua_Integer)i + 1);
        ok = integer(L, lua_gettop(L), param, &item[i], err);
        lua_pop(L, 1);
        if (!ok) {
            return false;
        }
    }
    *value = (struct loom_list){item, count};
    return true;
}

bool loom_lua_value(lua_State *L, int at, const struct loom_param *param,
                    union loom_value *value, struct loom_error *err)
{
    memset(value, 0, sizeof(*value));
    switch (param->type) {
    case LOOM_BOOL:
        value->b = lua_toboolean(L, at) != 0;
        return true;
    case LOOM_U32:
    case LOOM_U64:
        return integer(L, at, param, &value->u, err);
    case LOOM_F64:
        value->f = lua_tonumber(L, at);
        return true;
    case LOOM_STR:
        value->s = lua_tostring(L, at);
        return value->s != NULL ||
               loom_fail(err, LOOM_ERR_CONFIG, "parameter '%s' is not a string",
                         param->name);
    case LOOM_LIST:
        if (lua_type(L, at) != LUA_TTABLE) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' is not a list", param->name);
        }
        return list(L, at, param, &value->list, err);
    }
    return false;
}

/*
 * Textures for the Lua library: a descriptor as a table of numbers becomes
 * a handle (workloads/texture.h).
 */
#include "workloads/texture.h"

#include <string.h>

#include "lua/methods.h"

static uint32_t number(lua_State *L, const char *name)
{
    lua_Integer value = loom_lua_int(L, 2, name, 0);

    return value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static uint8_t small(lua_State *L, const char *name)
{
    uint32_t value = number(L, name);

    return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

/* Bits of a float. */
static float real(lua_State *L, const char *name)
{
    uint32_t bits = number(L, name);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* memory:texture{ base =, pitch =, slice =, width =, height =, depth =,
 * layers =, format =, channels =, address_x =, address_y =, address_z =,
 * linear =, normalized =, normalized_read = } -> handle; all are numbers.  And
 * smaller = a handle, between =, bias =, least =, most =, these three the bits
 * of floats. */
int loom_lua_texture_new(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    struct loom_texture texture;
    struct loom_error err;
    uint64_t handle;

    luaL_checktype(L, 2, LUA_TTABLE);
    texture = (struct loom_texture){
        .base = (loom_addr)loom_lua_int(L, 2, "base", 0),
        .pitch = (uint64_t)loom_lua_int(L, 2, "pitch", 0),
        .slice = (uint64_t)loom_lua_int(L, 2, "slice", 0),
        .width = number(L, "width"),
        .height = number(L, "height"),
        .depth = number(L, "depth"),
        .layers = number(L, "layers"),
        .format = small(L, "format"),
        .channels = small(L, "channels"),
        .address = {small(L, "address_x"), small(L, "address_y"),
                    small(L, "address_z")},
        .linear = number(L, "linear") != 0,
        .normalized = number(L, "normalized") != 0,
        .normalized_read = number(L, "normalized_read") != 0,
        .smaller = (uint64_t)loom_lua_int(L, 2, "smaller", 0),
        .between = number(L, "between") != 0,
        .bias = real(L, "bias"),
        .least = real(L, "least"),
        .most = real(L, "most"),
    };
    if (!loom_texture_create(memory, &texture, &handle, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)handle);
    return 1;
}

/* memory:texture_free(handle) */
int loom_lua_texture_free(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    struct loom_error err;

    if (!loom_texture_destroy(memory, (uint64_t)luaL_checkinteger(L, 2),
                              &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

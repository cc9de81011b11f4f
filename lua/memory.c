/*
 * Device memory as Lua userdata, and the copying between it and typed
 * arrays.
 */
#include <string.h>

#include "lua/methods.h"
#include "workloads/races.h"

/* core.memory(bytes) */
static int memory_new(lua_State *L)
{
    uint64_t limit = (uint64_t)luaL_checkinteger(L, 1);
    struct loom_lua_owner *owner = loom_lua_own(L, LOOM_LUA_MEMORY, 0);

    owner->object = loom_memory_create(limit);
    if (owner->object == NULL) {
        return loom_lua_no_memory(L, "device memory");
    }
    loom_memory_guard(owner->object,
                      (uint64_t)luaL_optinteger(L, 2, LOOM_MEMORY_ALIGN));
    return 1;
}

static int memory_close(lua_State *L)
{
    loom_memory_destroy(loom_lua_disown(L, LOOM_LUA_MEMORY));
    return 0;
}

/* memory:alloc(bytes, name) -> address */
static int memory_alloc(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    uint64_t bytes = (uint64_t)luaL_checkinteger(L, 2);
    struct loom_error err;
    loom_addr base;

    if (!loom_memory_alloc(memory, bytes, luaL_checkstring(L, 3), &base,
                           &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)base);
    return 1;
}

/* memory:window(device) */
static int memory_window(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    lua_Integer device = luaL_checkinteger(L, 2);

    luaL_argcheck(L, device >= 0 && device < LOOM_MEMORY_WINDOWS, 2,
                  "no such device");
    loom_memory_window(memory, (uint32_t)device);
    return 0;
}

static int memory_free(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    struct loom_error err;

    if (!loom_memory_free(memory, (loom_addr)luaL_checkinteger(L, 2), &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* memory:find(address) -> start and bytes of the live allocation it lies in */
static int memory_find(lua_State *L)
{
    const struct loom_memory *memory = loom_lua_memory(L, 1);
    loom_addr at = (loom_addr)luaL_checkinteger(L, 2);
    struct loom_allocation found;

    if (!loom_memory_nearest(memory, at, &found) || at < found.base ||
        at - found.base >= found.bytes) {
        return 0;
    }
    lua_pushinteger(L, (lua_Integer)found.base);
    lua_pushinteger(L, (lua_Integer)found.bytes);
    return 2;
}

/* memory:digest() -> 64 hexadecimal digits of addresses and contents. */
static int memory_digest(lua_State *L)
{
    struct loom_digest digest;
    char text[LOOM_DIGEST_TEXT];

    loom_digest_init(&digest);
    loom_memory_digest(loom_lua_memory(L, 1), &digest);
    loom_digest_text(&digest, text);
    lua_pushstring(L, text);
    return 1;
}

/* memory:watch(): remembers from now on which bytes were written. */
static int memory_watch(lua_State *L)
{
    loom_memory_watch(loom_lua_memory(L, 1));
    return 0;
}

/* memory:adopt(pointer, bytes): bytes of the process, at their own address. */
static int memory_adopt(lua_State *L)
{
    lua_Integer at = luaL_checkinteger(L, 2);
    uint64_t bytes = (uint64_t)luaL_checkinteger(L, 3);
    struct loom_error err;

    if (!loom_memory_adopt(loom_lua_memory(L, 1), (loom_addr)at,
                           loom_lua_pointer(at), bytes, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* memory:forgive(): programs may read beyond allocations from now on. */
static int memory_forgive(lua_State *L)
{
    loom_memory_forgive(loom_lua_memory(L, 1));
    return 0;
}

/* memory:races() -> list of { text =, count = }, races of pairs for which
 * there was no room, accesses that were forgotten */
static int memory_races(lua_State *L)
{
    const struct loom_race_list *list =
        loom_memory_races(loom_lua_memory(L, 1));

    lua_newtable(L);
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        lua_newtable(L);
        loom_lua_set_text(L, "text", list->race[i].text);
        loom_lua_set_int(L, "count", list->race[i].count);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_pushinteger(L, list != NULL ? (lua_Integer)list->beyond : 0);
    lua_pushinteger(L, list != NULL ? (lua_Integer)list->forgotten : 0);
    return 3;
}

void loom_lua_open_memory(lua_State *L)
{
    static const luaL_Reg methods[] = {{"close", memory_close},
                                       {"alloc", memory_alloc},
                                       {"window", memory_window},
                                       {"free", memory_free},
                                       {"transfer", loom_lua_memory_transfer},
                                       {"find", memory_find},
                                       {"digest", memory_digest},
                                       {"watch", memory_watch},
                                       {"forgive", memory_forgive},
                                       {"adopt", memory_adopt},
                                       {"races", memory_races},
                                       {"texture", loom_lua_texture_new},
                                       {"texture_free", loom_lua_texture_free},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"memory", memory_new}, {NULL, NULL}};

    loom_lua_class(L, LOOM_LUA_MEMORY, methods, memory_close);
    luaL_setfuncs(L, functions, 0);
}

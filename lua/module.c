/*
 * require "warploom" in a Lua 5.4 that is not the program: a shared library,
 * warploom.so, which uses the Lua that loads it.
 */
#include "engine/processor.h"

#include "lua/core.h"

LUAMOD_API int luaopen_warploom(lua_State *L);

__attribute__((visibility("default"))) int luaopen_warploom(lua_State *L)
{
    if (!loom_processor_fits()) {
        return luaL_error(L, "%s", LOOM_PROCESSOR_TEXT);
    }
    return loom_lua_module(L);
}

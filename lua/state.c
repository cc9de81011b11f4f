/*
 * Opening the Lua library: for the program (main.c), for a process that is its
 * own host program (host.c), and as a module of another Lua (module.c).
 */
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/core.h"
#include "lua/image.h"
#include "lua/interrupt.h"

/* A file that the program carries.  Lua refuses what another Lua has compiled;
 * then there is the text. */
static int load_carried(lua_State *L, const struct loom_lua_source *s)
{
    const char *chunk = lua_pushfstring(L, "@%s", s->name);

    if (s->code_bytes != 0) {
        if (luaL_loadbufferx(L, (const char *)s->code, s->code_bytes, chunk,
                             "b") == LUA_OK) {
            return LUA_OK;
        }
        lua_pop(L, 1);
    }
    return luaL_loadbufferx(L, (const char *)s->text, s->bytes, chunk, "t");
}

/* Library file `name`: from $WARPLOOM_LUA if it has it, so that the library can
 * be worked on without building; else from the program. */
static int load_library(lua_State *L, const char *name)
{
    const char *folder = getenv("WARPLOOM_LUA");

    if (folder != NULL) {
        const char *path = lua_pushfstring(L, "%s/%s", folder, name);
        FILE *file = fopen(path, "rb");

        if (file != NULL) {
            fclose(file);
            return luaL_loadfilex(L, path, "t");
        }
    }
    for (size_t i = 0; i < loom_lua_source_count; i++) {
        const struct loom_lua_source *s = &loom_lua_sources[i];

        if (strcmp(s->name, name) == 0) {
            return load_carried(L, s);
        }
    }
    lua_pushfstring(L, "no library file '%s'", name);
    return LUA_ERRFILE;
}

static int load_file(lua_State *L)
{
    if (load_library(L, luaL_checkstring(L, 1)) != LUA_OK) {
        return lua_error(L);
    }
    return 1;
}

static void push_core(lua_State *L)
{
    lua_newtable(L);
    loom_lua_open_registry(L);
    loom_lua_open_machine(L);
    loom_lua_open_image(L);
    loom_lua_open_tasks(L);
    loom_lua_open_memory(L);
    loom_lua_open_program(L);
    loom_lua_open_array(L);
    loom_lua_open_vector(L);
    loom_lua_open_matrix(L);
    loom_lua_open_results(L);
    loom_lua_open_reading(L);
    loom_lua_open_estimate(L);
    loom_lua_open_browse(L);
    loom_lua_open_window(L);
    loom_lua_open_datafile(L);
    loom_lua_open_process(L);
    loom_lua_open_mpi(L);
    loom_lua_open_monitor(L);
    loom_lua_open_recording(L);
    loom_lua_open_locality(L);
    loom_lua_open_system(L);
    loom_lua_open_policy(L);
    loom_lua_open_timeline(L);
    loom_lua_open_plugin(L);
    loom_lua_open_interrupt(L);
    lua_pushcfunction(L, load_file);
    lua_setfield(L, -2, "load");
}

int loom_lua_module(lua_State *L)
{
    if (load_library(L, "warploom/module.lua") != LUA_OK) {
        return lua_error(L);
    }
    push_core(L);
    lua_call(L, 1, 1);
    return 1;
}

int loom_lua_library(lua_State *L)
{
    int count = (int)lua_tointeger(L, 1);
    char **argument = lua_touserdata(L, 2);

    luaL_openlibs(L);
    lua_settop(L, 0);
    if (load_library(L, "warploom/cli.lua") != LUA_OK) {
        lua_error(L);
    }
    push_core(L);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushstring(L, argument[i]);
        lua_rawseti(L, -2, i);
    }
    lua_call(L, 2, 1);
    return 1;
}

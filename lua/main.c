/*
 * The program.  Everything it does is in the Lua library (cli.lua); this
 * file opens Lua, hands it the C side, and turns its answer into an exit
 * status.
 *
 * Exit statuses: 0 done, 1 the script or machine is wrong, 2 the command
 * line is wrong, 3 the workload failed, its results are wrong or it has races
 * (--races), 4 deadlock, 5 a result or what was printed could not be written,
 * 6 the host has no more memory,
 * 70 a fault of the simulator itself, 128 + n stopped by signal n: 130 SIGINT,
 * 143 SIGTERM, 129 SIGHUP, 141 nobody reads what is printed.
 */
#include <signal.h>
#include <stdio.h>

#include "engine/processor.h"

#include "lua/blocks.h"
#include "lua/core.h"
#include "lua/interrupt.h"
#include "lua/prompt.h"
#include "lua/standard.h"
#include "stats/guard.h"

enum {
    EXIT_MEMORY = 6,
    EXIT_INTERNAL = 70
};

static int with_trace(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

int main(int argc, char **argv)
{
    int status = EXIT_INTERNAL, ended;
    lua_State *L;

    loom_interrupt_begin();
    loom_standard_guard();
    if (!loom_processor_fits()) {
        fputs(LOOM_PROCESSOR_TEXT "\n", stderr);
        return EXIT_INTERNAL;
    }
    loom_h5_guard();
    /* A file that grows too large is a failed write. */
    signal(SIGXFSZ, SIG_IGN);
    L = loom_lua_new();
    if (L == NULL) {
        fputs("warploom: the host has no memory to begin with\n", stderr);
        return EXIT_MEMORY;
    }
    loom_lua_open_prompt(L);
    lua_pushcfunction(L, with_trace);
    lua_pushcfunction(L, loom_lua_library);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    ended = lua_pcall(L, 2, 1, 1);
    if (ended == LUA_OK) {
        status = (int)lua_tointeger(L, -1);
    } else if (ended == LUA_ERRMEM) {
        fputs("warploom: the host has no memory\n", stderr);
        status = EXIT_MEMORY;
    } else {
        fprintf(stderr, "warploom: internal error: %s\n", lua_tostring(L, -1));
    }
    loom_lua_end(L);
    return loom_standard_finish(status);
}

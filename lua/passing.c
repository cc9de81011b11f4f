/*
 * What a machine is told besides running: copies that caches hear of, and
 * CTAs that are left out of time.
 */
#include "components/cta_protocol.h"
#include "components/mem_protocol.h"
#include "lua/methods.h"

/* machine:preload(path, address, bytes): tells a cache of a copy. */
int loom_lua_preload(lua_State *L)
{
    struct loom_component *cache =
        loom_machine_find(loom_lua_machine(L, 1), luaL_checkstring(L, 2));
    struct loom_mem_command range = {
        .address = (loom_addr)luaL_checkinteger(L, 3),
        .bytes = (uint64_t)luaL_checkinteger(L, 4),
    };
    struct loom_error err;

    luaL_argcheck(L, cache != NULL, 2, "no such component");
    if (!loom_machine_command(cache, &range, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, true);
    return 1;
}

/* machine:pass(path, ctas, warm): has a gpu leave the next CTAs of its kernel
 * out of time, the last of them with accesses to the L2; returns how many it
 * did. */
int loom_lua_pass(lua_State *L)
{
    struct loom_component *gpu =
        loom_machine_find(loom_lua_machine(L, 1), luaL_checkstring(L, 2));
    uint64_t passed = 0;
    struct loom_gpu_pass pass = {
        .ctas = (uint64_t)luaL_checkinteger(L, 3),
        .warm = (uint64_t)luaL_checkinteger(L, 4),
        .passed = &passed,
    };
    struct loom_error err;

    luaL_argcheck(L, gpu != NULL, 2, "no such component");
    if (!loom_machine_command(gpu, &pass, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)passed);
    return 1;
}

/* machine:progress(path): of the kernel that a gpu runs alone its CTAs, those
 * sent to SMs, done and on SMs; nothing where there is none. */
int loom_lua_progress(lua_State *L)
{
    struct loom_component *gpu =
        loom_machine_find(loom_lua_machine(L, 1), luaL_checkstring(L, 2));
    struct loom_gpu_progress progress = {0};
    struct loom_gpu_pass pass = {.progress = &progress};
    struct loom_error err;

    luaL_argcheck(L, gpu != NULL, 2, "no such component");
    if (!loom_machine_command(gpu, &pass, &err)) {
        return loom_lua_failed(L, &err);
    }
    if (progress.ctas == 0) {
        return 0;
    }
    lua_pushinteger(L, (lua_Integer)progress.ctas);
    lua_pushinteger(L, (lua_Integer)progress.sent);
    lua_pushinteger(L, (lua_Integer)progress.done);
    lua_pushinteger(L, (lua_Integer)progress.resident);
    return 4;
}

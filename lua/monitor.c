/*
 * core.monitor: a page about what is at work, served to this host alone.
 */
#define _GNU_SOURCE /* dladdr */
#include "lua/monitor.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lua/core.h"

#define MONITOR "warploom.monitor"
#define MODULE "warploom_monitor.so"
#ifndef LOOM_LIBRARIES
#define LOOM_LIBRARIES "../lib/warploom"
#endif

struct holder {
    const struct loom_monitor_ops *ops;
    struct loom_monitor *monitor;
};

static struct holder *holder_at(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MONITOR);

    luaL_argcheck(L, holder->monitor != NULL, 1, "the monitor has ended");
    return holder;
}

/* monitor:put(name, type, content) */
static int put(lua_State *L)
{
    struct holder *holder = holder_at(L);
    size_t bytes;
    const char *content = luaL_checklstring(L, 4, &bytes);

    lua_pushboolean(L,
                    holder->ops->put(holder->monitor, luaL_checkstring(L, 2),
                                     luaL_checkstring(L, 3), content, bytes));
    return 1;
}

/* monitor:asked(milliseconds) -> { pause =, proceed =, stop =, snapshot =,
 * idle = seconds, look = path or nil } */
static int asked(lua_State *L)
{
    struct holder *holder = holder_at(L);
    struct loom_monitor_asked it =
        holder->ops->asked(holder->monitor, (unsigned)luaL_checkinteger(L, 2));

    lua_createtable(L, 0, 6);
    loom_lua_set_flag(L, "pause", it.pause);
    loom_lua_set_flag(L, "proceed", it.proceed);
    loom_lua_set_flag(L, "stop", it.stop);
    loom_lua_set_flag(L, "snapshot", it.snapshot);
    lua_pushnumber(L, it.idle);
    lua_setfield(L, -2, "idle");
    if (it.look[0] != '\0') {
        loom_lua_set_text(L, "look", it.look);
    }
    return 1;
}

static int end(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MONITOR);

    if (holder->monitor != NULL) {
        holder->ops->close(holder->monitor);
        holder->monitor = NULL;
    }
    return 0;
}

/* ---- loading ---- */

/* In the folder of `file`, or the one above it. */
static void *open_beside(const char *file, const char *way)
{
    char path[4096];
    const char *slash = strrchr(file, '/');
    int length = slash == NULL ? 1 : (int)(slash - file);

    snprintf(path, sizeof(path), "%.*s/%s" MODULE, length,
             slash == NULL ? "." : file, way);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Beside the program or where it was installed; where this is a library of a
 * CUDA program, beside it or where its warploom is. */
static const struct loom_monitor_ops *load(char *why, size_t size)
{
    static const char *const ways[] = {"", "../", "../../../bin/"};
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    Dl_info own = {.dli_fname = NULL};
    void *module;

    program[length < 0 ? 0 : length] = '\0';
    dladdr((const void *)ways, &own);
    module = open_beside(program, "");
    if (module == NULL) {
        module = open_beside(program, LOOM_LIBRARIES "/");
    }
    for (size_t i = 0;
         module == NULL && own.dli_fname != NULL && i < LOOM_COUNTOF(ways);
         i++) {
        module = open_beside(own.dli_fname, ways[i]);
    }
    if (module == NULL) {
        snprintf(why, size,
                 "there is no " MODULE " beside the program, which is built "
                 "where libmicrohttpd is installed (Debian: "
                 "libmicrohttpd-dev), or it cannot be loaded");
        return NULL;
    }
    return dlsym(module, LOOM_MONITOR_SYMBOL);
}

/* What nobody can guess, in hexadecimal. */
static bool make_token(char token[LOOM_MONITOR_TOKEN])
{
    unsigned char bytes[(LOOM_MONITOR_TOKEN - 1) / 2];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

/* core.monitor() -> monitor, address; nil and why */
static int monitor_new(lua_State *L)
{
    struct holder *holder = lua_newuserdatauv(L, sizeof(*holder), 0);
    char token[LOOM_MONITOR_TOKEN];
    char why[512] = "the module has another version";
    uint16_t port = 0;

    *holder = (struct holder){.ops = NULL};
    luaL_setmetatable(L, MONITOR);
    holder->ops = load(why, sizeof(why));
    if (holder->ops != NULL && !make_token(token)) {
        snprintf(why, sizeof(why), "no random numbers: %s", strerror(errno));
    } else if (holder->ops != NULL) {
        holder->monitor = holder->ops->open(token, &port, why, sizeof(why));
    }
    if (holder->monitor == NULL) {
        lua_pushnil(L);
        lua_pushfstring(L, "no monitor: %s", why);
        return 2;
    }
    lua_pushfstring(L, "http://127.0.0.1:%d/%s/", (int)port, token);
    return 2;
}

void loom_lua_open_monitor(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"put", put}, {"asked", asked}, {"close", end}, {NULL, NULL}};

    loom_lua_class(L, MONITOR, methods, end);
    lua_pushcfunction(L, monitor_new);
    lua_setfield(L, -2, "monitor");
}

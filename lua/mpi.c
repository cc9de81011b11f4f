/*
 * core.mpi: the MPI module, if the program was started by an MPI launcher.
 */
#include "lua/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lua/core.h"

#define MPI "warploom.mpi"
/* Beside the program where it was built, else where it was installed. */
#define MODULE "warploom_mpi.so"
#ifndef LOOM_LIBRARIES
#define LOOM_LIBRARIES "../lib/warploom"
#endif
#define INSTALLED LOOM_LIBRARIES "/" MODULE

struct holder {
    const struct loom_mpi_ops *ops;
};

static const struct loom_mpi_ops *ops_at(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MPI);

    luaL_argcheck(L, holder->ops != NULL, 1, "MPI has ended");
    return holder->ops;
}

/* mpi:send(rank, text) */
static int send_text(lua_State *L)
{
    lua_pushboolean(L, ops_at(L)->send((int)luaL_checkinteger(L, 2),
                                       luaL_checkstring(L, 3)));
    return 1;
}

/* mpi:poll() -> rank, text; nothing if there is no message */
static int poll_text(lua_State *L)
{
    char text[LOOM_MPI_TEXT];
    int rank;

    if (!ops_at(L)->poll(&rank, text)) {
        return 0;
    }
    lua_pushinteger(L, rank);
    lua_pushstring(L, text);
    return 2;
}

/* mpi:finish(): waits for the others */
static int finish(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MPI);

    if (holder->ops != NULL) {
        holder->ops->end();
        holder->ops = NULL;
    }
    return 0;
}

/* mpi:leave(status): ends the process at once, as others are gone */
static int leave(lua_State *L)
{
    fflush(NULL);
    _exit((int)luaL_checkinteger(L, 2));
}

/* Nothing: a process that ends by an error must not wait for the others. */
static int forget(lua_State *L)
{
    (void)L;
    return 0;
}

/* Was the program started by mpirun, or by srun with PMI? */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "PMIX_RANK", "MPI_LOCALNRANKS"};

    for (size_t i = 0; i < LOOM_COUNTOF(names); i++) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static const struct loom_mpi_ops *load(char *why, size_t size)
{
    char path[4096];
    ssize_t length =
        readlink("/proc/self/exe", path, sizeof(path) - sizeof(INSTALLED));
    char *slash;
    void *module;

    path[length < 0 ? 0 : length] = '\0';
    slash = strrchr(path, '/');
    if (slash != NULL) {
        memcpy(slash + 1, MODULE, sizeof(MODULE));
    }
    if (slash != NULL && access(path, R_OK) != 0) {
        memcpy(slash + 1, INSTALLED, sizeof(INSTALLED));
    }
    module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (module == NULL) {
        snprintf(why, size, "%s", dlerror());
        return NULL;
    }
    return dlsym(module, LOOM_MPI_SYMBOL);
}

/* core.mpi() -> mpi, rank, size; nil if the program was started plainly; nil
 * and why if MPI cannot be used */
static int mpi_new(lua_State *L)
{
    struct holder *holder;
    char why[512] = "the module has another version";
    int rank, size;

    if (!is_launched()) {
        return 0;
    }
    holder = lua_newuserdatauv(L, sizeof(*holder), 0);
    holder->ops = load(why, sizeof(why));
    luaL_setmetatable(L, MPI);
    if (holder->ops == NULL || !holder->ops->begin(&rank, &size)) {
        lua_pushnil(L);
        lua_pushfstring(L, "cannot use MPI: %s", why);
        return 2;
    }
    lua_pushinteger(L, rank);
    lua_pushinteger(L, size);
    return 3;
}

void loom_lua_open_mpi(lua_State *L)
{
    static const luaL_Reg methods[] = {{"send", send_text},
                                       {"poll", poll_text},
                                       {"finish", finish},
                                       {"leave", leave},
                                       {NULL, NULL}};

    loom_lua_class(L, MPI, methods, forget);
    lua_pushcfunction(L, mpi_new);
    lua_setfield(L, -2, "mpi");
}

/*
 * What the library needs of the system it runs on: the sources compiled into
 * the program, digests, terminals, and the wall clock, which is for progress
 * and speed only and never reaches a result.
 */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/digest.h"

#include "lua/core.h"
#include "stats/writer.h"

#ifndef LOOM_VERSION
#define LOOM_VERSION "unknown"
#endif
#ifndef LOOM_BUILD_TYPE
#define LOOM_BUILD_TYPE "unknown"
#endif
#ifndef LOOM_LIBRARIES /* from the program's folder */
#define LOOM_LIBRARIES "../lib/warploom"
#endif

/* core.source(name) -> text, or nil */
static int source(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);

    for (size_t i = 0; i < loom_lua_source_count; i++) {
        const struct loom_lua_source *s = &loom_lua_sources[i];

        if (strcmp(s->name, name) == 0) {
            lua_pushlstring(L, (const char *)s->text, s->bytes);
            return 1;
        }
    }
    lua_pushnil(L);
    return 1;
}

/* core.sources() -> list of names */
static int sources(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < loom_lua_source_count; i++) {
        lua_pushstring(L, loom_lua_sources[i].name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int sha256(lua_State *L)
{
    struct loom_digest digest;
    char text[LOOM_DIGEST_TEXT];
    size_t bytes;
    const char *data = luaL_checklstring(L, 1, &bytes);

    loom_digest_init(&digest);
    loom_digest_add(&digest, data, bytes);
    loom_digest_text(&digest, text);
    lua_pushstring(L, text);
    return 1;
}

/* core.wall() -> seconds of a monotonic clock */
static int wall(lua_State *L)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
    return 1;
}

/* core.terminal(1 or 2): is stdout or stderr a terminal? */
static int terminal(lua_State *L)
{
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

/* core.kind(path) -> "file", "directory", "other" or nil */
static int kind(lua_State *L)
{
    struct stat status;

    if (stat(luaL_checkstring(L, 1), &status) != 0) {
        lua_pushnil(L);
    } else {
        lua_pushstring(L, S_ISDIR(status.st_mode)   ? "directory"
                          : S_ISREG(status.st_mode) ? "file"
                                                    : "other");
    }
    return 1;
}

static int make_directory(lua_State *L)
{
    lua_pushboolean(L, mkdir(luaL_checkstring(L, 1), 0777) == 0);
    return 1;
}

/* core.writable(path): may a file be made in this directory? */
static int writable(lua_State *L)
{
    lua_pushboolean(L, access(luaL_checkstring(L, 1), W_OK) == 0);
    return 1;
}

/* core.memory_in_use() -> bytes of memory that this process has now, and of
 * address space; nothing where that is unknown */
static int memory_in_use(lua_State *L)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long long space = 0, pages = 0;
    bool known = file != NULL && fscanf(file, "%lld %lld", &space, &pages) == 2;

    if (file != NULL) {
        fclose(file);
    }
    if (!known) {
        return 0;
    }
    lua_pushinteger(L, pages * sysconf(_SC_PAGESIZE));
    lua_pushinteger(L, space * sysconf(_SC_PAGESIZE));
    return 2;
}

/* core.address_space() -> the most bytes that this process may have, or nil */
static int address_space(lua_State *L)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        lua_pushnil(L);
    } else {
        lua_pushinteger(L, (lua_Integer)limit.rlim_cur);
    }
    return 1;
}

static int working_directory(lua_State *L)
{
    char *path = getcwd(NULL, 0);

    lua_pushstring(L, path == NULL ? "." : path);
    free(path);
    return 1;
}

/* The folder of `path`, resolved, and what comes after it, for a file that is
 * not there yet; NULL with errno. */
static char *resolve_new(lua_State *L, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    struct stat status;
    char *folder;

    if (lstat(path, &status) == 0 || name[0] == '\0' ||
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return NULL; /* a link to what is not there, or no file's name */
    }
    lua_pushlstring(L, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    folder = realpath(slash == NULL ? "." : lua_tostring(L, -1), NULL);
    lua_pop(L, 1);
    return folder;
}

/* core.resolve(path) -> the absolute path without links, also of a file that
 * is not there in a folder that is; nil and why not */
static int resolve(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    const char *slash = strrchr(path, '/');
    char *found = realpath(path, NULL);

    if (found != NULL) {
        lua_pushstring(L, found);
    } else if (errno == ENOENT && (found = resolve_new(L, path)) != NULL) {
        lua_pushfstring(L, "%s/%s", strcmp(found, "/") == 0 ? "" : found,
                        slash == NULL ? path : slash + 1);
    } else {
        lua_pushnil(L);
        lua_pushstring(L, strerror(errno));
        return 2;
    }
    free(found);
    return 1;
}

/* core.regex(expression, text) -> is it in the text?  Nil and what is wrong
 * with the expression, an extended one of POSIX. */
static int find_regex(lua_State *L)
{
    const char *expression = luaL_checkstring(L, 1);
    const char *text = luaL_checkstring(L, 2);
    regex_t compiled;
    int status = regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB);

    if (status != 0) {
        char wrong[128];

        regerror(status, &compiled, wrong, sizeof(wrong));
        lua_pushnil(L);
        lua_pushstring(L, wrong);
        return 2;
    }
    lua_pushboolean(L, regexec(&compiled, text, 0, NULL, 0) == 0);
    regfree(&compiled);
    return 1;
}

static int change_folder(lua_State *L)
{
    lua_pushboolean(L, chdir(luaL_checkstring(L, 1)) == 0);
    return 1;
}

static void set_facts(lua_State *L)
{
    static const struct {
        const char *name, *value;
    } facts[] = {
        {"version", LOOM_VERSION},     {"build_type", LOOM_BUILD_TYPE},
        {"libraries", LOOM_LIBRARIES}, {"layout", LOOM_LAYOUT},
        {"compiler", __VERSION__},     {"lua_release", LUA_RELEASE},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(facts); i++) {
        loom_lua_set_text(L, facts[i].name, facts[i].value);
    }
}

void loom_lua_open_system(lua_State *L)
{
    static const luaL_Reg functions[] = {{"source", source},
                                         {"sources", sources},
                                         {"sha256", sha256},
                                         {"wall", wall},
                                         {"terminal", terminal},
                                         {"kind", kind},
                                         {"mkdir", make_directory},
                                         {"writable", writable},
                                         {"cwd", working_directory},
                                         {"resolve", resolve},
                                         {"guard", loom_lua_guard},
                                         {"chdir", change_folder},
                                         {"regex", find_regex},
                                         {"memory_in_use", memory_in_use},
                                         {"address_space", address_space},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
    set_facts(L);
}

/*
 * Other processes and durable files, for sweeps: the points of a sweep run
 * in processes of their own, and what they leave must survive any of them
 * being killed at any moment.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/file.h"

#include "lua/core.h"

#define LOCK "warploom.lock"

enum {
    ARGUMENTS = 4096,
    NOT_STARTED = 127,          /* exit status of a child that could not exec */
    FIRST_POLL_NS = 500 * 1000, /* and longer ones, up to */
    LAST_POLL_NS = 20 * 1000 * 1000
};

static int failed(lua_State *L, const char *what, const char *path)
{
    lua_pushnil(L);
    lua_pushfstring(L, "cannot %s '%s': %s", what, path, strerror(errno));
    return 2;
}

/* ---- processes ---- */

static const char *path_field(lua_State *L, int at, const char *name)
{
    const char *path = NULL;

    if (lua_getfield(L, at, name) == LUA_TSTRING) {
        path = lua_tostring(L, -1); /* the table keeps it */
    }
    lua_pop(L, 1);
    return path;
}

/* In the child: descriptor `to` writes to the end of the file. */
static bool redirect(const char *path, int to)
{
    int fd;

    if (path == NULL) {
        return true;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    return fd >= 0 && dup2(fd, to) >= 0;
}

/* In the child.  It dies with its parent, however that ends. */
static void become(char **argument, pid_t parent, const char *out,
                   const char *err)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || !redirect(out, 1) || !redirect(err, 2)) {
        _exit(NOT_STARTED);
    }
    execv(argument[0], argument);
    _exit(NOT_STARTED);
}

/* core.spawn({ program, argument .. }, { out = path, err = path }) -> pid */
static int spawn(lua_State *L)
{
    char *argument[ARGUMENTS + 1];
    size_t count = lua_rawlen(L, 1);
    const char *out = path_field(L, 2, "out");
    const char *err = path_field(L, 2, "err");
    pid_t parent = getpid();
    pid_t child;

    luaL_argcheck(L, count > 0 && count <= ARGUMENTS, 1, "1..4096 words");
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, 1, "words expected");
        argument[i] = (char *)(uintptr_t)lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    argument[count] = NULL;
    fflush(NULL);
    child = fork();
    if (child < 0) {
        return failed(L, "start", argument[0]);
    }
    if (child == 0) {
        become(argument, parent, out, err);
    }
    lua_pushinteger(L, child);
    return 1;
}

/* core.exec({ program, argument .. }, { NAME = value }): becomes another
 * program, looked for on the PATH; returns nil and why if that fails. */
static int become_program(lua_State *L)
{
    char *argument[ARGUMENTS + 1];
    size_t count = lua_rawlen(L, 1);

    luaL_argcheck(L, count > 0 && count <= ARGUMENTS, 1, "1..4096 words");
    luaL_checkstack(L, (int)count + 8, NULL);
    lua_pushnil(L);
    while (lua_next(L, 2) != 0) {
        setenv(luaL_checkstring(L, -2), luaL_checkstring(L, -1), 1);
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        argument[i] = (char *)(uintptr_t)luaL_checkstring(L, -1);
    }
    argument[count] = NULL;
    fflush(NULL);
    execvp(argument[0], argument);
    return failed(L, "run", argument[0]);
}

/* core.wait(seconds) -> pid, "exit" or "signal", number; nil if none ended.
 * 0 seconds: looks once. */
static int wait_child(lua_State *L)
{
    double left = luaL_checknumber(L, 1);
    struct timespec pause = {0, FIRST_POLL_NS};

    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);

        if (pid > 0) {
            lua_pushinteger(L, pid);
            lua_pushstring(L, WIFEXITED(status) ? "exit" : "signal");
            lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status)
                                                 : WTERMSIG(status));
            return 3;
        }
        if (left <= 0) {
            return 0;
        }
        nanosleep(&pause, NULL);
        left -= 1e-9 * (double)pause.tv_nsec;
        pause.tv_nsec += pause.tv_nsec / 8;
        if (pause.tv_nsec > LAST_POLL_NS) {
            pause.tv_nsec = LAST_POLL_NS;
        }
    }
}

/* core.kill(pid, ask): at once, or asked to end as SIGTERM does */
static int kill_child(lua_State *L)
{
    int signal = lua_toboolean(L, 2) ? SIGTERM : SIGKILL;

    lua_pushboolean(L, kill((pid_t)luaL_checkinteger(L, 1), signal) == 0);
    return 1;
}

/* core.executable() -> path of this program */
static int executable(lua_State *L)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path));

    if (length <= 0 || (size_t)length >= sizeof(path)) {
        return failed(L, "find", "/proc/self/exe");
    }
    lua_pushlstring(L, path, (size_t)length);
    return 1;
}

/* core.processors() -> how many this process may use */
static int processors(lua_State *L)
{
    cpu_set_t set;
    int count = 1;

    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        count = CPU_COUNT(&set);
    }
    lua_pushinteger(L, count);
    return 1;
}

/* core.host() -> its name */
static int host(lua_State *L)
{
    char name[256] = "?";

    gethostname(name, sizeof(name) - 1);
    lua_pushstring(L, name);
    return 1;
}

/* ---- files ---- */

typedef bool put_text(const char *path, const char *temporary, const void *data,
                      size_t bytes, struct loom_error *err);

static int put_with(lua_State *L, put_text *put)
{
    size_t bytes;
    const char *path = luaL_checkstring(L, 1);
    const char *text = luaL_checklstring(L, 2, &bytes);
    const char *temporary =
        lua_pushfstring(L, "%s.%d.tmp", path, (int)getpid());
    struct loom_error err;

    return loom_lua_done(L, put(path, temporary, text, bytes, &err), &err);
}

/* core.durable(path, text): the file holds the text or what it held before,
 * whatever happens; true once it is on the disk */
static int durable(lua_State *L)
{
    return put_with(L, loom_file_put);
}

/* core.write(path, text): the same; a device or a pipe is written to */
static int write_text(lua_State *L)
{
    return put_with(L, loom_file_write);
}

/* core.sink(path): is it a device or a pipe? */
static int sink(lua_State *L)
{
    lua_pushboolean(L, loom_file_is_sink(luaL_checkstring(L, 1)));
    return 1;
}

/* core.fresh(path, temporary): makes an empty file for what is to become
 * `path`, if that may be replaced */
static int fresh(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    const char *temporary = luaL_checkstring(L, 2);
    struct loom_error err;
    int fd;

    if (!loom_file_replaceable(path, &err)) {
        return loom_lua_failed(L, &err);
    }
    fd = loom_file_create(temporary);
    if (fd < 0) {
        return failed(L, "write", path);
    }
    close(fd);
    lua_pushboolean(L, 1);
    return 1;
}

/* core.move(from, to): renames a file that is complete, durably */
static int move(lua_State *L)
{
    struct loom_error err;

    return loom_lua_done(
        L, loom_file_move(luaL_checkstring(L, 1), luaL_checkstring(L, 2), &err),
        &err);
}

/* core.link(from, to): one file under two names; false where that cannot be */
static int link_file(lua_State *L)
{
    lua_pushboolean(L,
                    link(luaL_checkstring(L, 1), luaL_checkstring(L, 2)) == 0);
    return 1;
}

static int remove_file(lua_State *L)
{
    lua_pushboolean(L, unlink(luaL_checkstring(L, 1)) == 0);
    return 1;
}

/* core.list(folder) -> names of what is in it, in no order; empty if none */
static int list(lua_State *L)
{
    DIR *folder = opendir(luaL_checkstring(L, 1));
    lua_Integer count = 0;
    const struct dirent *entry;

    lua_newtable(L);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0) {
            lua_pushstring(L, entry->d_name);
            lua_rawseti(L, -2, ++count);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return 1;
}

/* core.size(path) -> bytes and seconds since it was last changed; or nil */
static int size(lua_State *L)
{
    struct stat status;

    if (stat(luaL_checkstring(L, 1), &status) != 0) {
        return 0;
    }
    lua_pushinteger(L, (lua_Integer)status.st_size);
    lua_pushinteger(L, (lua_Integer)(time(NULL) - status.st_mtime));
    return 2;
}

/* Marks a file as used now. */
static int touch(lua_State *L)
{
    lua_pushboolean(L,
                    utimensat(AT_FDCWD, luaL_checkstring(L, 1), NULL, 0) == 0);
    return 1;
}

/* ---- locks ---- */

struct lock {
    int fd; /* -1 once released */
};

/* core.lock(path) -> lock, held until it is closed or the process ends; nil if
 * somebody else holds it; nil and why if it cannot be had at all */
static int lock_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct lock *lock = lua_newuserdatauv(L, sizeof(*lock), 0);

    lock->fd = -1;
    luaL_setmetatable(L, LOCK);
    lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->fd < 0) {
        return failed(L, "lock", path);
    }
    if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
        close(lock->fd);
        lock->fd = -1;
        lua_pushnil(L);
    }
    return 1;
}

static int lock_close(lua_State *L)
{
    struct lock *lock = luaL_checkudata(L, 1, LOCK);

    if (lock->fd >= 0) {
        close(lock->fd);
    }
    lock->fd = -1;
    return 0;
}

void loom_lua_open_process(lua_State *L)
{
    static const luaL_Reg methods[] = {{"close", lock_close}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"spawn", spawn},
                                         {"exec", become_program},
                                         {"wait", wait_child},
                                         {"kill", kill_child},
                                         {"executable", executable},
                                         {"host", host},
                                         {"processors", processors},
                                         {"durable", durable},
                                         {"write", write_text},
                                         {"sink", sink},
                                         {"fresh", fresh},
                                         {"move", move},
                                         {"remove", remove_file},
                                         {"list", list},
                                         {"size", size},
                                         {"touch", touch},
                                         {"lock", lock_new},
                                         {"link", link_file},
                                         {NULL, NULL}};

    loom_lua_class(L, LOCK, methods, lock_close);
    luaL_setfuncs(L, functions, 0);
}

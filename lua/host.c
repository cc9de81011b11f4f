/*
 * Calls from C into the coroutine that a run waits in.
 *
 * The library's answer to the command `host` is a function: it takes the name
 * of what is to be done and its arguments, and returns true, a status and
 * results, or false and an exit status once the run is over.
 */
#include "lua/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/blocks.h"
#include "lua/core.h"

enum {
    INTERNAL = 70, /* as main.c has them */
    EXHAUSTED = 6,
    FUNCTION = 1, /* its place on the stack, always */
    ANSWERS = 2
};

struct loom_host {
    lua_State *L;
    bool over;
    int status, failure;
};

static void end_run(struct loom_host *host, int status)
{
    host->over = true;
    host->status = status;
}

/* What lua_pcall() left; returns the exit status. */
static int tell_error(lua_State *L, int ended)
{
    if (ended == LUA_ERRMEM) {
        fputs("warploom: the host has no memory\n", stderr);
        return EXHAUSTED;
    }
    fprintf(stderr, "warploom: internal error: %s\n", lua_tostring(L, -1));
    return INTERNAL;
}

struct loom_host *loom_host_create(int count, char **word, int *status)
{
    struct loom_host *host = calloc(1, sizeof(*host));
    int ended;

    *status = INTERNAL;
    if (host == NULL || (host->L = loom_lua_new()) == NULL) {
        fputs("warploom: the host has no memory to begin with\n", stderr);
        *status = EXHAUSTED;
        free(host);
        return NULL;
    }
    lua_pushcfunction(host->L, loom_lua_library);
    lua_pushinteger(host->L, count);
    lua_pushlightuserdata(host->L, word);
    ended = lua_pcall(host->L, 2, 1, 0);
    if (ended != LUA_OK) {
        *status = tell_error(host->L, ended);
    } else if (lua_isfunction(host->L, FUNCTION)) {
        return host;
    } else {
        *status = (int)lua_tointeger(host->L, -1);
    }
    loom_host_destroy(host);
    return NULL;
}

/* What the function returned: true, status, integers and perhaps a text. */
static bool take_answers(struct loom_host *host, struct loom_host_call *call)
{
    lua_State *L = host->L;
    int top = lua_gettop(L);

    call->results = 0;
    call->text = NULL;
    call->text_bytes = 0;
    if (!lua_toboolean(L, ANSWERS)) {
        end_run(host, (int)lua_tointeger(L, ANSWERS + 1));
        host->failure = (int)lua_tointeger(L, ANSWERS + 2);
        return false;
    }
    call->status = (uint32_t)lua_tointeger(L, ANSWERS + 1);
    for (int i = ANSWERS + 2; i <= top; i++) {
        if (lua_type(L, i) == LUA_TSTRING) {
            call->text = lua_tolstring(L, i, &call->text_bytes);
        } else if (call->results < LOOM_HOST_VALUES) {
            call->result[call->results++] = (uint64_t)lua_tointeger(L, i);
        }
    }
    return true; /* the text stays on the stack until the next call */
}

bool loom_host_call(struct loom_host *host, struct loom_host_call *call)
{
    lua_State *L = host->L;
    int given = 1 + (int)call->args, ended;

    if (host->over) {
        return false;
    }
    lua_settop(L, FUNCTION);
    lua_pushvalue(L, FUNCTION);
    lua_pushstring(L, call->name);
    for (uint32_t i = 0; i < call->args; i++) {
        lua_pushinteger(L, (lua_Integer)call->arg[i]);
    }
    if (call->data != NULL) {
        lua_pushlstring(L, call->data, call->bytes);
        given++;
    }
    ended = lua_pcall(L, given, LUA_MULTRET, 0);
    if (ended != LUA_OK) {
        end_run(host, tell_error(L, ended));
        return false;
    }
    return take_answers(host, call);
}

bool loom_host_over(const struct loom_host *host)
{
    return host->over;
}

int loom_host_status(const struct loom_host *host)
{
    return host->status;
}

int loom_host_failure(const struct loom_host *host)
{
    return host->failure;
}

void loom_host_finish(struct loom_host *host)
{
    struct loom_host_call call = {.name = "finish"};

    loom_host_call(host, &call);
}

void loom_host_destroy(struct loom_host *host)
{
    if (host != NULL) {
        loom_lua_end(host->L);
        free(host);
    }
}

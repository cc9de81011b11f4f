/*
 * Lines for `warploom repl`: libedit (BSD licence) where there is a terminal.
 */
#include "lua/prompt.h"

#include <histedit.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINES = 1000 /* of history */
};

static const char *const PROMPT = "loom.line_editor";

struct prompt {
    EditLine *line;
    History *history;
    lua_State *L;     /* while a line is read: with complete at 2 */
    const char *text; /* likewise */
};

static char *text_of(EditLine *line)
{
    static char empty[] = "";
    struct prompt *p = NULL;

    el_get(line, EL_CLIENTDATA, &p);
    return p == NULL || p->text == NULL ? empty : (char *)(size_t)p->text;
}

/* The tab key. */
static unsigned char complete(EditLine *line, int key)
{
    const LineInfo *info = el_line(line);
    struct prompt *p = NULL;
    unsigned char answer = CC_ERROR;
    int top;

    (void)key;
    el_get(line, EL_CLIENTDATA, &p);
    if (p == NULL || p->L == NULL || !lua_isfunction(p->L, 2)) {
        return CC_ERROR;
    }
    top = lua_gettop(p->L);
    lua_pushvalue(p->L, 2);
    lua_pushlstring(p->L, info->buffer, (size_t)(info->cursor - info->buffer));
    if (lua_pcall(p->L, 1, 2, 0) == LUA_OK) {
        const char *more = lua_tostring(p->L, -2);
        const char *all = lua_tostring(p->L, -1);

        if (more != NULL && more[0] != '\0') {
            answer = el_insertstr(line, more) == 0 ? CC_REFRESH : CC_ERROR;
        } else if (all != NULL && all[0] != '\0') {
            printf("\n%s\n", all);
            fflush(stdout);
            answer = CC_REDISPLAY;
        }
    }
    lua_settop(p->L, top);
    return answer;
}

static int close_prompt(lua_State *L)
{
    struct prompt *p = lua_touserdata(L, 1);

    if (p->line != NULL) {
        el_end(p->line);
        p->line = NULL;
    }
    if (p->history != NULL) {
        history_end(p->history);
        p->history = NULL;
    }
    return 0;
}

/* The editor, made when it is first wanted and closed with the state. */
static struct prompt *editor(lua_State *L, const char *path)
{
    struct prompt *p;
    HistEvent event;

    if (lua_getfield(L, LUA_REGISTRYINDEX, PROMPT) == LUA_TUSERDATA) {
        p = lua_touserdata(L, -1);
        lua_pop(L, 1);
        return p;
    }
    lua_pop(L, 1);
    p = lua_newuserdatauv(L, sizeof(*p), 0);
    memset(p, 0, sizeof(*p));
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, close_prompt);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, PROMPT);
    p->line = el_init("warploom", stdin, stdout, stderr);
    p->history = history_init();
    if (p->line == NULL || p->history == NULL) {
        return p;
    }
    el_set(p->line, EL_CLIENTDATA, p);
    el_set(p->line, EL_PROMPT, text_of);
    el_set(p->line, EL_EDITOR, "emacs");
    el_set(p->line, EL_SIGNAL, 1);
    /* The narrow one makes copies that nobody frees. */
    el_wset(p->line, EL_ADDFN, L"complete", L"Complete names", complete);
    el_set(p->line, EL_BIND, "^I", "complete", NULL);
    history(p->history, &event, H_SETSIZE, LINES);
    history(p->history, &event, H_SETUNIQUE, 1);
    if (path != NULL) {
        history(p->history, &event, H_LOAD, path);
    }
    el_set(p->line, EL_HIST, history, p->history);
    return p;
}

/* A line as it comes. */
static int read_line(lua_State *L)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t bytes = getline(&text, &room, stdin);

    if (bytes < 0) {
        free(text);
        lua_pushnil(L);
        return 1;
    }
    if (bytes > 0 && text[bytes - 1] == '\n') {
        bytes--;
    }
    lua_pushlstring(L, text, (size_t)bytes);
    free(text);
    return 1;
}

static int prompt(lua_State *L)
{
    const char *path = luaL_optstring(L, 3, NULL);
    struct prompt *p;
    HistEvent event;
    const char *text;
    int bytes = 0;

    lua_settop(L, 3);
    if (isatty(STDIN_FILENO) == 0) {
        return read_line(L);
    }
    p = editor(L, path);
    if (p->line == NULL || p->history == NULL) {
        return read_line(L);
    }
    p->L = L;
    p->text = luaL_checkstring(L, 1);
    /* Before the prompt is there: an end of input that is typed as soon as it
     * shows would be lost otherwise. */
    el_set(p->line, EL_PREP_TERM, 1);
    text = el_gets(p->line, &bytes);
    p->L = NULL;
    p->text = NULL;
    if (text == NULL || bytes <= 0) {
        lua_pushnil(L);
        return 1;
    }
    if (bytes > 1) {
        history(p->history, &event, H_ENTER, text);
        if (path != NULL) {
            history(p->history, &event, H_SAVE, path);
        }
    }
    lua_pushlstring(L, text,
                    (size_t)(text[bytes - 1] == '\n' ? bytes - 1 : bytes));
    return 1;
}

void loom_lua_open_prompt(lua_State *L)
{
    lua_pushcfunction(L, prompt);
    lua_setfield(L, LUA_REGISTRYINDEX, "loom.prompt");
}

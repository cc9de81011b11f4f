/*
 * What signals do to warploom's own commands.
 *
 * SIGINT, SIGTERM and SIGHUP set a word that machines, front ends and the
 * library look at, and put a hook into Lua, so that a script that computes on
 * its own stops, too.  A second one ends the process as if there were no
 * handler; one that comes at once is the first again, for some senders signal
 * the process and its group (timeout(1)).
 */
#define _GNU_SOURCE /* sigabbrev_np */
#include "lua/interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "lua/core.h"

#define ON_SIGNAL "warploom.on_signal"

enum {
    HOOK_EVERY = 1000, /* instructions of Lua, once a signal has come */
    AGAIN_MS = 100     /* up to here a second signal is the first */
};

static struct {
    struct loom_interrupt stop, pause;
    atomic_llong since;  /* ms, of the first signal */
    atomic_bool patient; /* whoever sends more of them will kill us, too */
    atomic_bool broken_pipe;
    _Atomic(lua_State *) L;
} state;

struct loom_interrupt *loom_interrupt_stop(void)
{
    return &state.stop;
}

struct loom_interrupt *loom_interrupt_pause(void)
{
    return &state.pause;
}

static long long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool loom_interrupt_ask_stop(int signal)
{
    int none = 0;

    if (!atomic_compare_exchange_strong(&state.stop.word, &none, signal)) {
        return false;
    }
    atomic_store(&state.since, milliseconds());
    atomic_store(&state.pause.word, 1);
    return true;
}

void loom_interrupt_ask_where(void)
{
    atomic_store(&state.pause.word, 1);
}

bool loom_interrupt_broken_pipe(void)
{
    return atomic_load(&state.broken_pipe);
}

/* ---- handlers ---- */

/* The library decides by the chunk that is at work whether to stop there. */
static void hook(lua_State *L, lua_Debug *where)
{
    if (lua_getinfo(L, "S", where) != 0 &&
        lua_getfield(L, LUA_REGISTRYINDEX, ON_SIGNAL) == LUA_TFUNCTION) {
        lua_pushstring(L, where->source);
        lua_call(L, 1, 0);
    } else {
        lua_pop(L, 1);
    }
}

static void on_stop(int signal)
{
    lua_State *L = atomic_load(&state.L);

    if (loom_interrupt_ask_stop(signal)) {
        if (L != NULL) {
            lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_EVERY);
        }
    } else if (!atomic_load(&state.patient) &&
               milliseconds() - atomic_load(&state.since) > AGAIN_MS) {
        struct sigaction plain = {.sa_handler = SIG_DFL};

        sigaction(signal, &plain, NULL);
        raise(signal); /* once this handler is left */
    }
}

static void on_where(int signal)
{
    (void)signal;
    loom_interrupt_ask_where();
}

static void on_broken_pipe(int signal)
{
    (void)signal;
    atomic_store(&state.broken_pipe, true);
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;

    /* What nohup ignores stays so; but shells ignore SIGINT for what they
     * start with &, and whoever sends it to that means it. */
    if (signal == SIGINT ||
        (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)) {
        sigaction(signal, &action, NULL);
    }
}

void loom_interrupt_begin(void)
{
    handle(SIGUSR1, on_where);
}

/* ---- for the library ---- */

/* core.signals(on_signal, patient): from here on signals are noted.  A script
 * that is at work gets on_signal(name of the chunk) called now and then. */
static int begin(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    atomic_store(&state.patient, lua_toboolean(L, 2) != 0);
    lua_pushvalue(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, ON_SIGNAL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    atomic_store(&state.L, lua_tothread(L, -1));
    handle(SIGINT, on_stop);
    handle(SIGTERM, on_stop);
    handle(SIGHUP, on_stop);
    handle(SIGPIPE, on_broken_pipe);
    return 0;
}

/* core.interrupted() -> number and name of the signal; nil if none came */
static int interrupted(lua_State *L)
{
    int signal = atomic_load(&state.stop.word);
    const char *name = signal == 0 ? NULL : sigabbrev_np(signal);

    if (signal == 0) {
        return 0;
    }
    lua_pushinteger(L, signal);
    if (signal == LOOM_INTERRUPT_EXIT) {
        lua_pushliteral(L, "the program's exit");
    } else {
        lua_pushfstring(L, "SIG%s", name == NULL ? "?" : name);
    }
    return 2;
}

/* core.asked(): has somebody asked where it is, since it was last called? */
static int asked(lua_State *L)
{
    int none = atomic_load(&state.stop.word) == 0 ? 0 : 1;

    lua_pushboolean(L,
                    atomic_exchange(&state.pause.word, none) != 0 && none == 0);
    return 1;
}

void loom_lua_open_interrupt(lua_State *L)
{
    static const luaL_Reg functions[] = {{"signals", begin},
                                         {"interrupted", interrupted},
                                         {"asked", asked},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}

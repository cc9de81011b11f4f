/*
 * Signals: asking a run to stop, and asking where it is.
 *
 * A handler gets nothing but the number of its signal, so this is the one part
 * of lua/ with data at file scope.  There are two words that others look at:
 * `stop` is set once and for good, `pause` with it and by SIGUSR1, too.
 */
#ifndef LUA_INTERRUPT_H
#define LUA_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>

#include "engine/interrupt.h"

enum {
    LOOM_INTERRUPT_EXIT = 256 /* in place of a signal: the process ends */
};

struct loom_interrupt *loom_interrupt_stop(void);
struct loom_interrupt *loom_interrupt_pause(void);

/* What the handlers do, for processes whose handlers are their own: safe in a
 * handler.  The first signal to stop counts; false: there was one before. */
bool loom_interrupt_ask_stop(int signal);
void loom_interrupt_ask_where(void);

/* First of all in a program of ours: who asks where it is, too early, does not
 * end it. */
void loom_interrupt_begin(void);

/* Was a text written to a pipe that nobody reads? */
bool loom_interrupt_broken_pipe(void);

/* Adds functions to the table on top of the stack. */
void loom_lua_open_interrupt(lua_State *L);

#endif

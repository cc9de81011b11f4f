/*
 * A line from whoever sits before the program, with editing, history and
 * completion by libedit.  Only the program has it, not the CUDA runtime
 * libraries, which are loaded into other people's programs.
 */
#ifndef LUA_PROMPT_H
#define LUA_PROMPT_H

#include <lua.h>

/* Puts prompt(text, complete, history) into the registry as "loom.prompt".  It
 * returns a line without its end, "" of an empty one, or nil at the end of the
 * input or where that cannot be edited (no terminal: then lines are read as
 * they come, and `text` is not printed).
 *   complete  function(line): what to put after the cursor, and a text with
 *             all possibilities where that is nothing; of the line's part
 *             before the cursor
 *   history   path of a file that keeps lines from one time to the next; not
 *             kept if it cannot be read or written */
void loom_lua_open_prompt(lua_State *L);

#endif

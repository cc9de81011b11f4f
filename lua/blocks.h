/*
 * States of Lua whose memory is of blocks by size (blocks.c).
 */
#ifndef LUA_BLOCKS_H
#define LUA_BLOCKS_H

#include <lua.h>

/* NULL: there is no memory. */
lua_State *loom_lua_new(void);
/* Instead of lua_close(). */
void loom_lua_end(lua_State *L);

#endif

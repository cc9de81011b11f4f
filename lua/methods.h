/*
 * Methods and functions of Lua that one file has and another one lists.
 */
#ifndef LUA_METHODS_H
#define LUA_METHODS_H

#include "lua/core.h"

/* Of a memory (texture.c, transfer.c). */
int loom_lua_texture_new(lua_State *L);
int loom_lua_texture_free(lua_State *L);
int loom_lua_memory_transfer(lua_State *L); /* transfer(fields): at once */

/* Of a machine (links.c, tasks.c, passing.c). */
int loom_lua_links(lua_State *L);
int loom_lua_loads(lua_State *L);
int loom_lua_launch(lua_State *L);
int loom_lua_given(lua_State *L);    /* core.given() */
int loom_lua_forecast(lua_State *L); /* core.forecast(): forecast.c */
int loom_lua_copy(lua_State *L);
int loom_lua_mark(lua_State *L);
int loom_lua_wait(lua_State *L);
int loom_lua_preload(lua_State *L);
int loom_lua_pass(lua_State *L);
int loom_lua_progress(lua_State *L);

/* Of a kernel (children.c): pushes what it asks the system for, as a list of
 * { kind =, cta =, stream =, .. }; NULL: of nothing. */
void loom_lua_push_children(lua_State *L, const struct loom_children *list);

#endif

/*
 * Images of machines in Lua (image.c).
 */
#ifndef LUA_IMAGE_H
#define LUA_IMAGE_H

#include <lua.h>

void loom_lua_open_image(lua_State *L);

/* Methods of a machine. */
int loom_lua_save(lua_State *L);
int loom_lua_load(lua_State *L);

#endif

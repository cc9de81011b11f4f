/*
 * What the files of the binding for recordings share.
 */
#ifndef LUA_RECORDING_H
#define LUA_RECORDING_H

#include <lua.h>

#include "workloads/program.h"

/* Adds to the table on top of the stack; loom_lua_open_recording does so. */
void loom_lua_open_listing(lua_State *L);

/* Pushes a kernel as { name =, registers =, rows = { .. } .. }. */
void loom_lua_push_listing(lua_State *L, const struct loom_kernel_info *info);

/* Pushes the first `limit` instructions of a warp as rows, and how many it
 * has; returns 2. */
int loom_lua_push_warp(lua_State *L, const struct loom_cta_stream *stream,
                       uint32_t warp, lua_Integer limit);

#endif

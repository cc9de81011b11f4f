/*
 * Policy and component types that are made or loaded while the program runs:
 * policies in Lua, and what plug-ins bring.  They are looked up beside those
 * of the registry, and live until the Lua state is closed.
 */
#ifndef LUA_POLICY_TYPES_H
#define LUA_POLICY_TYPES_H

#include "lua/core.h"

/* By name, in the registry and among those added; NULL if there is none. */
const struct loom_policy_type *loom_lua_policy_type(lua_State *L,
                                                    const char *name);
const struct loom_component_type *loom_lua_component_type(lua_State *L,
                                                          const char *name);

/* Adds a type, or replaces one that was added under its name.  The value at
 * `anchor` is kept alive with it; 0: nothing. */
void loom_lua_add_policy_type(lua_State *L, const struct loom_policy_type *type,
                              int anchor);
void loom_lua_add_component_type(lua_State *L,
                                 const struct loom_component_type *type);

/* Pushes a type as core.registry() tells it. */
void loom_lua_push_policy_type(lua_State *L,
                               const struct loom_policy_type *type);
void loom_lua_push_component_type(lua_State *L,
                                  const struct loom_component_type *type);

/* What policies in Lua keep of a machine that is about to be closed. */
void loom_lua_drop_selves(struct loom_machine *machine);

#endif

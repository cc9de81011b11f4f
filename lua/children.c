/*
 * What a kernel has asked the system for (workloads/children.h), as Lua's
 * host program reads it: kernel:children().
 */
#include "workloads/children.h"

#include "lua/methods.h"

static void push_launch(lua_State *L, const struct loom_child *child)
{
    loom_lua_set_text(L, "name", child->kernel);
    loom_lua_set_dim3(L, "grid", child->grid);
    loom_lua_set_dim3(L, "block", child->block);
    loom_lua_set_int(L, "shared", child->shared_bytes);
    lua_pushlstring(L, (const char *)child->params, child->param_bytes);
    lua_setfield(L, -2, "params");
}

static void push_child(lua_State *L, const struct loom_child *child)
{
    static const char *const kinds[LOOM_CHILD_KINDS] = {
        [LOOM_CHILD_LAUNCH] = "launch", [LOOM_CHILD_MOVE] = "move",
        [LOOM_CHILD_FILL] = "fill",     [LOOM_CHILD_RECORD] = "record",
        [LOOM_CHILD_WAIT] = "wait",
    };

    lua_newtable(L);
    loom_lua_set_text(L, "kind", kinds[child->kind]);
    loom_lua_set_int(L, "cta", child->cta);
    loom_lua_set_int(L, "stream", child->stream);
    if (child->kind == LOOM_CHILD_LAUNCH) {
        push_launch(L, child);
        return;
    }
    loom_lua_set_int(L, "address", child->to);
    loom_lua_set_int(L, "from", child->from);
    loom_lua_set_int(L, "bytes", child->bytes);
    loom_lua_set_int(L, "rows", child->rows);
    loom_lua_set_int(L, "pitch", child->to_pitch);
    loom_lua_set_int(L, "from_pitch", child->from_pitch);
    loom_lua_set_int(L, "value", child->value);
    loom_lua_set_int(L, "event", child->event);
}

/* { kind =, cta =, stream =, .. } for each; NULL: none */
void loom_lua_push_children(lua_State *L, const struct loom_children *list)
{
    lua_newtable(L);
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        push_child(L, &list->item[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/*
 * A machine's links as Lua sees them: what they are, and how full they are.
 */
#include "lua/methods.h"

static void set_end(lua_State *L, const char *name, struct loom_end end)
{
    lua_pushfstring(L, "%s:%s[%d]", loom_component_path(end.component),
                    end.port, (int)end.index);
    lua_setfield(L, -2, name);
}

/* machine:links() -> list of { client =, server = path and port, protocol =,
 * request =, reply = how many messages each channel has room for, 0: there is
 * none } */
int loom_lua_links(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    uint32_t count = loom_machine_link_count(machine);

    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct loom_link_info info = loom_machine_link_info(machine, i);

        lua_createtable(L, 0, 5);
        set_end(L, "client", info.client);
        set_end(L, "server", info.server);
        loom_lua_set_text(L, "protocol", info.protocol->name);
        loom_lua_set_int(
            L, "request",
            info.protocol->request_size != 0 ? info.request.capacity : 0);
        loom_lua_set_int(L, "reply",
                         info.protocol->reply_size != 0 ? info.reply.capacity
                                                        : 0);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static void add(lua_State *L, lua_Integer at, uint32_t load)
{
    lua_rawgeti(L, 2, at);
    lua_pushinteger(L, lua_tointeger(L, -1) + (lua_Integer)load);
    lua_rawseti(L, 2, at);
    lua_pop(L, 1);
}

/* machine:loads(sums): adds to the list how many messages are in each link's
 * two channels now: those of requests and replies in turn. */
int loom_lua_loads(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    uint32_t count = loom_machine_link_count(machine);

    luaL_checktype(L, 2, LUA_TTABLE);
    for (uint32_t i = 0; i < count; i++) {
        struct loom_link_load load = loom_machine_link_load(machine, i);

        add(L, 2 * (lua_Integer)i + 1, load.request);
        add(L, 2 * (lua_Integer)i + 2, load.reply);
    }
    return 0;
}

/*
 * Questions and answers that are lists and tables in Lua.
 */
#include "lua/policy/ask.h"
#include "policies/ldst_hook.h"

/* ---- lanes and accesses ---- */

static void push_accesses(lua_State *L, const struct loom_access *access,
                          uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 6);
        loom_lua_set_int(L, "block", access[i].block);
        loom_lua_set_int(L, "lanes", access[i].lanes);
        loom_lua_set_int(L, "sectors", access[i].sectors);
        loom_lua_set_int(L, "bytes_low", access[i].bytes[0]);
        loom_lua_set_int(L, "bytes_high", access[i].bytes[1]);
        loom_lua_set_int(L, "size", access[i].size_bytes);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* lanes:segments(bytes): the lanes grouped by aligned segments, as a list that
 * may be changed and answered. */
static int lanes_segments(lua_State *L)
{
    const struct loom_lanes *lanes = lua_touserdata(L, lua_upvalueindex(1));
    lua_Integer bytes = luaL_optinteger(L, 2, 128);
    struct loom_access access[LOOM_ACCESS_MAX];

    luaL_argcheck(L, bytes == 32 || bytes == 64 || bytes == 128, 2,
                  "expected 32, 64 or 128");
    push_accesses(L, access,
                  loom_coalesce_segments(lanes, (uint32_t)bytes, access));
    return 1;
}

void kit_push_lanes(lua_State *L, const void *at)
{
    const struct loom_lanes *lanes = at;

    lua_newtable(L);
    loom_lua_set_int(L, "mask", lanes->mask);
    kit_push_inst(L, lanes->inst);
    lua_setfield(L, -2, "inst");
    lua_createtable(L, LOOM_WARP_LANES, 1);
    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        if ((lanes->mask >> i & 1) != 0) {
            lua_pushinteger(L, (lua_Integer)lanes->address[i]);
            lua_rawseti(L, -2, i);
        }
    }
    lua_setfield(L, -2, "address");
    lua_pushlightuserdata(L, (void *)(uintptr_t)lanes);
    lua_pushcclosure(L, lanes_segments, 1);
    lua_setfield(L, -2, "segments");
}

static uint64_t number_of(lua_State *L, const char *name)
{
    uint64_t value;

    lua_getfield(L, -1, name);
    value = (uint64_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Is the access one that a cache can serve? */
static bool sane(const struct loom_access *a, uint32_t mask)
{
    return a->block % LOOM_BLOCK_BYTES == 0 &&
           (a->size_bytes == 32 || a->size_bytes == 64 ||
            a->size_bytes == 128) &&
           (a->bytes[0] | a->bytes[1]) != 0 && a->sectors != 0 &&
           a->sectors < 16 && a->lanes != 0 && (a->lanes & ~mask) == 0;
}

uint32_t kit_read_accesses(lua_State *L, const struct loom_lanes *lanes,
                           struct loom_access *access)
{
    lua_Unsigned count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    uint32_t covered = 0;

    for (lua_Unsigned i = 0; i < count && count <= LOOM_ACCESS_MAX; i++) {
        struct loom_access *a = &access[i];

        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE) {
            lua_pop(L, 1);
            return 0;
        }
        *a = (struct loom_access){
            .block = number_of(L, "block"),
            .bytes = {number_of(L, "bytes_low"), number_of(L, "bytes_high")},
            .lanes = (uint32_t)number_of(L, "lanes"),
            .size_bytes = (uint16_t)number_of(L, "size"),
            .sectors = (uint8_t)number_of(L, "sectors")};
        lua_pop(L, 1);
        if (!sane(a, lanes->mask)) {
            return 0;
        }
        covered |= a->lanes;
    }
    return count <= LOOM_ACCESS_MAX && covered == lanes->mask ? (uint32_t)count
                                                              : 0;
}

/* ---- queues, inputs and ways ---- */

/* Queues as a table from 0: { length =, block =, warp =, inst =, kind = }. */
void kit_push_queues(lua_State *L, const void *at)
{
    const struct kit_queues *queues = at;

    lua_createtable(L, (int)queues->count, 1);
    for (uint32_t i = 0; i < queues->count; i++) {
        const struct loom_mem_request *head = queues->queue[i].head;

        lua_createtable(L, 0, 6);
        loom_lua_set_int(L, "length", queues->queue[i].length);
        if (head != NULL) {
            loom_lua_set_int(L, "block", head->block);
            loom_lua_set_int(L, "warp", head->warp);
            loom_lua_set_int(L, "inst", head->inst);
            loom_lua_set_int(L, "rank", head->rank);
            loom_lua_set_text(L, "kind", loom_mem_kind_names[head->kind]);
        }
        lua_rawseti(L, -2, i);
    }
}

void kit_push_inputs(lua_State *L, const void *at)
{
    const struct kit_inputs *inputs = at;
    lua_Integer row = 0;

    lua_newtable(L);
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (kit_wants(inputs->requests, i)) {
            lua_pushinteger(L, i);
            lua_rawseti(L, -2, ++row);
        }
    }
}

bool kit_has_way(const struct loom_ways *ways, uint64_t way)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        if (ways->way[i] == way) {
            return true;
        }
    }
    return false;
}

/* Keeps the ways of the list on top, which must be among them. */
void kit_keep_ways(const struct kit_ask *ask, struct loom_ways *ways)
{
    lua_State *L = kit_state(ask->policy)->type->L;
    lua_Unsigned count = lua_rawlen(L, -1);
    uint32_t kept = 0;

    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);
        if (!lua_isinteger(L, -1) ||
            !kit_has_way(ways, (uint64_t)lua_tointeger(L, -1))) {
            kit_refuse(ask,
                       "a list with %s, which is none of the ways it was given",
                       luaL_tolstring(L, -1, NULL));
            lua_pop(L, 2);
            return;
        }
        lua_pop(L, 1);
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        for (lua_Unsigned k = 1; k <= count; k++) {
            lua_rawgeti(L, -1, (lua_Integer)k);
            if (lua_tointeger(L, -1) == ways->way[i]) {
                ways->way[kept++] = ways->way[i];
                k = count;
            }
            lua_pop(L, 1);
        }
    }
    ways->count = kept;
}

/*
 * The functional L1 model (workloads/locality.h) for the library.
 */
#include "workloads/locality.h"

#include "components/mem_protocol.h"
#include "lua/core.h"

#define MODEL "warploom.locality"

struct holder {
    struct loom_locality_model *model; /* NULL once closed */
};

static void set_int(lua_State *L, const char *name, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

/* { sms =, ctas =, threads =, caches = { { sets =, ways = } .. } } */
static struct loom_locality_spec spec_of(lua_State *L, int at)
{
    struct loom_locality_spec spec = {
        .sms = (uint32_t)loom_lua_int(L, at, "sms", 1),
        .ctas = (uint32_t)loom_lua_int(L, at, "ctas", 1),
        .threads = (uint32_t)loom_lua_int(L, at, "threads", 1),
    };

    lua_getfield(L, at, "caches");
    for (int i = 0; i < LOOM_LOCALITY_CACHES; i++) {
        lua_rawgeti(L, -1, i + 1);
        spec.cache[i].sets = (uint32_t)loom_lua_int(L, -1, "sets", 2);
        spec.cache[i].ways = (uint32_t)loom_lua_int(L, -1, "ways", 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return spec;
}

/* core.locality(spec) -> model */
static int locality_new(lua_State *L)
{
    struct loom_locality_spec spec = spec_of(L, 1);
    struct holder *holder = lua_newuserdatauv(L, sizeof(*holder), 0);
    struct loom_error err;

    holder->model = NULL;
    luaL_setmetatable(L, MODEL);
    holder->model = loom_locality_create(&spec, &err);
    return holder->model != NULL ? 1 : loom_lua_failed(L, &err);
}

static int locality_close(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MODEL);

    loom_locality_destroy(holder->model);
    holder->model = NULL;
    return 0;
}

static void push_load(lua_State *L, const struct loom_static_inst *fact,
                      const struct loom_locality_load *load)
{
    lua_newtable(L);
    set_int(L, "pc", fact->pc);
    set_int(L, "param", fact->param);
    set_int(L, "loads", load->loads);
    set_int(L, "lines", load->lines);
    set_int(L, "same_warp", load->same_warp);
    set_int(L, "other_warp", load->other_warp);
    lua_pushboolean(L, fact->space == LOOM_SPACE_LOCAL);
    lua_setfield(L, -2, "is_local");
    lua_newtable(L);
    for (int i = 0; i < LOOM_LOCALITY_CACHES; i++) {
        lua_pushinteger(L, (lua_Integer)load->hits[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "hits");
}

/* model:measure(kernel) -> warp instructions, thread instructions, list of
 * the loads that were executed. */
static int locality_measure(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MODEL);
    struct loom_kernel *kernel = loom_lua_kernel(L, 2);
    struct loom_locality result;
    struct loom_error err;
    lua_Integer count = 0;

    luaL_argcheck(L, holder->model != NULL, 1, "model is closed");
    if (!loom_locality_measure(holder->model, kernel, &result, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)result.insts);
    lua_pushinteger(L, (lua_Integer)result.thread_insts);
    lua_newtable(L);
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        if (result.load[i].loads != 0) {
            push_load(L, &kernel->inst[i], &result.load[i]);
            lua_rawseti(L, -2, ++count);
        }
    }
    loom_locality_free(&result);
    return 3;
}

void loom_lua_open_locality(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"measure", locality_measure}, {"close", locality_close}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"locality", locality_new},
                                         {NULL, NULL}};

    loom_lua_class(L, MODEL, methods, locality_close);
    luaL_setfuncs(L, functions, 0);
}

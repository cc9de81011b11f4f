/*
 * Estimates of a sampled run (stats/estimate.h) as Lua userdata.  It keeps its
 * machine alive as a user value; whoever shows it is closed before it.
 */
#include "stats/estimate.h"

#include "lua/core.h"

#define ESTIMATE "warploom.estimate"

struct loom_estimate *loom_lua_estimate(lua_State *L, int at)
{
    return loom_lua_owned(L, at, ESTIMATE);
}

static void *create(struct loom_machine *machine,
                    const struct loom_energy_model *model,
                    struct loom_error *err)
{
    return loom_estimate_create(machine, model, err);
}

/* core.estimate(machine, coefficients or nil) */
static int estimate_new(lua_State *L)
{
    return loom_lua_new_reader(L, ESTIMATE, create);
}

static int estimate_free(lua_State *L)
{
    loom_estimate_destroy(loom_lua_disown(L, ESTIMATE));
    return 0;
}

/* estimate:show(catalog): that answers with estimates from now on */
static int estimate_show(lua_State *L)
{
    loom_estimate_show(loom_lua_estimate(L, 1), loom_lua_catalog(L, 2));
    return 0;
}

static int estimate_open(lua_State *L)
{
    loom_estimate_open(loom_lua_estimate(L, 1));
    return 0;
}

/* estimate:close() -> warp instructions and femtoseconds of the window, and how
 * many more what was left before it takes */
static int estimate_close(lua_State *L)
{
    struct loom_estimate_window window =
        loom_estimate_close(loom_lua_estimate(L, 1));

    lua_pushinteger(L, (lua_Integer)window.insts);
    lua_pushinteger(L, (lua_Integer)window.time);
    lua_pushinteger(L, (lua_Integer)window.late);
    return 3;
}

/* estimate:leave(off) */
static int estimate_leave(lua_State *L)
{
    loom_estimate_leave(loom_lua_estimate(L, 1), luaL_checknumber(L, 2));
    return 0;
}

/* estimate:finish() -> femtoseconds as of close() */
static int estimate_finish(lua_State *L)
{
    lua_pushinteger(L,
                    (lua_Integer)loom_estimate_finish(loom_lua_estimate(L, 1)));
    return 1;
}

/* estimate:time_error() -> seconds */
static int estimate_time_error(lua_State *L)
{
    lua_pushnumber(L, loom_estimate_time_error(loom_lua_estimate(L, 1)));
    return 1;
}

/* estimate:left_out() -> warp instructions */
static int estimate_left_out(lua_State *L)
{
    lua_pushinteger(
        L, (lua_Integer)loom_estimate_left_out(loom_lua_estimate(L, 1)));
    return 1;
}

/* estimate:spread() -> relative standard deviation of the launch's windows, and
 * how many differences between them it is from */
static int estimate_spread(lua_State *L)
{
    uint64_t differences;

    lua_pushnumber(L,
                   loom_estimate_spread(loom_lua_estimate(L, 1), &differences));
    lua_pushinteger(L, (lua_Integer)differences);
    return 2;
}

/* estimate:group() -> a number */
static int estimate_group(lua_State *L)
{
    uint32_t number;

    if (!loom_estimate_group(loom_lua_estimate(L, 1), &number)) {
        return luaL_error(L, "not enough memory");
    }
    lua_pushinteger(L, number);
    return 1;
}

static uint32_t group_at(lua_State *L, int at)
{
    return (uint32_t)luaL_checkinteger(L, at);
}

/* estimate:launch(group) */
static int estimate_launch(lua_State *L)
{
    loom_estimate_launch(loom_lua_estimate(L, 1), group_at(L, 2));
    return 0;
}

/* estimate:launched(group) -> femtoseconds as of close() */
static int estimate_launched(lua_State *L)
{
    struct loom_estimate *estimate = loom_lua_estimate(L, 1);

    lua_pushinteger(
        L, (lua_Integer)loom_estimate_launched(estimate, group_at(L, 2)));
    return 1;
}

static int estimate_pass(lua_State *L)
{
    loom_estimate_pass(loom_lua_estimate(L, 1));
    return 0;
}

/* estimate:passed(group, off) -> femtoseconds */
static int estimate_passed(lua_State *L)
{
    struct loom_estimate *estimate = loom_lua_estimate(L, 1);
    double off = luaL_checknumber(L, 3);

    lua_pushinteger(
        L, (lua_Integer)loom_estimate_passed(estimate, group_at(L, 2), off));
    return 1;
}

/* estimate:launch_spread(group) */
static int estimate_launch_spread(lua_State *L)
{
    lua_pushnumber(L, loom_estimate_launch_spread(loom_lua_estimate(L, 1),
                                                  group_at(L, 2)));
    return 1;
}

/* estimate:finish_all(): no launch follows */
static int estimate_end(lua_State *L)
{
    loom_estimate_end(loom_lua_estimate(L, 1));
    return 0;
}

void loom_lua_open_estimate(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"show", estimate_show},
        {"open", estimate_open},
        {"close", estimate_close},
        {"leave", estimate_leave},
        {"finish", estimate_finish},
        {"time_error", estimate_time_error},
        {"left_out", estimate_left_out},
        {"spread", estimate_spread},
        {"group", estimate_group},
        {"launch", estimate_launch},
        {"launched", estimate_launched},
        {"pass", estimate_pass},
        {"passed", estimate_passed},
        {"launch_spread", estimate_launch_spread},
        {"finish_all", estimate_end},
        {"free", estimate_free},
        {NULL, NULL}};
    static const luaL_Reg functions[] = {{"estimate", estimate_new},
                                         {NULL, NULL}};

    loom_lua_class(L, ESTIMATE, methods, estimate_free);
    luaL_setfuncs(L, functions, 0);
}

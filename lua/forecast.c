/*
 * What a measured run says that several threads could do (engine/forecast.h).
 */
#include "engine/forecast.h"

#include "lua/methods.h"

static void set(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static void push_row(lua_State *L, const struct loom_forecast *forecast)
{
    lua_newtable(L);
    lua_pushinteger(L, forecast->threads);
    lua_setfield(L, -2, "threads");
    set(L, "even", forecast->even);
    set(L, "one", forecast->one);
    set(L, "uneven", forecast->uneven);
    set(L, "steps", forecast->steps);
    set(L, "meetings", forecast->meetings);
    set(L, "wakes", forecast->wakes);
    set(L, "together", forecast->together);
    lua_pushstring(L, forecast->longest);
    lua_setfield(L, -2, "longest");
}

static void push_parts(lua_State *L, const struct loom_machine *machine)
{
    lua_newtable(L);
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        lua_pushnumber(L, loom_machine_forecast_part(machine, i));
        lua_setfield(L, -2,
                     loom_component_path(loom_machine_component(machine, i)));
    }
}

/* core.forecast(machine) -> { rows for 1, 2, 4, .. threads; windows =,
 * stretches =, window =, stretch =, wake =, patience =, spent =, others =,
 * crowded =, parts = { path = seconds }
 * }; nil: the machine was not measured. */
int loom_lua_forecast(lua_State *L)
{
    const struct loom_machine *machine = loom_lua_machine(L, 1);
    struct loom_forecast_facts facts = loom_machine_forecast_facts(machine);
    struct loom_forecast forecast;

    lua_newtable(L);
    for (uint32_t i = 0; i < LOOM_FORECASTS; i++) {
        if (!loom_machine_forecast(machine, i, &forecast)) {
            return 0;
        }
        push_row(L, &forecast);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    set(L, "windows", (double)facts.windows);
    set(L, "stretches", (double)facts.stretches);
    set(L, "window", facts.window);
    set(L, "stretch", facts.stretch);
    set(L, "wake", facts.wake);
    set(L, "patience", facts.patience);
    set(L, "spent", facts.spent);
    set(L, "others", facts.others);
    lua_pushboolean(L, facts.crowded);
    lua_setfield(L, -2, "crowded");
    push_parts(L, machine);
    lua_setfield(L, -2, "parts");
    return 1;
}

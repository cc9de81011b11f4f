/*
 * Results files as Lua userdata, for the commands that look at them: lists of
 * datasets, attributes and values (stats/browse.h).
 */
#include "stats/browse.h"

#include "lua/core.h"

#define BROWSER "warploom.browser"

/* Lua's integers have a sign; what is beyond them becomes a float. */
static void push_value(lua_State *L, const struct loom_values *values,
                       uint64_t i)
{
    switch (values->type) {
    case LOOM_VALUES_I64:
        lua_pushinteger(L, (lua_Integer)values->i64[i]);
        break;
    case LOOM_VALUES_U64:
        if (values->u64[i] > (uint64_t)INT64_MAX) {
            lua_pushnumber(L, (lua_Number)values->u64[i]);
        } else {
            lua_pushinteger(L, (lua_Integer)values->u64[i]);
        }
        break;
    case LOOM_VALUES_F64:
        lua_pushnumber(L, values->f64[i]);
        break;
    case LOOM_VALUES_TEXT:
        lua_pushstring(L, values->text[i]);
        break;
    case LOOM_VALUES_NONE:
        lua_pushnil(L);
        break;
    }
}

static void push_values(lua_State *L, const struct loom_values *values)
{
    if (values->is_scalar && values->count == 1) {
        push_value(L, values, 0);
        return;
    }
    lua_createtable(L, (int)values->count, 0);
    for (uint64_t i = 0; i < values->count; i++) {
        push_value(L, values, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* core.browse(path) -> userdata, or nil, text, kind */
static int browse(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_lua_owner *owner = loom_lua_own(L, BROWSER, 0);
    struct loom_error err;

    owner->object = loom_browser_open(path, &err);
    return owner->object == NULL ? loom_lua_failed(L, &err) : 1;
}

static void push_item(lua_State *L, const struct loom_browse_item *item)
{
    static const char *const names[] = {"none", "int", "int", "float", "text"};

    lua_createtable(L, 0, 4);
    loom_lua_set_text(L, "path", item->path);
    loom_lua_set_text(L, "type", names[item->type]);
    loom_lua_set_int(L, "reference", item->reference);
    lua_createtable(L, item->rank < 0 ? 0 : item->rank, 0);
    for (int i = 0; i < item->rank; i++) {
        lua_pushinteger(L, (lua_Integer)item->dim[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "dims");
}

/* browser:items() -> { { path =, type =, dims = {}, reference = }, .. } */
static int items(lua_State *L)
{
    struct loom_browser *browser = loom_lua_owned(L, 1, BROWSER);
    uint32_t count = loom_browser_count(browser);

    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        push_item(L, loom_browser_item(browser, i));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static uint32_t number_at(lua_State *L, struct loom_browser *browser, int at)
{
    lua_Integer number = luaL_checkinteger(L, at);

    luaL_argcheck(
        L, number >= 1 && number <= (lua_Integer)loom_browser_count(browser),
        at, "no such dataset");
    return (uint32_t)(number - 1);
}

/* browser:scales(number) -> references, 0 where a dimension has no scale; or
 * nil, text, kind */
static int scales(lua_State *L)
{
    struct loom_browser *browser = loom_lua_owned(L, 1, BROWSER);
    uint32_t number = number_at(L, browser, 2);
    int rank = loom_browser_item(browser, number)->rank;
    uint64_t scale[LOOM_BROWSE_RANK];
    struct loom_error err;

    if (!loom_browser_scales(browser, number, scale, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_newtable(L);
    for (int i = 0; i < rank; i++) {
        lua_pushinteger(L, (lua_Integer)scale[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static void add_attribute(void *context, const char *name,
                          const struct loom_values *values)
{
    lua_State *L = context;

    push_values(L, values);
    lua_setfield(L, -2, name);
}

/* browser:attributes(path) -> { name = value or list }, or nil, text, kind */
static int attributes(lua_State *L)
{
    struct loom_browser *browser = loom_lua_owned(L, 1, BROWSER);
    const char *path = luaL_checkstring(L, 2);
    struct loom_error err;

    lua_newtable(L);
    if (!loom_browser_attributes(browser, path, add_attribute, L, &err)) {
        return loom_lua_failed(L, &err);
    }
    return 1;
}

/* browser:read(number, first, rows) -> list of values, or the value of a
 * scalar; without `first` and `rows` all of them; nil, text, kind on failure */
static int read_values(lua_State *L)
{
    struct loom_browser *browser = loom_lua_owned(L, 1, BROWSER);
    uint32_t number = number_at(L, browser, 2);
    lua_Integer first = luaL_optinteger(L, 3, 0);
    lua_Integer rows = luaL_optinteger(L, 4, 0);
    struct loom_values values;
    struct loom_error err;

    luaL_argcheck(L, first >= 0 && rows >= 0, 3, "not below 0");
    if (!loom_browser_read(browser, number, (uint64_t)first, (uint64_t)rows,
                           &values, &err)) {
        return loom_lua_failed(L, &err);
    }
    push_values(L, &values);
    loom_values_release(&values);
    return 1;
}

static int close_browser(lua_State *L)
{
    loom_browser_close(loom_lua_disown(L, BROWSER));
    return 0;
}

void loom_lua_open_browse(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"items", items},           {"scales", scales},
        {"attributes", attributes}, {"read", read_values},
        {"close", close_browser},   {NULL, NULL}};

    loom_lua_class(L, BROWSER, methods, close_browser);
    lua_pushcfunction(L, browse);
    lua_setfield(L, -2, "browse");
}

/*
 * Reading statistics of a live machine into Lua: all of an instance at once,
 * or one by name (stats/query.h).  Files are written by stats/; this is what
 * scripts see of a run without opening its file.
 */
#include "lua/core.h"
#include "stats/mark.h"
#include "stats/query.h"
#include "stats/restore.h"

#define CATALOG "warploom.catalog"

/* A vector by the names of its axis; an array by number, from 0 as the
 * hardware counts. */
static void push_items(lua_State *L, const struct loom_stat *stat,
                       const uint64_t *item, uint32_t count)
{
    const char *const *keys = stat != NULL ? stat->keys : NULL;

    lua_createtable(L, 0, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        if (keys != NULL) {
            lua_pushstring(L, keys[i]);
        } else {
            lua_pushinteger(L, i);
        }
        lua_pushinteger(L, (lua_Integer)item[i]);
        lua_rawset(L, -3);
    }
}

static void push_histogram(lua_State *L, const struct loom_histogram *h)
{
    static const char *const names[] = {"count", "sum", "min", "max"};
    const uint64_t values[] = {h->count, h->sum, h->min, h->max};

    push_items(L, NULL, h->bin, LOOM_HISTOGRAM_BINS);
    for (size_t i = 0; i < LOOM_COUNTOF(names); i++) {
        loom_lua_set_int(L, names[i], values[i]);
    }
}

static void push_stat(lua_State *L, const struct loom_stat *stat,
                      const void *from, double seconds)
{
    const void *at = (const char *)from + stat->offset;
    const struct loom_array *array = at;

    switch (stat->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
        lua_pushinteger(L, (lua_Integer) * (const uint64_t *)at);
        break;
    case LOOM_STAT_VECTOR:
        push_items(L, stat, at, stat->count);
        break;
    case LOOM_STAT_ARRAY:
        push_items(L, stat, array->item, array->count);
        break;
    case LOOM_STAT_HISTOGRAM:
        push_histogram(L, at);
        break;
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
        lua_pushnumber(L, loom_stat_read(stat, from, seconds));
        break;
    case LOOM_STAT_ENERGY: /* of catalogues only */
    case LOOM_STAT_POWER:
        lua_pushnil(L);
        break;
    }
}

void loom_lua_push_stats(lua_State *L, struct loom_stats stats,
                         const void *from, double seconds)
{
    lua_createtable(L, 0, (int)stats.count);
    for (size_t i = 0; i < stats.count; i++) {
        push_stat(L, &stats.item[i], from, seconds);
        lua_setfield(L, -2, stats.item[i].name);
    }
}

static bool ask_energy(void *context, const char *path, const char *event,
                       struct loom_coefficient *coefficient)
{
    struct loom_lua_energy *energy = context;
    lua_State *L = energy->L;
    int top = lua_gettop(L);
    bool known = lua_getfield(L, energy->at, path) == LUA_TTABLE &&
                 lua_getfield(L, -1, event) == LUA_TTABLE &&
                 lua_getfield(L, -1, "value") == LUA_TNUMBER;

    if (known) {
        coefficient->value = lua_tonumber(L, -1);
        lua_getfield(L, -2, "source");
        /* The table keeps the string. */
        coefficient->source =
            lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    }
    lua_settop(L, top);
    return known;
}

struct loom_energy_model loom_lua_energy(lua_State *L, int at,
                                         struct loom_lua_energy *context)
{
    *context = (struct loom_lua_energy){L, at};
    return (struct loom_energy_model){.ask = ask_energy, .context = context};
}

struct loom_catalog *loom_lua_catalog(lua_State *L, int at)
{
    return loom_lua_owned(L, at, CATALOG);
}

int loom_lua_new_reader(lua_State *L, const char *class,
                        loom_lua_create *create)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    struct loom_lua_energy context;
    struct loom_energy_model model;
    struct loom_lua_owner *owner;
    struct loom_error err;

    lua_settop(L, 2);
    model = loom_lua_energy(L, 2, &context);
    owner = loom_lua_own(L, class, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    owner->object = create(machine, lua_istable(L, 2) ? &model : NULL, &err);
    return owner->object == NULL ? loom_lua_failed(L, &err) : 1;
}

static void *create_catalog(struct loom_machine *machine,
                            const struct loom_energy_model *model,
                            struct loom_error *err)
{
    return loom_catalog_create(machine, model, err);
}

/* core.catalog(machine, coefficients or nil) */
static int catalog_new(lua_State *L)
{
    return loom_lua_new_reader(L, CATALOG, create_catalog);
}

static int catalog_close(lua_State *L)
{
    loom_catalog_destroy(loom_lua_disown(L, CATALOG));
    return 0;
}

/* A mark of the catalogue at 1; NULL where there is none. */
static const struct loom_catalog *since_at(lua_State *L, int at)
{
    const struct loom_catalog *since =
        lua_isnoneornil(L, at) ? NULL : loom_lua_owned(L, at, CATALOG);

    luaL_argcheck(L,
                  since == NULL ||
                      (since->is_mark &&
                       since->machine == ((struct loom_catalog *)loom_lua_owned(
                                              L, 1, CATALOG))
                                             ->machine),
                  at, "no mark of this machine");
    return since;
}

static void push_reading(lua_State *L, struct loom_reading *reading)
{
    if (reading->stat->kind == LOOM_STAT_HISTOGRAM) {
        push_histogram(L, &reading->histogram);
    } else if (reading->item != NULL) {
        push_items(L, reading->stat, reading->item, reading->items);
    } else if (reading->is_integer) {
        lua_pushinteger(L, (lua_Integer)reading->total);
    } else {
        lua_pushnumber(L, reading->value);
    }
    loom_reading_release(reading);
}

/* catalog:query(path, stat, since or nil) -> a number, or a table for what has
 * an axis; less what it was in an earlier mark */
static int catalog_query(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    const char *path = luaL_checkstring(L, 2);
    const char *name = luaL_checkstring(L, 3);
    struct loom_reading reading;
    struct loom_error err;

    if (!loom_query_since(catalog, since_at(L, 4), path, name, &reading,
                          &err)) {
        return loom_lua_failed(L, &err);
    }
    push_reading(L, &reading);
    return 1;
}

/* catalog:mark() -> a catalogue of what this one says now */
static int catalog_mark(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    struct loom_lua_owner *owner = loom_lua_own(L, CATALOG, 1);
    struct loom_error err;

    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    owner->object = loom_mark_create(catalog, &err);
    return owner->object == NULL ? loom_lua_failed(L, &err) : 1;
}

/* catalog:take(mark): brings a mark of it up to now */
static int catalog_take(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    struct loom_catalog *mark = loom_lua_owned(L, 2, CATALOG);

    luaL_argcheck(L, since_at(L, 2) != NULL, 2, "no mark");
    loom_mark_take(mark, catalog);
    return 0;
}

/* The class of the number at 2, from 1. */
static const struct loom_class *class_at(lua_State *L,
                                         const struct loom_catalog *catalog)
{
    lua_Integer number = luaL_checkinteger(L, 2);

    luaL_argcheck(L, number >= 1 && number <= catalog->count, 2, "no class");
    return &catalog->item[number - 1];
}

/* catalog:read(number, row or nil, since or nil) -> a list of what query()
 * gives of each statistic of a class, of one instance of it or all */
static int catalog_read(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    const struct loom_class *class = class_at(L, catalog);
    lua_Integer row = luaL_optinteger(L, 3, 0) - 1;
    const struct loom_catalog *since = since_at(L, 4);
    struct loom_error err;

    luaL_argcheck(L, row >= -1 && row < class->count, 3, "no instance");
    lua_createtable(L, (int)class->stats.count, 0);
    for (size_t i = 0; i < class->stats.count; i++) {
        struct loom_reading reading;

        if (!loom_read_since(
                catalog, since,
                (struct loom_rows_of){(uint32_t)(class - catalog->item),
                                      row < 0 ? LOOM_ALL_ROWS : (uint32_t)row,
                                      &class->stats.item[i]},
                &reading, &err)) {
            return loom_lua_failed(L, &err);
        }
        push_reading(L, &reading);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* catalog:each(number, stat, since or nil) -> a list of what query() gives of
 * each instance of a class */
static int catalog_each(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    const struct loom_class *class = class_at(L, catalog);
    const struct loom_stat *stat =
        loom_stats_find(class->stats, luaL_checkstring(L, 3));
    const struct loom_catalog *since = since_at(L, 4);
    struct loom_error err;

    luaL_argcheck(L, stat != NULL, 3, "no such statistic");
    lua_createtable(L, (int)class->count, 0);
    for (uint32_t row = 0; row < class->count; row++) {
        struct loom_reading reading;

        if (!loom_read_since(catalog, since,
                             (struct loom_rows_of){
                                 (uint32_t)(class - catalog->item), row, stat},
                             &reading, &err)) {
            return loom_lua_failed(L, &err);
        }
        push_reading(L, &reading);
        lua_rawseti(L, -2, (lua_Integer)row + 1);
    }
    return 1;
}

/* catalog:classes() -> list of { group =, type =, doc =, stats = as declared,
 * paths = of its instances } */
static int catalog_classes(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);

    lua_createtable(L, (int)catalog->count, 0);
    for (uint32_t i = 0; i < catalog->count; i++) {
        const struct loom_class *class = &catalog->item[i];

        lua_createtable(L, 0, 5);
        loom_lua_set_text(L, "group", class->group);
        loom_lua_set_text(L, "type", class->type);
        loom_lua_set_text(L, "doc", class->doc);
        loom_lua_set_stats(L, class->stats);
        lua_createtable(L, (int)class->count, 0);
        for (uint32_t row = 0; row < class->count; row++) {
            lua_pushstring(L, class->path[row]);
            lua_rawseti(L, -2, (lua_Integer)row + 1);
        }
        lua_setfield(L, -2, "paths");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* Pushes the errors of the first `count` entries of what has an axis. */
static bool push_errors(lua_State *L, const struct loom_catalog *catalog,
                        const struct loom_stat *stat, uint32_t count,
                        struct loom_error *err)
{
    const char *path = luaL_checkstring(L, 2);
    const char *name = luaL_checkstring(L, 3);
    double error;

    lua_newtable(L);
    for (uint32_t i = 0; i < count; i++) {
        if (!loom_query_error(catalog, path, name, i, &error, err)) {
            return false;
        }
        if (stat->keys != NULL) {
            lua_pushstring(L, stat->keys[i]);
        } else {
            lua_pushinteger(L, i);
        }
        lua_pushnumber(L, error);
        lua_rawset(L, -3);
    }
    return true;
}

/* catalog:error(path, stat) -> standard error of what catalog:query() gives: a
 * number, or a table */
static int catalog_error(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    const char *path = luaL_checkstring(L, 2);
    const char *name = luaL_checkstring(L, 3);
    struct loom_reading reading;
    struct loom_error err;
    double error;
    bool ok = loom_query(catalog, path, name, &reading, &err);

    if (ok && reading.stat->kind == LOOM_STAT_HISTOGRAM) {
        static const char *const rest[] = {"count", "sum"};

        ok = push_errors(L, catalog, reading.stat, LOOM_HISTOGRAM_BINS, &err);
        for (uint32_t i = 0; ok && i < LOOM_COUNTOF(rest); i++) {
            ok = loom_query_error(catalog, path, name, LOOM_HISTOGRAM_BINS + i,
                                  &error, &err);
            lua_pushnumber(L, error);
            lua_setfield(L, -2, rest[i]);
        }
    } else if (ok && reading.item != NULL) {
        ok = push_errors(L, catalog, reading.stat, reading.items, &err);
        loom_reading_release(&reading);
    } else if (ok) {
        ok = loom_query_error(catalog, path, name, 0, &error, &err);
        lua_pushnumber(L, error);
    }
    return ok ? 1 : loom_lua_failed(L, &err);
}

/* catalog:restore(path): from now on it answers as the run of that results
 * file did */
static int catalog_restore(lua_State *L)
{
    struct loom_error err;
    bool ok = loom_catalog_restore(loom_lua_owned(L, 1, CATALOG),
                                   luaL_checkstring(L, 2), &err);

    return loom_lua_done(L, ok, &err);
}

/* catalog:group(path) -> the group's name, type and instances, or an error */
static int catalog_group(lua_State *L)
{
    struct loom_error err;
    const struct loom_class *found = loom_query_class(
        loom_lua_owned(L, 1, CATALOG), luaL_checkstring(L, 2), &err);

    if (found == NULL) {
        return loom_lua_failed(L, &err);
    }
    lua_pushstring(L, found->group);
    lua_pushstring(L, found->type);
    lua_pushinteger(L, found->count);
    return 3;
}

/* catalog:groups() -> list of { group =, type =, instances =, energy = has
 * it any } */
static int catalog_groups(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);

    lua_newtable(L);
    for (uint32_t i = 0; i < catalog->count; i++) {
        lua_newtable(L);
        loom_lua_set_text(L, "group", catalog->item[i].group);
        loom_lua_set_text(L, "type", catalog->item[i].type);
        loom_lua_set_int(L, "instances", catalog->item[i].count);
        loom_lua_set_flag(L, "energy", catalog->item[i].energy != NULL);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* catalog:select(list of patterns) -> true, or an error: one matches nothing */
static int catalog_select(lua_State *L)
{
    const struct loom_catalog *catalog = loom_lua_owned(L, 1, CATALOG);
    lua_Integer count = luaL_len(L, 2);
    bool *chosen =
        lua_newuserdatauv(L, (catalog->stat_count + 1) * sizeof(*chosen), 0);
    struct loom_error err;

    for (lua_Integer i = 1; i <= count; i++) {
        const char *pattern;

        lua_rawgeti(L, 2, i);
        pattern = luaL_checkstring(L, -1);
        if (!loom_catalog_select(catalog, &pattern, 1, chosen, &err)) {
            return loom_lua_failed(L, &err);
        }
        lua_pop(L, 1);
    }
    lua_pushboolean(L, true);
    return 1;
}

void loom_lua_open_reading(lua_State *L)
{
    static const luaL_Reg methods[] = {{"close", catalog_close},
                                       {"query", catalog_query},
                                       {"error", catalog_error},
                                       {"group", catalog_group},
                                       {"groups", catalog_groups},
                                       {"select", catalog_select},
                                       {"restore", catalog_restore},
                                       {"mark", catalog_mark},
                                       {"take", catalog_take},
                                       {"read", catalog_read},
                                       {"classes", catalog_classes},
                                       {"each", catalog_each},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"catalog", catalog_new},
                                         {NULL, NULL}};

    loom_lua_class(L, CATALOG, methods, catalog_close);
    luaL_setfuncs(L, functions, 0);
}

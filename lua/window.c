/*
 * What statistics of a results file did within windows of a run, as Lua
 * userdata (stats/window.h): the numbers of plot, report, diff, merge, energy,
 * export and of merged sweeps.  Samples are from 0, and -1 is the beginning of
 * the run.
 */
#include "stats/window.h"

#include "engine/text.h"

#include "lua/core.h"

#define READER "warploom.reader"

/* core.reader(path, series or nil) -> userdata, or nil, text, kind */
static int reader_open(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    const char *series = luaL_optstring(L, 2, NULL);
    struct loom_lua_owner *owner = loom_lua_own(L, READER, 0);
    struct loom_error err;

    owner->object = loom_reader_open(path, series, &err);
    return owner->object == NULL ? loom_lua_failed(L, &err) : 1;
}

static int reader_close(lua_State *L)
{
    loom_reader_close(loom_lua_disown(L, READER));
    return 0;
}

/* A number of the file: an integer where it is one that Lua has. */
static void push_amount(lua_State *L, struct loom_amount amount)
{
    if (amount.is_integer && (amount.whole >= 0 || amount.value < 0)) {
        lua_pushinteger(L, (lua_Integer)amount.whole);
    } else {
        lua_pushnumber(L, amount.value);
    }
}

static void push_amounts(lua_State *L, const struct loom_amount *amount,
                         uint64_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint64_t i = 0; i < count; i++) {
        push_amount(L, amount[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* reader:number(name) -> the statistic's number, or nil */
static int reader_number(lua_State *L)
{
    int64_t found =
        loom_reader_find(loom_lua_owned(L, 1, READER), luaL_checkstring(L, 2));

    lua_pushinteger(L, found);
    if (found < 0) {
        lua_pushnil(L);
    }
    return 1;
}

/* reader:samples() -> how many there are */
static int reader_samples(lua_State *L)
{
    lua_pushinteger(
        L, (lua_Integer)loom_reader_samples(loom_lua_owned(L, 1, READER)));
    return 1;
}

/* reader:stats() -> { { path =, name =, unit =, doc =, kind =, inputs = 0 or
 * 2, width =, is_labelled = }, .. }; the first is number 0 */
static int reader_stats(lua_State *L)
{
    const struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    uint32_t count = loom_reader_count(reader);

    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_reader_stat *stat = loom_reader_stat(reader, i);

        lua_createtable(L, 0, 8);
        loom_lua_set_text(L, "path", stat->dataset);
        loom_lua_set_text(L, "name", stat->name);
        loom_lua_set_text(L, "unit", stat->unit);
        loom_lua_set_text(L, "doc", stat->doc);
        loom_lua_set_text(L, "kind", stat->kind);
        loom_lua_set_int(L, "inputs",
                         stat->input[0] == NULL || stat->input[1] == NULL ? 0
                                                                          : 2);
        loom_lua_set_int(L, "width", stat->width);
        loom_lua_set_flag(L, "is_labelled", stat->is_labelled);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static uint32_t stat_at(lua_State *L, const struct loom_reader *reader)
{
    lua_Integer stat = luaL_checkinteger(L, 2);

    luaL_argcheck(L, stat >= 0 && stat < loom_reader_count(reader), 2,
                  "no such statistic");
    return (uint32_t)stat;
}

/* reader:labels(number) -> names along its axis; nil, text, kind */
static int reader_labels(lua_State *L)
{
    struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    uint32_t number = stat_at(L, reader);
    const struct loom_reader_stat *stat = loom_reader_stat(reader, number);
    struct loom_error err;

    if (!loom_reader_names(reader, number, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_newtable(L);
    for (uint64_t i = 0; stat->label != NULL && i < stat->width; i++) {
        lua_pushstring(L, stat->label[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* Arguments 2 to 4: number, to, from; without `from` the window that a row
 * stands for.  A damaged file may ask for what is not there. */
static bool window_at(lua_State *L, struct loom_reader *reader,
                      uint32_t *number, struct loom_window *window,
                      struct loom_error *err)
{
    lua_Integer to = luaL_checkinteger(L, 3);

    *number = stat_at(L, reader);
    if (to < 0 || to >= (lua_Integer)loom_reader_samples(reader)) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "there is no sample %lld, only %llu", (long long)to,
                         (unsigned long long)loom_reader_samples(reader));
    }
    *window = loom_window_ending(reader, *number, (uint64_t)to);
    window->from = luaL_optinteger(L, 4, window->from);
    if (window->from < LOOM_WINDOW_START || window->from >= to) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "sample %lld does not come before sample %lld",
                         (long long)window->from, (long long)to);
    }
    return true;
}

/* reader:total(number, to, from, instance or nil) -> a number, NaN if there is
 * none; nil, text, kind */
static int reader_total(lua_State *L)
{
    struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    const char *instance = luaL_optstring(L, 5, NULL);
    struct loom_amount total;
    struct loom_error err;
    uint32_t number;
    struct loom_window window;

    if (!window_at(L, reader, &number, &window, &err) ||
        !loom_window_total(reader, number, window, instance, &total, &err)) {
        return loom_lua_failed(L, &err);
    }
    push_amount(L, total);
    return 1;
}

/* reader:error(number, to) -> the standard error of reader:total(number, to)
 * since the beginning of the run, of its entries as if they had one cause; nil
 * if it is exact */
static int reader_error(lua_State *L)
{
    struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    struct loom_error err;
    uint32_t number;
    struct loom_window window;
    uint64_t width;
    double *error, sum = 0;

    if (!window_at(L, reader, &number, &window, &err)) {
        return loom_lua_failed(L, &err);
    }
    width = loom_reader_stat(reader, number)->width;
    error = lua_newuserdatauv(L, (width + 1) * sizeof(*error), 0);
    if (!loom_reader_errors(reader, number, window.to, error)) {
        return 0;
    }
    for (uint64_t k = 0; k < width; k++) {
        sum += error[k];
    }
    lua_pushnumber(L, sum);
    return 1;
}

/* reader:entries(number, to, from, instance or nil) -> a number for each entry
 * along the axis */
static int reader_entries(lua_State *L)
{
    struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    const char *instance = luaL_optstring(L, 5, NULL);
    struct loom_amount *entry;
    struct loom_error err;
    uint32_t number;
    struct loom_window window;
    uint64_t width;

    if (!window_at(L, reader, &number, &window, &err)) {
        return loom_lua_failed(L, &err);
    }
    width = loom_reader_stat(reader, number)->width;
    entry = lua_newuserdatauv(L, (width + 1) * sizeof(*entry), 0);
    if (!loom_window_entries(reader, number, window, instance, entry, &err)) {
        return loom_lua_failed(L, &err);
    }
    push_amounts(L, entry, width);
    return 1;
}

/* reader:each(number, to, from) -> a number for each instance and entry, those
 * of an instance together */
static int reader_each(lua_State *L)
{
    struct loom_reader *reader = loom_lua_owned(L, 1, READER);
    struct loom_amount *each;
    struct loom_error err;
    uint32_t number;
    struct loom_window window;
    uint64_t count;

    if (!window_at(L, reader, &number, &window, &err)) {
        return loom_lua_failed(L, &err);
    }
    count = loom_reader_stat(reader, number)->instances *
            loom_reader_stat(reader, number)->width;
    each = lua_newuserdatauv(L, (count + 1) * sizeof(*each), 0);
    if (!loom_window_each(reader, number, window, each, &err)) {
        return loom_lua_failed(L, &err);
    }
    push_amounts(L, each, count);
    return 1;
}

/* core.tame(text) -> what of it can be printed to a terminal */
static int tame(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    size_t bytes = lua_rawlen(L, 1);
    char *copy = lua_newuserdatauv(L, bytes + 1, 0);

    for (size_t i = 0; i < bytes; i++) { /* a zero is a control character */
        copy[i] = text[i] == '\0' ? '\x01' : text[i];
    }
    copy[bytes] = '\0';
    loom_text_tame(copy);
    lua_pushstring(L, copy);
    return 1;
}

void loom_lua_open_window(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"samples", reader_samples}, {"stats", reader_stats},
        {"labels", reader_labels},   {"number", reader_number},
        {"total", reader_total},     {"entries", reader_entries},
        {"each", reader_each},       {"error", reader_error},
        {"close", reader_close},     {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"reader", reader_open}, {"tame", tame}, {NULL, NULL}};

    loom_lua_class(L, READER, methods, reader_close);
    luaL_setfuncs(L, functions, 0);
}

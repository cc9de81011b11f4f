/*
 * Results files that the library reads and puts together itself: merged
 * sweeps, exports.  (A run's own file is written by results.c.)
 */
#include <stdlib.h>
#include <string.h>

#include "lua/core.h"
#include "stats/reader.h"
#include "stats/writer.h"

#define WRITER "warploom.results_writer"
#define READER "warploom.results_reader"

struct writer_holder {
    struct loom_writer *writer; /* NULL once closed */
};
struct reader_holder {
    struct loom_reader *reader; /* NULL once closed */
};

/* ---- writing ---- */

static struct loom_writer *writer_at(lua_State *L)
{
    struct writer_holder *holder = luaL_checkudata(L, 1, WRITER);

    luaL_argcheck(L, holder->writer != NULL, 1, "writer is closed");
    return holder->writer;
}

/* core.writer(path) */
static int writer_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct writer_holder *holder = lua_newuserdatauv(L, sizeof(*holder), 0);
    struct loom_error err;

    holder->writer = NULL;
    luaL_setmetatable(L, WRITER);
    holder->writer = loom_writer_open(path, &err);
    return holder->writer != NULL ? 1 : loom_lua_failed(L, &err);
}

/* writer:attribute(object, name, value): text, number, or list of texts */
static int writer_attribute(lua_State *L)
{
    struct loom_writer *writer = writer_at(L);
    const char *object = luaL_checkstring(L, 2);
    const char *name = luaL_checkstring(L, 3);

    if (lua_isinteger(L, 4)) {
        loom_writer_put_u64(writer, object, name,
                            (uint64_t)lua_tointeger(L, 4));
    } else if (lua_type(L, 4) == LUA_TNUMBER) {
        loom_writer_put_f64(writer, object, name, lua_tonumber(L, 4));
    } else if (lua_istable(L, 4)) {
        size_t count = lua_rawlen(L, 4);
        const char **text =
            lua_newuserdatauv(L, (count + 1) * sizeof(*text), 0);

        for (size_t i = 0; i < count; i++) {
            lua_rawgeti(L, 4, (lua_Integer)i + 1);
            text[i] = lua_tostring(L, -1); /* the table keeps it */
            lua_pop(L, 1);
        }
        loom_writer_put_texts(writer, object, name, text, count);
    } else {
        loom_writer_put_text(writer, object, name, luaL_checkstring(L, 4));
    }
    return 0;
}

static enum loom_writer_type type_at(lua_State *L, int at)
{
    static const char *const names[] = {"u64", "i64",  "f64",
                                        "u8",  "text", NULL};
    int type;

    lua_getfield(L, at, "type");
    type = luaL_checkoption(L, -1, "f64", names);
    lua_pop(L, 1);
    return (enum loom_writer_type)type;
}

/* The list on top as an array of the type; left on the stack as a userdata,
 * above the list, which keeps its texts alive. */
static const void *values_of(lua_State *L, enum loom_writer_type type,
                             uint64_t count)
{
    int list = lua_gettop(L);
    void *data = lua_newuserdatauv(L, (size_t)count * 8 + 8, 0);

    luaL_argcheck(L, lua_rawlen(L, list) == count, 2,
                  "as many values as the scales say expected");
    for (uint64_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        switch (type) {
        case LOOM_WRITER_U64:
        case LOOM_WRITER_I64:
            ((lua_Integer *)data)[i] = luaL_checkinteger(L, -1);
            break;
        case LOOM_WRITER_F64:
            ((double *)data)[i] = luaL_checknumber(L, -1);
            break;
        case LOOM_WRITER_U8:
            ((uint8_t *)data)[i] = (uint8_t)luaL_checkinteger(L, -1);
            break;
        case LOOM_WRITER_TEXT:
            luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, 2,
                          "texts expected");
            ((const char **)data)[i] = lua_tostring(L, -1);
            break;
        }
        lua_pop(L, 1);
    }
    return data;
}

static const char *text_field(lua_State *L, const char *name, const char *other)
{
    const char *text;

    lua_getfield(L, 2, name); /* stays on the stack, as the table keeps it */
    text = luaL_optstring(L, -1, other);
    return text;
}

/* Path, unit, text and type of the dataset at 2. */
static struct loom_writer_dataset dataset_at(lua_State *L)
{
    struct loom_writer_dataset dataset = {
        .path = text_field(L, "path", NULL),
        .unit = text_field(L, "unit", "1"),
        .doc = text_field(L, "doc", ""),
        .type = type_at(L, 2),
    };

    luaL_argcheck(L, dataset.path != NULL, 2, "path expected");
    return dataset;
}

/* writer:scale { path =, unit =, doc =, type =, values = {} } */
static int writer_scale(lua_State *L)
{
    struct loom_writer *writer = writer_at(L);
    struct loom_writer_dataset scale = dataset_at(L);
    uint64_t count;

    lua_getfield(L, 2, "values");
    count = lua_rawlen(L, -1);
    luaL_argcheck(L, count > 0, 2, "values expected");
    scale.data = values_of(L, scale.type, count);
    loom_writer_scale(writer, &scale, count);
    return 0;
}

/* writer:add { path =, unit =, doc =, type =, scales = { paths }, values = {}
 * } */
static int writer_add(lua_State *L)
{
    struct loom_writer *writer = writer_at(L);
    struct loom_writer_dataset dataset = dataset_at(L);
    uint64_t count = 1;

    lua_getfield(L, 2, "scales");
    for (size_t i = 0; lua_istable(L, -1) && i < lua_rawlen(L, -1); i++) {
        luaL_argcheck(L, i < LOOM_WRITER_RANK, 2, "too many scales");
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        dataset.scale[i] = lua_tostring(L, -1);
        lua_pop(L, 1);
        luaL_argcheck(L, dataset.scale[i] != NULL, 2, "paths expected");
        count *= loom_writer_length(writer, dataset.scale[i]);
        dataset.rank++;
    }
    lua_getfield(L, 2, "values");
    dataset.data = values_of(L, dataset.type, count);
    loom_writer_add(writer, &dataset);
    return 0;
}

/* writer:close() -> true, or nil and why */
static int writer_close(lua_State *L)
{
    struct writer_holder *holder = luaL_checkudata(L, 1, WRITER);
    struct loom_writer *writer = writer_at(L);
    struct loom_error err;

    holder->writer = NULL;
    if (!loom_writer_close(writer, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

static int writer_abandon(lua_State *L)
{
    struct writer_holder *holder = luaL_checkudata(L, 1, WRITER);

    loom_writer_abandon(holder->writer);
    holder->writer = NULL;
    return 0;
}

/* ---- reading ---- */

static struct loom_reader *reader_at(lua_State *L)
{
    struct reader_holder *holder = luaL_checkudata(L, 1, READER);

    luaL_argcheck(L, holder->reader != NULL, 1, "reader is closed");
    return holder->reader;
}

/* core.reader(path) */
static int reader_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct reader_holder *holder = lua_newuserdatauv(L, sizeof(*holder), 0);
    struct loom_error err;

    holder->reader = NULL;
    luaL_setmetatable(L, READER);
    holder->reader = loom_reader_open(path, &err);
    return holder->reader != NULL ? 1 : loom_lua_failed(L, &err);
}

static int reader_attribute(lua_State *L)
{
    lua_pushstring(L,
                   loom_reader_attribute(reader_at(L), luaL_checkstring(L, 2)));
    return 1;
}

static void put(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

/* reader:stats() -> list of { name =, dataset =, unit =, doc =, kind =,
 * inputs = { a, b } or nil, instances =, width =, float =, labelled = } */
static int reader_stats(lua_State *L)
{
    struct loom_reader *reader = reader_at(L);
    uint32_t count = loom_reader_count(reader);

    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_reader_stat *stat = loom_reader_stat(reader, i);

        lua_newtable(L);
        put(L, "name", stat->name);
        put(L, "dataset", stat->dataset);
        put(L, "unit", stat->unit);
        put(L, "doc", stat->doc);
        put(L, "kind", stat->kind);
        lua_pushboolean(L, stat->is_float);
        lua_setfield(L, -2, "float");
        lua_pushboolean(L, stat->is_labelled);
        lua_setfield(L, -2, "labelled");
        lua_pushinteger(L, (lua_Integer)stat->instances);
        lua_setfield(L, -2, "instances");
        lua_pushinteger(L, (lua_Integer)stat->width);
        lua_setfield(L, -2, "width");
        if (stat->input[0] != NULL && stat->input[1] != NULL) {
            lua_newtable(L);
            for (int k = 0; k < 2; k++) {
                lua_pushstring(L, stat->input[k]);
                lua_rawseti(L, -2, k + 1);
            }
            lua_setfield(L, -2, "inputs");
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* A list of the texts; nil for NULL. */
static void push_texts(lua_State *L, char *const *text, uint64_t count)
{
    if (text == NULL) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, (int)count, 0);
    for (uint64_t i = 0; i < count; i++) {
        lua_pushstring(L, text[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* reader:values(number, sample) -> { values [instance][along the axis], flat },
 * instances, labels; number as in stats(), sample as in loom_reader_sample */
static int reader_values(lua_State *L)
{
    struct loom_reader *reader = reader_at(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    const char *which = luaL_optstring(L, 3, NULL);
    const struct loom_reader_stat *stat;
    union loom_reader_value *value;
    struct loom_error err;
    uint64_t sample, count;

    luaL_argcheck(L, number >= 1 && number <= loom_reader_count(reader), 2,
                  "number of a statistic expected");
    stat = loom_reader_stat(reader, (uint32_t)number - 1);
    if (!loom_reader_sample(reader, which, &sample, &err) ||
        !loom_reader_values(reader, (uint32_t)number - 1, sample, &value,
                            &err)) {
        return loom_lua_failed(L, &err);
    }
    count = stat->instances * stat->width;
    lua_createtable(L, (int)count, 0);
    for (uint64_t i = 0; i < count; i++) {
        if (stat->is_float) {
            lua_pushnumber(L, value[i].f);
        } else {
            lua_pushinteger(L, (lua_Integer)value[i].u);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    free(value);
    push_texts(L, stat->instance, stat->instances);
    push_texts(L, stat->label, stat->width);
    return 3;
}

static int reader_close(lua_State *L)
{
    struct reader_holder *holder = luaL_checkudata(L, 1, READER);

    loom_reader_close(holder->reader);
    holder->reader = NULL;
    return 0;
}

void loom_lua_open_datafile(lua_State *L)
{
    static const luaL_Reg writer[] = {{"attribute", writer_attribute},
                                      {"scale", writer_scale},
                                      {"add", writer_add},
                                      {"close", writer_close},
                                      {"abandon", writer_abandon},
                                      {NULL, NULL}};
    static const luaL_Reg reader[] = {{"attribute", reader_attribute},
                                      {"stats", reader_stats},
                                      {"values", reader_values},
                                      {"close", reader_close},
                                      {NULL, NULL}};

    loom_lua_class(L, WRITER, writer, writer_abandon);
    loom_lua_class(L, READER, reader, reader_close);
    lua_pushcfunction(L, writer_new);
    lua_setfield(L, -2, "writer");
    lua_pushcfunction(L, reader_new);
    lua_setfield(L, -2, "reader");
}

/*
 * Results files that the library puts together itself: merged sweeps.  (A
 * run's own file is written by results.c; browse.c reads both.)
 */
#include "lua/core.h"
#include "stats/writer.h"

#define WRITER "warploom.results_writer"

/* core.writer(path) */
static int writer_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_lua_owner *owner = loom_lua_own(L, WRITER, 0);
    struct loom_error err;

    owner->object = loom_writer_open(path, &err);
    return owner->object != NULL ? 1 : loom_lua_failed(L, &err);
}

/* writer:attribute(object, name, value): text, number, or list of texts */
static int writer_attribute(lua_State *L)
{
    struct loom_writer *writer = loom_lua_owned(L, 1, WRITER);
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
    struct loom_writer *writer = loom_lua_owned(L, 1, WRITER);
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
    struct loom_writer *writer = loom_lua_owned(L, 1, WRITER);
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
    struct loom_error err;

    loom_lua_owned(L, 1, WRITER);
    return loom_lua_done(L, loom_writer_close(loom_lua_disown(L, WRITER), &err),
                         &err);
}

static int writer_abandon(lua_State *L)
{
    loom_writer_abandon(loom_lua_disown(L, WRITER));
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

    loom_lua_class(L, WRITER, writer, writer_abandon);
    lua_pushcfunction(L, writer_new);
    lua_setfield(L, -2, "writer");
}

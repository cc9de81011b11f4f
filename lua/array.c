/*
 * Typed arrays: what host scripts hold buffers in.  Elements are stored as
 * the device stores them, so upload and download are one copy, and the
 * loops that a CPU reference needs run in C.  Indices are from 0.
 */
#include <string.h>

#include "engine/rng.h"

#include "lua/core.h"

static const char *const element_names[] = {"f32", "f64", "i32", "u32",
                                            "i64", "u8",  NULL};
static const size_t element_bytes[LOOM_ELEMENTS] = {4, 8, 4, 4, 8, 1};

struct loom_lua_array *loom_lua_array(lua_State *L, int at)
{
    return luaL_checkudata(L, at, LOOM_LUA_ARRAY);
}

static bool real(const struct loom_lua_array *array)
{
    return array->element == LOOM_F32 || array->element == LOOM_FLOAT64;
}

double loom_lua_array_get(const struct loom_lua_array *array, size_t i)
{
    switch ((enum loom_element)array->element) {
    case LOOM_F32:
        return (double)((const float *)(const void *)array->data)[i];
    case LOOM_FLOAT64:
        return ((const double *)(const void *)array->data)[i];
    case LOOM_I32:
        return ((const int32_t *)(const void *)array->data)[i];
    case LOOM_UINT32:
        return ((const uint32_t *)(const void *)array->data)[i];
    case LOOM_I64:
        return (double)((const int64_t *)(const void *)array->data)[i];
    case LOOM_U8:
        return (unsigned char)array->data[i];
    case LOOM_ELEMENTS:
        break;
    }
    return 0.0;
}

int64_t loom_lua_array_whole(const struct loom_lua_array *array, size_t i)
{
    if (array->element == LOOM_I64) {
        return ((const int64_t *)(const void *)array->data)[i];
    }
    return (int64_t)loom_lua_array_get(array, i);
}

void loom_lua_array_put_real(struct loom_lua_array *array, size_t i,
                             double value)
{
    if (array->element == LOOM_F32) {
        ((float *)(void *)array->data)[i] = (float)value;
    } else {
        ((double *)(void *)array->data)[i] = value;
    }
}

static void put_integer(struct loom_lua_array *array, size_t i, int64_t value)
{
    switch ((enum loom_element)array->element) {
    case LOOM_I32:
        ((int32_t *)(void *)array->data)[i] = (int32_t)value;
        break;
    case LOOM_UINT32:
        ((uint32_t *)(void *)array->data)[i] = (uint32_t)value;
        break;
    case LOOM_I64:
        ((int64_t *)(void *)array->data)[i] = value;
        break;
    case LOOM_U8:
        array->data[i] = (char)(unsigned char)value;
        break;
    case LOOM_F32:
    case LOOM_FLOAT64:
    case LOOM_ELEMENTS:
        break;
    }
}

static void push_element(lua_State *L, const struct loom_lua_array *array,
                         size_t i)
{
    if (real(array)) {
        lua_pushnumber(L, loom_lua_array_get(array, i));
    } else {
        lua_pushinteger(L, loom_lua_array_whole(array, i));
    }
}

void loom_lua_array_put(lua_State *L, struct loom_lua_array *array, size_t i,
                        int64_t value)
{
    static const int64_t low[LOOM_ELEMENTS] = {0, 0,         INT32_MIN,
                                               0, INT64_MIN, 0};
    static const int64_t high[LOOM_ELEMENTS] = {
        0, 0, INT32_MAX, UINT32_MAX, INT64_MAX, 255};

    if (value < low[array->element] || value > high[array->element]) {
        luaL_error(L, "value %I does not fit an element of type %s",
                   (lua_Integer)value, element_names[array->element]);
    }
    put_integer(array, i, value);
}

/* Stores the number at `at` of the stack; a Lua error if it does not fit. */
static void put_value(lua_State *L, struct loom_lua_array *array, size_t i,
                      int at)
{
    if (real(array)) {
        loom_lua_array_put_real(array, i, luaL_checknumber(L, at));
    } else {
        loom_lua_array_put(L, array, i, luaL_checkinteger(L, at));
    }
}

struct loom_lua_array *loom_lua_array_new(lua_State *L, uint32_t element,
                                          lua_Integer count)
{
    struct loom_lua_array *array;
    size_t bytes;

    luaL_argcheck(L, count >= 0 && count <= (lua_Integer)1 << 36, 2,
                  "count is not 0..2^36");
    bytes = (size_t)count * element_bytes[element];
    array = lua_newuserdatauv(L, sizeof(*array) + bytes, 0);
    memset(array, 0, sizeof(*array) + bytes);
    array->count = (size_t)count;
    array->bytes = bytes;
    array->element = element;
    luaL_setmetatable(L, LOOM_LUA_ARRAY);
    return array;
}

/* The bytes of a string as the device would store them. */
static int array_of_bytes(lua_State *L, uint32_t element)
{
    size_t bytes, width = element_bytes[element];
    const char *text = lua_tolstring(L, 2, &bytes);
    struct loom_lua_array *array;

    if (bytes % width != 0) {
        return luaL_error(L, "%I bytes are not whole elements of type %s",
                          (lua_Integer)bytes, element_names[element]);
    }
    array = loom_lua_array_new(L, element, (lua_Integer)(bytes / width));
    memcpy(array->data, text, bytes);
    return 1;
}

uint32_t loom_lua_element(lua_State *L, int at)
{
    return (uint32_t)luaL_checkoption(L, at, NULL, element_names);
}

/* core.array(type, count, table or string of bytes) */
static int array_new(lua_State *L)
{
    uint32_t element = loom_lua_element(L, 1);
    struct loom_lua_array *array;
    lua_Integer count;

    if (lua_type(L, 2) == LUA_TSTRING) {
        return array_of_bytes(L, element);
    }
    if (lua_type(L, 2) != LUA_TTABLE) {
        loom_lua_array_new(L, element, luaL_checkinteger(L, 2));
        return 1;
    }
    count = (lua_Integer)lua_rawlen(L, 2);
    array = loom_lua_array_new(L, element, count);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, 2, i + 1);
        put_value(L, array, (size_t)i, -1);
        lua_pop(L, 1);
    }
    return 1;
}

static size_t index_of(lua_State *L, const struct loom_lua_array *array, int at)
{
    lua_Integer i = luaL_checkinteger(L, at);

    if (i < 0 || (size_t)i >= array->count) {
        luaL_error(L, "index %I is outside the array, expected 0..%I", i,
                   (lua_Integer)array->count - 1);
    }
    return (size_t)i;
}

static int array_index(lua_State *L)
{
    struct loom_lua_array *array = loom_lua_array(L, 1);

    if (lua_type(L, 2) == LUA_TNUMBER) {
        push_element(L, array, index_of(L, array, 2));
        return 1;
    }
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    if (lua_isnil(L, -1)) {
        return luaL_error(L, "an array has no field '%s'",
                          luaL_tolstring(L, 2, NULL));
    }
    return 1;
}

static int array_newindex(lua_State *L)
{
    struct loom_lua_array *array = loom_lua_array(L, 1);

    put_value(L, array, index_of(L, array, 2), 3);
    return 0;
}

static int array_len(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)loom_lua_array(L, 1)->count);
    return 1;
}

static int array_type(lua_State *L)
{
    lua_pushstring(L, element_names[loom_lua_array(L, 1)->element]);
    return 1;
}

static int array_bytes(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)loom_lua_array(L, 1)->bytes);
    return 1;
}

static int array_tostring(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);

    lua_pushfstring(L, "%s[%I]", element_names[array->element],
                    (lua_Integer)array->count);
    return 1;
}

/* array:fill(value) */
static int array_fill(lua_State *L)
{
    struct loom_lua_array *array = loom_lua_array(L, 1);

    if (array->count != 0) {
        size_t width = element_bytes[array->element];

        put_value(L, array, 0, 2);
        for (size_t i = 1; i < array->count; i++) {
            memcpy(array->data + i * width, array->data, width);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:random(seed, low, high, step): uniform in [low, high) for real
 * elements, [low, high] for integers.  With a step, real elements are
 * multiples of it above low. */
static int array_random(lua_State *L)
{
    struct loom_lua_array *array = loom_lua_array(L, 1);
    uint64_t seed = (uint64_t)luaL_checkinteger(L, 2);
    struct loom_rng rng;

    loom_rng_init(&rng, seed, "array");
    if (real(array)) {
        double low = luaL_optnumber(L, 3, 0.0);
        double high = luaL_optnumber(L, 4, 1.0);
        double step = luaL_optnumber(L, 5, 0.0);

        luaL_argcheck(L, step >= 0.0, 5, "expected a step above 0");
        for (size_t i = 0; i < array->count; i++) {
            double above = (high - low) * loom_rng_real(&rng);

            if (step > 0.0) {
                above = step * (double)(int64_t)(above / step);
            }
            loom_lua_array_put_real(array, i, low + above);
        }
    } else {
        lua_Integer low = luaL_checkinteger(L, 3);
        lua_Integer high = luaL_checkinteger(L, 4);

        luaL_argcheck(L, low <= high, 4, "smaller than the low end");
        for (size_t i = 0; i < array->count; i++) {
            uint64_t span = (uint64_t)(high - low) + 1;
            uint64_t r =
                span == 0 ? loom_rng_next(&rng) : loom_rng_below(&rng, span);

            put_integer(array, i, (int64_t)((uint64_t)low + r));
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:map(function(value, index) -> value), in place */
static int array_map(lua_State *L)
{
    struct loom_lua_array *array = loom_lua_array(L, 1);

    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    for (size_t i = 0; i < array->count; i++) {
        lua_pushvalue(L, 2);
        push_element(L, array, i);
        lua_pushinteger(L, (lua_Integer)i);
        lua_call(L, 2, 1);
        put_value(L, array, i, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, 1);
    return 1;
}

static int array_copy(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);
    struct loom_lua_array *copy =
        loom_lua_array_new(L, array->element, (lua_Integer)array->count);

    memcpy(copy->data, array->data, array->bytes);
    return 1;
}

/* array:string() -> its bytes. */
static int array_string(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);

    lua_pushlstring(L, array->data, array->bytes);
    return 1;
}

/* array:slice(first, count) -> a copy of part of it */
static int array_slice(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);
    lua_Integer first = luaL_checkinteger(L, 2);
    lua_Integer count = luaL_checkinteger(L, 3);
    size_t width = element_bytes[array->element];
    struct loom_lua_array *slice;

    luaL_argcheck(L, first >= 0 && (size_t)first <= array->count, 2,
                  "outside the array");
    luaL_argcheck(L, count >= 0 && (size_t)(first + count) <= array->count, 3,
                  "beyond the end of the array");
    slice = loom_lua_array_new(L, array->element, count);
    memcpy(slice->data, array->data + (size_t)first * width, slice->bytes);
    return 1;
}

static int array_table(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);

    lua_createtable(L, (int)array->count, 0);
    for (size_t i = 0; i < array->count; i++) {
        push_element(L, array, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* Sums are taken in index order, so they repeat; integers wrap. */
static int array_sum(lua_State *L)
{
    const struct loom_lua_array *array = loom_lua_array(L, 1);

    if (real(array)) {
        double sum = 0.0;

        for (size_t i = 0; i < array->count; i++) {
            sum += loom_lua_array_get(array, i);
        }
        lua_pushnumber(L, sum);
    } else {
        uint64_t sum = 0;

        for (size_t i = 0; i < array->count; i++) {
            sum += (uint64_t)loom_lua_array_whole(array, i);
        }
        lua_pushinteger(L, (lua_Integer)sum);
    }
    return 1;
}

static const struct loom_lua_array *other(lua_State *L,
                                          const struct loom_lua_array *array)
{
    const struct loom_lua_array *with = loom_lua_array(L, 2);

    if (with->count != array->count) {
        luaL_error(L, "arrays of %I and %I elements cannot be compared",
                   (lua_Integer)array->count, (lua_Integer)with->count);
    }
    return with;
}

/* array:max_abs_diff(other) -> difference, index of it.  A NaN anywhere is
 * an infinite difference. */
static int array_max_abs_diff(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    const struct loom_lua_array *b = other(L, a);
    double largest = 0.0;
    size_t where = 0;

    for (size_t i = 0; i < a->count; i++) {
        double x = loom_lua_array_get(a, i), y = loom_lua_array_get(b, i);
        double d = x > y ? x - y : y - x;

        if (x != y && !(d <= largest)) {
            largest = d == d ? d : __builtin_inf();
            where = i;
        }
    }
    lua_pushnumber(L, largest);
    lua_pushinteger(L, (lua_Integer)where);
    return 2;
}

/* array:equals(other) -> true, or false and the first index that differs */
static int array_equals(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    const struct loom_lua_array *b = other(L, a);

    for (size_t i = 0; i < a->count; i++) {
        if (real(a) || real(b)
                ? loom_lua_array_get(a, i) != loom_lua_array_get(b, i)
                : loom_lua_array_whole(a, i) != loom_lua_array_whole(b, i)) {
            lua_pushboolean(L, 0);
            lua_pushinteger(L, (lua_Integer)i);
            return 2;
        }
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* core.bytes(place, bytes): an array of what is in this process there. */
static int array_of_place(lua_State *L)
{
    const void *from = loom_lua_pointer(luaL_checkinteger(L, 1));
    size_t bytes = (size_t)luaL_checkinteger(L, 2);
    struct loom_lua_array *array =
        loom_lua_array_new(L, LOOM_U8, (lua_Integer)bytes);

    if (bytes > 0) {
        memcpy(array->data, from, bytes);
    }
    return 1;
}

void loom_lua_open_array(lua_State *L)
{
    static const luaL_Reg methods[] = {{"type", array_type},
                                       {"bytes", array_bytes},
                                       {"fill", array_fill},
                                       {"random", array_random},
                                       {"map", array_map},
                                       {"copy", array_copy},
                                       {"slice", array_slice},
                                       {"table", array_table},
                                       {"sum", array_sum},
                                       {"max_abs_diff", array_max_abs_diff},
                                       {"equals", array_equals},
                                       {"string", array_string},
                                       {NULL, NULL}};
    static const luaL_Reg meta[] = {{"__newindex", array_newindex},
                                    {"__len", array_len},
                                    {"__tostring", array_tostring},
                                    {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"array", array_new}, {"bytes", array_of_place}, {NULL, NULL}};

    if (luaL_newmetatable(L, LOOM_LUA_ARRAY) != 0) {
        luaL_setfuncs(L, meta, 0);
        luaL_newlib(L, methods);
        lua_pushcclosure(L, array_index, 1);
        lua_setfield(L, -2, "__index");
        lua_pushstring(L, "locked");
        lua_setfield(L, -2, "__metatable");
    }
    lua_pop(L, 1);
    luaL_setfuncs(L, functions, 0);
}

/*
 * Operations on whole typed arrays: what a host program would otherwise do
 * element by element in Lua.  Each says for every element what a loop over its
 * index would, in that order; real elements are computed in double precision
 * and rounded once, and a whole number that does not fit is an error.
 */
#include <string.h>
#include <zlib.h>

#include "engine/digest.h"

#include "lua/core.h"

/* The other side of an operation: an array, or one number for all. */
struct operand {
    const struct loom_lua_array *array; /* NULL: a number */
    double real;
    int64_t whole;
};

static bool is_real(const struct loom_lua_array *array)
{
    return array->element == LOOM_F32 || array->element == LOOM_FLOAT64;
}

/* A real number as an element; of whole elements the next one below. */
static void put_number(lua_State *L, struct loom_lua_array *array, size_t i,
                       double value)
{
    if (is_real(array)) {
        loom_lua_array_put_real(array, i, value);
        return;
    }
    value = __builtin_floor(value);
    if (!(value >= -0x1p63 && value < 0x1p63)) {
        luaL_error(L,
                   "element %I would be %f, which is no whole number of "
                   "64 bits",
                   (lua_Integer)i, value);
    }
    loom_lua_array_put(L, array, i, (int64_t)value);
}

/* The number or the array of as many elements at `at`. */
static struct operand operand_at(lua_State *L, int at,
                                 const struct loom_lua_array *with)
{
    struct operand o = {0};

    if (lua_type(L, at) != LUA_TNUMBER) {
        o.array = loom_lua_array(L, at);
        if (o.array->count != with->count) {
            luaL_error(L, "got %I elements for %I", (lua_Integer)o.array->count,
                       (lua_Integer)with->count);
        }
        luaL_argcheck(L, is_real(with) || !is_real(o.array), at,
                      "real elements for whole ones; see a:as(type)");
        return o;
    }
    o.real = lua_tonumber(L, at);
    o.whole = is_real(with) ? 0 : luaL_checkinteger(L, at);
    return o;
}

static double real_of(const struct operand *o, size_t i)
{
    return o->array != NULL ? loom_lua_array_get(o->array, i) : o->real;
}

static int64_t whole_of(const struct operand *o, size_t i)
{
    return o->array != NULL ? loom_lua_array_whole(o->array, i) : o->whole;
}

static int beyond(lua_State *L, size_t i)
{
    return luaL_error(L, "element %I would not fit 64 bits", (lua_Integer)i);
}

/* array:add(number or array), in place */
static int vector_add(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);
    struct operand o = operand_at(L, 2, a);
    int64_t sum;

    for (size_t i = 0; i < a->count; i++) {
        if (is_real(a)) {
            loom_lua_array_put_real(a, i,
                                    loom_lua_array_get(a, i) + real_of(&o, i));
        } else if (__builtin_add_overflow(loom_lua_array_whole(a, i),
                                          whole_of(&o, i), &sum)) {
            return beyond(L, i);
        } else {
            loom_lua_array_put(L, a, i, sum);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:mul(number or array), in place */
static int vector_mul(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);
    struct operand o = operand_at(L, 2, a);
    int64_t product;

    for (size_t i = 0; i < a->count; i++) {
        if (is_real(a)) {
            loom_lua_array_put_real(a, i,
                                    loom_lua_array_get(a, i) * real_of(&o, i));
        } else if (__builtin_mul_overflow(loom_lua_array_whole(a, i),
                                          whole_of(&o, i), &product)) {
            return beyond(L, i);
        } else {
            loom_lua_array_put(L, a, i, product);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:iota(first, step): first + i * step, in place */
static int vector_iota(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);

    if (is_real(a)) {
        double first = luaL_optnumber(L, 2, 0.0);
        double step = luaL_optnumber(L, 3, 1.0);

        for (size_t i = 0; i < a->count; i++) {
            loom_lua_array_put_real(a, i, first + (double)i * step);
        }
    } else {
        int64_t first = luaL_optinteger(L, 2, 0);
        int64_t step = luaL_optinteger(L, 3, 1), value;

        for (size_t i = 0; i < a->count; i++) {
            if (__builtin_mul_overflow((int64_t)i, step, &value) ||
                __builtin_add_overflow(first, value, &value)) {
                return beyond(L, i);
            }
            loom_lua_array_put(L, a, i, value);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:lcg(seed, below), in place: of x = 1664525 x + 1013904223 mod 2^32
 * (Numerical Recipes), which starts with the seed, (x >> 8) mod below. */
static int vector_lcg(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);
    uint32_t x = (uint32_t)luaL_checkinteger(L, 2);
    lua_Integer below = luaL_checkinteger(L, 3);

    luaL_argcheck(L, below >= 1 && below <= 1 << 24, 3, "expected 1..2^24");
    for (size_t i = 0; i < a->count; i++) {
        uint32_t drawn;

        x = x * 1664525u + 1013904223u;
        drawn = (x >> 8) % (uint32_t)below;
        if (is_real(a)) {
            loom_lua_array_put_real(a, i, (double)drawn);
        } else {
            loom_lua_array_put(L, a, i, drawn);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* array:scan(), in place: each element becomes the sum of those before it */
static int vector_scan(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);
    double real = 0.0;
    int64_t whole = 0;

    for (size_t i = 0; i < a->count; i++) {
        if (is_real(a)) {
            double value = loom_lua_array_get(a, i);

            loom_lua_array_put_real(a, i, real);
            real += value;
        } else {
            int64_t value = loom_lua_array_whole(a, i);

            loom_lua_array_put(L, a, i, whole);
            if (__builtin_add_overflow(whole, value, &whole)) {
                return beyond(L, i + 1);
            }
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* Where element i of `indices` says, in an array of `count`. */
static size_t place_of(lua_State *L, const struct loom_lua_array *indices,
                       size_t i, size_t count)
{
    int64_t place = loom_lua_array_whole(indices, i);

    if (place < 0 || (uint64_t)place >= count) {
        luaL_error(L,
                   "index %I, element %I, is outside the array, expected "
                   "0..%I",
                   (lua_Integer)place, (lua_Integer)i, (lua_Integer)count - 1);
    }
    return (size_t)place;
}

static const struct loom_lua_array *indices_at(lua_State *L, int at)
{
    const struct loom_lua_array *indices = loom_lua_array(L, at);

    luaL_argcheck(L, !is_real(indices), at, "indices are whole numbers");
    return indices;
}

static void copy_element(struct loom_lua_array *to, size_t at,
                         const struct loom_lua_array *from, size_t i)
{
    size_t width = from->bytes / from->count;

    memcpy(to->data + at * width, from->data + i * width, width);
}

/* array:gather(indices) -> what is there, in the order of the indices */
static int vector_gather(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    const struct loom_lua_array *indices = indices_at(L, 2);
    struct loom_lua_array *out =
        loom_lua_array_new(L, a->element, (lua_Integer)indices->count);

    for (size_t i = 0; i < indices->count; i++) {
        copy_element(out, i, a, place_of(L, indices, i, a->count));
    }
    return 1;
}

/* array:scatter(indices, values), in place */
static int vector_scatter(lua_State *L)
{
    struct loom_lua_array *a = loom_lua_array(L, 1);
    const struct loom_lua_array *indices = indices_at(L, 2);
    const struct loom_lua_array *values = loom_lua_array(L, 3);

    luaL_argcheck(L, values->element == a->element, 3, "another type");
    luaL_argcheck(L, values->count == indices->count, 3,
                  "not as many as indices");
    for (size_t i = 0; i < indices->count; i++) {
        copy_element(a, place_of(L, indices, i, a->count), values, i);
    }
    lua_settop(L, 1);
    return 1;
}

/* array:as(type) -> its values as elements of that type */
static int vector_as(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    struct loom_lua_array *out =
        loom_lua_array_new(L, loom_lua_element(L, 2), (lua_Integer)a->count);

    for (size_t i = 0; i < a->count; i++) {
        if (is_real(a)) {
            put_number(L, out, i, loom_lua_array_get(a, i));
        } else if (is_real(out)) {
            loom_lua_array_put_real(out, i, (double)loom_lua_array_whole(a, i));
        } else {
            loom_lua_array_put(L, out, i, loom_lua_array_whole(a, i));
        }
    }
    return 1;
}

/* array:close(other, relative, absolute) -> true, or false and the first index
 * at which they differ by more than the larger of `absolute` and `relative` of
 * the other.  NaN is close to nothing, and so is what is infinite but to
 * itself. */
static int vector_close(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    const struct loom_lua_array *b = loom_lua_array(L, 2);
    double relative = luaL_checknumber(L, 3);
    double absolute = luaL_optnumber(L, 4, 0.0);

    luaL_argcheck(L, b->count == a->count, 2, "not as many elements");
    for (size_t i = 0; i < a->count; i++) {
        double x = loom_lua_array_get(a, i), y = loom_lua_array_get(b, i);
        double apart = __builtin_fabs(x - y);
        double may = relative * __builtin_fabs(y);

        may = may > absolute ? may : absolute;
        if (x != y && !(apart <= may && apart < __builtin_inf())) {
            lua_pushboolean(L, 0);
            lua_pushinteger(L, (lua_Integer)i);
            return 2;
        }
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* array:crc32() of its bytes, as zlib and PNG have it */
static int vector_crc32(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);

    lua_pushinteger(L,
                    (lua_Integer)crc32_z(0, (const Bytef *)a->data, a->bytes));
    return 1;
}

/* array:sha256() of its bytes, as 64 hexadecimal digits */
static int vector_sha256(lua_State *L)
{
    const struct loom_lua_array *a = loom_lua_array(L, 1);
    struct loom_digest digest;
    char text[LOOM_DIGEST_TEXT];

    loom_digest_init(&digest);
    loom_digest_add(&digest, a->data, a->bytes);
    loom_digest_text(&digest, text);
    lua_pushstring(L, text);
    return 1;
}

/* Methods of arrays are where their __index looks first. */
void loom_lua_open_vector(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"add", vector_add},       {"as", vector_as},
        {"close", vector_close},   {"crc32", vector_crc32},
        {"gather", vector_gather}, {"iota", vector_iota},
        {"lcg", vector_lcg},       {"mul", vector_mul},
        {"scan", vector_scan},     {"scatter", vector_scatter},
        {"sha256", vector_sha256}, {NULL, NULL}};

    int top = lua_gettop(L);

    luaL_getmetatable(L, LOOM_LUA_ARRAY);
    lua_getfield(L, -1, "__index");
    lua_getupvalue(L, -1, 1);
    luaL_setfuncs(L, methods, 0);
    lua_settop(L, top);
}

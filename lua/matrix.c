/*
 * The linear algebra that CPU references of host scripts need: row-major
 * matrices in typed arrays.  Products are accumulated in double precision
 * and rounded once, so a reference is closer to the exact result than the
 * kernel that it judges; comparisons allow for the kernel's own rounding.
 */
#include "lua/core.h"

static const float *singles(lua_State *L, int at, size_t count)
{
    const struct loom_lua_array *array = loom_lua_array(L, at);

    luaL_argcheck(L, array->element == LOOM_F32, at, "expected an f32 array");
    luaL_argcheck(L, array->count >= count, at, "array is too short");
    return (const float *)(const void *)array->data;
}

static size_t extent(lua_State *L, int at)
{
    lua_Integer n = luaL_checkinteger(L, at);

    luaL_argcheck(L, n >= 0 && n <= 1 << 24, at, "expected 0..2^24");
    return (size_t)n;
}

/* core.matvec(a, x, rows, columns) -> a x */
static int matvec(lua_State *L)
{
    size_t rows = extent(L, 3), columns = extent(L, 4);
    const float *a = singles(L, 1, rows * columns);
    const float *x = singles(L, 2, columns);
    float *y =
        (float *)(void *)loom_lua_array_new(L, LOOM_F32, (lua_Integer)rows)
            ->data;

    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;

        for (size_t j = 0; j < columns; j++) {
            sum += (double)a[i * columns + j] * (double)x[j];
        }
        y[i] = (float)sum;
    }
    return 1;
}

/* core.matvec_t(a, x, rows, columns) -> transposed a times x */
static int matvec_t(lua_State *L)
{
    size_t rows = extent(L, 3), columns = extent(L, 4);
    const float *a = singles(L, 1, rows * columns);
    const float *x = singles(L, 2, rows);
    double *sum = lua_newuserdatauv(L, (columns + 1) * sizeof(*sum), 0);
    float *y;

    for (size_t j = 0; j < columns; j++) {
        sum[j] = 0.0;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            sum[j] += (double)a[i * columns + j] * (double)x[i];
        }
    }
    y = (float *)(void *)loom_lua_array_new(L, LOOM_F32, (lua_Integer)columns)
            ->data;
    for (size_t j = 0; j < columns; j++) {
        y[j] = (float)sum[j];
    }
    return 1;
}

/* core.matmul(a, b, rows, inner, columns) -> a b */
static int matmul(lua_State *L)
{
    size_t rows = extent(L, 3), inner = extent(L, 4), columns = extent(L, 5);
    const float *a = singles(L, 1, rows * inner);
    const float *b = singles(L, 2, inner * columns);
    double *sum = lua_newuserdatauv(L, (columns + 1) * sizeof(*sum), 0);
    float *c = (float *)(void *)loom_lua_array_new(
                   L, LOOM_F32, (lua_Integer)(rows * columns))
                   ->data;

    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            sum[j] = 0.0;
        }
        for (size_t k = 0; k < inner; k++) {
            double factor = (double)a[i * inner + k];

            for (size_t j = 0; j < columns; j++) {
                sum[j] += factor * (double)b[k * columns + j];
            }
        }
        for (size_t j = 0; j < columns; j++) {
            c[i * columns + j] = (float)sum[j];
        }
    }
    return 1;
}

/* core.f32(x): x rounded to single precision. */
static int f32(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)(float)luaL_checknumber(L, 1));
    return 1;
}

void loom_lua_open_matrix(lua_State *L)
{
    static const luaL_Reg functions[] = {{"matvec", matvec},
                                         {"matvec_t", matvec_t},
                                         {"matmul", matmul},
                                         {"f32", f32},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}

/*
 * Integer operations on 32 lanes.  Semantics: PTX ISA, "Integer Arithmetic
 * Instructions" and "Logic and Shift Instructions".
 *
 * Arithmetic is done in the unsigned storage type, so it wraps; a signed
 * type T only extends the sources.  PTX leaves the result of a division by
 * zero open.  What ptxas makes of it gives all ones, as quotient and as
 * remainder of 32 and 64 bits; a remainder of 16 bits is the dividend.
 */
#ifndef WORKLOADS_PTX_LANES_INT_H
#define WORKLOADS_PTX_LANES_INT_H

#include "workloads/ptx/lanes/tools.h"

/* x, y, z: the sources.  T: type of x and y; S: bits of their storage; D:
 * bits of the storage of z and of the result. */
#define INT_1(name, T, S, D, expr)                                             \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##D *d = to;                                                     \
        const lane_u##S *a = from[0];                                          \
        LANES_EACH                                                             \
        {                                                                      \
            const T x = (T)a[l];                                               \
            d[l] = (lane_u##D)(expr);                                          \
        }                                                                      \
        return 0;                                                              \
    }
#define INT_2(name, T, S, D, expr)                                             \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##D *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1];                            \
        LANES_EACH                                                             \
        {                                                                      \
            const T x = (T)a[l];                                               \
            const T y = (T)b[l];                                               \
            d[l] = (lane_u##D)(expr);                                          \
        }                                                                      \
        return 0;                                                              \
    }
#define INT_3(name, T, S, D, expr)                                             \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##D *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1];                            \
        const lane_u##D *c = from[2];                                          \
        LANES_EACH                                                             \
        {                                                                      \
            const T x = (T)a[l];                                               \
            const T y = (T)b[l];                                               \
            const uint##D##_t z = c[l];                                        \
            d[l] = (lane_u##D)(expr);                                          \
        }                                                                      \
        return 0;                                                              \
    }
/* Source 1 is a count of 32 bits whatever the type. */
#define INT_SHIFT(name, T, S, expr)                                            \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0];                                          \
        const lane_u32 *b = from[1];                                           \
        LANES_EACH                                                             \
        {                                                                      \
            const T x = (T)a[l];                                               \
            const uint32_t y = b[l];                                           \
            d[l] = (lane_u##S)(expr);                                          \
        }                                                                      \
        return 0;                                                              \
    }

/* What does not depend on signs, for unsigned T. */
#define INT_PLAIN(t, T, S)                                                     \
    INT_2(add_##t, T, S, S, (uint##S##_t)x + (uint##S##_t)y)                   \
    INT_2(sub_##t, T, S, S, (uint##S##_t)x - (uint##S##_t)y)                   \
    INT_2(mul_##t, T, S, S, (uint##S##_t)x *(uint##S##_t)y)                    \
    INT_3(mad_##t, T, S, S, (uint##S##_t)x *(uint##S##_t)y + z)                \
    INT_2(and_##t, T, S, S, x &y)                                              \
    INT_2(or_##t, T, S, S, x | y)                                              \
    INT_2(xor_##t, T, S, S, x ^ y)                                             \
    INT_1(not_##t, T, S, S, ~(uint##S##_t)x)                                   \
    INT_1(cnot_##t, T, S, S, x == 0)                                           \
    INT_1(neg_##t, T, S, S, (uint##S##_t)0 - (uint##S##_t)x)                   \
    INT_SHIFT(shl_##t, T, S,                                                   \
              y < LANE_BITS(T) ? (uint##S##_t)x << (y & (LANE_BITS(T) - 1))    \
                               : 0)
INT_PLAIN(u16, uint16_t, 32)
INT_PLAIN(u32, uint32_t, 32)
INT_PLAIN(u64, uint64_t, 64)

#define REST_OF_ZERO(x, S) (sizeof(x) > 2 ? ~(uint##S##_t)0 : (uint##S##_t)(x))
#define INT_SIGNED(t, T, S)                                                    \
    INT_1(abs_##t, T, S, S,                                                    \
          x < 0 ? (uint##S##_t)0 - (uint##S##_t)x : (uint##S##_t)x)            \
    INT_2(div_##t, T, S, S,                                                    \
          y == 0    ? ~(uint##S##_t)0                                          \
          : y == -1 ? (uint##S##_t)0 - (uint##S##_t)x                          \
                    : (uint##S##_t)(x / y))                                    \
    INT_2(rem_##t, T, S, S,                                                    \
          y == 0    ? REST_OF_ZERO(x, S)                                       \
          : y == -1 ? (uint##S##_t)0                                           \
                    : (uint##S##_t)(x % y))
INT_SIGNED(s16, int16_t, 32)
INT_SIGNED(s32, int32_t, 32)
INT_SIGNED(s64, int64_t, 64)

#define INT_UNSIGNED(t, T, S)                                                  \
    INT_2(div_##t, T, S, S, y == 0 ? ~(uint##S##_t)0 : (uint##S##_t)(x / y))   \
    INT_2(rem_##t, T, S, S, y == 0 ? REST_OF_ZERO(x, S) : (uint##S##_t)(x % y))
INT_UNSIGNED(u16, uint16_t, 32)
INT_UNSIGNED(u32, uint32_t, 32)
INT_UNSIGNED(u64, uint64_t, 64)

/* W: a type that holds the product. */
#define INT_BOTH(t, T, S, W)                                                   \
    INT_2(min_##t, T, S, S, x < y ? x : y)                                     \
    INT_2(max_##t, T, S, S, x > y ? x : y)                                     \
    INT_3(sad_##t, T, S, S,                                                    \
          z + (x < y ? (uint##S##_t)y - (uint##S##_t)x                         \
                     : (uint##S##_t)x - (uint##S##_t)y))                       \
    INT_2(mulhi_##t, T, S, S, (W)((W)x * (W)y) >> LANE_BITS(T))                \
    INT_3(madhi_##t, T, S, S,                                                  \
          (uint##S##_t)((W)((W)x * (W)y) >> LANE_BITS(T)) + z)                 \
    INT_SHIFT(shr_##t, T, S,                                                   \
              x >> (y < LANE_BITS(T) - 1 ? y : LANE_BITS(T) - 1) >>            \
                  (y < LANE_BITS(T) ? 0 : 1))
INT_BOTH(u16, uint16_t, 32, uint32_t)
INT_BOTH(s16, int16_t, 32, int32_t)
INT_BOTH(u32, uint32_t, 32, uint64_t)
INT_BOTH(s32, int32_t, 32, int64_t)
INT_BOTH(u64, uint64_t, 64, lane_u128)
INT_BOTH(s64, int64_t, 64, lane_s128)

#define INT_WIDE(t, T, D, W)                                                   \
    INT_2(mulwide_##t, T, 32, D, (W)x *(W)y)                                   \
    INT_3(madwide_##t, T, 32, D, (uint##D##_t)((W)x * (W)y) + z)
INT_WIDE(u16, uint16_t, 32, uint32_t)
INT_WIDE(s16, int16_t, 32, int32_t)
INT_WIDE(u32, uint32_t, 64, uint64_t)
INT_WIDE(s32, int32_t, 64, int64_t)

/* The low 24 bits of the sources. */
INT_2(mul24_u32, uint32_t, 32, 32, (x & 0xffffffu) * (y & 0xffffffu))
INT_3(mad24_u32, uint32_t, 32, 32, (x & 0xffffffu) * (y & 0xffffffu) + z)
#define SIGNED_24(v) ((uint32_t)((int32_t)((v) << 8) >> 8))
INT_2(mul24_s32, uint32_t, 32, 32, SIGNED_24(x) * SIGNED_24(y))
INT_3(mad24_s32, uint32_t, 32, 32, SIGNED_24(x) * SIGNED_24(y) + z)

static inline int64_t sat_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

INT_2(addsat_s32, int32_t, 32, 32, sat_s32((int64_t)x + y))
INT_2(subsat_s32, int32_t, 32, 32, sat_s32((int64_t)x - y))

#define INT_ROWS_PLAIN(t, TYPE)                                                \
    {LOOM_PTX_ADD, TYPE, EXEC_PLAIN, add_##t},                                 \
        {LOOM_PTX_SUB, TYPE, EXEC_PLAIN, sub_##t},                             \
        {LOOM_PTX_MUL, TYPE, EXEC_PLAIN, mul_##t},                             \
        {LOOM_PTX_MAD, TYPE, EXEC_PLAIN, mad_##t},                             \
        {LOOM_PTX_AND, TYPE, EXEC_PLAIN, and_##t},                             \
        {LOOM_PTX_OR, TYPE, EXEC_PLAIN, or_##t},                               \
        {LOOM_PTX_XOR, TYPE, EXEC_PLAIN, xor_##t},                             \
        {LOOM_PTX_NOT, TYPE, EXEC_PLAIN, not_##t},                             \
        {LOOM_PTX_CNOT, TYPE, EXEC_PLAIN, cnot_##t},                           \
        {LOOM_PTX_NEG, TYPE, EXEC_PLAIN, neg_##t},                             \
    {                                                                          \
        LOOM_PTX_SHL, TYPE, EXEC_PLAIN, shl_##t                                \
    }
#define INT_ROWS_BOTH(t, TYPE)                                                 \
    {LOOM_PTX_DIV, TYPE, EXEC_PLAIN, div_##t},                                 \
        {LOOM_PTX_REM, TYPE, EXEC_PLAIN, rem_##t},                             \
        {LOOM_PTX_MIN, TYPE, EXEC_PLAIN, min_##t},                             \
        {LOOM_PTX_MAX, TYPE, EXEC_PLAIN, max_##t},                             \
        {LOOM_PTX_SAD, TYPE, EXEC_PLAIN, sad_##t},                             \
        {LOOM_PTX_MUL, TYPE, EXEC_HIGH, mulhi_##t},                            \
        {LOOM_PTX_MAD, TYPE, EXEC_HIGH, madhi_##t},                            \
    {                                                                          \
        LOOM_PTX_SHR, TYPE, EXEC_PLAIN, shr_##t                                \
    }
#define INT_ROWS_WIDE(t, TYPE)                                                 \
    {LOOM_PTX_MUL, TYPE, EXEC_WIDE, mulwide_##t},                              \
    {                                                                          \
        LOOM_PTX_MAD, TYPE, EXEC_WIDE, madwide_##t                             \
    }
#define INT_ROWS                                                               \
    INT_ROWS_PLAIN(u16, LOOM_PTX_U16), INT_ROWS_PLAIN(u32, LOOM_PTX_U32),      \
        INT_ROWS_PLAIN(u64, LOOM_PTX_U64), INT_ROWS_BOTH(u16, LOOM_PTX_U16),   \
        INT_ROWS_BOTH(s16, LOOM_PTX_S16), INT_ROWS_BOTH(u32, LOOM_PTX_U32),    \
        INT_ROWS_BOTH(s32, LOOM_PTX_S32), INT_ROWS_BOTH(u64, LOOM_PTX_U64),    \
        INT_ROWS_BOTH(s64, LOOM_PTX_S64), INT_ROWS_WIDE(u16, LOOM_PTX_U16),    \
        INT_ROWS_WIDE(s16, LOOM_PTX_S16), INT_ROWS_WIDE(u32, LOOM_PTX_U32),    \
        INT_ROWS_WIDE(s32, LOOM_PTX_S32),                                      \
        {LOOM_PTX_ABS, LOOM_PTX_S16, EXEC_PLAIN, abs_s16},                     \
        {LOOM_PTX_ABS, LOOM_PTX_S32, EXEC_PLAIN, abs_s32},                     \
        {LOOM_PTX_ABS, LOOM_PTX_S64, EXEC_PLAIN, abs_s64},                     \
        {LOOM_PTX_MUL24, LOOM_PTX_U32, EXEC_PLAIN, mul24_u32},                 \
        {LOOM_PTX_MUL24, LOOM_PTX_S32, EXEC_PLAIN, mul24_s32},                 \
        {LOOM_PTX_MAD24, LOOM_PTX_U32, EXEC_PLAIN, mad24_u32},                 \
        {LOOM_PTX_MAD24, LOOM_PTX_S32, EXEC_PLAIN, mad24_s32},                 \
        {LOOM_PTX_ADD, LOOM_PTX_S32, EXEC_GENERAL, addsat_s32},                \
    {                                                                          \
        LOOM_PTX_SUB, LOOM_PTX_S32, EXEC_GENERAL, subsat_s32                   \
    }

#endif

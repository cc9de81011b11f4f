/*
 * The rest of the integer operations: packed halves, dot products, carries
 * of mad, and what only a few programs use.  Semantics: PTX ISA, "Integer
 * Arithmetic Instructions" and "Extended-Precision Integer Arithmetic
 * Instructions".
 */
#ifndef WORKLOADS_PTX_LANES_WIDE_H
#define WORKLOADS_PTX_LANES_WIDE_H

#include "workloads/ptx/lanes/bits.h"

/* Two halves of T in each lane. */
#define PAIR_2(name, T, expr)                                                  \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u32 *d = to;                                                      \
        const lane_u32 *a = from[0], *b = from[1];                             \
        LANES_EACH                                                             \
        {                                                                      \
            uint32_t result = 0;                                               \
            {                                                                  \
                const T x = (T)a[l], y = (T)b[l];                              \
                result = (uint16_t)(expr);                                     \
            }                                                                  \
            {                                                                  \
                const T x = (T)(a[l] >> 16), y = (T)(b[l] >> 16);              \
                result |= (uint32_t)(uint16_t)(expr) << 16;                    \
            }                                                                  \
            d[l] = result;                                                     \
        }                                                                      \
        return 0;                                                              \
    }
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y) ((x) > (y) ? (x) : (y))
PAIR_2(add_x2, uint16_t, x + y)
PAIR_2(min_u16x2, uint16_t, LEAST(x, y))
PAIR_2(max_u16x2, uint16_t, MOST(x, y))
PAIR_2(min_s16x2, int16_t, LEAST(x, y))
PAIR_2(max_s16x2, int16_t, MOST(x, y))
PAIR_2(min_relu_s16x2, int16_t, MOST(LEAST(x, y), 0))
PAIR_2(max_relu_s16x2, int16_t, MOST(MOST(x, y), 0))
INT_2(min_relu_s32, int32_t, 32, 32, MOST(LEAST(x, y), 0))
INT_2(max_relu_s32, int32_t, 32, 32, MOST(MOST(x, y), 0))

/* Products of 24-bit numbers: bits 16 to 47, or the low ones. */
#define SIGN_24(v) ((int64_t)((int32_t)((uint32_t)(v) << 8) >> 8))
#define CUT_24(v) ((uint64_t)(v)&0xffffffu)
INT_2(mul24hi_u32, uint32_t, 32, 32, (uint32_t)(CUT_24(x) * CUT_24(y) >> 16))
INT_3(mad24hi_u32, uint32_t, 32, 32,
      (uint32_t)(CUT_24(x) * CUT_24(y) >> 16) + z)
INT_2(mul24hi_s32, uint32_t, 32, 32, (uint32_t)(SIGN_24(x) * SIGN_24(y) >> 16))
INT_3(mad24hi_s32, uint32_t, 32, 32,
      (uint32_t)(SIGN_24(x) * SIGN_24(y) >> 16) + z)
INT_3(mad24hisat_s32, uint32_t, 32, 32,
      sat_s32((int64_t)(int32_t)(SIGN_24(x) * SIGN_24(y) >> 16) + (int32_t)z))
INT_3(madhisat_s32, int32_t, 32, 32,
      sat_s32(((int64_t)x * y >> 32) + (int32_t)z))

/* mad with a carry in and out.  `product`: of W, the part that is added. */
#define CARRY_3(name, T, S, W, product)                                        \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1], *c = from[2];              \
        uint32_t out = 0;                                                      \
        LANES_SLOWLY                                                           \
        {                                                                      \
            const W x = (T)a[l], y = (T)b[l];                                  \
            const lane_u128 part = (lane_u##S)(product);                       \
            const lane_u128 sum = part + c[l] + (p >> l & 1);                  \
            d[l] = (lane_u##S)sum;                                             \
            out |= (uint32_t)(sum >> S & 1) << l;                              \
        }                                                                      \
        return out;                                                            \
    }
CARRY_3(madclo_u32, uint32_t, 32, uint64_t, x *y)
CARRY_3(madchi_u32, uint32_t, 32, uint64_t, x *y >> 32)
CARRY_3(madchi_s32, int32_t, 32, int64_t, x *y >> 32)
CARRY_3(madclo_u64, uint64_t, 64, lane_u128, x *y)
CARRY_3(madchi_u64, uint64_t, 64, lane_u128, x *y >> 64)
CARRY_3(madchi_s64, int64_t, 64, lane_s128, x *y >> 64)

/* szext: the low b bits, extended. */
static inline uint32_t extend_low(uint32_t a, uint32_t b, bool sign, bool wrap)
{
    uint32_t n = wrap ? b & 31 : b < 32 ? b : 32;
    uint32_t low = a & (uint32_t)low_bits(n);

    if (n == 0) {
        return 0;
    }
    return sign && (a >> (n - 1) & 1) != 0 ? low | ~(uint32_t)low_bits(n) : low;
}

INT_2(szext_u32, uint32_t, 32, 32,
      extend_low(x, y, false, how->mode == LOOM_PTX_WRAP))
INT_2(szext_s32, uint32_t, 32, 32,
      extend_low(x, y, true, how->mode == LOOM_PTX_WRAP))

/* The offset-th set bit of the mask from base on, up or (negative) down. */
static inline uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
    int64_t at = base, step = offset < 0 ? -1 : 1;
    int64_t count = offset < 0 ? -(int64_t)offset : offset;

    if (offset == 0) {
        return base < 32 && (mask >> base & 1) != 0 ? base : UINT32_MAX;
    }
    for (; at >= 0 && at < 32; at += step) {
        if ((mask >> at & 1) != 0 && --count == 0) {
            return (uint32_t)at;
        }
    }
    return UINT32_MAX;
}

LANE_FN(fns_b32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];

    LANES_SLOWLY
    {
        d[l] = find_nth(a[l], b[l], (int32_t)c[l]);
    }
    return 0;
}

static inline uint32_t type_signed(uint8_t type)
{
    return type >= LOOM_PTX_S8 && type <= LOOM_PTX_S64;
}

/* `bits` (8 or 16) bits of x from `at`. */
static inline int64_t field_of(uint32_t x, uint32_t at, uint32_t bits,
                               bool sign)
{
    int64_t field = x >> at & ((1u << bits) - 1);

    return sign && field >> (bits - 1) != 0 ? field - (INT64_C(1) << bits)
                                            : field;
}

LANE_FN(dp4a_32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];

    LANES_SLOWLY
    {
        int64_t sum = c[l];

        for (uint32_t i = 0; i < 32; i += 8) {
            sum += field_of(a[l], i, 8, type_signed(how->dtype)) *
                   field_of(b[l], i, 8, type_signed(how->stype));
        }
        d[l] = (lane_u32)sum;
    }
    return 0;
}

/* Two halves of a with the low or the high two bytes of b. */
LANE_FN(dp2a_32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];
    const uint32_t first = how->high ? 16 : 0;

    LANES_SLOWLY
    {
        int64_t sum = c[l];

        for (uint32_t i = 0; i < 2; i++) {
            sum += field_of(a[l], 16 * i, 16, type_signed(how->dtype)) *
                   field_of(b[l], first + 8 * i, 8, type_signed(how->stype));
        }
        d[l] = (lane_u32)sum;
    }
    return 0;
}

/* lop3.BoolOp: also whether the result is not 0. */
LANE_FN(lop3_test)
{
    const lane_u32 *d = to;
    uint32_t out = 0;

    lop3_u32(to, from, p, how);
    LANES_SLOWLY
    {
        out |= d[l] != 0 ? lane_bit[l] : 0;
    }
    return how->mode == LOOM_PTX_DO_OR    ? out | p
           : how->mode == LOOM_PTX_DO_XOR ? out ^ p
                                          : out & p;
}

/* clang-format off */
#define WIDE_ROW(op, TYPE, variant, fn) \
    {LOOM_PTX_##op, LOOM_PTX_##TYPE, EXEC_##variant, fn}
#define WIDE_ROWS \
    WIDE_ROW(ADD, U16X2, ANY, add_x2), \
    WIDE_ROW(ADD, S16X2, ANY, add_x2), \
    WIDE_ROW(MIN, U16X2, PLAIN, min_u16x2), \
    WIDE_ROW(MAX, U16X2, PLAIN, max_u16x2), \
    WIDE_ROW(MIN, S16X2, PLAIN, min_s16x2), \
    WIDE_ROW(MAX, S16X2, PLAIN, max_s16x2), \
    WIDE_ROW(MIN, S16X2, FANCY, min_relu_s16x2), \
    WIDE_ROW(MAX, S16X2, FANCY, max_relu_s16x2), \
    WIDE_ROW(MIN, S32, FANCY, min_relu_s32), \
    WIDE_ROW(MAX, S32, FANCY, max_relu_s32), \
    WIDE_ROW(MUL24, U32, HIGH, mul24hi_u32), \
    WIDE_ROW(MUL24, S32, HIGH, mul24hi_s32), \
    WIDE_ROW(MAD24, U32, HIGH, mad24hi_u32), \
    WIDE_ROW(MAD24, S32, HIGH, mad24hi_s32), \
    WIDE_ROW(MAD24, S32, GENERAL, mad24hisat_s32), \
    WIDE_ROW(MAD, S32, GENERAL, madhisat_s32), \
    WIDE_ROW(MADC, U32, PLAIN, madclo_u32), \
    WIDE_ROW(MADC, U64, PLAIN, madclo_u64), \
    WIDE_ROW(MADC, S32, HIGH, madchi_s32), \
    WIDE_ROW(MADC, U32, HIGH, madchi_u32), \
    WIDE_ROW(MADC, S64, HIGH, madchi_s64), \
    WIDE_ROW(MADC, U64, HIGH, madchi_u64), \
    WIDE_ROW(SZEXT, U32, ANY, szext_u32), \
    WIDE_ROW(SZEXT, S32, ANY, szext_s32), \
    WIDE_ROW(FNS, B32, ANY, fns_b32), \
    WIDE_ROW(DP4A, U32, ANY, dp4a_32), \
    WIDE_ROW(DP2A, U32, ANY, dp2a_32), \
    WIDE_ROW(LOP3, B32, FANCY, lop3_test), \
    WIDE_ROW(CVT_PACK, U32, ANY, cvt_pack)
/* clang-format on */

#endif

/*
 * Operations on bits: counts, permutations, selection, carries.
 * Semantics: PTX ISA, the same sections as int.h and "Extended-
 * Precision Integer Arithmetic Instructions".
 *
 * The carry register CC.CF is a predicate to these functions: p comes in,
 * the result goes out.
 */
#ifndef WORKLOADS_PTX_LANES_BITS_H
#define WORKLOADS_PTX_LANES_BITS_H

#include "workloads/ptx/lanes/fields.h"
#include "workloads/ptx/lanes/int.h"

static inline uint64_t reverse_64(uint64_t x)
{
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* Position of the highest bit that is not the sign, or all ones. */
static inline uint32_t find_high(uint64_t x, uint32_t bits, bool amount)
{
    uint32_t at;

    if (x == 0) {
        return UINT32_MAX;
    }
    at = 63u - (uint32_t)__builtin_clzll(x);
    return amount ? bits - 1 - at : at;
}

INT_1(popc_u32, uint32_t, 32, 32, __builtin_popcount(x))
INT_1(popc_u64, uint64_t, 64, 32, __builtin_popcountll(x))
INT_1(clz_u32, uint32_t, 32, 32, x == 0 ? 32 : __builtin_clz(x))
INT_1(clz_u64, uint64_t, 64, 32, x == 0 ? 64 : __builtin_clzll(x))
INT_1(brev_u32, uint32_t, 32, 32, reverse_64(x) >> 32)
INT_1(brev_u64, uint64_t, 64, 64, reverse_64(x))
INT_1(bfind_u32, uint32_t, 32, 32, find_high(x, 32, how->shift_amount))
INT_1(bfind_s32, int32_t, 32, 32,
      find_high((uint32_t)(x < 0 ? ~x : x), 32, how->shift_amount))
INT_1(bfind_u64, uint64_t, 64, 32, find_high(x, 64, how->shift_amount))
INT_1(bfind_s64, int64_t, 64, 32,
      find_high((uint64_t)(x < 0 ? ~x : x), 64, how->shift_amount))

/* Funnel shifts of c:a, left into the high word, right into the low one. */
#define SHF(name, shifted)                                                     \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u32 *d = to;                                                      \
        const lane_u32 *a = from[0], *b = from[1], *c = from[2];               \
        const bool wrap = how->mode == LOOM_PTX_WRAP;                          \
        LANES_EACH                                                             \
        {                                                                      \
            const uint64_t x = (uint64_t)b[l] << 32 | a[l];                    \
            const uint32_t n = wrap ? c[l] & 31 : c[l] < 32 ? c[l] : 32;       \
            d[l] = (uint32_t)(shifted);                                        \
        }                                                                      \
        return 0;                                                              \
    }
SHF(shf_l, x << n >> 32)
SHF(shf_r, x >> n)

/* Selector of byte i in the special modes of prmt. */
static inline uint32_t prmt_select(uint8_t mode, uint32_t c, uint32_t i)
{
    uint32_t n = c & 3;

    switch (mode) {
    case LOOM_PTX_F4E:
        return n + i;
    case LOOM_PTX_B4E:
        return (n - i) & 7;
    case LOOM_PTX_RC8:
        return n;
    case LOOM_PTX_ECL:
        return n > i ? n : i;
    case LOOM_PTX_ECR:
        return n < i ? n : i;
    case LOOM_PTX_RC16:
        return (n & 1) * 2 + (i & 1);
    default:
        return c >> (4 * i) & 15;
    }
}

LANE_FN(prmt_u32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];

    LANES_SLOWLY
    {
        uint64_t bytes = (uint64_t)b[l] << 32 | a[l];
        uint32_t result = 0;

        for (uint32_t i = 0; i < 4; i++) {
            uint32_t select = prmt_select(how->mode, c[l], i);
            uint32_t byte = (uint32_t)(bytes >> (8 * (select & 7))) & 255;

            if ((select & 8) != 0) { /* replicate the sign */
                byte = (byte & 128) != 0 ? 255 : 0;
            }
            result |= byte << (8 * i);
        }
        d[l] = result;
    }
    return 0;
}

LANE_FN(lop3_u32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2], *t = from[3];

    LANES_SLOWLY
    {
        uint32_t result = 0;

        for (uint32_t i = 0; i < 8; i++) {
            if ((t[l] >> i & 1) != 0) {
                result |= ((i & 4) != 0 ? a[l] : ~a[l]) &
                          ((i & 2) != 0 ? b[l] : ~b[l]) &
                          ((i & 1) != 0 ? c[l] : ~c[l]);
            }
        }
        d[l] = result;
    }
    return 0;
}

/* Sums with the carry (or borrow) going in and coming out. */
#define CARRY(name, S, W, expr)                                                \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1];                            \
        uint32_t out = 0;                                                      \
        LANES_SLOWLY                                                           \
        {                                                                      \
            const W x = a[l], y = b[l], carry = p >> l & 1;                    \
            const W z = (expr);                                                \
            d[l] = (lane_u##S)z;                                               \
            out |= (uint32_t)(z >> LANE_BITS(*d) & 1) << l;                    \
            (void)carry;                                                       \
        }                                                                      \
        return out;                                                            \
    }
CARRY(addcc_u32, 32, uint64_t, x + y)
CARRY(addcc_u64, 64, lane_u128, x + y)
CARRY(addc_u32, 32, uint64_t, x + y + carry)
CARRY(addc_u64, 64, lane_u128, x + y + carry)
CARRY(subcc_u32, 32, uint64_t, x - y)
CARRY(subcc_u64, 64, lane_u128, x - y)
CARRY(subc_u32, 32, uint64_t, x - y - carry)
CARRY(subc_u64, 64, lane_u128, x - y - carry)

/* p chooses; a mov only copies. */
INT_1(mov_32, uint32_t, 32, 32, x)
INT_1(mov_64, uint64_t, 64, 64, x)
INT_2(selp_32, uint32_t, 32, 32, (p & lane_bit[l]) != 0 ? x : y)
INT_2(selp_64, uint64_t, 64, 64, (p & lane_bit[l]) != 0 ? x : y)

#endif

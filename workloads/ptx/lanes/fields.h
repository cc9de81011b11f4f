/*
 * Bit fields: taken out of a word, put into one, made of ones.
 * Semantics: PTX ISA, bfe, bfi and bmsk.
 */
#ifndef WORKLOADS_PTX_LANES_FIELDS_H
#define WORKLOADS_PTX_LANES_FIELDS_H

#include "workloads/ptx/lanes/tools.h"

static inline uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* `length` bits of x from `at`, filled with the sign if `sign`. */
static inline uint64_t extract(uint64_t x, uint32_t at, uint32_t length,
                               uint32_t bits, bool sign)
{
    uint32_t last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    uint64_t field = at < bits ? x >> at : 0;

    if (length == 0) {
        return 0;
    }
    field &= low_bits(length) & low_bits(bits);
    if (sign && (x >> last & 1) != 0) {
        uint32_t kept = at < bits ? bits - at : 0;

        field |= ~low_bits(length < kept ? length : kept);
    }
    return field;
}

#define BFE(t, S, bits, sign)                                                  \
    LANE_FN(bfe_##t)                                                           \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0];                                          \
        const lane_u32 *b = from[1], *c = from[2];                             \
        LANES_SLOWLY                                                           \
        {                                                                      \
            d[l] =                                                             \
                (lane_u##S)extract(a[l], b[l] & 255, c[l] & 255, bits, sign);  \
        }                                                                      \
        return 0;                                                              \
    }
BFE(u32, 32, 32, false)
BFE(s32, 32, 32, true)
BFE(u64, 64, 64, false)
BFE(s64, 64, 64, true)

#define BFI(t, S, bits)                                                        \
    LANE_FN(bfi_##t)                                                           \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1];                            \
        const lane_u32 *c = from[2], *e = from[3];                             \
        LANES_SLOWLY                                                           \
        {                                                                      \
            uint32_t at = c[l] & 255, length = e[l] & 255;                     \
            uint64_t field = at < bits ? low_bits(length) << at : 0;           \
            uint64_t in = at < bits ? (uint64_t)a[l] << at : 0;                \
            d[l] = (lane_u##S)((b[l] & ~field) | (in & field));                \
        }                                                                      \
        return 0;                                                              \
    }
BFI(u32, 32, 32)
BFI(u64, 64, 64)

LANE_FN(bmsk_u32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1];

    LANES_SLOWLY
    {
        bool wrap = how->mode == LOOM_PTX_WRAP;
        uint32_t at = wrap ? a[l] & 31 : a[l];
        uint32_t length = wrap ? b[l] & 31 : b[l];

        d[l] = at < 32 ? (uint32_t)(low_bits(length) << at) : 0;
    }
    return 0;
}

#endif

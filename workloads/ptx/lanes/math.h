/*
 * Signs and tests of floats, and the table of all that is done with floats.
 */
#ifndef WORKLOADS_PTX_LANES_MATH_H
#define WORKLOADS_PTX_LANES_MATH_H

#include "workloads/ptx/lanes/approx.h"

FLOAT_1(neg_f32, f32,
        canon_f32(lane_float(lane_float_bits(IN(x)) ^ 0x80000000u)))
FLOAT_1(abs_f32, f32,
        canon_f32(lane_float(lane_float_bits(IN(x)) & 0x7fffffffu)))
FLOAT_1(neg_f64, f64,
        lane_double(lane_double_bits(x) ^ UINT64_C(0x8000000000000000)))
FLOAT_1(abs_f64, f64,
        lane_double(lane_double_bits(x) & UINT64_C(0x7fffffffffffffff)))
/* The sign of the first, the rest of the second. */
FLOAT_2(copysign_f32, f32,
        lane_float((lane_float_bits(x) & 0x80000000u) |
                   (lane_float_bits(y) & 0x7fffffffu)))
FLOAT_2(copysign_f64, f64,
        lane_double((lane_double_bits(x) & UINT64_C(0x8000000000000000)) |
                    (lane_double_bits(y) & UINT64_C(0x7fffffffffffffff))))

static inline bool test_float(uint32_t bits, uint8_t mode)
{
    uint32_t exponent = bits & 0x7f800000u, fraction = bits & 0x007fffffu;

    switch (mode) {
    case LOOM_PTX_FINITE:
        return exponent != 0x7f800000u;
    case LOOM_PTX_INFINITE:
        return exponent == 0x7f800000u && fraction == 0;
    case LOOM_PTX_NUMBER:
        return exponent != 0x7f800000u || fraction == 0;
    case LOOM_PTX_NOTANUMBER:
        return exponent == 0x7f800000u && fraction != 0;
    case LOOM_PTX_NORMAL: /* +0 and -0, too */
        return exponent != 0x7f800000u && (exponent != 0 || fraction == 0);
    default: /* subnormal */
        return exponent == 0 && fraction != 0;
    }
}

LANE_FN(testp_f32)
{
    const lane_u32 *a = from[0];
    uint32_t out = 0;

    (void)to;
    LANES_SLOWLY
    {
        out |= test_float(a[l], how->mode) ? lane_bit[l] : 0;
    }
    return out;
}

LANE_FN(testp_f64)
{
    const lane_u64 *a = from[0];
    uint32_t out = 0;

    (void)to;
    LANES_SLOWLY
    {
        /* The same classes with the exponent cut to 8 bits. */
        uint64_t exponent = a[l] >> 52 & 0x7ff;
        uint32_t bits = (a[l] << 12) != 0 ? 1 : 0;

        bits |= exponent == 0x7ff ? 0x7f800000u : exponent != 0 ? 0x800000u : 0;
        out |= test_float(bits, how->mode) ? lane_bit[l] : 0;
    }
    return out;
}

#define FLOAT_ROWS_PLAIN(t, TYPE)                                              \
    {LOOM_PTX_ADD, TYPE, EXEC_PLAIN, add_##t},                                 \
        {LOOM_PTX_SUB, TYPE, EXEC_PLAIN, sub_##t},                             \
        {LOOM_PTX_MUL, TYPE, EXEC_PLAIN, mul_##t},                             \
        {LOOM_PTX_DIV, TYPE, EXEC_PLAIN, div_##t},                             \
        {LOOM_PTX_FMA, TYPE, EXEC_PLAIN, fma_##t},                             \
        {LOOM_PTX_MAD, TYPE, EXEC_PLAIN, fma_##t},                             \
        {LOOM_PTX_MIN, TYPE, EXEC_PLAIN, min_##t},                             \
        {LOOM_PTX_MAX, TYPE, EXEC_PLAIN, max_##t},                             \
        {LOOM_PTX_ADD, TYPE, EXEC_GENERAL, add_any_##t},                       \
        {LOOM_PTX_SUB, TYPE, EXEC_GENERAL, sub_any_##t},                       \
        {LOOM_PTX_MUL, TYPE, EXEC_GENERAL, mul_any_##t},                       \
        {LOOM_PTX_DIV, TYPE, EXEC_GENERAL, div_any_##t},                       \
        {LOOM_PTX_RCP, TYPE, EXEC_GENERAL, rcp_any_##t},                       \
        {LOOM_PTX_SQRT, TYPE, EXEC_GENERAL, sqrt_any_##t},                     \
        {LOOM_PTX_NEG, TYPE, EXEC_ANY, neg_##t},                               \
        {LOOM_PTX_ABS, TYPE, EXEC_ANY, abs_##t},                               \
        {LOOM_PTX_COPYSIGN, TYPE, EXEC_ANY, copysign_##t},                     \
    {                                                                          \
        LOOM_PTX_TESTP, TYPE, EXEC_ANY, testp_##t                              \
    }
#define FLOAT_ROWS                                                             \
    FLOAT_ROWS_PLAIN(f32, LOOM_PTX_F32), FLOAT_ROWS_PLAIN(f64, LOOM_PTX_F64),  \
        {LOOM_PTX_FMA, LOOM_PTX_F32, EXEC_GENERAL, fma_any_f32},               \
        {LOOM_PTX_MAD, LOOM_PTX_F32, EXEC_GENERAL, fma_any_f32},               \
        {LOOM_PTX_MIN, LOOM_PTX_F32, EXEC_GENERAL, min_ftz_f32},               \
        {LOOM_PTX_MAX, LOOM_PTX_F32, EXEC_GENERAL, max_ftz_f32},               \
        {LOOM_PTX_FMA, LOOM_PTX_F64, EXEC_GENERAL, fma_any_f64},               \
        {LOOM_PTX_MAD, LOOM_PTX_F64, EXEC_GENERAL, fma_any_f64},               \
        {LOOM_PTX_RCP, LOOM_PTX_F64, EXEC_FANCY, rcp_gross_f64},               \
        {LOOM_PTX_RSQRT, LOOM_PTX_F64, EXEC_FANCY, rsqrt_gross_f64},           \
        {LOOM_PTX_MIN, LOOM_PTX_F32, EXEC_FANCY, min_fancy_f32},               \
        {LOOM_PTX_MAX, LOOM_PTX_F32, EXEC_FANCY, max_fancy_f32},               \
        {LOOM_PTX_RCP, LOOM_PTX_F32, EXEC_PLAIN, rcp_any_f32},                 \
        {LOOM_PTX_RCP, LOOM_PTX_F64, EXEC_PLAIN, rcp_f64},                     \
        {LOOM_PTX_SQRT, LOOM_PTX_F32, EXEC_PLAIN, sqrt_any_f32},               \
        {LOOM_PTX_SQRT, LOOM_PTX_F64, EXEC_PLAIN, sqrt_f64},                   \
        {LOOM_PTX_RSQRT, LOOM_PTX_F32, EXEC_ANY, rsqrt_any_f32},               \
        {LOOM_PTX_RSQRT, LOOM_PTX_F64, EXEC_PLAIN, rsqrt_f64},                 \
        {LOOM_PTX_EX2, LOOM_PTX_F32, EXEC_ANY, ex2_f32},                       \
        {LOOM_PTX_LG2, LOOM_PTX_F32, EXEC_ANY, lg2_f32},                       \
        {LOOM_PTX_SIN, LOOM_PTX_F32, EXEC_ANY, sin_f32},                       \
        {LOOM_PTX_COS, LOOM_PTX_F32, EXEC_ANY, cos_f32},                       \
    {                                                                          \
        LOOM_PTX_TANH, LOOM_PTX_F32, EXEC_ANY, tanh_f32                        \
    }

#endif

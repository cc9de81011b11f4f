/*
 * Floats with rare modifiers: .NaN and .xorsign.abs, .approx of .f64 and of
 * narrow types.
 */
#ifndef WORKLOADS_PTX_LANES_FANCY_H
#define WORKLOADS_PTX_LANES_FANCY_H

#include "workloads/ptx/lanes/math.h"

NARROW(ex2_narrow, 1,
       x != x ? x
              : exp2_double(x > 200.0    ? 200.0
                            : x < -200.0 ? -200.0
                                         : x))
NARROW(tanh_narrow, 1, tanh_float((float)x))

/* min and max of two or three with .NaN and .xorsign.abs. */
#define FANCY(name, T, least)                                                  \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_f32 *d = to;                                                      \
        const lane_f32 *a = from[0], *b = from[1], *c = from[2];               \
        LANES_SLOWLY                                                           \
        {                                                                      \
            double r = narrow_pick(IN(a[l]), IN(b[l]), least, how);            \
            r = how->sources > 2 ? narrow_pick(r, IN(c[l]), least, how) : r;   \
            d[l] = canon_f32((float)r);                                        \
        }                                                                      \
        return 0;                                                              \
    }
FANCY(min_fancy_f32, f32, true)
FANCY(max_fancy_f32, f32, false)

/* Reciprocals of which PTX fixes the format, not the value: the low word of
 * source and result is 0, subnormals are. */
static inline double gross_in(double x)
{
    uint64_t bits = lane_double_bits(x) & 0xffffffff00000000;

    if (x != x) {
        return x;
    }
    return lane_double(
        (bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}

static inline double gross_out(double x)
{
    uint64_t bits = lane_double_bits(x);

    if (x != x) {
        return LANE_NAN_F64;
    }
    bits = (bits + (x - x == 0.0 ? 0x80000000 : 0)) & 0xffffffff00000000;
    return lane_double(
        (bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}

FLOAT_1(rcp_gross_f64, f64, gross_out(1.0 / gross_in(x)))
FLOAT_1(rsqrt_gross_f64, f64, gross_out(1.0 / __builtin_sqrt(gross_in(x))))

#endif

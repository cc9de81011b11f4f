/*
 * Conversions to 16 bits and fewer, and to packed types.  Semantics: PTX
 * ISA, "cvt" and "cvt.pack".
 */
#ifndef WORKLOADS_PTX_LANES_CVT_NARROW_H
#define WORKLOADS_PTX_LANES_CVT_NARROW_H

#include "workloads/ptx/lanes/cvt.h"
#include "workloads/ptx/lanes/wide.h"

/* x to a format of up to 19 bits.  .tf32 stands in the upper bits of an
 * .f32. */
static inline uint32_t leave_narrow(double x, uint8_t type,
                                    const struct exec_how *how)
{
    struct narrow n = narrow_of(type);
    uint32_t bits;

    if (how->sat) {
        x = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
    }
    if (how->relu && x <= 0.0) {
        x = 0.0;
    }
    bits = narrow_bits(x, n, how->round, how->finite != 0);
    if (type == LOOM_PTX_TF32) {
        return x != x ? 0x7fffffffu : bits << 13;
    }
    return bits;
}

/* Anything but packed types to .f16, .bf16, .tf32. */
LANE_FN(cvt_any_narrow)
{
    bool whole = how->round >= LOOM_PTX_RNI && how->round <= LOOM_PTX_RPI;
    bool real = loom_ptx_type_real((enum loom_ptx_type)how->stype);

    LANES_SLOWLY
    {
        double x, error = 0.0;

        if (real) {
            x = read_float(from[0], l, how);
            x = whole ? integral(x, how->round) : x;
        } else {
            x = int_to_double(
                as_int(read_lane(from[0], l, how->swide), how->stype),
                int_signed(how->stype), &error);
            x = round_odd(x, error);
        }
        write_lane(to, l, how->dwide, leave_narrow(x, how->dtype, how));
    }
    return 0;
}

/* Two values at once: from two .f32 (the first goes to the upper half), or
 * from another packed type. */
LANE_FN(cvt_packed)
{
    uint32_t dbits = loom_ptx_type_bytes((enum loom_ptx_type)how->dtype) * 4;
    uint32_t sbits = loom_ptx_type_bytes((enum loom_ptx_type)how->stype) * 4;
    bool packed = is_packed(how->stype);
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1];

    LANES_SLOWLY
    {
        double low, high;

        if (packed) {
            struct narrow n = narrow_of(how->stype);

            low = narrow_value(a[l] & (uint32_t)low_bits(sbits), n);
            high = narrow_value(a[l] >> sbits & (uint32_t)low_bits(sbits), n);
        } else {
            low = (double)enter_f32(lane_float(b[l]), how);
            high = (double)enter_f32(lane_float(a[l]), how);
        }
        d[l] = leave_narrow(low, how->dtype, how) |
               leave_narrow(high, how->dtype, how) << dbits;
    }
    return 0;
}

/* cvt.pack: b and a, saturated, in the low bits; c above them. */
LANE_FN(cvt_pack)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];
    uint32_t bits =
        how->dtype == LOOM_PTX_U16 || how->dtype == LOOM_PTX_S16 ? 16
        : how->dtype == LOOM_PTX_U4 || how->dtype == LOOM_PTX_S4 ? 4
                                                                 : 8;
    bool sign = how->dtype == LOOM_PTX_S4 || type_signed(how->dtype);
    int64_t top = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    int64_t bottom = sign ? -top - 1 : 0;

    LANES_SLOWLY
    {
        const int64_t x = (int32_t)a[l], y = (int32_t)b[l];
        const uint64_t high = (uint64_t)MOST(LEAST(x, top), bottom);
        const uint64_t low = (uint64_t)MOST(LEAST(y, top), bottom);
        const uint64_t all = (UINT64_C(1) << bits) - 1;

        d[l] = (uint32_t)((low & all) | (high & all) << bits |
                          (bits < 16 ? (uint64_t)c[l] << (2 * bits) : 0));
    }
    return 0;
}

#endif

/*
 * Conversions of 32 lanes.  Semantics: PTX ISA, "cvt".
 *
 * Common pairs have their own loops; all others go through one of four
 * general functions by way of a 64-bit integer or a double, which hold every
 * source type exactly.  Floats to integers always saturate; a NaN becomes 0,
 * or the top bit alone where one of the types has 64 bits.
 */
#ifndef WORKLOADS_PTX_LANES_CVT_H
#define WORKLOADS_PTX_LANES_CVT_H

#include "workloads/ptx/lanes/bits.h"
#include "workloads/ptx/lanes/narrow.h"

INT_1(cvt_s64_s32, int32_t, 32, 64, (int64_t)x)
INT_1(cvt_u64_u32, uint32_t, 32, 64, x)
INT_1(cvt_u32_u64, uint64_t, 64, 32, x)
INT_1(cvt_u32_u16, uint16_t, 32, 32, x)
INT_1(cvt_s32_s16, int16_t, 32, 32, x)
INT_1(cvt_u32_u8, uint8_t, 32, 32, x)
INT_1(cvt_s32_s8, int8_t, 32, 32, x)

static inline uint32_t int_bits(uint8_t type)
{
    return 8 * loom_ptx_type_bytes((enum loom_ptx_type)type);
}

static inline bool int_signed(uint8_t type)
{
    return type >= LOOM_PTX_S8 && type <= LOOM_PTX_S64;
}

static inline uint64_t read_lane(const void *a, uint32_t l, bool wide)
{
    return wide ? ((const lane_u64 *)a)[l] : ((const lane_u32 *)a)[l];
}

static inline void write_lane(void *d, uint32_t l, bool wide, uint64_t value)
{
    if (wide) {
        ((lane_u64 *)d)[l] = value;
    } else {
        ((lane_u32 *)d)[l] = (uint32_t)value;
    }
}

/* The low bits of x as a value of the type. */
static inline uint64_t as_int(uint64_t x, uint8_t type)
{
    uint32_t unused = 64 - int_bits(type);

    x <<= unused;
    return int_signed(type) ? (uint64_t)((int64_t)x >> unused) : x >> unused;
}

/* x of type `from`, saturated to type `to`. */
static inline uint64_t clamp_int(uint64_t x, uint8_t from, uint8_t to)
{
    bool negative = int_signed(from) && (int64_t)x < 0;
    uint64_t top = low_bits(int_bits(to) - (int_signed(to) ? 1 : 0));

    if (negative) {
        int64_t bottom = int_signed(to) ? -(int64_t)top - 1 : 0;

        return (int64_t)x < bottom ? (uint64_t)bottom : x;
    }
    return x > top ? top : x;
}

LANE_FN(cvt_int_int)
{
    LANES_SLOWLY
    {
        uint64_t x = as_int(read_lane(from[0], l, how->swide), how->stype);

        x = how->sat ? clamp_int(x, how->stype, how->dtype)
                     : as_int(x, how->dtype);
        write_lane(to, l, how->dwide, x);
    }
    return 0;
}

/* x as an exact integer to a double, *error below it. */
static inline double int_to_double(uint64_t x, bool sign, double *error)
{
    double r = sign ? (double)(int64_t)x : (double)x;
    lane_s128 exact = sign ? (lane_s128)(int64_t)x : (lane_s128)x;
    lane_s128 off = exact - (lane_s128)r;

    *error = (double)(int64_t)off;
    return r;
}

LANE_FN(cvt_int_float)
{
    LANES_SLOWLY
    {
        uint64_t x = as_int(read_lane(from[0], l, how->swide), how->stype);
        double error, r;

        r = int_to_double(x, int_signed(how->stype), &error);
        if (how->dtype == LOOM_PTX_F64) {
            r = next_f64(r, round_step(r, error, how->round));
            ((lane_f64 *)to)[l] = r;
        } else {
            float f = round_f32(r, error, how->round);

            ((lane_f32 *)to)[l] = how->sat ? sat_f32(f) : f;
        }
    }
    return 0;
}

/* To an integral value; .rni is to even on ties. */
static inline double integral(double x, uint8_t round)
{
    double down = __builtin_floor(x), rest = x - down, result;

    if (x - x != 0.0) {
        return x;
    }
    switch (round) {
    case LOOM_PTX_RMI:
        result = down;
        break;
    case LOOM_PTX_RPI:
        result = rest > 0.0 ? down + 1.0 : down;
        break;
    case LOOM_PTX_RZI:
        result = rest > 0.0 && x < 0.0 ? down + 1.0 : down;
        break;
    default:
        result = rest > 0.5 || (rest == 0.5 &&
                                down != 2.0 * __builtin_floor(0.5 * down))
                     ? down + 1.0
                     : down;
        break;
    }
    return __builtin_copysign(result, x);
}

static inline bool is_narrow(uint8_t type)
{
    return type == LOOM_PTX_F16 || type == LOOM_PTX_BF16 ||
           type == LOOM_PTX_TF32;
}

static inline bool is_packed(uint8_t type)
{
    return type == LOOM_PTX_F16X2 || type == LOOM_PTX_BF16X2 ||
           type == LOOM_PTX_E4M3X2 || type == LOOM_PTX_E5M2X2 ||
           (type >= LOOM_PTX_E2M1X2 && type <= LOOM_PTX_E3M2X2);
}

static inline double read_float(const void *a, uint32_t l,
                                const struct exec_how *how)
{
    if (how->stype == LOOM_PTX_F64) {
        return ((const lane_f64 *)a)[l];
    }
    if (is_narrow(how->stype)) {
        return narrow_value(((const lane_u32 *)a)[l] & 0xffff,
                            narrow_of(how->stype));
    }
    return (double)enter_f32(((const lane_f32 *)a)[l], how);
}

/* Integral x to an integer type, saturating. */
static inline uint64_t float_to_int(double x, uint8_t type, bool wide)
{
    bool sign = int_signed(type);
    uint32_t bits = int_bits(type);
    uint64_t top = low_bits(bits - (sign ? 1 : 0));

    if (x != x) {
        return wide ? as_int(UINT64_C(1) << (bits - 1), type) : 0;
    }
    if (x < 0.0) {
        double bottom = sign ? -(double)(UINT64_C(1) << (bits - 1)) : 0.0;

        return x <= bottom ? (uint64_t)(int64_t)bottom : (uint64_t)(int64_t)x;
    }
    /* (double)top may be rounded up, to a value that x may not have. */
    return x >= (double)top ? top : (uint64_t)x;
}

LANE_FN(cvt_float_int)
{
    bool wide = how->stype == LOOM_PTX_F64 || int_bits(how->dtype) == 64;

    LANES_SLOWLY
    {
        double x = integral(read_float(from[0], l, how), how->round);

        write_lane(to, l, how->dwide, float_to_int(x, how->dtype, wide));
    }
    return 0;
}

LANE_FN(cvt_float_float)
{
    bool whole = how->round >= LOOM_PTX_RNI && how->round <= LOOM_PTX_RPI;
    uint8_t round = whole ? 0 : how->round;

    LANES_SLOWLY
    {
        double x = read_float(from[0], l, how);

        x = whole ? integral(x, how->round) : x;
        if (how->dtype == LOOM_PTX_F64) {
            x = how->sat ? (x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0) : x;
            ((lane_f64 *)to)[l] = canon_f64(x);
        } else {
            ((lane_f32 *)to)[l] = leave_f32(round_f32(x, 0.0, round), how);
        }
    }
    return 0;
}

LANE_FN(cvt_f32_s32)
{
    lane_f32 *d = to;
    const lane_u32 *a = from[0];

    LANES_EACH
    {
        d[l] = (float)(int32_t)a[l];
    }
    return 0;
}

#endif

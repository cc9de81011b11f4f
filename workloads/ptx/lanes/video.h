/*
 * Video instructions.  Semantics: PTX ISA, "Scalar Video Instructions" and
 * "SIMD Video Instructions".
 *
 * One function does them all, by the opcode and the modifiers in struct
 * exec_video: no processor since Kepler has them in hardware, so they are
 * rare.  A selector is a nibble for each result field: the byte or half of
 * the sources (SIMD: of the concatenated b:a) that the field reads.
 */
#ifndef WORKLOADS_PTX_LANES_VIDEO_H
#define WORKLOADS_PTX_LANES_VIDEO_H

#include "workloads/ptx/lanes/wide.h"

/* The operation on exact values. */
static inline int64_t video_value(int64_t x, int64_t y, int64_t z,
                                  const struct exec_video *v, bool wrap)
{
    uint32_t by = (uint32_t)y & (wrap ? 31u : UINT32_MAX);

    switch (v->op) {
    case LOOM_PTX_ADD:
        return x + y;
    case LOOM_PTX_SUB:
        return x - y;
    case LOOM_PTX_SAD: /* vabsdiff */
        return x > y ? x - y : y - x;
    case LOOM_PTX_MIN:
        return LEAST(x, y);
    case LOOM_PTX_MAX:
        return MOST(x, y);
    case LOOM_PTX_SHL:
        return by > 31 ? 0 : (int64_t)((uint64_t)x << by);
    case LOOM_PTX_SHR:
        return x >> (by > 31 ? 32 : by);
    case LOOM_PTX_MAD:
        return x * y + z;
    default: /* vavrg: rounded away from zero, as the ISA's (x + y + 1) >> 1 */
        return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
    }
}

static inline bool video_holds(int64_t x, int64_t y, uint8_t compare)
{
    switch (compare) {
    case LOOM_PTX_EQ:
        return x == y;
    case LOOM_PTX_NE:
        return x != y;
    case LOOM_PTX_LT:
    case LOOM_PTX_LO:
        return x < y;
    case LOOM_PTX_LE:
    case LOOM_PTX_LS:
        return x <= y;
    case LOOM_PTX_GT:
    case LOOM_PTX_HI:
        return x > y;
    default:
        return x >= y;
    }
}

static inline int64_t video_clamp(int64_t x, uint32_t bits, bool sign)
{
    int64_t top = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    int64_t bottom = sign ? -top - 1 : 0;

    return MOST(LEAST(x, top), bottom);
}

/* A field of a source, or of both sources. */
static inline int64_t video_read(uint64_t both, uint32_t select, uint32_t bits,
                                 bool sign)
{
    uint64_t field = both >> (bits * select);

    field &= low_bits(bits);
    return sign && field >> (bits - 1) != 0 ? (int64_t)(field | ~low_bits(bits))
                                            : (int64_t)field;
}

static inline uint32_t video_fields(uint32_t a, uint32_t b, uint32_t c,
                                    const struct exec_how *how)
{
    const struct exec_video *v = &how->video;
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t bits = v->fields == 4 ? 8 : 16, result = 0, sum = c;

    for (uint32_t i = 0; i < v->fields; i++) {
        int64_t x =
            video_read(both, v->a >> (4 * i) & 7, bits, type_signed(v->atype));
        int64_t y =
            video_read(both, v->b >> (4 * i) & 7, bits, type_signed(v->btype));
        int64_t r = v->compare != 0 ? video_holds(x, y, v->compare)
                                    : video_value(x, y, 0, v, false);

        if ((v->mask >> i & 1) == 0) {
            result |= c & (uint32_t)(low_bits(bits) << (bits * i));
            continue;
        }
        r = how->sat && v->compare == 0
                ? video_clamp(r, bits, type_signed(v->dtype))
                : r;
        sum += (uint32_t)r;
        result |= ((uint32_t)r & (uint32_t)low_bits(bits)) << (bits * i);
    }
    return v->second == LOOM_PTX_DO_ADD ? sum : result;
}

/* How a scalar result is combined with c. */
static inline uint32_t video_second(uint32_t r, uint32_t c,
                                    const struct exec_video *v)
{
    bool less = type_signed(v->dtype) ? (int32_t)r < (int32_t)c : r < c;
    uint32_t bits = v->mask == 0 ? 32 : v->mask > 15 ? 16 : 8;
    uint32_t at = v->mask > 15 ? (v->mask >> 5 & 1) * 16
                               : (uint32_t)__builtin_ctz(v->mask | 16u) * 8;
    uint32_t field = (uint32_t)low_bits(bits);

    switch (v->second) {
    case LOOM_PTX_DO_ADD:
        return r + c;
    case LOOM_PTX_DO_MIN:
        return less ? r : c;
    case LOOM_PTX_DO_MAX:
        return less ? c : r;
    default: /* .b0 ... .h1: put into c */
        return bits == 32 ? r : (c & ~(field << at)) | (r & field) << at;
    }
}

static inline uint32_t video_scalar(uint32_t a, uint32_t b, uint32_t c,
                                    const struct exec_how *how)
{
    const struct exec_video *v = &how->video;
    int64_t x = video_read(a, v->a >> 4 & 7, (v->a & 15) * 8u + 8,
                           type_signed(v->atype));
    int64_t y = video_read(b, v->b >> 4 & 7, (v->b & 15) * 8u + 8,
                           type_signed(v->btype));
    int64_t z = type_signed(v->dtype) ? (int64_t)(int32_t)c : (int64_t)c;
    int64_t r;

    if (v->compare != 0) {
        r = video_holds(x, y, v->compare);
    } else if (v->op == LOOM_PTX_SHL || v->op == LOOM_PTX_SHR) {
        r = video_value(x, (uint32_t)y, 0, v, how->mode == LOOM_PTX_WRAP);
    } else if (v->op == LOOM_PTX_MAD) {
        r = (v->negate & 1) != 0 ? -(x * y) : x * y;
        r += ((v->negate & 2) != 0 ? -z : z) + ((v->negate & 4) != 0 ? 1 : 0);
        r >>= v->scale;
    } else {
        r = video_value(x, y, 0, v, false);
    }
    if (how->sat && v->compare == 0) {
        uint32_t bits = v->mask == 0 ? 32 : v->mask > 15 ? 16 : 8;

        r = video_clamp(r, bits, type_signed(v->dtype));
    }
    return v->op == LOOM_PTX_MAD ? (uint32_t)r
                                 : video_second((uint32_t)r, c, v);
}

LANE_FN(video_32)
{
    lane_u32 *d = to;
    const lane_u32 *a = from[0], *b = from[1], *c = from[2];

    LANES_SLOWLY
    {
        d[l] = how->video.fields > 1 ? video_fields(a[l], b[l], c[l], how)
                                     : video_scalar(a[l], b[l], c[l], how);
    }
    return 0;
}

#define VIDEO_ROW(name)                                                        \
    {                                                                          \
        LOOM_PTX_##name, LOOM_PTX_B32, EXEC_ANY, video_32                      \
    }
#define VIDEO_ROWS VIDEO_ROW(VADD)

#endif

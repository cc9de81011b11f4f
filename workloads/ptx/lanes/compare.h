/*
 * Comparisons of 32 lanes: one bit per lane.  Semantics: PTX ISA,
 * "Comparison and Selection Instructions".
 */
#ifndef WORKLOADS_PTX_LANES_COMPARE_H
#define WORKLOADS_PTX_LANES_COMPARE_H

#include "workloads/ptx/lanes/float.h"

#define COMPARE(name, A, T, enter, cond)                                       \
    LANE_FN(name)                                                              \
    {                                                                          \
        const lane_##A *a = from[0], *b = from[1];                             \
        uint32_t out = 0;                                                      \
        (void)to;                                                              \
        LANES_EACH                                                             \
        {                                                                      \
            const T x = enter(a[l]), y = enter(b[l]);                          \
            out |= (cond) ? lane_bit[l] : 0;                                   \
        }                                                                      \
        return out;                                                            \
    }
#define AS_u16(v) (uint16_t)(v)
#define AS_s16(v) (int16_t)(v)
#define AS_u32(v) (v)
#define AS_s32(v) (int32_t)(v)
#define AS_u64(v) (v)
#define AS_s64(v) (int64_t)(v)
#define AS_f64(v) (v)

#define COMPARE_INT(t, A, T)                                                   \
    COMPARE(eq_##t, A, T, AS_##t, x == y)                                      \
    COMPARE(ne_##t, A, T, AS_##t, x != y)                                      \
    COMPARE(lt_##t, A, T, AS_##t, x < y)                                       \
    COMPARE(le_##t, A, T, AS_##t, x <= y)                                      \
    COMPARE(gt_##t, A, T, AS_##t, x > y)                                       \
    COMPARE(ge_##t, A, T, AS_##t, x >= y)
COMPARE_INT(u16, u32, uint16_t)
COMPARE_INT(s16, u32, int16_t)
COMPARE_INT(u32, u32, uint32_t)
COMPARE_INT(s32, u32, int32_t)
COMPARE_INT(u64, u64, uint64_t)
COMPARE_INT(s64, u64, int64_t)

/* Ordered comparisons are false if a source is a NaN, the others true. */
#define COMPARE_FLOAT(t, A, T, enter)                                          \
    COMPARE(eq_##t, A, T, enter, x == y)                                       \
    COMPARE(ne_##t, A, T, enter, x<y || x> y)                                  \
    COMPARE(lt_##t, A, T, enter, x < y)                                        \
    COMPARE(le_##t, A, T, enter, x <= y)                                       \
    COMPARE(gt_##t, A, T, enter, x > y)                                        \
    COMPARE(ge_##t, A, T, enter, x >= y)                                       \
    COMPARE(equ_##t, A, T, enter, !(x < y || x > y))                           \
    COMPARE(neu_##t, A, T, enter, x != y)                                      \
    COMPARE(ltu_##t, A, T, enter, !(x >= y))                                   \
    COMPARE(leu_##t, A, T, enter, !(x > y))                                    \
    COMPARE(gtu_##t, A, T, enter, !(x <= y))                                   \
    COMPARE(geu_##t, A, T, enter, !(x < y))                                    \
    COMPARE(num_##t, A, T, enter, x == x && y == y)                            \
    COMPARE(nan_##t, A, T, enter, x != x || y != y)
COMPARE_FLOAT(f32, f32, float, IN)
COMPARE_FLOAT(f64, f64, double, AS_f64)

#define COMPARE_ROW(t, TYPE, c, C)                                             \
    {                                                                          \
        LOOM_PTX_SETP, TYPE, EXEC_COMPARE + (int)LOOM_PTX_##C, c##_##t         \
    }
#define COMPARE_ROWS_BASE(t, TYPE)                                             \
    COMPARE_ROW(t, TYPE, eq, EQ), COMPARE_ROW(t, TYPE, ne, NE),                \
        COMPARE_ROW(t, TYPE, lt, LT), COMPARE_ROW(t, TYPE, le, LE),            \
        COMPARE_ROW(t, TYPE, gt, GT), COMPARE_ROW(t, TYPE, ge, GE)
#define COMPARE_ROWS_UNSIGNED(t, TYPE)                                         \
    COMPARE_ROWS_BASE(t, TYPE), COMPARE_ROW(t, TYPE, lt, LO),                  \
        COMPARE_ROW(t, TYPE, le, LS), COMPARE_ROW(t, TYPE, gt, HI),            \
        COMPARE_ROW(t, TYPE, ge, HS)
#define COMPARE_ROWS_FLOAT(t, TYPE)                                            \
    COMPARE_ROWS_BASE(t, TYPE), COMPARE_ROW(t, TYPE, equ, EQU),                \
        COMPARE_ROW(t, TYPE, neu, NEU), COMPARE_ROW(t, TYPE, ltu, LTU),        \
        COMPARE_ROW(t, TYPE, leu, LEU), COMPARE_ROW(t, TYPE, gtu, GTU),        \
        COMPARE_ROW(t, TYPE, geu, GEU), COMPARE_ROW(t, TYPE, num, NUM),        \
        COMPARE_ROW(t, TYPE, nan, NAN)
#define COMPARE_ROWS                                                           \
    COMPARE_ROWS_UNSIGNED(u16, LOOM_PTX_U16),                                  \
        COMPARE_ROWS_BASE(s16, LOOM_PTX_S16),                                  \
        COMPARE_ROWS_UNSIGNED(u32, LOOM_PTX_U32),                              \
        COMPARE_ROWS_BASE(s32, LOOM_PTX_S32),                                  \
        COMPARE_ROWS_UNSIGNED(u64, LOOM_PTX_U64),                              \
        COMPARE_ROWS_BASE(s64, LOOM_PTX_S64),                                  \
        COMPARE_ROWS_FLOAT(f32, LOOM_PTX_F32),                                 \
        COMPARE_ROWS_FLOAT(f64, LOOM_PTX_F64)

#endif

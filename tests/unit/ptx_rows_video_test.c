/*
 * Video instructions: scalar ones with selectors and second operations, and
 * those of two and four fields.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_check_rig.h"
#include "workloads/ptx/parse/parse.h"

static int64_t field(uint64_t x, uint32_t at, uint32_t bits, bool sign)
{
    int64_t v = (int64_t)(x >> at & ((UINT64_C(1) << bits) - 1));

    return sign && v >> (bits - 1) != 0 ? v - (INT64_C(1) << bits) : v;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t distance(int64_t x, int64_t y)
{
    return x < y ? y - x : x - y;
}

#define AB(n) field(a, 8 * (n), 8, false)
#define ASB(n) field(a, 8 * (n), 8, true)
#define BSB(n) field(b, 8 * (n), 8, true)
#define AH(n) field(a, 16 * (n), 16, false)
#define BSH(n) field(b, 16 * (n), 16, true)
WANT(vadd, U(AB(1) + BSH(1)))
WANT(vadd_sat, U(clamp(S(a) + S(b), INT32_MIN, INT32_MAX)))
WANT(vadd_sat_u, U(clamp(S(a) + (int64_t)U(b), 0, UINT32_MAX)))
WANT(vsub_add, U(U(a - b) + U(a)))
WANT(vabsdiff_max,
     distance(S(a), S(b)) > (int64_t)U(a) ? U(distance(S(a), S(b))) : U(a))
WANT(vmin_byte, (U(b) & ~0xff00u) |
                    (uint64_t)((ASB(0) < BSB(3) ? ASB(0) : BSB(3)) & 255) << 8)
WANT(vmax_half, H(a) | (uint64_t)H(AH(0) > AH(1) ? AH(0) : AH(1)) << 16)
WANT(vshl_wrap, U(a << (b & 31)))
WANT(vshl_clamp, U(b) > 31 ? 0 : U(a << U(b)))
WANT(vshr_s, U(S(a) >> (b & 31)))
WANT(vmad, U((AB(0) * BSH(0) + S(a)) >> 7))
WANT(vset, U((S(a) < S(b)) + U(b)))

/* An operation in all fields of `bits`, `pick` by value. */
typedef int64_t video_fn(int64_t x, int64_t y);

static uint64_t simd(uint64_t a, uint64_t b, uint32_t bits, bool sign,
                     video_fn *fn)
{
    uint64_t r = 0;

    for (uint32_t at = 0; at < 32; at += bits) {
        r |= ((uint64_t)fn(field(a, at, bits, sign), field(b, at, bits, sign)) &
              ((UINT64_C(1) << bits) - 1))
             << at;
    }
    return r;
}

static int64_t f_add(int64_t x, int64_t y)
{
    return x + y;
}

static int64_t f_sub(int64_t x, int64_t y)
{
    return x - y;
}

static int64_t f_sub_sat8(int64_t x, int64_t y)
{
    return clamp(x - y, -128, 127);
}

static int64_t f_add_sat16(int64_t x, int64_t y)
{
    return clamp(x + y, 0, 65535);
}

static int64_t f_min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t f_max(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t f_less(int64_t x, int64_t y)
{
    return x < y;
}

static int64_t f_average(int64_t x, int64_t y)
{
    return (x + y + 1) / 2;
}

static uint64_t sum4(uint64_t a, uint64_t b)
{
    int64_t sum = (int64_t)U(a);

    for (uint32_t i = 0; i < 4; i++) {
        sum += distance(field(a, 8 * i, 8, false), field(b, 8 * i, 8, false));
    }
    return U(sum);
}

WANT(vadd4, simd(a, b, 8, false, f_add))
WANT(vsub4_sat, simd(a, b, 8, true, f_sub_sat8))
WANT(vabsdiff4, simd(a, b, 8, false, distance))
WANT(vabsdiff4_add, sum4(a, b))
WANT(vmin4, simd(a, b, 8, true, f_min))
WANT(vmax2, simd(a, b, 16, true, f_max))
WANT(vadd2_sat, simd(a, b, 16, false, f_add_sat16))
WANT(vavrg2, simd(a, b, 16, false, f_average))
WANT(vavrg4, simd(a, b, 8, false, f_average))
WANT(vset4, simd(a, b, 8, false, f_less))
WANT(vsub2, simd(a, b, 16, false, f_sub))
WANT(vabsdiff2, simd(a, b, 16, true, distance))
WANT(vmin2, simd(a, b, 16, false, f_min))
WANT(vset2, simd(a, b, 16, true, f_less))
WANT(vmax4, simd(a, b, 8, false, f_max))
/* d.b20, a.b0123, b.b7654 */
WANT(vadd4_select, (U(a) & 0xff00ff00u) |
                       ((AB(3) + field(b, 0, 8, false)) & 255) |
                       (uint64_t)((AB(1) + field(b, 16, 8, false)) & 255) << 16)

static const struct check scalar[] = {
    {'r', "vadd.s32.u32.s32 %r12, %r10.b1, %r11.h1;", vadd},
    {'r', "vadd.s32.s32.s32.sat %r12, %r10, %r11;", vadd_sat},
    {'r', "vadd.u32.s32.u32.sat %r12, %r10, %r11;", vadd_sat_u},
    {'r', "vsub.u32.u32.u32.add %r12, %r10, %r11, %r10;", vsub_add},
    {'r', "vabsdiff.u32.s32.s32.max %r12, %r10, %r11, %r10;", vabsdiff_max},
    {'r', "vmin.s32.s32.s32 %r12.b1, %r10.b0, %r11.b3, %r11;", vmin_byte},
    {'r', "vmax.u32.u32.u32 %r12.h1, %r10.h0, %r10.h1, %r10;", vmax_half},
    {'r', "vshl.u32.u32.u32.wrap %r12, %r10, %r11;", vshl_wrap},
    {'r', "vshl.u32.u32.u32.clamp %r12, %r10, %r11;", vshl_clamp},
    {'r', "vshr.s32.s32.u32.wrap %r12, %r10, %r11;", vshr_s},
    {'r', "vmad.s32.u32.s32.shr7 %r12, %r10.b0, %r11.h0, %r10;", vmad},
    {'r', "vset.s32.s32.lt.add %r12, %r10, %r11, %r11;", vset},
};

static const struct check fields[] = {
    {'r', "vadd4.u32.u32.u32 %r12, %r10, %r11, %r10;", vadd4},
    {'r', "vsub4.s32.s32.s32.sat %r12, %r10, %r11, %r10;", vsub4_sat},
    {'r', "vabsdiff4.u32.u32.u32 %r12, %r10, %r11, %r10;", vabsdiff4},
    {'r', "vabsdiff4.u32.u32.u32.add %r12, %r10, %r11, %r10;", vabsdiff4_add},
    {'r', "vmin4.s32.s32.s32 %r12, %r10, %r11, %r10;", vmin4},
    {'r', "vmax2.s32.s32.s32 %r12, %r10, %r11, %r10;", vmax2},
    {'r', "vadd2.u32.u32.u32.sat %r12, %r10, %r11, %r10;", vadd2_sat},
    {'r', "vavrg2.u32.u32.u32 %r12, %r10, %r11, %r10;", vavrg2},
    {'r', "vavrg4.u32.u32.u32 %r12, %r10, %r11, %r10;", vavrg4},
    {'r', "vset4.u32.u32.lt %r12, %r10, %r11, %r10;", vset4},
    {'r', "vsub2.u32.u32.u32 %r12, %r10, %r11, %r10;", vsub2},
    {'r', "vabsdiff2.u32.s32.s32 %r12, %r10, %r11, %r10;", vabsdiff2},
    {'r', "vmin2.u32.u32.u32 %r12, %r10, %r11, %r10;", vmin2},
    {'r', "vset2.s32.s32.lt %r12, %r10, %r11, %r10;", vset2},
    {'r', "vmax4.u32.u32.u32 %r12, %r10, %r11, %r10;", vmax4},
    {'r', "vadd4.u32.u32.u32 %r12.b20, %r10.b0123, %r11.b7654, %r10;",
     vadd4_select},
};

static void scalar_video(void)
{
    run_checks(scalar, LOOM_COUNTOF(scalar), int_edge);
}

static void fields_of_video(void)
{
    run_checks(fields, LOOM_COUNTOF(fields), int_edge);
}

/* Selectors are printed as they were read. */
static void selectors_are_printed(void)
{
    static const char code[] =
        "vadd4.u32.u32.u32 %r12.b20, %r10.b0123, %r11.b7654, %r10;";
    /* Clang compares all bytes of a string at once, also those behind it. */
    char text[4096], shown[200] = "";
    struct loom_ptx_module *m;
    struct loom_error err;
    bool found = false;

    snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, code, finish('r'),
             EPILOGUE);
    REQUIRE(ptx_parse("t", text, strlen(text), &m, &err));
    for (uint32_t i = 0; i < m->function[0]->inst_count; i++) {
        loom_ptx_print_inst(m->function[0], &m->function[0]->inst[i], shown,
                            sizeof(shown));
        found = found || strcmp(shown, code) == 0;
    }
    EXPECT(found);
    loom_ptx_module_destroy(m);
}

static const struct loom_test tests[] = {
    {"scalar_video", scalar_video},
    {"fields_of_video", fields_of_video},
    {"selectors_are_printed", selectors_are_printed},
};

int main(void)
{
    return loom_run_tests("ptx_rows_video", tests, LOOM_COUNTOF(tests));
}

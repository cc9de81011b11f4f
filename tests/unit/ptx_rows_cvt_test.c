/*
 * Conversions to and from narrow floats, packed forms, saturation.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_narrow_rig.h"

static float f_of(uint64_t x)
{
    uint32_t bits = (uint32_t)x;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double g_of(uint64_t x)
{
    double g;

    memcpy(&g, &x, sizeof(g));
    return g;
}

static uint64_t of_f(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return f != f ? 0x7fffffff : bits;
}

static uint64_t of_g(double g)
{
    uint64_t bits;

    memcpy(&bits, &g, sizeof(bits));
    return g != g ? 0x7ff8000000000000 : bits;
}

/* Around what .f16, .bf16, .e4m3 and .e5m2 can hold, their ties and ends. */
static const uint64_t f32_near[EDGES] = {
    0x00000000, 0x80000000, 0x3f801000, 0x3f803000, 0xbf801001, 0x477fefff,
    0x477ff000, 0x33000000, 0xb3000001, 0x387fe000, 0x3f808000, 0x7f7fffff,
    0x43e80000, 0x7f800000, 0xffc00000, 0x00000001};
static const uint64_t f32_more[EDGES] = {
    0x3f818000, 0xbf828000, 0x43e00000, 0xc3f00000, 0x3a800000, 0x3b000001,
    0x47600000, 0x47700000, 0x37800000, 0x37000000, 0xb7c00000, 0xff7fffff,
    0xff800000, 0x3fffffff, 0x3d880000, 0x3d980000};
static const uint64_t f64_near[EDGES] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0020000000000,
    0x3ff0020000000001, 0x3ff001ffffffffff, 0xbff0060000000000,
    0x40effdffffffffff, 0x40effe0000000000, 0x3e60000000000000,
    0x3e60000000000001, 0x3ff0100000000000, 0xbff0100000000001,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000001,
    0x0000000000000001};

#define R(form, mode) form_round(form, f_of(a), 0, mode, false)
#define RF(form, mode, x) form_round(form, x, 0, mode, true)
WANT(h_rn, R(f16, 'n'))
WANT(h_rz, R(f16, 'z'))
WANT(h_rm, R(f16, 'm'))
WANT(h_rp, R(f16, 'p'))
WANT(h_sat, isnan(f_of(a)) || f_of(a) <= 0 ? 0
            : f_of(a) >= 1                 ? 0x3c00
                                           : R(f16, 'n'))
WANT(h_relu, f_of(a) <= 0 ? 0 : R(f16, 'n'))
WANT(h_finite, RF(f16, 'n', f_of(a)))
WANT(b_rn, R(bf16, 'n'))
WANT(b_rz, R(bf16, 'z'))
WANT(b_relu, f_of(a) <= 0 ? 0 : R(bf16, 'n'))
WANT(t_rna, isnan(f_of(a)) ? 0x7fffffff : R(tf32, 'a') << 13)
WANT(t_rn, isnan(f_of(a)) ? 0x7fffffff : R(tf32, 'n') << 13)
WANT(t_rz, isnan(f_of(a)) ? 0x7fffffff : R(tf32, 'z') << 13)
WANT(x_f16,
     (uint64_t)R(f16, 'n') << 16 | form_round(f16, f_of(b), 0, 'n', false))
WANT(x_bf16,
     (uint64_t)R(bf16, 'z') << 16 | form_round(bf16, f_of(b), 0, 'z', false))
WANT(x_e4m3, RF(e4m3, 'n', f_of(a)) << 8 | RF(e4m3, 'n', f_of(b)))
WANT(x_e5m2, RF(e5m2, 'n', f_of(a)) << 8 | RF(e5m2, 'n', f_of(b)))
WANT(x_e4m3_relu, (f_of(a) <= 0 ? 0 : RF(e4m3, 'n', f_of(a)) << 8) |
                      (f_of(b) <= 0 ? 0 : RF(e4m3, 'n', f_of(b))))
WANT(g_h_rn, form_round(f16, g_of(a), 0, 'n', false))
WANT(g_h_rm, form_round(f16, g_of(a), 0, 'm', false))
WANT(g_b_rp, form_round(bf16, g_of(a), 0, 'p', false))
WANT(g_f_rn, g_of(a) != g_of(a) ? 0x7fffffff
                                : form_round(f32_form, g_of(a), 0, 'n', false))
WANT(g_f_rp, g_of(a) != g_of(a) ? 0x7fffffff
                                : form_round(f32_form, g_of(a), 0, 'p', false))
WANT(g_f_rz, g_of(a) != g_of(a) ? 0x7fffffff
                                : form_round(f32_form, g_of(a), 0, 'z', false))

static const struct check from_f32[] = {
    {'h', "cvt.rn.f16.f32 %h12, %f10;", h_rn},
    {'h', "cvt.rz.f16.f32 %h12, %f10;", h_rz},
    {'h', "cvt.rm.f16.f32 %h12, %f10;", h_rm},
    {'h', "cvt.rp.f16.f32 %h12, %f10;", h_rp},
    {'h', "cvt.rn.sat.f16.f32 %h12, %f10;", h_sat},
    {'h', "cvt.rn.relu.f16.f32 %h12, %f10;", h_relu},
    {'h', "cvt.rn.satfinite.f16.f32 %h12, %f10;", h_finite},
    {'h', "cvt.rn.bf16.f32 %h12, %f10;", b_rn},
    {'h', "cvt.rz.bf16.f32 %h12, %f10;", b_rz},
    {'h', "cvt.rn.relu.bf16.f32 %h12, %f10;", b_relu},
    {'r', "cvt.rna.tf32.f32 %r12, %f10;", t_rna},
    {'r', "cvt.rn.tf32.f32 %r12, %f10;", t_rn},
    {'r', "cvt.rz.tf32.f32 %r12, %f10;", t_rz},
    {'r', "cvt.rn.f16x2.f32 %r12, %f10, %f11;", x_f16},
    {'r', "cvt.rz.bf16x2.f32 %r12, %f10, %f11;", x_bf16},
    {'h', "cvt.rn.satfinite.e4m3x2.f32 %h12, %f10, %f11;", x_e4m3},
    {'h', "cvt.rn.satfinite.e5m2x2.f32 %h12, %f10, %f11;", x_e5m2},
    {'h', "cvt.rn.satfinite.relu.e4m3x2.f32 %h12, %f10, %f11;", x_e4m3_relu},
};

static const struct check from_f64[] = {
    {'h', "cvt.rn.f16.f64 %h12, %g10;", g_h_rn},
    {'h', "cvt.rm.f16.f64 %h12, %g10;", g_h_rm},
    {'h', "cvt.rp.bf16.f64 %h12, %g10;", g_b_rp},
    {'f', "cvt.rn.f32.f64 %f12, %g10;", g_f_rn},
    {'f', "cvt.rp.f32.f64 %f12, %g10;", g_f_rp},
    {'f', "cvt.rz.f32.f64 %f12, %g10;", g_f_rz},
};

#define FA ((double)form_value(f16, H(a)))
#define BA ((double)form_value(bf16, H(a)))

/* x integral already; NaN gives `nan`. */
static uint64_t clamped(double x, double low, double high, uint64_t nan)
{
    if (x != x) {
        return nan;
    }
    x = x < low ? low : x > high ? high : x;
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

WANT(n_f32, of_f((float)FA))
WANT(n_f64, of_g(FA))
WANT(n_bf32, of_f((float)BA))
WANT(n_s32, U(clamped(trunc(FA), -0x1p31, 0x1p31 - 1, 0)))
WANT(n_s32_rni, U(clamped(nearbyint(FA), -0x1p31, 0x1p31 - 1, 0)))
WANT(n_u8, clamped(floor(FA), 0, 255, 0))
WANT(n_s16, H(clamped(ceil(FA), -32768, 32767, 0)))
WANT(n_rni, isnan(FA) ? 0x7fff : form_round(f16, nearbyint(FA), 0, 'n', false))
WANT(n_f16_bf16, form_round(f16, BA, 0, 'n', false))
WANT(n_e5m2, form_round(e5m2, form_value(f16, H(a)), 0, 'n', true) |
                 form_round(e5m2, form_value(f16, H(a >> 16)), 0, 'n', true)
                     << 8)
WANT(n_from_e4m3,
     form_round(f16, form_value(e4m3, a & 255), 0, 'n', false) |
         form_round(f16, form_value(e4m3, a >> 8 & 255), 0, 'n', false) << 16)
WANT(n_from_e5m2,
     form_round(f16, form_value(e5m2, a & 255), 0, 'n', false) |
         form_round(f16, form_value(e5m2, a >> 8 & 255), 0, 'n', false) << 16)

static const struct check from_narrow[] = {
    {'f', "cvt.f32.f16 %f12, %h10;", n_f32},
    {'g', "cvt.f64.f16 %g12, %h10;", n_f64},
    {'f', "cvt.f32.bf16 %f12, %h10;", n_bf32},
    {'r', "cvt.rzi.s32.f16 %r12, %h10;", n_s32},
    {'r', "cvt.rni.s32.f16 %r12, %h10;", n_s32_rni},
    {'r', "cvt.rmi.u8.f16 %r12, %h10;", n_u8},
    {'h', "cvt.rpi.s16.f16 %h12, %h10;", n_s16},
    {'h', "cvt.rni.f16.f16 %h12, %h10;", n_rni},
    {'h', "cvt.rn.f16.bf16 %h12, %h10;", n_f16_bf16},
    {'h', "cvt.rn.satfinite.e5m2x2.f16x2 %h12, %r10;", n_e5m2},
    {'r', "cvt.rn.f16x2.e4m3x2 %r12, %h10;", n_from_e4m3},
    {'r', "cvt.rn.f16x2.e5m2x2 %r12, %h10;", n_from_e5m2},
};

/* ---- formats of 4 and 6 bits: all patterns are numbers ---- */

static double small_value(uint32_t fraction, uint32_t exponent, uint32_t bits)
{
    uint32_t e = bits >> fraction & ((1u << exponent) - 1);
    uint32_t f = bits & ((1u << fraction) - 1);
    int bias = (1 << (exponent - 1)) - 1;
    double x = ldexp(f + (e != 0 ? 1u << fraction : 0),
                     (e != 0 ? (int)e : 1) - bias - (int)fraction);

    return (bits >> (fraction + exponent) & 1) != 0 ? -x : x;
}

/* The nearest number, of two the even one; NaN becomes the largest. */
static uint64_t small_bits(uint32_t fraction, uint32_t exponent, double x)
{
    uint32_t count = 1u << (fraction + exponent), best = 0;

    if (isnan(x)) {
        return count - 1;
    }
    for (uint32_t i = 1; i < count; i++) {
        double size = fmin(fabs(x), 64); /* the largest one is 28 */
        double now = fabs(small_value(fraction, exponent, i) - size);
        double had = fabs(small_value(fraction, exponent, best) - size);

        best = now < had || (now == had && i % 2 == 0) ? i : best;
    }
    return best | (signbit(x) ? count : 0);
}

#define PAIR(f, e, shift, x, y)                                                \
    small_bits(f, e, x) << shift | small_bits(f, e, y)
#define FROM(f, e, bits)                                                       \
    (uint64_t)                                                                 \
        form_round(f16, (long double)small_value(f, e, bits), 0, 'n', false)
WANT(x_e2m1, PAIR(1, 2, 4, f_of(a), f_of(b)))
WANT(x_e2m1_relu, (f_of(a) <= 0 ? 0 : small_bits(1, 2, f_of(a)) << 4) |
                      (f_of(b) <= 0 ? 0 : small_bits(1, 2, f_of(b))))
WANT(x_e2m3, PAIR(3, 2, 8, f_of(a), f_of(b)))
WANT(x_e3m2, PAIR(2, 3, 8, f_of(a), f_of(b)))
WANT(n_e2m1, PAIR(1, 2, 4, (double)form_value(f16, H(a >> 16)), FA))
WANT(n_from_e2m1, FROM(1, 2, a & 15) | FROM(1, 2, a >> 4 & 15) << 16)
WANT(n_from_e2m3, FROM(3, 2, a & 63) | FROM(3, 2, a >> 8 & 63) << 16)
WANT(n_from_e3m2, FROM(2, 3, a & 63) | FROM(2, 3, a >> 8 & 63) << 16)
WANT(n_from_e3m2_relu,
     ((a & 32) != 0 ? 0 : FROM(2, 3, a & 31)) |
         ((a & 8192) != 0 ? 0 : FROM(2, 3, a >> 8 & 31) << 16))

/* Ties, what is next to them, and what is too large. */
static const uint64_t f32_small[EDGES] = {
    0x3e800000, 0x3e800001, 0xbf400000, 0x3fa00000, 0x3fe00000, 0x40200000,
    0xc0600000, 0x40a00000, 0xc0a00001, 0x40e00000, 0x41f00000, 0x3d800000,
    0x3d000000, 0x41e00001, 0xbd800001, 0xc0f80000};

#define BYTE(code) "{\n.reg .b8 t;\n" code "\n}"
static const struct check to_small[] = {
    {'r',
     BYTE("cvt.rn.satfinite.e2m1x2.f32 t, %f10, %f11;\ncvt.u32.u8 %r12, t;"),
     x_e2m1},
    {'r',
     BYTE("cvt.rn.satfinite.relu.e2m1x2.f32 t, %f10, %f11;\n"
          "cvt.u32.u8 %r12, t;"),
     x_e2m1_relu},
    {'h', "cvt.rn.satfinite.e2m3x2.f32 %h12, %f10, %f11;", x_e2m3},
    {'h', "cvt.rn.satfinite.e3m2x2.f32 %h12, %f10, %f11;", x_e3m2},
};
static const struct check from_small[] = {
    {'r', BYTE("cvt.rn.satfinite.e2m1x2.f16x2 t, %r10;\ncvt.u32.u8 %r12, t;"),
     n_e2m1},
    {'r', BYTE("cvt.u8.u32 t, %r10;\ncvt.rn.f16x2.e2m1x2 %r12, t;"),
     n_from_e2m1},
    {'r', "cvt.rn.f16x2.e2m3x2 %r12, %h10;", n_from_e2m3},
    {'r', "cvt.rn.f16x2.e3m2x2 %r12, %h10;", n_from_e3m2},
    {'r', "cvt.rn.relu.f16x2.e3m2x2 %r12, %h10;", n_from_e3m2_relu},
};

static void small_formats(void)
{
    run_checks(to_small, LOOM_COUNTOF(to_small), f32_small);
    run_checks(to_small, LOOM_COUNTOF(to_small), f32_near);
    run_checks(to_small, LOOM_COUNTOF(to_small), f32_more);
    run_checks(from_small, LOOM_COUNTOF(from_small), narrow_edge);
    run_checks(from_small, LOOM_COUNTOF(from_small), f32_small);
}

WANT(i_s32, form_round(f16, (long double)(int32_t)U(a), 0, 'n', false))
WANT(i_u64, form_round(f16, (long double)a, 0, 'z', false))
WANT(i_s64_b, form_round(bf16, (long double)(int64_t)a, 0, 'm', false))
WANT(i_u16_b, form_round(bf16, H(a), 0, 'n', false))

static int64_t limit(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

WANT(p_u16,
     (uint64_t)limit(S(a), 0, 65535) << 16 | (uint64_t)limit(S(b), 0, 65535))
WANT(p_s16, U((uint64_t)limit(S(a), -32768, 32767) << 16) |
                H(limit(S(b), -32768, 32767)))
WANT(p_u8, U(a << 16) | (uint64_t)limit(S(a), 0, 255) << 8 |
               (uint64_t)limit(S(b), 0, 255))
WANT(p_s4, U(b << 8) | ((uint64_t)limit(S(a), -8, 7) & 15) << 4 |
               ((uint64_t)limit(S(b), -8, 7) & 15))

static const struct check from_int[] = {
    {'h', "cvt.rn.f16.s32 %h12, %r10;", i_s32},
    {'h', "cvt.rz.f16.u64 %h12, %d10;", i_u64},
    {'h', "cvt.rm.bf16.s64 %h12, %d10;", i_s64_b},
    {'h', "cvt.rn.bf16.u16 %h12, %h10;", i_u16_b},
    {'r', "cvt.pack.sat.u16.s32 %r12, %r10, %r11;", p_u16},
    {'r', "cvt.pack.sat.s16.s32 %r12, %r10, %r11;", p_s16},
    {'r', "cvt.pack.sat.u8.s32.b32 %r12, %r10, %r11, %r10;", p_u8},
    {'r', "cvt.pack.sat.s4.s32.b32 %r12, %r10, %r11, %r11;", p_s4},
};

static void from_floats(void)
{
    run_checks(from_f32, LOOM_COUNTOF(from_f32), f32_near);
    run_checks(from_f32, LOOM_COUNTOF(from_f32), f32_more);
    run_checks(from_f64, LOOM_COUNTOF(from_f64), f64_near);
}

static void from_halves(void)
{
    run_checks(from_narrow, LOOM_COUNTOF(from_narrow), narrow_edge);
}

static void from_integers(void)
{
    run_checks(from_int, LOOM_COUNTOF(from_int), int_edge);
}

/* Integers to integers: every pair of types, with and without .sat. */
struct int_type {
    const char *name;
    char reg;
    uint32_t bits;
    bool sign;
};

static const struct int_type int_types[] = {
    {"u8", 'r', 8, false},   {"s8", 'r', 8, true},    {"u16", 'h', 16, false},
    {"s16", 'h', 16, true},  {"u32", 'r', 32, false}, {"s32", 'r', 32, true},
    {"u64", 'd', 64, false}, {"s64", 'd', 64, true}};

__extension__ typedef __int128 s128;

static s128 read_as(uint64_t x, const struct int_type *t)
{
    uint64_t low = t->bits == 64 ? x : x & ((UINT64_C(1) << t->bits) - 1);
    s128 value = low;

    if (t->sign && (low >> (t->bits - 1) & 1) != 0) {
        value -= (s128)1 << t->bits;
    }
    return value;
}

static uint64_t want_int(uint64_t a, const struct int_type *d,
                         const struct int_type *s, bool sat)
{
    s128 value = read_as(a, s);
    s128 top = ((s128)1 << (d->sign ? d->bits - 1 : d->bits)) - 1;
    s128 bottom = d->sign ? -top - 1 : 0;
    uint64_t bits;

    if (sat) {
        value = value > top ? top : value < bottom ? bottom : value;
    }
    bits = (uint64_t)read_as((uint64_t)value, d);
    return d->reg == 'd' ? bits : d->reg == 'h' ? H(bits) : U(bits);
}

static void between_integers(void)
{
    for (uint32_t i = 0; i < 8 * 8 * 2; i++) {
        const struct int_type *d = &int_types[i / 2 % 8];
        const struct int_type *s = &int_types[i / 16];
        char code[100], text[4096];
        uint64_t word[2], *out;
        struct ptx_rig rig;
        struct pair *in;

        snprintf(code, sizeof(code), "cvt.%s%s.%s %%%c12, %%%c10;",
                 i % 2 != 0 ? "sat." : "", d->name, s->name, d->reg, s->reg);
        snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, code,
                 finish(d->reg), EPILOGUE);
        ptx_rig_open(&rig, text);
        word[0] = ptx_rig_alloc(&rig, EDGES * sizeof(*in), "in");
        word[1] = ptx_rig_alloc(&rig, EDGES * sizeof(*out), "out");
        in = ptx_rig_at(&rig, word[0]);
        out = ptx_rig_at(&rig, word[1]);
        for (uint32_t k = 0; k < EDGES; k++) {
            in[k].a = int_edge[k];
        }
        ptx_rig_run(&rig, "k", ptx_shape_1d(1, EDGES), word);
        for (uint32_t k = 0; k < EDGES; k++) {
            uint64_t want = want_int(in[k].a, d, s, i % 2 != 0);

            if (out[k] != want) {
                EXPECT_TEXT(code, "(equal)");
            }
            EXPECT_EQ(out[k], want);
        }
        ptx_rig_close(&rig);
    }
}

static const struct loom_test tests[] = {
    {"from_floats", from_floats},           {"from_halves", from_halves},
    {"small_formats", small_formats},       {"from_integers", from_integers},
    {"between_integers", between_integers},
};

int main(void)
{
    return loom_run_tests("ptx_rows_cvt", tests, LOOM_COUNTOF(tests));
}

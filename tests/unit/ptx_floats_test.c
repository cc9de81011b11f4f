/*
 * Floating-point arithmetic and conversions of the PTX executor, against C.
 *
 * links: workload_ptx
 */
#include <fenv.h>
#include <math.h>

#include "tests/unit/ptx_check_rig.h"

/* Floats in the low words, doubles in all. */
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

static const uint64_t f32_edge[EDGES] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb,
    0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0x4b7fffff, 0xc0200000};

static const uint64_t f64_edge[EDGES] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x3ff0000000000001, 0x400921fb54442d18,
    0x0000000000000001, 0x0010000000000000, 0x7fefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x41dfffffffc00000, 0xc1e0000000000000, 0x4330000000000001,
    0x3fe0000000000000};

/* a op b in rounding mode `mode`. */
static uint64_t rounded(int mode, char op, uint64_t a, uint64_t b)
{
    volatile float x = f_of(a), y = f_of(b), r;

    fesetround(mode);
    switch (op) {
    case '+':
        r = x + y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
        r = x / y;
        break;
    case 'q':
        r = sqrtf(x);
        break;
    default: /* x * y - 1 */
        r = fmaf(x, y, -1.0f);
        break;
    }
    fesetround(FE_TONEAREST);
    return of_f(r);
}

static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

WANT(w_addf, rounded(FE_TONEAREST, '+', a, b))
WANT(w_addf_rm, rounded(FE_DOWNWARD, '+', a, b))
WANT(w_addf_rz, rounded(FE_TOWARDZERO, '+', a, b))
WANT(w_mulf_rp, rounded(FE_UPWARD, '*', a, b))
WANT(w_mulf, rounded(FE_TONEAREST, '*', a, b))
WANT(w_divf, rounded(FE_TONEAREST, '/', a, b))
WANT(w_divf_rz, rounded(FE_TOWARDZERO, '/', a, b))
WANT(w_divf_rm, rounded(FE_DOWNWARD, '/', a, b))
WANT(w_sqrtf, rounded(FE_TONEAREST, 'q', a, b))
WANT(w_sqrtf_rp, rounded(FE_UPWARD, 'q', a, b))
WANT(w_fmaf, rounded(FE_TONEAREST, 'm', a, b))
WANT(w_fmaf_rm, rounded(FE_DOWNWARD, 'm', a, b))
WANT(w_fmaf_rz, rounded(FE_TOWARDZERO, 'm', a, b))
WANT(w_add_ftz, of_f(flush(flush(f_of(a)) + flush(f_of(b)))))
WANT(w_mul_sat,
     of_f(fmaxf(0.0f, fminf(1.0f, f_of(a) * f_of(b) == f_of(a) * f_of(b)
                                      ? f_of(a) * f_of(b)
                                      : 0.0f)) +
          0.0f))
WANT(w_minf, of_f(f_of(a) == 0 && f_of(b) == 0 && (a >> 31) ? f_of(a)
                  : f_of(a) == 0 && f_of(b) == 0            ? f_of(b)
                                                 : fminf(f_of(a), f_of(b))))
WANT(w_ltu, !(f_of(a) >= f_of(b)))
WANT(w_nef, f_of(a) < f_of(b) || f_of(a) > f_of(b))
WANT(w_absf, of_f(fabsf(f_of(a))))
WANT(w_rcp, of_f(1.0f / f_of(a)))
WANT(w_addg, of_g(g_of(a) + g_of(b)))
WANT(w_divg, of_g(g_of(a) / g_of(b)))
WANT(w_fmag, of_g(fma(g_of(a), g_of(b), g_of(b))))
WANT(w_maxg, of_g(fmax(g_of(a), g_of(b)) + 0.0))
WANT(w_eqg, g_of(a) == g_of(b))

static const struct check f32_checks[] = {
    {'f', "add.f32 %f12, %f10, %f11;", w_addf},
    {'f', "add.rm.f32 %f12, %f10, %f11;", w_addf_rm},
    {'f', "add.rz.f32 %f12, %f10, %f11;", w_addf_rz},
    {'f', "mul.rp.f32 %f12, %f10, %f11;", w_mulf_rp},
    {'f', "mul.f32 %f12, %f10, %f11;", w_mulf},
    {'f', "div.rn.f32 %f12, %f10, %f11;", w_divf},
    {'f', "div.full.f32 %f12, %f10, %f11;", w_divf},
    {'f', "div.rz.f32 %f12, %f10, %f11;", w_divf_rz},
    {'f', "div.rm.f32 %f12, %f10, %f11;", w_divf_rm},
    {'f', "sqrt.rn.f32 %f12, %f10;", w_sqrtf},
    {'f', "sqrt.rp.f32 %f12, %f10;", w_sqrtf_rp},
    {'f', "fma.rn.f32 %f12, %f10, %f11, 0fBF800000;", w_fmaf},
    {'f', "fma.rm.f32 %f12, %f10, %f11, 0fBF800000;", w_fmaf_rm},
    {'f', "fma.rz.f32 %f12, %f10, %f11, 0fBF800000;", w_fmaf_rz},
    {'f', "add.ftz.f32 %f12, %f10, %f11;", w_add_ftz},
    {'f', "mul.sat.f32 %f12, %f10, %f11;", w_mul_sat},
    {'f', "min.f32 %f12, %f10, %f11;", w_minf},
    {'p', "setp.ltu.f32 %p12, %f10, %f11;", w_ltu},
    {'p', "setp.ne.f32 %p12, %f10, %f11;", w_nef},
    {'f', "abs.f32 %f12, %f10;", w_absf},
    {'f', "rcp.rn.f32 %f12, %f10;", w_rcp},
};

static const struct check f64_checks[] = {
    {'g', "add.f64 %g12, %g10, %g11;", w_addg},
    {'g', "div.rn.f64 %g12, %g10, %g11;", w_divg},
    {'g', "fma.rn.f64 %g12, %g10, %g11, %g11;", w_fmag},
    {'g', "max.f64 %g12, %g10, %g11;\nadd.f64 %g12, %g12, 0d0000000000000000;",
     w_maxg},
    {'p', "setp.eq.f64 %p12, %g10, %g11;", w_eqg},
};

static void floats(void)
{
    run_checks(f32_checks, LOOM_COUNTOF(f32_checks), f32_edge);
    run_checks(f64_checks, LOOM_COUNTOF(f64_checks), f64_edge);
}

static uint64_t clamp(double x, double low, double high, uint64_t at_low,
                      uint64_t at_high, uint64_t nan)
{
    if (x != x) {
        return nan;
    }
    return x <= low ? at_low : x >= high ? at_high : (uint64_t)(int64_t)x;
}

WANT(c_s32_f32,
     U(clamp(trunc(f_of(a)), -0x1p31, 0x1p31, 0x80000000, 0x7fffffff, 0)))
WANT(c_u8_f32, clamp(nearbyint(f_of(a)), 0, 255, 0, 255, 0))
WANT(c_s64_f32, clamp(floor(f_of(a)), -0x1p63, 0x1p63, 0x8000000000000000,
                      0x7fffffffffffffff, 0x8000000000000000))
WANT(c_u32_f64, clamp(ceil(g_of(a)), 0, 0x1p32, 0, 0xffffffff, 0x80000000))
WANT(c_rni, of_f(nearbyintf(f_of(a))))
WANT(c_f32_f64, of_f((float)g_of(a)))
WANT(c_f64_f32, of_g((double)f_of(a)))
WANT(c_f32_s32, of_f((float)(int32_t)U(a)))
WANT(c_f32_u64, of_f((float)a))
WANT(c_f64_s64, of_g((double)(int64_t)a))
WANT(c_s64_s8, (int64_t)(int8_t)(uint8_t)a)
WANT(c_sat_u8, S(a) < 0 ? 0 : S(a) > 255 ? 255 : S(a))
WANT(c_sat_s16, U(S(a) < -32768 ? -32768 : S(a) > 32767 ? 32767 : S(a)))
WANT(c_s32_s16, U(SH(a)))
WANT(c_u32_u8, a & 255)

static uint64_t down(uint64_t a, uint64_t b)
{
    volatile int64_t x = (int64_t)a;
    volatile float r;

    (void)b;
    fesetround(FE_DOWNWARD);
    r = (float)x;
    fesetround(FE_TONEAREST);
    return of_f(r);
}

static const struct check from_f32[] = {
    {'r', "cvt.rzi.s32.f32 %r12, %f10;", c_s32_f32},
    {'r', "cvt.rni.u8.f32 %r12, %f10;", c_u8_f32},
    {'d', "cvt.rmi.s64.f32 %d12, %f10;", c_s64_f32},
    {'f', "cvt.rni.f32.f32 %f12, %f10;", c_rni},
    {'g', "cvt.f64.f32 %g12, %f10;", c_f64_f32},
};
static const struct check from_f64[] = {
    {'r', "cvt.rpi.u32.f64 %r12, %g10;", c_u32_f64},
    {'f', "cvt.rn.f32.f64 %f12, %g10;", c_f32_f64},
};
static const struct check from_int[] = {
    {'f', "cvt.rn.f32.s32 %f12, %r10;", c_f32_s32},
    {'f', "cvt.rn.f32.u64 %f12, %d10;", c_f32_u64},
    {'f', "cvt.rm.f32.s64 %f12, %d10;", down},
    {'g', "cvt.rn.f64.s64 %g12, %d10;", c_f64_s64},
    {'d', "cvt.s64.s8 %d12, %r10;", c_s64_s8},
    {'r', "cvt.sat.u8.s32 %r12, %r10;", c_sat_u8},
    {'r', "cvt.sat.s16.s32 %r12, %r10;", c_sat_s16},
    {'r', "cvt.s32.s16 %r12, %h10;", c_s32_s16},
    {'r', "cvt.u8.u32 %r12, %r10;", c_u32_u8},
};

static void conversions(void)
{
    run_checks(from_f32, LOOM_COUNTOF(from_f32), f32_edge);
    run_checks(from_f64, LOOM_COUNTOF(from_f64), f64_edge);
    run_checks(from_int, LOOM_COUNTOF(from_int), int_edge);
}

/* The approximate functions on a range of arguments, within the errors that
 * the PTX ISA states. */
struct approx {
    const char *code;
    double (*want)(double x);
    float from, to;
    double absolute, relative;
};

static double reciprocal_root(double x)
{
    return 1.0 / sqrt(x);
}

static const struct approx approximations[] = {
    {"sin.approx.f32 %f12, %f10;", sin, -3.1415927f, 3.1415927f, 0x1p-20, 0},
    {"cos.approx.f32 %f12, %f10;", cos, -3.1415927f, 3.1415927f, 0x1p-20, 0},
    {"sin.approx.f32 %f12, %f10;", sin, 100.0f, 1000.0f, 0x1p-20, 0},
    {"ex2.approx.f32 %f12, %f10;", exp2, -140.0f, 127.9f, 0x1p-149, 0x1p-22},
    {"lg2.approx.f32 %f12, %f10;", log2, 1e-30f, 1e30f, 0x1p-22, 0x1p-22},
    {"lg2.approx.f32 %f12, %f10;", log2, 0.5f, 2.0f, 0x1p-22, 0},
    {"tanh.approx.f32 %f12, %f10;", tanh, -10.0f, 10.0f, 0, 0x1p-11},
    {"rsqrt.approx.f32 %f12, %f10;", reciprocal_root, 1e-30f, 1e30f, 0,
     0x1p-22},
};

#define STEPS 1024

static void run_approx(const struct approx *c)
{
    char text[4096];
    struct ptx_rig rig;
    uint64_t word[2], *out;
    struct pair *in;
    double worst = 0.0;

    snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, c->code, finish('f'),
             EPILOGUE);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, STEPS * sizeof(*in), "in");
    word[1] = ptx_rig_alloc(&rig, STEPS * sizeof(*out), "out");
    in = ptx_rig_at(&rig, word[0]);
    out = ptx_rig_at(&rig, word[1]);
    for (uint32_t i = 0; i < STEPS; i++) {
        float x = c->from + (c->to - c->from) * (float)i / (STEPS - 1);

        in[i].a = of_f(x);
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, STEPS), word);
    for (uint32_t i = 0; i < STEPS; i++) {
        double want = c->want(f_of(in[i].a));
        double error = fabs(f_of(out[i]) - want);
        double allowed = c->absolute + c->relative * fabs(want);

        worst = error / allowed > worst ? error / allowed : worst;
    }
    EXPECT(worst <= 1.0);
    if (worst > 1.0) {
        EXPECT_TEXT(c->code, "(within the stated error)");
    }
    ptx_rig_close(&rig);
}

static void approximate_functions(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(approximations); i++) {
        run_approx(&approximations[i]);
    }
}

static const struct loom_test tests[] = {
    {"floats", floats},
    {"conversions", conversions},
    {"approximate_functions", approximate_functions},
};

int main(void)
{
    return loom_run_tests("ptx_floats", tests, LOOM_COUNTOF(tests));
}

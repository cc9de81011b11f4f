/*
 * The approximate functions on a dense sweep of their arguments, a quarter of
 * a million each, the same number in every exponent: within the errors that
 * PTX ISA 8.x states ("Floating Point Instructions").
 *
 * links: workload_ptx
 */
#include <math.h>

#include "tests/unit/ptx_check_rig.h"

#define VALUES (1u << 18)

struct approx {
    char kind; /* of source and result: f, g */
    const char *code;
    double (*want)(double x);
    double from, to; /* of the argument's size; to 0: all that are larger */
    double absolute, relative;
    bool flushes;
};

static double inverse(double x)
{
    return 1.0 / x;
}

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double half_more(double x)
{
    return x / 1.7;
}

/* Stated: 1 ulp is at most 2^-23 of a result. */
#define ULP 0x1p-23
#define PI 3.14159265358979
static const struct approx functions[] = {
    {'f', "rcp.approx.f32 %f12, %f10;", inverse, 0, 0, 0, ULP, false},
    {'f', "rcp.approx.ftz.f32 %f12, %f10;", inverse, 0, 0, 0, ULP, true},
    {'f', "sqrt.approx.f32 %f12, %f10;", sqrt, 0, 0, 0, 0x1p-23, false},
    {'f', "sqrt.approx.ftz.f32 %f12, %f10;", sqrt, 0, 0, 0, 0x1p-23, true},
    /* 2^-22.9 */
    {'f', "rsqrt.approx.f32 %f12, %f10;", inverse_root, 0, 0, 0,
     0x1.125fbee2506p-23, false},
    {'f', "rsqrt.approx.ftz.f32 %f12, %f10;", inverse_root, 0, 0, 0,
     0x1.125fbee2506p-23, true},
    {'f', "div.approx.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0, 2 * ULP,
     false},
    {'f', "div.approx.ftz.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0,
     2 * ULP, true},
    {'f', "div.full.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0, 2 * ULP,
     false},
    {'f', "div.full.ftz.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0,
     2 * ULP, true},
    {'f', "ex2.approx.f32 %f12, %f10;", exp2, 0, 128, 0, 0x1p-22, false},
    {'f', "ex2.approx.ftz.f32 %f12, %f10;", exp2, 0, 128, 0, 0x1p-22, true},
    /* Absolutely 2^-22.6 from 0.5 to 2, relatively elsewhere. */
    {'f', "lg2.approx.f32 %f12, %f10;", log2, 0.5, 2, 0x1.51cb453b953p-23, 0,
     false},
    {'f', "lg2.approx.f32 %f12, %f10;", log2, 2, 0, 0, 0x1.51cb453b953p-23,
     false},
    {'f', "lg2.approx.ftz.f32 %f12, %f10;", log2, 2, 0, 0, 0x1.51cb453b953p-23,
     true},
    {'f', "lg2.approx.f32 %f12, %f10;", log2, 0, 0.5, 0, 0x1.51cb453b953p-23,
     false},
    /* Absolutely 2^-20.5 in two turns, 2^-14.7 in a hundred. */
    {'f', "sin.approx.f32 %f12, %f10;", sin, 0, 2 * PI, 0x1.6a09e667f3cp-21, 0,
     false},
    {'f', "cos.approx.f32 %f12, %f10;", cos, 0, 2 * PI, 0x1.6a09e667f3cp-21, 0,
     false},
    {'f', "sin.approx.ftz.f32 %f12, %f10;", sin, 0, 2 * PI, 0x1.6a09e667f3cp-21,
     0, true},
    {'f', "sin.approx.f32 %f12, %f10;", sin, 2 * PI, 100 * PI,
     0x1.3b2c47bff83p-15, 0, false},
    {'f', "cos.approx.ftz.f32 %f12, %f10;", cos, 2 * PI, 100 * PI,
     0x1.3b2c47bff83p-15, 0, true},
    {'f', "tanh.approx.f32 %f12, %f10;", tanh, 0, 0, 0, 0x1p-11, false},
    {'g', "rcp.approx.ftz.f64 %g12, %g10;", inverse, 0, 0, 0, 0x1p-20, true},
    {'g', "rsqrt.approx.ftz.f64 %g12, %g10;", inverse_root, 0, 0, 0, 0x1p-20,
     true},
    /* "emulated": no error is stated; that of the upper word's is allowed */
    {'g', "rsqrt.approx.f64 %g12, %g10;", inverse_root, 0, 0, 0, 0x1p-20,
     false},
};

static double value_of(uint64_t bits, char kind)
{
    uint32_t word = (uint32_t)bits;
    double wide;
    float narrow;

    if (kind == 'g') {
        memcpy(&wide, &bits, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, &word, sizeof(narrow));
    return (double)narrow;
}

static double flushed(double x, const struct approx *c)
{
    double least = c->kind == 'g' ? 0x1p-1022 : 0x1p-126;

    return c->flushes && fabs(x) < least ? copysign(0.0, x) : x;
}

/* Smallest distance of two results. */
static double grain(const struct approx *c)
{
    return c->kind == 'g' ? 0x1p-1074 : 0x1p-149;
}

static bool within(const struct approx *c, double x, double got)
{
    double want = c->want(flushed(x, c));
    double most = c->kind == 'g' ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    double allowed =
        c->absolute + c->relative * fabs(want) + grain(c) * !c->flushes;

    want = flushed(want, c);
    if (isnan(want) || fabs(want) > most) {
        return isnan(want) ? isnan(got)
                           : (isinf(got) || fabs(got) > most * (1 - 0x1p-20)) &&
                                 signbit(got) == signbit(want);
    }
    /* What lies at the edge may or may not be flushed. */
    return fabs(got - want) <= allowed ||
           (c->flushes && got == 0.0 &&
            fabs(want) < (c->kind == 'g' ? 0x1p-1021 : 0x1p-125));
}

static uint64_t bits_of(double x, char kind)
{
    float narrow = (float)x;
    uint64_t bits = 0;

    if (kind == 'g') {
        memcpy(&bits, &x, sizeof(bits));
    } else {
        memcpy(&bits, &narrow, sizeof(narrow));
    }
    return bits;
}

/* Patterns in even steps from `from` to `to` or to all NaNs, of both signs. */
static void fill(struct pair *in, const struct approx *c)
{
    uint32_t wide = c->kind == 'g' ? 64 : 32;
    uint64_t sign = UINT64_C(1) << (wide - 1);
    uint64_t low = bits_of(c->from, c->kind);
    uint64_t high = c->to != 0 ? bits_of(c->to, c->kind) : sign;
    uint64_t step = (high - low) / (VALUES / 2);

    for (uint32_t i = 0; i < VALUES; i++) {
        in[i].a = (low + i / 2 * step) | (i % 2 != 0 ? sign : 0);
        /* Of .ftz.f64 only the upper word is looked at. */
        in[i].a &= c->kind == 'g' ? 0xffffffff00000000 : UINT64_MAX;
    }
}

static void run_approx(const struct approx *c)
{
    char text[4096];
    uint32_t bad = 0;
    struct ptx_rig rig;
    uint64_t word[2], *out;
    struct pair *in;

    snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, c->code,
             finish(c->kind), EPILOGUE);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, VALUES * sizeof(*in), "in");
    word[1] = ptx_rig_alloc(&rig, VALUES * sizeof(*out), "out");
    in = ptx_rig_at(&rig, word[0]);
    out = ptx_rig_at(&rig, word[1]);
    fill(in, c);
    for (uint32_t i = 0; i < VALUES; i += 1024) {
        uint64_t part[2] = {word[0] + i * sizeof(*in),
                            word[1] + i * sizeof(*out)};

        ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1024), part);
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        double x = value_of(in[i].a, c->kind);
        double got = value_of(out[i], c->kind);

        if (!within(c, x, got) && bad++ == 0) {
            char what[200];

            snprintf(what, sizeof(what), "'%s' of %a is %a, expected %a",
                     c->code, x, got, c->want(x));
            EXPECT_TEXT(what, "(within the stated error)");
        }
    }
    EXPECT_EQ(bad, 0);
    ptx_rig_close(&rig);
}

static void stated_errors(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(functions); i++) {
        run_approx(&functions[i]);
    }
}

static const struct loom_test tests[] = {
    {"stated_errors", stated_errors},
};

int main(void)
{
    return loom_run_tests("ptx_rows_approx", tests, LOOM_COUNTOF(tests));
}

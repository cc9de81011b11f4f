/*
 * The approximate functions on a dense sample of their arguments: random
 * floats of every exponent, within the errors that PTX ISA states.
 *
 * links: workload_ptx
 */
#include <math.h>

#include "engine/rng.h"

#include "tests/unit/ptx_check_rig.h"

#define VALUES (1u << 15)

struct approx {
    char kind; /* of source and result: f, g */
    const char *code;
    double (*want)(double x);
    double from, to; /* of the argument's size; 0, 0: all */
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

#define PI 3.14159265358979
static const struct approx functions[] = {
    {'f', "rcp.approx.f32 %f12, %f10;", inverse, 0, 0, 0, 0x1p-23, false},
    {'f', "rcp.approx.ftz.f32 %f12, %f10;", inverse, 0, 0, 0, 0x1p-23, true},
    {'f', "sqrt.approx.f32 %f12, %f10;", sqrt, 0, 0, 0, 0x1p-23, false},
    {'f', "sqrt.approx.ftz.f32 %f12, %f10;", sqrt, 0, 0, 0, 0x1p-23, true},
    {'f', "rsqrt.approx.f32 %f12, %f10;", inverse_root, 0, 0, 0, 0x1p-22,
     false},
    {'f', "div.approx.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0, 0x1p-22,
     false},
    {'f', "div.full.ftz.f32 %f12, %f10, 0f3FD9999A;", half_more, 0, 0, 0,
     0x1p-22, true},
    {'f', "ex2.approx.f32 %f12, %f10;", exp2, 0, 128, 0, 0x1p-22, false},
    {'f', "ex2.approx.ftz.f32 %f12, %f10;", exp2, 0, 128, 0, 0x1p-22, true},
    {'f', "lg2.approx.f32 %f12, %f10;", log2, 0, 0, 0x1p-22, 0x1p-22, false},
    {'f', "sin.approx.f32 %f12, %f10;", sin, 0, PI, 0x1p-21, 0, false},
    {'f', "cos.approx.f32 %f12, %f10;", cos, 0, PI, 0x1p-21, 0, false},
    {'f', "sin.approx.ftz.f32 %f12, %f10;", sin, 0, PI, 0x1p-21, 0, true},
    {'f', "tanh.approx.f32 %f12, %f10;", tanh, 0, 0, 0, 0x1p-11, false},
    {'g', "rcp.approx.ftz.f64 %g12, %g10;", inverse, 0, 0, 0, 0x1p-20, true},
    {'g', "rsqrt.approx.ftz.f64 %g12, %g10;", inverse_root, 0, 0, 0, 0x1p-20,
     true},
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

static void fill(struct pair *in, const struct approx *c)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 3, "approximations");
    for (uint32_t i = 0; i < VALUES; i++) {
        double x;

        do {
            in[i].a = loom_rng_next(&rng) >> (c->kind == 'g' ? 0 : 32);
            /* Of .f64 only the upper word is looked at. */
            in[i].a &= c->kind == 'g' ? 0xffffffff00000000 : UINT64_MAX;
            x = value_of(in[i].a, c->kind);
        } while (c->to != 0 && !(fabs(x) <= c->to));
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

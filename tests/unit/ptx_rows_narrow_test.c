/*
 * .f16, .bf16 and their packed forms, bit by bit.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_narrow_rig.h"

typedef uint32_t half_fn(struct form f, long double x, long double y);

/* In both halves. */
static uint64_t twice(half_fn *fn, struct form f, uint64_t a, uint64_t b)
{
    return fn(f, form_value(f, a & 0xffff), form_value(f, b & 0xffff)) |
           (uint64_t)fn(f, form_value(f, a >> 16 & 0xffff),
                        form_value(f, b >> 16 & 0xffff))
               << 16;
}

static uint32_t h_add(struct form f, long double x, long double y)
{
    return form_sum(f, x, y, 'n');
}

static uint32_t h_sub(struct form f, long double x, long double y)
{
    return form_sum(f, x, -y, 'n');
}

static uint32_t h_mul(struct form f, long double x, long double y)
{
    return form_round(f, x * y, 0, 'n', false);
}

static uint32_t h_fma(struct form f, long double x, long double y)
{
    return form_sum(f, x * y, x, 'n');
}

static uint32_t h_relu(struct form f, long double x, long double y)
{
    uint32_t r = form_sum(f, x * y, x, 'n');

    return (r & 0x8000) != 0 ? 0 : r;
}

static uint32_t h_sat(struct form f, long double x, long double y)
{
    long double s = x + y;

    if (isnan(s) || s <= 0) {
        return 0;
    }
    return s >= 1 ? form_round(f, 1, 0, 'n', false) : h_add(f, x, y);
}

static uint32_t h_ftz(struct form f, long double x, long double y)
{
    uint32_t r = form_sum(f, flushed(f, x), flushed(f, y), 'n');

    return form_round(f, flushed(f, form_value(f, r)), 0, 'n', false);
}

static uint32_t h_min(struct form f, long double x, long double y)
{
    long double r = isnan(x)               ? y
                    : isnan(y)             ? x
                    : x == y && signbit(x) ? x
                    : x < y                ? x
                                           : y;

    return form_round(f, r, 0, 'n', false);
}

static uint32_t h_max_nan(struct form f, long double x, long double y)
{
    if (isnan(x) || isnan(y)) {
        return 0x7fff;
    }
    return form_round(f,
                      x == y  ? (signbit(x) ? y : x)
                      : x > y ? x
                              : y,
                      0, 'n', false);
}

static uint32_t h_min_xor(struct form f, long double x, long double y)
{
    uint32_t r = h_min(f, fabsl(x), fabsl(y));

    return isnan(x) && isnan(y)         ? 0x7fff
           : !signbit(x) != !signbit(y) ? r | 0x8000
                                        : r;
}

static uint32_t h_neg(struct form f, long double x, long double y)
{
    (void)y;
    return form_round(f, -x, 0, 'n', false);
}

static uint32_t h_abs(struct form f, long double x, long double y)
{
    (void)y;
    return form_round(f, fabsl(x), 0, 'n', false);
}

#define BOTH(name, fn)                                                         \
    WANT(name##_f, twice(fn, f16, a & 0xffff, b & 0xffff) & 0xffff)            \
    WANT(name##_b, twice(fn, bf16, a & 0xffff, b & 0xffff) & 0xffff)           \
    WANT(name##_f2, twice(fn, f16, a, b))                                      \
    WANT(name##_b2, twice(fn, bf16, a, b))
BOTH(add, h_add)
BOTH(sub, h_sub)
BOTH(mul, h_mul)
BOTH(fma, h_fma)
BOTH(relu, h_relu)
BOTH(min, h_min)
BOTH(max_nan, h_max_nan)
BOTH(min_xor, h_min_xor)
BOTH(neg, h_neg)
BOTH(abs, h_abs)
WANT(sat_f, h_sat(f16, form_value(f16, H(a)), form_value(f16, H(b))))
WANT(sat_f2, twice(h_sat, f16, a, b))
WANT(ftz_f, h_ftz(f16, form_value(f16, H(a)), form_value(f16, H(b))))
WANT(ftz_f2, twice(h_ftz, f16, a, b))

#define FOUR(text, tail, name)                                                 \
    {'h', text "f16 %h12, %h10" tail("h"), name##_f},                          \
        {'h', text "bf16 %h12, %h10" tail("h"), name##_b},                     \
        {'r', text "f16x2 %r12, %r10" tail("r"), name##_f2},                   \
    {                                                                          \
        'r', text "bf16x2 %r12, %r10" tail("r"), name##_b2                     \
    }
#define ONE(r) ";"
#define TWO(r) ", %" r "11;"
#define THREE(r) ", %" r "11, %" r "10;"

static const struct check arithmetic[] = {
    FOUR("add.", TWO, add),
    FOUR("add.rn.", TWO, add),
    FOUR("sub.", TWO, sub),
    FOUR("mul.", TWO, mul),
    FOUR("fma.rn.", THREE, fma),
    FOUR("fma.rn.relu.", THREE, relu),
    FOUR("min.", TWO, min),
    FOUR("max.NaN.", TWO, max_nan),
    FOUR("min.xorsign.abs.", TWO, min_xor),
    FOUR("neg.", ONE, neg),
    FOUR("abs.", ONE, abs),
    {'h', "add.sat.f16 %h12, %h10, %h11;", sat_f},
    {'r', "add.sat.f16x2 %r12, %r10, %r11;", sat_f2},
    {'h', "add.ftz.f16 %h12, %h10, %h11;", ftz_f},
    {'r', "add.ftz.f16x2 %r12, %r10, %r11;", ftz_f2},
};

static void halves(void)
{
    run_checks(arithmetic, LOOM_COUNTOF(arithmetic), narrow_edge);
}

#define FA form_value(f16, H(a))
#define FB form_value(f16, H(b))
#define BA form_value(bf16, H(a))
#define BB form_value(bf16, H(b))
#define FA1 form_value(f16, H(a >> 16))
#define FB1 form_value(f16, H(b >> 16))

WANT(c_lt, FA < FB)
WANT(c_neu, FA != FB)
WANT(c_ne, FA<FB || FA> FB)
WANT(c_geu, !(FA < FB))
WANT(c_num, !isnan(FA) && !isnan(FB))
WANT(c_nan_b, isnan(BA) || isnan(BB))
WANT(c_le_b, BA <= BB)
WANT(c_equ_b, !(BA < BB || BA > BB))
WANT(c_both, (FA <= FB ? 1u : 0) | (FA1 <= FB1 ? 2u : 0))
WANT(c_and, (FA <= FB && FA > 0) ? 1 : 0)
WANT(s_f16, FA == FB ? 0x3c00 : 0)
WANT(s_u32, FA == FB ? 0xffffffff : 0)
WANT(s_x2, (FA < FB ? 0x3c00 : 0) | (FA1 < FB1 ? 0x3c000000 : 0))
WANT(s_x2u, (FA < FB ? 0xffff : 0) | (FA1 < FB1 ? 0xffff0000u : 0))

static const struct check comparisons[] = {
    {'p', "setp.lt.f16 %p12, %h10, %h11;", c_lt},
    {'p', "setp.neu.f16 %p12, %h10, %h11;", c_neu},
    {'p', "setp.ne.f16 %p12, %h10, %h11;", c_ne},
    {'p', "setp.geu.f16 %p12, %h10, %h11;", c_geu},
    {'p', "setp.num.f16 %p12, %h10, %h11;", c_num},
    {'p', "setp.nan.bf16 %p12, %h10, %h11;", c_nan_b},
    {'p', "setp.le.bf16 %p12, %h10, %h11;", c_le_b},
    {'p', "setp.equ.bf16 %p12, %h10, %h11;", c_equ_b},
    {'r',
     "setp.le.f16x2 %p1|%p2, %r10, %r11;\nselp.u32 %r12, 1, 0, %p1;\n"
     "@%p2 add.u32 %r12, %r12, 2;",
     c_both},
    {'p',
     "mov.b16 %h9, 0;\nsetp.gt.f16 %p1, %h10, %h9;\n"
     "setp.le.and.f16 %p12, %h10, %h11, %p1;",
     c_and},
    {'h', "set.eq.f16.f16 %h12, %h10, %h11;", s_f16},
    {'r', "set.eq.u32.f16 %r12, %h10, %h11;", s_u32},
    {'r', "set.lt.f16x2.f16x2 %r12, %r10, %r11;", s_x2},
    {'r', "set.lt.u32.f16x2 %r12, %r10, %r11;", s_x2u},
};

static void half_comparisons(void)
{
    run_checks(comparisons, LOOM_COUNTOF(comparisons), narrow_edge);
}

/* tanh.approx and ex2.approx of every .f16: within 2^-10.987 and 2^-9.9 of
 * the exact value, relatively (PTX ISA), or the neighbour. */
static void half_functions(void)
{
    static const char *const code[] = {"tanh.approx.f16 %h12, %h10;",
                                       "ex2.approx.f16 %h12, %h10;"};

    for (uint32_t k = 0; k < 2; k++) {
        char text[4096];
        struct ptx_rig rig;
        uint64_t word[2], *out;
        uint32_t bad = 0;
        struct pair *in;

        snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, code[k],
                 finish('h'), EPILOGUE);
        ptx_rig_open(&rig, text);
        word[0] = ptx_rig_alloc(&rig, 1024 * sizeof(*in), "in");
        word[1] = ptx_rig_alloc(&rig, 1024 * sizeof(*out), "out");
        in = ptx_rig_at(&rig, word[0]);
        out = ptx_rig_at(&rig, word[1]);
        for (uint32_t first = 0; first < 0x10000; first += 1024) {
            for (uint32_t i = 0; i < 1024; i++) {
                in[i].a = first + i;
            }
            ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1024), word);
            for (uint32_t i = 0; i < 1024; i++) {
                long double x = form_value(f16, first + i);
                long double y = k == 0 ? tanhl(x) : exp2l(x);
                uint32_t want = form_round(f16, y, 0, 'n', false);

                bad += out[i] != want;
            }
        }
        EXPECT_EQ(bad, 0);
        ptx_rig_close(&rig);
    }
}

static const struct loom_test tests[] = {
    {"halves", halves},
    {"half_comparisons", half_comparisons},
    {"half_functions", half_functions},
};

int main(void)
{
    return loom_run_tests("ptx_rows_narrow", tests, LOOM_COUNTOF(tests));
}

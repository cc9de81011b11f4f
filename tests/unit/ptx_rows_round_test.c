/*
 * Arithmetic of .f32 and .f64 in every rounding mode, bit by bit against the
 * host's processor.
 *
 * links: workload_ptx
 */
#include <fenv.h>
#include <math.h>

#include "engine/rng.h"

#include "tests/unit/ptx_check_rig.h"

static const struct {
    const char *name;
    int mode;
} modes[] = {{"rn", FE_TONEAREST},
             {"rz", FE_TOWARDZERO},
             {"rm", FE_DOWNWARD},
             {"rp", FE_UPWARD}};

/* The subject of the run: run_check's functions have no other argument. */
struct subject {
    int mode;
    char op; /* + - * / q(root) r(eciprocal) m(fma) */
    double c;
};
static const double addend[] = {0.0,        -0.0,       -1.0,    0x1p-1074,
                                -0x1p-1022, 0x1.8p1000, INFINITY};

static double g_of(uint64_t x)
{
    double g;

    memcpy(&g, &x, sizeof(g));
    return g;
}

static float f_of(uint64_t x)
{
    uint32_t bits = (uint32_t)x;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint64_t want_f64(const struct subject *s, uint64_t a, uint64_t b)
{
    volatile double x = g_of(a), y = g_of(b), c = s->c, r;
    uint64_t bits;
    double out;

    fesetround(s->mode);
    switch (s->op) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
        r = x / y;
        break;
    case 'q':
        r = sqrt(x);
        break;
    case 'r':
        r = 1.0 / x;
        break;
    default:
        r = fma(x, y, c);
        break;
    }
    fesetround(FE_TONEAREST);
    out = r;
    memcpy(&bits, &out, sizeof(bits));
    return out != out ? 0x7ff8000000000000 : bits;
}

static uint64_t want_f32(const struct subject *s, uint64_t a, uint64_t b)
{
    volatile float x = f_of(a), y = f_of(b), c = (float)s->c, r;
    uint32_t bits;
    float out;

    fesetround(s->mode);
    switch (s->op) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
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
    case 'r':
        r = 1.0f / x;
        break;
    default:
        r = fmaf(x, y, c);
        break;
    }
    fesetround(FE_TONEAREST);
    out = r;
    memcpy(&bits, &out, sizeof(bits));
    return out != out ? 0x7fffffff : bits;
}

#define VALUES 4096

/* Pairs that meet at every distance of exponents, near halves, near the
 * ends of the range; exponent from 11 or 8 bits. */
static void fill(struct pair *in, uint32_t fraction, uint32_t exponent)
{
    static const uint64_t tail[] = {0, 1, 2, 3, 0x7fffff, 0x400000, 0x400001};
    struct loom_rng rng;

    loom_rng_init(&rng, 11, "rounding");
    for (uint32_t i = 0; i < 2 * VALUES; i++) {
        uint64_t top = (UINT64_C(1) << exponent) - 1, bits, e;
        uint64_t part = loom_rng_next(&rng) >> (64 - fraction);
        uint64_t pick = loom_rng_below(&rng, 8);

        e = pick < 3   ? loom_rng_below(&rng, (uint32_t)top + 1)
            : pick < 6 ? (top >> 1) - 4 + loom_rng_below(&rng, 9)
            : pick < 7 ? loom_rng_below(&rng, 3)
                       : top - loom_rng_below(&rng, 2);
        if (loom_rng_below(&rng, 3) == 0) {
            part = tail[loom_rng_below(&rng, LOOM_COUNTOF(tail))];
            part <<= loom_rng_below(&rng, fraction - 22);
        }
        bits = e << fraction | (part & ((UINT64_C(1) << fraction) - 1));
        bits |= (uint64_t)loom_rng_below(&rng, 2) << (fraction + exponent);
        if (i % 2 == 0) {
            in[i / 2].a = bits;
        } else {
            in[i / 2].b = bits;
        }
    }
}

static uint32_t differing(const struct pair *in, const uint64_t *out,
                          const struct subject *s, bool wide)
{
    uint32_t bad = 0;

    for (uint32_t i = 0; i < VALUES; i++) {
        uint64_t want = wide ? want_f64(s, in[i].a, in[i].b)
                             : want_f32(s, in[i].a, in[i].b);

        if (out[i] != want && bad++ == 0) {
            char what[200];

            snprintf(what, sizeof(what),
                     "%c of %#" PRIx64 ", %#" PRIx64 ", %a gives %#" PRIx64
                     ", expected %#" PRIx64,
                     s->op, in[i].a, in[i].b, s->c, out[i], want);
            EXPECT_TEXT(what, "(equal)");
        }
    }
    return bad;
}

static void run_one(const char *code, const struct subject *s, bool wide)
{
    char text[4096];
    struct ptx_rig rig;
    uint64_t word[2];

    snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, code,
             finish(wide ? 'g' : 'f'), EPILOGUE);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, VALUES * sizeof(struct pair), "in");
    word[1] = ptx_rig_alloc(&rig, VALUES * sizeof(uint64_t), "out");
    fill(ptx_rig_at(&rig, word[0]), wide ? 52 : 23, wide ? 11 : 8);
    for (uint32_t i = 0; i < VALUES; i += 1024) {
        uint64_t part[2] = {word[0] + i * sizeof(struct pair),
                            word[1] + i * sizeof(uint64_t)};

        ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1024), part);
    }
    EXPECT_EQ(differing(ptx_rig_at(&rig, word[0]), ptx_rig_at(&rig, word[1]), s,
                        wide),
              0);
    ptx_rig_close(&rig);
}

/* "add.rz.f64 %g12, %g10, %g11;" */
static void run_operation(const char *name, char op, uint32_t mode, double c,
                          bool wide)
{
    struct subject s = {modes[mode].mode, op, c};
    const char r = wide ? 'g' : 'f';
    char code[200], literal[40] = "";
    uint64_t bits;
    float single = (float)c;
    uint32_t narrow;

    memcpy(&bits, &c, sizeof(bits));
    memcpy(&narrow, &single, sizeof(narrow));
    if (op == 'm' && wide) {
        snprintf(literal, sizeof(literal), ", 0d%016" PRIX64, bits);
    } else if (op == 'm') {
        snprintf(literal, sizeof(literal), ", 0f%08" PRIX32, narrow);
    }
    snprintf(code, sizeof(code), "%s.%s.%s %%%c12, %%%c10%s%s;", name,
             modes[mode].name, wide ? "f64" : "f32", r, r,
             op == 'q' || op == 'r' ? ""
             : wide                 ? ", %g11"
                                    : ", %f11",
             literal);
    run_one(code, &s, wide);
}

static void run_all(bool wide)
{
    static const struct {
        const char *name;
        char op;
    } operation[] = {{"add", '+'}, {"sub", '-'},  {"mul", '*'},
                     {"div", '/'}, {"sqrt", 'q'}, {"rcp", 'r'}};

    for (uint32_t mode = 0; mode < LOOM_COUNTOF(modes); mode++) {
        for (size_t i = 0; i < LOOM_COUNTOF(operation); i++) {
            run_operation(operation[i].name, operation[i].op, mode, 0.0, wide);
        }
        for (size_t i = 0; i < LOOM_COUNTOF(addend); i++) {
            run_operation("fma", 'm', mode, addend[i], wide);
        }
    }
}

static void singles(void)
{
    run_all(false);
}

static void doubles(void)
{
    run_all(true);
}

static const struct loom_test tests[] = {
    {"singles", singles},
    {"doubles", doubles},
};

int main(void)
{
    return loom_run_tests("ptx_rows_round", tests, LOOM_COUNTOF(tests));
}

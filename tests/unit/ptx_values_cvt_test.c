/*
 * Conversions of edge values between all pairs of types, with every rounding
 * and saturation, against values that are rounded once from exact ones.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_values_edges.h"
#include "tests/unit/ptx_values_list.h"

__extension__ typedef __int128 wide;

/* Around the ends of the integer types, and halves. */
static const double halves[VALUES] = {
    0.5,          1.5,          2.5,           -0.5,          -1.5,
    -0.3,         0.99999,      127.5,         -128.5,        255.5,
    32767.5,      65535.5,      2147483647.5,  -2147483648.5, 4294967295.5,
    2147483648.0, 4294967296.0, 0x1p63,        -0x1p63,       0x1p64,
    1e30,         -65504.6,     0x1.fffffep63, 16777217.0};

static bool is_float(char kind)
{
    return kind == 'f';
}

static struct format format_of(uint32_t bits)
{
    return bits == 64 ? binary64 : bits == 32 ? binary32 : binary16;
}

static quad integral(quad x, char mode)
{
    quad size = x < 0 ? -x : x, low, part;
    wide whole;

    if (size >= power_of_2(100)) {
        return x;
    }
    whole = (wide)size;
    low = (quad)whole;
    part = size - low;
    mode = x >= 0 ? mode : mode == 'm' ? 'p' : mode == 'p' ? 'm' : mode;
    if (mode == 'n' ? part > (quad)0.5 || (part == (quad)0.5 && (whole & 1))
                    : mode == 'p' && part > 0) {
        low += 1;
    }
    return x < 0 ? -low : low;
}

/* The ends of an integer type. */
static quad least(char kind, uint32_t bits)
{
    return kind == 's' ? -power_of_2((int)bits - 1) : 0;
}

static quad most(char kind, uint32_t bits)
{
    return power_of_2((int)bits - (kind == 's')) - 1;
}

static uint64_t whole_bits(quad x, uint32_t bits)
{
    return low_bits(x < 0 ? (uint64_t)(wide)x : (uint64_t)x, bits);
}

static uint64_t clamped(const struct form *f, quad x)
{
    quad low = least(f->kind2, f->bits2), high = most(f->kind2, f->bits2);

    return whole_bits(x < low ? low : x > high ? high : x, f->bits2);
}

static quad integer(const struct form *f, uint64_t x)
{
    uint64_t low = low_bits(x, f->bits);
    bool negative = f->kind == 's' && (low >> (f->bits - 1) & 1) != 0;

    return (quad)low - (negative ? power_of_2((int)f->bits) : 0);
}

/* Whether it names rni, rzi, rmi or rpi. */
static bool to_integral(const struct form *f)
{
    return form_has(f, "rni") || form_has(f, "rzi") || form_has(f, "rmi") ||
           form_has(f, "rpi");
}

/* From integers. */
static uint64_t from_integer(const struct form *f, uint64_t x)
{
    quad value = integer(f, x);

    if (is_float(f->kind2)) {
        return exact_round(format_of(f->bits2), exact_of(value),
                           form_rounding(f));
    }
    return form_has(f, "sat") ? clamped(f, value) : whole_bits(value, f->bits2);
}

static uint64_t flushed(struct format f, uint64_t x, bool flush)
{
    uint64_t size = x & (format_sign(f) - 1);

    return flush && size < UINT64_C(1) << f.fraction ? x & format_sign(f) : x;
}

static uint64_t saturated(struct format f, uint64_t x, bool saturate)
{
    uint64_t one = format_infinity(f) >> 1 & format_infinity(f);

    return !saturate                                          ? x
           : format_is_nan(f, x) || (x & format_sign(f)) != 0 ? 0
           : x > one                                          ? one
                                                              : x;
}

static void to_float(const struct form *f, uint64_t x, struct values_want *want)
{
    struct format from = format_of(f->bits), to = format_of(f->bits2);
    bool negative = (x & format_sign(from)) != 0, ftz = form_has(f, "ftz");
    bool sat = form_has(f, "sat");
    struct exact e;

    if (format_is_nan(from, x) && !sat) {
        want->nan = f->bits2 == 64   ? &binary64
                    : f->bits2 == 32 ? &binary32
                                     : &binary16;
        return;
    }
    if (format_is_nan(from, x)) {
        return; /* zero */
    }
    if (format_is_infinite(from, x)) {
        want->bits = saturated(
            to, format_infinity(to) | (negative ? format_sign(to) : 0), sat);
        return;
    }
    e = exact_of(format_value(from, x));
    if (to_integral(f)) {
        e = exact_of(integral(e.x, form_rounding(f)));
    }
    e.negative = negative;
    want->bits = exact_round(to, e, form_rounding(f));
    want->bits =
        saturated(to, flushed(to, want->bits, ftz && f->bits2 == 32), sat);
}

static void to_integer(const struct form *f, uint64_t x,
                       struct values_want *want)
{
    struct format from = format_of(f->bits);

    if (format_is_nan(from, x)) { /* so PTX ISA 9.0; before, it said zero */
        bool zero = f->bits != 64 && f->bits2 != 64;

        want->bits = zero ? 0 : UINT64_C(1) << (f->bits2 - 1);
        return;
    }
    if (format_is_infinite(from, x)) {
        bool negative = (x & format_sign(from)) != 0;

        want->bits = clamped(f, negative ? -power_of_2(100) : power_of_2(100));
        return;
    }
    want->bits = clamped(f, integral(format_value(from, x), form_rounding(f)));
}

static void model(const void *subject, const uint64_t in[SOURCES],
                  struct values_want *want)
{
    const struct form *f = subject;
    uint64_t x = low_bits(in[0], f->bits);

    if (!is_float(f->kind)) {
        want->bits = from_integer(f, x);
        return;
    }
    x = flushed(format_of(f->bits), x, form_has(f, "ftz") && f->bits == 32);
    if (is_float(f->kind2)) {
        to_float(f, x, want);
    } else {
        to_integer(f, x, want);
    }
}

/* Of 8 bits, in a register of 16: extended by its sign. */
static void extended_model(const void *subject, const uint64_t in[SOURCES],
                           struct values_want *want)
{
    const struct form *f = subject;

    model(subject, in, want);
    if (f->bits2 == 8 && f->kind2 == 's') {
        want->bits = low_bits((uint64_t)(int8_t)want->bits, 16);
    }
}

static void run_edges(const struct form *f, const uint64_t *edge)
{
    char code[120];
    struct values_case c = {.code = code,
                            .class = values_class(f->kind2, f->bits2),
                            .edge = {edge, edge, edge, edge},
                            .model = extended_model,
                            .subject = f};

    snprintf(code, sizeof(code), "%s %%%c12, %%%c10;", f->text, c.class,
             values_class(f->kind, f->bits));
    values_run(&c);
}

static bool run_form(const struct form *f)
{
    uint64_t edge[VALUES];

    if (strcmp(f->word[0], "cvt") != 0 || f->bits2 == 0) {
        return false;
    }
    if (!is_float(f->kind)) {
        run_edges(f, int_edges);
        return true;
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        float single = (float)halves[i];
        uint32_t bits;

        memcpy(&bits, &single, sizeof(bits));
        edge[i] = bits;
        if (f->bits == 64) {
            memcpy(&edge[i], &halves[i], sizeof(edge[i]));
        } else if (f->bits == 16) {
            edge[i] = exact_round(binary16, exact_of((quad)halves[i]), 'n');
        }
    }
    run_edges(f, edge);
    run_edges(f, f->bits == 64   ? f64_edges
                 : f->bits == 32 ? f32_edges
                                 : f16_edges);
    return true;
}

/* Every pair of types. */
static void every_pair(void)
{
    static const char *const types[] = {"u8",  "s8",  "u16", "s16",
                                        "u32", "s32", "u64", "s64",
                                        "f16", "f32", "f64"};
    static const char *const whole[] = {"rni", "rzi", "rmi", "rpi"};
    static const char *const part[] = {"rn", "rz", "rm", "rp"};
    const size_t count = LOOM_COUNTOF(types);

    for (size_t i = 0; i < count * count * 4; i++) {
        const char *to = types[i / 4 % count], *from = types[i / 4 / count];
        bool real = to[0] == 'f', was_real = from[0] == 'f';
        bool wider = real && was_real &&
                     strtoul(to + 1, NULL, 10) > strtoul(from + 1, NULL, 10);
        const char *mode = real && was_real && strcmp(to, from) != 0
                               ? (wider ? "" : part[i % 4])
                           : was_real ? whole[i % 4]
                           : real     ? part[i % 4]
                                      : (i % 2 != 0 ? "sat" : "");
        struct form f;
        char text[64];

        snprintf(text, sizeof(text), "cvt.%s%s%s.%s", mode,
                 mode[0] != '\0' ? "." : "", to, from);
        form_read(&f, text);
        EXPECT(run_form(&f));
    }
}

static const char *const more[] = {
    "cvt.sat.f64.f64",     "cvt.sat.f32.f16",     "cvt.rn.sat.f32.f64",
    "cvt.rn.ftz.f32.f64",  "cvt.ftz.f64.f32",     "cvt.rni.ftz.f32.f32",
    "cvt.rzi.ftz.s32.f32", "cvt.rn.sat.f16.f32",  "cvt.rpi.ftz.u64.f32",
    "cvt.rzi.sat.f32.f32", "cvt.rzi.ftz.s64.f32", "cvt.rn.f16.f64",
};

static void every_form(void)
{
    EXPECT(values_all(run_form, more, LOOM_COUNTOF(more)) >=
           LOOM_COUNTOF(more) + 35);
}

static const struct loom_test tests[] = {
    {"every_form", every_form},
    {"every_pair", every_pair},
};

int main(void)
{
    return loom_run_tests("ptx_values_cvt", tests, LOOM_COUNTOF(tests));
}

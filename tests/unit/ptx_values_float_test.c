/*
 * Floating-point arithmetic, comparisons and moves on all pairs of edge
 * values, against results that are rounded once from exact ones.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_values_edges.h"
#include "tests/unit/ptx_values_list.h"

/* One operation on one format. */
struct sum {
    const struct form *form;
    struct format format;
    uint64_t x[3]; /* bits */
    bool ftz;
};

static uint64_t canonical(struct format f)
{
    return format_sign(f) - 1;
}

static bool is_zero(struct format f, uint64_t x)
{
    return (x & (format_sign(f) - 1)) == 0;
}

static uint64_t flushed(const struct sum *s, uint64_t x)
{
    uint64_t least = UINT64_C(1) << s->format.fraction;
    uint64_t sign = format_sign(s->format);

    return s->ftz && (x & (sign - 1)) < least ? x & sign : x;
}

static bool any_nan(const struct sum *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (format_is_nan(s->format, s->x[i])) {
            return true;
        }
    }
    return false;
}

/* p + q; p is the value of a factor's bits or of a product, with its sign. */
static uint64_t added(const struct sum *s, quad p, bool p_negative, uint64_t q)
{
    bool negative = (q & format_sign(s->format)) != 0;
    char mode = form_rounding(s->form);
    quad value = format_value(s->format, q);
    struct exact e = exact_sum(p, value);

    if (p == 0 && value == 0) {
        e.negative = p_negative == negative ? negative : mode == 'm';
    } else if (e.x == 0) {
        e.negative = mode == 'm';
    }
    return exact_round(s->format, e, mode);
}

static uint64_t sum_of(const struct sum *s, uint64_t x, uint64_t y)
{
    struct format f = s->format;
    bool x_infinite = format_is_infinite(f, x);

    if (x_infinite && format_is_infinite(f, y)) {
        return x == y ? x : canonical(f);
    }
    if (x_infinite || format_is_infinite(f, y)) {
        return x_infinite ? x : y;
    }
    return added(s, format_value(f, x), (x & format_sign(f)) != 0, y);
}

/* x * y + z; z NULL: the product alone. */
static uint64_t product(const struct sum *s, const uint64_t *z)
{
    struct format f = s->format;
    uint64_t x = s->x[0], y = s->x[1], sign = (x ^ y) & format_sign(f);
    struct exact e;
    quad exact;

    if (format_is_infinite(f, x) || format_is_infinite(f, y)) {
        uint64_t infinite = sign | format_infinity(f);

        if (is_zero(f, x) || is_zero(f, y)) {
            return canonical(f);
        }
        return z == NULL || !format_is_infinite(f, *z) || *z == infinite
                   ? infinite
                   : canonical(f);
    }
    if (z != NULL && format_is_infinite(f, *z)) {
        return *z;
    }
    exact = format_value(f, x) * format_value(f, y);
    if (z != NULL) {
        return added(s, exact, sign != 0, *z);
    }
    e = exact_of(exact);
    e.negative = sign != 0;
    return exact_round(f, e, form_rounding(s->form));
}

static uint64_t quotient(const struct sum *s, uint64_t x, uint64_t y)
{
    struct format f = s->format;
    uint64_t sign = (x ^ y) & format_sign(f);
    struct exact e;

    if ((is_zero(f, x) && is_zero(f, y)) ||
        (format_is_infinite(f, x) && format_is_infinite(f, y))) {
        return canonical(f);
    }
    if (format_is_infinite(f, x) || is_zero(f, y)) {
        return sign | format_infinity(f);
    }
    if (format_is_infinite(f, y)) {
        return sign;
    }
    e = exact_quotient(format_value(f, x), format_value(f, y));
    e.negative = sign != 0;
    return exact_round(f, e, form_rounding(s->form));
}

static uint64_t root(const struct sum *s)
{
    struct format f = s->format;
    uint64_t x = s->x[0];

    if (is_zero(f, x) || x == format_infinity(f)) {
        return x;
    }
    if ((x & format_sign(f)) != 0) {
        return canonical(f);
    }
    return exact_round(f,
                       (struct exact){EXACT_ROOT, format_value(f, x), 0, false},
                       form_rounding(s->form));
}

/* min and max take the number of a number and a NaN, and -0 < +0. */
static uint64_t extreme(const struct sum *s)
{
    struct format f = s->format;
    uint64_t sign = format_sign(f), x = s->x[0], y = s->x[1];
    bool less;

    if (format_is_nan(f, x) || format_is_nan(f, y)) {
        bool both = format_is_nan(f, x) && format_is_nan(f, y);

        return both || form_has(s->form, "NaN") ? canonical(f)
               : format_is_nan(f, x)            ? y
                                                : x;
    }
    /* As integers: the more negative, the larger the bits. */
    less = (x & sign) != (y & sign) ? (x & sign) != 0
           : (x & sign) != 0        ? x > y
                                    : x < y;
    return less == (s->form->word[0][1] == 'i') ? x : y;
}

static uint64_t saturated(const struct sum *s, uint64_t x)
{
    uint64_t one = (format_infinity(s->format) >> 1) &
                   ~((UINT64_C(1) << s->format.fraction) - 1);

    if (!form_has(s->form, "sat")) {
        return x;
    }
    if (format_is_nan(s->format, x) || (x & format_sign(s->format)) != 0) {
        return 0;
    }
    return x > one ? one : x;
}

static bool is_op(const struct sum *s, const char *op)
{
    return strcmp(s->form->word[0], op) == 0;
}

static uint64_t arithmetic(const struct sum *s)
{
    uint64_t sign = format_sign(s->format);
    uint64_t one = (sign - 1) >> 1 & ~((UINT64_C(1) << s->format.fraction) - 1);
    uint32_t sources = is_op(s, "fma") || is_op(s, "mad")    ? 3
                       : is_op(s, "rcp") || is_op(s, "sqrt") ? 1
                                                             : 2;

    if (is_op(s, "min") || is_op(s, "max")) {
        return extreme(s);
    }
    if (any_nan(s, sources)) {
        return canonical(s->format);
    }
    if (is_op(s, "add") || is_op(s, "sub")) {
        return sum_of(s, s->x[0], s->x[1] ^ (is_op(s, "sub") ? sign : 0));
    }
    if (is_op(s, "mul") || sources == 3) {
        return product(s, sources == 3 ? &s->x[2] : NULL);
    }
    if (is_op(s, "div")) {
        return quotient(s, s->x[0], s->x[1]);
    }
    return is_op(s, "rcp") ? quotient(s, one, s->x[0]) : root(s);
}

/* ---- what does not round ---- */

static bool compared(const char *how, quad x, quad y)
{
    return strncmp(how, "eq", 2) == 0   ? x == y
           : strncmp(how, "ne", 2) == 0 ? x != y
           : strncmp(how, "lt", 2) == 0 ? x < y
           : strncmp(how, "le", 2) == 0 ? x <= y
           : strncmp(how, "gt", 2) == 0 ? x > y
                                        : x >= y;
}

static bool setp(const struct sum *s)
{
    const char *how = s->form->word[1];
    bool nan = any_nan(s, 2);

    if (strcmp(how, "num") == 0 || strcmp(how, "nan") == 0) {
        return nan == (how[1] == 'a');
    }
    if (nan) {
        return how[2] == 'u'; /* ltu: or unordered */
    }
    return compared(how, format_value(s->format, s->x[0]),
                    format_value(s->format, s->x[1]));
}

static bool testp(const struct sum *s)
{
    const char *what = s->form->word[1];
    struct format f = s->format;
    bool nan = any_nan(s, 1), infinite = format_is_infinite(f, s->x[0]);
    uint64_t size = s->x[0] & (format_sign(f) - 1);
    bool subnormal = size != 0 && size < UINT64_C(1) << f.fraction;

    return strcmp(what, "finite") == 0       ? !nan && !infinite
           : strcmp(what, "infinite") == 0   ? infinite
           : strcmp(what, "number") == 0     ? !nan
           : strcmp(what, "notanumber") == 0 ? nan
           : strcmp(what, "normal") == 0     ? !nan && !infinite && !subnormal
                                             : subnormal;
}

/* False: it rounds. */
static bool moved(const struct sum *s, uint64_t select,
                  struct values_want *want)
{
    uint64_t sign = format_sign(s->format), x = s->x[0], y = s->x[1];

    if (is_op(s, "mov")) {
        want->bits = x;
    } else if (is_op(s, "selp")) {
        want->bits = (select & 1) != 0 ? x : y;
    } else if (is_op(s, "copysign")) { /* the sign of a on the value of b */
        want->bits = (x & sign) | (y & (sign - 1));
    } else if (is_op(s, "abs") || is_op(s, "neg")) {
        want->bits = is_op(s, "abs") ? x & (sign - 1) : x ^ sign;
        want->nan = any_nan(s, 1) ? s->form->bits == 64   ? &binary64
                                    : s->form->bits == 32 ? &binary32
                                                          : &binary16
                                  : NULL;
    } else if (is_op(s, "setp")) {
        want->bits = setp(s);
    } else if (is_op(s, "testp")) {
        want->bits = testp(s);
    } else {
        return false;
    }
    return true;
}

static uint64_t rounded(struct sum *s)
{
    uint64_t r;

    for (uint32_t i = 0; i < 3; i++) {
        s->x[i] = flushed(s, s->x[i]);
    }
    r = flushed(s, arithmetic(s));
    return saturated(s, r);
}

static void model(const void *subject, const uint64_t in[SOURCES],
                  struct values_want *want)
{
    const struct form *f = subject;
    struct sum s = {.form = f, .ftz = form_has(f, "ftz")};

    s.format = f->bits == 64                     ? binary64
               : f->bits == 32 && f->kind == 'f' ? binary32
                                                 : binary16;
    if (f->kind == 'h') { /* both halves by themselves */
        for (uint32_t at = 0; at < 32; at += 16) {
            for (uint32_t i = 0; i < 3; i++) {
                s.x[i] = in[i] >> at & 0xffff;
            }
            want->bits |= rounded(&s) << at;
        }
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        s.x[i] = low_bits(in[i], f->bits);
    }
    if (moved(&s, in[2], want)) {
        return;
    }
    want->bits = rounded(&s);
    if (f->bits == 64 && format_is_nan(binary64, want->bits)) {
        want->nan = &binary64;
    }
}

static const struct {
    const char *op, *operands;
} shapes[] = {
    {"add", "tt"},  {"sub", "tt"},      {"mul", "tt"},  {"fma", "ttt"},
    {"mad", "ttt"}, {"div", "tt"},      {"rcp", "t"},   {"sqrt", "t"},
    {"min", "tt"},  {"max", "tt"},      {"abs", "t"},   {"neg", "t"},
    {"mov", "t"},   {"copysign", "tt"}, {"setp", "tt"}, {"selp", "ttp"},
    {"testp", "t"},
};

static const char *shape_of(const struct form *f)
{
    for (size_t i = 0; i < LOOM_COUNTOF(shapes); i++) {
        if (strcmp(f->word[0], shapes[i].op) == 0) {
            return shapes[i].operands;
        }
    }
    return NULL;
}

static bool run_form(const struct form *f)
{
    static const uint32_t numbers[3] = {10, 11, 13};
    const char *operands = shape_of(f);
    const uint64_t *edge = f->bits == 64                     ? f64_edges
                           : f->bits == 32 && f->kind == 'f' ? f32_edges
                                                             : f16_edges;
    char code[160], class = values_class(f->kind, f->bits);
    struct values_case c = {.code = code,
                            .class = class,
                            .edge = {edge, edge, edge, edge},
                            .model = model,
                            .subject = f};
    size_t used;

    if (operands == NULL || strchr("fh", f->kind) == NULL || f->bits == 0 ||
        form_has(f, "approx")) {
        return false;
    }
    if (strcmp(f->word[0], "setp") == 0 || strcmp(f->word[0], "testp") == 0) {
        c.class = 'p';
    }
    used = (size_t)snprintf(code, sizeof(code), "%s %%%c12", f->text, c.class);
    for (uint32_t i = 0; operands[i] != '\0'; i++) {
        used += (size_t)snprintf(code + used, sizeof(code) - used, ", %%%c%u",
                                 operands[i] == 't' ? class : 'p', numbers[i]);
    }
    snprintf(code + used, sizeof(code) - used, ";");
    values_run(&c);
    return true;
}

/* What the programs do not use, but rows have. */
static const char *const more[] = {
    "add.rz.f64",
    "add.rm.f32",
    "add.rp.f32",
    "sub.rn.f32",
    "sub.rz.f64",
    "sub.rm.f32",
    "mul.rz.f32",
    "mul.rm.f32",
    "mul.rp.f32",
    "mul.rz.f64",
    "fma.rp.f32",
    "fma.rz.f64",
    "fma.rm.f64",
    "fma.rp.f64",
    "mad.rn.f32",
    "mad.rz.f64",
    "div.rz.f32",
    "div.rm.f32",
    "div.rp.f32",
    "div.rz.f64",
    "rcp.rz.f32",
    "rcp.rm.f32",
    "rcp.rp.f64",
    "rcp.rz.f64",
    "sqrt.rz.f32",
    "sqrt.rm.f32",
    "sqrt.rp.f32",
    "sqrt.rz.f64",
    "sqrt.rm.f64",
    "sqrt.rp.f64",
    "add.ftz.f32",
    "sub.ftz.f32",
    "mul.ftz.f32",
    "fma.rn.ftz.f32",
    "div.rn.ftz.f32",
    "rcp.rn.ftz.f32",
    "sqrt.rn.ftz.f32",
    "min.ftz.f32",
    "max.ftz.f32",
    "add.sat.f32",
    "mul.sat.f32",
    "fma.rn.sat.f32",
    "min.NaN.f32",
    "max.NaN.f32",
    "add.f16",
    "sub.f16",
    "mul.f16",
    "fma.rn.f16",
    "sub.f16x2",
    "min.f16",
    "max.f16",
    "neg.f16",
    "abs.f16",
    "setp.equ.f64",
    "setp.neu.f32",
    "setp.num.f32",
    "setp.nan.f32",
    "setp.ge.f64",
    "setp.ltu.f32",
    "testp.finite.f32",
    "testp.infinite.f32",
    "testp.number.f64",
    "testp.notanumber.f32",
    "testp.normal.f64",
    "testp.subnormal.f32",
    "testp.normal.f32",
    "testp.subnormal.f64",
    "mov.f16",
};

static void every_form(void)
{
    EXPECT(values_all(run_form, more, LOOM_COUNTOF(more)) >=
           LOOM_COUNTOF(more) + 60);
}

static const struct loom_test tests[] = {
    {"every_form", every_form},
};

int main(void)
{
    return loom_run_tests("ptx_values_float", tests, LOOM_COUNTOF(tests));
}

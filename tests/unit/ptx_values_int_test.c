/*
 * Integer, logical and bit instructions, comparisons and moves on all pairs
 * of edge values, against 128-bit arithmetic in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_values_edges.h"
#include "tests/unit/ptx_values_list.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static wide number(const struct form *f, uint64_t x)
{
    uint64_t low = low_bits(x, f->bits);

    if (f->kind != 's') {
        return (wide)low;
    }
    return (wide)low -
           ((low >> (f->bits - 1) & 1) != 0 ? (wide)1 << f->bits : 0);
}

static wide least(wide x, wide y)
{
    return x < y ? x : y;
}

static wide most(wide x, wide y)
{
    return x > y ? x : y;
}

/* Comparisons by the names of PTX ISA; "lo" and its like are unsigned. */
static bool compared(const char *how, wide x, wide y)
{
    return strcmp(how, "eq") == 0                             ? x == y
           : strcmp(how, "ne") == 0                           ? x != y
           : strcmp(how, "lt") == 0 || strcmp(how, "lo") == 0 ? x < y
           : strcmp(how, "le") == 0 || strcmp(how, "ls") == 0 ? x <= y
           : strcmp(how, "gt") == 0 || strcmp(how, "hi") == 0 ? x > y
                                                              : x >= y;
}

/* Modulo 2^128, which is enough for either half. */
static wide half_of(const struct form *f, wide x, wide y)
{
    wide product = (wide)((uwide)x * (uwide)y);

    return form_has(f, "hi") ? product >> f->bits : product;
}

static wide divided(const struct form *f, wide x, wide y, bool *open)
{
    *open = y == 0; /* "an unspecified, machine-specific value" */
    return *open ? 0 : f->word[0][0] == 'd' ? x / y : x % y;
}

/* Of two or three operands; the caller cuts the result. */
static bool arithmetic(const struct form *f, const wide x[3],
                       struct values_want *want, wide *r)
{
    const char *op = f->word[0];

    if (strcmp(op, "add") == 0) {
        *r = x[0] + x[1];
    } else if (strcmp(op, "sub") == 0) {
        *r = x[0] - x[1];
    } else if (strcmp(op, "mul") == 0) {
        *r = half_of(f, x[0], x[1]);
    } else if (strcmp(op, "mad") == 0) {
        *r = (wide)((uwide)half_of(f, x[0], x[1]) + (uwide)x[2]);
    } else if (strcmp(op, "sad") == 0) {
        *r = most(x[0], x[1]) - least(x[0], x[1]) + x[2];
    } else if (strcmp(op, "div") == 0 || strcmp(op, "rem") == 0) {
        *r = divided(f, x[0], x[1], &want->open);
    } else if (strcmp(op, "min") == 0) {
        *r = least(x[0], x[1]);
    } else if (strcmp(op, "max") == 0) {
        *r = most(x[0], x[1]);
    } else if (strcmp(op, "abs") == 0) {
        *r = most(x[0], -x[0]);
    } else if (strcmp(op, "neg") == 0) {
        *r = -x[0];
    } else if (strcmp(op, "mov") == 0) {
        *r = x[0];
    } else {
        return false;
    }
    return true;
}

static bool logic(const struct form *f, const uint64_t in[SOURCES], wide *r)
{
    const char *op = f->word[0];
    uint64_t a = low_bits(in[0], f->bits), b = low_bits(in[1], f->bits);
    uint32_t shift = (uint32_t)in[1];

    if (strcmp(op, "and") == 0) {
        *r = a & b;
    } else if (strcmp(op, "or") == 0) {
        *r = a | b;
    } else if (strcmp(op, "xor") == 0) {
        *r = a ^ b;
    } else if (strcmp(op, "not") == 0) {
        *r = ~a;
    } else if (strcmp(op, "cnot") == 0) {
        *r = a == 0;
    } else if (strcmp(op, "shl") == 0) {
        *r = shift >= f->bits ? 0 : (wide)((uwide)a << shift);
    } else if (strcmp(op, "shr") == 0) {
        *r = number(f, in[0]) >> least(shift, 100);
    } else if (strcmp(op, "setp") == 0) {
        *r = compared(f->word[1], number(f, in[0]), number(f, in[1]));
    } else if (strcmp(op, "selp") == 0) {
        *r = (in[2] & 1) != 0 ? a : b;
    } else if (strcmp(op, "slct") == 0) {
        *r = (int32_t)(uint32_t)in[2] >= 0 ? a : b;
    } else {
        return false;
    }
    return true;
}

/* The position of the highest bit that is not a copy of the sign. */
static wide highest(const struct form *f, uint64_t x)
{
    wide v = number(f, x);
    int at = -1;

    for (v = v < 0 ? ~v : v; v != 0; v >>= 1) {
        at++;
    }
    if (at < 0) {
        return UINT32_MAX;
    }
    return form_has(f, "shiftamt") ? (int)f->bits - 1 - at : at;
}

/* Positions and lengths are the low 8 bits (PTX ISA, bfe and bfi). */
static wide extracted(const struct form *f, const uint64_t in[SOURCES])
{
    uint32_t at = in[1] & 255, n = in[2] & 255;
    uint32_t last = (uint32_t)least(at + n - 1, f->bits - 1);
    bool sign = f->kind == 's' && n != 0 && (in[0] >> last & 1) != 0;
    uint64_t r = 0;

    for (uint32_t i = 0; i < f->bits; i++) {
        bool bit =
            i < n && at + i < f->bits ? (in[0] >> (at + i) & 1) != 0 : sign;
        r |= (uint64_t)bit << i;
    }
    return (wide)r;
}

static wide inserted(const struct form *f, const uint64_t in[SOURCES])
{
    uint32_t at = in[2] & 255, n = in[3] & 255;
    uint64_t r = low_bits(in[1], f->bits);

    for (uint32_t i = 0; i < n && at + i < f->bits; i++) {
        r = (r & ~(UINT64_C(1) << (at + i))) | (in[0] >> i & 1) << (at + i);
    }
    return (wide)r;
}

static wide mask_of(const struct form *f, const uint64_t in[SOURCES])
{
    uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1], r = 0;

    if (form_has(f, "wrap")) {
        a &= 31;
        b &= 31;
    }
    for (uint32_t i = 0; i < 32; i++) {
        r |= (uint32_t)(i >= a && (uint64_t)i < (uint64_t)a + b) << i;
    }
    return r;
}

static wide permuted(const uint64_t in[SOURCES])
{
    uint64_t all = (in[1] & UINT32_MAX) << 32 | (in[0] & UINT32_MAX), r = 0;

    for (uint32_t i = 0; i < 4; i++) {
        uint64_t pick = in[2] >> (4 * i) & 15;
        uint64_t byte = all >> (8 * (pick & 7)) & 255;

        if (pick > 7) {
            byte = (byte & 128) != 0 ? 255 : 0;
        }
        r |= byte << (8 * i);
    }
    return (wide)r;
}

/* shf.l: the upper half of b:a << n; shf.r: the lower half of b:a >> n. */
static wide funnelled(const struct form *f, const uint64_t in[SOURCES])
{
    uint64_t all = (in[1] & UINT32_MAX) << 32 | (in[0] & UINT32_MAX);
    uint32_t n = (uint32_t)in[2];

    n = form_has(f, "wrap") ? n & 31 : n > 32 ? 32 : n;
    return form_has(f, "l") ? (wide)((uwide)all << n >> 32) : (wide)(all >> n);
}

static bool bit_fields(const struct form *f, const uint64_t in[SOURCES],
                       wide *r)
{
    const char *op = f->word[0];
    uint64_t a = low_bits(in[0], f->bits);

    *r = 0;
    if (strcmp(op, "popc") == 0 || strcmp(op, "brev") == 0) {
        for (uint32_t i = 0; i < f->bits; i++) {
            wide bit = a >> i & 1;

            *r += op[0] == 'p' ? bit : bit << (f->bits - 1 - i);
        }
    } else if (strcmp(op, "clz") == 0) {
        for (*r = f->bits; a != 0; a >>= 1) {
            --*r;
        }
    } else if (strcmp(op, "bfind") == 0) {
        *r = highest(f, in[0]);
    } else if (strcmp(op, "bfe") == 0) {
        *r = extracted(f, in);
    } else if (strcmp(op, "bfi") == 0) {
        *r = inserted(f, in);
    } else if (strcmp(op, "bmsk") == 0) {
        *r = mask_of(f, in);
    } else if (strcmp(op, "prmt") == 0) {
        *r = permuted(in);
    } else if (strcmp(op, "shf") == 0) {
        *r = funnelled(f, in);
    } else {
        return false;
    }
    return true;
}

/* Bits of the result. */
static uint32_t result_bits(const struct form *f)
{
    static const char *const counts[] = {"popc", "clz", "bfind"};

    for (size_t i = 0; i < LOOM_COUNTOF(counts); i++) {
        if (strcmp(f->word[0], counts[i]) == 0) {
            return 32;
        }
    }
    return strcmp(f->word[0], "setp") == 0 ? 1
           : form_has(f, "wide")           ? 2 * f->bits
                                           : f->bits;
}

static void model(const void *subject, const uint64_t in[SOURCES],
                  struct values_want *want)
{
    const struct form *f = subject;
    struct form third = *f; /* of mad.wide */
    wide x[3], r = 0;
    bool known;

    third.bits = result_bits(f);
    x[0] = number(f, in[0]);
    x[1] = number(f, in[1]);
    x[2] = number(&third, in[2]);
    known =
        arithmetic(f, x, want, &r) || logic(f, in, &r) || bit_fields(f, in, &r);
    REQUIRE(known);
    want->bits = low_bits((uint64_t)r, result_bits(f));
}

/* Operands of each: t of the type, w of the result's, 4 .b32, p predicate. */
static const struct {
    const char *op, *operands;
} shapes[] = {
    {"add", "tt"},   {"sub", "tt"},   {"mul", "tt"},  {"mad", "ttw"},
    {"sad", "ttt"},  {"div", "tt"},   {"rem", "tt"},  {"min", "tt"},
    {"max", "tt"},   {"abs", "t"},    {"neg", "t"},   {"mov", "t"},
    {"and", "tt"},   {"or", "tt"},    {"xor", "tt"},  {"not", "t"},
    {"cnot", "t"},   {"shl", "t4"},   {"shr", "t4"},  {"setp", "tt"},
    {"selp", "ttp"}, {"slct", "tt4"}, {"popc", "t"},  {"brev", "t"},
    {"clz", "t"},    {"bfind", "t"},  {"bfe", "t44"}, {"bfi", "tt44"},
    {"bmsk", "44"},  {"prmt", "444"}, {"shf", "444"},
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

static void write_code(const struct form *f, const char *operands, char *code,
                       size_t room)
{
    static const uint32_t numbers[SOURCES] = {10, 11, 13, 14};
    char class = values_class(f->kind, result_bits(f));
    size_t used;

    class = strcmp(f->word[0], "setp") == 0 ? 'p' : class;
    used = (size_t)snprintf(code, room, "%s %%%c12", f->text, class);
    for (uint32_t i = 0; operands[i] != '\0'; i++) {
        char o = operands[i];

        o = o == 't'   ? values_class(f->kind, f->bits)
            : o == 'w' ? values_class(f->kind, result_bits(f))
            : o == '4' ? 'r'
                       : 'p';
        used += (size_t)snprintf(code + used, room - used, ", %%%c%u", o,
                                 numbers[i]);
        REQUIRE(used < room);
    }
    snprintf(code + used, room - used, ";");
}

static bool run_form(const struct form *f)
{
    const char *operands = shape_of(f);
    char code[160];
    struct values_case c = {
        .code = code,
        .edge = {int_edges, int_edges, int_edges, int_edges},
        .model = model,
        .subject = f};

    if (operands == NULL || f->bits == 0 || f->kind == 'f' || f->kind == 'h' ||
        form_has(f, "cc") || f->bits > 64) {
        return false;
    }
    c.class = strcmp(f->word[0], "setp") == 0
                  ? 'p'
                  : values_class(f->kind, result_bits(f));
    write_code(f, operands, code, sizeof(code));
    values_run(&c);
    return true;
}

/* What the programs do not use, but rows have. */
static const char *const more[] = {
    "add.u16",        "add.u64",         "sub.u64",       "sub.u16",
    "sub.u32",        "mul.lo.u16",      "mul.lo.u64",    "mul.hi.u16",
    "mul.hi.s16",     "mul.hi.u64",      "mul.hi.s64",    "mad.lo.u16",
    "mad.lo.s16",     "mad.hi.u32",      "mad.hi.s32",    "mad.lo.u64",
    "mad.hi.s64",     "mad.wide.s32",    "mad.wide.u16",  "mad.wide.s16",
    "mad.lo.u32",     "sad.u16",         "sad.s32",       "sad.u32",
    "sad.s64",        "div.s16",         "div.s64",       "rem.u16",
    "rem.s16",        "rem.s64",         "min.s16",       "max.s16",
    "max.s64",        "abs.s16",         "abs.s64",       "neg.s16",
    "cnot.b16",       "cnot.b32",        "cnot.b64",      "bfe.u32",
    "bfe.s32",        "bfe.u64",         "bfe.s64",       "bfi.b32",
    "bfind.s32",      "bfind.u64",       "bfind.s64",     "bfind.shiftamt.s64",
    "brev.b64",       "popc.b64",        "bmsk.wrap.b32", "slct.u16.s32",
    "slct.b64.s32",   "setp.lo.u16",     "setp.ls.u32",   "setp.hi.u64",
    "setp.hs.u32",    "setp.le.s16",     "setp.ge.u16",   "shf.l.clamp.b32",
    "shf.r.wrap.b32", "shf.r.clamp.b32", "selp.s16",      "selp.s64",
    "setp.ne.b32",    "setp.ne.b64",     "setp.ne.u64",   "setp.ne.b16",
};

static bool run_slct(const struct form *f)
{
    struct form first = *f;

    if (strcmp(f->word[0], "slct") != 0) {
        return run_form(f);
    }
    first.kind = f->kind2; /* its second type is the condition's */
    first.bits = f->bits2;
    return run_form(&first);
}

static void every_form(void)
{
    EXPECT(values_all(run_slct, more, LOOM_COUNTOF(more)) >=
           LOOM_COUNTOF(more) + 100);
}

/* ---- carries ---- */

/* Carry in: c is odd.  Result: the low word and the carry above it. */
static void carry_model(const void *subject, const uint64_t in[SOURCES],
                        struct values_want *want)
{
    const struct form *f = subject;
    uint64_t a = low_bits(in[0], 32), b = low_bits(in[1], 32);
    uint64_t d = low_bits(in[3], 32), sum;
    bool reads = strlen(f->word[0]) == 4; /* addc, subc, madc */
    uint64_t carry = reads ? in[2] & 1 : 0;

    if (f->word[0][0] == 's') {
        sum = a - b - carry;
        want->bits = low_bits(sum, 32);
        want->bits |= (uint64_t)(a < b + carry) << 32;
    } else {
        if (f->word[0][0] == 'm') {
            uint64_t product = form_has(f, "hi") ? a * b >> 32 : a * b;

            a = low_bits(product, 32);
            b = d;
        }
        sum = a + b + carry;
        want->bits = low_bits(sum, 33);
    }
    if (!form_has(f, "cc")) {
        want->bits = low_bits(want->bits, 32);
    }
}

static void run_carry(const char *text)
{
    struct form f;
    char code[400];
    struct values_case c = {
        .code = code,
        .class = 'd',
        .edge = {int_edges, int_edges, int_edges, int_edges},
        .model = carry_model,
        .subject = &f};
    const char *more_operands;
    bool minus;

    form_read(&f, text);
    minus = f.word[0][0] == 's';
    more_operands = f.word[0][0] == 'm' ? ", %r14" : "";
    /* The flag is set by 0xffffffff + (c & 1), or 0 - (c & 1). */
    snprintf(code, sizeof(code),
             "and.b32 %%r2, %%r13, 1;\n%s.cc.u32 %%r3, %s, %%r2;\n"
             "%s %%r12, %%r10, %%r11%s;\n%sc.u32 %%r4, 0, 0;\n%s"
             "mov.b64 %%d12, {%%r12, %%r4};",
             minus ? "sub" : "add", minus ? "0" : "0xffffffff", text,
             more_operands, minus ? "sub" : "add",
             !form_has(&f, "cc") ? "mov.u32 %r4, 0;\n"
             : minus             ? "neg.s32 %r4, %r4;\n"
                                 : "");
    values_run(&c);
}

static void carries(void)
{
    static const char *const forms[] = {
        "add.cc.u32",     "add.cc.s32",    "addc.u32",    "addc.s32",
        "addc.cc.u32",    "addc.cc.s32",   "sub.cc.u32",  "sub.cc.s32",
        "subc.u32",       "subc.s32",      "subc.cc.u32", "subc.cc.s32",
        "mad.lo.cc.u32",  "mad.hi.cc.u32", "madc.lo.u32", "madc.hi.u32",
        "madc.lo.cc.u32", "madc.hi.cc.u32"};

    for (size_t i = 0; i < LOOM_COUNTOF(forms); i++) {
        run_carry(forms[i]);
    }
}

static const struct loom_test tests[] = {
    {"every_form", every_form},
    {"carries", carries},
};

int main(void)
{
    return loom_run_tests("ptx_values_int", tests, LOOM_COUNTOF(tests));
}

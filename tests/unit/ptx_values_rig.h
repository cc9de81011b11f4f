/*
 * Every instruction form of a family on 576 combinations of edge values, each
 * compared with what the family's model says: the forms are those of
 * tests/ptx/opcodes.csv that the family takes, and a list of its own.
 */
#ifndef TESTS_UNIT_PTX_VALUES_RIG_H
#define TESTS_UNIT_PTX_VALUES_RIG_H

#include "tests/unit/ptx_exact_rig.h"
#include "tests/unit/ptx_rig.h"
#include "tests/unit/ptx_values_form.h"

#define VALUES 24
#define LANES (VALUES * VALUES)
#define SOURCES 4

/* Registers %?10, %?11, %?13, %?14 have the sources, %?12 gets the result. */
#define VALUES_HEAD                                                            \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"              \
    ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<16>;\n"               \
    ".reg .b64 %d<16>;\n.reg .f32 %f<16>;\n.reg .f64 %g<16>;\n"                \
    "ld.param.u64 %d1, [k_in];\nld.param.u64 %d2, [k_out];\n"                  \
    "mov.u32 %r1, %tid.x;\nmad.wide.u32 %d1, %r1, 32, %d1;\n"                  \
    "mad.wide.u32 %d2, %r1, 8, %d2;\n"                                         \
    "ld.global.v2.u64 {%d10, %d11}, [%d1];\n"                                  \
    "ld.global.v2.u64 {%d13, %d14}, [%d1+16];\nmov.u64 %d12, 0;\n"
#define VALUES_TAIL "st.global.u64 [%d2], %d12;\nret;\n}\n"

struct values_text {
    char at[16384];
    size_t used;
};

static inline void values_add(struct values_text *t, const char *text)
{
    size_t n = strlen(text);

    REQUIRE(t->used + n < sizeof(t->at));
    memcpy(t->at + t->used, text, n + 1);
    t->used += n;
}

/* A text whose '#' stand for a register's number. */
static inline void values_numbered(struct values_text *t, const char *text,
                                   uint32_t number)
{
    for (; *text != '\0'; text++) {
        char piece[12] = {*text, '\0'};

        if (*text == '#') {
            snprintf(piece, sizeof(piece), "%u", number);
        }
        values_add(t, piece);
    }
}

/* Registers of every class from %d10, %d11, %d13 and %d14. */
static inline void values_sources(struct values_text *t)
{
    static const uint32_t numbers[SOURCES] = {10, 11, 13, 14};

    for (uint32_t i = 0; i < SOURCES; i++) {
        values_numbered(t,
                        "cvt.u32.u64 %r#, %d#;\ncvt.u16.u64 %h#, %d#;\n"
                        "mov.b32 %f#, %r#;\nmov.b64 %g#, %d#;\n"
                        "and.b64 %d9, %d#, 1;\nsetp.ne.u64 %p#, %d9, 0;\n",
                        numbers[i]);
    }
}

/* The register class of a type: %h, %r ... */
static inline char values_class(char kind, uint32_t bits)
{
    if (kind == 'p') {
        return 'p';
    }
    if (kind == 'f' && bits >= 32) {
        return bits == 64 ? 'g' : 'f';
    }
    return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

/* Moves the result to %d12. */
static inline const char *values_result(char class)
{
    switch (class) {
    case 'p':
        return "selp.u64 %d12, 1, 0, %p12;\n";
    case 'h':
        return "cvt.u64.u16 %d12, %h12;\n";
    case 'r':
        return "cvt.u64.u32 %d12, %r12;\n";
    case 'f':
        return "mov.b32 %r12, %f12;\ncvt.u64.u32 %d12, %r12;\n";
    case 'g':
        return "mov.b64 %d12, %g12;\n";
    default:
        return "";
    }
}

/* What a model says of one lane. */
struct values_want {
    uint64_t bits;
    const struct format *nan; /* any NaN of this format is right */
    bool open;                /* PTX does not say */
};

struct values_case {
    const char *code; /* leaves its result in %?12 of `class` */
    char class;
    const uint64_t *edge[SOURCES]; /* [VALUES] for each source */
    void (*model)(const void *subject, const uint64_t in[SOURCES],
                  struct values_want *want);
    const void *subject;
};

/* All pairs of the first two sources' values; the others vary beside. */
static inline void values_fill(const struct values_case *c, uint64_t *in)
{
    for (uint32_t i = 0; i < LANES; i++) {
        in[i * SOURCES] = c->edge[0][i / VALUES];
        in[i * SOURCES + 1] = c->edge[1][i % VALUES];
        in[i * SOURCES + 2] = c->edge[2][(i * 7 + i / VALUES * 5) % VALUES];
        in[i * SOURCES + 3] = c->edge[3][(i * 11 + i / VALUES + 3) % VALUES];
    }
}

static inline bool values_same(const struct values_want *want, uint64_t got)
{
    return want->open || (want->nan != NULL ? format_is_nan(*want->nan, got)
                                            : got == want->bits);
}

static inline void values_compare(const struct values_case *c,
                                  const uint64_t *in, const uint64_t *out)
{
    for (uint32_t i = 0; i < LANES; i++) {
        const uint64_t *x = in + i * SOURCES;
        struct values_want want = {0};

        c->model(c->subject, x, &want);
        if (!values_same(&want, out[i])) {
            char what[400];

            snprintf(what, sizeof(what),
                     "'%s' of %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64
                     ", %#" PRIx64 " gives %#" PRIx64 ", expected %#" PRIx64
                     "%s",
                     c->code, x[0], x[1], x[2], x[3], out[i], want.bits,
                     want.nan != NULL ? " (a NaN)" : "");
            EXPECT_TEXT(what, "(equal)");
            return;
        }
    }
}

static inline void values_run(const struct values_case *c)
{
    struct values_text text = {.used = 0};
    struct ptx_rig rig;
    uint64_t word[2];
    bool ok;

    values_add(&text, VALUES_HEAD);
    values_sources(&text);
    values_add(&text, c->code);
    values_add(&text, "\n");
    values_add(&text, values_result(c->class));
    values_add(&text, VALUES_TAIL);
    ptx_rig_open(&rig, text.at);
    word[0] = ptx_rig_alloc(&rig, LANES * SOURCES * 8, "in");
    word[1] = ptx_rig_alloc(&rig, LANES * 8, "out");
    values_fill(c, ptx_rig_at(&rig, word[0]));
    ok = ptx_rig_try(&rig, "k", ptx_shape_1d(1, LANES), word);
    if (!ok) {
        EXPECT_TEXT(rig.err.text, "(no error)");
    } else {
        values_compare(c, ptx_rig_at(&rig, word[0]), ptx_rig_at(&rig, word[1]));
    }
    ptx_rig_close(&rig);
}

#endif

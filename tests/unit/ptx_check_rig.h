/*
 * Tables of instructions with their C: each is run on all pairs of sixteen
 * edge values.
 */
#ifndef TESTS_UNIT_PTX_CHECK_RIG_H
#define TESTS_UNIT_PTX_CHECK_RIG_H

#include "tests/unit/ptx_rig.h"

/* Reads a and b as u64, leaves them in registers of every type. */
#define PROLOGUE                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"     \
             ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<16>;\n"      \
             ".reg .b64 %d<16>;\n.reg .f32 %f<16>;\n.reg .f64 %g<16>;\n"       \
             "ld.param.u64 %d1, [k_in];\nld.param.u64 %d2, [k_out];\n"         \
             "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 16;\n"              \
             "add.s64 %d1, %d1, %d3;\nmul.wide.u32 %d3, %r1, 8;\n"             \
             "add.s64 %d2, %d2, %d3;\n"                                        \
             "ld.global.v2.u64 {%d10, %d11}, [%d1];\n"                         \
             "cvt.u32.u64 %r10, %d10;\ncvt.u32.u64 %r11, %d11;\n"              \
             "cvt.u16.u64 %h10, %d10;\ncvt.u16.u64 %h11, %d11;\n"              \
             "mov.b32 %f10, %r10;\nmov.b32 %f11, %r11;\n"                      \
             "mov.b64 %g10, %d10;\nmov.b64 %g11, %d11;\n"                      \
             "mov.u64 %d12, 0;\nmov.u32 %r12, 0;\n"
#define EPILOGUE "\nst.global.u64 [%d2], %d12;\nret;\n}\n"

/* From the result register to %d12. */
static inline const char *finish(char kind)
{
    switch (kind) {
    case 'r':
        return "cvt.u64.u32 %d12, %r12;";
    case 'h':
        return "cvt.u64.u16 %d12, %h12;";
    case 'f':
        return "mov.b32 %r12, %f12;\ncvt.u64.u32 %d12, %r12;";
    case 'g':
        return "mov.b64 %d12, %g12;";
    case 'p':
        return "selp.u64 %d12, 1, 0, %p12;";
    default:
        return "";
    }
}

struct pair {
    uint64_t a, b;
};

#define EDGES 16
#define PAIRS (EDGES * EDGES)

struct check {
    char kind;        /* of the result: r h d f g p */
    const char *code; /* a in %x10, b in %x11, result in %x12 */
    uint64_t (*want)(uint64_t a, uint64_t b);
};

static inline void run_check(const struct check *c, const uint64_t edge[EDGES])
{
    char text[4096];
    struct ptx_rig rig;
    struct pair *in;
    uint64_t *out, word[2];
    uint32_t bad = 0;

    snprintf(text, sizeof(text), "%s%s\n%s%s", PROLOGUE, c->code,
             finish(c->kind), EPILOGUE);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, PAIRS * sizeof(*in), "in");
    word[1] = ptx_rig_alloc(&rig, PAIRS * sizeof(*out), "out");
    in = ptx_rig_at(&rig, word[0]);
    out = ptx_rig_at(&rig, word[1]);
    for (uint32_t i = 0; i < PAIRS; i++) {
        in[i] = (struct pair){edge[i / EDGES], edge[i % EDGES]};
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, PAIRS), word);
    for (uint32_t i = 0; i < PAIRS && bad == 0; i++) {
        uint64_t want = c->want(in[i].a, in[i].b);

        if (out[i] != want) {
            char what[256];

            snprintf(what, sizeof(what),
                     "'%s' of %#" PRIx64 " and %#" PRIx64 " gives %#" PRIx64
                     ", expected %#" PRIx64,
                     c->code, in[i].a, in[i].b, out[i], want);
            EXPECT_TEXT(what, "(equal)");
            bad++;
        }
    }
    EXPECT_EQ(bad, 0);
    ptx_rig_close(&rig);
}

static inline void run_checks(const struct check *c, size_t count,
                              const uint64_t edge[EDGES])
{
    for (size_t i = 0; i < count; i++) {
        run_check(&c[i], edge);
    }
}

#define WANT(name, expr)                                                       \
    static uint64_t name(uint64_t a, uint64_t b)                               \
    {                                                                          \
        (void)a;                                                               \
        (void)b;                                                               \
        return (uint64_t)(expr);                                               \
    }
#define U(x) ((uint32_t)(x))
#define S(x) ((int64_t)(int32_t)(uint32_t)(x))
#define H(x) ((uint16_t)(x))
#define SH(x) ((int64_t)(int16_t)(uint16_t)(x))

static const uint64_t int_edge[EDGES] = {0,
                                         1,
                                         2,
                                         7,
                                         31,
                                         32,
                                         63,
                                         0x7fff,
                                         0x8000,
                                         0xffff,
                                         0x7fffffff,
                                         0x80000000,
                                         0xfffffffe,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0xffffffffffffffff};

#endif

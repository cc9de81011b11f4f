/*
 * Pairs of floats, cache policies and hints, reductions of floats, rows of
 * matrices, against values in C; and what is refused by name.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_check_rig.h"
#include "tests/unit/ptx_exact_rig.h"

/* One half of a pair: op of x, y (and y again), rounded. */
static uint32_t half(uint32_t x, uint32_t y, char op, char mode, bool ftz)
{
    struct format f = binary32;
    bool bad = format_is_nan(f, x) || format_is_nan(f, y);
    bool big = format_is_infinite(f, x) || format_is_infinite(f, y);
    quad a, b;
    struct exact e;
    uint32_t bits;

    x = ftz && (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
    y = ftz && (y & 0x7f800000) == 0 ? y & 0x80000000 : y;
    if (bad || big) { /* the host's arithmetic is exact there */
        float p, q, r;

        memcpy(&p, &x, 4);
        memcpy(&q, &y, 4);
        r = op == '+'   ? p + q
            : op == '-' ? p - q
            : op == '*' ? p * q
                        : p * q + q;
        memcpy(&bits, &r, 4);
        return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
    }
    a = format_value(f, x);
    b = format_value(f, y);
    if (op == '+' || op == '-') {
        b = op == '-' ? -b : b;
        e = exact_sum(a, b);
        e.negative = (x >> 31) != 0 && ((y >> 31) != 0) == (op == '+');
    } else if (op == '*') {
        e = exact_of(a * b);
        e.negative = ((x ^ y) >> 31) != 0;
    } else {
        e = exact_sum(a * b, b);
        e.negative = ((x ^ y) >> 31) != 0 && y >> 31 != 0;
    }
    bits = (uint32_t)exact_round(f, e, mode);
    return ftz && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint64_t pair_of(uint64_t a, uint64_t b, char op, char mode, bool ftz)
{
    return half((uint32_t)a, (uint32_t)b, op, mode, ftz) |
           (uint64_t)half((uint32_t)(a >> 32), (uint32_t)(b >> 32), op, mode,
                          ftz)
               << 32;
}

WANT(sums, pair_of(a, b, '+', 'n', false))
WANT(sums_down, pair_of(a, b, '+', 'z', false))
WANT(differences, pair_of(a, b, '-', 'n', false))
WANT(times, pair_of(a, b, '*', 'z', false))
WANT(times_nearest, pair_of(a, b, '*', 'n', false))
WANT(both, pair_of(a, b, 'f', 'n', true))

static const uint64_t pair_edge[EDGES] = {
    0x0000000080000000, 0x3f80000000000001, 0xbf8000003f800000,
    0x7f7fffff00800000, 0x007fffff3dcccccd, 0x80000001bf800000,
    0x7f8000003fc00000, 0xff80000040490fdb, 0x7fc000007f800000,
    0x3f800001c0200000, 0x3f7fffff34000000, 0x33800000ff7fffff,
    0x4f00000080800000, 0x00000001007fffff, 0xc02000007f7fffff,
    0x40490fdb3f7fffff};

static void pairs(void)
{
    static const struct check checks[] = {
        {'d', "add.rn.f32x2 %d12, %d10, %d11;", sums},
        {'d', "add.rz.f32x2 %d12, %d10, %d11;", sums_down},
        {'d', "sub.rn.f32x2 %d12, %d10, %d11;", differences},
        {'d', "mul.rz.f32x2 %d12, %d10, %d11;", times},
        {'d', "mul.rn.f32x2 %d12, %d10, %d11;", times_nearest},
        {'d', "fma.rn.ftz.f32x2 %d12, %d10, %d11, %d11;", both},
    };

    run_checks(checks, LOOM_COUNTOF(checks), pair_edge);
}

WANT(same, a)
WANT(nothing, 0)
WANT(low, U(a))
WANT(differ, 1)

/* A policy changes nothing that a program can see, but there is one. */
static void policies(void)
{
    static const struct check checks[] = {
        {'d', "createpolicy.cvt.L2.b64 %d12, %d10;", same},
        {'d',
         "createpolicy.fractional.L2::evict_last.b64 %d11, 0f3F000000;\n"
         "ld.global.L2::cache_hint.u64 %d12, [%d1], %d11;\n"
         "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster"
         ".cluster;\nfence.release.sync_restrict::shared::cta.cluster;\n"
         "ld.global.L1::no_allocate.L2::128B.L2::cache_hint.u64 %d12, [%d1], "
         "%d11;",
         same},
        {'d',
         "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 "
         "%d11;\n"
         "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d9, "
         "[%d1], 64, 128;\nsetp.ne.u64 %p1, %d9, %d11;\n"
         "selp.u64 %d12, 1, 0, %p1;",
         differ},
        {'d',
         "createpolicy.fractional.L2::evict_first.b64 %d11;\n"
         "st.global.L2::cache_hint.u64 [%d2], %d10, %d11;\n"
         "ld.param.u64 %d13, [k_in];\nfence.proxy.async.global;\n"
         "ld.global.L1::no_allocate.L2::evict_first.L2::cache_hint.v4.b64 "
         "{%d4, %d5, %d6, %d7}, [%d13], %d11;\n"
         "ld.global.u64 %d12, [%d2];",
         same},
        {'d',
         "st.mmio.relaxed.sys.global.u64 [%d2], %d10;\n"
         "ld.mmio.relaxed.sys.u64 %d12, [%d2];",
         same},
        {'r',
         "mov.u64 %d11, 0;\nst.global.u32 [%d2], %r12;\n"
         "atom.global.add.L2::cache_hint.u32 %r12, [%d2], %r10, %d11;",
         nothing},
        {'r',
         "mov.u64 %d11, 0;\nst.global.u32 [%d2], %r12;\n"
         "red.global.add.L2::cache_hint.u32 [%d2], %r10, %d11;\n"
         "ld.global.u32 %r12, [%d2];",
         low},
    };

    run_checks(checks, LOOM_COUNTOF(checks), int_edge);
}

/* Of floats: the lanes have a's low words. */
static void reductions_of_floats(void)
{
    static const uint32_t value[32] = {0x3f800000, 0xc0400000, 0x7fc00000,
                                       0x80000000, 0,          0x40000000};
    static const struct {
        const char *inst;
        uint32_t want[2]; /* without the NaN of lane 2, and with it */
    } list[] = {
        {"redux.sync.min.f32", {0xc0400000, 0xc0400000}},
        {"redux.sync.max.f32", {0x40000000, 0x40000000}},
        {"redux.sync.max.NaN.f32", {0x40000000, 0x7fffffff}},
        {"redux.sync.min.abs.NaN.f32", {0, 0x7fffffff}},
        {"redux.sync.max.abs.f32", {0x40400000, 0x40400000}},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        struct ptx_rig rig;
        char text[1200];
        uint32_t *at;
        uint64_t word;

        snprintf(text, sizeof(text),
                 ".version 8.6\n.target sm_100a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n"
                 ".reg .f32 %%f<9>;\n.reg .b64 %%d<9>;\n"
                 "ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %%tid.x;\n"
                 "mad.wide.u32 %%d2, %%r1, 4, %%d1;\n"
                 "ld.global.f32 %%f1, [%%d2];\n%s %%f2, %%f1, 0xfffffffb;\n"
                 "%s %%f3, %%f1, 0xffffffff;\nst.global.f32 [%%d1+128], "
                 "%%f2;\nst.global.f32 [%%d1+132], %%f3;\nret;\n}\n",
                 list[i].inst, list[i].inst);
        ptx_rig_open(&rig, text);
        word = ptx_rig_alloc(&rig, 256, "p");
        at = ptx_rig_at(&rig, word);
        memcpy(at, value, sizeof(value));
        ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), &word);
        /* Lane 2 is no member of the first. */
        EXPECT_EQ(at[33], list[i].want[1]);
        EXPECT_EQ(at[32], list[i].want[0]);
        ptx_rig_close(&rig);
    }
}

/* Four matrices of 8 by 8, read transposed; two of them written as they are. */
static void rows(void)
{
    struct ptx_rig rig;
    uint64_t word[2];
    uint16_t *in;
    const uint16_t *out;

    ptx_rig_open(
        &rig, ".version 8.6\n.target sm_90\n.address_size 64\n"
              ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
              ".reg .b32 %r<20>;\n.reg .b64 %d<9>;\n"
              ".shared .align 16 .b8 s[512];\nmov.u32 %r1, %tid.x;\n"
              "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n"
              "mul.wide.u32 %d3, %r1, 16;\nadd.u64 %d1, %d1, %d3;\n"
              "add.u64 %d2, %d2, %d3;\nmov.u32 %r2, s;\n"
              "mad.lo.u32 %r3, %r1, 16, %r2;\n"
              "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];\n"
              "st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n"
              "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
              "{%r8, %r9, %r10, %r11}, [%r3];\nbar.sync 0;\n"
              "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {%r8, %r11};\n"
              "bar.sync 0;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];\n"
              "st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};\nret;\n}\n");
    word[0] = ptx_rig_alloc(&rig, 512, "a");
    word[1] = ptx_rig_alloc(&rig, 512, "b");
    in = ptx_rig_at(&rig, word[0]);
    out = ptx_rig_at(&rig, word[1]);
    for (uint32_t i = 0; i < 256; i++) {
        in[i] = (uint16_t)(i * 257);
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), word);
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t matrix = i / 64 == 0 ? 0 : 3, row = i % 64 / 8, column = i % 8;

        EXPECT_EQ(out[i], in[matrix * 64 + column * 8 + row]);
    }
    ptx_rig_close(&rig);
}

/* ---- matrices of bytes ---- */

/* Number `n` of a row of 16 bytes: bits that are behind each other. */
static uint32_t number_of(const uint8_t *row, uint32_t bits, uint32_t n)
{
    uint32_t value = 0;

    for (uint32_t b = 0; b < bits; b++) {
        uint32_t at = n * bits + b;

        value |= (uint32_t)(row[at / 8] >> (at % 8) & 1) << b;
    }
    return value;
}

static void open_bytes(struct ptx_rig *rig, uint64_t word[2], const char *inst)
{
    char text[1024];
    uint8_t *in;

    snprintf(text, sizeof(text),
             ".version 8.6\n.target sm_100a\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
             ".reg .b32 %%r<20>;\n.reg .b64 %%d<9>;\n"
             ".shared .align 16 .b8 s[512];\n"
             "ld.param.u64 %%d1, [a];\nld.param.u64 %%d2, [b];\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d3, %%r1, 16;\n"
             "add.u64 %%d1, %%d1, %%d3;\nadd.u64 %%d2, %%d2, %%d3;\n"
             "mov.u32 %%r2, s;\nmad.lo.u32 %%r3, %%r1, 16, %%r2;\n"
             "ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%d1];\n"
             "mov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\nmov.u32 %%r10, 0;\n"
             "mov.u32 %%r11, 0;\n%s"
             "st.global.v4.u32 [%%d2], {%%r8, %%r9, %%r10, %%r11};\nret;\n}\n",
             inst);
    ptx_rig_open(rig, text);
    word[0] = ptx_rig_alloc(rig, 512, "a");
    word[1] = ptx_rig_alloc(rig, 512, "b");
    in = ptx_rig_at(rig, word[0]);
    for (uint32_t i = 0; i < 512; i++) {
        in[i] = (uint8_t)(i * 37 + i / 16 * 11 + 5);
    }
    ptx_rig_run(rig, "k", ptx_shape_1d(1, 32), word);
}

/* By the figures of PTX ISA: register r of a lane has four numbers of a row, or
 * of a column where rows are exchanged with columns. */
static void loads_bytes(void)
{
    static const struct {
        const char *name;
        uint32_t bits, registers;
        bool square; /* 16 rows, as columns */
    } list[] = {
        {"m8n16.x1.shared.b8x16.b6x16_p32", 6, 1, false},
        {"m8n16.x2.shared.b8x16.b4x16_p64", 4, 2, false},
        {"m8n16.x4.shared.b8x16.b6x16_p32", 6, 4, false},
        {"m16n16.x1.trans.shared.b8", 8, 2, true},
        {"m16n16.x2.trans.shared.b8", 8, 4, true},
        {"m16n16.x1.trans.shared.b8x16.b4x16_p64", 4, 2, true},
        {"m16n16.x2.trans.shared.b8x16.b6x16_p32", 6, 4, true},
    };
    static const char *const regs[] = {"", "%r8", "%r8, %r9", "",
                                       "%r8, %r9, %r10, %r11"};

    for (size_t n = 0; n < LOOM_COUNTOF(list); n++) {
        const uint8_t *in, *out;
        struct ptx_rig rig;
        uint64_t word[2];
        char inst[256];

        snprintf(inst, sizeof(inst),
                 "st.shared.v4.u32 [%%r3], {%%r4, %%r5, %%r6, %%r7};\n"
                 "bar.sync 0;\nldmatrix.sync.aligned.%s {%s}, [%%r3];\n",
                 list[n].name, regs[list[n].registers]);
        open_bytes(&rig, word, inst);
        in = ptx_rig_at(&rig, word[0]);
        out = ptx_rig_at(&rig, word[1]);
        for (uint32_t i = 0; i < 512; i++) {
            uint32_t lane = i / 16, r = i % 16 / 4, e = i % 4;
            uint32_t row = r * 8 + lane / 4, column = lane % 4 * 4 + e;

            if (list[n].square) {
                row = r / 2 * 16 + lane % 4 * 4 + e;
                column = lane / 4 + r % 2 * 8;
            }
            EXPECT_EQ(out[i],
                      r < list[n].registers
                          ? number_of(in + row * 16, list[n].bits, column)
                          : 0);
        }
        ptx_rig_close(&rig);
    }
}

/* A lane has two neighbours of a row, and two of the eighth row below it; rows
 * become columns of 16 bytes. */
static void stores_bytes(void)
{
    static const char *const regs[] = {"", "%r4", "%r4, %r5", "",
                                       "%r4, %r5, %r6, %r7"};

    for (uint32_t x = 1; x <= 4; x *= 2) {
        const uint8_t *in, *out;
        struct ptx_rig rig;
        uint64_t word[2];
        char inst[400];

        snprintf(inst, sizeof(inst),
                 "st.shared.v4.u32 [%%r3], {%%r8, %%r8, %%r8, %%r8};\n"
                 "bar.sync 0;\n"
                 "stmatrix.sync.aligned.m16n8.x%u.trans.shared.b8 [%%r3], "
                 "{%s};\nbar.sync 0;\n"
                 "ld.shared.v4.u32 {%%r8, %%r9, %%r10, %%r11}, [%%r3];\n",
                 x, regs[x]);
        open_bytes(&rig, word, inst);
        in = ptx_rig_at(&rig, word[0]);
        out = ptx_rig_at(&rig, word[1]);
        for (uint32_t i = 0; i < 512; i++) {
            uint32_t matrix = i / 128, column = i / 16 % 8, row = i % 16;
            uint32_t lane = row % 8 * 4 + column / 2;
            uint32_t byte = row / 8 * 2 + column % 2;

            EXPECT_EQ(out[i],
                      matrix < x ? in[lane * 16 + matrix * 4 + byte] : 0);
        }
        ptx_rig_close(&rig);
    }
}

/* Thread 0 fills bytes 8 .. 136 of shared memory, thread 1 bytes 200 .. 208. */
static void fills(void)
{
    static const char *const inst[] = {
        "st.bulk.weak.shared::cta [%r3+8], %d3, 0;",
        "st.bulk [%d4+8], %d3, 0;"};

    for (size_t i = 0; i < LOOM_COUNTOF(inst); i++) {
        struct ptx_rig rig;
        char text[1024];
        uint64_t word;
        uint32_t *out;

        snprintf(text, sizeof(text),
                 ".version 8.6\n.target sm_100\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n"
                 ".reg .b64 %%d<9>;\n.reg .pred %%p<3>;\n"
                 ".shared .align 16 .b8 s[256];\n"
                 "ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %%tid.x;\n"
                 "mov.u32 %%r2, s;\nmad.lo.u32 %%r4, %%r1, 8, %%r2;\n"
                 "st.shared.v2.u32 [%%r4], {-1, -1};\nbar.sync 0;\n"
                 "mad.lo.u32 %%r3, %%r1, 192, %%r2;\n"
                 "cvt.u64.u32 %%d4, %%r3;\ncvta.shared.u64 %%d4, %%d4;\n"
                 "setp.eq.u32 %%p1, %%r1, 0;\nselp.u64 %%d3, 128, 8, %%p1;\n"
                 "setp.lt.u32 %%p2, %%r1, 2;\n@%%p2 %s\nbar.sync 0;\n"
                 "ld.shared.v2.u32 {%%r5, %%r6}, [%%r4];\n"
                 "mul.wide.u32 %%d2, %%r1, 8;\nadd.u64 %%d1, %%d1, %%d2;\n"
                 "st.global.v2.u32 [%%d1], {%%r5, %%r6};\nret;\n}\n",
                 inst[i]);
        ptx_rig_open(&rig, text);
        word = ptx_rig_alloc(&rig, 256, "out");
        out = ptx_rig_at(&rig, word);
        ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), &word);
        for (uint32_t n = 0; n < 64; n++) {
            bool filled = (n >= 2 && n < 34) || n == 50 || n == 51;

            EXPECT_EQ(out[n], filled ? 0 : UINT32_MAX);
        }
        ptx_rig_close(&rig);
    }
}

/* Refused by name, with what it is that is not simulated. */
static void refused_by_name(void)
{
    static const struct {
        const char *inst, *why;
    } list[] = {
        {"multimem.red.global.add.f32 [%d1], %r1;",
         "instruction 'multimem.red.global.add.f32 [%d1], %r1' works on the "
         "memory of several devices at once, which is not simulated"},
        {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 "
         "{%r1}, {%r1}, {%r1}, {%r1};",
         "multiplies floats of 4 and 6 bits, which are not simulated"},
        {"cvt.rz.satfinite.ue8m0x2.f32 %r1, %r1, %r1;",
         "has scales of 8 bits, which are not simulated"},
        {"cvt.rz.satfinite.e2m1x2.f32 %r1, %r1, %r1;",
         "this instruction, or this form of it, is not supported"},
        {"st.bulk.weak.shared::cta [%r1], 60, 0;",
         "this instruction, or this form of it, is not supported"},
        {"ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1, %r2}, [%r3];",
         "this instruction, or this form of it, is not supported"},
        {"nonsense.u32 %r1;", "is not supported"},
        {"add.nonsense.u32 %r1, %r1, %r1;", "has a modifier that is not"},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        struct ptx_rig rig;
        struct loom_error err;
        char text[1024];
        uint64_t word = 0;

        snprintf(text, sizeof(text),
                 ".version 8.6\n.target sm_100\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n"
                 ".reg .b64 %%d<9>;\n%s\nret;\n}\n",
                 list[i].inst);
        ptx_rig_open(&rig, text);
        /* `check` and the launch say the same. */
        EXPECT(!ptx_workload.ready(rig.program, 0, &err));
        EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 32), &word));
        EXPECT(strcmp(err.text, rig.err.text) == 0);
        if (strstr(err.text, list[i].why) == NULL) {
            EXPECT_TEXT(err.text, list[i].why);
        }
        ptx_rig_close(&rig);
    }
}

static const struct loom_test tests[] = {
    {"pairs", pairs},
    {"policies", policies},
    {"reductions_of_floats", reductions_of_floats},
    {"rows", rows},
    {"loads_bytes", loads_bytes},
    {"stores_bytes", stores_bytes},
    {"fills", fills},
    {"refused_by_name", refused_by_name},
};

int main(void)
{
    return loom_run_tests("ptx_forms_other", tests, LOOM_COUNTOF(tests));
}

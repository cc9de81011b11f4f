/*
 * mma, wmma, ldmatrix, stmatrix and movmatrix against products in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_narrow_rig.h"

/* One warp: a, b, c in device memory, d out. */
#define HEAD                                                                   \
    PTX_HEAD ".visible .entry k(.param .u64 k_a, .param .u64 k_b,\n"           \
             ".param .u64 k_c, .param .u64 k_d)\n{\n"                          \
             ".reg .b32 %r<64>, %a<8>, %b<8>, %c<8>, %e<8>;\n"                 \
             ".reg .f32 %f<16>;\n.reg .f64 %g<16>;\n.reg .b64 %d<16>;\n"       \
             ".shared .align 128 .b8 room[4096];\n"                            \
             "ld.param.u64 %d1, [k_a];\nld.param.u64 %d2, [k_b];\n"            \
             "ld.param.u64 %d3, [k_c];\nld.param.u64 %d4, [k_d];\n"            \
             "mov.u32 %r1, %tid.x;\n"
#define TAIL "\nret;\n}\n"

#define MOST 512

struct job {
    struct ptx_rig rig;
    loom_addr at[4];
};

static void open_job(struct job *job, const char *code)
{
    static const char *const name[4] = {"a", "b", "c", "d"};
    char text[8192];

    snprintf(text, sizeof(text), "%s%s%s", HEAD, code, TAIL);
    ptx_rig_open(&job->rig, text);
    for (uint32_t i = 0; i < 4; i++) {
        job->at[i] = ptx_rig_alloc(&job->rig, MOST * 8, name[i]);
    }
}

static void *at(struct job *job, uint32_t i)
{
    return ptx_rig_at(&job->rig, job->at[i]);
}

static void run_job(struct job *job)
{
    ptx_rig_run(&job->rig, "k", ptx_shape_1d(1, 32), job->at);
}

/* Small numbers, different everywhere. */
static int number(uint32_t i, uint32_t seed)
{
    return (int)((i * 7 + seed * 13 + i * i % 11) % 17) - 8;
}

static uint16_t half_of(int value)
{
    return (uint16_t)form_round(f16, value, 0, 'n', false);
}

/* wmma with all four layouts of a and b and both of c and d. */
static void wmma_halves(void)
{
    static const char code[] =
        "wmma.load.a.sync.aligned.%s.m16n16k16.global.f16 "
        "{%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, [%%d1], 16;\n"
        "wmma.load.b.sync.aligned.%s.m16n16k16.f16 "
        "{%%b0,%%b1,%%b2,%%b3,%%b4,%%b5,%%b6,%%b7}, [%%d2], 24;\n"
        "wmma.load.c.sync.aligned.%s.m16n16k16.global.f32 "
        "{%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7}, [%%d3];\n"
        "wmma.mma.sync.aligned.%s.%s.m16n16k16.f32.f32 "
        "{%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7}, "
        "{%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, "
        "{%%b0,%%b1,%%b2,%%b3,%%b4,%%b5,%%b6,%%b7}, "
        "{%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7};\n"
        "wmma.store.d.sync.aligned.%s.m16n16k16.global.f32 [%%d4], "
        "{%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7}, 16;";
    static const char *const layout[2] = {"row", "col"};

    for (uint32_t n = 0; n < 16; n++) {
        bool a_col = n & 1, b_col = n & 2, c_col = n & 4, d_col = n & 8;
        char text[2048];
        struct job job;
        uint16_t *a, *b;
        float *c, *d;

        snprintf(text, sizeof(text), code, layout[a_col], layout[b_col],
                 layout[c_col], layout[a_col], layout[b_col], layout[d_col]);
        open_job(&job, text);
        a = at(&job, 0);
        b = at(&job, 1);
        c = at(&job, 2);
        d = at(&job, 3);
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t row = i / 16, col = i % 16;

            a[a_col ? col * 16 + row : i] = half_of(number(i, 1));
            b[b_col ? col * 24 + row : row * 24 + col] = half_of(number(i, 2));
            c[c_col ? col * 16 + row : i] = (float)number(i, 3);
        }
        run_job(&job);
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t row = i / 16, col = i % 16;
            int want = number(i, 3);

            for (uint32_t k = 0; k < 16; k++) {
                want += number(row * 16 + k, 1) * number(k * 16 + col, 2);
            }
            EXPECT(d[d_col ? col * 16 + row : i] == (float)want);
        }
        ptx_rig_close(&job.rig);
    }
}

static void wmma_bytes(void)
{
    static const char code[] =
        "wmma.load.a.sync.aligned.row.m8n32k16.global.u8 {%a0}, [%d1], 16;\n"
        "wmma.load.b.sync.aligned.col.m8n32k16.global.u8 "
        "{%b0,%b1,%b2,%b3}, [%d2], 16;\n"
        "wmma.load.c.sync.aligned.row.m8n32k16.global.s32 "
        "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%d3], 32;\n"
        "wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32 "
        "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, {%a0}, {%b0,%b1,%b2,%b3}, "
        "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\n"
        "wmma.store.d.sync.aligned.row.m8n32k16.global.s32 [%d4], "
        "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, 32;";
    struct job job;
    uint8_t *a, *b;
    int32_t *c, *d;

    open_job(&job, code);
    a = at(&job, 0);
    b = at(&job, 1);
    c = at(&job, 2);
    d = at(&job, 3);
    for (uint32_t i = 0; i < 512; i++) {
        a[i] = (uint8_t)(number(i, 1) * 15);
        b[i] = (uint8_t)(number(i, 2) * 16);
        c[i] = number(i, 3) * 1000;
    }
    run_job(&job);
    for (uint32_t i = 0; i < 256; i++) {
        int32_t want = c[i];

        for (uint32_t k = 0; k < 16; k++) {
            want += a[i / 32 * 16 + k] * b[i % 32 * 16 + k];
        }
        EXPECT_EQ(d[i], want);
    }
    ptx_rig_close(&job.rig);
}

/* mma on fragments that each lane loads by the figures of PTX ISA: rows of a
 * and columns of b by lane / 4, pairs by lane % 4. */
static void mma_halves(void)
{
    static const char code[] =
        "shr.u32 %r2, %r1, 2;\nand.b32 %r3, %r1, 3;\n"
        "mad.lo.u32 %r4, %r2, 16, 0;\nmad.lo.u32 %r4, %r3, 2, %r4;\n"
        "mul.wide.u32 %d5, %r4, 2;\nadd.u64 %d6, %d1, %d5;\n"
        "ld.global.u32 %a0, [%d6];\nld.global.u32 %a1, [%d6+256];\n"
        "ld.global.u32 %a2, [%d6+16];\nld.global.u32 %a3, [%d6+272];\n"
        "add.u64 %d7, %d2, %d5;\nld.global.u32 %b0, [%d7];\n"
        "ld.global.u32 %b1, [%d7+16];\n"
        "mad.lo.u32 %r5, %r2, 8, 0;\nmad.lo.u32 %r5, %r3, 2, %r5;\n"
        "mul.wide.u32 %d8, %r5, 4;\nadd.u64 %d9, %d3, %d8;\n"
        "ld.global.v2.f32 {%f0, %f1}, [%d9];\n"
        "ld.global.v2.f32 {%f2, %f3}, [%d9+256];\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32 "
        "{%%f4,%%f5,%%f6,%%f7}, {%%a0,%%a1,%%a2,%%a3}, {%%b0,%%b1}, "
        "{%%f0,%%f1,%%f2,%%f3};\n"
        "add.u64 %%d10, %%d4, %%d8;\nst.global.v2.f32 [%%d10], {%%f4, %%f5};\n"
        "st.global.v2.f32 [%%d10+256], {%%f6, %%f7};";

    for (uint32_t n = 0; n < 2; n++) {
        const struct form f = n == 0 ? f16 : bf16;
        const char *name = n == 0 ? "f16" : "bf16";
        const char *mma = strstr(code, "mma.sync");
        char text[4096];
        struct job job;
        uint16_t *a, *b;
        float *c, *d;
        int head = (int)(mma - code);

        snprintf(text, sizeof(text), "%.*s", head, code);
        snprintf(text + head, sizeof(text) - (size_t)head, mma, name, name);
        open_job(&job, text);
        a = at(&job, 0);
        b = at(&job, 1); /* columns behind each other */
        c = at(&job, 2);
        d = at(&job, 3);
        for (uint32_t i = 0; i < 256; i++) {
            a[i] = (uint16_t)form_round(f, number(i, 4), 0, 'n', false);
            b[i] = (uint16_t)form_round(f, number(i, 5), 0, 'n', false);
            c[i] = (float)number(i, 6);
        }
        run_job(&job);
        for (uint32_t i = 0; i < 128; i++) {
            int want = number(i, 6);

            for (uint32_t k = 0; k < 16; k++) {
                want += number(i / 8 * 16 + k, 4) * number(i % 8 * 16 + k, 5);
            }
            EXPECT(d[i] == (float)want);
        }
        ptx_rig_close(&job.rig);
    }
}

/* ldmatrix gives the fragments of mma; .trans those of a transposed one. */
static void rows(void)
{
    static const char code[] =
        "mov.u32 %r2, room;\nmul.lo.u32 %r3, %r1, 16;\nadd.u32 %r3, %r3, %r2;\n"
        "mul.wide.u32 %d5, %r1, 16;\nadd.u64 %d6, %d1, %d5;\n"
        "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d6];\n"
        "st.shared.v4.u32 [%r3], {%a0,%a1,%a2,%a3};\nbar.sync 0;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0,%b1,%b2,%b3}, [%r3];\n"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%c0,%c1}, [%r3];\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %c2, %b0;\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r3+2048], {%b1};\n"
        "bar.sync 0;\nmul.lo.u32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r2;\n"
        "ld.shared.u32 %c3, [%r4+2048];\n"
        "mul.wide.u32 %d7, %r1, 32;\nadd.u64 %d8, %d4, %d7;\n"
        "st.global.v4.u32 [%d8], {%b0,%b1,%b2,%b3};\n"
        "st.global.v4.u32 [%d8+16], {%c0,%c1,%c2,%c3};";
    struct job job;
    uint16_t *a, *d;

    open_job(&job, code);
    a = at(&job, 0);
    d = at(&job, 3);
    for (uint32_t i = 0; i < 256; i++) {
        a[i] = (uint16_t)(i + 1);
    }
    run_job(&job);
    for (uint32_t l = 0; l < 32; l++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t row = l / 4, col = l % 4 * 2 + i;

            for (uint32_t m = 0; m < 4; m++) {
                EXPECT_EQ(d[l * 16 + m * 2 + i], m * 64 + row * 8 + col + 1);
            }
            EXPECT_EQ(d[l * 16 + 8 + i], col * 8 + row + 1);
            EXPECT_EQ(d[l * 16 + 10 + i], 64 + col * 8 + row + 1);
            EXPECT_EQ(d[l * 16 + 12 + i], col * 8 + row + 1);
            EXPECT_EQ(d[l * 16 + 14 + i], 64 + col * 8 + row + 1);
        }
    }
    ptx_rig_close(&job.rig);
}

/* Where each lane holds one element or four: .tf32, .s8.  a is all zeros but
 * for one element, b has its number in each: d shows where the one was. */
struct spots {
    const char *code;
    uint32_t k, each; /* depth; elements of a register */
};

static uint32_t float_bits(uint32_t value)
{
    float number_of = (float)value;
    uint32_t bits;

    memcpy(&bits, &number_of, sizeof(bits));
    return bits;
}

/* By the figures of PTX ISA: four words of a and of b for each lane. */
static void set_inputs(uint32_t *a, uint32_t *b, const struct spots *s,
                       uint32_t one)
{
    uint32_t k = s->k, each = s->each, row = one / k, col = one % k;
    uint32_t at =
        (row % 8 * 4 + col / each % 4) * 4 + row / 8 + col / (4 * each) * 2;

    memset(a, 0, 512);
    memset(b, 0, 512);
    a[at] = each == 1 ? 0x3f800000 : UINT32_C(255) << (8 * (col % 4));
    for (uint32_t e = 0; e < 8 * k; e++) { /* column by column */
        col = e / k;
        row = e % k;
        at = (col * 4 + row / each % 4) * 4 + row / (4 * each);
        b[at] |= each == 1 ? float_bits(row * 8 + col)
                           : (row * 3 + col) << (8 * (row % 4));
    }
}

static void run_spots(const struct spots *s)
{
    char text[2048];
    struct job job;
    uint32_t *d;

    snprintf(text, sizeof(text),
             "mul.wide.u32 %%d5, %%r1, 16;\nadd.u64 %%d6, %%d1, %%d5;\n"
             "ld.global.v4.u32 {%%a0,%%a1,%%a2,%%a3}, [%%d6];\n"
             "add.u64 %%d7, %%d2, %%d5;\n"
             "ld.global.v2.u32 {%%b0,%%b1}, [%%d7];\n"
             "mov.u32 %%r30, 0;\nmov.u32 %%r31, 0;\nmov.u32 %%r32, 0;\n"
             "mov.u32 %%r33, 0;\n%s {%%r20,%%r21,%%r22,%%r23}, "
             "{%%a0,%%a1,%%a2,%%a3}, {%%b0,%%b1}, {%%r30,%%r31,%%r32,%%r33};"
             "\nadd.u64 %%d8, %%d4, %%d5;\n"
             "st.global.v4.u32 [%%d8], {%%r20,%%r21,%%r22,%%r23};",
             s->code);
    open_job(&job, text);
    d = at(&job, 3);
    for (uint32_t one = 0; one < 16 * s->k; one += 7) {
        set_inputs(at(&job, 0), at(&job, 1), s, one);
        run_job(&job);
        for (uint32_t e = 0; e < 128; e++) {
            uint32_t row = e / 8, col = e % 8, want = 0;
            uint32_t got =
                d[(row % 8 * 4 + col / 2) * 4 + row / 8 * 2 + col % 2];

            if (row == one / s->k) { /* 1 or -1 times an element of b */
                want = s->each == 1 ? float_bits(one % s->k * 8 + col)
                                    : 0 - (one % s->k * 3 + col);
            }
            EXPECT_EQ(got, want);
        }
    }
    ptx_rig_close(&job.rig);
}

static void other_types(void)
{
    static const struct spots spots[] = {
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, 1},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, 4},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(spots); i++) {
        run_spots(&spots[i]);
    }
}

/* As nvcc has it, with the rounding behind the types. */
static void wmma_doubles(void)
{
    struct job job;
    double *a, *b, *c, *d;

    open_job(&job,
             "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%g0}, [%d1], 4;\n"
             "wmma.load.b.sync.aligned.col.m8n8k4.f64 {%g1}, [%d2], 4;\n"
             "wmma.load.c.sync.aligned.row.m8n8k4.f64 {%g2, %g3}, [%d3], 8;\n"
             "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn "
             "{%g4, %g5}, {%g0}, {%g1}, {%g2, %g3};\n"
             "wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d4], {%g4, %g5}, 8;");
    a = at(&job, 0);
    b = at(&job, 1);
    c = at(&job, 2);
    d = at(&job, 3);
    for (uint32_t i = 0; i < 64; i++) {
        a[i % 32] = number(i % 32, 1);
        b[i % 32] = number(i % 32, 2);
        c[i] = number(i, 3);
    }
    run_job(&job);
    for (uint32_t i = 0; i < 64; i++) {
        double want = c[i];

        for (uint32_t k = 0; k < 4; k++) {
            want += a[i / 8 * 4 + k] * b[i % 8 * 4 + k];
        }
        EXPECT(d[i] == want);
    }
    ptx_rig_close(&job.rig);
}

/* Doubles, and what is refused. */
static void doubles_and_refusals(void)
{
    static const char *const refused[] = {
        "mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32 "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%a0,%a1}, {%b0,%b1}, "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
        "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%g4,%g5}, {%g0}, "
        "{%g1}, {%g2,%g2};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1}, "
        "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%f0,%f1,%f2,%f3};"};
    static const char *const why[] = {
        "shape and types is not known",
        "rounds products otherwise than to nearest",
        "another number of registers"};
    struct job job;
    double *a, *b, *d;

    open_job(&job, "mul.wide.u32 %d5, %r1, 8;\nadd.u64 %d6, %d1, %d5;\n"
                   "ld.global.f64 %g0, [%d6];\nadd.u64 %d6, %d2, %d5;\n"
                   "ld.global.f64 %g1, [%d6];\n"
                   "mov.f64 %g2, 0d3ff0000000000000;\n"
                   "mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64 "
                   "{%g4,%g5}, {%g0}, {%g1}, {%g2,%g2};\n"
                   "mul.wide.u32 %d5, %r1, 16;\nadd.u64 %d6, %d4, %d5;\n"
                   "st.global.v2.f64 [%d6], {%g4,%g5};");
    a = at(&job, 0); /* rows of four */
    b = at(&job, 1); /* columns of four */
    d = at(&job, 3);
    for (uint32_t i = 0; i < 32; i++) {
        a[i] = number(i, 1);
        b[i] = number(i, 2);
    }
    run_job(&job);
    for (uint32_t i = 0; i < 64; i++) {
        double want = 1;

        for (uint32_t k = 0; k < 4; k++) {
            want += a[i / 8 * 4 + k] * b[i % 8 * 4 + k];
        }
        EXPECT(d[i] == want);
    }
    ptx_rig_close(&job.rig);
    for (uint32_t i = 0; i < LOOM_COUNTOF(refused); i++) {
        open_job(&job, refused[i]);
        EXPECT(!ptx_rig_try(&job.rig, "k", ptx_shape_1d(1, 32), job.at));
        EXPECT_TEXT(job.rig.err.text, why[i]);
        ptx_rig_close(&job.rig);
    }
}

/* ---- wmma of m16n16k16 in global and in shared memory ---- */

/* Copies a, b (512 bytes each) and c (1024) to `room`. */
#define TO_ROOM                                                                \
    "mov.u32 %r2, room;\nmad.lo.u32 %r3, %r1, 16, %r2;\n"                      \
    "mul.wide.u32 %d5, %r1, 16;\nadd.u64 %d6, %d1, %d5;\n"                     \
    "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d6];\n"                             \
    "st.shared.v4.u32 [%r3], {%a0,%a1,%a2,%a3};\nadd.u64 %d6, %d2, %d5;\n"     \
    "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d6];\n"                             \
    "st.shared.v4.u32 [%r3+512], {%a0,%a1,%a2,%a3};\n"                         \
    "add.u64 %d6, %d3, %d5;\nld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d6];\n"     \
    "st.shared.v4.u32 [%r3+1024], {%a0,%a1,%a2,%a3};\n"                        \
    "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d6+512];\n"                         \
    "st.shared.v4.u32 [%r3+1536], {%a0,%a1,%a2,%a3};\nbar.warp.sync -1;\n"
#define FROM_ROOM                                                              \
    "bar.warp.sync -1;\nld.shared.v4.u32 {%a0,%a1,%a2,%a3}, [%r3+2048];\n"     \
    "add.u64 %d6, %d4, %d5;\nst.global.v4.u32 [%d6], {%a0,%a1,%a2,%a3};\n"     \
    "ld.shared.v4.u32 {%a0,%a1,%a2,%a3}, [%r3+2560];\n"                        \
    "st.global.v4.u32 [%d6+512], {%a0,%a1,%a2,%a3};\n"
#define EIGHT(x)                                                               \
    "{%" x "0,%" x "1,%" x "2,%" x "3,%" x "4,%" x "5,%" x "6,%" x "7}"

/* In memory of `space`: halves and floats, or bytes and words. */
static void write_wmma(char *text, size_t room, const char *space, bool bytes)
{
    bool shared = strcmp(space, "shared") == 0;
    const char *ab = bytes ? "u8" : "f16", *cd = bytes ? "s32" : "f32";
    const char *a = bytes ? "{%a0,%a1}" : EIGHT("a");
    const char *b = bytes ? "{%b0,%b1}" : EIGHT("b");
    const char *c = bytes ? EIGHT("c") : EIGHT("f");

    snprintf(text, room,
             "%swmma.load.a.sync.aligned.row.m16n16k16.%s.%s %s, [%s], 16;\n"
             "wmma.load.b.sync.aligned.col.m16n16k16.%s.%s %s, [%s], 16;\n"
             "wmma.load.c.sync.aligned.row.m16n16k16.%s.%s %s, [%s], 16;\n"
             "wmma.mma.sync.aligned.row.col.m16n16k16.%s %s, %s, %s, %s;\n"
             "wmma.store.d.sync.aligned.row.m16n16k16.%s.%s [%s], %s, 16;\n%s",
             shared ? TO_ROOM : "", space, ab, a, shared ? "%r2" : "%d1", space,
             ab, b, shared ? "%r2+512" : "%d2", space, cd, c,
             shared ? "%r2+1024" : "%d3", bytes ? "s32.u8.u8.s32" : "f32.f32",
             c, a, b, c, space, cd, shared ? "%r2+2048" : "%d4", c,
             shared ? FROM_ROOM : "");
}

/* Row of a times column of b; both are stored one behind the other. */
static int dot(uint32_t row, uint32_t col, bool bytes)
{
    int sum = 0;

    for (uint32_t k = 0; k < 16; k++) {
        int x = number(row * 16 + k, 7), y = number(col * 16 + k, 8);

        sum += bytes ? (x & 255) * (y & 255) : x * y;
    }
    return sum;
}

static void run_space(const char *space, bool bytes)
{
    char code[4096];
    struct job job;
    float *d;
    int32_t *whole;

    write_wmma(code, sizeof(code), space, bytes);
    open_job(&job, code);
    for (uint32_t i = 0; i < 256; i++) {
        for (uint32_t m = 0; m < 2; m++) {
            int value = number(i, 7 + m);

            if (bytes) {
                ((uint8_t *)at(&job, m))[i] = (uint8_t)value;
            } else {
                ((uint16_t *)at(&job, m))[i] = half_of(value);
            }
        }
        if (bytes) {
            ((int32_t *)at(&job, 2))[i] = number(i, 9) * 100000;
        } else {
            ((float *)at(&job, 2))[i] = (float)number(i, 9);
        }
    }
    run_job(&job);
    d = at(&job, 3);
    whole = at(&job, 3);
    for (uint32_t i = 0; i < 256; i++) {
        int want = dot(i / 16, i % 16, bytes);

        if (bytes) {
            EXPECT_EQ(whole[i], want + number(i, 9) * 100000);
        } else {
            EXPECT(d[i] == (float)(want + number(i, 9)));
        }
    }
    ptx_rig_close(&job.rig);
}

static void wmma_spaces(void)
{
    run_space("global", false);
    run_space("shared", false);
    run_space("global", true);
    run_space("shared", true);
}

static const struct loom_test tests[] = {
    {"wmma_halves", wmma_halves},
    {"wmma_bytes", wmma_bytes},
    {"mma_halves", mma_halves},
    {"rows", rows},
    {"other_types", other_types},
    {"wmma_spaces", wmma_spaces},
    {"wmma_doubles", wmma_doubles},
    {"doubles_and_refusals", doubles_and_refusals},
};

int main(void)
{
    return loom_run_tests("ptx_matrix", tests, LOOM_COUNTOF(tests));
}

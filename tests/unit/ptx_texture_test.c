/*
 * Textures and surfaces: address modes, filters, formats, shapes, queries,
 * what the stream records, and errors.
 *
 * links: workload_ptx
 */
#include <math.h>

#include "components/mem_protocol.h"
#include "tests/unit/ptx_texture_rig.h"

/* Index by the formulas of the CUDA guide; -1: outside. */
static int index_of(double i, int n, int mode, bool normalized)
{
    double x;

    if (mode == LOOM_ADDRESS_BORDER) {
        return i < 0 || i >= n ? -1 : (int)i;
    }
    if (mode == LOOM_ADDRESS_CLAMP || !normalized) {
        return i < 0 ? 0 : i >= n ? n - 1 : (int)i;
    }
    x = i - floor(i / n) * n;
    if (mode == LOOM_ADDRESS_MIRROR && fmod(floor(i / n), 2.0) != 0) {
        x = n - 1 - x;
    }
    return (int)x;
}

static const float coordinate[THREADS] = {
    0.0f,  0.25f, 0.49f, 0.5f,  0.51f, 0.75f,  0.99f,  1.0f,
    1.5f,  2.0f,  2.3f,  3.0f,  3.5f,  3.99f,  4.0f,   4.5f,
    5.7f,  8.25f, -0.1f, -0.5f, -1.0f, -1.25f, -3.6f,  -4.0f,
    -7.9f, 100.f, 1e9f,  -1e9f, 7.5f,  6.5f,   -0.25f, 3.25f};

static double filtered_1d(const float *texel, int n, double x, int mode,
                          bool normalized)
{
    double xb = x - 0.5, i = floor(xb), part, sum = 0;
    int low, high;

    part = floor((xb - i) * 256.0 + 0.5) / 256.0;
    low = index_of(i, n, mode, normalized);
    high = index_of(i + 1, n, mode, normalized);
    sum += low < 0 ? 0 : (1.0 - part) * texel[low];
    sum += high < 0 ? 0 : part * texel[high];
    return sum;
}

static void one_dimension(void)
{
    static const char code[] =
        "tex.1d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%d9, {%f0}];";

    for (uint32_t i = 0; i < 4 * 2 * 2; i++) {
        struct loom_texture desc = {.width = 4,
                                    .format = LOOM_TEXEL_F32,
                                    .channels = 1,
                                    .address = {(uint8_t)(i % 4)},
                                    .linear = i / 4 % 2 != 0,
                                    .normalized = i / 8 != 0};
        union lane4 in[THREADS] = {0};
        const union lane4 *out;
        struct bench b;
        float *texel = open_bench(&b, code, desc, 16);

        for (int k = 0; k < 4; k++) {
            texel[k] = (float)(k * k + 1);
        }
        for (int k = 0; k < THREADS; k++) {
            in[k].f[0] = desc.normalized ? coordinate[k] / 4 : coordinate[k];
        }
        out = run_bench(&b, in);
        for (int k = 0; k < THREADS; k++) {
            double x = desc.normalized ? (double)in[k].f[0] * 4 : in[k].f[0];
            int at = index_of(floor(x), 4, desc.address[0], desc.normalized);
            double want =
                desc.linear
                    ? filtered_1d(texel, 4, x, desc.address[0], desc.normalized)
                : at < 0 ? 0
                         : texel[at];

            EXPECT(out[k].f[0] == (float)want);
            EXPECT(out[k].f[1] == 0 && out[k].f[2] == 0);
        }
        close_bench(&b);
    }
}

static void two_and_three_dimensions(void)
{
    static const char *const code[] = {
        "tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%d9, {%f0, %f1}];",
        "tex.3d.v4.f32.f32 {%r10, %r11, %r12, %r13}, "
        "[%d9, {%f0, %f1, %f2, %f2}];"};

    for (uint32_t d = 0; d < 2; d++) {
        struct loom_texture desc = {.width = 5,
                                    .height = 3,
                                    .depth = d == 0 ? 0 : 2,
                                    .pitch = 96,
                                    .format = LOOM_TEXEL_F32,
                                    .channels = 4,
                                    .linear = true};
        union lane4 in[THREADS] = {0};
        const union lane4 *out;
        struct bench b;
        float *texel = open_bench(&b, code[d], desc, 96 * 3 * 2);

        /* Linear in each coordinate: the filter gives the same function. */
        for (int z = 0; z < 2; z++) {
            for (int y = 0; y < 3; y++) {
                for (int x = 0; x < 5; x++) {
                    float *t = texel + (z * 3 + y) * 24 + x * 4;

                    t[0] = (float)x;
                    t[1] = (float)(10 * y);
                    t[2] = (float)(100 * z);
                    t[3] = (float)(x + 10 * y + 100 * z);
                }
            }
        }
        for (int k = 0; k < THREADS; k++) {
            in[k].f[0] = 0.5f + (float)(k % 9) / 2;
            in[k].f[1] = 0.5f + (float)(k % 5) / 2;
            in[k].f[2] = 0.5f + (float)(k % 3) / 2;
        }
        out = run_bench(&b, in);
        for (int k = 0; k < THREADS; k++) {
            float x = (float)(k % 9) / 2, y = 10 * (float)(k % 5) / 2;
            float z = d == 0 ? 0 : 100 * (float)(k % 3) / 2;

            EXPECT(out[k].f[0] == x && out[k].f[1] == y && out[k].f[2] == z);
            EXPECT(out[k].f[3] == x + y + z);
        }
        close_bench(&b);
    }
}

/* Layers, integer coordinates, an alpha that is missing, levels. */
static void arrays_and_integers(void)
{
    static const char *const code[] = {
        "tex.a2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, "
        "[%d9, {%r4, %f1, %f2, %f2}];",
        "tex.a1d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [%d9, {%r4, %f1}];",
        "tex.1d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [%d9, {%r4}];",
        "tex.level.2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [%d9, {%f1, %f2}], "
        "%f3;"};
    static const struct loom_texture desc[] = {
        {.width = 4, .height = 2, .layers = 3},
        {.width = 4, .layers = 3},
        {.width = 24},
        {.width = 4, .height = 6}};

    for (uint32_t c = 0; c < 4; c++) {
        struct loom_texture d = desc[c];
        union lane4 in[THREADS] = {0};
        const union lane4 *out;
        struct bench b;
        int16_t *texel;

        d.format = LOOM_TEXEL_S16;
        d.channels = 2;
        texel = open_bench(&b, code[c], d, 24 * 4);
        for (int k = 0; k < 24; k++) {
            texel[2 * k] = (int16_t)(-k);
            texel[2 * k + 1] = (int16_t)(1000 + k);
        }
        for (int k = 0; k < THREADS; k++) {
            in[k].i[0] = c == 2 ? k - 4 : k % 5 - 1;
            in[k].f[1] = (float)(k % 4) + 0.5f;
            in[k].f[2] = (float)(k % 2) + 0.5f;
        }
        out = run_bench(&b, in);
        for (int k = 0; k < THREADS; k++) {
            int layer = k % 5 < 1 ? 0 : k % 5 > 3 ? 2 : k % 5 - 1;
            int at = c == 0   ? layer * 8 + k % 2 * 4 + k % 4
                     : c == 1 ? layer * 4 + k % 4
                     : c == 2 ? k - 4
                              : k % 2 * 4 + k % 4;

            if (at < 0 || at >= 24) { /* integer coordinates outside: zero */
                EXPECT(out[k].u[0] == 0 && out[k].u[3] == 0);
                continue;
            }
            EXPECT_EQ(out[k].i[0], -at);
            EXPECT_EQ(out[k].i[1], 1000 + at);
            EXPECT_EQ(out[k].u[2], 0);
            EXPECT_EQ(out[k].u[3], 1);
        }
        close_bench(&b);
    }
}

struct format_case {
    uint8_t format;
    bool normalized;
    uint32_t bits; /* of a texel */
    uint32_t want; /* of the fetch */
};

static void formats(void)
{
    static const struct format_case cases[] = {
        {LOOM_TEXEL_U8, false, 200, 200},
        {LOOM_TEXEL_S8, false, 200, 0xffffffc8},
        {LOOM_TEXEL_U16, false, 60000, 60000},
        {LOOM_TEXEL_S16, false, 60000, 0xffffea60},
        {LOOM_TEXEL_U32, false, 0xdeadbeef, 0xdeadbeef},
        {LOOM_TEXEL_S32, false, 0xdeadbeef, 0xdeadbeef},
        {LOOM_TEXEL_U8, true, 255, 0x3f800000},
        {LOOM_TEXEL_U8, true, 51, 0x3e4ccccd},   /* 0.2 */
        {LOOM_TEXEL_S8, true, 0x81, 0xbf800000}, /* -127/127 */
        {LOOM_TEXEL_S8, true, 0x80, 0xbf800000}, /* -128: the same */
        {LOOM_TEXEL_U16, true, 13107, 0x3e4ccccd},
        {LOOM_TEXEL_S16, true, 0x8000, 0xbf800000},
        {LOOM_TEXEL_F16, false, 0x3555, 0x3eaaa000},
        {LOOM_TEXEL_F16, false, 0x0001, 0x33800000},
        {LOOM_TEXEL_F16, false, 0xfc00, 0xff800000},
        {LOOM_TEXEL_F32, false, 0x3f8ccccd, 0x3f8ccccd},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        const struct format_case *c = &cases[i];
        struct loom_texture desc = {.width = 1,
                                    .format = c->format,
                                    .channels = 1,
                                    .normalized_read = c->normalized};
        union lane4 in[THREADS] = {0};
        struct bench b;
        void *texel = open_bench(&b,
                                 "tex.1d.v4.u32.f32 {%r10, %r11, %r12, %r13}, "
                                 "[%d9, {%f0}];",
                                 desc, 4);

        memcpy(texel, &c->bits, loom_texel_bytes(c->format));
        EXPECT_EQ(run_bench(&b, in)[0].u[0], c->want);
        close_bench(&b);
    }
}

static void gathers_and_cubes(void)
{
    struct loom_texture desc = {
        .width = 4, .height = 4, .format = LOOM_TEXEL_F32, .channels = 2};
    union lane4 in[THREADS] = {0};
    const union lane4 *out;
    struct bench b;
    float *texel = open_bench(&b,
                              "tld4.g.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, "
                              "[%d9, {%f0, %f1}];",
                              desc, 4 * 4 * 8);

    for (int k = 0; k < 16; k++) {
        texel[2 * k] = -1;
        texel[2 * k + 1] = (float)k;
    }
    in[0].f[0] = 2.0f; /* between columns 1 and 2, rows 0 and 1 */
    in[0].f[1] = 1.0f;
    out = run_bench(&b, in);
    EXPECT(out[0].f[0] == 5 && out[0].f[1] == 6 && out[0].f[2] == 2 &&
           out[0].f[3] == 1);
    close_bench(&b);

    desc = (struct loom_texture){.width = 2,
                                 .height = 2,
                                 .layers = 6,
                                 .format = LOOM_TEXEL_F32,
                                 .channels = 1};
    texel = open_bench(&b,
                       "tex.cube.v4.f32.f32 {%r10, %r11, %r12, %r13}, "
                       "[%d9, {%f0, %f1, %f2, %f2}];",
                       desc, 6 * 4 * 4);
    for (int k = 0; k < 24; k++) {
        texel[k] = (float)k;
    }
    for (int face = 0; face < 6; face++) { /* the middle of each face, a bit
                                            * towards +x, +y, +z */
        in[face] = (union lane4){.f = {0.1f, 0.1f, 0.1f, 0}};
        in[face].f[face / 2] = face % 2 == 0 ? 1.0f : -1.0f;
    }
    out = run_bench(&b, in);
    /* s and t of the table in the CUDA guide: +x is (-z, -y) ... */
    EXPECT(out[0].f[0] == 0 && out[1].f[0] == 4 + 1 && out[2].f[0] == 8 + 3);
    EXPECT(out[3].f[0] == 12 + 1 && out[4].f[0] == 16 + 1 && out[5].f[0] == 20);
    close_bench(&b);
}

static void queries(void)
{
    struct loom_texture desc = {.width = 7,
                                .height = 5,
                                .format = LOOM_TEXEL_U8,
                                .channels = 4,
                                .normalized = true};
    union lane4 in[THREADS] = {0};
    const union lane4 *out;
    struct bench b;

    open_bench(&b,
               "txq.width.b32 %r10, [%d9];\nsuq.height.b32 %r11, [%d9];\n"
               "txq.channel_order.b32 %r12, [%d9];\n"
               "txq.normalized_coords.b32 %r13, [%d9];",
               desc, 140);
    out = run_bench(&b, in);
    EXPECT_EQ(out[31].u[0], 7);
    EXPECT_EQ(out[31].u[1], 5);
    EXPECT_EQ(out[31].u[2], 0x10b5); /* RGBA */
    EXPECT_EQ(out[31].u[3], 1);
    close_bench(&b);
}

/* Bytes move; coordinates in x are bytes for .b and texels for .p. */
static void surfaces(void)
{
    struct loom_texture desc = {
        .width = 8, .height = 4, .format = LOOM_TEXEL_U8, .channels = 4};
    union lane4 in[THREADS] = {0};
    const union lane4 *out;
    struct bench b;
    uint8_t *texel =
        open_bench(&b,
                   "suld.b.2d.v4.b8.trap {%h0, %h1, %h2, %h3}, "
                   "[%d9, {%r4, %r5}];\nadd.u16 %h0, %h0, %h3;\n"
                   "sust.b.2d.v2.b8.trap [%d9, {%r4, %r5}], {%h0, %h1};\n"
                   "suld.b.2d.b32.zero %r10, [%d9, {%r4, %r6}];\n"
                   "suld.b.2d.b16.clamp %r11, [%d9, {%r7, %r5}];\n",
                   desc, 128);

    for (int k = 0; k < 128; k++) {
        texel[k] = (uint8_t)(k + 1);
    }
    for (int k = 0; k < THREADS; k++) {
        in[k] = (union lane4){.i = {k % 8 * 4, k / 8, -1, 1000}};
    }
    out = run_bench(&b, in);
    for (int k = 0; k < THREADS; k++) {
        EXPECT_EQ(texel[4 * k], (uint8_t)(8 * k + 5));
        EXPECT_EQ(texel[4 * k + 1], 4 * k + 2);
        EXPECT_EQ(out[k].u[0], 0);
        EXPECT_EQ(out[k].u[1], (k / 8 * 32 + 31) | (k / 8 * 32 + 32) << 8);
    }
    close_bench(&b);

    desc = (struct loom_texture){
        .width = 32, .format = LOOM_TEXEL_F16, .channels = 2};
    texel = open_bench(
        &b, "sust.p.1d.v4.b32.trap [%d9, {%r1}], {%f0, %f1, %f2, %f3};", desc,
        128);
    in[3].f[0] = 1.5f;
    in[3].f[1] = -2.0f;
    run_bench(&b, in);
    EXPECT(texel[12] == 0 && texel[13] == 0x3e && texel[15] == 0xc0);
    close_bench(&b);
}

/* The record: a load of texture space with each lane's texel. */
static void records(void)
{
    struct loom_texture desc = {
        .width = 64, .format = LOOM_TEXEL_F32, .channels = 2, .linear = true};
    loom_addr address[LOOM_WARP_LANES];
    union lane4 in[THREADS] = {0};
    struct loom_warp_inst inst;
    struct loom_cursor cursor;
    uint32_t found = 0;
    struct bench b;

    open_bench(&b, "tex.1d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%d9, {%f0}];",
               desc, 64 * 8);
    for (int k = 0; k < THREADS; k++) {
        in[k].f[0] = (float)k + 1.75f;
    }
    run_bench(&b, in);
    cursor = loom_cursor_of(&b.rig.stream->warp[0]);
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *s = &b.rig.kernel->inst[inst.index];

        if (s->space != LOOM_SPACE_TEXTURE || s->op != LOOM_OP_LOAD) {
            continue;
        }
        found++;
        EXPECT_EQ(s->bytes * s->vector, 8);
        loom_stream_addresses(&inst, address);
        for (uint32_t k = 0; k < THREADS; k++) {
            EXPECT_EQ(address[k], b.texels + 8 * (k + 1));
        }
    }
    EXPECT_EQ(found, 1);
    close_bench(&b);
}

static void wrong_uses(void)
{
    struct loom_texture desc = {
        .width = 4, .format = LOOM_TEXEL_F32, .channels = 1};
    uint64_t word[3], handle;
    struct bench b;

    open_bench(&b, "tex.2d.v4.f32.f32 {%r10, _, _, _}, [%d9, {%f0, %f1}];",
               desc, 16);
    word[0] = b.in;
    word[1] = b.out;
    word[2] = b.texture;
    EXPECT(!ptx_rig_try(&b.rig, "k", ptx_shape_1d(1, 1), word));
    EXPECT_TEXT(b.rig.err.text, "does not fit the instruction");
    word[2] = b.texels;
    EXPECT(!ptx_rig_try(&b.rig, "k", ptx_shape_1d(1, 1), word));
    EXPECT_TEXT(b.rig.err.text, "is not the handle of a texture");
    EXPECT(loom_texture_destroy(b.rig.memory, b.texture, &b.rig.err));
    word[2] = b.texture;
    EXPECT(!ptx_rig_try(&b.rig, "k", ptx_shape_1d(1, 1), word));
    EXPECT_TEXT(b.rig.err.text, "is not the handle of a texture");
    desc.base = b.texels;
    desc.width = 5;
    EXPECT(!loom_texture_create(b.rig.memory, &desc, &handle, &b.rig.err));
    EXPECT_TEXT(b.rig.err.text, "not all in one buffer");
    desc.width = 4;
    desc.format = LOOM_TEXEL_U8;
    desc.linear = true;
    EXPECT(!loom_texture_create(b.rig.memory, &desc, &handle, &b.rig.err));
    EXPECT_TEXT(b.rig.err.text, "linear filtering needs floats");
    close_bench(&b);
}

/* The legacy form: a .texref variable holds the handle. */
static void references(void)
{
    static const char text[] =
        PTX_HEAD ".global .texref lut;\n"
                 ".visible .entry k(.param .u64 k_out)\n{\n"
                 ".reg .b32 %r<8>;\n.reg .b64 %d<4>;\n"
                 "ld.param.u64 %d1, [k_out];\nmov.u32 %r1, 2;\n"
                 "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [lut, {%r1}];\n"
                 "st.global.u32 [%d1], %r2;\nret;\n}\n";
    struct loom_texture desc = {
        .width = 4, .format = LOOM_TEXEL_U32, .channels = 1};
    uint64_t handle, word, bytes;
    struct ptx_rig rig;
    loom_addr place;
    uint32_t *texel;

    ptx_rig_open(&rig, text);
    word = ptx_rig_alloc(&rig, 16, "out");
    desc.base = ptx_rig_alloc(&rig, 16, "texels");
    texel = ptx_rig_at(&rig, desc.base);
    texel[2] = 77;
    REQUIRE(loom_texture_create(rig.memory, &desc, &handle, &rig.err));
    REQUIRE(ptx_workload.symbol(rig.program, "lut", &place, &bytes, &rig.err));
    REQUIRE(loom_memory_write(rig.memory, place, &handle, 8, &rig.err));
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1), &word);
    EXPECT_EQ(*(uint32_t *)ptx_rig_at(&rig, word), 77);
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"one_dimension", one_dimension},
    {"two_and_three_dimensions", two_and_three_dimensions},
    {"arrays_and_integers", arrays_and_integers},
    {"formats", formats},
    {"gathers_and_cubes", gathers_and_cubes},
    {"queries", queries},
    {"surfaces", surfaces},
    {"records", records},
    {"wrong_uses", wrong_uses},
    {"references", references},
};

int main(void)
{
    return loom_run_tests("ptx_texture", tests, LOOM_COUNTOF(tests));
}

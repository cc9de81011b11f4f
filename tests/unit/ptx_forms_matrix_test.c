/*
 * Products of small floats and of bits, and those of warp groups, against
 * products in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_group_rig.h"

/* ---- mma ---- */

struct product {
    const char *text;
    uint32_t m, k;
    struct kind a, b;
    char sum; /* 'f' .f32, 'h' .f16, 's' .s32 */
    bool differ;
};

static void open_product(struct ptx_rig *rig, const struct product *p,
                         const struct matrix *a, const struct matrix *b)
{
    char text[2048], list[3][64] = {"", "", ""};

    put_list(list[0], sizeof(list[0]), 10, registers_of(a));
    put_list(list[1], sizeof(list[1]), 20, registers_of(b));
    put_list(list[2], sizeof(list[2]), 30,
             p->m * 8 / 32 / (p->sum == 'h' ? 2 : 1));
    snprintf(text, sizeof(text),
             ".version 8.7\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n"
             ".param .u64 d)\n{\n.reg .b32 %%r<40>;\n.reg .b64 %%d<9>;\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d5, %%r1, 16;\n"
             "ld.param.u64 %%d1, [a];\nld.param.u64 %%d2, [b];\n"
             "ld.param.u64 %%d3, [c];\nld.param.u64 %%d4, [d];\n"
             "add.u64 %%d1, %%d1, %%d5;\nadd.u64 %%d2, %%d2, %%d5;\n"
             "add.u64 %%d3, %%d3, %%d5;\nadd.u64 %%d4, %%d4, %%d5;\n"
             "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%d1];\n"
             "ld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%d2];\n"
             "ld.global.v4.u32 {%%r30, %%r31, %%r32, %%r33}, [%%d3];\n"
             "%s {%s}, {%s}, {%s}, {%s};\n"
             "st.global.v4.u32 [%%d4], {%%r30, %%r31, %%r32, %%r33};\n"
             "ret;\n}\n",
             p->text, list[2], list[0], list[1], list[2]);
    ptx_rig_open(rig, text);
}

/* What register r of a lane has of C: number() of its place. */
static uint32_t addend(const struct product *p, uint32_t lane, uint32_t r)
{
    float value = (float)number(lane * 4 + r, 3);
    uint32_t bits = (uint32_t)number(lane * 4 + r, 3);

    if (p->sum == 'h') {
        uint32_t place = lane * 4 + 2 * r;

        bits = form_round(f16, number(place, 3), 0, 'n', false) |
               form_round(f16, number(place + 1, 3), 0, 'n', false) << 16;
    } else if (p->sum == 'f') {
        memcpy(&bits, &value, 4);
    }
    return bits;
}

static void check_product(const struct product *p, const int *a, const int *b,
                          const uint32_t *d)
{
    for (uint32_t i = 0; i < p->m * 8; i++) {
        uint32_t row = i / 8, column = i % 8;
        uint32_t lane = row % 8 * 4 + column / 2;
        uint32_t slot = row / 8 * 2 + column % 2;
        int want = number(lane * 4 + slot, 3);

        for (uint32_t k = 0; k < p->k; k++) {
            int x = a[row * p->k + k], y = b[column * p->k + k];

            want += p->differ ? x ^ y : x * y;
        }
        expect_sum(p->sum, d + lane * 4, slot, want);
    }
}

static void multiply(const struct product *p)
{
    static int a[16 * 256], b[8 * 256];
    const struct matrix left = {&p->a, a, p->m, p->k};
    const struct matrix right = {&p->b, b, 8, p->k};
    uint32_t *word[4];
    uint64_t at[4];
    struct ptx_rig rig;

    open_product(&rig, p, &left, &right);
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = ptx_rig_alloc(&rig, 512, "operand");
        word[i] = ptx_rig_at(&rig, at[i]);
    }
    for (uint32_t i = 0; i < p->m * p->k; i++) {
        a[i] = value_of(&p->a, i, 1);
    }
    for (uint32_t i = 0; i < 8 * p->k; i++) {
        b[i] = value_of(&p->b, i, 2);
    }
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t lane = i / 4, r = i % 4;

        word[0][i] = r < registers_of(&left) ? fragment(&left, lane, r) : 0;
        word[1][i] = r < registers_of(&right) ? fragment(&right, lane, r) : 0;
        word[2][i] = addend(p, lane, r);
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), at);
    check_product(p, a, b, word[3]);
    ptx_rig_close(&rig);
}

static void products(void)
{
    static const struct product list[] = {
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, E4M3,
         E5M2, 'f', false},
        {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 32, E4M3,
         E4M3, 'h', false},
        {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", 16, 16, E5M2,
         E5M2, 'h', false},
        {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", 16, 16, E5M2,
         E4M3, 'f', false},
        {"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 16, 32,
         INT("u4", 4), INT("s4", 4), 's', false},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 16, 64,
         INT("s4", 4), INT("s4", 4), 's', false},
        {"mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 8, 32, INT("u4", 4),
         INT("u4", 4), 's', false},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256,
         INT("b1", 1), INT("b1", 1), 's', true},
        {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128,
         INT("b1", 1), INT("b1", 1), 's', false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 128,
         INT("b1", 1), INT("b1", 1), 's', false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128,
         INT("b1", 1), INT("b1", 1), 's', true},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        multiply(&list[i]);
    }
}

/* ---- wgmma ---- */

#define WGMMA "wgmma.mma_async.sync.aligned."

static void groups(void)
{
    static const struct group list[] = {
        {WGMMA "m64n8k16.f32.f16.f16", 8, 16, F16, F16, ROWS(16), ROWS(16), 'f',
         false, 1, 1, true, false, 0},
        {WGMMA "m64n16k16.f32.f16.f16", 16, 16, F16, F16, ROWS(128), ROWS(128),
         'f', false, 1, -1, true, false, 0},
        {WGMMA "m64n256k16.f32.f16.f16", 256, 16, F16, F16, ROWS(64), ROWS(32),
         'f', false, 1, 1, true, false, 0},
        {WGMMA "m64n8k16.f16.f16.f16", 8, 16, F16, F16, ROWS(16), ROWS(128),
         'h', true, 1, -1, true, false, 0},
        {WGMMA "m64n128k16.f32.f16.f16", 128, 16, F16, F16, COLUMNS(128),
         COLUMNS(128), 'f', false, 1, 1, true, false, 0},
        {WGMMA "m64n64k16.f32.f16.f16", 64, 16, F16, F16, COLUMNS(64),
         COLUMNS(32), 'f', false, 1, 1, true, false, 0},
        {WGMMA "m64n8k16.f32.bf16.bf16", 8, 16, BF16, BF16, COLUMNS(16),
         COLUMNS(16), 'f', false, -1, -1, true, false, 0},
        {WGMMA "m64n24k8.f32.tf32.tf32", 24, 8, TF32, TF32, ROWS(128), ROWS(16),
         'f', false, 1, 1, false, false, 0},
        {WGMMA "m64n8k8.f32.tf32.tf32", 8, 8, TF32, TF32, ROWS(32), ROWS(16),
         'f', true, 1, 1, false, false, 0},
        {WGMMA "m64n8k32.f32.e4m3.e5m2", 8, 32, E4M3, E5M2, ROWS(128), ROWS(64),
         'f', false, 1, 1, false, false, 0},
        {WGMMA "m64n16k32.f16.e5m2.e5m2", 16, 32, E5M2, E5M2, ROWS(16),
         ROWS(32), 'h', true, 1, 1, false, false, 0},
        {WGMMA "m64n8k32.s32.s8.u8", 8, 32, INT("s8", 8), INT("u8", 8),
         ROWS(128), ROWS(128), 's', false, 0, 0, false, false, 0},
        {WGMMA "m64n8k32.s32.s8.s8.satfinite", 8, 32, INT("s8", 8),
         INT("s8", 8), ROWS(16), ROWS(64), 's', true, 0, 0, false, false, 0},
        {WGMMA "m64n8k256.s32.b1.b1.and.popc", 8, 256, INT("b1", 1),
         INT("b1", 1), ROWS(128), ROWS(16), 's', false, 0, 0, false, false, 0},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        group(&list[i]);
    }
}

static void refused(const char *code, const char *why)
{
    char text[2048];
    struct ptx_rig rig;
    uint64_t word = 0;

    snprintf(text, sizeof(text),
             ".version 8.6\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<20>;\n"
             ".reg .b64 %%d<9>;\n.reg .pred %%p<9>;\n"
             ".shared .b8 s[1024];\nld.param.u64 %%d1, [p];\n%s\nret;\n}\n",
             code);
    ptx_rig_open(&rig, text);
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 128), &word));
    if (strstr(rig.err.text, why) == NULL) {
        EXPECT_TEXT(rig.err.text, why);
    }
    ptx_rig_close(&rig);
}

static void refusals(void)
{
    refused("setp.eq.u32 %p1, 0, 0;\nmov.u64 %d2, 1024;\n" WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "descriptor 0x400 is not inside");
    refused("setp.eq.u32 %p1, 0, 0;\nmov.u64 %d2, 0x2000000000000;\n" WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "a base offset in a descriptor is not simulated");
    refused("setp.eq.u32 %p1, 0, 0;\n" WGMMA
            "m64n8k16.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "this combination of shape and types is not known");
    refused("setp.eq.u32 %p1, 0, 0;\n" WGMMA
            "m64n16k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "another number of registers");
    refused("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p2, %r1, 5;\n"
            "setp.eq.u32 %p1, 0, 0;\n@%p2 " WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "all lanes must be active");
    refused("tcgen05.fence::before_thread_sync;",
            "is of Blackwell's tensor memory, which is not simulated");
}

static const struct loom_test tests[] = {
    {"products", products},
    {"groups", groups},
    {"refusals", refusals},
};

int main(void)
{
    return loom_run_tests("ptx_forms_matrix", tests, LOOM_COUNTOF(tests));
}

/*
 * Products of which A is sparse, and the four products of m8n8k4, against
 * products in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_group_rig.h"

#define HEAD                                                                   \
    ".version 8.7\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n"         \
    ".param .u64 d, .param .u64 e)\n{\n.reg .b32 %r<60>;\n"                    \
    ".reg .b64 %d<9>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d6, %r1, 32;\n"     \
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n"                         \
    "ld.param.u64 %d3, [c];\nld.param.u64 %d4, [d];\nld.param.u64 %d5, [e];\n" \
    "add.u64 %d1, %d1, %d6;\nadd.u64 %d2, %d2, %d6;\n"                         \
    "add.u64 %d3, %d3, %d6;\nadd.u64 %d4, %d4, %d6;\n"                         \
    "add.u64 %d5, %d5, %d6;\n"                                                 \
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d1];\n"                      \
    "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d2];\n"                      \
    "ld.global.v4.u32 {%r30, %r31, %r32, %r33}, [%d3];\n"                      \
    "ld.global.v4.u32 {%r34, %r35, %r36, %r37}, [%d3+16];\n"                   \
    "ld.global.u32 %r50, [%d5];\n"
#define TAIL                                                                   \
    "st.global.v4.u32 [%d4], {%r40, %r41, %r42, %r43};\n"                      \
    "st.global.v4.u32 [%d4+16], {%r44, %r45, %r46, %r47};\nret;\n}\n"

/* Eight words of each lane: a, b, c, d, metadata. */
struct job {
    struct ptx_rig rig;
    uint64_t at[5];
    uint32_t *word[5];
};

static void open_job(struct job *job, const char *inst)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s;\n%s", HEAD, inst, TAIL);
    ptx_rig_open(&job->rig, text);
    for (uint32_t i = 0; i < 5; i++) {
        job->at[i] = ptx_rig_alloc(&job->rig, 1024, "operand");
        job->word[i] = ptx_rig_at(&job->rig, job->at[i]);
    }
}

/* ---- mma.sp ---- */

struct product {
    const char *text;
    uint32_t k;
    struct kind a, b;
    char sum; /* 'f' .f32, 'h' .f16, 's' .s32 */
    uint32_t selector;
    bool orders; /* indices in both orders */
};

static void open_sparse(struct job *job, const struct product *p,
                        const struct matrix *a, const struct matrix *b)
{
    char inst[512], list[4][64] = {"", "", "", ""};
    uint32_t sums = p->sum == 'h' ? 2 : 4;

    put_list(list[0], sizeof(list[0]), 40, sums);
    put_list(list[1], sizeof(list[1]), 10, registers_of(a));
    put_list(list[2], sizeof(list[2]), 20, registers_of(b));
    put_list(list[3], sizeof(list[3]), 30, sums);
    snprintf(inst, sizeof(inst), "%s {%s}, {%s}, {%s}, {%s}, %%r50, %u",
             p->text, list[0], list[1], list[2], list[3], p->selector);
    open_job(job, inst);
}

/* Slot `slot` of a lane's sums becomes `value`. */
static void put_sum(char sum, uint32_t *words, uint32_t slot, int value)
{
    float real = (float)value;

    if (sum == 'h') {
        uint32_t bits = form_round(f16, value, 0, 'n', false);

        words[slot / 2] |= bits << (slot % 2 * 16);
    } else if (sum == 'f') {
        memcpy(&words[slot], &real, 4);
    } else {
        words[slot] = (uint32_t)value;
    }
}

static void check_sparse(const struct product *p, const int *all, const int *b,
                         const uint32_t *d)
{
    for (uint32_t i = 0; i < 16 * 8; i++) {
        uint32_t row = i / 8, column = i % 8;
        uint32_t lane = row % 8 * 4 + column / 2;
        uint32_t slot = row / 8 * 2 + column % 2;
        int want = number(lane * 8 + slot, 3);

        for (uint32_t k = 0; k < p->k; k++) {
            want += all[row * p->k + k] * b[column * p->k + k];
        }
        expect_sum(p->sum, d + lane * 8, slot, want);
    }
}

static void multiply(const struct product *p)
{
    static int a[16 * 64], b[8 * 128], all[16 * 128];
    const struct matrix left = {&p->a, a, 16, p->k / 2};
    const struct matrix right = {&p->b, b, 8, p->k};
    struct job job;

    open_sparse(&job, p, &left, &right);
    for (uint32_t i = 0; i < 16 * left.k; i++) {
        a[i] = value_of(&p->a, i, 1);
    }
    for (uint32_t i = 0; i < 8 * p->k; i++) {
        b[i] = value_of(&p->b, i, 2);
    }
    expand(&left, p->orders, all);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t r = 0; r < registers_of(&left); r++) {
            job.word[0][lane * 8 + r] = fragment(&left, lane, r);
        }
        for (uint32_t r = 0; r < registers_of(&right); r++) {
            job.word[1][lane * 8 + r] = fragment(&right, lane, r);
        }
        for (uint32_t s = 0; s < 4; s++) {
            put_sum(p->sum, job.word[2] + lane * 8, s, number(lane * 8 + s, 3));
        }
        job.word[4][lane * 8] =
            metadata(&left, 0, p->orders, p->selector, lane);
    }
    ptx_rig_run(&job.rig, "k", ptx_shape_1d(1, 32), job.at);
    check_sparse(p, all, b, job.word[3]);
    ptx_rig_close(&job.rig);
}

#define SP "mma.sp.sync.aligned."
#define ORDERED "mma.sp::ordered_metadata.sync.aligned."

static void products(void)
{
    static const struct product list[] = {
        {SP "m16n8k16.row.col.f32.f16.f16.f32", 16, F16, F16, 'f', 1, true},
        {SP "m16n8k16.row.col.f16.f16.f16.f16", 16, F16, F16, 'h', 3, false},
        {SP "m16n8k32.row.col.f32.f16.f16.f32", 32, F16, F16, 'f', 0, false},
        {SP "m16n8k32.row.col.f16.f16.f16.f16", 32, F16, F16, 'h', 1, true},
        {SP "m16n8k16.row.col.f32.bf16.bf16.f32", 16, BF16, BF16, 'f', 0, true},
        {SP "m16n8k32.row.col.f32.bf16.bf16.f32", 32, BF16, BF16, 'f', 1, true},
        {SP "m16n8k8.row.col.f32.tf32.tf32.f32", 8, TF32, TF32, 'f', 2, false},
        {SP "m16n8k16.row.col.f32.tf32.tf32.f32", 16, TF32, TF32, 'f', 1, true},
        {SP "m16n8k32.row.col.s32.s8.u8.s32", 32, INT("s8", 8), INT("u8", 8),
         's', 1, true},
        {SP "m16n8k64.row.col.satfinite.s32.u8.s8.s32", 64, INT("u8", 8),
         INT("s8", 8), 's', 0, true},
        {SP "m16n8k64.row.col.s32.s4.u4.s32", 64, INT("s4", 4), INT("u4", 4),
         's', 0, true},
        {SP "m16n8k128.row.col.s32.u4.s4.s32", 128, INT("u4", 4), INT("s4", 4),
         's', 0, false},
        {SP "m16n8k64.row.col.f32.e4m3.e5m2.f32", 64, E4M3, E5M2, 'f', 0, true},
        {ORDERED "m16n8k16.row.col.f32.f16.f16.f32", 16, F16, F16, 'f', 1,
         false},
        {ORDERED "m16n8k32.row.col.f32.bf16.bf16.f32", 32, BF16, BF16, 'f', 0,
         false},
        {ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", 16, TF32, TF32, 'f', 0,
         false},
        {ORDERED "m16n8k64.row.col.s32.s8.s8.s32", 64, INT("s8", 8),
         INT("s8", 8), 's', 0, false},
        {ORDERED "m16n8k64.row.col.s32.u4.u4.s32", 64, INT("u4", 4),
         INT("u4", 4), 's', 1, false},
        {ORDERED "m16n8k64.row.col.f32.e5m2.e5m2.f32", 64, E5M2, E5M2, 'f', 0,
         false},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        multiply(&list[i]);
    }
}

/* ---- wgmma.mma_async.sp ---- */

#define WGMMA "wgmma.mma_async.sp.sync.aligned."

static void groups(void)
{
    static const struct group list[] = {
        {WGMMA "m64n8k16.f32.tf32.tf32", 8, 16, TF32, TF32, ROWS(32), ROWS(16),
         'f', false, 1, 1, false, true, 1},
        {WGMMA "m64n24k16.f32.tf32.tf32", 24, 16, TF32, TF32, ROWS(16),
         ROWS(128), 'f', true, 1, -1, false, true, 0},
        {WGMMA "m64n8k32.f32.f16.f16", 8, 32, F16, F16, ROWS(128), ROWS(64),
         'f', false, 1, 1, true, true, 0},
        {WGMMA "m64n16k32.f16.f16.f16", 16, 32, F16, F16, ROWS(16), ROWS(16),
         'h', true, -1, 1, true, true, 1},
        {WGMMA "m64n64k32.f32.bf16.bf16", 64, 32, BF16, BF16, COLUMNS(64),
         COLUMNS(64), 'f', false, 1, 1, true, true, 1},
        {WGMMA "m64n8k64.f32.e4m3.e5m2", 8, 64, E4M3, E5M2, ROWS(64), ROWS(128),
         'f', false, 1, 1, false, true, 0},
        {WGMMA "m64n16k64.f16.e5m2.e4m3", 16, 64, E5M2, E4M3, ROWS(32),
         ROWS(64), 'h', true, 1, 1, false, true, 0},
        {WGMMA "m64n48k64.s32.s8.u8", 48, 64, INT("s8", 8), INT("u8", 8),
         ROWS(128), ROWS(64), 's', false, 0, 0, false, true, 0},
        {WGMMA "m64n8k64.satfinite.s32.u8.s8", 8, 64, INT("u8", 8),
         INT("s8", 8), ROWS(128), ROWS(128), 's', true, 0, 0, false, true, 0},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        group(&list[i]);
    }
}

/* ---- m8n8k4 ---- */

/* Place of element i of a lane, by PTX ISA's list of fragments of .m8n8k4. */
static void place_of(char what, uint32_t lane, uint32_t i, uint32_t *row,
                     uint32_t *column)
{
    uint32_t upper = lane >= 16 ? 4 : 0;

    switch (what) {
    case 'r': /* rows of A */
        *row = lane % 4 + upper;
        *column = i;
        break;
    case 'c': /* columns of A */
        *row = i + upper;
        *column = lane % 4;
        break;
    case 'R': /* rows of B */
        *row = lane % 4;
        *column = i + upper;
        break;
    case 'C': /* columns of B */
        *row = i;
        *column = lane % 4 + upper;
        break;
    case 'h': /* sums of .f16 */
        *row = lane % 4 + upper;
        *column = i;
        break;
    default: /* sums of .f32 */
        *row = (lane & 1) + (i & 2) + upper;
        *column = (i & 4) + (lane & 2) + (i & 1);
        break;
    }
}

static void put_halves(uint32_t *word, char what, uint32_t q, int *value)
{
    for (uint32_t n = 0; n < 8; n++) {
        uint32_t lane = q * 4 + n % 4 + n / 4 * 16, row, column;

        for (uint32_t i = 0; i < 4; i++) {
            int x = number(lane * 4 + i, what == 'r' || what == 'c' ? 4 : 5);

            place_of(what, lane, i, &row, &column);
            value[row * 8 + column] = x;
            put_sum('h', word + (size_t)lane * 8, i, x);
        }
    }
}

/* All but the layout: types of d and c. */
static void four_products(bool a_column, bool b_column, char d, char c)
{
    char inst[512], list[2][64] = {"", ""};
    int a[4][64], b[4][64];
    struct job job;

    put_list(list[0], sizeof(list[0]), 40, d == 'h' ? 4 : 8);
    put_list(list[1], sizeof(list[1]), 30, c == 'h' ? 4 : 8);
    snprintf(inst, sizeof(inst),
             "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s {%s}, {%%r10, %%r11},"
             " {%%r20, %%r21}, {%s}",
             a_column ? "col" : "row", b_column ? "col" : "row",
             d == 'h' ? "f16" : "f32", c == 'h' ? "f16" : "f32", list[0],
             list[1]);
    open_job(&job, inst);
    for (uint32_t q = 0; q < 4; q++) {
        put_halves(job.word[0], a_column ? 'c' : 'r', q, a[q]);
        put_halves(job.word[1], b_column ? 'C' : 'R', q, b[q]);
    }
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t lane = i / 8, row, column;

        place_of(c, lane, i % 8, &row, &column);
        put_sum(c, job.word[2] + (size_t)lane * 8, i % 8,
                number(row * 8 + column, lane % 16 / 4));
    }
    ptx_rig_run(&job.rig, "k", ptx_shape_1d(1, 32), job.at);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t lane = i / 8, q = lane % 16 / 4, row, column;
        int want;

        place_of(d, lane, i % 8, &row, &column);
        want = number(row * 8 + column, q);
        for (uint32_t k = 0; k < 4; k++) {
            want += a[q][row * 8 + k] * b[q][k * 8 + column];
        }
        expect_sum(d, job.word[3] + (size_t)lane * 8, i % 8, want);
    }
    ptx_rig_close(&job.rig);
}

static void quads(void)
{
    for (uint32_t n = 0; n < 4; n++) {
        bool a_column = (n & 1) != 0, b_column = (n & 2) != 0;

        four_products(a_column, b_column, 'f', 'f');
        four_products(a_column, b_column, 'f', 'h');
        four_products(a_column, b_column, 'h', 'h');
    }
}

/* ---- work ---- */

/* Form and parts of the kernel's one product. */
static uint32_t work_of(const char *inst)
{
    uint32_t work = 0;
    struct job job;

    open_job(&job, inst);
    ptx_rig_run(&job.rig, "k", ptx_shape_1d(1, 32), job.at);
    for (uint32_t i = 0; i < job.rig.kernel->inst_count; i++) {
        const struct loom_static_inst *inst_of = &job.rig.kernel->inst[i];

        if (inst_of->op == LOOM_OP_TENSOR) {
            work = inst_of->form * 256u + inst_of->parts;
        }
    }
    ptx_rig_close(&job.rig);
    return work;
}

/* That of the dense product with half of k. */
static void half_of_work(void)
{
    static const char *const pair[][2] = {
        {SP "m16n8k16.row.col.f16.f16.f16.f16 {%r40, %r41}, {%r10, %r11}, "
            "{%r20, %r21}, {%r30, %r31}, %r50, 0",
         "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r40, %r41}, "
         "{%r10, %r11}, {%r20}, {%r30, %r31}"},
        {SP "m16n8k32.row.col.f16.f16.f16.f16 {%r40, %r41}, "
            "{%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, "
            "{%r30, %r31}, %r50, 0",
         "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r40, %r41}, "
         "{%r10, %r11, %r12, %r13}, {%r20, %r21}, {%r30, %r31}"},
        {SP "m16n8k64.row.col.s32.s8.s8.s32 {%r40, %r41, %r42, %r43}, "
            "{%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, "
            "{%r30, %r31, %r32, %r33}, %r50, 0",
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
         "{%r40, %r41, %r42, %r43}, {%r10, %r11, %r12, %r13}, {%r20, %r21}, "
         "{%r30, %r31, %r32, %r33}"},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(pair); i++) {
        EXPECT(work_of(pair[i][0]) != 0);
        EXPECT_EQ(work_of(pair[i][0]), work_of(pair[i][1]));
    }
}

/* ---- what is refused ---- */

static void refused(const char *inst, const char *why)
{
    struct job job;

    open_job(&job, inst);
    EXPECT(!ptx_rig_try(&job.rig, "k", ptx_shape_1d(1, 32), job.at));
    if (strstr(job.rig.err.text, why) == NULL) {
        EXPECT_TEXT(job.rig.err.text, why);
    }
    ptx_rig_close(&job.rig);
}

static void refusals(void)
{
    static const char unknown[] =
        "this combination of shape and types is not known";

    refused(SP "m16n8k32.row.col.f32.f16.f16.f32 {%r40, %r41, %r42, %r43}, "
               "{%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, "
               "{%r30, %r31, %r32, %r33}, %r50, 2",
            "no lanes have the metadata of this sparsity selector");
    refused(SP "m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r40, %r41, %r42, %r43}, "
               "{%r10, %r11}, {%r20, %r21}, {%r30, %r31, %r32, %r33}, %r50, 0",
            unknown);
    refused(SP "m16n8k64.row.col.f16.e4m3.e4m3.f16 {%r40, %r41}, "
               "{%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, "
               "{%r30, %r31}, %r50, 0",
            unknown);
    refused(SP "m16n8k16.row.col.f32.f16.f16.f16 {%r40, %r41, %r42, %r43}, "
               "{%r10, %r11}, {%r20, %r21}, {%r30, %r31}, %r50, 0",
            unknown);
    refused("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 "
            "{%r40, %r41, %r42, %r43}, {%r10, %r11}, {%r20, %r21}, "
            "{%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}",
            unknown);
    refused("mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32 "
            "{%r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47}, {%r10, %r11}, "
            "{%r20, %r21}, {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}",
            unknown);
}

static const struct loom_test tests[] = {
    {"products", products},         {"groups", groups},     {"quads", quads},
    {"half_of_work", half_of_work}, {"refusals", refusals},
};

int main(void)
{
    return loom_run_tests("ptx_forms_sparse", tests, LOOM_COUNTOF(tests));
}

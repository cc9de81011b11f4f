/*
 * Atomics of halves, of vectors, of 16 and of 128 bits: each thread on a cell
 * of its own, and all threads on one.
 *
 * links: workload_ptx
 */
#include <stdarg.h>

#include "tests/unit/ptx_narrow_rig.h"

#define THREADS 256
#define STRIDE 64 /* bytes of a thread: its cell, b at 16, c at 32 */

struct job {
    struct ptx_rig rig;
    uint64_t word[2];
    unsigned char *in, *out, *before;
};

/* A form, what an element of it is, and how many there are. */
struct shape {
    const char *text;
    uint32_t bytes, count;
    struct form form; /* of halves; fraction 0: others */
    char what;        /* 'a'dd, mi'n', ma'x', 'c'as, 'e'xch */
};

static char letter_of(uint32_t bytes)
{
    return bytes == 2 ? 'h' : bytes == 4 ? 'r' : bytes == 8 ? 'd' : 'q';
}

struct text {
    char at[4096];
    size_t used;
};

static void put(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof(t->at) - t->used,
                                 format, args);
    va_end(args);
    REQUIRE(t->used < sizeof(t->at));
}

/* {%h10, %h11}, or one register. */
static void put_registers(struct text *t, const struct shape *s, uint32_t first)
{
    put(t, "%s", s->count > 1 ? "{" : "");
    for (uint32_t i = 0; i < s->count; i++) {
        put(t, "%s%%%c%u", i == 0 ? "" : ", ", letter_of(s->bytes), first + i);
    }
    put(t, "%s", s->count > 1 ? "}" : "");
}

/* Loads or stores of registers one by one. */
static void put_moves(struct text *t, const struct shape *s, uint32_t first,
                      const char *base, uint32_t at)
{
    bool load = strcmp(base, "%d1") == 0;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t place = at + i * s->bytes, bits = s->bytes * 8;

        if (load) {
            put(t, "ld.global.b%u %%%c%u, [%s+%u];\n", bits,
                letter_of(s->bytes), first + i, base, place);
        } else {
            put(t, "st.global.b%u [%s+%u], %%%c%u;\n", bits, base, place,
                letter_of(s->bytes), first + i);
        }
    }
}

static void open_job(struct job *job, const struct shape *s)
{
    bool returns = s->text[0] == 'a';
    struct text t = {.used = 0};

    put(&t,
        ".version 8.6\n.target sm_100\n.address_size 64\n"
        ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"
        ".reg .b16 %%h<40>;\n.reg .b32 %%r<40>;\n.reg .b64 %%d<40>;\n"
        ".reg .b128 %%q<40>;\nld.param.u64 %%d1, [k_in];\n"
        "ld.param.u64 %%d2, [k_out];\nmov.u32 %%r1, %%tid.x;\n"
        "mad.wide.u32 %%d1, %%r1, %u, %%d1;\n"
        "mad.wide.u32 %%d2, %%r1, %u, %%d2;\n",
        STRIDE, STRIDE);
    put_moves(&t, s, 10, "%d1", 16);
    put_moves(&t, s, 20, "%d1", 32);
    put(&t, "%s ", s->text);
    if (returns) {
        put_registers(&t, s, 30);
    }
    put(&t, "%s[%%d1], ", returns ? ", " : "");
    put_registers(&t, s, 10);
    if (s->what == 'c') {
        put(&t, ", ");
        put_registers(&t, s, 20);
    }
    put(&t, ";\n");
    if (returns) {
        put_moves(&t, s, 30, "%d2", 0);
    }
    put(&t, "ret;\n}\n");
    ptx_rig_open(&job->rig, t.at);
    job->word[0] = ptx_rig_alloc(&job->rig, THREADS * STRIDE, "in");
    job->word[1] = ptx_rig_alloc(&job->rig, THREADS * STRIDE, "out");
    job->in = ptx_rig_at(&job->rig, job->word[0]);
    job->out = ptx_rig_at(&job->rig, job->word[1]);
    job->before = calloc(THREADS, STRIDE);
    REQUIRE(job->before != NULL);
}

/* Edge values of halves for all three; a third of the pairs are equal. */
static void fill(struct job *job)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        unsigned char *at = job->in + i * STRIDE;

        for (uint32_t w = 0; w < 4; w++) {
            uint32_t old = (uint32_t)narrow_edge[(i / EDGES + w) % EDGES];
            uint32_t b = (uint32_t)narrow_edge[(i % EDGES + 5 * w) % EDGES];
            uint32_t c = 0x9e3779b9u * (i + w + 1);

            b = i % 3 == 0 ? old : b;
            memcpy(at + 4 * w, &old, 4);
            memcpy(at + 16 + 4 * w, &b, 4);
            memcpy(at + 32 + 4 * w, &c, 4);
        }
    }
    memcpy(job->before, job->in, THREADS * STRIDE);
}

static uint32_t of_halves(const struct shape *s, uint32_t old, uint32_t b)
{
    long double x = form_value(s->form, old), y = form_value(s->form, b);
    bool less;

    if (s->what == 'a') {
        return form_sum(s->form, x, y, 'n');
    }
    if (isnan(x) || isnan(y)) {
        return isnan(x) && isnan(y) ? 0x7fff : isnan(x) ? b : old;
    }
    less = x < y || (x == y && signbit(x) && !signbit(y));
    return less == (s->what == 'n') ? old : b;
}

static uint32_t sum_f32(uint32_t old, uint32_t b)
{
    float x, y, sum;
    uint32_t bits;

    old = (old & 0x7f800000) == 0 ? old & 0x80000000 : old;
    b = (b & 0x7f800000) == 0 ? b & 0x80000000 : b;
    memcpy(&x, &old, 4);
    memcpy(&y, &b, 4);
    sum = x + y;
    memcpy(&bits, &sum, 4);
    bits = isnan(sum) ? 0x7fffffff : bits;
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/* What a thread's cell holds afterwards, in place. */
static void work(const struct shape *s, unsigned char *cell)
{
    uint32_t all = s->bytes * s->count;

    if (s->what == 'e' ||
        (s->what == 'c' && memcmp(cell, cell + 16, all) == 0)) {
        memcpy(cell, cell + (s->what == 'e' ? 16 : 32), all);
    }
    if (s->what == 'e' || s->what == 'c') {
        return;
    }
    for (uint32_t at = 0; at < all; at += s->form.fraction != 0 ? 2 : 4) {
        uint32_t old = 0, b = 0, next;
        uint32_t bytes = s->form.fraction != 0 ? 2 : 4;

        memcpy(&old, cell + at, bytes);
        memcpy(&b, cell + 16 + at, bytes);
        next = bytes == 2 ? of_halves(s, old, b) : sum_f32(old, b);
        memcpy(cell + at, &next, bytes);
    }
}

static void expect_bytes(const struct shape *s, uint32_t i, const char *what,
                         const unsigned char *got, const unsigned char *want)
{
    uint32_t all = s->bytes * s->count;

    if (memcmp(got, want, all) != 0) {
        char text[300];
        size_t used = (size_t)snprintf(text, sizeof(text),
                                       "%s thread %u %s:", s->text, i, what);

        for (uint32_t k = 0; k < all; k++) {
            used += (size_t)snprintf(text + used, sizeof(text) - used,
                                     " %02x/%02x", got[k], want[k]);
        }
        EXPECT_TEXT(text, "(equal)");
    }
}

static void try(const struct shape *s)
{
    struct job job;
    bool ok;

    open_job(&job, s);
    fill(&job);
    ok = ptx_rig_try(&job.rig, "k", ptx_shape_1d(1, THREADS), job.word);
    if (!ok) {
        EXPECT_TEXT(job.rig.err.text, "(no error)");
    }
    for (uint32_t i = 0; ok && i < THREADS; i++) {
        unsigned char want[STRIDE];

        memcpy(want, job.before + i * STRIDE, STRIDE);
        if (s->text[0] == 'a') {
            expect_bytes(s, i, "returns", job.out + i * STRIDE, want);
        }
        work(s, want);
        expect_bytes(s, i, "leaves", job.in + i * STRIDE, want);
        EXPECT(memcmp(job.in + i * STRIDE + s->bytes * s->count,
                      want + s->bytes * s->count,
                      STRIDE - s->bytes * s->count) == 0);
    }
    free(job.before);
    ptx_rig_close(&job.rig);
}

#define F16                                                                    \
    {                                                                          \
        10, 5, false                                                           \
    }
#define BF16                                                                   \
    {                                                                          \
        7, 8, false                                                            \
    }
#define NO                                                                     \
    {                                                                          \
        0, 0, false                                                            \
    }

static const struct shape shapes[] = {
    {"atom.global.add.noftz.f16", 2, 1, F16, 'a'},
    {"atom.add.noftz.f16x2", 4, 1, F16, 'a'},
    {"atom.add.noftz.bf16", 2, 1, BF16, 'a'},
    {"atom.global.add.noftz.bf16x2", 4, 1, BF16, 'a'},
    {"atom.add.noftz.f16", 2, 1, F16, 'a'},
    {"atom.add.noftz.bf16x2", 4, 1, BF16, 'a'},
    {"red.global.add.noftz.f16", 2, 1, F16, 'a'},
    {"red.add.noftz.f16x2", 4, 1, F16, 'a'},
    {"red.global.add.noftz.bf16", 2, 1, BF16, 'a'},
    {"red.relaxed.gpu.global.add.noftz.bf16x2", 4, 1, BF16, 'a'},
    {"atom.global.add.v2.f32", 4, 2, NO, 'a'},
    {"atom.global.add.v4.f32", 4, 4, NO, 'a'},
    {"red.global.add.v2.f32", 4, 2, NO, 'a'},
    {"red.relaxed.gpu.global.add.v4.f32", 4, 4, NO, 'a'},
    {"atom.global.v2.f16.add.noftz", 2, 2, F16, 'a'},
    {"atom.global.v8.f16.max.noftz", 2, 8, F16, 'x'},
    {"atom.global.v4.bf16.min.noftz", 2, 4, BF16, 'n'},
    {"atom.global.v2.bf16x2.add.noftz", 4, 2, BF16, 'a'},
    {"red.global.v4.f16x2.min.noftz", 4, 4, F16, 'n'},
    {"red.global.v8.bf16.add.noftz", 2, 8, BF16, 'a'},
    {"red.global.v2.bf16x2.max.noftz", 4, 2, BF16, 'x'},
    {"atom.global.cas.b16", 2, 1, NO, 'c'},
    {"atom.relaxed.gpu.cas.b16", 2, 1, NO, 'c'},
    {"atom.global.cas.b128", 16, 1, NO, 'c'},
    {"atom.acq_rel.gpu.global.cas.b128", 16, 1, NO, 'c'},
    {"atom.global.exch.b128", 16, 1, NO, 'e'},
};

static void own_cells(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(shapes); i++) {
        try(&shapes[i]);
    }
}

/* Two CTAs of threads on one cell in device memory, 64 threads on one in
 * shared memory; ones, so that sums are exact. */
static void one_cell(void)
{
    struct ptx_rig rig;
    uint64_t word;
    const uint16_t *out;

    ptx_rig_open(
        &rig,
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 k_out)\n{\n.reg .b16 %h<9>;\n"
        ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 8 .b8 s[8];\n"
        "ld.param.u64 %d1, [k_out];\nmov.b16 %h1, 0x3c00;\nmov.u32 %r5, s;\n"
        "mov.b32 %r3, 0x3f803f80;\nred.global.add.noftz.f16 [%d1], %h1;\n"
        "red.global.add.noftz.bf16x2 [%d1+4], %r3;\n"
        "atom.shared.add.noftz.f16 %h2, [%r5], %h1;\nbar.sync 0;\n"
        "ld.shared.b16 %h3, [%r5];\nst.global.b16 [%d1+8], %h3;\nret;\n}\n");
    word = ptx_rig_alloc(&rig, 16, "out");
    out = ptx_rig_at(&rig, word);
    ptx_rig_run(&rig, "k", ptx_shape_1d(2, 64), &word);
    EXPECT_EQ(out[0], 0x5800); /* 128 */
    EXPECT_EQ(out[2], 0x4300);
    EXPECT_EQ(out[3], 0x4300);
    EXPECT_EQ(out[4], 0x5400); /* 64 */
    ptx_rig_close(&rig);
}

/* A register may be source and destination of different elements. */
static void registers_overlap(void)
{
    struct ptx_rig rig;
    uint64_t word;
    float *cell;

    ptx_rig_open(&rig, ".version 8.6\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(.param .u64 k_out)\n{\n"
                       ".reg .f32 %f<9>;\n.reg .b64 %d<9>;\n"
                       "ld.param.u64 %d1, [k_out];\n"
                       "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\n"
                       "atom.global.add.v2.f32 {%f2, %f1}, [%d1], "
                       "{%f1, %f2};\n"
                       "st.global.v2.f32 [%d1+8], {%f2, %f1};\nret;\n}\n");
    word = ptx_rig_alloc(&rig, 16, "out");
    cell = ptx_rig_at(&rig, word);
    cell[0] = 10;
    cell[1] = 20;
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1), &word);
    EXPECT_EQ((uint32_t)cell[0], 11);
    EXPECT_EQ((uint32_t)cell[1], 22);
    EXPECT_EQ((uint32_t)cell[2], 10);
    EXPECT_EQ((uint32_t)cell[3], 20);
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"own_cells", own_cells},
    {"one_cell", one_cell},
    {"registers_overlap", registers_overlap},
};

int main(void)
{
    return loom_run_tests("ptx_forms_atomic", tests, LOOM_COUNTOF(tests));
}

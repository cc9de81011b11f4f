/*
 * Atomics and reductions in every form that programs use: each thread on a
 * cell of its own with edge values, and all threads on one cell.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_values_edges.h"
#include "tests/unit/ptx_values_list.h"
#include "tests/unit/ptx_values_memory_rig.h"

static uint64_t with_sign(const struct form *f, uint64_t x)
{
    return f->kind == 's' ? x ^ (UINT64_C(1) << (f->bits - 1)) : x;
}

/* .f32 in global memory: "flushes subnormal inputs and results to
 * sign-preserving zero"; not in shared memory. */
static uint64_t flushed(const struct form *f, uint64_t x)
{
    bool flush = f->bits == 32 && strcmp(space_of(f), "shared") != 0;

    return flush && (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}

/* NaNs are canonical; sums of floats are rounded to nearest even. */
static uint64_t float_sum(const struct form *f, uint64_t x, uint64_t y)
{
    struct format to = f->bits == 64 ? binary64 : binary32;
    bool x_infinite, negative;
    struct exact e;

    x = flushed(f, x);
    y = flushed(f, y);
    x_infinite = format_is_infinite(to, x);
    negative = (x & y & format_sign(to)) != 0;
    if (format_is_nan(to, x) || format_is_nan(to, y) ||
        (x_infinite && format_is_infinite(to, y) && x != y)) {
        return format_sign(to) - 1;
    }
    if (x_infinite || format_is_infinite(to, y)) {
        return x_infinite ? x : y;
    }
    e = exact_sum(format_value(to, x), format_value(to, y));
    e.negative = negative;
    return flushed(f, exact_round(to, e, 'n'));
}

/* What the cell holds next: of `old`, b and c. */
static uint64_t next_value(const struct form *f, uint64_t old, uint64_t b,
                           uint64_t c)
{
    bool less = with_sign(f, b) < with_sign(f, old);

    return form_has(f, "add") ? f->kind == 'f' ? float_sum(f, old, b) : old + b
           : form_has(f, "min")  ? less ? b : old
           : form_has(f, "max")  ? less ? old : b
           : form_has(f, "and")  ? old & b
           : form_has(f, "or")   ? old | b
           : form_has(f, "xor")  ? old ^ b
           : form_has(f, "inc")  ? old >= b ? 0 : old + 1
           : form_has(f, "dec")  ? old == 0 || old > b ? b : old - 1
           : form_has(f, "exch") ? b
                                 : (old == b ? c : old);
}

/* %d20 is what the cell holds, %d21 and %d22 are the operands. */
static void write_atomic(struct job *job, const struct form *f)
{
    bool shared = strcmp(space_of(f), "shared") == 0;
    bool returns = strcmp(f->word[0], "atom") == 0;
    char class = f->kind == 'f'  ? values_class('f', f->bits)
                 : f->bits == 32 ? 'r'
                                 : 'd';
    char piece[400];

    start(job, "");
    values_add(&job->text, "st.shared.u64 [%r4], %d20;\nmov.u64 %d24, 0;\n"
                           "cvt.u32.u64 %r21, %d21;\ncvt.u32.u64 %r22, %d22;\n"
                           "mov.b32 %f21, %r21;\nmov.b64 %g21, %d21;\n"
                           "mov.u32 %r24, 0;\nmov.f32 %f24, 0f00000000;\n");
    snprintf(piece, sizeof(piece), "%s ", f->text);
    values_add(&job->text, piece);
    if (returns) {
        snprintf(piece, sizeof(piece), "%%%c24, ", class);
        values_add(&job->text, piece);
    }
    snprintf(piece, sizeof(piece), "%s, %%%c21%s%s;\n",
             shared ? "[%r4]" : "[%d1]", class,
             !form_has(f, "cas") ? ""
             : class == 'r'      ? ", %r22"
                                 : ", %d22",
             "");
    values_add(&job->text, piece);
    values_add(&job->text, class == 'f'   ? "mov.b32 %r24, %f24;\n"
                           : class == 'g' ? "mov.b64 %d24, %g24;\n"
                                          : "");
    values_add(&job->text,
               class == 'f' || class == 'r' ? "cvt.u64.u32 %d24, %r24;\n" : "");
    values_add(&job->text, shared ? "ld.shared.u64 %d25, [%r4];\n"
                                  : "ld.global.u64 %d25, [%d1];\n");
    values_add(&job->text, "st.global.v2.u64 [%d2], {%d24, %d25};\n");
}

static bool run_atomic(const struct form *f)
{
    const uint64_t *edge = f->kind != 'f'  ? int_edges
                           : f->bits == 64 ? f64_edges
                                           : f32_edges;
    bool returns = strcmp(f->word[0], "atom") == 0;
    struct job job;

    if (!returns && strcmp(f->word[0], "red") != 0) {
        return false;
    }
    write_atomic(&job, f);
    open_job(&job);
    for (uint32_t i = 0; i < LANES; i++) {
        job.in[i * 4] = edge[i / VALUES] | UINT64_C(0x5a)
                                               << 56 * (f->bits == 32);
        job.in[i * 4 + 1] = edge[i % VALUES];
        job.in[i * 4 + 2] = edge[i * 7 % VALUES];
    }
    if (run_job(&job, f)) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint64_t cell = edge[i / VALUES] | UINT64_C(0x5a)
                                                   << 56 * (f->bits == 32);
            uint64_t old = low_bits(cell, f->bits);
            uint64_t next =
                next_value(f, old, low_bits(edge[i % VALUES], f->bits),
                           edge[i * 7 % VALUES]);

            next = low_bits(next, f->bits) | (cell ^ old);
            expect_equal(f, i, job.out[i * 4], returns ? old : 0);
            if (f->bits == 64 && f->kind == 'f' &&
                format_is_nan(binary64, next)) {
                EXPECT(format_is_nan(binary64, job.out[i * 4 + 1]));
            } else {
                expect_equal(f, i, job.out[i * 4 + 1], next);
            }
        }
    }
    ptx_rig_close(&job.rig);
    return true;
}

static const char *const atomics[] = {
    "atom.shared.min.s32", "atom.shared.max.u32",  "atom.shared.inc.u32",
    "atom.shared.dec.u32", "atom.shared.cas.b32",  "atom.shared.cas.b64",
    "atom.global.cas.b64", "atom.global.exch.b64", "atom.global.min.s64",
    "atom.global.max.u64", "atom.shared.and.b64",  "atom.shared.xor.b32",
    "atom.shared.add.f32", "atom.shared.add.s32",  "atom.global.add.s32",
    "red.global.add.u32",  "red.global.min.s32",   "red.global.max.u64",
    "red.shared.or.b32",   "red.global.add.f32",   "red.global.add.f64",
    "red.global.inc.u32",  "red.shared.xor.b64",   "red.add.u64",
};

static void atomics_of_one(void)
{
    EXPECT(values_all(run_atomic, atomics, LOOM_COUNTOF(atomics)) >=
           LOOM_COUNTOF(atomics) + 35);
}

/* All threads of two CTAs on one cell: no update is lost. */
static void atomics_of_all(void)
{
    static const char *const forms[] = {
        "atom.global.add.u32", "atom.global.min.s32", "atom.global.max.u64",
        "atom.global.xor.b32", "red.global.add.u64",  "red.global.or.b32",
        "atom.global.and.b64", "red.global.max.s32"};

    for (size_t n = 0; n < LOOM_COUNTOF(forms); n++) {
        char text[700];
        uint64_t word[2], *in, *cell, want = 0x70000001;
        struct ptx_rig rig;
        struct form f;

        form_read(&f, forms[n]);
        snprintf(text, sizeof(text),
                 "%s.visible .entry k(.param .u64 k_in, .param .u64 k_cell)\n"
                 "{\n.reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n"
                 "ld.param.u64 %%d1, [k_in];\nld.param.u64 %%d2, [k_cell];\n"
                 "mov.u32 %%r1, %%tid.x;\nmad.wide.u32 %%d1, %%r1, 8, %%d1;\n"
                 "ld.global.u64 %%d4, [%%d1];\ncvt.u32.u64 %%r4, %%d4;\n"
                 "%s %s[%%d2], %%%c4;\nret;\n}\n",
                 PTX_HEAD, f.text,
                 f.word[0][0] == 'r' ? ""
                 : f.bits == 64      ? "%d5, "
                                     : "%r5, ",
                 f.bits == 64 ? 'd' : 'r');
        ptx_rig_open(&rig, text);
        word[0] = ptx_rig_alloc(&rig, 256 * 8, "in");
        word[1] = ptx_rig_alloc(&rig, 8, "cell");
        in = ptx_rig_at(&rig, word[0]);
        cell = ptx_rig_at(&rig, word[1]);
        *cell = want;
        for (uint32_t i = 0; i < 256; i++) {
            in[i] = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
        }
        ptx_rig_run(&rig, "k", ptx_shape_1d(2, 256), word);
        for (uint32_t i = 0; i < 512; i++) {
            want = low_bits(
                next_value(&f, want, low_bits(in[i % 256], f.bits), 0), f.bits);
        }
        expect_equal(&f, 0, *cell, want);
        ptx_rig_close(&rig);
    }
}

static const struct loom_test tests[] = {
    {"atomics_of_one", atomics_of_one},
    {"atomics_of_all", atomics_of_all},
};

int main(void)
{
    return loom_run_tests("ptx_values_atomic", tests, LOOM_COUNTOF(tests));
}

/*
 * Loads, stores and changes of address space, in every form that
 * programs use: what each thread reads, what it leaves in memory, and that
 * the bytes beside are left alone.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_values_list.h"
#include "tests/unit/ptx_values_memory_rig.h"

/* {%d24, %d25}, or %f24; integers in registers that are wider. */
static void registers(const struct form *f, uint32_t first, char *text,
                      size_t room)
{
    char class = f->kind == 'f' ? values_class('f', f->bits) : 'd';
    uint32_t n = elements_of(f);
    size_t used = 0;

    for (uint32_t e = 0; e < n; e++) {
        used +=
            (size_t)snprintf(text + used, room - used, "%s%%%c%u%s",
                             e > 0   ? ", "
                             : n > 1 ? "{"
                                     : "",
                             class, first + e, e + 1 == n && n > 1 ? "}" : "");
    }
}

/* ---- loads ---- */

static uint64_t loaded(const struct form *f, const uint8_t *bytes)
{
    uint64_t x = 0;

    memcpy(&x, bytes, f->bits / 8);
    if (f->kind == 's' && (x >> (f->bits - 1) & 1) != 0) {
        x |= ~low_bits(UINT64_MAX, f->bits);
    }
    return x;
}

static void add_constants(struct values_text *t)
{
    char piece[32];

    values_add(t, ".const .align 16 .b8 table[2048] = {");
    for (uint32_t i = 0; i < 2048; i++) {
        snprintf(piece, sizeof(piece), "%s%u", i > 0 ? "," : "", pattern(i));
        values_add(t, piece);
    }
    values_add(t, "};\n");
}

static void write_load(struct job *job, const struct form *f)
{
    bool constant = strcmp(space_of(f), "const") == 0;
    struct values_text table = {.used = 0};
    char piece[160], list[64];

    if (constant) {
        add_constants(&table);
    }
    start(job, "");
    if (constant) { /* before the kernel */
        struct values_text all = {.used = 0};
        const char *kernel = strstr(job->text.at, ".visible");

        values_add(&all, ".version 8.0\n.target sm_90\n.address_size 64\n");
        values_add(&all, table.at);
        values_add(&all, kernel);
        job->text = all;
        values_add(&job->text, "and.b32 %r5, %r1, 63;\nmov.u64 %d5, table;\n"
                               "mad.wide.u32 %d5, %r5, 32, %d5;\n");
    }
    values_add(&job->text, "st.shared.v2.u64 [%r4], {%d20, %d21};\n"
                           "st.shared.v2.u64 [%r4+16], {%d22, %d23};\n"
                           "st.local.v2.u64 [own], {%d20, %d21};\n"
                           "st.local.v2.u64 [own+16], {%d22, %d23};\n");
    registers(f, 24, list, sizeof(list));
    snprintf(piece, sizeof(piece), "%s %s, %s;\n", f->text, list,
             address_of(f, false));
    values_add(&job->text, piece);
    for (uint32_t e = 0; e < elements_of(f); e++) {
        char class = f->kind == 'f' ? values_class('f', f->bits) : 'd';

        snprintf(piece, sizeof(piece), "st.global.%c%u [%%d2+%u], %%%c%u;\n",
                 class == 'd' ? 'u' : 'f', class == 'f' ? 32 : 64, 8 * e, class,
                 24 + e);
        values_add(&job->text, piece);
    }
}

static void run_load(const struct form *f)
{
    const char *space = space_of(f);
    struct job job;

    write_load(&job, f);
    open_job(&job);
    if (run_job(&job, f)) {
        for (uint32_t i = 0; i < LANES; i++) {
            const uint8_t *bytes = (const uint8_t *)job.in + AT;

            bytes += strcmp(space, "param") == 0   ? 0
                     : strcmp(space, "const") == 0 ? i % 64 * CELL
                                                   : i * CELL;
            for (uint32_t e = 0; e < elements_of(f); e++) {
                uint64_t got = job.out[i * 4 + e];

                got = f->kind == 'f' ? low_bits(got, f->bits) : got;
                expect_equal(f, i, got, loaded(f, bytes + e * f->bits / 8));
            }
        }
    }
    ptx_rig_close(&job.rig);
}

/* ---- stores ---- */

static void write_sources(struct job *job, const struct form *f)
{
    static const char *const move[4] = {"20", "21", "22", "23"};

    for (uint32_t e = 0; e < 4 && f->kind == 'f'; e++) {
        add(job,
            f->bits == 64 ? "mov.b64 %%g%s, " : "cvt.u32.u64 %%r20, %%d%s;\n",
            move[e]);
        add(job, f->bits == 64 ? "%%d%s;\n" : "mov.b32 %%f%s, %%r20;\n",
            move[e]);
    }
}

static void write_store(struct job *job, const struct form *f)
{
    const char *space = space_of(f);
    char piece[160], list[64];

    start(job, "");
    write_sources(job, f);
    values_add(&job->text, "mov.u64 %d10, 0xa5a5a5a5a5a5a5a5;\n"
                           "st.shared.v2.u64 [%r4], {%d10, %d10};\n"
                           "st.shared.v2.u64 [%r4+16], {%d10, %d10};\n"
                           "st.local.v2.u64 [own], {%d10, %d10};\n"
                           "st.local.v2.u64 [own+16], {%d10, %d10};\n");
    registers(f, 20, list, sizeof(list));
    snprintf(piece, sizeof(piece), "%s %s, %s;\n", f->text, address_of(f, true),
             list);
    values_add(&job->text, piece);
    if (strcmp(space, "shared") == 0 || strcmp(space, "local") == 0) {
        const char *base = space[0] == 's' ? "%r4" : "own";

        for (uint32_t half = 0; half < 32; half += 16) {
            snprintf(piece, sizeof(piece),
                     "ld.%s.v2.u64 {%%d11, %%d12}, [%s+%u];\n"
                     "st.global.v2.u64 [%%d2+%u], {%%d11, %%d12};\n",
                     space, base, half, half);
            values_add(&job->text, piece);
        }
    }
}

static void run_store(const struct form *f)
{
    struct job job;

    write_store(&job, f);
    open_job(&job);
    if (run_job(&job, f)) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint8_t want[CELL];

            memset(want, 0xa5, sizeof(want));
            for (uint32_t e = 0; e < elements_of(f); e++) {
                memcpy(want + AT + e * f->bits / 8, &job.in[i * 4 + e],
                       f->bits / 8);
            }
            EXPECT(memcmp(want, &job.out[i * 4], CELL) == 0);
        }
    }
    ptx_rig_close(&job.rig);
}

/* st.param and ld.param around a call: a function that gives back what it
 * gets. */
static void run_param_store(const struct form *f)
{
    char class = f->kind == 'f' ? values_class('f', f->bits) : 'd';
    const char *type = f->word[f->words - 1];
    struct job job;
    char text[800];

    snprintf(text, sizeof(text),
             ".func (.param .%s r) echo(.param .%s p)\n{\n"
             ".reg .b64 %%d<2>;\n.reg .f32 %%f<2>;\n.reg .f64 %%g<2>;\n"
             "ld.param.%s %%%c1, [p];\n%s [r], %%%c1;\nret;\n}\n",
             type, type, type, class, f->text, class);
    start(&job, "");
    values_add(&job.text, "");
    {
        struct values_text all = {.used = 0};

        values_add(&all, ".version 8.0\n.target sm_90\n.address_size 64\n");
        values_add(&all, text);
        values_add(&all, strstr(job.text.at, ".visible"));
        job.text = all;
    }
    write_sources(&job, f);
    snprintf(text, sizeof(text),
             "{\n.param .%s p0;\n.param .%s r0;\n%s [p0], %%%c20;\n"
             "call.uni (r0), echo, (p0);\nld.param.%s %%%c24, [r0];\n}\n"
             "st.global.%s [%%d2+16], %%%c24;\n",
             type, type, f->text, class, type, class, type, class);
    values_add(&job.text, text);
    open_job(&job);
    if (run_job(&job, f)) {
        for (uint32_t i = 0; i < LANES; i++) {
            expect_equal(f, i, low_bits(job.out[i * 4 + 2], f->bits),
                         low_bits(job.in[i * 4], f->bits));
        }
    }
    ptx_rig_close(&job.rig);
}

static bool run_access(const struct form *f)
{
    if (f->bits == 0) {
        return false;
    }
    if (strcmp(f->word[0], "ld") == 0) {
        run_load(f);
    } else if (strcmp(f->word[0], "st") == 0) {
        if (strcmp(space_of(f), "param") == 0) {
            run_param_store(f);
        } else {
            run_store(f);
        }
    } else {
        return false;
    }
    return true;
}

static const char *const accesses[] = {
    "ld.b8",
    "ld.global.b16",
    "ld.shared.b32",
    "ld.local.s8",
    "ld.local.s16",
    "ld.const.s8",
    "ld.const.v4.u8",
    "ld.param.v4.f32",
    "ld.global.v2.s16",
    "ld.global.v4.s8",
    "ld.shared.v2.b64",
    "ld.global.cs.u32",
    "ld.global.lu.u32",
    "st.b8",
    "st.global.b16",
    "st.global.wb.u32",
    "st.global.cs.f32",
    "st.global.wt.v2.u32",
    "st.shared.v4.b32",
    "st.local.v2.u64",
    "st.local.u16",
    "st.param.u32",
    "st.param.s64",
    "st.global.v4.u16",
};

static void loads_and_stores(void)
{
    EXPECT(values_all(run_access, accesses, LOOM_COUNTOF(accesses)) >=
           LOOM_COUNTOF(accesses) + 150);
}

/* ---- address spaces ---- */

/* A generic address and back: the same place. */
static void spaces(void)
{
    static const char *const names[] = {"global", "shared", "local"};

    for (size_t n = 0; n < LOOM_COUNTOF(names); n++) {
        static const char *const base[] = {
            "mov.u64 %d5, %d1", "cvt.u64.u32 %d5, %r4", "mov.u64 %d5, own"};
        struct job job;
        struct form f;
        char piece[512];

        form_read(&f, "cvta.u64");
        start(&job, "");
        snprintf(piece, sizeof(piece),
                 "%s;\ncvta.%s.u64 %%d6, %%d5;\nst.u64 [%%d6], %%d23;\n"
                 "cvta.to.%s.u64 %%d7, %%d6;\nld.%s.u64 %%d8, [%%d7];\n"
                 "sub.u64 %%d9, %%d7, %%d5;\n"
                 "st.global.v2.u64 [%%d2], {%%d8, %%d9};\n",
                 base[n], names[n], names[n], names[n]);
        values_add(&job.text, piece);
        open_job(&job);
        if (run_job(&job, &f)) {
            for (uint32_t i = 0; i < LANES; i++) {
                expect_equal(&f, i, job.out[i * 4], job.in[i * 4 + 3]);
                expect_equal(&f, i, job.out[i * 4 + 1], 0);
            }
        }
        ptx_rig_close(&job.rig);
    }
}

static const struct loom_test tests[] = {
    {"loads_and_stores", loads_and_stores},
    {"spaces", spaces},
};

int main(void)
{
    return loom_run_tests("ptx_values_memory", tests, LOOM_COUNTOF(tests));
}

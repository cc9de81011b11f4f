/*
 * Running a kernel of some threads and comparing what each of them stored
 * with a value worked out by the test: for the tests of PTX's rows.
 */
#ifndef TESTS_UNIT_PTX_ROWS_RIG_H
#define TESTS_UNIT_PTX_ROWS_RIG_H

#include "components/mem_protocol.h"
#include "tests/unit/ptx_rig.h"

#define THREADS_MAX 256

/* Kernel k(out): thread i stores %r2 at out[i]; %r1 is %tid.x. */
#define MODULE ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGISTERS                                                              \
    ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n"                 \
    ".reg .b64 %d<20>;\n.reg .f32 %f<9>;\n.reg .f64 %x;\n"
#define OPEN ".visible .entry k(.param .u64 k_out)\n{\n" REGISTERS
#define START                                                                  \
    "ld.param.u64 %d1, [k_out];\nmov.u32 %r1, %tid.x;\n"                       \
    "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\nmov.u32 %r2, 0;\n"
#define FINISH "st.global.u32 [%d1], %r2;\nret;\n}\n"
#define KERNEL(body) MODULE OPEN START body FINISH

struct run {
    struct ptx_rig rig;
    const uint32_t *out;
    char printed[4096];
    size_t bytes;
};

static inline void print(void *context, const char *text, size_t bytes)
{
    struct run *run = context;

    REQUIRE(run->bytes + bytes < sizeof(run->printed));
    memcpy(run->printed + run->bytes, text, bytes);
    run->bytes += bytes;
}

static inline bool try(struct run *run, const char *text, uint32_t ctas,
                       uint32_t threads)
{
    uint64_t word;

    run->bytes = 0;
    memset(run->printed, 0, sizeof(run->printed));
    ptx_rig_open(&run->rig, text);
    word = ptx_rig_alloc(&run->rig, 4 * THREADS_MAX, "out");
    run->out = ptx_rig_at(&run->rig, word);
    run->rig.spec.print = print;
    run->rig.spec.print_context = run;
    return ptx_rig_try(&run->rig, "k", ptx_shape_1d(ctas, threads), &word);
}

static inline void compare(const char *text, uint32_t threads,
                           uint32_t (*want)(uint32_t i))
{
    struct run run;
    bool ok = try(&run, text, 1, threads);

    if (!ok) {
        EXPECT_TEXT(run.rig.err.text, "(no error)");
    }
    for (uint32_t i = 0; ok && i < threads; i++) {
        EXPECT_EQ(run.out[i], want(i));
    }
    ptx_rig_close(&run.rig);
}

static inline void refused(const char *text, const char *why)
{
    struct run run;

    EXPECT(!try(&run, text, 1, 32));
    EXPECT(strstr(run.rig.err.text, why) != NULL);
    if (strstr(run.rig.err.text, why) == NULL) {
        EXPECT_TEXT(run.rig.err.text, why);
    }
    ptx_rig_close(&run.rig);
}

#define CASE(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

#endif

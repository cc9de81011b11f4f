/*
 * Kernels of 576 threads with 32 bytes in and out for each, and as many in
 * shared and in local memory.
 */
#ifndef TESTS_UNIT_PTX_VALUES_MEMORY_RIG_H
#define TESTS_UNIT_PTX_VALUES_MEMORY_RIG_H

#include "tests/unit/ptx_values_rig.h"

#define CELL 32 /* bytes of a thread in each buffer */
#define AT 16   /* where in it the instruction works */

struct job {
    struct ptx_rig rig;
    struct values_text text;
    uint64_t word[2 + CELL / 8]; /* in, out, and a structure by value */
    uint64_t *in, *out;
};

static inline const char *space_of(const struct form *f)
{
    static const char *const spaces[] = {"global", "shared", "local", "const",
                                         "param"};

    for (size_t i = 0; i < LOOM_COUNTOF(spaces); i++) {
        if (form_has(f, spaces[i])) {
            return spaces[i];
        }
    }
    return "generic";
}

static inline uint32_t elements_of(const struct form *f)
{
    return form_has(f, "v2") ? 2 : form_has(f, "v4") ? 4 : 1;
}

/* Bytes that differ, half of them negative. */
static inline uint8_t pattern(uint32_t i)
{
    return (uint8_t)(i * 167 + i / 32 * 59 + 0x81);
}

static inline void add(struct job *job, const char *format, const char *text)
{
    char piece[512];
    int n = snprintf(piece, sizeof(piece), format, text);

    REQUIRE(n >= 0 && (size_t)n < sizeof(piece));
    values_add(&job->text, piece);
}

/* All of `own` and `room` in this thread is at %d4 or %r4. */
static inline void start(struct job *job, const char *declarations)
{
    *job = (struct job){.text = {.used = 0}};
    add(job, ".version 8.0\n.target sm_90\n.address_size 64\n%s", declarations);
    add(job, "%s",
        ".visible .entry k(.param .u64 k_in, .param .u64 k_out,\n"
        ".param .align 16 .b8 k_by[32])\n{\n.reg .b32 %r<32>;\n"
        ".reg .b64 %d<32>;\n.reg .f32 %f<32>;\n.reg .f64 %g<32>;\n"
        ".shared .align 16 .b8 room[18432];\n.local .align 16 .b8 own[32];\n"
        "ld.param.u64 %d1, [k_in];\nld.param.u64 %d2, [k_out];\n"
        "mov.u32 %r1, %tid.x;\nmad.wide.u32 %d1, %r1, 32, %d1;\n"
        "mad.wide.u32 %d2, %r1, 32, %d2;\nmov.u32 %r3, room;\n"
        "mad.lo.u32 %r4, %r1, 32, %r3;\n"
        "ld.global.v2.u64 {%d20, %d21}, [%d1];\n"
        "ld.global.v2.u64 {%d22, %d23}, [%d1+16];\n");
}

static inline void open_job(struct job *job)
{
    values_add(&job->text, "ret;\n}\n");
    ptx_rig_open(&job->rig, job->text.at);
    job->word[0] = ptx_rig_alloc(&job->rig, LANES * CELL, "in");
    job->word[1] = ptx_rig_alloc(&job->rig, LANES * CELL, "out");
    job->in = ptx_rig_at(&job->rig, job->word[0]);
    job->out = ptx_rig_at(&job->rig, job->word[1]);
    for (uint32_t i = 0; i < LANES * CELL; i++) {
        ((uint8_t *)job->in)[i] = pattern(i);
    }
    memset(job->out, 0xa5, LANES * CELL);
    memcpy(&job->word[2], job->in, CELL);
}

static inline bool run_job(struct job *job, const struct form *f)
{
    char what[800];
    bool ok = ptx_rig_try(&job->rig, "k", ptx_shape_1d(1, LANES), job->word);

    if (!ok) {
        snprintf(what, sizeof(what), "%s: %s", f->text, job->rig.err.text);
        EXPECT_TEXT(what, "(no error)");
    }
    return ok;
}

static inline void expect_equal(const struct form *f, uint32_t lane,
                                uint64_t got, uint64_t want)
{
    if (got != want) {
        char what[200];

        snprintf(what, sizeof(what),
                 "'%s' in thread %u gives %#" PRIx64 ", expected %#" PRIx64,
                 f->text, lane, got, want);
        EXPECT_TEXT(what, "(equal)");
    }
}

/* The address operand of the form's space. */
static inline const char *address_of(const struct form *f, bool store)
{
    const char *space = space_of(f);

    return strcmp(space, "shared") == 0  ? "[%r4+16]"
           : strcmp(space, "local") == 0 ? "[own+16]"
           : strcmp(space, "const") == 0 ? "[%d5+16]"
           : strcmp(space, "param") == 0 ? "[k_by+16]"
           : store                       ? "[%d2+16]"
                                         : "[%d1+16]";
}

#endif

/*
 * Which instructions a test has executed: where LOOM_PTX_RAN names a file,
 * the texts of all static instructions that a stream has with an active lane
 * are added to it, one a line.  tests/ptx/coverage.c runs the tests so, and
 * names in docs/ptx-coverage.md what it was told.
 */
#ifndef TESTS_UNIT_PTX_RAN_H
#define TESTS_UNIT_PTX_RAN_H

#include <stdio.h>
#include <stdlib.h>

#include "engine/error.h"

#include "workloads/stream.h"

/* NULL: nobody wants to know. */
static inline FILE *ptx_ran_file(void)
{
    /* lint: allow call: a CUnit program has no arguments of its own */
    const char *name = getenv("LOOM_PTX_RAN");

    return name != NULL ? fopen(name, "ab") : NULL;
}

/* For instructions that leave no stream behind: trap. */
static inline void ptx_ran_text(const char *text)
{
    FILE *file = ptx_ran_file();

    if (file != NULL) {
        fprintf(file, "%s\n", text);
        LOOM_CHECK(fclose(file) == 0);
    }
}

static inline void ptx_ran(const struct loom_kernel *kernel,
                           const struct loom_cta_stream *stream)
{
    FILE *file = ptx_ran_file();
    bool *ran;

    if (file == NULL) {
        return;
    }
    ran = calloc(kernel->inst_count, sizeof(*ran));
    LOOM_CHECK(ran != NULL);
    for (uint32_t w = 0; w < stream->warp_count; w++) {
        struct loom_cursor cursor = loom_cursor_of(&stream->warp[w]);
        struct loom_warp_inst inst;

        while (loom_stream_next(&cursor, &inst)) {
            if (inst.mask != 0 && !ran[inst.index]) {
                ran[inst.index] = true;
                fprintf(file, "%s\n",
                        kernel->text + kernel->inst[inst.index].text);
            }
        }
    }
    free(ran);
    LOOM_CHECK(fclose(file) == 0);
}

#endif

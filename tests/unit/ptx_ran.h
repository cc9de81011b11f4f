/*
 * What a test has executed, for those who want to know.
 *
 * Where LOOM_PTX_RAN names a file, the texts of all static instructions that
 * a stream has with an active lane are added to it, one a line:
 * tests/ptx/coverage.c runs the tests so, and names in docs/ptx-coverage.md
 * what it was told.  Where LOOM_PTX_SEEDS names a folder, each module is
 * written there under a name that depends on its text: seeds for
 * tests/fuzz/long.sh.
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

static inline void ptx_seed(const char *text)
{
    /* lint: allow call: as above */
    const char *folder = getenv("LOOM_PTX_SEEDS");
    uint64_t hash = UINT64_C(14695981039346656037);
    char name[1024];
    FILE *file;

    if (folder == NULL) {
        return;
    }
    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    }
    snprintf(name, sizeof(name), "%s/%016llx", folder,
             (unsigned long long)hash);
    file = fopen(name, "wb");
    LOOM_CHECK(file != NULL);
    fputs(text, file);
    LOOM_CHECK(fclose(file) == 0);
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

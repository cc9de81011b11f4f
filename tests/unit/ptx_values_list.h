/*
 * The forms of tests/ptx/opcodes.csv, which public programs use, for tests
 * that run all of a family.
 */
#ifndef TESTS_UNIT_PTX_VALUES_LIST_H
#define TESTS_UNIT_PTX_VALUES_LIST_H

#include "tests/unit/ptx_values_rig.h"

/* Calls `run` with each form of the list and then of `more`; it returns
 * whether the form is of its family.  Returns how many were. */
static inline uint32_t values_all(bool (*run)(const struct form *form),
                                  const char *const *more, size_t more_count)
{
    FILE *file = fopen(LOOM_SOURCE "/tests/ptx/opcodes.csv", "rb");
    uint32_t count = 0;
    struct form form;
    char line[256];

    REQUIRE(file != NULL);
    while (fgets(line, sizeof(line), file) != NULL) {
        char *end =
            strncmp(line, "opcode,", 7) == 0 ? strchr(line + 7, ',') : NULL;

        if (end != NULL) {
            *end = '\0';
            form_read(&form, line + 7);
            count += run(&form);
        }
    }
    fclose(file);
    for (size_t i = 0; i < more_count; i++) {
        bool taken;

        form_read(&form, more[i]);
        taken = run(&form);
        if (!taken) {
            EXPECT_TEXT(more[i], "(a form of this family)");
        }
        count += taken;
    }
    return count;
}

#endif

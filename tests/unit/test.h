/*
 * The harness: CUnit with a table of named tests, and exact comparisons that
 * print what they got.
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <CUnit/Basic.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base.h"

struct loom_test {
    const char *name; /* a behaviour: "lru_evicts_oldest" */
    void (*run)(void);
};

#define EXPECT(cond) CU_ASSERT(cond)

#define EXPECT_EQ(got, want)                                                   \
    loom_expect_eq(__FILE__, __LINE__, #got, (uint64_t)(got), (uint64_t)(want))

#define EXPECT_TEXT(got, want)                                                 \
    loom_expect_text(__FILE__, __LINE__, #got, (got), (want))

/* Both stop the test at a failure, so later lines may rely on it. */
#define REQUIRE(cond) CU_ASSERT_FATAL(cond)

static inline void loom_expect_eq(const char *file, int line, const char *what,
                                  uint64_t got, uint64_t want)
{
    char text[256];

    snprintf(text, sizeof(text), "%s is %" PRIu64 ", expected %" PRIu64, what,
             got, want);
    CU_assertImplementation(got == want, (unsigned)line, text, file, "",
                            CU_FALSE);
}

/* `got` contains `want`. */
static inline void loom_expect_text(const char *file, int line,
                                    const char *what, const char *got,
                                    const char *want)
{
    char text[1400];

    snprintf(text, sizeof(text), "%s is \"%.600s\", expected \"%.600s\" in it",
             what, got != NULL ? got : "(null)", want);
    CU_assertImplementation(got != NULL && strstr(got, want) != NULL,
                            (unsigned)line, text, file, "", CU_FALSE);
}

/* Runs all tests; the value for main() to return. */
static inline int loom_run_tests(const char *suite_name,
                                 const struct loom_test *tests, size_t count)
{
    unsigned failures;
    CU_pSuite suite;

    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 1;
    }
    suite = CU_add_suite(suite_name, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        CU_add_test(suite, tests[i].name, tests[i].run);
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures == 0 ? 0 : 1;
}

#endif

/*
 * Runs the unit tests of the PTX front end and keeps what they say that they
 * execute (tests/unit/ptx_ran.h).
 */
#ifndef TESTS_PTX_RAN_H
#define TESTS_PTX_RAN_H

#include <stdint.h>

struct ran_tests;

/* Runs the programs of `folder`; NULL if one fails, which it says. */
struct ran_tests *ran_create(const char *folder);
void ran_destroy(struct ran_tests *tests); /* or NULL */

/* The first test that executes this form (a name with its modifiers), or
 * that reads this special register; NULL: none does. */
const char *ran_test_of(const struct ran_tests *tests, const char *form);
const char *ran_reader_of(const struct ran_tests *tests, const char *name);

/* All forms, those of the first test first; NULL: there are no more. */
const char *ran_form(const struct ran_tests *tests, uint32_t number);

/* All of a file, or NULL; the caller frees it. */
char *ran_read_file(const char *folder, const char *name);

#endif

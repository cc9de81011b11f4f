/*
 * What the unit tests of the PTX front end execute.
 */
#include "tests/ptx/ran.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/error.h"

/* Those that compare values on edge cases first. */
static const char *const test_names[] = {
    "ptx_values_int_test",     "ptx_values_float_test",
    "ptx_values_cvt_test",     "ptx_values_memory_test",
    "ptx_values_atomic_test",  "ptx_values_warp_test",
    "ptx_values_texture_test", "ptx_rows_approx_test",
    "ptx_rows_arith_test",     "ptx_rows_cvt_test",
    "ptx_rows_narrow_test",    "ptx_rows_round_test",
    "ptx_rows_video_test",     "ptx_matrix_test",
    "ptx_texture_test",        "ptx_lanes_test",
    "ptx_floats_test",         "ptx_rows_control_test",
    "ptx_rows_barrier_test",   "ptx_rows_system_test",
    "ptx_exec_test",           "ptx_launch_test",
    "ptx_forms_atomic_test",   "ptx_forms_cluster_test",
    "ptx_forms_matrix_test",   "ptx_forms_other_test",
    "ptx_forms_tensor_test",   "ptx_forms_sparse_test",
};

/* What a test has executed: names with their modifiers, no operands. */
struct ran {
    char *text, *lines; /* cut into names, and as they were */
    const char **form;
    uint32_t count;
};

struct ran_tests {
    struct ran ran[LOOM_COUNTOF(test_names)];
};

char *ran_read_file(const char *folder, const char *name)
{
    char path[1024];
    char *text = NULL;
    FILE *file;
    long end;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0) {
        rewind(file);
        text = calloc(1, (size_t)end + 1);
        LOOM_CHECK(text != NULL);
        LOOM_CHECK(fread(text, 1, (size_t)end, file) == (size_t)end);
    }
    fclose(file);
    return text;
}

/* "@!%p1 ld.global.u32 %r1, [%d1];" -> "ld.global.u32" */
static char *name_of(char *line)
{
    if (*line == '@') {
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    line[strcspn(line, " ;")] = '\0';
    return line;
}

/* Once each. */
static void add_form(struct ran *ran, const char *form)
{
    for (uint32_t i = 0; i < ran->count; i++) {
        if (strcmp(ran->form[i], form) == 0) {
            return;
        }
    }
    ran->form[ran->count++] = form;
}

static void read_ran(struct ran *ran)
{
    uint32_t lines = 0;
    char *at = ran->text;

    for (const char *c = at; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    ran->form = calloc(lines + 1, sizeof(*ran->form));
    LOOM_CHECK(ran->form != NULL);
    while (*at != '\0') {
        char *end = at + strcspn(at, "\n");
        bool last = *end == '\0';

        *end = '\0';
        add_form(ran, name_of(at));
        at = last ? end : end + 1;
    }
}

static bool run_test(const char *folder, const char *name, struct ran *ran)
{
    char command[1200], file[] = "/tmp/loom-ptx-ran-XXXXXX";
    int made = mkstemp(file), status;

    LOOM_CHECK(made >= 0 && close(made) == 0);
    LOOM_CHECK(setenv("LOOM_PTX_RAN", file, 1) == 0);
    snprintf(command, sizeof(command), "'%s/%s' >&2", folder, name);
    status = system(command);
    ran->text = ran_read_file("", file);
    unlink(file);
    if (status != 0 || ran->text == NULL) {
        fprintf(stderr, "%s/%s fails\n", folder, name);
        return false;
    }
    ran->lines = strdup(ran->text);
    LOOM_CHECK(ran->lines != NULL);
    read_ran(ran);
    return true;
}

struct ran_tests *ran_create(const char *folder)
{
    struct ran_tests *tests = calloc(1, sizeof(*tests));
    bool ok = true;

    LOOM_CHECK(tests != NULL);
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        ok = run_test(folder, test_names[i], &tests->ran[i]) && ok;
    }
    if (!ok) {
        ran_destroy(tests);
        return NULL;
    }
    return tests;
}

void ran_destroy(struct ran_tests *tests)
{
    for (size_t i = 0; tests != NULL && i < LOOM_COUNTOF(test_names); i++) {
        free(tests->ran[i].text);
        free(tests->ran[i].lines);
        free(tests->ran[i].form);
    }
    free(tests);
}

const char *ran_test_of(const struct ran_tests *tests, const char *form)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        for (uint32_t k = 0; k < tests->ran[i].count; k++) {
            if (strcmp(tests->ran[i].form[k], form) == 0) {
                return test_names[i];
            }
        }
    }
    return NULL;
}

const char *ran_reader_of(const struct ran_tests *tests, const char *name)
{
    char operand[64]; /* "mov.u32 %r1, %tid.x;" */

    snprintf(operand, sizeof(operand), ", %s;", name);
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        if (strstr(tests->ran[i].lines, operand) != NULL) {
            return test_names[i];
        }
    }
    return NULL;
}

const char *ran_form(const struct ran_tests *tests, uint32_t number)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        if (number < tests->ran[i].count) {
            return tests->ran[i].form[number];
        }
        number -= tests->ran[i].count;
    }
    return NULL;
}

/*
 * Writes docs/ptx-coverage.md; coverage.sh checks that it is up to date.
 *
 *     ptx_coverage SOURCE TESTS    prints the page
 *
 * Whether a form is supported is found out, not stated: an instruction of
 * that form is put into a kernel, with operands of every kind that its row
 * allows, and the front end is asked to make it ready to run.  Which test
 * executes it is found out, too: the tests of folder TESTS are run and tell
 * what they execute (tests/unit/ptx_ran.h).  A supported form that no test
 * executes, and a test that fails, is an error.
 *
 * tests/ptx/opcodes.csv says which forms occur in how many of 454 public
 * CUDA programs (kind, name, programs), compiled by clang-14 for sm_75 at
 * -O3.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workloads/program.h"
#include "workloads/ptx/ptx_private.h"

extern const struct loom_workload_type ptx_workload;

#define LETTERS_MAX 8

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
    "ptx_exec_test",
};

struct text {
    char *text;
    size_t used, room;
};

/* What a test has executed: names with their modifiers, no operands. */
struct ran {
    char *text;
    const char **form;
    uint32_t count;
};

struct page {
    struct text out;
    struct ran ran[LOOM_COUNTOF(test_names)];
    char *list; /* opcodes.csv */
    struct loom_memory *memory;
    uint32_t supported, refused, untested;
};

static void put(struct text *t, const char *text)
{
    size_t n = strlen(text);

    if (t->used + n + 1 > t->room) {
        t->room = (t->used + n + 1) * 2;
        t->text = realloc(t->text, t->room);
        LOOM_CHECK(t->text != NULL);
    }
    memcpy(t->text + t->used, text, n + 1);
    t->used += n;
}

static char *read_file(const char *folder, const char *name)
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

/* ---- is a form supported? ---- */

/* Texts that may stand for a letter of an opcode's row. */
static const char *const *candidates(char letter, bool texture, bool pred)
{
    static const char *const reg[] = {"%r1", "%d1", "%q1", "1", "4", NULL};
    static const char *const p[] = {"%p1", NULL};
    static const char *const wide[] = {"%r1",
                                       "%d1",
                                       "{%r1, %r2}",
                                       "{%r1, %r2, %r3, %r4}",
                                       "{%d1, %d2}",
                                       "{%d1, %d2, %d3, %d4}",
                                       "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
                                       "%r8}",
                                       NULL};
    static const char *const address[] = {"[%d1]", NULL};
    static const char *const places[] = {
        "[tx, {%r1}]", "[tx, {%r1, %r2}]", "[tx, {%r1, %r2, %r3, %r4}]",
        "[sf, {%r1}]", "[sf, {%r1, %r2}]", "[sf, {%r1, %r2, %r3, %r4}]",
        NULL};
    static const char *const label[] = {"L", NULL};
    static const char *const function[] = {"f", NULL};
    static const char *const list[] = {"ts", NULL};

    switch (letter) {
    case 'q':
    case 'p':
        return p;
    case 'x':
    case 'y':
        return pred ? p : reg;
    case 'v':
    case 'w':
        return wide;
    case 'a':
        return texture ? places : address;
    case 'l':
        return label;
    case 'f':
        return function;
    case '*':
        return list;
    default:
        return reg;
    }
}

#define MODULE_HEAD                                                            \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".global .texref tx;\n.global .surfref sf;\n.func f() { ret; }\n"          \
    ".visible .entry k()\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"             \
    ".reg .b16 %q<9>;\n.reg .pred %p<9>;\nts: .branchtargets L;\n"

/* The name and modifiers of the kernel's first instruction, as printed. */
static void print_name(const char *text, char *name, size_t room)
{
    struct loom_ptx_module *module;
    const struct loom_ptx_function *k;
    struct loom_error err;
    char shown[480];

    LOOM_CHECK(ptx_parse("k", text, strlen(text), &module, &err));
    k = module->function[module->function_count - 1];
    loom_ptx_print_inst(k, &k->inst[0], shown, sizeof(shown));
    shown[strcspn(shown, " ;")] = '\0';
    snprintf(name, room, "%s", shown);
    loom_ptx_module_destroy(module);
}

/* Can this instruction run?  Its name as the front end writes it, or the
 * reason why it cannot. */
static bool accepted(const struct page *page, const char *inst,
                     struct loom_error *err)
{
    char text[1024];
    struct loom_program *program;
    struct loom_kernel *kernel;
    struct loom_launch_spec spec = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    int n =
        snprintf(text, sizeof(text), "%s%s;\nL:\nret;\n}\n", MODULE_HEAD, inst);
    bool ok;

    LOOM_CHECK(n > 0 && (size_t)n < sizeof(text));
    if (!ptx_workload.open(page->memory, "k", text, (size_t)n, &program, err)) {
        return false;
    }
    ok = ptx_workload.launch(program, &spec, &kernel, err);
    if (ok) {
        ptx_workload.retire(program, kernel);
        print_name(text, err->text, sizeof(err->text));
    }
    ptx_workload.close(program);
    return ok;
}

/* The row whose name is the longest beginning of the form's. */
static uint32_t row_of(const char *form)
{
    uint32_t best = LOOM_PTX_OPCODES;
    size_t used = 0;

    for (uint32_t i = 0; i < LOOM_PTX_OPCODES; i++) {
        size_t n = strlen(loom_ptx_opcodes[i].name);

        if (strncmp(form, loom_ptx_opcodes[i].name, n) == 0 && n > used &&
            (form[n] == '\0' || form[n] == '.')) {
            used = n;
            best = i;
        }
    }
    return best;
}

/* Tries all combinations of operands for one alternative of the row. */
static bool try_letters(const struct page *page, const char *form,
                        const char *letters, uint32_t count,
                        struct loom_error *err)
{
    uint32_t row = row_of(form);
    bool texture = loom_ptx_opcodes[row].group == LOOM_PTX_G_TEXTURE;
    bool pred = strstr(form, ".pred") != NULL;
    const char *const *from[LETTERS_MAX];
    uint32_t at[LETTERS_MAX] = {0};
    uint32_t place = 0;

    for (uint32_t i = 0; i < count; i++) {
        from[i] = candidates(letters[i], texture, pred);
    }
    do {
        char text[512];
        size_t used = (size_t)snprintf(text, sizeof(text), "%s ", form);
        struct loom_error now;

        for (uint32_t i = 0; i < count; i++) {
            if (i == 1 && row == LOOM_PTX_ELECT) {
                used +=
                    (size_t)snprintf(text + used, sizeof(text) - used, "|%%p1");
            }
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     i == 0 ? "" : ", ", from[i][at[i]]);
        }
        if (accepted(page, text, &now)) {
            *err = now;
            return true;
        }
        if (err->text[0] == '\0' ||
            strstr(now.text, "cannot execute") != NULL) {
            *err = now;
        }
        for (place = 0; place < count && from[place][++at[place]] == NULL;
             place++) {
            at[place] = 0;
        }
    } while (place < count);
    return false;
}

/* Each alternative of the row, with more and more of its optional operands.
 * True: err->text is the form as the front end writes it. */
static bool supported(const struct page *page, const char *form,
                      struct loom_error *err)
{
    uint32_t row = row_of(form);
    const char *at;

    *err = (struct loom_error){.kind = LOOM_ERR_NONE};
    if (row == LOOM_PTX_OPCODES) {
        snprintf(err->text, sizeof(err->text), "no such row");
        return false;
    }
    if (row == LOOM_PTX_CALL) {
        char text[128];

        snprintf(text, sizeof(text), "%s f", form);
        return accepted(page, text, err);
    }
    at = loom_ptx_opcodes[row].operands;
    for (;;) {
        char letters[LETTERS_MAX];
        uint32_t count = 0;
        bool optional = false;

        for (; *at != '\0' && *at != '|'; at++) {
            if (*at == '?') {
                optional = true;
            } else {
                if (optional && try_letters(page, form, letters, count, err)) {
                    return true;
                }
                letters[count++] = *at;
            }
        }
        if (try_letters(page, form, letters, count, err)) {
            return true;
        }
        if (*at == '\0') {
            return false;
        }
        at++;
    }
}

/* What follows the last "': ", or all of it. */
static const char *reason_of(const struct loom_error *err)
{
    const char *found = err->text;
    const char *next;

    while ((next = strstr(found, "': ")) != NULL) {
        found = next + 3;
    }
    next = strstr(found, "' ");
    return next != NULL ? next + 2 : found;
}

/* ---- which test executes it? ---- */

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
    ran->text = read_file("", file);
    unlink(file);
    if (status != 0 || ran->text == NULL) {
        fprintf(stderr, "%s/%s fails\n", folder, name);
        return false;
    }
    read_ran(ran);
    return true;
}

static const char *test_of(const struct page *page, const char *form)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        for (uint32_t k = 0; k < page->ran[i].count; k++) {
            if (strcmp(page->ran[i].form[k], form) == 0) {
                return test_names[i];
            }
        }
    }
    return NULL;
}

/* A form of the row that a test has executed. */
static const char *form_of_row(const struct page *page, uint32_t row)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        for (uint32_t k = 0; k < page->ran[i].count; k++) {
            if (row_of(page->ran[i].form[k]) == row) {
                return page->ran[i].form[k];
            }
        }
    }
    return NULL;
}

/* ---- the page ---- */

/* `form` is to be tried, `first` and `second` are shown. */
static void put_line(struct page *page, const char *first, const char *second,
                     const char *form)
{
    struct loom_error err;
    bool ok = supported(page, form, &err);
    const char *test = ok ? test_of(page, err.text) : NULL;
    char line[1200];

    if (ok && test == NULL) {
        fprintf(stderr, "no test executes '%s'\n", err.text);
    }
    snprintf(line, sizeof(line), "| `%.200s` | %.200s | %s | %s |\n", first,
             second, ok ? "supported" : "refused",
             !ok            ? reason_of(&err)
             : test != NULL ? test
                            : "-");
    put(&page->out, line);
    page->supported += ok;
    page->refused += !ok;
    page->untested += ok && test == NULL;
}

static void put_rows(struct page *page)
{
    put(&page->out, "## Rows\n\n"
                    "One for each opcode of `workloads/ptx_rows.h`, in a form "
                    "that the test executes.\n\n"
                    "| opcode | form | | test, or why not |\n|-|-|-|-|\n");
    for (uint32_t i = 0; i < LOOM_PTX_OPCODES; i++) {
        const char *form = form_of_row(page, i);
        char shown[160];

        form = form != NULL ? form : loom_ptx_opcodes[i].name;
        snprintf(shown, sizeof(shown), "`%s`", form);
        put_line(page, loom_ptx_opcodes[i].name, shown, form);
    }
}

static void put_list(struct page *page)
{
    char *line = strchr(page->list, '\n');

    put(&page->out, "\n## Forms that programs use\n\n"
                    "Of 454 public CUDA programs: in how many a form "
                    "occurs.\n\n"
                    "| form | programs | | test, or why not |\n|-|-|-|-|\n");
    while (line != NULL && line[1] != '\0') {
        char *kind = line + 1;
        char *name = strchr(kind, ',');
        char *programs = name != NULL ? strchr(name + 1, ',') : NULL;

        line = strchr(kind, '\n');
        if (programs == NULL || line == NULL) {
            break;
        }
        *name = *programs = *line = '\0';
        if (strcmp(kind, "opcode") == 0) {
            put_line(page, name + 1, programs + 1, name + 1);
        }
        *line = '\n';
    }
}

static bool open_page(struct page *page, const char *source, const char *folder)
{
    bool ok = true;

    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        ok = run_test(folder, test_names[i], &page->ran[i]) && ok;
    }
    page->list = read_file(source, "tests/ptx/opcodes.csv");
    page->memory = loom_memory_create(UINT64_C(1) << 30);
    return page->list != NULL && page->memory != NULL && ok;
}

static void close_page(struct page *page)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_names); i++) {
        free(page->ran[i].text);
        free(page->ran[i].form);
    }
    free(page->list);
    free(page->out.text);
    loom_memory_destroy(page->memory);
}

int main(int argc, char **argv)
{
    struct page page = {0};
    char line[160];
    bool ok;

    if (argc != 3) {
        fprintf(stderr, "usage: %s SOURCE TESTS\n", argv[0]);
        return 2;
    }
    ok = open_page(&page, argv[1], argv[2]);
    put(&page.out, "# PTX coverage\n\n"
                   "Generated by `tests/ptx/coverage.c`; a test compares it.  "
                   "\"Supported\" means that the front end\nmade a kernel with "
                   "such an instruction ready to run; the named test executes "
                   "that very form\n(it said so when it ran) and compares "
                   "what came out.\n\n");
    if (ok) {
        put_rows(&page);
        put_list(&page);
        snprintf(line, sizeof(line),
                 "\n%u lines are supported, %u refused; %u supported ones have "
                 "no test.\n",
                 page.supported, page.refused, page.untested);
        put(&page.out, line);
        ok = page.untested == 0;
    }
    fputs(page.out.text, stdout);
    close_page(&page);
    return ok ? 0 : 1;
}

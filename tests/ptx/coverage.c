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
 * tests/ptx/forms.txt has forms of the PTX ISA with their operands.  What is
 * refused must say what it is that is not simulated, or that is an error, too.
 *
 * tests/ptx/opcodes.csv says which forms occur in how many of 454 public
 * CUDA programs (kind, name, programs), compiled by clang-14 for sm_75 at
 * -O3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx/ran.h"
#include "tests/ptx/table.h"
#include "workloads/program.h"
#include "workloads/ptx/parse/parse.h"

extern const struct loom_workload_type ptx_workload;

#define LETTERS_MAX 10

struct page {
    struct text out;
    struct table table; /* that is being filled */
    struct ran_tests *tests;
    char *list; /* opcodes.csv */
    char *form; /* forms.txt */
    struct loom_memory *memory;
    bool shown[LOOM_PTX_OPCODES + 1]; /* a form of the row; no such row */
    uint32_t supported, refused, untested, vague;
};

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
    ".reg .b16 %q<9>;\n.reg .b128 %o<9>;\n.reg .pred %p<9>;\n"                 \
    ".reg .b8 %e<9>;\n"                                                        \
    "ts: .branchtargets L;\n"

/* The name and modifiers of the kernel's first instruction, as printed. */
static void print_name(const char *text, char *name, size_t room)
{
    struct loom_ptx_module *module;
    const struct loom_ptx_function *k;
    struct loom_error err;
    char shown[2048];

    LOOM_CHECK(ptx_parse("k", text, strlen(text), &module, &err));
    k = module->function[module->function_count - 1];
    loom_ptx_print_inst(k, &k->inst[0], shown, sizeof(shown));
    shown[strcspn(shown, " ;")] = '\0';
    snprintf(name, room, "%.500s", shown);
    loom_ptx_module_destroy(module);
}

/* Can this instruction run?  Its name as the front end writes it, or the
 * reason why it cannot. */
static bool accepted(const struct page *page, const char *inst,
                     struct loom_error *err)
{
    char text[4096];
    struct loom_program *program;
    struct loom_kernel *kernel;
    struct loom_launch_spec spec = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    int n =
        snprintf(text, sizeof(text), "%s%s;\nL:\nret;\n}\n", MODULE_HEAD, inst);
    bool ok;

    LOOM_CHECK(n > 0 && (size_t)n < sizeof(text));
    if (!ptx_workload.open(page->memory,
                           &(struct loom_program_text){
                               .name = "k", .text = text, .bytes = (size_t)n},
                           &program, err)) {
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

/* With the operands that forms.txt has for it, if it has some. */
static bool try_listed(const struct page *page, const char *form,
                       struct loom_error *err)
{
    size_t n = strlen(form);

    for (const char *at = page->form; at != NULL; at = strchr(at, '\n')) {
        char line[512];

        at += *at == '\n';
        if (strncmp(at, form, n) == 0 && at[n] == ' ') {
            snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
            return accepted(page, line, err);
        }
    }
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
    if (try_listed(page, form, err)) {
        return true;
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

/* What follows "is refused: " and the last "': ", or all of it. */
static const char *reason_of(const struct loom_error *err)
{
    const char *next = strstr(err->text, "is refused: ");
    const char *found = next != NULL ? next + 12 : err->text;

    while ((next = strstr(found, "': ")) != NULL) {
        found = next + 3;
    }
    next = strstr(found, "' ");
    return next != NULL ? next + 2 : found;
}

/* ---- the page ---- */

/* What was tried, with the test that executes it or the error that it gave; a
 * supported one that no test executes is an error of its own. */
static void note(struct page *page, const char *shown, bool ok,
                 const char *test_or_error)
{
    char end[520];

    if (ok && test_or_error == NULL) {
        fprintf(stderr, "no test executes '%s'\n", shown);
    }
    snprintf(end, sizeof(end), "%s%.500s", ok ? "" : "refused: ",
             test_or_error != NULL ? test_or_error : "-");
    table_add(&page->table, shown, end);
    page->supported += ok;
    page->refused += !ok;
    page->untested += ok && test_or_error == NULL;
}

static void note_form(struct page *page, const char *form)
{
    struct loom_error err;
    bool ok = supported(page, form, &err);
    char shown[240];

    page->shown[row_of(form)] |= ok;
    snprintf(shown, sizeof(shown), "`%.200s`", form);
    note(page, shown, ok,
         ok ? ran_test_of(page->tests, err.text) : reason_of(&err));
}

/* A form of the row that a test has executed. */
static const char *form_of_row(const struct page *page, uint32_t row)
{
    const char *form;

    for (uint32_t i = 0; (form = ran_form(page->tests, i)) != NULL; i++) {
        if (row_of(form) == row) {
            return form;
        }
    }
    return NULL;
}

/* What no other table has. */
static void put_rows(struct page *page)
{
    put(&page->out, "\n## Other opcodes\n\n"
                    "Those of `workloads/ir/rows.h` that no form above has, in "
                    "a form that the test executes.\n\n");
    for (uint32_t i = 0; i < LOOM_PTX_OPCODES; i++) {
        const char *form = form_of_row(page, i);

        if (!page->shown[i]) {
            note_form(page, form != NULL ? form : loom_ptx_opcodes[i].name);
        }
    }
    table_put(&page->table, &page->out, "| forms | test, or why not |\n");
}

static void note_register(struct page *page, const char *name)
{
    struct loom_error err;
    char line[120], shown[120];
    bool ok;

    snprintf(line, sizeof(line), "mov.u32 %%r1, %.60s", name);
    ok = accepted(page, line, &err);
    if (!ok) {
        snprintf(line, sizeof(line), "mov.u64 %%d1, %.60s", name);
        ok = accepted(page, line, &err);
    }
    snprintf(shown, sizeof(shown), "`%.60s`", name);
    note(page, shown, ok,
         ok ? ran_reader_of(page->tests, name) : reason_of(&err));
}

/* Does the reason say what it is that is missing? */
static bool is_vague(const char *reason)
{
    static const char *const words[] = {"not supported", "wrong operands",
                                        "unknown name", "expected"};

    for (size_t i = 0; i < LOOM_COUNTOF(words); i++) {
        if (strstr(reason, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void put_form(struct page *page, const char *inst)
{
    struct loom_error err;
    bool ok = accepted(page, inst, &err);
    char shown[240];

    if (!ok && is_vague(reason_of(&err))) {
        fprintf(stderr, "'%s' is refused: %s\n", inst, err.text);
        page->vague++;
    }
    if (ok) {
        page->shown[row_of(err.text)] = true;
    }
    snprintf(shown, sizeof(shown), "`%.*s`", (int)strcspn(inst, " "), inst);
    note(page, shown, ok,
         ok ? ran_test_of(page->tests, err.text) : reason_of(&err));
}

/* Headings are comments behind an empty line. */
static void put_group(struct page *page, const char *heading)
{
    if (heading != NULL) {
        put(&page->out, "\n### ");
        put(&page->out, heading);
        table_put(&page->table, &page->out,
                  "\n\n| forms | test, or why not |\n");
    }
}

static void put_forms(struct page *page)
{
    const char *heading = NULL;
    bool empty = false;

    put(&page->out, "## Forms of the PTX ISA\n\n"
                    "Of versions 6 to 9, what older programs do not have.\n");
    for (char *at = page->form; *at != '\0';) {
        char *end = at + strcspn(at, "\n");
        bool last = *end == '\0';

        *end = '\0';
        if (*at == '#' && empty) {
            put_group(page, heading);
            heading = at + 2;
        } else if (*at != '#' && *at != '\0') {
            put_form(page, at);
        }
        empty = *at == '\0';
        at = last ? end : end + 1;
    }
    put_group(page, heading);
}

/* ---- what is no instruction ---- */

static const struct {
    const char *what, *module; /* after .version, .target, .address_size */
} syntax[] = {
    {"functions with results and parameters in `.param`",
     ".func (.param .b32 r) f(.param .b32 a) { ret; }"},
    {"structures by value, `.param .align 8 .b8 p[24]`",
     ".entry k(.param .align 8 .b8 p[24]) { ret; }"},
    {"parameters in `.reg`", ".func f(.reg .b32 a) { ret; }"},
    {"predicates as parameters, `.reg .pred`",
     ".func f(.reg .pred a) { ret; }"},
    {"`.callprototype`", ".entry k() { p: .callprototype _ (.param .b32 a); "
                         "ret; }"},
    {"`.branchtargets`", ".entry k() { t: .branchtargets A; A: ret; }"},
    {"`.extern .func`, `.weak .func`", ".extern .func f(); .weak .func g() { "
                                       "ret; }"},
    {"`.noreturn`", ".func f() .noreturn { trap; }"},
    {"`.alias`", ".func f() { ret; }\n.visible .func g();\n.alias g, f;"},
    {"`.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnreg`",
     ".entry k() .maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 32 { ret; }\n"
     ".entry r() .reqntid 32 { ret; }"},
    {"`.pragma`", ".entry k() { .pragma \"nounroll\"; ret; }"},
    {"`.file`, `.loc`, `.section`",
     ".file 1 \"k.cu\"\n.entry k() { .loc 1 2 3\nret; }\n"
     ".section .debug_str { .b8 1, 2 }"},
    {"`.extern .shared`", ".extern .shared .align 16 .b8 s[];"},
    {"`.common`, `.weak`", ".common .global .u32 c;\n.weak .global .u32 w;"},
    {"arrays with values, addresses in them",
     ".const .u32 t[3] = {1, 2, 3};\n.global .u64 p[2] = {t, t+4};"},
    {"`.attribute(.managed)`", ".global .attribute(.managed) .u32 m;"},
    {"`.ptr .global .align`",
     ".entry k(.param .u64 .ptr .global .align 16 p) { ret; }"},
    {"`.texref`, `.samplerref`, `.surfref`",
     ".global .texref t;\n.global .samplerref s;\n.global .surfref u;"},
    {"clusters, `.reqnctapercluster`",
     ".entry k() .reqnctapercluster 2 { ret; }"},
};

static void put_syntax(struct page *page)
{
    put(&page->out, "\n## Beyond instructions\n\n");
    for (size_t i = 0; i < LOOM_COUNTOF(syntax); i++) {
        struct loom_program *program;
        struct loom_error err;
        char text[512];
        const char *why = NULL;
        int n = snprintf(text, sizeof(text),
                         ".version 8.0\n.target sm_90\n.address_size 64\n%s\n",
                         syntax[i].module);
        bool ok = ptx_workload.open(
            page->memory,
            &(struct loom_program_text){
                .name = "k", .text = text, .bytes = (size_t)n},
            &program, &err);

        if (ok) {
            for (uint32_t k = 0; ok && k < ptx_workload.kernel_count(program);
                 k++) {
                ok = ptx_workload.ready(program, k, &err);
            }
            ptx_workload.close(program);
        }
        if (!ok) {
            why = strstr(err.text, "is refused: ");
            why = strstr(why != NULL ? why : err.text, ": ");
            why = why != NULL ? why + 2 : err.text;
        }
        note(page, syntax[i].what, ok, ok ? "yes" : why);
    }
    table_put(&page->table, &page->out, "| what | supported? |\n");
}

/* The lines of the list that are of this kind. */
static void note_list(struct page *page, const char *kind)
{
    char *line = strchr(page->list, '\n');

    while (line != NULL && line[1] != '\0') {
        char *at = line + 1;
        char *name = strchr(at, ',');
        char *programs = name != NULL ? strchr(name + 1, ',') : NULL;
        line = strchr(at, '\n');
        if (programs == NULL || line == NULL) {
            break;
        }
        *name = *programs = *line = '\0';
        if (strcmp(at, kind) == 0 && strcmp(kind, "opcode") == 0) {
            note_form(page, name + 1);
        } else if (strcmp(at, kind) == 0) {
            note_register(page, name + 1);
        }
        *name = *programs = ',';
        *line = '\n';
    }
}

static void put_lists(struct page *page)
{
    put(&page->out, "\n## Forms that programs use\n\n"
                    "Of 454 public CUDA programs, the most frequent first; "
                    "`tests/ptx/opcodes.csv` says in\nhow many each "
                    "occurs.\n\n");
    note_list(page, "opcode");
    table_put(&page->table, &page->out, "| forms | test, or why not |\n");
    put(&page->out, "\n## Special registers that programs read\n\n");
    note_list(page, "sreg");
    table_put(&page->table, &page->out, "| registers | test |\n");
}

static bool open_page(struct page *page, const char *source, const char *folder)
{
    page->tests = ran_create(folder);
    page->list = ran_read_file(source, "tests/ptx/opcodes.csv");
    page->form = ran_read_file(source, "tests/ptx/forms.txt");
    page->memory = loom_memory_create(UINT64_C(1) << 30);
    return page->tests != NULL && page->list != NULL && page->form != NULL &&
           page->memory != NULL;
}

static void close_page(struct page *page)
{
    ran_destroy(page->tests);
    free(page->list);
    free(page->form);
    free(page->out.text);
    loom_memory_destroy(page->memory);
}

int main(int argc, char **argv)
{
    struct page page = {0};
    char line[200];
    bool ok;

    if (argc != 3) {
        fprintf(stderr, "usage: %s SOURCE TESTS\n", argv[0]);
        return 2;
    }
    ok = open_page(&page, argv[1], argv[2]);
    put(&page.out, "# PTX coverage\n\n"
                   "Generated by `tests/ptx/coverage.c`; a test compares it. "
                   "The test named beside a form has\nexecuted that very form "
                   "and compares what came out.\n\n"
                   "Only kernels that have, or call a function that has, what "
                   "is refused are refused, when they\nare launched; "
                   "`warploom check FILE.ptx` tells which. Parameters in "
                   "`.reg`, and text whose\nbrackets do not match, are "
                   "refused with the program.\n\n");
    if (ok) {
        put_forms(&page);
        put_lists(&page);
        put_rows(&page);
        put_syntax(&page);
        snprintf(line, sizeof(line),
                 "\n%u forms are supported, %u refused; %u supported ones have "
                 "no test.\n",
                 page.supported, page.refused, page.untested);
        put(&page.out, line);
        ok = page.untested == 0 && page.vague == 0;
    }
    fputs(page.out.text, stdout);
    close_page(&page);
    return ok ? 0 : 1;
}

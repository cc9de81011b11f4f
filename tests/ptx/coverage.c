/*
 * Writes docs/ptx-coverage.md, and checks that it is up to date.
 *
 *     ptx_coverage SOURCE            prints the page
 *     ptx_coverage SOURCE --check    compares it with the one in SOURCE/docs
 *
 * Whether a form is supported is found out, not stated: an instruction of
 * that form is put into a kernel, with operands of every kind that its row
 * allows, and the front end is asked to make it ready to run.  Which test
 * covers it is found by looking for it in the tests.
 *
 * tests/ptx/opcodes.csv says which forms occur in how many of 454 public
 * CUDA programs (kind, name, programs), compiled by clang-14 for sm_75 at
 * -O3.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/program.h"
#include "workloads/ptx/ptx_private.h"

extern const struct loom_workload_type ptx_workload;

#define TESTS_MAX 16
#define LETTERS_MAX 8

static const char *const test_files[] = {
    "ptx_rows_control_test", "ptx_rows_barrier_test", "ptx_rows_system_test",
    "ptx_rows_arith_test",   "ptx_rows_cvt_test",     "ptx_rows_narrow_test",
    "ptx_rows_round_test",   "ptx_rows_video_test",   "ptx_rows_matrix_test",
    "ptx_texture_test",      "ptx_exec_test",         "ptx_lanes_test",
    "ptx_floats_test",       "ptx_suite_test",
};

struct text {
    char *text;
    size_t used, room;
};

struct page {
    struct text out;
    char *test[LOOM_COUNTOF(test_files)]; /* sources, or NULL */
    char *list;                           /* opcodes.csv */
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

/* Can this instruction run?  The reason if not. */
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

/* Each alternative of the row, with more and more of its optional operands. */
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

/* Forms of rows that tests put together from parts. */
static const char *const example[] = {
    "abs.f32",
    "neg.f32",
    "rcp.rn.f32",
    "sqrt.rn.f32",
    "rsqrt.approx.f32",
    "sin.approx.f32",
    "cos.approx.f32",
    "lg2.approx.f32",
    "ex2.approx.f32",
    "tanh.approx.f32",
    "fma.rn.f32",
    "bfe.u32",
    "bmsk.clamp.b32",
    "szext.clamp.s32",
    "fns.b32",
    "dp4a.u32.u32",
    "dp2a.lo.u32.u32",
    "testp.finite.f32",
    "copysign.f32",
    "set.lt.u32.f32",
    "not.b32",
    "lop3.b32",
    "prmt.b32",
    "ldu.global.u32",
    "tex.base.2d.v4.f32.f32",
    "tex.grad.2d.v4.f32.f32",
    "tld4.r.2d.v4.f32.f32",
    "tld4.g.2d.v4.f32.f32",
    "tld4.b.2d.v4.f32.f32",
    "tld4.a.2d.v4.f32.f32",
    "txq.width.b32",
    "txq.height.b32",
    "txq.depth.b32",
    "txq.array_size.b32",
    "txq.channel_data_type.b32",
    "txq.channel_order.b32",
    "txq.num_mipmap_levels.b32",
    "txq.num_samples.b32",
    "suq.width.b32",
    "suq.height.b32",
    "suq.depth.b32",
    "suq.array_size.b32",
    "suq.channel_data_type.b32",
    "suq.channel_order.b32",
    "vadd2.u32.u32.u32",
    "vsub2.u32.u32.u32",
    "vavrg2.u32.u32.u32",
    "vabsdiff2.u32.u32.u32",
    "vmin2.u32.u32.u32",
    "vmax2.u32.u32.u32",
    "vset2.u32.u32.lt",
    "vadd4.u32.u32.u32",
    "vsub4.u32.u32.u32",
    "vavrg4.u32.u32.u32",
    "vmin4.u32.u32.u32",
    "vmax4.u32.u32.u32",
    "vset4.u32.u32.lt",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16",
    "movmatrix.sync.aligned.m8n8.trans.b16",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
    "wmma.load.b.sync.aligned.row.m16n16k16.global.f16",
    "wmma.load.c.sync.aligned.row.m16n16k16.global.f32",
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32",
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
};

static const char *example_of(uint32_t row)
{
    for (size_t i = 0; i < LOOM_COUNTOF(example); i++) {
        if (row_of(example[i]) == row) {
            return example[i];
        }
    }
    return loom_ptx_opcodes[row].name;
}

/* ---- which test covers it? ---- */

static bool name_character(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || c == '.' || c == ':';
}

/* Where `form` occurs as an instruction, or the beginning of its name if
 * `begins`; the rest of the name is in `whole`. */
static const char *occurs(const char *text, const char *form, bool begins)
{
    size_t n = strlen(form);

    for (const char *at = strstr(text, form); at != NULL;
         at = strstr(at + 1, form)) {
        /* Behind a quote, a blank, or the n of a line's end. */
        bool start =
            at[-1] == '"' || at[-1] == ' ' || (at[-1] == 'n' && at[-2] == '\\');

        if (start && (begins ? at[n] == '.' || !name_character(at[n])
                             : !name_character(at[n]))) {
            return at;
        }
    }
    return NULL;
}

static const char *test_of(const struct page *page, const char *form,
                           bool begins, const char **at)
{
    for (size_t i = 0; i < LOOM_COUNTOF(test_files); i++) {
        if (page->test[i] != NULL &&
            (*at = occurs(page->test[i], form, begins)) != NULL) {
            return test_files[i];
        }
    }
    return NULL;
}

/* The test of the same opcode, whatever its modifiers. */
static const char *test_of_row(const struct page *page, uint32_t row,
                               char *form, size_t room)
{
    const char *name = loom_ptx_opcodes[row].name;
    const char *at = NULL;
    const char *test = test_of(page, name, true, &at);
    size_t n = 0;

    while (test != NULL && n + 1 < room && name_character(at[n])) {
        form[n] = at[n];
        n++;
    }
    form[n] = '\0';
    return test;
}

/* ---- the page ---- */

static void put_line(struct page *page, const char *first, const char *second,
                     const char *form, const char *test)
{
    struct loom_error err;
    bool ok = supported(page, form, &err);
    char line[1024];

    snprintf(line, sizeof(line), "| `%s` | %s | %s | %s |\n", first, second,
             ok ? "supported" : "refused", ok ? test : reason_of(&err));
    put(&page->out, line);
    page->supported += ok;
    page->refused += !ok;
    page->untested += ok && strcmp(test, "-") == 0;
}

static void put_rows(struct page *page)
{
    put(&page->out, "## Rows\n\n"
                    "One for each opcode of `workloads/ptx_rows.h`, tried in "
                    "the form in which a test has it.\n\n"
                    "| opcode | form | | test, or why not |\n|-|-|-|-|\n");
    for (uint32_t i = 0; i < LOOM_PTX_OPCODES; i++) {
        char form[128], shown[160];
        struct loom_error err;
        const char *test = test_of_row(page, i, form, sizeof(form));

        if (test == NULL || !supported(page, form, &err)) {
            snprintf(form, sizeof(form), "%s", example_of(i));
        }
        snprintf(shown, sizeof(shown), "`%s`", form);
        put_line(page, loom_ptx_opcodes[i].name, shown, form,
                 test != NULL ? test : "-");
    }
}

/* One line of the list: a form, or something else that is only counted. */
static void put_form(struct page *page, const char *name, const char *programs)
{
    char ignored[128];
    const char *at = NULL;
    const char *test = test_of(page, name, false, &at);
    uint32_t row = row_of(name);

    if (test == NULL && row != LOOM_PTX_OPCODES) {
        test = test_of_row(page, row, ignored, sizeof(ignored));
    }
    put_line(page, name, programs, name, test != NULL ? test : "-");
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
            put_form(page, name + 1, programs + 1);
        }
        *line = '\n';
    }
}

static bool open_page(struct page *page, const char *source)
{
    char name[128];

    for (size_t i = 0; i < LOOM_COUNTOF(test_files); i++) {
        snprintf(name, sizeof(name), "tests/unit/%s.c", test_files[i]);
        page->test[i] = read_file(source, name);
    }
    page->list = read_file(source, "tests/ptx/opcodes.csv");
    page->memory = loom_memory_create(UINT64_C(1) << 30);
    return page->list != NULL && page->memory != NULL;
}

static bool same(const char *source, const char *want)
{
    char *there = read_file(source, "docs/ptx-coverage.md");
    bool ok = there != NULL && strcmp(there, want) == 0;

    free(there);
    if (!ok) {
        fprintf(stderr, "docs/ptx-coverage.md is out of date: write it with "
                        "'ptx_coverage SOURCE > docs/ptx-coverage.md'\n");
    }
    return ok;
}

int main(int argc, char **argv)
{
    struct page page = {0};
    bool ok = argc >= 2 && open_page(&page, argv[1]);
    char line[160];

    if (!ok) {
        fprintf(stderr, "usage: %s SOURCE [--check]\n", argv[0]);
        return 2;
    }
    put(&page.out, "# PTX coverage\n\n"
                   "Generated by `tests/ptx/coverage.c`; a test compares it.  "
                   "\"Supported\" means that the front end\nmade a kernel with "
                   "such an instruction ready to run; the named test runs the "
                   "opcode.\n\n");
    put_rows(&page);
    put_list(&page);
    snprintf(line, sizeof(line),
             "\n%u lines are supported, %u refused; %u supported ones have no "
             "test by name.\n",
             page.supported, page.refused, page.untested);
    put(&page.out, line);
    if (argc > 2) {
        ok = same(argv[1], page.out.text);
    } else {
        fputs(page.out.text, stdout);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(test_files); i++) {
        free(page.test[i]);
    }
    free(page.list);
    free(page.out.text);
    loom_memory_destroy(page.memory);
    return ok ? 0 : 1;
}

/*
 * Translation units in one text: what is one thing in all of them, what is
 * each one's own, and what cannot be linked.
 *
 * links: workload_ptx
 */
#include <stdlib.h>

#include "tests/unit/test.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

static struct loom_ptx_module *parse(const char *text)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.text = ""};

    if (!ptx_parse("k.ptx", text, strlen(text), &module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    return module;
}

static void expect_error(const char *text, const char *want)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.text = ""};

    EXPECT(!ptx_parse("k.ptx", text, strlen(text), &module, &err));
    EXPECT(module == NULL);
    EXPECT_TEXT(err.text, want);
    loom_ptx_module_destroy(module);
}

/* What is printed is one unit, and the same when it is read again. */
static void expect_one_unit(const struct loom_ptx_module *module)
{
    char *first = loom_ptx_print(module), *second;
    struct loom_ptx_module *again;

    REQUIRE(first != NULL);
    again = parse(first);
    REQUIRE(again != NULL);
    second = loom_ptx_print(again);
    REQUIRE(second != NULL);
    EXPECT_EQ(strcmp(first, second), 0);
    EXPECT_EQ(again->var_count, module->var_count);
    EXPECT_EQ(again->function_count, module->function_count);
    loom_ptx_module_destroy(again);
    free(first);
    free(second);
}

static const struct loom_ptx_var *var_of(const struct loom_ptx_module *module,
                                         const char *name)
{
    for (uint32_t i = 0; i < module->var_count; i++) {
        if (strcmp(module->var[i]->name, name) == 0) {
            return module->var[i];
        }
    }
    return NULL;
}

/* extern before the definition, and behind it; in instructions, calls and
 * initialisers. */
static void extern_is_what_is_visible(void)
{
    struct loom_ptx_module *m = parse(
        HEAD ".extern .func (.param .b32 r) f(.param .b32 p);\n"
             ".extern .global .align 4 .b8 t[16];\n"
             ".visible .global .u64 fp = f;\n"
             ".visible .entry k() {\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
             ".param .b32 a; .param .b32 b;\n"
             "mov.u64 %rd1, t;\ncall.uni (b), f, (a);\nret;\n}\n" HEAD
             ".visible .global .align 8 .b8 t[16] = {1, 2};\n"
             ".extern .global .u64 fp;\n"
             ".visible .func (.param .b32 r) f(.param .b32 p) {\n"
             ".reg .b64 %rd<2>;\nld.global.u64 %rd1, [fp];\nret;\n}\n");
    const struct loom_ptx_function *f, *k;
    const struct loom_ptx_var *t, *fp;

    REQUIRE(m != NULL);
    f = loom_ptx_function_find(m, "f");
    k = loom_ptx_function_find(m, "k");
    t = var_of(m, "t");
    fp = var_of(m, "fp");
    REQUIRE(f != NULL && k != NULL && t != NULL && fp != NULL);
    EXPECT_EQ(m->function_count, 2);
    EXPECT_EQ(m->var_count, 2);
    EXPECT(!f->declared);
    EXPECT_EQ(f->linkage, LOOM_PTX_VISIBLE);
    EXPECT_EQ(f->param_count, 1);
    EXPECT_EQ(t->linkage, LOOM_PTX_VISIBLE);
    EXPECT_EQ(t->align, 8);
    REQUIRE(t->init != NULL);
    EXPECT_EQ(t->init[1], 2);
    EXPECT(k->inst[0].operand[1].var == t);
    EXPECT(k->inst[1].operand[1].function == f);
    REQUIRE(fp->reloc_count == 1);
    EXPECT(fp->reloc[0].function == f);
    EXPECT(f->inst[0].operand[1].var == fp);
    expect_one_unit(m);
    loom_ptx_module_destroy(m);
}

/* Names without linkage are each unit's own, whatever others have. */
static void others_are_each_ones_own(void)
{
    struct loom_ptx_module *m = parse(
        HEAD
        ".global .b8 s[2] = {97};\n.global .b32 x;\n"
        ".func g() { ret; }\n"
        ".visible .entry a() {\n.reg .b64 %rd<3>;\n"
        "mov.u64 %rd1, s;\nmov.u64 %rd2, x;\ncall.uni g, ();\nret;\n}\n" HEAD
        ".global .b8 s[3] = {98, 99};\n"
        ".visible .global .b32 x = 5;\n"
        ".func g() { trap; }\n"
        ".visible .entry b() {\n.reg .b64 %rd<3>;\n"
        "mov.u64 %rd1, s;\nmov.u64 %rd2, x;\ncall.uni g, ();\nret;\n}\n" HEAD
        ".global .b32 x = 7;\n.extern .func g();\n"
        ".visible .entry c() {\n.reg .b64 %rd<3>;\n"
        "mov.u64 %rd2, x;\ncall.uni g, ();\nret;\n}\n" HEAD
        ".extern .global .b32 x;\n"
        ".visible .entry d() {\n.reg .b64 %rd<3>;\n"
        "mov.u64 %rd2, x;\nret;\n}\n");
    const struct loom_ptx_function *a, *b, *c, *d;

    REQUIRE(m != NULL);
    a = loom_ptx_function_find(m, "a");
    b = loom_ptx_function_find(m, "b");
    c = loom_ptx_function_find(m, "c");
    d = loom_ptx_function_find(m, "d");
    REQUIRE(a != NULL && b != NULL && c != NULL && d != NULL);
    EXPECT_EQ(a->inst[0].operand[1].var->bytes, 2);
    EXPECT_EQ(b->inst[0].operand[1].var->bytes, 3);
    EXPECT_TEXT(b->inst[0].operand[1].var->name, "s_u1_");
    EXPECT_EQ(a->inst[2].operand[1].function->inst[0].op, LOOM_PTX_RET);
    EXPECT_EQ(b->inst[2].operand[1].function->inst[0].op, LOOM_PTX_TRAP);
    EXPECT(c->inst[1].operand[1].function->declared);
    /* The one that others see has the name. */
    EXPECT(var_of(m, "x") == b->inst[1].operand[1].var);
    EXPECT(var_of(m, "x") == d->inst[0].operand[1].var);
    EXPECT_TEXT(a->inst[1].operand[1].var->name, "x_u0_");
    EXPECT_TEXT(c->inst[0].operand[1].var->name, "x_u2_");
    expect_one_unit(m);
    loom_ptx_module_destroy(m);
}

/* The first of the weak ones stays, unless there is one that is not. */
static void weak_gives_way(void)
{
    struct loom_ptx_module *m = parse(
        HEAD ".weak .func w() { ret; }\n.weak .func v() { ret; }\n"
             ".visible .func u() { ret; }\n"
             ".weak .global .b32 x = 1;\n.visible .global .b32 y = 1;\n"
             ".common .global .b32 z;\n.weak .entry k() { ret; }\n" HEAD
             ".weak .func w() { trap; }\n.visible .func v() { trap; }\n"
             ".weak .func u() { trap; }\n"
             ".visible .global .b32 x = 2;\n.weak .global .b32 y = 2;\n"
             ".common .global .b64 z;\n.weak .entry k() { trap; }\n" HEAD
             ".weak .func w();\n.extern .func v();\n"
             ".visible .entry last() {\ncall.uni w, ();\ncall.uni v, ();\n"
             "ret;\n}\n");

    REQUIRE(m != NULL);
    EXPECT_EQ(m->function_count, 5);
    EXPECT_EQ(m->var_count, 3);
    EXPECT_EQ(loom_ptx_function_find(m, "w")->inst[0].op, LOOM_PTX_RET);
    EXPECT_EQ(loom_ptx_function_find(m, "v")->inst[0].op, LOOM_PTX_TRAP);
    EXPECT_EQ(loom_ptx_function_find(m, "u")->inst[0].op, LOOM_PTX_RET);
    EXPECT_EQ(loom_ptx_function_find(m, "k")->inst[0].op, LOOM_PTX_RET);
    EXPECT_EQ(var_of(m, "x")->init[0], 2);
    EXPECT_EQ(var_of(m, "y")->init[0], 1);
    EXPECT_EQ(var_of(m, "z")->bytes, 8);
    expect_one_unit(m);
    loom_ptx_module_destroy(m);
}

/* Files are numbered in each unit. */
static void files_and_versions(void)
{
    struct loom_ptx_module *m = parse(
        HEAD ".file 1 \"a.cu\"\n.visible .entry a() {\n.loc 1 7 0\nret;\n}\n"
             ".version 7.1\n.target sm_70\n.address_size 64\n"
             ".file 1 \"b.cu\"\n.visible .entry b() {\n.loc 1 9 0\nret;\n}\n");

    REQUIRE(m != NULL);
    EXPECT_EQ(m->major, 7);
    EXPECT_EQ(m->minor, 1);
    EXPECT_EQ(m->file_count, 2);
    EXPECT_EQ(loom_ptx_function_find(m, "a")->inst[0].file, 1);
    EXPECT_EQ(loom_ptx_function_find(m, "b")->inst[0].file, 2);
    EXPECT_EQ(loom_ptx_function_find(m, "b")->inst[0].line, 9);
    EXPECT_TEXT(m->file[1].name, "b.cu");
    expect_one_unit(m);
    loom_ptx_module_destroy(m);
}

static void what_cannot_be_linked(void)
{
    expect_error(HEAD ".visible .func f() { ret; }\n" HEAD
                      ".visible .func f() { ret; }\n",
                 "k.ptx:8: 'f' is defined in two translation units");
    expect_error(HEAD ".visible .global .b32 x;\n" HEAD
                      ".visible .global .b32 x;\n",
                 "k.ptx:8: 'x' is defined in two translation units");
    expect_error(HEAD ".visible .global .b32 x;\n" HEAD
                      ".extern .const .b32 x;\n",
                 "'x' is something else in another translation unit");
    expect_error(HEAD ".visible .func x() { ret; }\n" HEAD
                      ".extern .global .b32 x;\n",
                 "'x' is something else in another translation unit");
    expect_error(HEAD ".visible .global .b32 x;\n" HEAD ".extern .func x();\n",
                 "'x' is declared twice");
    expect_error(HEAD ".visible .entry x() { ret; }\n" HEAD
                      ".extern .func x();\n",
                 "'x' is declared twice");
    expect_error(HEAD ".version 6.3\n.target sm_70\n.address_size 32\n",
                 ".address_size is 32, expected 64");
    /* Within a unit nothing is linked. */
    expect_error(HEAD HEAD ".weak .func f() { ret; }\n"
                           ".visible .func f() { ret; }\n",
                 "'f' is declared twice");
    expect_error(HEAD HEAD ".extern .global .b32 x;\n"
                           ".visible .global .b32 x;\n",
                 "'x' is declared twice");
}

static const struct loom_test tests[] = {
    {"extern_is_what_is_visible", extern_is_what_is_visible},
    {"others_are_each_ones_own", others_are_each_ones_own},
    {"weak_gives_way", weak_gives_way},
    {"files_and_versions", files_and_versions},
    {"what_cannot_be_linked", what_cannot_be_linked},
};

int main(void)
{
    return loom_run_tests("ptx_units", tests, LOOM_COUNTOF(tests));
}

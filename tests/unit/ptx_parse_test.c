/*
 * The PTX parser, the IR's builders and the printer.
 *
 * links: workload_ptx
 */
#include <stdlib.h>

#include "tests/unit/test.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"
#define REGS                                                                   \
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"                 \
    ".reg .f32 %f<8>;\n"

static struct loom_ptx_module *parse(const char *text)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.text = ""};

    if (!ptx_parse("k.ptx", text, strlen(text), &module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    return module;
}

/* A kernel of these statements. */
static struct loom_ptx_module *parse_body(const char *body)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s\nret;\n}\n",
             HEAD ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n" REGS,
             body);
    return parse(text);
}

static void expect_error(const char *text, const char *want)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.text = ""};
    bool ok = ptx_parse("k.ptx", text, strlen(text), &module, &err);

    EXPECT(!ok);
    EXPECT(module == NULL);
    EXPECT_TEXT(err.text, want);
    loom_ptx_module_destroy(module);
}

/* Kernel k is refused, kernel l is not, and it stays so when it is printed. */
static void expect_refused(const char *text, const char *want)
{
    struct loom_ptx_module *module = parse(text);
    char said[400];
    char *first = NULL, *second = NULL;

    for (uint32_t pass = 0; pass < 2; pass++) {
        const struct loom_ptx_function *k, *l;

        REQUIRE(module != NULL);
        k = loom_ptx_function_find(module, "k");
        l = loom_ptx_function_find(module, "l");
        REQUIRE(k != NULL && k->refused != NULL && l != NULL);
        snprintf(said, sizeof(said), "k.ptx:%u: %s", k->refused_line,
                 k->refused);
        if (pass == 0) {
            EXPECT_TEXT(said, want);
        }
        EXPECT_EQ(k->inst_count + k->reg_count + k->label_count, 0);
        EXPECT(l->refused == NULL);
        EXPECT_EQ(l->inst_count, 1);
        *(pass == 0 ? &first : &second) = loom_ptx_print(module);
        loom_ptx_module_destroy(module);
        REQUIRE(first != NULL);
        module = pass == 0 ? parse(first) : NULL;
    }
    REQUIRE(second != NULL);
    EXPECT(strcmp(first, second) == 0);
    free(first);
    free(second);
}

static void expect_body_error(const char *body, const char *want)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s\n}\n.entry l() { ret; }\n",
             HEAD ".entry k() {\n" REGS, body);
    expect_refused(text, want);
}

/* One instruction, printed again. */
static void expect_print(const char *statement, const char *want)
{
    struct loom_ptx_module *module = parse_body(statement);
    char text[256];

    REQUIRE(module != NULL);
    loom_ptx_print_inst(module->function[0], &module->function[0]->inst[0],
                        text, sizeof(text));
    EXPECT_TEXT(text, want);
    EXPECT_EQ(strlen(text), strlen(want));
    loom_ptx_module_destroy(module);
}

static char *read_program(const char *name, size_t *size)
{
    char path[512];
    FILE *file;
    char *text;

    snprintf(path, sizeof(path), "%s/tests/data/ptx/%s", LOOM_SOURCE, name);
    file = fopen(path, "rb");
    REQUIRE(file != NULL);
    text = calloc(1, 1 << 20);
    REQUIRE(text != NULL);
    *size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void print_is_a_fixpoint(void)
{
    static const char *const names[] = {
        "alu_chains", "bank_conflicts", "chase",         "collatz",
        "gemm_tile",  "hist_global",    "kmeans_assign", "local_table",
        "matvec",     "reduce_tree",    "sfu_wave",      "spmv_csr",
        "stencil5",   "stream_saxpy",   "strided",       "warp_private"};

    for (size_t i = 0; i < LOOM_COUNTOF(names); i++) {
        char file[64];
        size_t size = 0;
        struct loom_ptx_module *module;
        struct loom_ptx_module *again;
        char *text;
        char *first;
        char *second;

        snprintf(file, sizeof(file), "%s.ptx", names[i]);
        text = read_program(file, &size);
        module = parse(text);
        REQUIRE(module != NULL);
        first = loom_ptx_print(module);
        REQUIRE(first != NULL);
        again = parse(first);
        REQUIRE(again != NULL);
        second = loom_ptx_print(again);
        REQUIRE(second != NULL);
        EXPECT(strcmp(first, second) == 0);
        EXPECT_EQ(again->function[0]->inst_count,
                  module->function[0]->inst_count);
        free(text);
        free(first);
        free(second);
        loom_ptx_module_destroy(module);
        loom_ptx_module_destroy(again);
    }
}

static void fields_of_an_instruction(void)
{
    struct loom_ptx_module *module =
        parse_body("@!%p1 ld.volatile.global.v2.f32 {%f1, %f2}, [%rd1+-8];\n"
                   "setp.lt.and.f32 %p1|%p2, %f1, 1.5, !%p3;\n"
                   "mad.wide.s32 %rd2, %r1, -4, %rd1;\n"
                   "cvt.rn.ftz.f32.f64 %f1, %rd1;\n");
    const struct loom_ptx_inst *inst;

    REQUIRE(module != NULL);
    inst = module->function[0]->inst;
    EXPECT_EQ(inst[0].op, LOOM_PTX_LD);
    EXPECT_EQ(inst[0].type[0], LOOM_PTX_F32);
    EXPECT_EQ(inst[0].space, LOOM_PTX_GLOBAL);
    EXPECT_EQ(inst[0].order, LOOM_PTX_VOLATILE);
    EXPECT_EQ(inst[0].vector, 2);
    EXPECT_EQ(inst[0].guard, 1);
    EXPECT(inst[0].guard_negate);
    EXPECT_EQ(inst[0].operand[0].count, 2);
    EXPECT_EQ(inst[0].operand[1].kind, LOOM_PTX_OP_ADDRESS);
    EXPECT(inst[0].operand[1].value == -8);
    EXPECT_EQ(inst[1].compare, LOOM_PTX_LT);
    EXPECT_EQ(inst[1].sub, LOOM_PTX_DO_AND);
    EXPECT_EQ(inst[1].operand_count, 5);
    EXPECT(inst[1].flags & LOOM_PTX_PAIR);
    EXPECT_EQ(inst[1].operand[3].kind, LOOM_PTX_OP_F32);
    EXPECT_EQ(inst[1].operand[3].value, 0x3FC00000);
    EXPECT(inst[1].operand[4].negate);
    EXPECT_EQ(loom_ptx_dests(&inst[1]), 2);
    EXPECT_EQ(inst[2].half, LOOM_PTX_WIDE);
    EXPECT(inst[2].operand[2].value == -4);
    EXPECT_EQ(inst[3].round, LOOM_PTX_RN);
    EXPECT_EQ(inst[3].type[1], LOOM_PTX_F64);
    EXPECT(inst[3].flags & LOOM_PTX_FTZ);
    EXPECT_EQ(inst[0].text_line, 10);
    loom_ptx_module_destroy(module);
}

static void every_kind_of_literal(void)
{
    expect_print("mov.u32 %r1, 0x1F;", "mov.u32 %r1, 31;");
    expect_print("mov.u32 %r1, 017;", "mov.u32 %r1, 15;");
    expect_print("mov.u32 %r1, 0b101;", "mov.u32 %r1, 5;");
    expect_print("mov.u32 %r1, 7U;", "mov.u32 %r1, 7;");
    expect_print("mov.u32 %r1, ~0;", "mov.u32 %r1, -1;");
    expect_print("mov.u64 %rd1, 18446744073709551615;", "mov.u64 %rd1, -1;");
    expect_print("mov.f32 %f1, 0F3f800000;", "mov.f32 %f1, 0f3F800000;");
    expect_print("mov.f32 %f1, 0.5;", "mov.f32 %f1, 0f3F000000;");
    expect_print("mov.f64 %rd1, 0d3FF0000000000000;",
                 "mov.f64 %rd1, 0d3FF0000000000000;");
    expect_print("mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, WARP_SZ;");
    expect_print("mov.u32 %r1, %envreg2;", "mov.u32 %r1, %envreg2;");
}

static void modifiers_in_canonical_order(void)
{
    expect_print("atom.global.sys.add.u32 %r1, [%rd1], 1;",
                 "atom.sys.global.add.u32 %r1, [%rd1], 1;");
    expect_print("vote.ballot.sync.b32 %r1, %p1, -1;",
                 "vote.sync.ballot.b32 %r1, %p1, -1;");
    expect_print("ld.global.nc.L1::evict_last.L2::128B.f32 %f1, [%rd1];",
                 "ld.global.nc.L1::evict_last.L2::128B.f32 %f1, [%rd1];");
    expect_print("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, "
                 "{%r1}, {%r2}, {%f2};",
                 "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, "
                 "{%r1}, {%r2}, {%f2};");
    expect_print("bar.red.or.pred %p1, 0, %p2;",
                 "bar.red.or.pred %p1, 0, %p2;");
    expect_print("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
                 "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;");
    expect_print("max.NaN.xorsign.abs.f16x2 %r1, %r2, %r3;",
                 "max.NaN.xorsign.abs.f16x2 %r1, %r2, %r3;");
}

/* The text of a fat binary: no line ends, no blanks but where needed. */
static void minified_text(void)
{
    struct loom_ptx_module *module =
        parse(".version 9.0.target sm_75.address_size 64.visible .entry "
              "k(.param .u64 k_param_0){.reg .pred %p<2>;.reg .b32 %r<2>;"
              "mov.u32 %r1,%tid.x;setp.eq.s32 %p1,%r1,0;@%p1 bra $L__BB0_2;"
              "bra.uni LBB0_1;LBB0_1:mov.u32 %r1,1;$L__BB0_2:ret;}");
    const struct loom_ptx_function *k;

    REQUIRE(module != NULL);
    EXPECT_EQ(module->major, 9);
    k = module->function[0];
    EXPECT_EQ(k->inst_count, 6);
    EXPECT_EQ(k->label[k->inst[2].operand[0].value].target, 5);
    EXPECT_EQ(k->label[k->inst[3].operand[0].value].target, 4);
    loom_ptx_module_destroy(module);
}

static void variables_and_initialisers(void)
{
    struct loom_ptx_module *module = parse(
        HEAD ".const .align 4 .f32 c[2][3] = {{1.0, 2.0}, {0f40400000}};\n"
             ".global .u32 g[] = {1, -1, 0x10};\n"
             ".visible .global .u64 p = generic(g)+4;\n"
             ".extern .shared .align 16 .b8 dyn[];\n"
             ".global .v2 .u16 v = {1, 2};\n");
    struct loom_ptx_var **var;

    REQUIRE(module != NULL);
    var = module->var;
    EXPECT_EQ(module->var_count, 5);
    EXPECT_EQ(var[0]->bytes, 24);
    EXPECT_EQ(var[0]->init[7], 0x40);  /* 2.0f */
    EXPECT_EQ(var[0]->init[8], 0);     /* left out */
    EXPECT_EQ(var[0]->init[15], 0x40); /* second row */
    EXPECT_EQ(var[1]->count, 3);
    EXPECT_EQ(var[1]->init[4], 0xff);
    EXPECT_EQ(var[2]->reloc_count, 1);
    EXPECT(var[2]->reloc[0].var == var[1]);
    EXPECT(var[2]->reloc[0].generic);
    EXPECT_EQ(var[2]->reloc[0].addend, 4);
    EXPECT_EQ(var[3]->bytes, 0);
    EXPECT_EQ(var[3]->align, 16);
    EXPECT_EQ(var[4]->bytes, 4);
    EXPECT_EQ(var[4]->init[2], 2);
    loom_ptx_module_destroy(module);
}

static void parameters_are_laid_out(void)
{
    struct loom_ptx_module *module =
        parse(HEAD ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 "
                   "b, .param .align 8 .b8 s[12], .param .f32 f)\n"
                   ".maxntid 128, 2\n.minnctapersm 3\n{ ret; }");
    const struct loom_ptx_function *k;

    REQUIRE(module != NULL);
    k = module->function[0];
    EXPECT_EQ(k->param[1]->offset, 8);
    EXPECT(k->param[1]->pointer);
    EXPECT_EQ(k->param[1]->ptr_align, 16);
    EXPECT_EQ(k->param[2]->offset, 16);
    EXPECT_EQ(k->param[3]->offset, 28);
    EXPECT_EQ(k->param_bytes, 32);
    EXPECT_EQ(k->maxntid[0] * k->maxntid[1] * k->maxntid[2], 256);
    EXPECT_EQ(k->minnctapersm, 3);
    loom_ptx_module_destroy(module);
}

/* Labels and registers of inner scopes, as inline assembly makes them. */
static void scopes_are_flattened(void)
{
    struct loom_ptx_module *module =
        parse_body("{ .reg .pred %p<2>; @%p1 bra L1; bra OUT; L1: }\n"
                   "{ .reg .pred %p<2>; @%p1 bra L1; L1: }\n"
                   "OUT: @%p1 bra OUT;\n");
    const struct loom_ptx_function *k;

    REQUIRE(module != NULL);
    k = module->function[0];
    EXPECT_EQ(k->label_count, 3);
    EXPECT_EQ(k->label[k->inst[0].operand[0].value].target, 2);
    EXPECT_EQ(k->label[k->inst[1].operand[0].value].target, 3);
    EXPECT_EQ(k->label[k->inst[2].operand[0].value].target, 3);
    EXPECT(k->inst[0].guard != k->inst[2].guard);
    EXPECT_EQ(k->inst[3].guard, 1);
    loom_ptx_module_destroy(module);
}

static void calls(void)
{
    struct loom_ptx_module *module = parse(
        HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 x, "
             ".param .b64 y);\n.func f();\n.entry k() { .reg .b64 %rd<2>;\n"
             "{ .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
             "st.param.b64 [p0+0], %rd1;\n"
             "call.uni (r0), vprintf, (p0, p1); }\n"
             "call f;\n"
             "proto : .callprototype (.param .b32 _) _ (.param .b64 _);\n"
             "{ .param .b64 p0; .param .b32 r0;\n"
             "call (r0), %rd1, (p0), proto; }\nret; }\n.func f() { ret; }\n");
    const struct loom_ptx_function *k;
    char *text;

    REQUIRE(module != NULL);
    k = loom_ptx_function_find(module, "k");
    REQUIRE(k != NULL);
    EXPECT_EQ(k->inst[1].operand_count, 3);
    EXPECT(k->inst[1].operand[1].function == module->function[0]);
    EXPECT_EQ(k->inst[2].operand[0].count, 0);
    EXPECT_EQ(k->inst[3].operand_count, 4);
    EXPECT_EQ(k->inst[3].operand[1].kind, LOOM_PTX_OP_REG);
    EXPECT_EQ(module->function_count, 3);
    EXPECT(!loom_ptx_function_find(module, "f")->declared);
    text = loom_ptx_print(module);
    EXPECT_TEXT(text, "call.uni (r0_s2_), vprintf, (p0_s2_, p1_s2_);");
    EXPECT_TEXT(text, "call f;");
    free(text);
    loom_ptx_module_destroy(module);
}

static void lines_of_the_source(void)
{
    struct loom_ptx_module *module = parse(
        HEAD ".entry k() {\n.loc 1 20 3\nret;\n.loc 1 21 3, function_name "
             "$L__info0, inlined_at 1 9 2\nret;\n}\n.file 1 \"k.cu\"\n"
             ".section .debug_str\n{\n$L__info0:\n.b8 1,2\n}\n");

    REQUIRE(module != NULL);
    EXPECT_EQ(module->function[0]->inst[0].line, 20);
    EXPECT_EQ(module->function[0]->inst[1].line, 21);
    EXPECT_TEXT(module->file[0].name, "k.cu");
    loom_ptx_module_destroy(module);
}

static void errors_name_the_place(void)
{
    expect_body_error("tex.9d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1}];",
                      "k.ptx:9: instruction 'tex.9d.v4.f32.s32 "
                      "{%f1,%f2,%f3,%f4}, [t, {%r1}]' has a modifier that is "
                      "not supported");
    expect_body_error("strange.cp %r1, ts;",
                      "k.ptx:9: instruction 'strange.cp %r1, ts' is not "
                      "supported");
    expect_body_error("brx.idx %r1, ts;", "k.ptx:9: unknown name 'ts'");
    expect_body_error("ts: .branchtargets GONE;\nbrx.idx %r1, ts;",
                      "label 'GONE' of 'k' is not defined");
    expect_body_error("pr: .callprototype _ ();\nbrx.idx %r1, pr;",
                      "has wrong operands");
    expect_body_error("\nadd.s32 %r1, %p1, 5;",
                      "k.ptx:10: instruction 'add.s32 %r1, %p1, 5' has wrong "
                      "operands");
    expect_body_error("mul.s32 %r1, %r2, 5;", "lacks a modifier");
    expect_body_error("ld.global.v2.f32 %f1, [%rd1];", "wrong length");
    expect_body_error("ld.global.f32 %f1, %rd1;", "wrong operands");
    expect_body_error("add.s32 %r1, %r99, 5;", "unknown name '%r99'");
    expect_body_error("bra NOWHERE;", "label 'NOWHERE' of 'k' is not defined");
    expect_body_error("L: L: ret;", "label 'L' is defined twice");
    expect_body_error("add.s32 %r1, 0x, 5;", "found '0x'");
    expect_body_error("mov.u32 %r1, 99999999999999999999;",
                      "found '99999999999999999999'");
    expect_body_error("ret", "found '}' where ';' is expected");
    expect_body_error(".reg .b32 %r<9>;", "'%r' is declared twice");
    expect_error("", "k.ptx:1: the text ends where '.version' is expected");
    expect_error("hello", "found 'hello' where '.version' is expected");
    expect_error(HEAD ".entry k() { ret;", "the text ends");
    expect_error(HEAD ".entry k(.param .u33 a) {}", "found '.u33'");
    expect_error(HEAD ".global .u32 x = y;", "found 'y'");
    expect_error(HEAD ".global .align 3 .u32 x;", "expected a power of two");
    expect_error(HEAD ".global .u32 x[2] = {1,2,3};", "more than 2");
    expect_body_error(".reg .b32 %q<99999999>;", "too large");
    /* No end: it is the text's mistake. */
    expect_error(HEAD ".entry k() { strange.cp %r1; { ret; }\n.entry l() {}",
                 "k.ptx:4: instruction 'strange.cp %r1' is not supported");
}

static void cut_off_anywhere(void)
{
    size_t size = 0;
    char *text = read_program("spmv_csr.ptx", &size);

    for (size_t n = 0; n + 4 < size; n++) {
        struct loom_ptx_module *module = NULL;
        struct loom_error err = {.text = ""};

        if (!ptx_parse("k.ptx", text, n, &module, &err)) {
            EXPECT_TEXT(err.text, "k.ptx:");
            EXPECT(module == NULL);
        }
        loom_ptx_module_destroy(module);
    }
    free(text);
}

/* A transform's work: insert before a loop and remove. */
static void insert_and_remove(void)
{
    struct loom_ptx_module *module =
        parse_body("TOP: add.s32 %r1, %r1, 1; @%p1 bra TOP;");
    struct loom_ptx_operand operand[2];
    struct loom_ptx_inst inst;
    struct loom_ptx_function *k;
    uint32_t reg;
    char *text;

    REQUIRE(module != NULL);
    k = module->function[0];
    reg = loom_ptx_reg_fresh(k, LOOM_PTX_B32);
    operand[0] = loom_ptx_operand_reg(reg);
    operand[1] = loom_ptx_operand_imm(3);
    inst = loom_ptx_inst_make(LOOM_PTX_MOV, LOOM_PTX_U32, operand, 2);
    EXPECT(loom_ptx_insert(k, 0, &inst, 1, true));
    EXPECT_EQ(k->label[0].target, 1);
    EXPECT(loom_ptx_insert(k, 1, &inst, 1, false));
    EXPECT_EQ(k->label[0].target, 1);
    EXPECT_EQ(k->inst_count, 5);
    text = loom_ptx_print(module);
    EXPECT_TEXT(text, "\tmov.u32 %loom28, 3;\nTOP:\n\tmov.u32 %loom28, 3;\n"
                      "\tadd.s32 %r1, %r1, 1;");
    free(text);
    loom_ptx_remove(k, 0, 2);
    EXPECT_EQ(k->label[0].target, 0);
    EXPECT_EQ(k->inst_count, 3);
    EXPECT_EQ(k->inst[0].op, LOOM_PTX_ADD);
    loom_ptx_module_destroy(module);
}

/* Linear: 100 000 lines in well under the time limit of the test. */
static void large_text(void)
{
    const size_t lines = 100000;
    const char *line = "L%06zu: mad.lo.s32 %%r1, %%r2, %%r3, 4;\n";
    char *text = malloc(lines * 64 + 4096);
    struct loom_ptx_module *module;
    size_t used;

    REQUIRE(text != NULL);
    used = (size_t)snprintf(text, 4096, "%s", HEAD ".entry k() {\n" REGS);
    for (size_t i = 0; i < lines; i++) {
        used += (size_t)snprintf(text + used, 64, line, i);
    }
    snprintf(text + used, 64, "bra L000007;\n}\n");
    module = parse(text);
    REQUIRE(module != NULL);
    EXPECT_EQ(module->function[0]->inst_count, lines + 1);
    EXPECT_EQ(module->function[0]->label_count, lines);
    loom_ptx_module_destroy(module);
    free(text);
}

static const struct loom_test tests[] = {
    {"print_is_a_fixpoint", print_is_a_fixpoint},
    {"fields_of_an_instruction", fields_of_an_instruction},
    {"every_kind_of_literal", every_kind_of_literal},
    {"modifiers_in_canonical_order", modifiers_in_canonical_order},
    {"minified_text", minified_text},
    {"variables_and_initialisers", variables_and_initialisers},
    {"parameters_are_laid_out", parameters_are_laid_out},
    {"scopes_are_flattened", scopes_are_flattened},
    {"calls", calls},
    {"lines_of_the_source", lines_of_the_source},
    {"errors_name_the_place", errors_name_the_place},
    {"cut_off_anywhere", cut_off_anywhere},
    {"insert_and_remove", insert_and_remove},
    {"large_text", large_text},
};

int main(void)
{
    return loom_run_tests("ptx_parse", tests, LOOM_COUNTOF(tests));
}

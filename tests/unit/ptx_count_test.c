/*
 * Registers that are counted in PTX which is timed as compiled, beside what
 * ptxas 13.0 takes of the same text for sm_90 (decision 0082).
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"
#include "workloads/ptx/analysis/analysis.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD                                                                   \
    ".version 8.0\n.target sm_75\n.address_size 64\n"                          \
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"   \
    ".entry k(.param .u64 p, .param .u64 q, .param .u32 n)%s\n{\n"             \
    ".reg .b64 %%rd<99>;\n.reg .b32 %%r<199>;\n.reg .f32 %%f<199>;\n"          \
    ".reg .f64 %%d<99>;\n.reg .pred %%p<9>;\n"
/* Addresses %rd4 and %rd5 of a thread's 128 bytes of p and of q. */
#define ADDRESSES                                                              \
    "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n"                       \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd3, %r0, 128;\n"                     \
    "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
#define ROOM 32768

struct text {
    char body[ROOM];
    size_t length;
};

static struct text begin(const char *directives)
{
    struct text t = {.length = 0};

    t.length += (size_t)snprintf(t.body, ROOM, HEAD, directives);
    return t;
}

static void add(struct text *t, const char *line)
{
    t->length +=
        (size_t)snprintf(t->body + t->length, ROOM - t->length, "%s\n", line);
    REQUIRE(t->length < ROOM);
}

/* `line` has a place for a number, and one for a distance. */
static void add_each(struct text *t, uint32_t count, const char *format,
                     uint32_t bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        char line[128], *to = line;

        for (const char *c = format; *c != '\0'; c++) {
            if (*c == '#') {
                to += snprintf(to, 16, "%u", 10 + i);
            } else if (*c == '@') {
                to += snprintf(to, 16, "%u", bytes * i);
            } else {
                *to++ = *c;
            }
        }
        *to = '\0';
        add(t, line);
    }
}

static uint32_t registers_of(struct text *t)
{
    struct loom_ptx_module *module;
    struct ptx_analysis *a;
    struct loom_error err = {.text = ""};
    uint32_t registers;

    add(t, "ret;\n}");
    if (!ptx_parse("k.ptx", t->body, t->length, &module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    REQUIRE(module != NULL);
    REQUIRE(ptx_analyse(loom_ptx_function_find(module, "k"), true, &a, &err));
    registers = a->registers;
    ptx_analysis_destroy(a);
    loom_ptx_module_destroy(module);
    return registers;
}

/* All are read before the first is written. */
static uint32_t copied(uint32_t count, const char *directives)
{
    struct text t = begin(directives);

    add(&t, ADDRESSES);
    add_each(&t, count, "ld.global.u32 %r#, [%rd4+@];", 4);
    add_each(&t, count, "st.global.u32 [%rd5+@], %r#;", 4);
    return registers_of(&t);
}

static void nothing_takes_four(void)
{
    struct text t = begin("");

    EXPECT_EQ(registers_of(&t), 4);
}

static void many_values_take_a_step(void)
{
    static const struct {
        uint32_t values, ptxas;
    } row[] = {{16, 32},  {24, 32},   {28, 40},   {32, 40},  {38, 48},
               {44, 56},  {56, 64},   {62, 72},   {74, 80},  {86, 96},
               {92, 128}, {122, 128}, {128, 168}, {158, 168}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        EXPECT_EQ(copied(row[i].values, ""), row[i].ptxas);
    }
}

/* Below the first step what stores read takes two each. */
static void stored_values_are_spread(void)
{
    static const struct {
        uint32_t values, ptxas;
    } row[] = {{1, 10}, {2, 14}, {4, 18}, {6, 22}, {8, 26}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint32_t have = copied(row[i].values, "");

        EXPECT(have + 3 > row[i].ptxas && have < row[i].ptxas + 3);
    }
}

/* One word after the other is read, changed by some sums, and written. */
static uint32_t chained(uint32_t count, uint32_t sums, const char *load,
                        const char *behind)
{
    struct text t = begin("");

    add(&t, ADDRESSES);
    for (uint32_t i = 0; i < count; i++) {
        char line[80];

        (void)snprintf(line, sizeof(line), load, 4096 * i);
        add(&t, line);
        for (uint32_t k = 0; k < sums; k++) {
            (void)snprintf(line, sizeof(line),
                           "add.f32 %%f1, %%f1, 0f3f8%u0000;", k);
            add(&t, line);
        }
        add(&t, behind);
        (void)snprintf(line, sizeof(line), "st.global.f32 [%%rd5 + %u], %%f1;",
                       4096 * i);
        add(&t, line);
    }
    return registers_of(&t);
}

/* What a memory instruction reads last is not written in the next ten: ptxas
 * takes as many registers as that needs, each beside one with an even number.
 */
static void what_is_stored_is_left_alone_for_ten_instructions(void)
{
    static const uint32_t ptxas[] = {20, 16, 14, 14, 12, 12, 12, 12, 12, 12};
    static const char load[] = "ld.global.f32 %%f1, [%%rd4 + %u];";

    for (uint32_t sums = 0; sums < 10; sums++) {
        uint32_t have = chained(12, sums, load, "");

        EXPECT(have >= ptxas[sums] && have < ptxas[sums] + 3);
    }
    EXPECT_EQ(chained(4, 0, load, ""), 16);
    EXPECT_EQ(chained(5, 0, load, ""), 18);
}

/* What nobody writes is read early, in front of stores and barriers. */
static void read_only_loads_pass_stores_and_barriers(void)
{
    static const char nc[] = "ld.global.nc.f32 %%f1, [%%rd4 + %u];";
    static const struct {
        uint32_t words, alone, barrier; /* ptxas */
    } row[] = {
        {2, 12, 12}, {4, 16, 16}, {6, 20, 18}, {8, 22, 20}, {12, 26, 24}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint32_t alone = chained(row[i].words, 1, nc, "");
        uint32_t barrier = chained(row[i].words, 1, nc, "bar.sync 0;");

        EXPECT(alone + 3 > row[i].alone && alone < row[i].alone + 3);
        EXPECT(barrier + 3 > row[i].barrier && barrier < row[i].barrier + 3);
    }
}

/* Blocks end at the branch to a division's slow path: no load passes it. */
static void nothing_passes_a_slow_path(void)
{
    static const char nc[] = "ld.global.nc.f32 %%f1, [%%rd4 + %u];";
    uint32_t few = chained(2, 0, nc, "div.rn.f32 %f1, %f1, %f9;");

    EXPECT_EQ(chained(12, 0, nc, "div.rn.f32 %f1, %f1, %f9;"), few);
    EXPECT(chained(12, 0, nc, "div.full.f32 %f1, %f1, %f9;") > few + 5);
    EXPECT(chained(12, 0, nc, "sqrt.rn.f32 %f1, %f1;") <= 16); /* ptxas: 14 */
}

static void bounds_are_kept_to(void)
{
    EXPECT_EQ(copied(44, ".maxntid 1024"), 56);
    EXPECT_EQ(copied(86, ".maxntid 1024"), 64);
    EXPECT_EQ(copied(44, ".maxnreg 40"), 40);
}

static uint32_t divided(uint32_t count, const char *load, const char *sum,
                        const char *divide, const char *store, uint32_t bytes)
{
    struct text t = begin("");

    add(&t, ADDRESSES);
    add_each(&t, count, load, bytes);
    add_each(&t, count, sum, bytes);
    add(&t, divide);
    add_each(&t, count, store, bytes);
    return registers_of(&t);
}

static uint32_t divided_singles(uint32_t count)
{
    return divided(
        count, "ld.volatile.global.f32 %f#, [%rd4+@];",
        "add.f32 %f1, %f1, %f#;",
        "div.rn.f32 %f2, %f1, %f10;\nst.global.f32 [%rd5+1000], %f2;",
        "st.volatile.global.f32 [%rd5+@], %f#;", 4);
}

static void divisions_have_registers_of_their_own(void)
{
    uint32_t wide;

    EXPECT_EQ(divided_singles(18), 32); /* 24 values without it */
    EXPECT_EQ(divided_singles(20), 40);
    EXPECT_EQ(divided_singles(26), 40);
    EXPECT_EQ(divided_singles(28), 48);
    EXPECT_EQ(divided_singles(32), 48);
    wide = divided(10, "ld.volatile.global.u64 %rd#, [%rd4+@];",
                   "xor.b64 %rd7, %rd7, %rd#;",
                   "div.u64 %rd6, %rd7, %rd10;\n"
                   "st.global.u64 [%rd5+1000], %rd6;",
                   "st.volatile.global.u64 [%rd5+@], %rd#;", 8);
    EXPECT(wide >= 34 && wide <= 40); /* ptxas: 38 */
}

static uint32_t printed(uint32_t count)
{
    struct text t = begin("");

    add(&t, ADDRESSES);
    add_each(&t, count, "ld.volatile.global.u32 %r#, [%rd4+@];", 4);
    add(&t, "{ .param .b64 p0; .param .b64 p1; .param .b32 rv;\n"
            "st.param.b64 [p0], %rd1;\nst.param.b64 [p1], %rd1;\n"
            "call.uni (rv), vprintf, (p0, p1); }");
    add_each(&t, count, "st.volatile.global.u32 [%rd5+@], %r#;", 4);
    return registers_of(&t);
}

static void calls_take_24_and_what_lives_across(void)
{
    uint32_t some = printed(16);

    EXPECT_EQ(printed(0), 24);
    EXPECT(some >= 36 && some <= 40); /* ptxas: 40 */
}

/* Sums over a column, one load a round, in steps of 1 or of %r3. */
static uint32_t summed(const char *step, const char *pragma)
{
    struct text t = begin("");

    add(&t, ADDRESSES "ld.param.u32 %r2, [n];\nmov.u32 %r1, 0;\n"
                      "mov.u32 %r3, %nctaid.x;\nmov.f32 %f1, 0f00000000;");
    add(&t, "L:");
    add(&t, pragma);
    add(&t, "mad.lo.s32 %r4, %r1, %r2, %r0;\nmul.wide.s32 %rd6, %r4, 4;\n"
            "add.s64 %rd7, %rd1, %rd6;\nld.global.f32 %f2, [%rd7];\n"
            "add.f32 %f1, %f1, %f2;");
    add(&t, step);
    add(&t, "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra L;\n"
            "st.global.f32 [%rd5], %f1;");
    return registers_of(&t);
}

static void loops_that_count_are_unrolled(void)
{
    uint32_t by_one = summed("add.s32 %r1, %r1, 1;", "");
    uint32_t by_others = summed("add.s32 %r1, %r1, %r3;", "");

    EXPECT(by_one > by_others + 3);
    EXPECT_EQ(summed("add.s32 %r1, %r1, 1;", ".pragma \"nounroll\";"),
              by_others);
}

/* Keys that are the same for all lanes are in registers of their own kind. */
static void what_is_the_same_is_elsewhere(void)
{
    static const char *const from[] = {"%ctaid.x", "%tid.x"};
    uint32_t have[2];

    for (uint32_t k = 0; k < 2; k++) {
        struct text t = begin("");
        char line[64];

        add(&t, ADDRESSES);
        snprintf(line, sizeof(line), "mov.u32 %%r1, %s;", from[k]);
        add(&t, line);
        add_each(&t, 30, "mul.lo.s32 %r#, %r1, @;", 5);
        add(&t, "bar.sync 0;");
        add(&t, "ld.volatile.global.u32 %r2, [%rd4];");
        add_each(&t, 30, "mad.lo.s32 %r2, %r2, %r2, %r#;", 4);
        add(&t, "st.global.u32 [%rd5], %r2;");
        have[k] = registers_of(&t);
    }
    EXPECT(have[0] <= 32 && have[1] > have[0]);
}

/* 12 numbers that a loop of %r1 rounds changes, each in its own way; some lanes
 * may go to the label before. */
static uint32_t changed(const char *rounds, const char *leave,
                        const char *label)
{
    struct text t = begin("");

    add(&t, ADDRESSES "ld.param.u32 %r1, [n];\nsetp.gt.u32 %p2, %r0, 77;");
    add(&t, rounds);
    add_each(&t, 12, "mov.u32 %r#, @;", 3);
    add(&t, "mov.u32 %r2, 0;\nmov.u32 %r3, %r0;");
    add(&t, leave);
    add(&t, "L:\n.pragma \"nounroll\";");
    add_each(&t, 12,
             "mad.lo.u32 %r3, %r3, %r0, %r#;\n"
             "mad.lo.u32 %r#, %r#, @, 5;",
             7);
    add(&t, "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;");
    add(&t, label);
    add(&t, "st.global.u32 [%rd5], %r3;\nE:");
    return registers_of(&t);
}

/* What ptxas gives them: 10, 10 and 12 registers, 27 and 32. */
static void what_all_lanes_count_is_elsewhere(void)
{
    static const char *const leave = "@%p2 bra E;";
    uint32_t together = changed("", "", "");

    EXPECT(together <= 20);
    EXPECT_EQ(changed("", leave, ""), together); /* they have ended */
    EXPECT_EQ(changed("ld.global.u32 %r1, [%rd1];", "", ""), together);
    EXPECT(changed("add.u32 %r1, %r1, %r0;", "", "") > together + 5);
    EXPECT(changed("", "@%p2 bra J;", "J:") > together + 5); /* they wait */
}

/* Words that are compared one by one, until one is larger; `behind` the loads,
 * and `between` what each is compared with. */
static uint32_t compared(uint32_t count, const char *load, const char *behind,
                         const char *between)
{
    struct text t = begin("");

    add(&t, ADDRESSES "ld.global.u32 %r1, [%rd5];\nmov.u32 %r2, 0;");
    add_each(&t, count, load, 4);
    add(&t, behind);
    for (uint32_t i = 0; i < count; i++) {
        char line[160];

        (void)snprintf(line, sizeof(line),
                       "setp.gt.s32 %%p1, %%r%u, %%r1;\nmov.u32 %%r2, %u;\n"
                       "@%%p1 bra OUT;\n%s",
                       10 + i, i, between);
        add(&t, line);
    }
    add(&t, "OUT: st.global.u32 [%rd5], %r2;");
    return registers_of(&t);
}

static void loads_move_to_who_needs_them(void)
{
    static const char load[] = "ld.global.u32 %r#, [%rd4 + @];";
    static const char nc[] = "ld.global.nc.u32 %r#, [%rd4 + @];";
    static const char strong[] = "ld.volatile.global.u32 %r#, [%rd4 + @];";
    static const char store[] = "st.global.u32 [%rd5], %r0;";
    static const char both[] = "add.u32 %r2, %r10, %r49;\n"
                               "st.shared.u32 [%r0], %r2;";
    static const char loop[] = "AGAIN: add.u32 %r1, %r1, %r0;\n"
                               "setp.lt.u32 %p2, %r1, 9;\n@%p2 bra AGAIN;";

    /* ptxas 13.0: 10 or 12, for any number of them. */
    EXPECT(compared(12, load, "", "") <= 18);
    EXPECT(compared(40, load, "", "") <= 18);
    EXPECT(compared(40, nc, store, "") <= 18);
    EXPECT(compared(40, load, "st.shared.u32 [%r0], %r1;", "") <= 18);
    EXPECT(compared(40, load, both, "") <= 18);
    /* 48, all of them: something keeps them where they are. */
    EXPECT_EQ(compared(40, load, store, ""), 48);
    EXPECT_EQ(compared(40, load, "bar.sync 0;", ""), 48);
    EXPECT_EQ(compared(40, load, "", store), 48);
    EXPECT_EQ(compared(40, strong, "", ""), 48);
    EXPECT_EQ(compared(40, load, loop, ""), 48);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"nothing_takes_four", nothing_takes_four},
        {"many_values_take_a_step", many_values_take_a_step},
        {"stored_values_are_spread", stored_values_are_spread},
        {"what_is_stored_is_left_alone_for_ten_instructions",
         what_is_stored_is_left_alone_for_ten_instructions},
        {"read_only_loads_pass_stores_and_barriers",
         read_only_loads_pass_stores_and_barriers},
        {"nothing_passes_a_slow_path", nothing_passes_a_slow_path},
        {"bounds_are_kept_to", bounds_are_kept_to},
        {"divisions_have_registers_of_their_own",
         divisions_have_registers_of_their_own},
        {"calls_take_24_and_what_lives_across",
         calls_take_24_and_what_lives_across},
        {"loops_that_count_are_unrolled", loops_that_count_are_unrolled},
        {"loads_move_to_who_needs_them", loads_move_to_who_needs_them},
        {"what_is_the_same_is_elsewhere", what_is_the_same_is_elsewhere},
        {"what_all_lanes_count_is_elsewhere",
         what_all_lanes_count_is_elsewhere},
    };

    return loom_run_tests("ptx_count", tests, sizeof(tests) / sizeof(tests[0]));
}

/*
 * Rows of control flow: calls, returns, branches through an index.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rows_rig.h"

/* ---- call, ret ---- */

/* f(x) = 3 x + 1 */
#define F3                                                                     \
    ".func (.param .b32 f_ret) f(.param .b32 f_x)\n{\n.reg .b32 %r<9>;\n"      \
    "ld.param.u32 %r1, [f_x];\nmad.lo.u32 %r2, %r1, 3, 1;\n"                   \
    "st.param.b32 [f_ret+0], %r2;\nret;\n}\n"
/* %r2 = name(%r1), as compilers write it. */
#define CALL(name, to, from)                                                   \
    "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0+0], " from ";\n"    \
    "call.uni (r0), " name ", (p0);\nld.param.b32 " to ", [r0+0];\n}\n"

static uint32_t three_x(uint32_t i)
{
    return 3 * i + 1;
}

static void calls_a_function(void)
{
    compare(MODULE F3 OPEN START CALL("f", "%r2", "%r1") FINISH, 70, three_x);
}

static uint32_t twice(uint32_t i)
{
    return 3 * (3 * i + 1) + 1 + i;
}

static void registers_live_across_calls(void)
{
    compare(MODULE F3 OPEN START CALL("f", "%r3", "%r1")
                CALL("f", "%r4", "%r3") "add.u32 %r2, %r4, %r1;\n" FINISH,
            64, twice);
}

static uint32_t odd_only(uint32_t i)
{
    return i % 2 != 0 ? 3 * i + 1 : i + 7;
}

static void calls_under_divergence(void)
{
    compare(MODULE F3 OPEN START
            "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n"
            "@%p1 bra EVEN;\n" CALL(
                "f", "%r2", "%r1") "bra.uni DONE;\nEVEN:\n"
                                   "add.u32 %r2, %r1, 7;\nDONE:\n" FINISH,
            64, odd_only);
}

/* A guarded call: the others wait behind it. */
static uint32_t guarded(uint32_t i)
{
    return i < 5 ? 99 : 0;
}

static void a_guarded_call(void)
{
    struct run run;

    /* g stores 99 itself, through a module variable. */
    REQUIRE(try(&run,
                MODULE
                ".global .u32 place[64];\n"
                ".func g(.param .b32 g_i)\n{\n.reg .b32 %r<5>;\n"
                ".reg .b64 %d<5>;\nld.param.u32 %r1, [g_i];\n"
                "mov.u64 %d1, place;\nmul.wide.u32 %d2, %r1, 4;\n"
                "add.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], 99;\n"
                "ret;\n}\n" OPEN START "setp.lt.u32 %p1, %r1, 5;\n"
                "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n"
                "@%p1 call g, (p0);\n}\nmov.u64 %d3, place;\n"
                "add.u64 %d3, %d3, %d2;\nld.global.u32 %r2, [%d3];\n" FINISH,
                1, 64));
    for (uint32_t i = 0; i < 64; i++) {
        EXPECT_EQ(run.out[i], guarded(i));
    }
    ptx_rig_close(&run.rig);
}

/* Lanes return at different places, from inside a loop and after it. */
static uint32_t collatz(uint32_t x)
{
    uint32_t steps = 0;

    for (x++; x != 1; steps++) {
        if (steps == 20) {
            return 1000;
        }
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
    return steps;
}

static void lanes_return_at_different_times(void)
{
    compare(MODULE
            ".func (.param .b32 c_ret) c(.param .b32 c_x)\n{\n"
            ".reg .b32 %r<9>;\n.reg .pred %p<9>;\nld.param.u32 %r1, [c_x];\n"
            "add.u32 %r1, %r1, 1;\nmov.u32 %r2, 0;\nLOOP:\n"
            "setp.eq.u32 %p1, %r1, 1;\n@%p1 bra OUT;\n"
            "setp.eq.u32 %p2, %r2, 20;\n@%p2 bra LATE;\n"
            "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p3, %r3, 0;\n"
            "@%p3 bra HALF;\nmad.lo.u32 %r1, %r1, 3, 1;\nbra NEXT;\nHALF:\n"
            "shr.u32 %r1, %r1, 1;\nNEXT:\nadd.u32 %r2, %r2, 1;\nbra LOOP;\n"
            "LATE:\nst.param.b32 [c_ret], 1000;\nret;\nOUT:\n"
            "st.param.b32 [c_ret], %r2;\nret;\n}\n" OPEN START CALL(
                "c", "%r2", "%r1") FINISH,
            96, collatz);
}

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t fib_of(uint32_t i)
{
    return fib(i % 11);
}

#define FIB                                                                    \
    ".func (.param .b32 fib_ret) fib(.param .b32 fib_n)\n{\n"                  \
    ".reg .b32 %r<9>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [fib_n];\n"        \
    "setp.lt.u32 %p1, %r1, 2;\nmov.u32 %r5, %r1;\n@%p1 bra DONE;\n"            \
    "add.s32 %r2, %r1, -1;\n" CALL(                                            \
        "fib", "%r3",                                                          \
        "%r2") "add.s32 %r2, %r1, -2;\n" CALL("fib", "%r4",                    \
                                              "%r2") "add.u32 %r5, %r3, "      \
                                                     "%r4;\nDONE:\nst.param."  \
                                                     "b32 [fib_ret], "         \
                                                     "%r5;\nret;\n}\n"

static void recursion_keeps_each_activation(void)
{
    compare(MODULE FIB OPEN START
            "rem.u32 %r3, %r1, 11;\n" CALL("fib", "%r2", "%r3") FINISH,
            64, fib_of);
}

/* s(n) fills 4 words of its own, calls itself with their address, and adds
 * up what the deeper one left in them. */
static uint32_t sums(uint32_t n)
{
    return n == 0 ? 0 : 4 * n + sums(n - 1);
}

static uint32_t sum_of(uint32_t i)
{
    return sums(i % 6);
}

static void local_variables_are_of_an_activation(void)
{
    compare(MODULE
            ".func (.param .b32 s_ret) s(.param .b32 s_n)\n{\n"
            ".local .align 8 .b8 depot[16];\n.reg .b64 %SP, %SPL, %d<4>;\n"
            ".reg .b32 %r<9>;\n.reg .pred %p<2>;\nmov.u64 %SPL, depot;\n"
            "cvta.local.u64 %SP, %SPL;\nld.param.u32 %r1, [s_n];\n"
            "st.u32 [%SP+0], %r1;\nst.local.u32 [%SPL+4], %r1;\n"
            "st.local.u32 [depot+8], %r1;\nst.u32 [%SP+12], %r1;\n"
            "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
            "add.s32 %r3, %r1, -1;\n" CALL(
                "s", "%r2",
                "%r3") "DONE:\n"
                       "ld.local.u32 %r4, [depot];\nadd.u32 %r2, %r2, %r4;\n"
                       "ld.u32 %r4, [%SP+4];\nadd.u32 %r2, %r2, %r4;\n"
                       "ld.local.u32 %r4, [%SPL+8];\nadd.u32 %r2, %r2, %r4;\n"
                       "ld.local.u32 %r4, [depot+12];\nadd.u32 %r2, %r2, %r4;\n"
                       "st.param.b32 [s_ret], %r2;\nret;\n}\n" OPEN START
                       "rem.u32 %r3, %r1, 6;\n" CALL("s", "%r2", "%r3") FINISH,
            64, sum_of);
}

/* Structs by value, in and out; one field's address is taken. */
static uint32_t swapped(uint32_t i)
{
    return 2 * i + 5 * 10;
}

static void structs_by_value(void)
{
    compare(
        MODULE
        ".func (.param .align 8 .b8 w_ret[16]) w(\n"
        ".param .align 8 .b8 w_a[16])\n{\n.reg .b64 %d<5>;\n"
        ".reg .b32 %r<5>;\nmov.b64 %d1, w_a;\nld.local.u32 %r1, [%d1+8];\n"
        "ld.param.u32 %r2, [w_a];\nst.param.v2.b32 [w_ret+0], {%r1, %r2};\n"
        "mov.u64 %d2, 10;\nst.param.b64 [w_ret+8], %d2;\nret;\n}\n" OPEN START
        "{\n.param .align 8 .b8 p0[16];\n"
        ".param .align 8 .b8 r0[16];\nst.param.b32 [p0], %r1;\n"
        "st.param.b32 [p0+8], 5;\ncall (r0), w, (p0);\n"
        "ld.param.v2.b32 {%r3, %r4}, [r0];\nld.param.b64 %d3, [r0+8];\n}\n"
        "cvt.u32.u64 %r5, %d3;\nmul.lo.u32 %r2, %r3, %r5;\n"
        "add.u32 %r2, %r2, %r4;\nadd.u32 %r2, %r2, %r4;\n" FINISH,
        32, swapped);
}

/* ---- indirect calls ---- */

#define GH                                                                     \
    ".func (.param .b32 g_ret) g(.param .b32 g_x)\n{\n.reg .b32 %r<5>;\n"      \
    "ld.param.u32 %r1, [g_x];\nadd.u32 %r2, %r1, 100;\n"                       \
    "st.param.b32 [g_ret], %r2;\nret;\n}\n"                                    \
    ".func (.param .b32 h_ret) h(.param .b32 h_x)\n{\n.reg .b32 %r<5>;\n"      \
    "ld.param.u32 %r1, [h_x];\nmul.lo.u32 %r2, %r1, 7;\n"                      \
    "st.param.b32 [h_ret], %r2;\nret;\n}\n"                                    \
    ".global .align 8 .u64 table[3] = {f, g, h};\n"

#define THROUGH_TABLE                                                          \
    "rem.u32 %r3, %r1, 3;\nmul.wide.u32 %d3, %r3, 8;\nmov.u64 %d4, table;\n"   \
    "add.u64 %d4, %d4, %d3;\nld.global.u64 %d5, [%d4];\n"                      \
    "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %r1;\n"           \
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"               \
    "call (r0), %d5, (p0), proto;\nld.param.b32 %r2, [r0];\n}\n"

static uint32_t by_table(uint32_t i)
{
    return i % 3 == 0 ? 3 * i + 1 : i % 3 == 1 ? i + 100 : i * 7;
}

static void each_lane_calls_its_function(void)
{
    compare(MODULE F3 GH OPEN START THROUGH_TABLE FINISH, 70, by_table);
}

static uint32_t plus_100(uint32_t i)
{
    return i + 100;
}

static void the_address_of_a_function_in_a_register(void)
{
    compare(
        MODULE F3 GH OPEN START
        "mov.u64 %d5, g;\n{\n.param .b32 p0;\n.param .b32 r0;\n"
        "st.param.b32 [p0], %r1;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call.uni (r0), %d5, (p0), proto;\nld.param.b32 %r2, [r0];\n}\n" FINISH,
        40, plus_100);
}

static void an_alias_is_the_function(void)
{
    compare(MODULE ".func (.param .b32 z_ret) z(.param .b32 z_x);\n" F3
                   ".alias z, f;\n" OPEN START CALL("z", "%r2", "%r1") FINISH,
            40, three_x);
}

/* The address of `table`, put together from its bytes. */
static uint32_t all_bytes(uint32_t i)
{
    (void)i;
    return 1;
}

static void bytes_of_an_address(void)
{
    compare(MODULE
            ".global .u32 what;\n.global .align 8 .u8 bytes[8] = {0xFF(what), "
            "0xFF00(what), 0xFF0000(what), 0xFF000000(what), "
            "0xFF00000000(what), 0xFF0000000000(what), "
            "0xFF000000000000(what), 0xFF00000000000000(what)};\n" OPEN START
            "mov.u64 %d3, bytes;\nld.global.u64 %d4, [%d3];\n"
            "mov.u64 %d5, what;\nsetp.eq.u64 %p1, %d4, %d5;\n"
            "selp.u32 %r2, 1, 0, %p1;\n" FINISH,
            32, all_bytes);
}

static void what_a_call_cannot_do(void)
{
    static const char *const no_function =
        KERNEL("mov.u64 %d5, 4660;\n{\n"
               "proto: .callprototype _ ();\ncall %d5, proto;\n}\n");
    static const char *const no_body =
        MODULE ".extern .func u();\n" OPEN START "call u;\n" FINISH;
    static const char *const runtime = MODULE
        ".extern .func (.param .b32 r) cudaRuntimeGetVersion();\n" OPEN START
        "{\n.param .b32 r0;\ncall (r0), cudaRuntimeGetVersion;"
        "\n}\n" FINISH;
    static const char *const wait = MODULE
        ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n" OPEN START
        "{\n.param .b32 r0;\ncall (r0), cudaDeviceSynchronize;"
        "\n}\n" FINISH;
    static const char *const child = MODULE
        ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2();\n" OPEN START
        "{\n.param .b32 r0;\ncall (r0), __cudaCDP2LaunchDeviceV2;"
        "\n}\n" FINISH;
    static const char *const endless =
        MODULE ".func e()\n{\ncall e;\nret;\n}\n" OPEN START "call e;\n" FINISH;
    static const char *const large = MODULE
        ".func e()\n{\n.local .align 8 .b8 depot[1000];\n.reg .b64 %d1;\n"
        "mov.u64 %d1, depot;\ncall e;\nret;\n}\n" OPEN START "call e;\n" FINISH;

    refused(no_function, "0x1234 is not the address of a function");
    refused(no_body, "the function that it calls has no body");
    refused(runtime, "the device run-time system");
    refused(wait, "waits for kernels that it launched");
    refused(child, "its arguments are not those of the function");
    refused(endless, "in 'e', pc");
    refused(endless, "more than 1024 nested calls");
    refused(large, "the stack of 16384 bytes per thread overflows");
}

/* Lanes that exit inside a function do not come back. */
static uint32_t not_gone(uint32_t i)
{
    return i % 3 == 0 ? 0 : i;
}

static void exit_inside_a_function(void)
{
    compare(MODULE
            ".func x(.param .b32 x_i)\n{\n.reg .b32 %r<5>;\n.reg .pred %p1;\n"
            "ld.param.u32 %r1, [x_i];\nrem.u32 %r2, %r1, 3;\n"
            "setp.eq.u32 %p1, %r2, 0;\n@%p1 exit;\nret;\n}\n" OPEN START
            "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\ncall x, (p0);\n}\n"
            "mov.u32 %r2, %r1;\n" FINISH,
            64, not_gone);
}

static void barriers_inside_a_function(void)
{
    compare(MODULE
            ".shared .align 4 .b32 slot[64];\n"
            ".func (.param .b32 y_ret) y(.param .b32 y_i)\n{\n"
            ".reg .b32 %r<5>;\n.reg .b64 %d<5>;\nld.param.u32 %r1, [y_i];\n"
            "mul.wide.u32 %d1, %r1, 4;\nmov.u64 %d2, slot;\n"
            "add.u64 %d3, %d1, %d2;\nadd.u32 %r2, %r1, 100;\n"
            "st.shared.u32 [%d3], %r2;\nbar.sync 0;\nsub.u64 %d4, %d2, %d1;\n"
            "ld.shared.u32 %r3, [%d4+252];\nst.param.b32 [y_ret], %r3;\n"
            "ret;\n}\n" OPEN START CALL(
                "y", "%r4", "%r1") "sub.u32 %r2, 263, %r4;\n" FINISH,
            64, plus_100);
}

/* ---- what calls look like in the stream and the static table ---- */

static void calls_in_the_static_table(void)
{
    struct run run;
    const struct loom_kernel_info *info;
    uint32_t branches = 0, exits = 0, moves = 0;

    REQUIRE(try(&run,
                MODULE F3 OPEN START CALL("f", "%r3", "%r1")
                    CALL("f", "%r2", "%r3") FINISH,
                1, 32));
    info = loom_program_kernel(&ptx_workload, run.rig.program, "k");
    /* 5 + 2 * 3 + 2 of the kernel, 4 of the function. */
    EXPECT_EQ(info->inst_count, 17);
    for (uint32_t i = 0; i < info->inst_count; i++) {
        EXPECT_EQ(info->inst[i].pc, 8 * i);
        branches += info->inst[i].op == LOOM_OP_BRANCH;
        exits += info->inst[i].op == LOOM_OP_EXIT;
        moves += strstr(info->text + info->inst[i].text, "param.") != NULL &&
                 info->inst[i].op == LOOM_OP_MOVE;
    }
    EXPECT_EQ(branches, 3); /* two calls, one ret of the function */
    EXPECT_EQ(exits, 1);
    EXPECT_EQ(moves, 6); /* arguments are passed in registers */
    /* Executed: 13 of the kernel, 4 in each call. */
    EXPECT_EQ(run.rig.warp_insts, 21);
    ptx_rig_close(&run.rig);
}

/* The function's registers are others than those that live across the call,
 * and count. */
static void callees_need_registers_of_their_own(void)
{
    struct run run;
    const struct loom_kernel_info *info;
    uint64_t live = 0, callee = 0;
    uint32_t alone;

    REQUIRE(
        try(&run, MODULE F3 OPEN START CALL("f", "%r2", "%r1") FINISH, 1, 32));
    alone = loom_program_kernel(&ptx_workload, run.rig.program, "k")->registers;
    ptx_rig_close(&run.rig);
    REQUIRE(try(&run,
                MODULE F3 OPEN START
                "ld.global.u32 %r5, [%d1];\nld.global.u32 %r6, [%d1];\n"
                "ld.global.u32 %r7, [%d1];\nld.global.u32 %r8, [%d1];\n" CALL(
                    "f", "%r2",
                    "%r1") "add.u32 %r2, %r2, %r5;\n"
                           "add.u32 %r2, %r2, %r6;\nadd.u32 %r2, %r2, %r7;\n"
                           "add.u32 %r2, %r2, %r8;\n" FINISH,
                1, 32));
    info = loom_program_kernel(&ptx_workload, run.rig.program, "k");
    for (uint32_t i = 0; i < info->inst_count; i++) {
        const struct loom_static_inst *s = &info->inst[i];

        live |= s->op == LOOM_OP_LOAD && s->space == LOOM_SPACE_GLOBAL
                    ? s->def[0]
                    : 0;
        callee |= i >= info->inst_count - 4 ? s->def[0] : 0;
    }
    EXPECT_EQ(loom_popcount(live), 4);
    EXPECT(callee != 0);
    EXPECT_EQ(live & callee, 0);
    EXPECT(info->registers >= alone + 2);
    ptx_rig_close(&run.rig);
}

/* ---- brx.idx ---- */

#define SWITCH                                                                 \
    "ts: .branchtargets L0, L1, L2, L1;\nrem.u32 %r3, %r1, 4;\n"               \
    "brx.idx %r3, ts;\nL0:\nmov.u32 %r2, 10;\nbra.uni DONE;\nL1:\n"            \
    "mov.u32 %r2, 20;\nbra.uni DONE;\nL2:\nmov.u32 %r2, 30;\nDONE:\n"          \
    "add.u32 %r2, %r2, %r1;\n"

static uint32_t by_index(uint32_t i)
{
    static const uint32_t value[] = {10, 20, 30, 20};

    return value[i % 4] + i;
}

static void branches_through_an_index(void)
{
    struct run run;
    uint64_t adds = 0;

    compare(KERNEL(SWITCH), 70, by_index);
    /* Lanes come together again: the last add is executed once. */
    REQUIRE(try(&run, KERNEL(SWITCH), 1, 32));
    EXPECT_EQ(run.rig.warp_insts, 5 + 2 + 2 + 2 + 1 + 1 + 2);
    for (uint32_t w = 0; w < run.rig.stream->warp_count; w++) {
        struct loom_cursor c = loom_cursor_of(&run.rig.stream->warp[w]);
        struct loom_warp_inst inst;

        while (loom_stream_next(&c, &inst)) {
            adds += inst.mask == UINT32_MAX && inst.index == 12;
        }
    }
    EXPECT_EQ(adds, 1);
    ptx_rig_close(&run.rig);
}

static void an_index_beyond_the_list(void)
{
    refused(KERNEL("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA:\nB:\n"),
            "index 2, but there are 2 targets");
}

static const struct loom_test tests[] = {
    CASE(calls_a_function),
    CASE(registers_live_across_calls),
    CASE(calls_under_divergence),
    CASE(a_guarded_call),
    CASE(lanes_return_at_different_times),
    CASE(recursion_keeps_each_activation),
    CASE(local_variables_are_of_an_activation),
    CASE(structs_by_value),
    CASE(each_lane_calls_its_function),
    CASE(the_address_of_a_function_in_a_register),
    CASE(an_alias_is_the_function),
    CASE(bytes_of_an_address),
    CASE(what_a_call_cannot_do),
    CASE(exit_inside_a_function),
    CASE(barriers_inside_a_function),
    CASE(calls_in_the_static_table),
    CASE(callees_need_registers_of_their_own),
    CASE(branches_through_an_index),
    CASE(an_index_beyond_the_list),
};

int main(void)
{
    return loom_run_tests("ptx_rows_control", tests, LOOM_COUNTOF(tests));
}

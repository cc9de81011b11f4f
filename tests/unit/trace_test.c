/*
 * The trace front end: what lines of instructions become.
 *
 * links: workload_trace
 */
#include "tests/unit/trace_rig.h"

static bool has(const uint64_t *set, uint32_t bit)
{
    return (set[bit / 64] >> bit % 64 & 1) != 0;
}

static uint32_t size_of(const uint64_t *set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        count += loom_popcount(set[i]);
    }
    return count;
}

static void vector_load_reserves_all_its_registers(void)
{
    const struct loom_static_inst *s;
    struct rig rig;

    rig_start(&rig, ONE("3", "1",
                        "0020 ffffffff 1 R8 LDG.E.128.SYS 1 R4 16 1 "
                        "0x7f5000000000 16 \n"));
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_LOAD);
    EXPECT_EQ(s->space, LOOM_SPACE_GLOBAL);
    EXPECT_EQ(s->bytes * s->vector, 16);
    EXPECT_EQ(s->pc, 0x20);
    EXPECT_EQ(s->loop, LOOM_NO_LOOP);
    EXPECT_EQ(size_of(s->def), 4);
    EXPECT(has(s->def, 8) && has(s->def, 11));
    /* And R4, R5: the address has 64 bits. */
    EXPECT_EQ(size_of(s->use), 6);
    EXPECT(has(s->use, 4) && has(s->use, 5));
    EXPECT_TEXT(rig.launch->kernel.text + s->text, "LDG.E.128.SYS R8, R4");
    EXPECT_EQ(rig.inst.mask, UINT32_MAX);
    EXPECT_EQ(rig.address[0], 0x7f5000000000);
    EXPECT_EQ(rig.address[31], 0x7f50000001f0);
    rig_close(&rig);
}

static void deltas_are_one_less_than_lanes(void)
{
    struct rig rig;

    /* With an immediate behind them, which is none. */
    rig_start(
        &rig,
        ONE("5", "2",
            "0000 0000010e 1 R6 LDG.E 1 R4 4 2 0x7f5000000100 4 -8 1024 "
            "77 \n0010 00000010 1 R6 LDG.E 1 R4 4 2 0x7f5000000200 5 \n"));
    EXPECT_EQ(rig_next(&rig)->bytes, 4);
    EXPECT_EQ(rig.inst.mask, 0x10e);
    EXPECT_EQ(rig.address[1], 0x7f5000000100);
    EXPECT_EQ(rig.address[2], 0x7f5000000104);
    EXPECT_EQ(rig.address[3], 0x7f50000000fc);
    EXPECT_EQ(rig.address[8], 0x7f50000004fc);
    rig_next(&rig);
    EXPECT_EQ(rig.address[4], 0x7f5000000200);
    rig_close(&rig);
}

static void lists_and_strides_go_to_active_lanes(void)
{
    struct rig rig;

    rig_start(&rig, ONE("3", "2",
                        "0000 80000001 0 STG.E 2 R4 R6 4 0 0x10 0x7f00\n"
                        "0010 00f00000 0 STG.E 2 R4 R6 4 1 0x1000 -4\n"));
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_STORE);
    EXPECT_EQ(rig.address[0], 0x10);
    EXPECT_EQ(rig.address[31], 0x7f00);
    rig_next(&rig);
    EXPECT_EQ(rig.address[20], 0x1000);
    EXPECT_EQ(rig.address[23], 0xff4);
    rig_close(&rig);
}

static void instruction_without_lanes_is_kept(void)
{
    struct rig rig;

    rig_start(&rig, ONE("3", "2",
                        "0000 00000000 1 R7 LDG.E.SYS 1 R4 4 1 0x0 0 \n"
                        "0010 00000000 0 EXIT 0 0 \n"));
    EXPECT((rig_next(&rig)->flags & LOOM_INST_ANY_MASK) != 0);
    EXPECT_EQ(rig.inst.mask, 0);
    EXPECT_EQ(rig.inst.mode, LOOM_ADDR_NONE);
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_EXIT);
    EXPECT_EQ(rig.stream->warp[0].insts, 2);
    rig_close(&rig);
}

static uint32_t bytes_of(const char *opcode, uint32_t mem_width)
{
    const struct loom_static_inst *s;
    char text[1024];
    uint32_t bytes;
    struct rig rig;

    snprintf(text, sizeof(text),
             ONE("3", "1", "0000 00000001 1 R2 %s 1 R4 %u 1 0x100 0\n"), opcode,
             mem_width);
    rig_start(&rig, text);
    s = rig_next(&rig);
    bytes = s->bytes * (uint32_t)s->vector;
    rig_close(&rig);
    return bytes;
}

static void widths_come_from_the_opcode(void)
{
    EXPECT_EQ(bytes_of("LDG.E.U8.SYS", 1), 1);
    EXPECT_EQ(bytes_of("LDG.E.S8", 4), 1); /* which Accel-Sim takes for 4 */
    EXPECT_EQ(bytes_of("LDG.E.S16.SYS", 4), 2);
    EXPECT_EQ(bytes_of("LDG.E.64.CONSTANT", 8), 8);
    EXPECT_EQ(bytes_of("LDG.E.LTC128B.128", 16), 16);
    EXPECT_EQ(bytes_of("LDS.U.128", 16), 16);
    EXPECT_EQ(bytes_of("LDG.E", 4), 4);
    EXPECT_EQ(bytes_of("LDG.E", 8), 8); /* nothing says otherwise */
    EXPECT_EQ(bytes_of("LDG.E", 3), 4); /* no width of a lane */
    EXPECT_EQ(bytes_of("ATOMG.E.ADD.F64.RN", 4), 8);
}

static void zero_registers_are_none(void)
{
    const struct loom_static_inst *s;
    struct rig rig;

    rig_start(&rig, ONE("6", "3",
                        "0000 ffffffff 1 R255 IMAD 3 R255 UR63 R254 0 0 0 "
                        "NoVal\n"
                        "0010 ffffffff 1 UR4 MOV 1 UR62 0 0 0 NoVal\n"
                        "0020 ffffffff 1 R254 DADD 2 R2 R4 0 0 0 NoVal\n"));
    s = rig_next(&rig);
    EXPECT_EQ(size_of(s->def), 0);
    EXPECT_EQ(size_of(s->use), 1);
    EXPECT(has(s->use, 254));
    EXPECT_EQ(s->sources, 1);
    EXPECT_EQ(s->dests, 0);
    /* Uniform registers are numbered with the predicates. */
    s = rig_next(&rig);
    EXPECT(has(s->def, LOOM_REG_PREDICATE + 4));
    EXPECT(has(s->use, LOOM_REG_PREDICATE + 62));
    /* A pair that would include RZ does not. */
    s = rig_next(&rig);
    EXPECT_EQ(size_of(s->def), 1);
    EXPECT_EQ(size_of(s->use), 5);
    rig_close(&rig);
}

static void stored_data_has_the_width_of_the_store(void)
{
    const struct loom_static_inst *s;
    struct rig rig;

    rig_start(&rig, ONE("3", "2",
                        "0000 ffffffff 0 STG.E.128 2 R4 R8 16 1 0x100 16\n"
                        "0010 ffffffff 0 STS.64 2 R4 R8 8 1 0x100 8\n"));
    s = rig_next(&rig);
    EXPECT_EQ(size_of(s->use), 6); /* R4, R5 and R8..R11 */
    EXPECT(has(s->use, 5) && has(s->use, 11));
    s = rig_next(&rig);
    EXPECT_EQ(size_of(s->use), 3); /* an address of 32 bits */
    EXPECT(!has(s->use, 5) && has(s->use, 9));
    rig_close(&rig);
}

static void generic_accesses_go_by_their_window(void)
{
    const struct loom_static_inst *s;
    struct rig rig;

    rig_start(&rig, ONE("3", "4",
                        "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x7f4000000010 4\n"
                        "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x7f5000000010 4\n"
                        "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x7f3e00000010 0\n"
                        "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x7f4001000000 4\n"));
    s = rig_next(&rig);
    EXPECT_EQ(s->space, LOOM_SPACE_SHARED);
    EXPECT_EQ(rig.address[1], 0x14);
    s = rig_next(&rig);
    EXPECT_EQ(s->space, LOOM_SPACE_GLOBAL);
    EXPECT_EQ(rig.address[1], 0x7f5000000014);
    s = rig_next(&rig);
    EXPECT_EQ(s->space, LOOM_SPACE_LOCAL);
    s = rig_next(&rig); /* 16 MiB behind the window's start */
    EXPECT_EQ(s->space, LOOM_SPACE_GLOBAL);
    EXPECT_EQ(rig.launch->kernel.inst_count, 3); /* all at one pc */
    rig_close(&rig);
}

/* 2 blocks of 40 threads are 4 warps, so 128 threads in whole warps. */
static void local_memory_is_interleaved(void)
{
    struct rig rig;

    rig_start(
        &rig,
        HEAD("3", "70", "2,1,1",
             "40,1,1") "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 2\n"
                       "0000 00000003 1 R2 LDL 1 R4 4 1 0x8 0\n"
                       "0010 00000001 1 R2 LDL.U8 1 R4 1 1 0x7f3e00000009 "
                       "0\n#END_TB\n");
    EXPECT_EQ(rig.stream->warp[0].insts, 0);
    rig_release(&rig);
    REQUIRE(rig_produce(&rig, 1));
    EXPECT_EQ(rig_next(&rig)->space, LOOM_SPACE_LOCAL);
    EXPECT_EQ(rig.address[0], LOOM_LOCAL_BASE + 4 * (2 * 128 + 64));
    EXPECT_EQ(rig.address[1], LOOM_LOCAL_BASE + 4 * (2 * 128 + 65));
    rig_next(&rig);
    EXPECT_EQ(rig.address[0], LOOM_LOCAL_BASE + 4 * (2 * 128 + 64) + 1);
    rig_close(&rig);
}

static void cache_operators_come_from_modifiers(void)
{
    static const struct {
        const char *opcode;
        enum loom_cache_op op;
    } rows[] = {
        {"LDG.E.SYS", LOOM_CACHE_DEFAULT},
        {"LDG.E.STRONG.GPU", LOOM_CACHE_CG},
        {"LDG.E.STRONG.CTA", LOOM_CACHE_DEFAULT},
        {"STG.E.STRONG.GPU", LOOM_CACHE_DEFAULT},
        {"LDG.E.CONSTANT", LOOM_CACHE_NC},
        {"LDG.E.CG", LOOM_CACHE_CG},
        {"LDG.E.EF", LOOM_CACHE_CS},
    };
    struct rig rig;

    for (size_t i = 0; i < LOOM_COUNTOF(rows); i++) {
        char text[1024];

        snprintf(text, sizeof(text),
                 ONE("3", "1", "0000 00000001 0 %s 1 R4 4 1 0x100 0\n"),
                 rows[i].opcode);
        rig_start(&rig, text);
        EXPECT_EQ(rig_next(&rig)->cache_op, rows[i].op);
        rig_close(&rig);
    }
}

static void barriers(void)
{
    struct rig rig;

    rig_start(&rig, ONE("3", "3",
                        "0000 ffffffff 0 BAR.SYNC 0 0\n"
                        "0000 00000000 0 BAR.SYNC 0 0\n"
                        "0010 ffffffff 0 BAR.ARV 0 0\n"));
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_BARRIER);
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_NOP); /* nobody arrived */
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_NOP); /* does not wait */
    rig_close(&rig);
}

static void asynchronous_copies(void)
{
    const struct loom_static_inst *s;
    struct rig rig;

    rig_start(&rig, ONE("5", "5",
                        "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 "
                        "0x7f4000000040 16 0 \n"
                        "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 "
                        "0x7f5000000000 16 0 \n"
                        "0008 ffffffff 0 LDGDEPBAR 0 0 0 \n"
                        "0010 ffffffff 0 DEPBAR.LE 0 0 1 \n"
                        "0010 ffffffff 0 DEPBAR.LE 0 0 0 \n"));
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_STORE);
    EXPECT_EQ(s->space, LOOM_SPACE_SHARED);
    EXPECT_EQ(rig.address[0], 0x40);
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_LOAD);
    EXPECT_EQ(s->space, LOOM_SPACE_GLOBAL);
    EXPECT_EQ(s->bytes, 16);
    EXPECT_EQ(s->flags & LOOM_INST_ASYNC, LOOM_INST_ASYNC);
    EXPECT_EQ(size_of(s->def), 0);
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_NOP);
    EXPECT_EQ(s->flags & LOOM_INST_ASYNC, LOOM_INST_ASYNC);
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_MEMBAR);
    EXPECT_EQ(s->barrier, 1); /* lets one group go on */
    s = rig_next(&rig);
    EXPECT_EQ(s->op, LOOM_OP_MEMBAR);
    EXPECT_EQ(s->barrier, 0);
    rig_close(&rig);
}

static void atomics_return_unless_to_zero(void)
{
    struct rig rig;

    rig_start(&rig, ONE("3", "3",
                        "0000 00000001 1 R2 ATOMG.E.ADD 2 R4 R6 4 1 0x100 0\n"
                        "0010 00000001 1 R255 ATOMG.E.ADD 2 R4 R6 4 1 0x100 0\n"
                        "0020 00000001 0 RED.E.ADD 2 R4 R6 4 1 0x100 0\n"));
    EXPECT_EQ(rig_next(&rig)->flags & LOOM_INST_RETURNS, LOOM_INST_RETURNS);
    EXPECT_EQ(rig_next(&rig)->flags & LOOM_INST_RETURNS, 0);
    EXPECT_EQ(rig_next(&rig)->flags & LOOM_INST_RETURNS, 0);
    rig_close(&rig);
}

static void one_pc_may_hold_several_instructions(void)
{
    const struct loom_static_inst *first;
    struct rig rig;

    rig_start(&rig, ONE("3", "4",
                        "0010 ffffffff 1 R2 MOV 1 R4 0\n"
                        "0010 ffffffff 1 R2 IMAD 1 R4 0\n"
                        "0010 0000ffff 1 R2 MOV 1 R4 0\n"
                        "0020 0000ffff 1 R2 MOV 1 R4 0\n"));
    first = rig_next(&rig);
    EXPECT_EQ(first->op, LOOM_OP_INT_ADD);
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_INT_MAD);
    EXPECT(rig_next(&rig) == first);
    EXPECT(rig_next(&rig) != first);
    EXPECT_EQ(rig.launch->kernel.inst_count, 3);
    rig_close(&rig);
}

static void unknown_opcodes_are_counted(void)
{
    struct rig rig;

    rig_start(&rig, ONE("3", "5",
                        "0010 ffffffff 1 R2 NEWOP.X 1 R4 0\n"
                        "0010 ffffffff 1 R2 NEWOP.X 1 R4 0\n"
                        "0020 ffffffff 1 R2 NEWOP.Y 1 R4 0\n"
                        "0030 00000001 1 R2 LDNEW 1 R4 8 1 0x100 0\n"
                        "0040 00000001 0 STNEW 1 R4 8 1 0x100 0\n"));
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_INT_ADD);
    }
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_LOAD);
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_STORE);
    REQUIRE(rig.notes.count == 3);
    EXPECT_EQ(rig.notes.item[0].count, 3);
    EXPECT_TEXT(rig.notes.item[0].text, "opcode 'NEWOP' is not in");
    EXPECT_TEXT(rig.notes.item[1].text, "was taken for a load");
    EXPECT_EQ(rig.notes.item[2].count, 1);
    rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"vector_load_reserves_all_its_registers",
     vector_load_reserves_all_its_registers},
    {"deltas_are_one_less_than_lanes", deltas_are_one_less_than_lanes},
    {"lists_and_strides_go_to_active_lanes",
     lists_and_strides_go_to_active_lanes},
    {"instruction_without_lanes_is_kept", instruction_without_lanes_is_kept},
    {"widths_come_from_the_opcode", widths_come_from_the_opcode},
    {"zero_registers_are_none", zero_registers_are_none},
    {"stored_data_has_the_width_of_the_store",
     stored_data_has_the_width_of_the_store},
    {"generic_accesses_go_by_their_window",
     generic_accesses_go_by_their_window},
    {"local_memory_is_interleaved", local_memory_is_interleaved},
    {"cache_operators_come_from_modifiers",
     cache_operators_come_from_modifiers},
    {"barriers", barriers},
    {"asynchronous_copies", asynchronous_copies},
    {"atomics_return_unless_to_zero", atomics_return_unless_to_zero},
    {"one_pc_may_hold_several_instructions",
     one_pc_may_hold_several_instructions},
    {"unknown_opcodes_are_counted", unknown_opcodes_are_counted},
};

int main(void)
{
    return loom_run_tests("trace", tests, LOOM_COUNTOF(tests));
}

/*
 * A crossbar that is faster than its links, by hand.
 *
 * All links have latency 1 and the switch's own is 4, as in crossbar_test.c.
 * Packets are sent at 10 and at their inputs at 11: with two rounds in a cycle
 * that is round 22.  A flit that passes in round p is at the end of its output
 * in cycle (p + 1) / 2 + 4 at the earliest, and at the other side one later.
 * links: component_crossbar policy_round_robin_arbiter policy_direct_route
 */
#include "tests/unit/crossbar_rig.h"

static loom_cycle came(const struct xbar_rig *rig, uint32_t server, uint32_t i)
{
    REQUIRE(rig->down[server].got_count > i);
    return rig->down[server].got[i].at;
}

/* The switch is idle: the links alone say how long a packet takes. */
static void a_packet_alone_takes_what_it_took(void)
{
    for (uint32_t speedup = 1; speedup <= 4; speedup++) {
        for (uint32_t gap = 0; gap <= 5; gap++) {
            struct xbar_rig rig = build((struct shape){1, 1, 1, 1, 0, 0});

            rig_flag(rig.server[0], "mute", true);
            rig_set(rig.xbar, "internal_speedup", speedup);
            rig_set(rig.xbar, "packet_gap", gap);
            add(&rig, 0, 0, 10, LOOM_MEM_WRITEBACK);
            run(&rig);
            EXPECT_EQ(came(&rig, 0, 0), 11 + 4 + 4 + 1);
            EXPECT_EQ(counter(&rig, "request_flits"), 5);
            destroy(&rig);
        }
    }
}

/* Two packets of five flits by one input to two outputs.  The input's link
 * brings one flit in a cycle, however fast the switch is. */
static void an_input_gets_a_flit_per_cycle(void)
{
    for (uint32_t speedup = 1; speedup <= 4; speedup++) {
        struct xbar_rig rig = build((struct shape){1, 2, 2, 2, 0, 0});

        rig_flag(rig.server[0], "mute", true);
        rig_flag(rig.server[1], "mute", true);
        rig_set(rig.xbar, "internal_speedup", speedup);
        add(&rig, 0, 0, 10, LOOM_MEM_WRITEBACK);
        add(&rig, 0, 1, 10, LOOM_MEM_WRITEBACK);
        run(&rig);
        EXPECT_EQ(came(&rig, 0, 0), 20);
        EXPECT_EQ(came(&rig, 1, 0), 25);
        destroy(&rig);
    }
}

/* Input 0 has five flits for output 0, input 1 one, and one for output 1 behind
 * it.  The last of the five comes at 15 and passes in round 30; so the one
 * passes in 31, and that behind it in 32: at the ends of their outputs at 20.
 * If the five had been here, that would have been rounds 22 to 26 and 27, 28;
 * without speed-up it is cycles 11 to 15 and 16, 17. */
static void what_a_packet_holds_it_holds_until_its_last_flit(void)
{
    for (uint32_t speedup = 1; speedup <= 2; speedup++) {
        struct xbar_rig rig = build((struct shape){2, 2, 2, 3, 0, 0});

        rig_flag(rig.server[0], "mute", true);
        rig_flag(rig.server[1], "mute", true);
        rig_set(rig.xbar, "internal_speedup", speedup);
        add(&rig, 0, 0, 10, LOOM_MEM_WRITEBACK);
        add(&rig, 1, 0, 10, LOOM_MEM_QUERY);
        add(&rig, 1, 1, 10, LOOM_MEM_QUERY);
        run(&rig);
        EXPECT_EQ(came(&rig, 0, 0), 15 + 4 + 1);
        EXPECT_EQ(came(&rig, 0, 1), 16 + 4 + 1);
        EXPECT_EQ(came(&rig, 1, 0), (speedup == 1 ? 17 : 16) + 4 + 1);
        destroy(&rig);
    }
}

/* Both inputs have five flits for output 0, input 1 one for output 1 behind
 * them.  Input 0's leave the output at 15 to 19.  Input 1's are all here when
 * they may pass, from round 31 on, and leave at 20 to 24.  With 8 + 4 places at
 * the output nothing stops them: rounds 31 to 35, then 36, so the last packet
 * leaves at 37 / 2 + 4.  With 1 + 4 each needs that five flits before it has
 * left, at 15 to 19: rounds 31 (for 30), 32, 34, 36, 38, then 39. */
static void flits_wait_for_places_at_the_output(void)
{
    for (uint32_t buffer = 1; buffer <= 8; buffer += 7) {
        struct xbar_rig rig = build((struct shape){2, 2, 2, 3, 0, 0});

        rig_flag(rig.server[0], "mute", true);
        rig_flag(rig.server[1], "mute", true);
        rig_set(rig.xbar, "internal_speedup", 2);
        rig_set(rig.xbar, "output_buffer_flits", buffer);
        add(&rig, 0, 0, 10, LOOM_MEM_WRITEBACK);
        add(&rig, 1, 0, 10, LOOM_MEM_WRITEBACK);
        add(&rig, 1, 1, 10, LOOM_MEM_QUERY);
        run(&rig);
        EXPECT_EQ(came(&rig, 0, 0), 20);
        EXPECT_EQ(came(&rig, 0, 1), 25);
        EXPECT_EQ(came(&rig, 1, 0), (buffer == 1 ? 20 : 18) + 4 + 1);
        destroy(&rig);
    }
}

/* BookSim's one virtual channel: packets of L flits take L + 1 rounds of an
 * output, but a link carries a flit per cycle.  100 packets. */
static void a_gap_is_one_of_rounds(void)
{
    static const uint32_t cycles[2][3] = {{2, 1, 1}, {6, 5, 5}};

    for (uint32_t speedup = 1; speedup <= 3; speedup++) {
        for (uint32_t k = 0; k < 2; k++) {
            struct xbar_rig rig = build((struct shape){1, 1, 100, 100, 0, 0});

            rig_flag(rig.server[0], "mute", true);
            rig_set(rig.xbar, "packet_gap", 1);
            rig_set(rig.xbar, "internal_speedup", speedup);
            for (uint32_t i = 0; i < 100; i++) {
                add(&rig, 0, 0, 10,
                    k == 0 ? LOOM_MEM_QUERY : LOOM_MEM_WRITEBACK);
            }
            run(&rig);
            EXPECT_EQ(came(&rig, 0, 99) - came(&rig, 0, 0),
                      99 * cycles[k][speedup - 1]);
            destroy(&rig);
        }
    }
}

/* An input rests too: packets of one flit to two outputs in turn.  Where only
 * outputs rest, neither has to. */
static void inputs_rest_or_not(void)
{
    for (uint32_t rest = 0; rest <= 1; rest++) {
        for (uint32_t speedup = 1; speedup <= 2; speedup++) {
            struct xbar_rig rig = build((struct shape){1, 2, 100, 50, 0, 0});

            rig_flag(rig.server[0], "mute", true);
            rig_flag(rig.server[1], "mute", true);
            rig_set(rig.xbar, "packet_gap", 1);
            rig_flag(rig.xbar, "inputs_rest", rest == 1);
            rig_set(rig.xbar, "internal_speedup", speedup);
            for (uint32_t i = 0; i < 100; i++) {
                add(&rig, 0, i % 2, 10, LOOM_MEM_QUERY);
            }
            run(&rig);
            EXPECT_EQ(came(&rig, 1, 49) - came(&rig, 0, 0),
                      rest == 1 && speedup == 1 ? 2 * 99 : 99);
            destroy(&rig);
        }
    }
}

/* Whatever the sizes of buffers, everything arrives, and in any order of
 * ticks at the same time. */
static void all_packets_arrive(void)
{
    static const uint32_t room[][2] = {{1, 1}, {4, 2}, {9, 8}, {70, 64}};

    for (uint32_t k = 0; k < 4 * LOOM_COUNTOF(room); k++) {
        uint64_t sum[2] = {0};

        for (uint32_t turn = 0; turn < 2; turn++) {
            struct xbar_rig rig = build((struct shape){7, 4, 100, 700, 0, 3});
            uint64_t x = 5;
            uint32_t got = 0;

            rig_set(rig.xbar, "internal_speedup", 2 + k % 4);
            rig_set(rig.xbar, "packet_gap", k % 3);
            rig_set(rig.xbar, "input_buffer_flits", room[k / 4][0]);
            rig_set(rig.xbar, "output_buffer_flits", room[k / 4][1]);
            rig_set(rig.server[1], "pop_period", 7);
            for (uint32_t i = 0; i < 700; i++) {
                x = x * 6364136223846793005u + 1442695040888963407u;
                add(&rig, i % 7, (uint32_t)(x >> 33) % 4, 10 + i / 7,
                    x >> 63 != 0 ? LOOM_MEM_STORE : LOOM_MEM_LOAD);
            }
            if (turn != 0) {
                loom_machine_shuffle(rig.machine, k + 1);
            }
            run(&rig);
            for (uint32_t s = 0; s < 4; s++) {
                got += rig.down[s].got_count;
            }
            for (uint32_t p = 0; p < 7; p++) {
                EXPECT_EQ(rig.up[p].got_count, 100);
                for (uint32_t i = 0; i < rig.up[p].got_count; i++) {
                    sum[turn] = sum[turn] * 31 + rig.up[p].got[i].at;
                }
            }
            EXPECT_EQ(got, 700);
            destroy(&rig);
        }
        EXPECT_EQ(sum[0], sum[1]);
    }
}

static const struct loom_test tests[] = {
    {"a_packet_alone_takes_what_it_took", a_packet_alone_takes_what_it_took},
    {"an_input_gets_a_flit_per_cycle", an_input_gets_a_flit_per_cycle},
    {"what_a_packet_holds_it_holds_until_its_last_flit",
     what_a_packet_holds_it_holds_until_its_last_flit},
    {"flits_wait_for_places_at_the_output",
     flits_wait_for_places_at_the_output},
    {"a_gap_is_one_of_rounds", a_gap_is_one_of_rounds},
    {"inputs_rest_or_not", inputs_rest_or_not},
    {"all_packets_arrive", all_packets_arrive},
};

int main(void)
{
    return loom_run_tests("crossbar_speedup", tests, LOOM_COUNTOF(tests));
}

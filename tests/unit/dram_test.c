/*
 * The DRAM channel against hand-computed times.  Everything is in cycles of
 * the command clock and, unless a test says otherwise, with the GTX480's
 * timing: CL 12, WL 4, RCD 12 (7 before writes), RP 12, RAS 28, RC 40, CCD 2
 * (3 in a bank group), burst 2.
 *
 * The legality of commands under random traffic is in dram_rules_test.c.
 * links: component_dram policy_frfcfs policy_fcfs policy_linear_map
 */
#include "tests/unit/dram_rig.h"

static uint64_t read_max(struct dram_rig *rig)
{
    return dram_rig_histogram(rig, "read_latency")->max;
}

static uint64_t write_max(struct dram_rig *rig)
{
    return dram_rig_histogram(rig, "write_latency")->max;
}

static void unloaded_reads_take_what_the_timing_says(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);
    struct rig_list *list = &rig.list[0];

    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_LOAD);   /* closed */
    dram_rig_add(&rig, 0, 1000, dram_at(0, 5, 9), LOOM_MEM_LOAD); /* hit */
    dram_rig_add(&rig, 0, 2000, dram_at(0, 6, 0), LOOM_MEM_LOAD); /* conflict */
    dram_rig_run(&rig);
    REQUIRE(list->got_count == 3);
    /* Two cycles more at the client: a link each way. */
    EXPECT_EQ(list->got[0].at - 10, 1 + 12 + 12 + 2 + 2);
    EXPECT_EQ(list->got[1].at - 1000, 1 + 12 + 2 + 2);
    EXPECT_EQ(list->got[2].at - 2000, 1 + 12 + 12 + 12 + 2 + 2);
    EXPECT_EQ(read_max(&rig), 39);
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), 2);
    EXPECT_EQ(dram_rig_counter(&rig, "precharges"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "row_hits"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "columns"), 3);
    EXPECT_EQ(dram_rig_counter(&rig, "bytes_read"), 3 * 64);
    EXPECT_EQ(dram_rig_counter(&rig, "busy_cycles"), 3 * 2);
    /* A request is queued until its command: 13 + 1 + 25 cycles. */
    EXPECT_EQ(dram_rig_counter(&rig, "queue_cycles"), 13 + 1 + 25);
    EXPECT_EQ(dram_rig_array(&rig, "bank_activates", 0), 2);
    EXPECT_EQ(dram_rig_array(&rig, "bank_accesses", 0), 3);
    EXPECT_EQ(dram_rig_array(&rig, "bank_accesses", 1), 0);
    dram_rig_destroy(&rig);
}

static void unloaded_writes_take_what_the_timing_says(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    dram_rig_add(&rig, 0, 10, dram_at(3, 5, 0), LOOM_MEM_STORE);
    dram_rig_run(&rig);
    /* RCDWR = RCD - (WL + 1) = 7 */
    EXPECT_EQ(write_max(&rig), 1 + 7 + 4 + 2);
    EXPECT_EQ(rig.list[0].got_count, 1);
    EXPECT_EQ(rig.list[0].got[0].message.flags, LOOM_MEM_REPLY);
    EXPECT_EQ(dram_rig_counter(&rig, "bytes_written"), 64);
    dram_rig_destroy(&rig);
}

static void a_long_request_makes_several_columns(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_LOAD)->size_bytes =
        128;
    dram_rig_run(&rig);
    /* The second read of a bank group waits tCCDL = 3. */
    EXPECT_EQ(read_max(&rig), 1 + 12 + 3 + 12 + 2);
    EXPECT_EQ(dram_rig_counter(&rig, "reads"), 2);
    EXPECT_EQ(dram_rig_counter(&rig, "row_hits"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "bytes"), 128);
    dram_rig_destroy(&rig);
}

static void the_latency_parameter_delays_replies_only(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    rig_set(rig.dram, "latency", 132);
    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_LOAD);
    dram_rig_run(&rig);
    EXPECT_EQ(read_max(&rig), 27 + 132);
    dram_rig_destroy(&rig);
}

static void kinds_are_answered_as_the_protocol_says(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);
    struct rig_list *list = &rig.list[0];

    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_WRITEBACK);
    dram_rig_add(&rig, 0, 500, dram_at(0, 5, 0), LOOM_MEM_QUERY)->policy_bits =
        9;
    dram_rig_add(&rig, 0, 1000, dram_at(0, 5, 0), LOOM_MEM_ATOMIC);
    dram_rig_run(&rig);
    REQUIRE(list->got_count == 2);
    EXPECT_EQ(list->got[0].message.kind, LOOM_MEM_QUERY);
    EXPECT_EQ(list->got[0].message.policy_bits, 9);
    EXPECT_EQ(list->got[0].at - 500, 1 + 2);
    EXPECT_EQ(list->got[1].message.kind, LOOM_MEM_ATOMIC);
    EXPECT_EQ(list->got[1].message.token, 2);
    EXPECT_EQ(dram_rig_counter(&rig, "writebacks"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "queries"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "replies"), 2);
    dram_rig_destroy(&rig);
}

/* Hits in one bank: one burst per tCCDL; in two bank groups: one per tCCD,
 * that is, the data bus never rests. */
static void hits_run_at_the_rate_of_the_bus(void)
{
    enum {
        N = 600
    };

    for (uint32_t groups = 1; groups <= 2; groups++) {
        struct dram_rig rig = dram_rig_build(1, N, &frfcfs_policy);
        const struct rig_list *list = &rig.list[0];

        for (uint32_t i = 0; i < N; i++) {
            dram_rig_add(&rig, 0, 10, dram_at(i % groups * 4, 5, i % 64),
                         LOOM_MEM_LOAD);
        }
        dram_rig_run(&rig);
        REQUIRE(list->got_count == N);
        /* From when both rows are open until the first is done. */
        EXPECT_EQ(list->got[499].at - list->got[99].at,
                  400 * (groups == 1 ? 3 : 2));
        EXPECT_EQ(dram_rig_counter(&rig, "row_hits"), N - groups);
        dram_rig_destroy(&rig);
    }
}

/* A new row of one bank each time: one access per tRC. */
static void conflicts_in_a_bank_take_trc(void)
{
    enum {
        N = 40
    };
    struct dram_rig rig = dram_rig_build(1, N, &fcfs_policy);
    const struct rig_list *list = &rig.list[0];

    for (uint32_t i = 0; i < N; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(2, i, 0), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(list->got_count == N);
    for (uint32_t i = 1; i < N; i++) {
        EXPECT_EQ(list->got[i].at - list->got[i - 1].at, 40);
    }
    dram_rig_destroy(&rig);
}

/* A new row in bank after bank.  tRRD = 6 is not reached: a read is due
 * tRCD = 12 cycles after its activate, just when the second next activate is,
 * and takes the command bus first, so two activates need 13 cycles (0.3077 of
 * the bus; Ramulator 1 and 2 both say 0.3078).  The windows are reached: 4
 * activates in tFAW = 40 or 32 in t32AW = 360. */
static void activates_obey_rrd_and_the_windows(void)
{
    static const uint32_t tfaw[] = {0, 40, 0};
    static const uint32_t t32aw[] = {0, 0, 360};
    static const uint32_t want[] = {650, 1000, 1125}; /* per 100 accesses */

    for (uint32_t k = 0; k < 3; k++) {
        struct dram_rig rig = dram_rig_build(1, 500, &frfcfs_policy);
        const struct rig_list *list = &rig.list[0];

        rig_set(rig.dram, "tfaw", tfaw[k]);
        rig_set(rig.dram, "t32aw", t32aw[k]);
        rig_set(rig.dram, "trc", 40);
        for (uint32_t i = 0; i < 500; i++) {
            dram_rig_add(&rig, 0, 10, dram_at(i % 16, i / 16, 0),
                         LOOM_MEM_LOAD);
        }
        dram_rig_run(&rig);
        REQUIRE(list->got_count == 500);
        EXPECT_EQ(list->got[499 - 3].at - list->got[499 - 3 - 320].at,
                  want[k] * 320 / 100);
        dram_rig_destroy(&rig);
    }
}

/* frfcfs lets a later hit overtake an older conflict and does not close a
 * row that is wanted; fcfs does neither. */
static void hits_overtake_under_frfcfs_only(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct dram_rig rig =
            dram_rig_build(1, 8, k == 0 ? &frfcfs_policy : &fcfs_policy);
        const struct rig_list *list = &rig.list[0];

        dram_rig_add(&rig, 0, 10, dram_at(0, 1, 0), LOOM_MEM_LOAD);
        dram_rig_add(&rig, 0, 11, dram_at(0, 2, 0),
                     LOOM_MEM_LOAD); /* other row */
        dram_rig_add(&rig, 0, 12, dram_at(0, 1, 1), LOOM_MEM_LOAD);
        dram_rig_add(&rig, 0, 13, dram_at(0, 1, 2), LOOM_MEM_LOAD);
        dram_rig_run(&rig);
        REQUIRE(list->got_count == 4);
        EXPECT_EQ(list->got[0].message.token, 0);
        EXPECT_EQ(list->got[1].message.token, k == 0 ? 2 : 1);
        EXPECT_EQ(list->got[2].message.token, k == 0 ? 3 : 2);
        EXPECT_EQ(list->got[3].message.token, k == 0 ? 1 : 3);
        EXPECT_EQ(dram_rig_counter(&rig, "activates"), k == 0 ? 2 : 3);
        dram_rig_destroy(&rig);
    }
}

static void set_policy(struct dram_rig *rig, const char *param, uint64_t value)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};

    REQUIRE(loom_machine_set_policy(rig->schedule, param,
                                    (union loom_value){.u = value}, &err));
}

/* With `any_ready` an older request closes the row of younger hits as soon as
 * the rules allow it, but not that of a request for which it was opened. */
static void any_ready_serves_the_oldest_first(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);
    const struct rig_list *list = &rig.list[0];

    set_policy(&rig, "any_ready", 1);
    dram_rig_add(&rig, 0, 10, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    dram_rig_add(&rig, 0, 11, dram_at(0, 2, 0), LOOM_MEM_LOAD);
    for (uint32_t i = 1; i <= 8; i++) {
        dram_rig_add(&rig, 0, 11 + i, dram_at(0, 1, i), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(list->got_count == 10);
    EXPECT_EQ(list->got[0].message.token, 0);
    /* Reads at tRCD = 12, 15 .. 27; then tRAS = 28 and tRTP are over. */
    EXPECT_EQ(list->got[5].message.token, 6);
    EXPECT_EQ(list->got[6].message.token, 1);
    EXPECT_EQ(list->got[7].message.token, 7);
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), 3);
    dram_rig_destroy(&rig);
}

/* With writes kept apart, they are served while the only read waits for the
 * row that was opened for it: it is under way. */
static void writes_go_while_reads_are_under_way(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    rig_set(rig.dram, "write_entries", 8);
    set_policy(&rig, "write_high", 4);
    set_policy(&rig, "write_low", 1);
    /* A write opens row 3 of bank 4 and is done. */
    dram_rig_add(&rig, 0, 10, dram_at(4, 3, 0), LOOM_MEM_STORE);
    dram_rig_add(&rig, 0, 200, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    dram_rig_add(&rig, 0, 201, dram_at(4, 3, 1), LOOM_MEM_STORE);
    dram_rig_run(&rig);
    /* It goes out in the 12 cycles in which the read's row is opened. */
    EXPECT_EQ(rig.list[0].got[1].message.token, 2);
    EXPECT_EQ(rig.list[0].got[2].message.token, 1);
    dram_rig_destroy(&rig);
}

/* FR-FCFS has no cap: the lone conflict is served when the stream of hits
 * pauses, and not before; but it is served. */
static void a_conflict_waits_for_a_stream_of_hits(void)
{
    struct dram_rig rig = dram_rig_build(2, 400, &frfcfs_policy);

    for (uint32_t i = 0; i < 300; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(0, 1, i % 64), LOOM_MEM_LOAD);
    }
    dram_rig_add(&rig, 1, 100, dram_at(0, 2, 0), LOOM_MEM_LOAD);
    dram_rig_run(&rig);
    REQUIRE(rig.list[1].got_count == 1);
    EXPECT(rig.list[1].got[0].at > rig.list[0].got[299].at);
    EXPECT(rig.list[1].got[0].at < rig.list[0].got[299].at + 60);
    dram_rig_destroy(&rig);
}

/* Two slices that always have a request share the queue's places evenly. */
static void ports_share_the_queue(void)
{
    struct dram_rig rig = dram_rig_build(2, 500, &frfcfs_policy);
    uint32_t other = 0;

    for (uint32_t i = 0; i < 500; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(i % 16, i / 16, 0), LOOM_MEM_LOAD);
        dram_rig_add(&rig, 1, 10, dram_at(i % 16, 99 + i / 16, 0),
                     LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(rig.list[0].got_count == 500 && rig.list[1].got_count == 500);
    /* When port 0 has all its replies, port 1 lacks a queue's length. */
    while (other < 500 && rig.list[1].got[other].at < rig.list[0].got[499].at) {
        other++;
    }
    EXPECT(other + 32 > 500);
    EXPECT(dram_rig_counter(&rig, "queue_full_cycles") > 1000);
    dram_rig_destroy(&rig);
}

/* A receiver that takes a reply every 50 cycles and room for two replies:
 * commands wait, nothing is lost. */
static void a_full_return_queue_holds_columns_back(void)
{
    enum {
        N = 60
    };
    struct dram_rig rig = dram_rig_build(1, N, &frfcfs_policy);

    rig_set(rig.dram, "return_entries", 2);
    rig_set(rig.client[0], "pop_period", 50);
    for (uint32_t i = 0; i < N; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(i % 16, 1, i % 64),
                     i % 3 == 0 ? LOOM_MEM_STORE : LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(rig.list[0].got_count == N);
    EXPECT_EQ(rig.list[0].got[N - 1].at - rig.list[0].got[0].at, (N - 1) * 50);
    dram_rig_destroy(&rig);
}

/* tREFI 1000, tRFC 100.  The first request comes at cycle 1010: the channel
 * refreshed at 1000 on its own and its banks are free from 1100 on. */
static void refresh_closes_rows_and_takes_its_time(void)
{
    enum {
        N = 2000
    };
    struct dram_rig rig = dram_rig_build(1, N, &frfcfs_policy);
    const struct rig_list *list = &rig.list[0];
    uint64_t cycles, refreshes;

    rig_set(rig.dram, "trefi", 1000);
    rig_set(rig.dram, "trfc", 100);
    dram_rig_add(&rig, 0, 1009, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    for (uint32_t i = 1; i < N; i++) {
        dram_rig_add(&rig, 0, 1200, dram_at(0, 1, i % 64), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(list->got_count == N);
    /* ACT at 1100; the reply is sent at 1100 + 12 + 12 + 2. */
    EXPECT_EQ(list->got[0].at, 1126 + 1);
    cycles = dram_rig_counter(&rig, "cycles");
    refreshes = dram_rig_counter(&rig, "refreshes");
    EXPECT_EQ(refreshes, cycles / 1000);
    /* Every refresh but the first found the row open. */
    EXPECT_EQ(dram_rig_counter(&rig, "precharges"), refreshes - 1);
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), refreshes);
    /* Each costs RD to PRE 2, RP 12, RFC 100, RCD 12 and no more. */
    EXPECT(list->got[N - 1].at <= 1200 + 3 * N + refreshes * 132);
    dram_rig_destroy(&rig);
}

/* Two may be put off while requests wait: then the third is the first that
 * anybody sees, and all have been done in the end. */
static void refreshes_are_put_off_while_requests_wait(void)
{
    enum {
        N = 2000
    };

    for (uint32_t most = 0; most < 3; most += 2) {
        struct dram_rig rig = dram_rig_build(1, N, &frfcfs_policy);
        const struct rig_seen *got = rig.list[0].got;
        uint32_t i = 1;

        rig_set(rig.dram, "trefi", 1000);
        rig_set(rig.dram, "trfc", 100);
        rig_set(rig.dram, "refresh_postpone", most);
        for (uint32_t k = 0; k < N; k++) {
            dram_rig_add(&rig, 0, k + 1 < N ? 900 : 20000,
                         dram_at(0, 1, k % 64), LOOM_MEM_LOAD);
        }
        dram_rig_run(&rig);
        REQUIRE(rig.list[0].got_count == N);
        got = rig.list[0].got;
        while (i + 1 < N && got[i].at - got[i - 1].at < 100) {
            i++;
        }
        EXPECT(got[i].at > 1000 * (most + 1));
        EXPECT(got[i].at < 1000 * (most + 1) + 200);
        EXPECT_EQ(dram_rig_counter(&rig, "refreshes"),
                  dram_rig_counter(&rig, "cycles") / 1000);
        dram_rig_destroy(&rig);
    }
}

/* tREFI 1000, tRFC 100, six channels in three groups: the first refreshes at
 * 1000, the second at 667, the third at 334.  A request that comes in the cycle
 * after finds its bank free 99 cycles later. */
static void groups_of_channels_refresh_one_after_the_other(void)
{
    static const char *const name[] = {"m.dram[0]", "m.dram[1]", "m.dram[2]",
                                       "m.dram[3]", "m.dram[4]", "m.dram[5]"};
    static const uint64_t first[] = {1000, 1000, 667, 667, 334, 334};

    for (uint32_t i = 0; i < 6; i++) {
        struct dram_rig rig = dram_rig_build_at(name[i], 1, 1, &frfcfs_policy);

        rig_set(rig.dram, "channels", 6);
        rig_set(rig.dram, "trefi", 1000);
        rig_set(rig.dram, "trfc", 100);
        rig_set(rig.dram, "refresh_groups", 3);
        dram_rig_add(&rig, 0, (loom_cycle)first[i], dram_at(0, 1, 0),
                     LOOM_MEM_LOAD);
        dram_rig_run(&rig);
        REQUIRE(rig.list[0].got_count == 1);
        EXPECT_EQ(rig.list[0].got[0].at, first[i] + 100 + 26 + 1);
        dram_rig_destroy(&rig);
    }
}

/* Random traffic of two slices, with refresh: whatever order components tick
 * in, and however often counters are settled, every number is the same. */
static void tick_order_and_settling_do_not_matter(void)
{
    uint64_t sum[4] = {0}, last[4];

    for (uint32_t k = 0; k < 4; k++) {
        struct dram_rig rig = dram_rig_build(2, 1000, &frfcfs_policy);

        dram_rig_random(&rig, 1000, 77);
        rig_set(rig.dram, "trefi", 700);
        rig_set(rig.dram, "trfc", 90);
        rig.step = k == 3 ? 12345678 : 0; /* eleven cycles and a bit */
        if (k != 0) {
            loom_machine_shuffle(rig.machine, k);
        }
        dram_rig_run(&rig);
        last[k] = rig.list[0].got[999].at;
        for (size_t i = 0; i < dram_component.stats.count; i++) {
            const struct loom_stat *stat = &dram_component.stats.item[i];

            if (stat->kind == LOOM_STAT_COUNTER &&
                strcmp(stat->name, "cycles") != 0) {
                sum[k] = sum[k] * 31 + dram_rig_counter(&rig, stat->name);
            }
        }
        EXPECT(dram_rig_counter(&rig, "refreshes") > 10);
        dram_rig_destroy(&rig);
    }
    for (uint32_t k = 1; k < 4; k++) {
        EXPECT_EQ(sum[k], sum[0]);
        EXPECT_EQ(last[k], last[0]);
    }
}

/* Asked for the oldest entry of whatever set, the view says which. */
static uint64_t asked;

static uint32_t oldest_by_order(const struct loom_schedule_view *view,
                                uint64_t among)
{
    uint32_t oldest = loom_lowest(among);

    for (uint64_t rest = among; rest != 0; rest &= rest - 1) {
        uint32_t entry = loom_lowest(rest);

        if (view->entry[entry].order < view->entry[oldest].order) {
            oldest = entry;
        }
    }
    return oldest;
}

static uint32_t ask_all(struct loom_policy *self,
                        const struct loom_schedule_view *view)
{
    uint64_t mask = ~UINT64_C(0);

    (void)self;
    EXPECT_EQ(view->oldest, oldest_by_order(view, view->waiting));
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t among = view->waiting & mask;

        if (among != 0) {
            EXPECT_EQ(loom_schedule_oldest(view, among),
                      oldest_by_order(view, among));
            asked++;
        }
        mask = (mask ^ mask << 13 ^ loom_bit(i)) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return loom_schedule_first_ready(view);
}

static const struct loom_schedule_ops ask_all_ops = {.pick = ask_all};
static const struct loom_facet ask_all_facets[] = {
    {&loom_schedule_hook, &ask_all_ops},
};
static const struct loom_policy_type ask_all_policy = {
    .name = "ask_all",
    .doc = "Asks for the oldest entry of many sets",
    .facets = LOOM_SLICE(ask_all_facets),
    .cost = loom_cost_none,
};

static void the_oldest_of_any_set_is_known(void)
{
    struct dram_rig rig = dram_rig_build(2, 2000, &ask_all_policy);

    dram_rig_random(&rig, 2000, 77);
    dram_rig_run(&rig);
    EXPECT_EQ(rig.list[0].got_count + rig.list[1].got_count, 4000);
    EXPECT(asked > 100000);
    dram_rig_destroy(&rig);
}

static void impossible_channels_are_refused(void)
{
    struct dram_rig rig = dram_rig_build(1, 4, &frfcfs_policy);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_set(rig.dram, "banks", 8);
    rig_set(rig.dram, "bank_groups", 16);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
    EXPECT_TEXT(err.text, "parameter 'bank_groups' is 16, expected at most");
    dram_rig_destroy(&rig);

    rig = dram_rig_build(1, 4, &frfcfs_policy);
    rig_set(rig.dram, "banks", 8); /* the map has 16 */
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
    EXPECT_TEXT(err.text, "of the map is 16, but the channel has 8 banks");
    dram_rig_destroy(&rig);
}

static const struct loom_test tests[] = {
    {"unloaded_reads_take_what_the_timing_says",
     unloaded_reads_take_what_the_timing_says},
    {"unloaded_writes_take_what_the_timing_says",
     unloaded_writes_take_what_the_timing_says},
    {"a_long_request_makes_several_columns",
     a_long_request_makes_several_columns},
    {"the_latency_parameter_delays_replies_only",
     the_latency_parameter_delays_replies_only},
    {"kinds_are_answered_as_the_protocol_says",
     kinds_are_answered_as_the_protocol_says},
    {"hits_run_at_the_rate_of_the_bus", hits_run_at_the_rate_of_the_bus},
    {"conflicts_in_a_bank_take_trc", conflicts_in_a_bank_take_trc},
    {"activates_obey_rrd_and_the_windows", activates_obey_rrd_and_the_windows},
    {"hits_overtake_under_frfcfs_only", hits_overtake_under_frfcfs_only},
    {"any_ready_serves_the_oldest_first", any_ready_serves_the_oldest_first},
    {"writes_go_while_reads_are_under_way",
     writes_go_while_reads_are_under_way},
    {"a_conflict_waits_for_a_stream_of_hits",
     a_conflict_waits_for_a_stream_of_hits},
    {"ports_share_the_queue", ports_share_the_queue},
    {"a_full_return_queue_holds_columns_back",
     a_full_return_queue_holds_columns_back},
    {"refresh_closes_rows_and_takes_its_time",
     refresh_closes_rows_and_takes_its_time},
    {"refreshes_are_put_off_while_requests_wait",
     refreshes_are_put_off_while_requests_wait},
    {"groups_of_channels_refresh_one_after_the_other",
     groups_of_channels_refresh_one_after_the_other},
    {"tick_order_and_settling_do_not_matter",
     tick_order_and_settling_do_not_matter},
    {"the_oldest_of_any_set_is_known", the_oldest_of_any_set_is_known},
    {"impossible_channels_are_refused", impossible_channels_are_refused},
};

int main(void)
{
    return loom_run_tests("dram", tests, LOOM_COUNTOF(tests));
}

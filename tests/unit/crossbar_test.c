/*
 * The crossbar: latency and rate by hand, then that every packet arrives
 * exactly once, in order, whatever happens.
 *
 * All links have latency 1: what a client sends at s is at the switch at
 * s + 1, what the switch delivers at t is at the other side at t + 1.  The
 * switch's own latency is 4 here, and address b * 256 belongs to server b.
 * links: component_crossbar policy_round_robin_arbiter policy_direct_route
 */
#include "tests/unit/crossbar_rig.h"

/* A load is 8 bytes, one flit; its reply and a store 136, five flits. */
static void check_zero_load(uint32_t buffer)
{
    struct xbar_rig rig = build((struct shape){3, 4, 4, 4, 0, 0});
    const struct loom_histogram *requests, *replies;

    rig_set(rig.xbar, "output_buffer_flits", buffer);
    add(&rig, 1, 2, 100, LOOM_MEM_LOAD);
    add(&rig, 1, 3, 200, LOOM_MEM_STORE);
    run(&rig);
    REQUIRE(rig.down[2].got_count == 1 && rig.down[3].got_count == 1);
    REQUIRE(rig.up[1].got_count == 2);
    EXPECT_EQ(rig.down[2].got[0].at, 100 + 1 + 4 + 1);
    EXPECT_EQ(rig.up[1].got[0].at, 106 + 1 + (4 + 4) + 1);
    EXPECT_EQ(rig.down[3].got[0].at, 200 + 1 + (4 + 4) + 1);
    EXPECT_EQ(rig.up[1].got[1].at, 210 + 1 + 4 + 1);
    requests = stat_of(&rig, "request_latency");
    replies = stat_of(&rig, "reply_latency");
    EXPECT(requests->min == 4 && requests->max == 8 && requests->count == 2);
    EXPECT(replies->min == 4 && replies->max == 8 && replies->count == 2);
    EXPECT_EQ(counter(&rig, "request_flits"), 1 + 5);
    EXPECT_EQ(counter(&rig, "request_bytes"), 8 + 136);
    EXPECT_EQ(counter(&rig, "reply_flits"), 5 + 1);
    EXPECT_EQ(counter(&rig, "request_conflict_cycles"), 0);
    destroy(&rig);
}

/* It does not depend on where packets wait for their time. */
static void zero_load_latency_is_latency_plus_tail(void)
{
    check_zero_load(8);
    check_zero_load(64);
}

/* A store is 17 flits of 8 bytes, its data's way back five of 32. */
static void directions_have_widths_of_their_own(void)
{
    struct xbar_rig rig = build((struct shape){1, 1, 4, 4, 0, 0});

    rig_set(rig.xbar, "request_flit_bytes", 8);
    add(&rig, 0, 0, 100, LOOM_MEM_STORE);
    add(&rig, 0, 0, 200, LOOM_MEM_LOAD);
    run(&rig);
    REQUIRE(rig.down[0].got_count == 2 && rig.up[0].got_count == 2);
    EXPECT_EQ(rig.down[0].got[0].at, 100 + 1 + (4 + 16) + 1);
    EXPECT_EQ(rig.down[0].got[1].at, 200 + 1 + 4 + 1);
    EXPECT_EQ(rig.up[0].got[1].at, 206 + 1 + (4 + 4) + 1);
    EXPECT_EQ(counter(&rig, "request_flits"), 17 + 1);
    EXPECT_EQ(counter(&rig, "reply_flits"), 1 + 5);
    destroy(&rig);
}

/* Eight bytes of control and 32 of mask; whole sectors need none, and one word
 * of an atomic goes in its place. */
static void parts_of_sectors_bring_a_mask(void)
{
    static const struct {
        enum loom_mem_kind kind;
        uint8_t flags;
        uint64_t bytes[2];
        uint32_t moved;
    } cases[] = {
        {LOOM_MEM_STORE, 0, {UINT64_MAX, UINT64_MAX}, 136},
        {LOOM_MEM_STORE, 0, {UINT64_MAX, 0xf}, 168},
        {LOOM_MEM_WRITEBACK, 0, {0xf, 0}, 168},
        {LOOM_MEM_LOAD, 0, {0, 0}, 8},
        {LOOM_MEM_ATOMIC, 0, {UINT64_MAX, UINT64_MAX}, 168},
        {LOOM_MEM_ATOMIC, 0, {0, 0xf00}, 40},
        {LOOM_MEM_ATOMIC, LOOM_MEM_SWAP, {UINT64_MAX, UINT64_MAX}, 296},
        {LOOM_MEM_ATOMIC, LOOM_MEM_SWAP, {0xff, 0}, 168},
    };
    uint64_t before = 0;

    for (uint32_t count = 1; count <= LOOM_COUNTOF(cases); count++) {
        struct xbar_rig rig = build((struct shape){1, 1, 20, 20, 0, 0});
        uint64_t bytes;

        rig_set(rig.xbar, "mask_bytes", 32);
        for (uint32_t i = 0; i < count; i++) {
            struct loom_mem_request *r =
                rig_add(&rig.up[0], 10, 0, cases[i].kind, 128);

            r->flags = cases[i].flags;
            r->bytes[0] = cases[i].bytes[0];
            r->bytes[1] = cases[i].bytes[1];
        }
        run(&rig);
        bytes = counter(&rig, "request_bytes");
        EXPECT_EQ(bytes - before, cases[count - 1].moved);
        before = bytes;
        destroy(&rig);
    }
}

/* Every input has its own output: nothing ever waits.  `flits` per packet at
 * one flit per cycle. */
static void check_full_rate(uint32_t ports, enum loom_mem_kind kind,
                            uint32_t flits)
{
    enum {
        N = 200
    };
    struct xbar_rig rig = build((struct shape){ports, ports, N, N, 0, 0});

    for (uint32_t p = 0; p < ports; p++) {
        rig_flag(rig.server[p], "mute", true);
        for (uint32_t i = 0; i < N; i++) {
            add(&rig, p, (p + 1) % ports, 10, kind);
        }
    }
    run(&rig);
    for (uint32_t p = 0; p < ports; p++) {
        const struct rig_list *list = &rig.down[p];

        REQUIRE(list->got_count == N);
        EXPECT_EQ(list->got[N - 1].at - list->got[0].at, (N - 1) * flits);
    }
    EXPECT_EQ(counter(&rig, "request_flits"), (uint64_t)ports * N * flits);
    destroy(&rig);
}

static void permutations_run_at_full_rate(void)
{
    check_full_rate(5, LOOM_MEM_QUERY, 1);
    check_full_rate(5, LOOM_MEM_WRITEBACK, 5);
    check_full_rate(MAX, LOOM_MEM_QUERY, 1); /* more than one word of bits */
}

/* One virtual channel that is allocated anew for each packet: a packet of L
 * flits takes L + 1 cycles (0.5 and 0.833 of an output). */
static void a_packet_gap_lowers_the_rate(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct xbar_rig rig = build((struct shape){1, 1, 100, 100, 0, 0});
        const struct rig_list *list = &rig.down[0];

        rig_flag(rig.server[0], "mute", true);
        rig_set(rig.xbar, "packet_gap", 1);
        for (uint32_t i = 0; i < 100; i++) {
            add(&rig, 0, 0, 10, k == 0 ? LOOM_MEM_QUERY : LOOM_MEM_WRITEBACK);
        }
        run(&rig);
        REQUIRE(list->got_count == 100);
        EXPECT_EQ(list->got[99].at - list->got[0].at, 99 * (k == 0 ? 2 : 6));
        destroy(&rig);
    }
}

/* Two packets of one input to two outputs: with a speedup of 5 the second
 * follows a cycle later. */
static void input_speedup_overlaps_packets(void)
{
    for (uint32_t speedup = 1; speedup <= 5; speedup += 4) {
        struct xbar_rig rig = build((struct shape){1, 2, 2, 2, 0, 0});

        rig_set(rig.xbar, "input_speedup", speedup);
        rig_set(rig.xbar, "input_buffer_flits", 10);
        add(&rig, 0, 0, 10, LOOM_MEM_STORE);
        add(&rig, 0, 1, 10, LOOM_MEM_STORE);
        run(&rig);
        EXPECT_EQ(rig.down[1].got[0].at - rig.down[0].got[0].at,
                  speedup == 1 ? 5 : 1);
        destroy(&rig);
    }
}

/* Two inputs with a packet for output 0 each, and behind the second one another
 * for output 1.  A switch twice as fast as its links grants both in a cycle, so
 * the third does not wait behind a loser, but the link of output 0 still takes
 * a packet per cycle. */
static void internal_speedup_relieves_heads(void)
{
    for (uint32_t speedup = 1; speedup <= 2; speedup++) {
        struct xbar_rig rig = build((struct shape){2, 2, 2, 3, 0, 0});

        rig_set(rig.xbar, "internal_speedup", speedup);
        add(&rig, 0, 0, 10, LOOM_MEM_QUERY);
        add(&rig, 1, 0, 10, LOOM_MEM_QUERY);
        add(&rig, 1, 1, 10, LOOM_MEM_QUERY);
        run(&rig);
        REQUIRE(rig.down[0].got_count == 2 && rig.down[1].got_count == 1);
        EXPECT_EQ(rig.down[0].got[1].at - rig.down[0].got[0].at, 1);
        EXPECT_EQ(rig.down[1].got[0].at - rig.down[0].got[0].at,
                  speedup == 1 ? 2 : 1);
        destroy(&rig);
    }
}

/* Packets of several flits, four inputs for one output, however fast inside.
 * The output's link carries 5 flits of each, one after the other. */
static void internal_speedup_keeps_the_links(void)
{
    for (uint32_t speedup = 1; speedup <= 4; speedup++) {
        struct xbar_rig rig = build((struct shape){4, 1, 20, 80, 0, 0});
        const struct rig_list *list = &rig.down[0];

        rig_set(rig.xbar, "internal_speedup", speedup);
        rig_set(rig.xbar, "input_buffer_flits", 10);
        rig_set(rig.xbar, "output_buffer_flits", 10);
        rig_flag(rig.server[0], "mute", true);
        for (uint32_t p = 0; p < 4; p++) {
            for (uint32_t i = 0; i < 20; i++) {
                add(&rig, p, 0, 10, LOOM_MEM_WRITEBACK);
            }
        }
        run(&rig);
        REQUIRE(list->got_count == 80);
        for (uint32_t i = 1; i < 80; i++) {
            EXPECT_EQ(list->got[i].at - list->got[i - 1].at, 5);
            EXPECT_EQ(list->got[i].message.slot, i % 4);
        }
        destroy(&rig);
    }
}

/* Four inputs that always want one output take turns, exactly. */
static void round_robin_is_fair(void)
{
    enum {
        N = 50
    };
    struct xbar_rig rig = build((struct shape){4, 1, N, 4 * N, 0, 0});
    const struct rig_list *list = &rig.down[0];

    rig_flag(rig.server[0], "mute", true);
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t i = 0; i < N; i++) {
            add(&rig, p, 0, 10,
                i % 2 == 0 ? LOOM_MEM_QUERY : LOOM_MEM_WRITEBACK);
        }
    }
    run(&rig);
    REQUIRE(list->got_count == 4 * N);
    for (uint32_t i = 0; i < 4 * N; i++) {
        EXPECT_EQ(list->got[i].message.slot, i % 4);
    }
    destroy(&rig);
}

/* Inputs 0 and 1 want output 0 in the same cycle; behind the loser waits a
 * packet for the idle output 1. */
static void losers_hold_up_those_behind_them(void)
{
    struct xbar_rig rig = build((struct shape){2, 2, 2, 4, 0, 0});

    rig_flag(rig.server[0], "mute", true);
    rig_flag(rig.server[1], "mute", true);
    add(&rig, 0, 0, 10, LOOM_MEM_WRITEBACK);
    add(&rig, 1, 0, 10, LOOM_MEM_QUERY);
    add(&rig, 1, 1, 11, LOOM_MEM_QUERY);
    run(&rig);
    /* Input 0 holds output 0 in cycles 11 to 15. */
    EXPECT_EQ(rig.down[0].got[0].at, 11 + 8 + 1);
    EXPECT_EQ(rig.down[0].got[1].at, 16 + 4 + 1);
    EXPECT_EQ(rig.down[1].got[0].at, 17 + 4 + 1);
    EXPECT_EQ(counter(&rig, "request_conflict_cycles"), 5);
    destroy(&rig);
}

/* A server that takes one packet in 20 cycles: buffers fill up to the
 * clients and nothing is lost. */
static void slow_receivers_push_back(void)
{
    enum {
        N = 40
    };
    struct xbar_rig rig = build((struct shape){2, 1, N, 2 * N, 0, 0});
    const struct rig_list *list = &rig.down[0];

    rig_set(rig.server[0], "pop_period", 20);
    for (uint32_t i = 0; i < N; i++) {
        add(&rig, 0, 0, 10, LOOM_MEM_STORE);
        add(&rig, 1, 0, 10, LOOM_MEM_LOAD);
    }
    run(&rig);
    REQUIRE(list->got_count == 2 * N);
    EXPECT_EQ(list->got[2 * N - 1].at - list->got[0].at, (2 * N - 1) * 20);
    EXPECT(counter(&rig, "request_input_full_cycles") > 500);
    EXPECT_EQ(rig.up[0].got_count + rig.up[1].got_count, 2 * N);
    destroy(&rig);
}

/* ---- random load ---- */

static void fill_random(struct xbar_rig *rig, uint32_t count, uint64_t seed)
{
    static const enum loom_mem_kind kinds[] = {
        LOOM_MEM_LOAD,   LOOM_MEM_LOAD,      LOOM_MEM_STORE,
        LOOM_MEM_ATOMIC, LOOM_MEM_WRITEBACK, LOOM_MEM_QUERY};
    uint64_t x = seed;

    for (uint32_t p = 0; p < rig->clients; p++) {
        loom_cycle at = 10;

        for (uint32_t i = 0; i < count; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            at += (x >> 59) == 0 ? (x >> 32) % 100 : 0;
            add(rig, p, (uint32_t)(x >> 33) % rig->servers, at,
                kinds[(x >> 45) % LOOM_COUNTOF(kinds)]);
        }
    }
}

/* Every request is at its server, once, after those that its client sent
 * there before; every reply is back at its client. */
static void check_delivery(struct xbar_rig *rig, uint32_t count)
{
    uint32_t total = 0, wrong = 0, replies = 0, owed = 0;

    for (uint32_t s = 0; s < rig->servers; s++) {
        uint64_t next[MAX] = {0}; /* least token of each client */

        total += rig->down[s].got_count;
        for (uint32_t i = 0; i < rig->down[s].got_count; i++) {
            const struct loom_mem_request *m = &rig->down[s].got[i].message;

            wrong += m->block / 256 % rig->servers != s ? 1 : 0;
            wrong += m->token < next[m->slot] ? 1 : 0;
            wrong += m->src != loom_component_id(rig->client[m->slot]) ? 1 : 0;
            next[m->slot] = (uint64_t)m->token + 1;
            owed += loom_mem_replied(m->kind) ? 1 : 0;
        }
    }
    for (uint32_t p = 0; p < rig->clients; p++) {
        unsigned char *seen = calloc(count, 1);

        REQUIRE(seen != NULL);
        replies += rig->up[p].got_count;
        for (uint32_t i = 0; i < rig->up[p].got_count; i++) {
            const struct loom_mem_request *m = &rig->up[p].got[i].message;

            wrong += m->src != loom_component_id(rig->client[p]) ? 1 : 0;
            wrong += seen[m->token]++ != 0 ? 1 : 0;
        }
        free(seen);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(total, rig->clients * count);
    EXPECT_EQ(replies, owed);
    EXPECT_EQ(counter(rig, "request_packets"), total);
    EXPECT_EQ(counter(rig, "reply_packets"), owed);
}

static uint64_t sum_stats(struct xbar_rig *rig)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < crossbar_component.stats.count; i++) {
        const struct loom_stat *stat = &crossbar_component.stats.item[i];

        if (stat->kind == LOOM_STAT_COUNTER &&
            strcmp(stat->name, "cycles") != 0) {
            sum = sum * 31 + counter(rig, stat->name);
        }
    }
    for (uint32_t p = 0; p < rig->clients; p++) {
        const struct rig_list *list = &rig->up[p];

        for (uint32_t i = 0; i < list->got_count; i++) {
            sum = sum * 31 + list->got[i].at + list->got[i].message.token;
        }
    }
    return sum;
}

static void random_packets_arrive_once_and_in_order(void)
{
    static const uint64_t hertz[] = {0, 1400000000, 350000000, 924000000};

    for (uint32_t k = 0; k < LOOM_COUNTOF(hertz); k++) {
        struct xbar_rig rig =
            build((struct shape){15, 12, 300, 4500, hertz[k], 4});

        fill_random(&rig, 300, 5 + k);
        run(&rig);
        check_delivery(&rig, 300);
        destroy(&rig);
    }
}

static void many_ports_deliver_too(void)
{
    struct xbar_rig rig = build((struct shape){MAX, 66, 40, 2800, 0, 0});

    fill_random(&rig, 40, 11);
    run(&rig);
    check_delivery(&rig, 40);
    destroy(&rig);
}

static void tick_order_and_settling_do_not_matter(void)
{
    uint64_t sum[4];

    for (uint32_t k = 0; k < 4; k++) {
        struct xbar_rig rig = build((struct shape){7, 4, 300, 2100, 0, 3});

        fill_random(&rig, 300, 99);
        rig_set(rig.server[1], "pop_period", 3);
        rig.step = k == 3 ? 12345678 : 0; /* eight cycles and a bit */
        if (k != 0) {
            loom_machine_shuffle(rig.machine, k);
        }
        run(&rig);
        sum[k] = sum_stats(&rig);
        EXPECT(counter(&rig, "request_conflict_cycles") > 100);
        EXPECT(counter(&rig, "request_input_full_cycles") > 100);
        destroy(&rig);
    }
    for (uint32_t k = 1; k < 4; k++) {
        EXPECT_EQ(sum[k], sum[0]);
    }
}

/* When each request came. */
static uint64_t sum_arrivals(const struct xbar_rig *rig)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < rig->servers; s++) {
        for (uint32_t i = 0; i < rig->down[s].got_count; i++) {
            sum = sum * 31 + rig->down[s].got[i].at;
        }
    }
    return sum;
}

/* Packets of 32-byte flits are five at most, and three times that is what a
 * buffer must have for packets to wait for their time in the link.  One less,
 * they wait in the buffer.  Neither fills: servers get long packets, one in
 * five cycles, and answer with short ones. */
static void waiting_in_the_link_changes_nothing(void)
{
    uint64_t sum[2], came[2];

    for (uint32_t k = 0; k < 2; k++) {
        struct xbar_rig rig = build((struct shape){7, 4, 300, 2100, 0, 0});
        uint64_t x = 5;

        for (uint32_t i = 0; i < 7 * 300; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            add(&rig, i % 7, (uint32_t)(x >> 33) % 4, 10 + i / 7 * (x >> 62),
                (x >> 45) % 3 != 0 ? LOOM_MEM_STORE : LOOM_MEM_WRITEBACK);
        }
        rig_set(rig.xbar, "output_buffer_flits", 14 + k);
        run(&rig);
        sum[k] = sum_stats(&rig);
        came[k] = sum_arrivals(&rig);
        EXPECT(counter(&rig, "request_conflict_cycles") > 100);
        destroy(&rig);
    }
    EXPECT_EQ(sum[0], sum[1]);
    EXPECT_EQ(came[0], came[1]);
}

static void impossible_crossbars_are_refused(void)
{
    struct xbar_rig rig = build((struct shape){2, 3, 1, 1, 0, 0});
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_set(rig.xbar, "slices_per_channel", 2);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
    EXPECT_TEXT(err.text, "3 links at port 'down', expected a multiple");
    destroy(&rig);
}

/* The two directions' turns are different things. */
static void a_shared_arbiter_is_refused(void)
{
    struct loom_machine *machine = loom_machine_create(1);
    uint32_t clock = loom_machine_clock(machine, 1000000000);
    struct loom_component *xbar =
        rig_part(machine, &crossbar_component, "m.xbar", clock);
    struct loom_component *client =
        rig_part(machine, &rig_client, "m.client", clock);
    struct loom_component *server =
        rig_part(machine, &rig_server, "m.server", clock);
    struct loom_policy *arbiter = rig_policy(xbar, machine, "request_arbiter",
                                             &round_robin_arbiter_policy);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_policy(xbar, machine, "map", &turn_map_policy);
    rig_policy(xbar, machine, "routing", &direct_route_policy);
    REQUIRE(loom_machine_attach(xbar, "reply_arbiter", arbiter, &err));
    rig_set(xbar, "slices_per_channel", 1);
    rig_link(machine, (struct loom_end){client, "mem", 0},
             (struct loom_end){xbar, "up", 0}, 2);
    rig_link(machine, (struct loom_end){xbar, "down", 0},
             (struct loom_end){server, "mem", 0}, 2);
    EXPECT(!loom_machine_freeze(machine, rig_error, &err));
    EXPECT_TEXT(err.text, "share one policy, expected one each");
    loom_machine_destroy(machine);
}

/* A map that names a slice the machine lacks stops the run. */
static void a_packet_without_a_port_stops_the_run(void)
{
    struct xbar_rig rig = build((struct shape){1, 2, 1, 1, 0, 0});
    struct loom_error err = {LOOM_ERR_NONE, ""};
    struct loom_mem_request *bad;

    add(&rig, 0, 1, 10, LOOM_MEM_LOAD);
    bad = &rig.up[0].send[0].message;
    bad->block = LOST;
    REQUIRE(loom_machine_freeze(rig.machine, rig_error, &err));
    rig_give(rig.client[0], &rig.up[0]);
    rig_give(rig.server[0], &rig.down[0]);
    EXPECT_EQ(loom_machine_run(rig.machine, LOOM_NEVER, LOOM_NEVER, &err),
              LOOM_STOP_ERROR);
    EXPECT_TEXT(err.text, "m.xbar: no port for 0xdead00, to slice 2");
    destroy(&rig);
}

static const struct loom_test tests[] = {
    {"zero_load_latency_is_latency_plus_tail",
     zero_load_latency_is_latency_plus_tail},
    {"parts_of_sectors_bring_a_mask", parts_of_sectors_bring_a_mask},
    {"directions_have_widths_of_their_own",
     directions_have_widths_of_their_own},
    {"permutations_run_at_full_rate", permutations_run_at_full_rate},
    {"a_packet_gap_lowers_the_rate", a_packet_gap_lowers_the_rate},
    {"input_speedup_overlaps_packets", input_speedup_overlaps_packets},
    {"internal_speedup_relieves_heads", internal_speedup_relieves_heads},
    {"internal_speedup_keeps_the_links", internal_speedup_keeps_the_links},
    {"round_robin_is_fair", round_robin_is_fair},
    {"losers_hold_up_those_behind_them", losers_hold_up_those_behind_them},
    {"slow_receivers_push_back", slow_receivers_push_back},
    {"random_packets_arrive_once_and_in_order",
     random_packets_arrive_once_and_in_order},
    {"many_ports_deliver_too", many_ports_deliver_too},
    {"tick_order_and_settling_do_not_matter",
     tick_order_and_settling_do_not_matter},
    {"waiting_in_the_link_changes_nothing",
     waiting_in_the_link_changes_nothing},
    {"impossible_crossbars_are_refused", impossible_crossbars_are_refused},
    {"a_shared_arbiter_is_refused", a_shared_arbiter_is_refused},
    {"a_packet_without_a_port_stops_the_run",
     a_packet_without_a_port_stops_the_run},
};

int main(void)
{
    return loom_run_tests("crossbar", tests, LOOM_COUNTOF(tests));
}

/*
 * Requests without time that go through networks and open rows: where they
 * come to, what a request in time finds afterwards, and when a machine is
 * quiet.
 *
 * links: component_crossbar component_network component_dram
 * links: policy_direct_route policy_minimal_route policy_round_robin_arbiter
 * links: policy_linear_map policy_frfcfs policy_closed_page
 */
#include "engine/warm.h"

#include "policies/noc_hook.h"
#include "tests/unit/dram_rig.h"

extern const struct loom_component_type crossbar_component;
extern const struct loom_component_type network_component;
extern const struct loom_policy_type direct_route_policy;
extern const struct loom_policy_type minimal_route_policy;
extern const struct loom_policy_type round_robin_arbiter_policy;
extern const struct loom_policy_type closed_page_policy;

enum {
    CHANNELS = 4
};

/* ---- who sends them ---- */

struct warmer {
    struct loom_channel *out;
};

static bool warmer_init(struct loom_component *self, struct loom_error *err)
{
    struct warmer *w = loom_state(self);

    (void)err;
    w->out = loom_port_out(self, "mem", 0);
    return true;
}

static loom_cycle warmer_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static bool warmer_command(struct loom_component *self, const void *command,
                           struct loom_error *err)
{
    struct warmer *w = loom_state(self);
    struct loom_mem_request *const *request = command;

    (void)err;
    loom_stay_asleep(self);
    REQUIRE(loom_warms(w->out));
    loom_warm(w->out, *request);
    return true;
}

static const struct loom_port_decl warmer_ports[] = {
    {"mem", "Requests", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops warmer_ops = {
    .init = warmer_init,
    .tick = warmer_tick,
    .command = warmer_command,
};
static const struct loom_component_type warmer_component = {
    .name = "warmer",
    .doc = "Test: sends what it is told, without time",
    .state_size = sizeof(struct warmer),
    .ports = LOOM_SLICE(warmer_ports),
    .ops = &warmer_ops,
};

static void warm(struct loom_component *warmer, loom_addr address,
                 enum loom_mem_kind kind)
{
    struct loom_mem_request r = {
        .block = address / LOOM_BLOCK_BYTES * LOOM_BLOCK_BYTES,
        .sectors =
            (uint8_t)(1u << address % LOOM_BLOCK_BYTES / LOOM_SECTOR_BYTES),
        .size_bytes = LOOM_SECTOR_BYTES,
        .kind = (uint8_t)kind,
        .token = 77,
        .slot = 5,
    };
    struct loom_mem_request *message = &r;
    struct loom_error err;

    REQUIRE(loom_machine_command(warmer, &message, &err));
    EXPECT((r.flags & LOOM_MEM_REPLY) != 0);
    EXPECT_EQ(r.token, 77); /* it is still the sender's */
    EXPECT_EQ(r.slot, 5);
}

/* ---- one channel ---- */

/* A second client that warms, in place of a list. */
static struct dram_rig one_channel(struct loom_component **warmer)
{
    struct dram_rig rig = dram_rig_build(1, 8, &frfcfs_policy);

    *warmer = rig_part(rig.machine, &warmer_component, "m.warmer",
                       loom_component_clock(rig.dram));
    rig_link(rig.machine, (struct loom_end){*warmer, "mem", 0},
             (struct loom_end){rig.dram, "up", 1}, 8);
    return rig;
}

/* Warms rows of bank 3, then reads row 1 in time at cycle `at`. */
static void expect_commands(const uint32_t *rows, uint32_t count, loom_cycle at,
                            const char *closes, uint64_t activates)
{
    struct loom_component *warmer;
    struct dram_rig rig = one_channel(&warmer);

    if (strcmp(closes, "page") == 0) {
        rig_policy(rig.dram, rig.machine, "page", &closed_page_policy);
    } else if (strcmp(closes, "refresh") == 0) {
        rig_set(rig.dram, "trefi", 5000);
    }
    dram_rig_add(&rig, 0, at, dram_at(3, 1, 2), LOOM_MEM_LOAD);
    rig_freeze(rig.machine);
    for (uint32_t i = 0; i < count; i++) {
        warm(warmer, dram_at(3, rows[i], 7), LOOM_MEM_LOAD);
    }
    rig_give(rig.client[0], &rig.list[0]);
    rig_run(rig.machine, 0);
    EXPECT_EQ(rig.list[0].got_count, 1);
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), activates);
    EXPECT_EQ(dram_rig_counter(&rig, "read_requests"), 1);
    dram_rig_destroy(&rig);
}

static void a_warm_request_opens_its_row(void)
{
    static const uint32_t rows[] = {1, 2, 1};

    expect_commands(rows, 0, 1, "", 1); /* nobody opened it */
    expect_commands(rows, 1, 1, "", 0);
    expect_commands(rows, 2, 1, "", 1); /* another row is open */
    expect_commands(rows, 3, 1, "", 0);
}

/* All rows are closed by a refresh in between, or at once by the policy. */
static void what_closes_rows_closes_warm_ones(void)
{
    static const uint32_t rows[] = {1};

    expect_commands(rows, 1, 1, "page", 1);
    expect_commands(rows, 1, 4000, "refresh", 0); /* not yet */
    expect_commands(rows, 1, 100000, "refresh", 1);
}

/* ---- through a network ---- */

struct net {
    struct loom_machine *machine;
    struct loom_component *net, *client, *warmer, *dram[CHANNELS];
    struct rig_list list;
};

static void open_net(struct net *n, const struct loom_component_type *type)
{
    bool crossbar = type == &crossbar_component;
    uint32_t clock;

    *n = (struct net){.machine = loom_machine_create(3)};
    clock = loom_machine_clock(n->machine, 1000000000);
    n->net = rig_part(n->machine, type, "m.net", clock);
    n->client = rig_part(n->machine, &rig_client, "m.client", clock);
    n->warmer = rig_part(n->machine, &warmer_component, "m.warmer", clock);
    n->list = rig_list(8, 8);
    rig_policy(n->net, n->machine, "map", &linear_map_policy);
    rig_policy(n->net, n->machine, "routing",
               crossbar ? &direct_route_policy : &minimal_route_policy);
    rig_policy(n->net, n->machine, crossbar ? "request_arbiter" : "arbiter",
               &round_robin_arbiter_policy);
    rig_policy(n->net, n->machine, "reply_arbiter",
               &round_robin_arbiter_policy);
    rig_link(n->machine, (struct loom_end){n->client, "mem", 0},
             (struct loom_end){n->net, "up", 0}, 8);
    rig_link(n->machine, (struct loom_end){n->warmer, "mem", 0},
             (struct loom_end){n->net, "up", 1}, 8);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        char path[20];

        snprintf(path, sizeof(path), "m.dram[%u]", i);
        n->dram[i] = rig_part(n->machine, &dram_component, path, clock);
        rig_policy(n->dram[i], n->machine, "schedule", &frfcfs_policy);
        rig_policy(n->dram[i], n->machine, "map", &linear_map_policy);
        rig_set(n->dram[i], "channels", CHANNELS);
        rig_set(n->dram[i], "slices_per_channel", 1);
        rig_link(n->machine, (struct loom_end){n->net, "down", i},
                 (struct loom_end){n->dram[i], "up", 0}, 8);
    }
}

static void close_net(struct net *n)
{
    rig_list_free(&n->list);
    loom_machine_destroy(n->machine);
}

static uint64_t activates(const struct net *n, uint32_t channel)
{
    const struct loom_stat *stat =
        loom_stats_find(dram_component.stats, "activates");

    return (uint64_t)loom_stat_read(stat, loom_stats_of(n->dram[channel]), 0);
}

/* Warms one channel; in time all are read: only that one has the row open. */
static void finds_its_channel(const struct loom_component_type *type)
{
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        struct net n;

        open_net(&n, type);
        if (type == &network_component) {
            rig_set(n.net, "columns", CHANNELS);
            rig_set(n.net, "flit_bytes", 32);
        } else {
            rig_set(n.net, "slices_per_channel", 1);
        }
        for (uint32_t i = 0; i < CHANNELS; i++) {
            rig_add(&n.list, 1, i * 256, LOOM_MEM_LOAD, 32);
        }
        rig_freeze(n.machine);
        EXPECT(loom_machine_quiet(n.machine));
        warm(n.warmer, channel * 256, LOOM_MEM_STORE);
        EXPECT(loom_machine_quiet(n.machine));
        rig_give(n.client, &n.list);
        rig_run(n.machine, 0);
        EXPECT_EQ(n.list.got_count, CHANNELS);
        for (uint32_t i = 0; i < CHANNELS; i++) {
            EXPECT_EQ(activates(&n, i), i == channel ? 0 : 1);
        }
        close_net(&n);
    }
}

static void crossbars_pass_warm_requests_on(void)
{
    finds_its_channel(&crossbar_component);
}

static void networks_pass_warm_requests_on(void)
{
    finds_its_channel(&network_component);
}

/* From when the request leaves until its reply is there somebody has it. */
static void who_holds_a_request_is_not_quiet(void)
{
    loom_time cycle = 1000000;
    struct loom_error err;
    uint32_t busy = 0;
    struct net n;

    open_net(&n, &crossbar_component);
    rig_set(n.net, "slices_per_channel", 1);
    rig_add(&n.list, 2, 256, LOOM_MEM_LOAD, 32);
    rig_freeze(n.machine);
    rig_give(n.client, &n.list);
    for (loom_time at = 0; n.list.got_count == 0; at += cycle) {
        loom_machine_run(n.machine, at, LOOM_NEVER, &err);
        REQUIRE(at < 2000 * cycle);
        busy += !loom_machine_quiet(n.machine);
    }
    EXPECT(busy > 10); /* the DRAM alone takes as long */
    rig_run(n.machine, 0);
    EXPECT(loom_machine_quiet(n.machine));
    close_net(&n);
}

static const struct loom_test tests[] = {
    {"a_warm_request_opens_its_row", a_warm_request_opens_its_row},
    {"what_closes_rows_closes_warm_ones", what_closes_rows_closes_warm_ones},
    {"crossbars_pass_warm_requests_on", crossbars_pass_warm_requests_on},
    {"networks_pass_warm_requests_on", networks_pass_warm_requests_on},
    {"who_holds_a_request_is_not_quiet", who_holds_a_request_is_not_quiet},
};

int main(void)
{
    return loom_run_tests("warm", tests, LOOM_COUNTOF(tests));
}

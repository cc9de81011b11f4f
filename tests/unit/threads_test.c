/*
 * Threads: rings of toy components that pass messages around, run by one and
 * by several threads, do the same things at the same times.
 * links: loom_engine
 */
#include <stdlib.h>

#include "tests/unit/toy_rig.h"

enum {
    NODES = 24
};

/* What all nodes share, if they meet: who comes first is seen in it. */
static uint64_t board;
static enum {
    ALONE,
    TOGETHER, /* but they do not meet */
    MEETING
} manner;

/* ---- a node passes on what it gets, a few cycles later ---- */

struct node_stats {
    uint64_t taken, sum, last;
};
struct node {
    struct loom_channel *in, *out;
    bool started;
};

static bool node_init(struct loom_component *self, struct loom_error *err)
{
    struct node *n = loom_state(self);

    (void)err;
    n->in = loom_port_in(self, "in", 0);
    n->out = loom_port_out(self, "out", 0);
    return true;
}

static void node_meet(struct loom_component *self, loom_cycle now)
{
    struct node_stats *stats = loom_stats_of(self);

    board = board * 31 + loom_component_id(self) + now;
    stats->sum ^= board;
}

static loom_cycle node_tick(struct loom_component *self, loom_cycle now)
{
    struct node *n = loom_state(self);
    struct node_stats *stats = loom_stats_of(self);
    const struct toy_message *m = loom_peek(n->in, now);
    struct toy_message *sent;

    if (!n->started && loom_ready(n->out, now)) {
        sent = loom_send(n->out, now, 0);
        sent->number = loom_component_id(self);
        n->started = true;
        return LOOM_NEVER;
    }
    if (m == NULL || !loom_ready(n->out, now)) {
        return LOOM_NEVER;
    }
    stats->taken++;
    stats->sum = stats->sum * 31 + m->number + now;
    stats->last = now;
    if (manner == MEETING) {
        loom_meet(self, node_meet);
    }
    if (stats->taken < 2000) {
        sent = loom_send(n->out, now, m->number % 3);
        sent->number = m->number * 5 + 1;
    } else if (stats->taken == 2000 && loom_component_id(self) == 0) {
        loom_notify(self);
    }
    loom_pop(n->in, now);
    return LOOM_NEVER;
}

static bool node_command(struct loom_component *self, const void *command,
                         struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_port_decl node_ports[] = {
    {"in", "From the left", LOOM_SERVER, &toy_protocol, 1, 1},
    {"out", "To the right", LOOM_CLIENT, &toy_protocol, 1, 1},
};
static const struct loom_component_ops node_ops = {
    .init = node_init, .tick = node_tick, .command = node_command};
static const struct loom_component_type toy_node = {
    .name = "node",
    .doc = "Passes messages on",
    .state_size = sizeof(struct node),
    .stats_size = sizeof(struct node_stats),
    .ports = LOOM_SLICE(node_ports),
    .ops = &node_ops,
};

struct outcome {
    struct node_stats node[NODES];
    loom_time end;
    enum loom_stop why;
};

static uint64_t shuffle; /* 0: not */
static enum loom_pace pace;

/* Nodes run at two clocks if `mixed`; `slice` 0: one call of run. */
static struct outcome run_ring(uint32_t threads, bool mixed, loom_time slice)
{
    struct loom_machine *m = loom_machine_create(1);
    uint32_t fast = loom_machine_clock(m, 1000000000);
    uint32_t slow = mixed ? loom_machine_clock(m, 924000000) : fast;
    struct loom_component *node[NODES];
    struct loom_wire wire = {5, 5, 12};
    struct toy_errors errors = {0};
    struct outcome out = {.end = 0};
    struct loom_error err;

    board = 0;
    loom_machine_threads(m, threads, pace);
    loom_machine_together(m, manner != ALONE);
    if (shuffle != 0) {
        loom_machine_shuffle(m, shuffle);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        char path[32];

        snprintf(path, sizeof(path), "ring.node[%u]", i);
        node[i] = loom_machine_add(m, &toy_node, path, i % 5 == 4 ? slow : fast,
                                   &err);
        REQUIRE(node[i] != NULL);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        REQUIRE(
            loom_machine_link(m, (struct loom_end){node[i], "out", 0},
                              (struct loom_end){node[(i + 1) % NODES], "in", 0},
                              wire, wire, &err));
    }
    REQUIRE(loom_machine_freeze(m, toy_error, &errors));
    EXPECT(loom_machine_islands(m) >= 8);
    for (uint32_t i = 0; i < NODES; i++) {
        REQUIRE(loom_machine_command(node[i], NULL, &err));
    }
    do {
        loom_time until = slice == 0 ? LOOM_NEVER : loom_machine_now(m) + slice;

        out.why = loom_machine_run(m, until, LOOM_NEVER, &err);
    } while (out.why == LOOM_STOP_TIME);
    out.end = loom_machine_now(m);
    for (uint32_t i = 0; i < NODES; i++) {
        out.node[i] = *(struct node_stats *)loom_stats_of(node[i]);
    }
    loom_machine_destroy(m);
    return out;
}

static void compare(const struct outcome *a, const struct outcome *b)
{
    EXPECT_EQ(a->why, LOOM_STOP_NOTIFY);
    EXPECT_EQ(b->why, a->why);
    EXPECT_EQ(b->end, a->end);
    for (uint32_t i = 0; i < NODES; i++) {
        EXPECT_EQ(b->node[i].taken, a->node[i].taken);
        EXPECT_EQ(b->node[i].sum, a->node[i].sum);
        EXPECT_EQ(b->node[i].last, a->node[i].last);
    }
}

static void any_number_of_threads_gives_the_same(void)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        struct outcome one = run_ring(1, mixed != 0, 0);

        EXPECT(one.node[0].taken >= 2000);
        for (uint32_t threads = 2; threads < 6; threads++) {
            struct outcome many = run_ring(threads, mixed != 0, 0);

            compare(&one, &many);
            pace = LOOM_PACE_CHANGE;
            many = run_ring(threads, mixed != 0, 0);
            compare(&one, &many);
            pace = LOOM_PACE_FIXED;
        }
    }
}

/* Where a run stops does not depend on how it is divided into calls. */
static void slices_do_not_matter(void)
{
    struct outcome whole = run_ring(1, true, 0);

    for (loom_time slice = 1000; slice < 20000000; slice = slice * 7 + 13) {
        struct outcome parts = run_ring(1, true, slice);

        compare(&whole, &parts);
    }
    for (int i = 0; i < 3; i++) {
        struct outcome parts = run_ring(2, true, 3333333);

        compare(&whole, &parts);
    }
}

/* Neither threads nor the order of ticks decide who comes first where parts
 * meet; and a machine in which nobody does is as it is otherwise. */
static void who_meets_does_so_in_order(void)
{
    struct outcome alone = run_ring(1, true, 0), first;

    manner = TOGETHER;
    for (uint32_t threads = 1; threads < 4; threads++) {
        struct outcome together = run_ring(threads, true, 0);

        compare(&alone, &together);
    }
    manner = MEETING;
    first = run_ring(1, true, 0);
    EXPECT(first.node[0].sum != alone.node[0].sum);
    for (uint32_t threads = 1; threads < 6; threads++) {
        for (shuffle = 0; shuffle < 3; shuffle++) {
            struct outcome again = run_ring(threads, true, 0);

            compare(&first, &again);
        }
    }
    shuffle = 0;
    manner = ALONE;
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"any_number_of_threads_gives_the_same",
         any_number_of_threads_gives_the_same},
        {"slices_do_not_matter", slices_do_not_matter},
        {"who_meets_does_so_in_order", who_meets_does_so_in_order},
    };

    return loom_run_tests("threads", tests, LOOM_COUNTOF(tests));
}

/*
 * A component that has leaves of a cache and nothing else, and the other end of
 * its links.  What a test needs is made by its `maker`, and `step` is a tick.
 */
#ifndef TESTS_UNIT_CACHE_LEAVES_RIG_H
#define TESTS_UNIT_CACHE_LEAVES_RIG_H

#include <string.h>

#include "engine/machine.h"

#include "components/cache/down.h"
#include "components/cache/mshr.h"
#include "components/cache/pipe.h"
#include "components/cache/sectors.h"
#include "components/cache/tags.h"
#include "components/cache/up.h"
#include "tests/unit/test.h"

struct leaves {
    struct cache_sectors sectors;
    struct cache_tags tags;
    struct cache_mshrs mshrs;
    struct cache_pipe pipe;
    struct cache_up up;
    struct cache_down down;
};

static void (*make)(struct leaves *leaves, struct loom_component *self);
static void (*step)(struct leaves *leaves, loom_cycle now);

static bool leaves_init(struct loom_component *self, struct loom_error *err)
{
    struct leaves *leaves = loom_state(self);

    (void)err;
    leaves->down.channel = loom_port_out(self, "down", 0);
    make(leaves, self);
    return true;
}

static loom_cycle leaves_tick(struct loom_component *self, loom_cycle now)
{
    if (step != NULL && now < 8) {
        step(loom_state(self), now);
        return now + 1;
    }
    return LOOM_NEVER;
}

static bool leaves_command(struct loom_component *self, const void *command,
                           struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_port_decl leaves_ports[] = {
    {"down", "The way down", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops leaves_ops = {
    .init = leaves_init, .tick = leaves_tick, .command = leaves_command};
static const struct loom_component_type leaves_type = {
    .name = "leaves",
    .doc = "Has the leaves of a cache",
    .state_size = sizeof(struct leaves),
    .ports = LOOM_SLICE(leaves_ports),
    .ops = &leaves_ops,
};

/* Takes a request in every third cycle. */
static bool slow_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle slow_tick(struct loom_component *self, loom_cycle now)
{
    struct loom_channel *in = loom_port_in(self, "up", 0);

    if (now % 3 == 0 && loom_peek(in, now) != NULL) {
        loom_pop(in, now);
    }
    return now < 40 ? now + 1 : LOOM_NEVER;
}

static const struct loom_port_decl slow_ports[] = {
    {"up", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops slow_ops = {
    .init = slow_init, .tick = slow_tick, .command = leaves_command};
static const struct loom_component_type slow_type = {
    .name = "slow",
    .doc = "Takes requests now and then",
    .ports = LOOM_SLICE(slow_ports),
    .ops = &slow_ops,
};

static void no_error(void *context, const char *path,
                     const struct loom_error *err)
{
    (void)context;
    (void)path;
    EXPECT_TEXT(err->text, "no error");
}

struct bench {
    struct loom_machine *machine;
    struct leaves *leaves;
};

static inline struct bench build(void (*maker)(struct leaves *,
                                               struct loom_component *))
{
    const struct loom_wire wire = {1, 1, 2};
    struct bench bench = {.machine = loom_machine_create(1)};
    struct loom_component *a, *b;
    struct loom_error err;
    uint32_t clock = loom_machine_clock(bench.machine, 1000000000);

    make = maker;
    a = loom_machine_add(bench.machine, &leaves_type, "m.a", clock, &err);
    b = loom_machine_add(bench.machine, &slow_type, "m.b", clock, &err);
    REQUIRE(a != NULL && b != NULL);
    REQUIRE(loom_machine_link(bench.machine, (struct loom_end){a, "down", 0},
                              (struct loom_end){b, "up", 0}, wire, wire, &err));
    REQUIRE(loom_machine_freeze(bench.machine, no_error, NULL));
    bench.leaves = loom_state(a);
    REQUIRE(loom_machine_command(a, "go", &err));
    REQUIRE(loom_machine_command(b, "go", &err));
    return bench;
}

static inline void done(struct bench *bench)
{
    loom_machine_destroy(bench->machine);
}

static inline struct loom_mem_request request(loom_addr block, uint32_t sectors)
{
    return (struct loom_mem_request){
        .block = block, .sectors = (uint8_t)sectors, .accesses = 1};
}

#endif

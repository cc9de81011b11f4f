/*
 * A small GPU for tests of the SM, its schedulers and the dispatcher: a
 * load/store unit that only waits, and a recorder that keeps every SM event.
 *
 * All links have latency 1, so a memory instruction issued in cycle t is seen
 * by the load/store unit in t + 1 and its completion in t + 2 + delay.
 */
#ifndef TESTS_UNIT_SM_RIG_H
#define TESTS_UNIT_SM_RIG_H

#include "engine/machine.h"

#include "components/warp_protocol.h"
#include "policies/observe_hook.h"
#include "tests/unit/test.h"

/* ---- a load/store unit that answers after a delay ---- */

struct fake_config {
    uint32_t delay;
};
struct fake_stats {
    uint64_t accesses, flushes, last_rank;
};
struct fake {
    struct loom_channel *in, *out;
};

static bool fake_init(struct loom_component *self, struct loom_error *err)
{
    struct fake *fake = loom_state(self);

    (void)err;
    fake->in = loom_port_in(self, "sm", 0);
    fake->out = loom_port_out(self, "sm", 0);
    return true;
}

static void fake_answer(struct loom_component *self, loom_cycle now)
{
    const struct fake_config *config = loom_config(self);
    struct fake_stats *stats = loom_stats_of(self);
    struct fake *fake = loom_state(self);
    const struct loom_warp_access *access = loom_peek(fake->in, now);
    struct loom_warp_done *done = loom_send(fake->out, now, config->delay);

    *done = (struct loom_warp_done){.kind = LOOM_DONE_FLUSH};
    if (access->command == LOOM_WARP_FLUSH) {
        stats->flushes++;
    } else {
        uint8_t op = access->kernel->inst[access->inst.index].op;

        done->kind = op == LOOM_OP_LOAD    ? LOOM_DONE_LOAD
                     : op == LOOM_OP_STORE ? LOOM_DONE_STORE
                                           : LOOM_DONE_ATOMIC;
        done->warp = access->warp;
        done->inst = access->inst.index;
        done->cta = access->cta;
        done->slot = access->slot;
        stats->accesses++;
        stats->last_rank = access->rank;
    }
    loom_pop(fake->in, now);
}

static loom_cycle fake_tick(struct loom_component *self, loom_cycle now)
{
    struct fake *fake = loom_state(self);

    while (loom_peek(fake->in, now) != NULL && loom_ready(fake->out, now)) {
        fake_answer(self, now);
    }
    return LOOM_NEVER;
}

static const struct loom_param fake_params[] = {
    LOOM_PARAM(struct fake_config, delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .doc = "Cycles until the answer"),
};
static const struct loom_stat fake_stat_table[] = {
    LOOM_COUNTER(struct fake_stats, accesses, LOOM_UNIT_EVENT, "Accesses"),
};
static const struct loom_port_decl fake_ports[] = {
    {"sm", "The SM", LOOM_SERVER, &loom_warp_protocol, 1, 1},
};
static const struct loom_component_ops fake_ops = {.init = fake_init,
                                                   .tick = fake_tick};
static const struct loom_component_type fake_ldst = {
    .name = "fake_ldst",
    .doc = "Answers after a delay",
    .state_size = sizeof(struct fake),
    .config_size = sizeof(struct fake_config),
    .stats_size = sizeof(struct fake_stats),
    .params = LOOM_SLICE(fake_params),
    .stats = LOOM_SLICE(fake_stat_table),
    .ports = LOOM_SLICE(fake_ports),
    .ops = &fake_ops,
};

/* ---- a recorder of SM events ---- */

enum {
    RECORDS = 4096
};
struct recorder {
    struct loom_event event[RECORDS];
    uint32_t count;
};

static void record(struct loom_policy *self, const struct loom_event *event)
{
    struct recorder *recorder = loom_policy_state(self);

    if (recorder->count < RECORDS) {
        recorder->event[recorder->count++] = *event;
    }
}

static const struct loom_observe_ops recorder_ops = {
    .events = LOOM_EVENT(MEM_ISSUE) - 1, /* all of the SM's */
    .observe = record,
};
static const struct loom_facet recorder_facets[] = {
    {&loom_sm_observe_hook, &recorder_ops},
};
static const struct loom_policy_type recorder_policy = {
    .name = "recorder",
    .doc = "Keeps every event of an SM",
    .state_size = sizeof(struct recorder),
    .facets = LOOM_SLICE(recorder_facets),
};

#endif

/*
 * Running: the loop over edges with work, and reading the machine.
 */
#include <string.h>

#include "engine/machine_private.h"

static void run_timers(struct loom_component *self, loom_cycle now)
{
    self->timer = LOOM_NEVER;
    for (uint32_t i = 0; i < self->hosted_count; i++) {
        struct loom_policy *policy = self->hosted[i];

        if (policy->timer <= now) {
            policy->timer = LOOM_NEVER;
            if (policy->type->timer != NULL) {
                policy->type->timer(policy, now);
            }
        }
        if (policy->timer < self->timer) {
            self->timer = policy->timer;
        }
    }
}

static void tick(struct clock *clock, uint32_t position, loom_cycle now)
{
    struct loom_component *self = clock->order[position];
    loom_cycle next;

    if (LOOM_UNLIKELY(self->timer <= now)) {
        run_timers(self, now);
    }
    next = self->ops->tick(self, now);
    LOOM_CHECK(next > now);
    if (next != LOOM_NEVER) {
        loom_clock_wake(clock, position, next);
    }
    if (LOOM_UNLIKELY(clock->far[position] != LOOM_NEVER)) {
        next = clock->far[position];
        clock->far[position] = LOOM_NEVER;
        if (next > now) {
            loom_clock_wake(clock, position, next);
        }
    }
}

/* One edge of one clock: every component that asked for it. */
static uint64_t step(struct clock *clock)
{
    loom_cycle now = clock->next;
    uint32_t slot = (uint32_t)now & WHEEL_MASK;
    uint64_t *bucket = clock->bucket + (size_t)slot * clock->words;
    uint64_t ticks = 0;

    /* next stays at `now` until all have ticked: wakes in between only set
     * bits, and loom_clock_advance() looks for the earliest once. */
    loom_clock_set_base(clock, now);
    clock->summary[slot / 64] &= ~loom_bit(slot % 64);
    for (uint32_t w = 0; w < clock->words; w++) {
        uint64_t bits = bucket[w];

        bucket[w] = 0;
        ticks += loom_popcount(bits);
        for (; bits != 0; bits &= bits - 1) {
            tick(clock, w * 64 + loom_lowest(bits), now);
        }
    }
    loom_clock_advance(clock);
    return ticks;
}

static struct clock *earliest(const struct loom_machine *machine)
{
    struct clock *first = machine->clock[0];

    for (uint32_t i = 1; i < machine->clock_count; i++) {
        if (machine->clock[i]->next_time < first->next_time) {
            first = machine->clock[i];
        }
    }
    return first;
}

/* Nothing has moved for `patience`, and this is not because nothing was
 * simulated. */
static bool stuck(struct loom_machine *machine, loom_time patience)
{
    if (machine->progress != machine->mark) {
        machine->mark = machine->progress;
        machine->since = machine->now;
        return false;
    }
    return machine->now - machine->since >= patience;
}

enum loom_stop loom_machine_run(struct loom_machine *machine, loom_time until,
                                loom_time patience, struct loom_error *err)
{
    LOOM_CHECK(machine->frozen && machine->clock_count != 0);
    machine->notified = false;
    for (;;) {
        struct clock *clock = earliest(machine);

        /* A time step is finished before the run ends. */
        if (clock->next_time > machine->now) {
            if (machine->error.kind != LOOM_ERR_NONE) {
                *err = machine->error;
                return LOOM_STOP_ERROR;
            }
            if (machine->notified) {
                return LOOM_STOP_NOTIFY;
            }
            if (clock->next == LOOM_NEVER) {
                return LOOM_STOP_IDLE;
            }
            if (clock->next_time > until) {
                machine->now = until > machine->now ? until : machine->now;
                return LOOM_STOP_TIME;
            }
            if ((++machine->steps & 0xFFF) == 0 && stuck(machine, patience)) {
                return LOOM_STOP_STUCK;
            }
            machine->now = clock->next_time;
        }
        machine->ticks += step(clock);
    }
}

void loom_machine_settle(struct loom_machine *machine)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (self->ops->settle != NULL) {
            self->ops->settle(self, loom_component_after_now(self));
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (policy->type->settle != NULL) {
            policy->type->settle(policy,
                                 loom_component_after_now(policy->host));
        }
    }
}

static bool check_links(const struct loom_machine *machine,
                        loom_error_sink *sink, void *context)
{
    bool good = true;

    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];
        const struct loom_channel *pair[2] = {link->request, link->reply};

        for (int k = 0; k < 2; k++) {
            struct loom_error err;

            if (pair[k] == NULL || loom_occupancy(pair[k]) == 0) {
                continue;
            }
            loom_fail(&err, LOOM_ERR_CONFIG,
                      "%u messages left in the channel to '%s'",
                      loom_occupancy(pair[k]), pair[k]->receiver->path);
            sink(context, pair[k]->sender->path, &err);
            good = false;
        }
    }
    return good;
}

bool loom_machine_check(struct loom_machine *machine, loom_error_sink *sink,
                        void *context)
{
    bool good = check_links(machine, sink, context);
    struct loom_error err;

    loom_machine_settle(machine);
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (self->ops->check != NULL && !self->ops->check(self, &err)) {
            sink(context, self->path, &err);
            good = false;
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (policy->type->check != NULL && !policy->type->check(policy, &err)) {
            sink(context, policy->path, &err);
            good = false;
        }
    }
    return good;
}

loom_time loom_machine_now(const struct loom_machine *machine)
{
    return machine->now;
}

loom_cycle loom_machine_cycle(const struct loom_machine *machine,
                              uint32_t clock)
{
    LOOM_CHECK(clock < machine->clock_count);
    return loom_clock_after(machine->clock[clock], machine->now) - 1;
}

uint32_t loom_machine_component_count(const struct loom_machine *machine)
{
    return (uint32_t)machine->components.count;
}

struct loom_component *
loom_machine_component(const struct loom_machine *machine, uint32_t id)
{
    LOOM_CHECK(id < machine->components.count);
    return machine->components.item[id];
}

struct loom_component *loom_machine_find(const struct loom_machine *machine,
                                         const char *path)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (strcmp(self->path, path) == 0) {
            return self;
        }
    }
    return NULL;
}

uint32_t loom_machine_policy_count(const struct loom_machine *machine)
{
    return (uint32_t)machine->policies.count;
}

struct loom_policy *loom_machine_policy(const struct loom_machine *machine,
                                        uint32_t number)
{
    LOOM_CHECK(number < machine->policies.count);
    return machine->policies.item[number];
}

uint64_t loom_machine_hertz(const struct loom_machine *machine, uint32_t clock)
{
    LOOM_CHECK(clock < machine->clock_count);
    return machine->clock[clock]->hertz;
}

uint64_t loom_machine_ticks(const struct loom_machine *machine)
{
    return machine->ticks;
}

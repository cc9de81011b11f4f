/*
 * Running: windows, one after the other, and reading the machine.
 */
#include <string.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

#ifdef LOOM_STRETCHES
/* tests/bench/stretches.c: looks what time it is. */
void loom_stretch(void);
#else
#define loom_stretch() ((void)0)
#endif

enum {
    WATCHED = 0xFFF, /* windows between two looks at progress, less one */
    WAITS = 8,       /* wakes that are waited for without progress */
    WHILE = 16       /* each of them has this part of the patience */
};

/* The latest time at which anybody has asked to be woken. */
static loom_time last_wake(const struct loom_machine *machine)
{
    loom_time last = 0;

    for (uint32_t i = 0; i < machine->shards; i++) {
        for (uint32_t c = 0; c < machine->clock_count; c++) {
            const struct clock *clock = &machine->shard[i].clock[c];
            loom_cycle cycle = loom_clock_last(clock);

            if (cycle != LOOM_NEVER && loom_clock_time(clock, cycle) > last) {
                last = loom_clock_time(clock, cycle);
            }
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        const struct loom_policy *policy = machine->policies.item[i];

        if (policy->timer != LOOM_NEVER &&
            loom_clock_time(policy->host->clock, policy->timer) > last) {
            last = loom_clock_time(policy->host->clock, policy->timer);
        }
    }
    return last;
}

static loom_time sum(loom_time a, loom_time b)
{
    return a < LOOM_NEVER - b ? a + b : LOOM_NEVER;
}

/* Nothing has moved for as long as it may take, although something was
 * simulated.  `next` is the next step. */
static bool stuck(struct loom_machine *machine, loom_time next)
{
    uint64_t progress = loom_machine_progress(machine);
    loom_time last;

    if (progress != machine->mark) {
        machine->mark = progress;
        machine->patient_to = sum(next, machine->patience);
        machine->waits = 0;
        return false;
    }
    if (next < machine->patient_to) {
        return false;
    }
    /* Who is woken then has a while to show that it helps. */
    last = last_wake(machine);
    machine->patient_to =
        sum(last > next ? last : next, machine->patience / WHILE);
    return machine->waits++ == WAITS;
}

bool loom_machine_sound(const struct loom_machine *machine,
                        struct loom_error *err)
{
    const struct shard *shard = loom_shard_failed(machine, LOOM_NEVER);

    if (shard != NULL) {
        *err = shard->error;
    }
    return shard == NULL;
}

static bool notified(const struct loom_machine *machine)
{
    bool any = false;

    for (uint32_t i = 0; i < machine->shards; i++) {
        any = any || machine->shard[i].notified;
    }
    return any;
}

static loom_time next_step(const struct loom_machine *machine)
{
    loom_time next = LOOM_NEVER;

    for (uint32_t i = 0; i < machine->shards; i++) {
        if (machine->shard[i].next < next) {
            next = machine->shard[i].next;
        }
    }
    return next;
}

/* Windows lie on a fixed grid and are never cut short: where a run stops does
 * not depend on how it was divided into calls. */
static void open_window(struct loom_machine *machine, loom_time next)
{
    if (LOOM_LIKELY(next - machine->end < machine->lookahead)) {
        machine->end += machine->lookahead; /* without a division */
    } else {
        if (next - machine->end > machine->patience) {
            machine->windows |= WATCHED; /* time flies: look soon */
        }
        machine->end = (next / machine->lookahead + 1) * machine->lookahead;
    }
}

/* The open window, and those after it until there is something to look at in
 * between. */
static void run_alone(struct loom_machine *machine, loom_time until)
{
    struct shard *shard = &machine->shard[0];
    struct clock *clock = loom_shard_earliest(shard);

    for (;;) {
        if (clock->next_time >= machine->ahead_at &&
            clock->next_time != LOOM_NEVER) {
            if (loom_ahead_plan(machine, clock->next_time, until)) {
                loom_ahead_shard(shard);
                loom_ahead_done(machine);
            }
            clock = loom_shard_earliest(shard);
        }
        clock = loom_shard_run_to(shard, clock, machine->end);
        if (clock->next_time > until || shard->notified ||
            loom_shard_raised(shard, clock->next_time) ||
            (machine->windows & machine->watched) == machine->watched) {
            break;
        }
        machine->windows++;
        open_window(machine, clock->next_time);
    }
    shard->next = clock->next_time;
}

/* `until` was reached, or the end of all time. */
static enum loom_stop time_over(const struct loom_machine *machine,
                                loom_time until, struct loom_error *err)
{
    if (until + machine->skipped < LOOM_TIME_END - 1) {
        return LOOM_STOP_TIME;
    }
    loom_fail(err, LOOM_ERR_WORKLOAD,
              "the next thing to happen is beyond the %u s of simulated time "
              "that a run can have",
              (unsigned)(LOOM_TIME_END / UINT64_C(1000000000000000)));
    return LOOM_STOP_ERROR;
}

static enum loom_stop run_windows(struct loom_machine *machine, loom_time until,
                                  struct loom_error *err)
{
    for (;;) {
        loom_time next = next_step(machine);
        const struct shard *shard = loom_shard_failed(machine, next);

        if (shard != NULL) {
            *err = shard->error;
            return LOOM_STOP_ERROR;
        }
        if (notified(machine)) {
            return LOOM_STOP_NOTIFY;
        }
        if (next == LOOM_NEVER) {
            return LOOM_STOP_IDLE;
        }
        if (next > until) {
            return time_over(machine, until, err);
        }
        if ((++machine->windows & machine->watched) == 0) {
            loom_pace_look(machine);
        }
        if ((machine->windows & WATCHED) == 0) {
            loom_stretch();
            if (loom_interrupted(machine->interrupt)) {
                return LOOM_STOP_ASKED;
            }
            if (stuck(machine, next)) {
                return LOOM_STOP_STUCK;
            }
        }
        open_window(machine, next);
        if (machine->foresight != NULL) {
            loom_foresight_window(machine, until);
        } else if (machine->together) {
            loom_together_window(machine);
        } else if (machine->shards == 1) {
            run_alone(machine, until);
        } else {
            bool ahead = next >= machine->ahead_at &&
                         loom_ahead_plan(machine, next, until);

            loom_threads_window(machine, ahead);
            if (ahead) {
                loom_ahead_done(machine);
            }
        }
    }
}

enum loom_stop loom_machine_run(struct loom_machine *machine, loom_time until,
                                loom_time patience, struct loom_error *err)
{
    enum loom_stop why;

    LOOM_CHECK(machine->frozen && machine->clock_count != 0);
    until = until < LOOM_TIME_END ? until : LOOM_TIME_END - 1;
    until -= machine->skipped < until ? machine->skipped : until;
    machine->patience =
        patience > machine->silence ? patience : machine->silence;
    for (uint32_t i = 0; i < machine->shards; i++) {
        machine->shard[i].notified = false;
        loom_shard_plan(&machine->shard[i]);
    }
    loom_pace_begin(machine);
    loom_foresight_begin(machine);
    why = run_windows(machine, until, err);
    loom_foresight_end(machine);
    loom_pace_end(machine);
    for (uint32_t i = 0; i < machine->shards; i++) {
        if (machine->shard[i].now > machine->now) {
            machine->now = machine->shard[i].now;
        }
    }
    if (machine->ahead_last > machine->now) {
        machine->now = machine->ahead_last; /* nothing came after it */
    }
    if (why == LOOM_STOP_TIME && until > machine->now) {
        machine->now = until;
    }
    for (uint32_t i = 0; i < machine->shards; i++) {
        machine->shard[i].now = machine->now;
    }
    return why;
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
            loom_fail(&err, LOOM_ERR_LAW,
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

void loom_machine_skip(struct loom_machine *machine, loom_time time)
{
    machine->skipped += time;
}

loom_time loom_machine_now(const struct loom_machine *machine)
{
    return machine->now + machine->skipped;
}

loom_cycle loom_machine_cycle(const struct loom_machine *machine,
                              uint32_t clock)
{
    LOOM_CHECK(clock < machine->clock_count);
    return loom_clock_after(machine->clock[clock], loom_machine_now(machine)) -
           1;
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
    uint64_t hash = loom_hash_of(path);

    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (self->hash == hash && strcmp(self->path, path) == 0) {
            return self;
        }
    }
    return NULL;
}

uint32_t loom_machine_policy_count(const struct loom_machine *machine)
{
    return (uint32_t)(machine->policies.count - machine->apart);
}

struct loom_policy *loom_machine_policy(const struct loom_machine *machine,
                                        uint32_t number)
{
    LOOM_CHECK(number < machine->policies.count - machine->apart);
    return machine->policies.item[number];
}

uint64_t loom_machine_hertz(const struct loom_machine *machine, uint32_t clock)
{
    LOOM_CHECK(clock < machine->clock_count);
    return machine->clock[clock]->hertz;
}

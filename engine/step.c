/*
 * Steps: the edges of a shard's clocks in their order, and at each of them the
 * components that asked for it.
 */
#include "engine/ahead_private.h"

void loom_run_timers(struct loom_component *self, loom_cycle now)
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

/* Beyond the horizon of the wheel. */
static LOOM_NOINLINE void wake_beyond(struct clock *clock, uint32_t position,
                                      loom_cycle now, loom_cycle next)
{
    LOOM_CHECK(next > now);
    loom_clock_wake(clock, position, next);
}

/* The components whose bits of two words are set.  Apart, so that all it needs
 * between two ticks is in registers. */
static LOOM_NOINLINE void tick_words(struct clock *clock, uint32_t word,
                                     uint64_t low, uint64_t high,
                                     loom_cycle now)
{
    uint64_t *row = clock->bucket + word;
    struct loom_component *const *order = clock->order + word * 64;
    bool second = low == 0;
    uint64_t bits = loom_choose(second, high, low);
    uint32_t number = second * 64 + loom_lowest(bits);

    do {
        struct loom_component *self = order[number];
        uint32_t mine = number;
        uint64_t *my_row = row + second, bit = bits & (0 - bits);
        loom_cycle next;

        low &= low - 1; /* 0 stays 0 */
        high &= high - second;
        second = low == 0;
        bits = loom_choose(second, high, low);
        number = second * 64 + loom_lowest(loom_choose(bits != 0, bits, bit));
        loom_component_fetch(order[loom_choose(bits != 0, number, mine)]);
        if (LOOM_UNLIKELY(self->timer <= now)) {
            loom_run_timers(self, now);
        }
        next = self->tick(self, now);
        if (LOOM_LIKELY(next - now - 1 < WHEEL_SLOTS - 1)) {
            loom_clock_set(clock, my_row, bit, next);
        } else if (next != LOOM_NEVER) {
            wake_beyond(clock, word * 64 + mine, now, next);
        }
    } while (bits != 0);
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
    loom_clock_begin(clock);
    loom_clock_horizon(clock);
    clock->summary[slot / 64] &= ~loom_bit(slot % 64);
    for (uint32_t w = 0; w < clock->words; w += 2) {
        uint64_t low = bucket[w], high = 0;

        bucket[w] = 0;
        if (w + 1 < clock->words) {
            high = bucket[w + 1];
            bucket[w + 1] = 0;
        }
        ticks += loom_popcount(low) + loom_popcount(high);
        if ((low | high) != 0) {
            tick_words(clock, w, low, high, now);
        }
    }
    loom_clock_advance(clock);
    return ticks;
}

const struct shard *loom_shard_failed(const struct loom_machine *machine,
                                      loom_time next)
{
    const struct shard *first = NULL;

    for (uint32_t i = 0; i < machine->shards; i++) {
        const struct shard *shard = &machine->shard[i];

        if (loom_shard_raised(shard, next) &&
            (first == NULL || shard->error_time < first->error_time ||
             (shard->error_time == first->error_time &&
              shard->error_id < first->error_id))) {
            first = shard;
        }
    }
    return first;
}

struct clock *loom_shard_earliest(const struct shard *shard)
{
    struct clock *first = &shard->clock[0];

    for (uint32_t i = 1; i < shard->machine->clock_count; i++) {
        if (shard->clock[i].next_time < first->next_time) {
            first = &shard->clock[i];
        }
    }
    return first;
}

void loom_shard_plan(struct shard *shard)
{
    shard->next = loom_shard_earliest(shard)->next_time;
}

struct clock *loom_shard_run_to(struct shard *shard, struct clock *clock,
                                loom_time end)
{
    while (clock->next_time < end) {
        shard->now = clock->next_time;
        shard->ticks += step(clock);
        clock = loom_shard_earliest(shard);
    }
    return clock;
}

void loom_shard_run(struct shard *shard)
{
    loom_shard_run_to(shard, loom_shard_earliest(shard), shard->machine->end);
}

/* ---- what was done ---- */

uint64_t loom_machine_progress(const struct loom_machine *machine)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < machine->shards; i++) {
        sum += machine->shard[i].progress;
        for (uint32_t c = 0; c < machine->clock_count; c++) {
            sum += machine->shard[i].clock[c].pops;
        }
    }
    return sum;
}

uint64_t loom_machine_ticks(const struct loom_machine *machine)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < machine->shards; i++) {
        sum += machine->shard[i].ticks;
    }
    return sum;
}

/* ---- together ---- */

/* Those that wanted to meet at this edge, in the order of their ids. */
static void meet(struct loom_machine *machine)
{
    struct loom_component **list = machine->meeting;

    for (size_t i = 1; i < machine->meetings; i++) {
        struct loom_component *one = list[i];
        size_t k = i;

        for (; k > 0 && list[k - 1]->id > one->id; k--) {
            list[k] = list[k - 1];
        }
        list[k] = one;
    }
    for (size_t i = 0; i < machine->meetings; i++) {
        loom_meeting *what = list[i]->meeting;

        list[i]->meeting = NULL;
        what(list[i], list[i]->clock->base);
    }
    machine->meetings = 0;
}

void loom_together_window(struct loom_machine *machine)
{
    struct shard *shard = &machine->shard[0];
    struct clock *clock = loom_shard_earliest(shard);

    while (clock->next_time < machine->end) {
        shard->now = clock->next_time;
        shard->ticks += step(clock);
        meet(machine);
        clock = loom_shard_earliest(shard);
    }
    loom_shard_plan(shard);
}

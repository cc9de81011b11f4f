/*
 * Clocks: exact edges and the wheel of coming wake-ups.
 *
 * Edge n of a clock of f hertz is at floor(n * 10^15 / f) femtoseconds.  The
 * fraction is carried as an integer remainder, so a clock never drifts,
 * however long it runs.
 */
#include "engine/clock_private.h"

static const uint64_t FEMTO = UINT64_C(1000000000000000);

bool loom_clock_start(struct clock *clock, struct loom_arena *arena)
{
    clock->quotient = FEMTO / clock->hertz;
    clock->remainder = FEMTO % clock->hertz;
    clock->words = (clock->count + 63) / 64;
    clock->next = LOOM_NEVER;
    clock->next_time = LOOM_NEVER;
    clock->met_time = LOOM_NEVER;
    clock->bucket = loom_arena_take(arena, (size_t)WHEEL_SLOTS * clock->words,
                                    sizeof(*clock->bucket));
    clock->far = loom_arena_take(arena, clock->count, sizeof(*clock->far));
    clock->far_set =
        loom_arena_take(arena, clock->words, sizeof(*clock->far_set));
    clock->far_next = LOOM_NEVER;
    if (clock->bucket == NULL || clock->far == NULL || clock->far_set == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < clock->count; i++) {
        clock->far[i] = LOOM_NEVER;
    }
    return true;
}

loom_time loom_clock_time(const struct clock *clock, loom_cycle cycle)
{
    loom_u128 time = (loom_u128)cycle * FEMTO / clock->hertz;

    return time < LOOM_TIME_END ? (loom_time)time : LOOM_TIME_END;
}

/* Found from the clock's base, a step at a time, as a division of 128 bits
 * takes longer. */
static loom_cycle step_to(const struct clock *clock, loom_time time)
{
    enum {
        NEAR = 8
    };
    loom_cycle cycle = clock->base;
    loom_time at = clock->base_time;
    uint64_t rest = clock->base_rest;

    if (time < at) {
        return loom_clock_after(clock, time);
    }
    for (uint32_t i = 0; i < NEAR; i++) {
        cycle++;
        at += clock->quotient;
        rest += clock->remainder;
        if (rest >= clock->hertz) {
            rest -= clock->hertz;
            at++;
        }
        if (at > time) {
            return cycle;
        }
    }
    return loom_clock_after(clock, time);
}

/* The clock was idle for some of its edges. */
static LOOM_NOINLINE loom_cycle meet_idle(struct clock *clock, loom_time time)
{
    clock->met_cycle = step_to(clock, time);
    loom_clock_catch_up(clock, clock->met_cycle);
    return clock->met_cycle;
}

loom_cycle loom_clock_meet(struct clock *clock, loom_time time)
{
    bool carry = clock->base_rest + clock->remainder >= clock->hertz;
    loom_time at = clock->base_time + clock->quotient + carry;

    clock->met_time = time;
    if (LOOM_UNLIKELY(at <= time || clock->base_time > time)) {
        return meet_idle(clock, time);
    }
    clock->met_cycle = clock->base + 1;
    return clock->met_cycle;
}

loom_cycle loom_clock_after(const struct clock *clock, loom_time time)
{
    /* The smallest n with floor(n * 10^15 / f) > time, which is the same as
     * n * 10^15 >= (time + 1) * f. */
    loom_u128 product = (loom_u128)(time + 1) * clock->hertz;

    return (loom_cycle)((product + FEMTO - 1) / FEMTO);
}

void loom_clock_set_base(struct clock *clock, loom_cycle cycle)
{
    uint64_t steps = cycle - clock->base;

    if (LOOM_LIKELY(steps == 1)) { /* without a division */
        clock->base_time += clock->quotient;
        clock->base_rest += clock->remainder;
        if (clock->base_rest >= clock->hertz) {
            clock->base_rest -= clock->hertz;
            clock->base_time++;
        }
    } else if (steps < (UINT64_C(1) << 20)) {
        uint64_t rest = clock->base_rest + steps * clock->remainder;

        clock->base_time += steps * clock->quotient + rest / clock->hertz;
        clock->base_rest = rest % clock->hertz;
    } else {
        loom_u128 product = (loom_u128)cycle * FEMTO;

        clock->base_time = (loom_time)(product / clock->hertz);
        clock->base_rest = (uint64_t)(product % clock->hertz);
    }
    clock->base = cycle;
}

void loom_clock_catch_up(struct clock *clock, loom_cycle cycle)
{
    loom_cycle target = cycle - 1;

    /* An edge at this very moment may still be waiting for its turn. */
    if (clock->next <= target) {
        target = clock->next - 1;
    }
    if (target > clock->base) {
        loom_clock_set_base(clock, target);
    }
}

void loom_clock_set_next(struct clock *clock, loom_cycle cycle)
{
    uint64_t steps = cycle - clock->base;
    loom_time time = clock->base_time + clock->quotient;
    uint64_t rest = clock->base_rest + clock->remainder;

    if (LOOM_LIKELY(steps == 1)) { /* without a division */
        uint64_t less = rest - clock->hertz;
        bool carry = rest >= clock->hertz;

        clock->next_rest = carry ? less : rest;
        clock->next_time = time + carry;
    } else if (LOOM_UNLIKELY(steps >= WHEEL_SLOTS)) {
        clock->next_rest = (uint64_t)((loom_u128)cycle * FEMTO % clock->hertz);
        clock->next_time = loom_clock_time(clock, cycle);
    } else {
        rest = clock->base_rest + steps * clock->remainder;
        clock->next_rest = rest % clock->hertz;
        clock->next_time =
            clock->base_time + steps * clock->quotient + rest / clock->hertz;
    }
    clock->next = cycle;
}

void loom_clock_wake_far(struct clock *clock, uint32_t position,
                         loom_cycle cycle)
{
    if (cycle == LOOM_NEVER) {
        return;
    }
    if (cycle < clock->far[position]) {
        clock->far[position] = cycle;
        clock->far_set[position / 64] |= loom_bit(position % 64);
    }
    if (cycle < clock->far_next) {
        clock->far_next = cycle;
    }
    if (cycle < clock->next) {
        loom_clock_set_next(clock, cycle);
    }
}

loom_cycle loom_clock_last(const struct clock *clock)
{
    loom_cycle last = LOOM_NEVER;

    for (uint32_t i = 0; i < clock->count; i++) {
        if (clock->far[i] != LOOM_NEVER &&
            (last == LOOM_NEVER || clock->far[i] > last)) {
            last = clock->far[i];
        }
    }
    for (uint32_t i = WHEEL_MASK; last == LOOM_NEVER && i > 0; i--) {
        uint32_t slot = (uint32_t)(clock->base + i) & WHEEL_MASK;

        if ((clock->summary[slot / 64] >> slot % 64 & 1) != 0) {
            last = clock->base + i;
        }
    }
    return last;
}

/* Beyond the first word. */
static LOOM_NOINLINE void advance_far(struct clock *clock)
{
    loom_cycle first = clock->base + 1;
    uint32_t start = (uint32_t)first & WHEEL_MASK;
    uint32_t word = start / 64;

    for (uint32_t i = 0; i < SUMMARY_WORDS; i++) {
        word = (word + 1) % SUMMARY_WORDS;
        if (clock->summary[word] != 0) {
            uint32_t slot = word * 64 + loom_lowest(clock->summary[word]);

            loom_clock_set_next(clock, first + ((slot - start) & WHEEL_MASK));
            return;
        }
    }
    if (clock->far_next != LOOM_NEVER) {
        loom_clock_set_next(clock, clock->far_next);
        return;
    }
    clock->next = LOOM_NEVER;
    clock->next_time = LOOM_NEVER;
}

void loom_clock_advance(struct clock *clock)
{
    loom_cycle first = clock->base + 1;
    uint32_t start = (uint32_t)first & WHEEL_MASK;
    uint64_t bits = clock->summary[start / 64] >> start % 64;

    if (LOOM_UNLIKELY(bits == 0)) {
        advance_far(clock);
        return;
    }
    loom_clock_set_next(clock, first + loom_lowest(bits));
}

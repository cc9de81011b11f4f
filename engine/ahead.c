/*
 * Running ahead.
 *
 * An L2 slice of a GPU sees a request a hundred cycles after the network has
 * sent it, and DRAM sees it a hundred cycles after the L2.  So what the next
 * hundred cycles bring to a DRAM channel is known now; when it has run through
 * them, the same is true of the slices that it answers, and after those the
 * rest of the machine runs, cycle by cycle.  Each of them finds its own state,
 * code and branches in the host's caches for a hundred cycles instead of one.
 * All that happens is what would happen in the order of time, to the bit:
 *
 *   - what reaches a component that runs ahead without such a delay comes from
 *     one that has run ahead before it;
 *   - messages carry the cycle in which they are seen, places the cycle in
 *     which they are free, so it does not matter who simulates first;
 *   - a place that is taken may become free in a cycle that was not simulated
 *     yet, so who runs ahead stops, and goes on with the others, before it
 *     could ask for one;
 *   - the driver may look at the machine between two windows if a component
 *     has called loom_notify().  Nobody runs beyond the next cycle in which
 *     one may: kernels do not end while a load is on its way to the L2.
 *
 * Components say that they may run ahead, and when they notify, by the ops of
 * engine/component.h.  On several threads each shard's run through the same
 * stretch at the same time: what is said between two of them takes longer.
 */
#include "engine/ahead_private.h"

enum {
    FEW = 128,   /* ticks of a stretch that was not worth it */
    PAUSE = 1000 /* cycles from such a one to the next try */
};

/* ---- how far ---- */

/* The newest request that launch `launch` waits for is seen then; 0: none is
 * on its way. */
static loom_time awaited_by(const struct ahead_share *share, uint32_t launch)
{
    loom_time newest = 0;

    for (uint32_t i = 0; share != NULL && i < share->parts; i++) {
        struct loom_component *self = share->part[i].self;
        const struct loom_ahead_ops *ops = self->ops->ahead;
        loom_cycle at = ops->awaited != NULL ? ops->awaited(self, launch) : 0;

        if (at != 0) {
            loom_time time = loom_clock_time(self->clock, at);

            newest = time > newest ? time : newest;
        }
    }
    return newest;
}

static loom_time awaited(const struct loom_machine *machine, uint32_t launch)
{
    loom_time newest = 0;

    for (uint32_t i = 0; i < machine->shards; i++) {
        loom_time time = awaited_by(machine->shard[i].ahead, launch);

        newest = time > newest ? time : newest;
    }
    return newest;
}

/* Nobody calls loom_notify() before this time. */
static loom_time quiet_until(const struct loom_machine *machine)
{
    const struct ahead *ahead = machine->ahead;
    loom_time until = LOOM_NEVER;

    for (uint32_t i = 0; i < ahead->notifiers; i++) {
        struct loom_component *self = ahead->notifier[i];
        uint32_t launch = LOOM_NO_LAUNCH;
        loom_time at = LOOM_NEVER;

        if (!self->ops->ahead->calm(self, &launch)) {
            return 0;
        }
        if (launch != LOOM_NO_LAUNCH) {
            at = awaited(machine, launch);
        }
        until = at < until ? at : until;
    }
    return until;
}

/* Edges of a clock from `begin` to the first one at `end` or later. */
static void list_edges(struct ahead_edges *edges, struct clock *clock,
                       loom_time begin, loom_time end)
{
    loom_time time;
    uint64_t rest;
    uint32_t count = 0;

    loom_clock_catch_up(clock, loom_clock_after(clock, begin - 1));
    loom_clock_horizon(clock);
    time = clock->base_time;
    rest = clock->base_rest;
    do {
        time += clock->quotient;
        rest += clock->remainder;
        if (rest >= clock->hertz) {
            rest -= clock->hertz;
            time++;
        }
        LOOM_CHECK(count < AHEAD_SPAN);
        edges->at[count++] = time;
    } while (time < end);
    edges->from = clock->base + 1;
    edges->to = edges->from + count - 1;
}

static void lay_edges(struct ahead_share *ahead, struct shard *shard,
                      loom_time begin, loom_time end)
{
    uint32_t clocks = shard->machine->clock_count;

    for (uint32_t i = 0; i < clocks; i++) {
        list_edges(&ahead->edges[i], &shard->clock[i], begin, end);
    }
    for (uint32_t i = 0; i < clocks; i++) {
        struct ahead_edges *mine = &ahead->edges[i];
        uint32_t count = (uint32_t)(mine->to - mine->from);

        for (uint32_t k = 0; k < clocks; k++) {
            const struct ahead_edges *other = &ahead->edges[k];
            uint32_t next = 0;

            for (uint32_t n = 0; k != i && n < count; n++) {
                while (other->at[next] <= mine->at[n]) {
                    next++;
                }
                mine->next[k][n] = other->from + next;
            }
        }
    }
}

/* ---- running ---- */

/* Are all places known to be free from some cycle on that its next tick may ask
 * for?  If the last of them is, those before it are. */
static LOOM_INLINE bool may_tick(const struct ahead_part *part)
{
    uint64_t taken = 0;

    for (uint32_t i = 0; i < part->outs; i++) {
        const struct ahead_out *out = &part->out[i];
        const struct place *last = out->channel->tail + part->beyond;

        last -= last < out->end ? 0 : out->channel->capacity;
        taken |= last->at;
    }
    return taken < LOOM_TAKEN;
}

/* It waits for a place: who takes a message wakes it, in a cycle that is not
 * known before that one has run. */
static bool may_be_woken(const struct ahead_part *part)
{
    for (uint32_t i = 0; i < part->outs; i++) {
        if (part->out[i].channel->starved) {
            return true;
        }
    }
    return false;
}

/* Time is that of an edge of the part's clock, also for what crosses. */
static LOOM_INLINE void meet(const struct ahead_part *part, struct shard *shard,
                             const struct ahead_edges *edges, uint32_t edge)
{
    shard->now = edges->at[edge];
    for (uint32_t i = 0; i < part->crossings; i++) {
        part->crossing[i].clock->met_time = edges->at[edge];
        part->crossing[i].clock->met_cycle = part->crossing[i].next[edge];
    }
}

static LOOM_INLINE void tick(struct loom_component *self, uint64_t *row,
                             uint64_t bit, loom_cycle now)
{
    struct clock *clock = self->clock;
    loom_cycle next;

    if (LOOM_UNLIKELY(self->timer <= now)) {
        loom_run_timers(self, now);
    }
    next = self->tick(self, now);
    if (LOOM_LIKELY(next - now - 1 < WHEEL_SLOTS - AHEAD_SPAN)) {
        loom_clock_set(clock, row, bit, next);
    } else if (next != LOOM_NEVER) {
        LOOM_CHECK(next > now);
        loom_clock_wake(clock, self->position, next);
    }
}

/* Runs a part through the edges before `end` that its clock lists, as far as
 * those are that run before it; returns the number of ticks. */
static uint32_t run_part(const struct ahead_share *ahead,
                         struct ahead_part *part, struct shard *shard,
                         loom_time end)
{
    struct loom_component *self = part->self;
    struct clock *clock = self->clock;
    const struct ahead_edges *edges = &ahead->edges[self->clock_number];
    uint64_t *row = clock->bucket + self->position / 64;
    uint64_t bit = loom_bit(self->position % 64);
    uint32_t count = (uint32_t)(edges->to - edges->from);
    const size_t words = clock->words;
    uint32_t slot = (uint32_t)edges->from - 1, ticks = 0;

    for (uint32_t i = 0; i < part->befores; i++) {
        loom_time limit = ahead->part[part->before[i]].reached;

        end = limit < end ? limit : end;
    }
    end = part->cramped || may_be_woken(part) ? edges->at[0] : end;
    part->reached = end;
    while (count != 0 && edges->at[count - 1] >= end) {
        count--;
    }
    for (uint32_t n = 0; n < count; n++) {
        uint64_t *word;

        slot = (slot + 1) & WHEEL_MASK;
        word = row + slot * words;
        if (LOOM_LIKELY((*word & bit) == 0)) {
            continue;
        }
        if (LOOM_UNLIKELY(!may_tick(part))) {
            part->reached = edges->at[n];
            break;
        }
        *word &= ~bit;
        /* Nobody else may have work then. */
        clock->summary[slot / 64] &=
            ~((uint64_t)((words == 1) & (*word == 0)) << slot % 64);
        meet(part, shard, edges, n);
        tick(self, row, bit, edges->from + n);
        ticks++;
    }
    return ticks;
}

/* Credits of those that are left behind are not known until they have run. */
static void doubt(const struct ahead_part *part, bool unsure)
{
    for (uint32_t i = 0; i < part->outs; i++) {
        part->out[i].channel->unsure = unsure;
    }
}

bool loom_ahead_plan(struct loom_machine *machine, loom_time begin,
                     loom_time until)
{
    struct ahead *ahead = machine->ahead;
    loom_time quiet = ahead != NULL ? quiet_until(machine) : 0;
    loom_time end = ahead != NULL ? begin + ahead->length : 0;
    /* The window in which the run stops belongs to all. */
    loom_time last = until / machine->lookahead * machine->lookahead;

    if (ahead == NULL) {
        return false;
    }
    end = quiet < end ? quiet : end;
    end = last < end ? last : end;
    machine->ahead_at = begin + AHEAD_SHORT * ahead->period;
    if (end < machine->ahead_at) {
        return false;
    }
    for (uint32_t i = 0; i < machine->shards; i++) {
        if (machine->shard[i].error.kind != LOOM_ERR_NONE) {
            return false;
        }
    }
    machine->ahead_end = end;
    ahead->begin = begin;
    return true;
}

void loom_ahead_open(struct shard *shard)
{
    const struct loom_machine *machine = shard->machine;
    struct ahead_share *ahead = shard->ahead;

    ahead->ticks = 0;
    ahead->last = 0;
    lay_edges(ahead, shard, machine->ahead->begin, machine->ahead_end);
}

static LOOM_INLINE void run(struct shard *shard, struct ahead_part *part)
{
    struct ahead_share *ahead = shard->ahead;
    loom_time now = shard->now;

    doubt(part, true);
    ahead->ticks += run_part(ahead, part, shard, shard->machine->ahead_end);
    doubt(part, false);
    ahead->last = shard->now > ahead->last ? shard->now : ahead->last;
    shard->now = now;
}

void loom_ahead_part(struct shard *shard, uint32_t number)
{
    run(shard, &shard->ahead->part[number]);
}

void loom_ahead_close(struct shard *shard)
{
    for (uint32_t i = 0; i < shard->machine->clock_count; i++) {
        loom_clock_advance(&shard->clock[i]);
    }
    shard->ticks += shard->ahead->ticks;
}

void loom_ahead_shard(struct shard *shard)
{
    struct ahead_share *ahead = shard->ahead;

    if (ahead == NULL) {
        return;
    }
    loom_ahead_open(shard);
    for (uint32_t i = 0; i < ahead->parts; i++) {
        run(shard, &ahead->part[i]);
    }
    loom_ahead_close(shard);
}

void loom_ahead_done(struct loom_machine *machine)
{
    loom_time end = machine->ahead_end;
    uint32_t ticks = 0;

    for (uint32_t i = 0; i < machine->shards; i++) {
        const struct ahead_share *share = machine->shard[i].ahead;

        if (share != NULL) {
            ticks += share->ticks;
            machine->ahead_last = share->last > machine->ahead_last
                                      ? share->last
                                      : machine->ahead_last;
        }
    }
    machine->ahead_ticks += ticks;
    machine->ahead_at =
        ticks < FEW ? end + PAUSE * machine->ahead->period : end;
}

uint64_t loom_machine_ticks_ahead(const struct loom_machine *machine)
{
    return machine->ahead_ticks;
}

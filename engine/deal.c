/*
 * Dealing: which thread runs which component, and changing that between two
 * windows.
 *
 * As it is at first one shard has all.  To deal is to give components to
 * other shards, to move what they have asked for from the wheels of the old
 * ones to those of the new ones, and to divide or join the places of channels
 * whose two ends part or meet.  Nothing of the model is touched, so a run may
 * be dealt again whenever that seems to be faster (engine/pace.c).
 */
#include <stdlib.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

/* What layouts of several shards need.  Not in the machine's arena, which an
 * image saves: that of a machine says nothing of threads. */
struct deal {
    struct loom_arena arena;
    struct layout apart;
};

static struct loom_component *component(const struct loom_machine *machine,
                                        size_t i)
{
    return machine->components.item[i];
}

/* ---- who goes where ---- */

/* A path without its numbers: components of one kind have the same. */
static uint64_t kind_of(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *path != 0; path++) {
        if (*path < '0' || *path > '9') {
            hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

/* Islands whose first component has the same place in the machine. */
struct kin {
    uint64_t kind;
    uint32_t count, dealt;
};

static struct kin *kin_of(struct kin *kin, size_t places, uint64_t kind)
{
    size_t i = (size_t)(kind % places);

    while (kin[i].count != 0 && kin[i].kind != kind) {
        i = i + 1 == places ? 0 : i + 1;
    }
    kin[i].kind = kind;
    return &kin[i];
}

/* Whose part number `number` of `count` is.  The first shard has what there is
 * one of. */
static uint32_t whose(uint32_t number, uint32_t count, uint32_t shards,
                      const double *share)
{
    double sum = 0, mine = (number + (count == 1 ? 0.0 : 0.5)) / count;
    uint32_t shard = 0;

    while (shard + 1 < shards && (sum += share[shard]) <= mine) {
        shard++;
    }
    return shard;
}

/* Of each kind every shard gets its share, in the order of ids, so that an SM
 * and its caches meet again, as a channel of DRAM and its slices do. */
bool loom_deal_choose(const struct loom_machine *machine, uint32_t shards,
                      const double *share, uint32_t *shard)
{
    size_t count = machine->components.count, places = 2 * count + 1;
    struct kin *kin = calloc(places, sizeof(*kin));

    for (size_t i = 0; kin != NULL && i < count; i++) {
        struct loom_component *self = component(machine, i);

        if (loom_island_first(self) == self) {
            kin_of(kin, places, kind_of(self->path))->count++;
        }
    }
    for (size_t i = 0; kin != NULL && i < count; i++) {
        struct loom_component *self = component(machine, i);
        const struct loom_component *first = loom_island_first(self);

        if (first == self) {
            struct kin *mine = kin_of(kin, places, kind_of(self->path));

            shard[i] = whose(mine->dealt++, mine->count, shards, share);
        } else {
            shard[i] = shard[first->id];
        }
    }
    free(kin);
    return kin != NULL;
}

static bool choose(struct loom_machine *machine, const double *share)
{
    size_t count = machine->components.count;
    const struct layout *apart = &machine->deal->apart;
    uint32_t *shard = calloc(count + 1, sizeof(*shard));
    bool good =
        shard != NULL && loom_deal_choose(machine, apart->shards, share, shard);

    for (size_t i = 0; good && i < count; i++) {
        component(machine, i)->shard = &apart->shard[shard[i]];
    }
    free(shard);
    return good;
}

/* In the order in which the one shard has them. */
static void seat(struct loom_machine *machine)
{
    for (uint32_t c = 0; c < machine->clock_count; c++) {
        const struct clock *clock = &machine->alone.shard->clock[c];

        for (uint32_t i = 0; i < clock->count; i++) {
            struct loom_component *self = clock->order[i];

            self->clock = &self->shard->clock[c];
            self->position = self->clock->count++;
        }
    }
}

/* ---- from layout to layout ---- */

/* What is counted per shard stays what it is in sum. */
struct sums {
    uint64_t progress, ticks;
    loom_time now;
    /* Of a component that ran ahead; the others have not come as far. */
    struct loom_error error;
    loom_time error_time;
    uint32_t error_id;
};

static struct sums sums_of(const struct loom_machine *machine)
{
    const struct shard *failed = loom_shard_failed(machine, LOOM_NEVER);
    struct sums sums = {.progress = loom_machine_progress(machine),
                        .ticks = loom_machine_ticks(machine)};

    if (failed != NULL) {
        sums.error = failed->error;
        sums.error_time = failed->error_time;
        sums.error_id = failed->error_id;
    }
    for (uint32_t i = 0; i < machine->shards; i++) {
        loom_time now = machine->shard[i].now;

        sums.now = now > sums.now ? now : sums.now;
    }
    return sums;
}

static void enter(struct loom_machine *machine, const struct layout *layout,
                  const struct sums *sums)
{
    machine->shard = layout->shard;
    machine->shards = layout->shards;
    machine->ahead = layout->ahead;
    for (uint32_t i = 0; i < layout->shards; i++) {
        struct shard *shard = &layout->shard[i];

        shard->now = sums->now;
        shard->progress = i == 0 ? sums->progress : 0;
        shard->ticks = i == 0 ? sums->ticks : 0;
        shard->notified = false;
        shard->error.kind = LOOM_ERR_NONE;
        if (i == 0) {
            shard->error = sums->error;
            shard->error_time = sums->error_time;
            shard->error_id = sums->error_id;
        }
        for (uint32_t c = 0; c < machine->clock_count; c++) {
            struct clock *clock = &shard->clock[c];

            clock->pops = 0;
            clock->met_time = LOOM_NEVER;
            if (machine->end != 0) {
                loom_cycle first = loom_clock_after(clock, machine->end - 1);

                loom_clock_catch_up(clock, first);
            }
        }
    }
}

/* Wakes beyond the horizon stay there: who is brought over it is asked what
 * else it waits for. */
static void move_far(struct clock *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->far[i] != LOOM_NEVER) {
            struct loom_component *self = from->order[i];

            loom_clock_wake_far(self->clock, self->position, from->far[i]);
            from->far[i] = LOOM_NEVER;
        }
    }
    for (uint32_t w = 0; w < from->words; w++) {
        from->far_set[w] = 0;
    }
    from->far_next = LOOM_NEVER;
}

/* What components of a clock have asked for goes to the clocks that they have
 * now. */
static void move_wakes(struct clock *from)
{
    for (uint32_t i = 1; i < WHEEL_SLOTS; i++) {
        loom_cycle cycle = from->base + i;
        uint32_t slot = (uint32_t)cycle & WHEEL_MASK;
        uint64_t *bucket = from->bucket + (size_t)slot * from->words;

        if ((from->summary[slot / 64] >> slot % 64 & 1) == 0) {
            continue;
        }
        for (uint32_t w = 0; w < from->words; w++) {
            for (; bucket[w] != 0; bucket[w] &= bucket[w] - 1) {
                struct loom_component *self =
                    from->order[w * 64 + loom_lowest(bucket[w])];

                loom_clock_wake(self->clock, self->position, cycle);
            }
        }
    }
    for (uint32_t i = 0; i < SUMMARY_WORDS; i++) {
        from->summary[i] = 0;
    }
    move_far(from);
    from->next = from->next_time = LOOM_NEVER;
}

static void gather(struct loom_machine *machine)
{
    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        if (link->request != NULL) {
            loom_channel_gather(link->request);
        }
        if (link->reply != NULL) {
            loom_channel_gather(link->reply);
        }
    }
}

/* Components know their new shards and clocks; nothing else does. */
static bool move(struct loom_machine *machine, const struct layout *to)
{
    const struct layout from = {machine->shard, machine->shards, NULL};
    struct sums sums = sums_of(machine);

    enter(machine, to, &sums);
    for (uint32_t i = 0; i < from.shards; i++) {
        for (uint32_t c = 0; c < machine->clock_count; c++) {
            move_wakes(&from.shard[i].clock[c]);
        }
    }
    return loom_machine_tie(machine, &machine->deal->arena);
}

static void sit_alone(struct loom_machine *machine)
{
    for (uint32_t c = 0; c < machine->clock_count; c++) {
        struct clock *clock = &machine->alone.shard->clock[c];

        for (uint32_t i = 0; i < clock->count; i++) {
            struct loom_component *self = clock->order[i];

            self->shard = machine->alone.shard;
            self->clock = clock;
            self->position = i;
        }
    }
}

void loom_deal_alone(struct loom_machine *machine)
{
    struct deal *deal = machine->deal;

    if (machine->shard == machine->alone.shard) {
        return;
    }
    gather(machine);
    sit_alone(machine);
    LOOM_CHECK(move(machine, &machine->alone)); /* takes no memory */
    loom_arena_free(&deal->arena);
    *deal = (struct deal){0};
}

static bool make_shards(struct loom_machine *machine, uint32_t shards)
{
    struct deal *deal = machine->deal;
    struct loom_arena *arena = &deal->arena;
    struct shard *all = loom_arena_take(arena, shards, sizeof(*all));

    for (uint32_t i = 0; all != NULL && i < shards; i++) {
        struct shard *shard = &all[i];

        shard->index = i;
        shard->machine = machine;
        shard->clock =
            loom_arena_take(arena, machine->clock_count, sizeof(*shard->clock));
        shard->sent =
            loom_arena_take(arena, shards, sizeof(struct loom_channel *));
        shard->freed =
            loom_arena_take(arena, shards, sizeof(struct loom_channel *));
    }
    deal->apart = (struct layout){all, shards, NULL};
    return !arena->failed;
}

/* Shards with their clocks; components have their places in them. */
static bool lay_out(struct loom_machine *machine, uint32_t shards,
                    const double *share)
{
    struct layout *apart = &machine->deal->apart;
    bool good = make_shards(machine, shards) && choose(machine, share);

    if (good) {
        seat(machine);
        machine->shard = apart->shard;
        machine->shards = shards;
        good = loom_shard_clocks(machine, &machine->deal->arena);
        machine->shard = machine->alone.shard;
        machine->shards = 1;
    }
    return good;
}

bool loom_deal_out(struct loom_machine *machine, uint32_t shards,
                   const double share[LOOM_THREADS_MAX])
{
    struct deal *deal;

    loom_deal_alone(machine);
    if (machine->deal == NULL) {
        machine->deal = calloc(1, sizeof(*machine->deal));
    }
    deal = machine->deal;
    if (deal == NULL || !lay_out(machine, shards, share)) {
        sit_alone(machine);
        return false;
    }
    if (!move(machine, &deal->apart) ||
        !loom_ahead_find(machine, &deal->arena)) {
        loom_deal_alone(machine);
        return false;
    }
    return true;
}

void loom_deal_free(struct loom_machine *machine)
{
    if (machine->deal != NULL) {
        loom_arena_free(&machine->deal->arena);
        free(machine->deal);
    }
}

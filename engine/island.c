/*
 * Islands, the lookahead and shards.
 *
 * Two components can affect each other through a link no sooner than its
 * shortest latency: forward or credit, in either direction.  Components with
 * a common policy, or with a link shorter than the lookahead, are one island.
 * The lookahead is a property of the machine, not of the number of threads:
 * the run stops between windows of that length, so one thread and many stop
 * at the same place.
 */
#include <stdlib.h>

#include "engine/ahead_private.h"

enum {
    ENOUGH_ISLANDS = 8, /* a longer lookahead is not worth fewer */
    TIMES = 61          /* of links that are remembered */
};

static loom_time period(const struct clock *clock)
{
    return UINT64_C(1000000000000000) / clock->hertz;
}

loom_time loom_least_time(const struct loom_component *from,
                          const struct loom_component *to, loom_cycle cycles)
{
    const struct loom_machine *machine = from->machine;
    const struct clock *clock = machine->clock[to->clock_number];
    bool same = from->clock_number == to->clock_number;
    loom_u128 time = (loom_u128)(cycles - !same) * period(clock) + !same;

    return time < LOOM_TIME_END / 2 ? (loom_time)time : LOOM_TIME_END / 2;
}

static loom_time smaller(loom_time a, loom_time b)
{
    return a < b ? a : b;
}

static loom_time link_lookahead(const struct link *link)
{
    const struct loom_link_info *info = &link->info;
    const struct loom_component *c = info->client.component;
    const struct loom_component *s = info->server.component;
    loom_time time = LOOM_NEVER;

    if (link->request != NULL) {
        time = smaller(time, loom_least_time(c, s, info->request.latency));
        time = smaller(time, loom_least_time(s, c, info->request.credit));
    }
    if (link->reply != NULL) {
        time = smaller(time, loom_least_time(s, c, info->reply.latency));
        time = smaller(time, loom_least_time(c, s, info->reply.credit));
    }
    return time;
}

static struct loom_component *component(const struct loom_machine *machine,
                                        size_t i)
{
    return machine->components.item[i];
}

static uint32_t root(const struct loom_machine *machine, uint32_t id)
{
    while (component(machine, id)->island != id) {
        id = component(machine, id)->island;
    }
    return id;
}

static void unite(const struct loom_machine *machine, uint32_t a, uint32_t b)
{
    uint32_t x = root(machine, a), y = root(machine, b);

    component(machine, x > y ? x : y)->island = x < y ? x : y;
}

/* Marks islands for a lookahead; returns how many there are. */
static uint32_t mark(const struct loom_machine *machine, loom_time lookahead)
{
    size_t count = machine->components.count;
    uint32_t islands = 0;

    for (size_t i = 0; i < count; i++) {
        component(machine, i)->island = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        struct loom_component *self = component(machine, i);

        for (size_t s = 0; s < self->type->slots.count; s++) {
            for (uint32_t k = 0; k < self->slots[s].count; k++) {
                unite(machine, self->id,
                      self->slots[s].bound[k].policy->host->id);
            }
        }
    }
    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        if (link_lookahead(link) < lookahead) {
            unite(machine, link->info.client.component->id,
                  link->info.server.component->id);
        }
    }
    for (size_t i = 0; i < count; i++) {
        islands += root(machine, (uint32_t)i) == i;
    }
    return islands;
}

/* Links of one kind have one time: most were tried a moment ago. */
static bool was_tried(loom_time tried[TIMES], loom_time time)
{
    loom_time *place = &tried[time % TIMES];

    if (*place == time) {
        return true;
    }
    *place = time;
    return false;
}

/* The longest lookahead that leaves enough islands, or else the longest that
 * leaves two; 1 if there is none. */
static void find_lookahead(struct loom_machine *machine)
{
    loom_time tried[TIMES] = {0};
    loom_time best = 1;
    uint32_t best_islands = 1;

    for (size_t i = 0; i < machine->links.count; i++) {
        loom_time time = link_lookahead(machine->links.item[i]);
        uint32_t islands;
        bool enough;

        if (time == LOOM_NEVER || was_tried(tried, time)) {
            continue;
        }
        islands = mark(machine, time);
        enough = islands >= ENOUGH_ISLANDS;
        if (islands >= 2 &&
            ((enough && (best_islands < ENOUGH_ISLANDS || time > best)) ||
             (!enough && best_islands < ENOUGH_ISLANDS && time > best))) {
            best = time;
            best_islands = islands;
        }
    }
    machine->lookahead = best;
    machine->islands = mark(machine, best);
}

static int in_order(const void *a, const void *b)
{
    const struct loom_component *const *x = a, *const *y = b;

    if ((*x)->group != (*y)->group) {
        return (*x)->group < (*y)->group ? -1 : 1;
    }
    if ((*x)->depth != (*y)->depth) {
        return (*x)->depth < (*y)->depth ? -1 : 1;
    }
    return (*x)->id < (*y)->id ? -1 : 1;
}

struct loom_component *
loom_island_first(const struct loom_component *component_)
{
    struct loom_machine *machine = component_->machine;

    return component(machine, root(machine, component_->id));
}

/* The one that has all. */
static bool make_shard(struct loom_machine *machine)
{
    struct loom_arena *arena = &machine->arena;
    struct shard *shard = loom_arena_take(arena, 1, sizeof(*shard));

    if (shard == NULL) {
        return false;
    }
    shard->machine = machine;
    shard->clock =
        loom_arena_take(arena, machine->clock_count, sizeof(*shard->clock));
    machine->alone = (struct layout){shard, 1, NULL};
    machine->shard = shard;
    machine->shards = 1;
    return shard->clock != NULL;
}

bool loom_shard_clocks(struct loom_machine *machine, struct loom_arena *arena)
{
    for (uint32_t i = 0; i < machine->shards; i++) {
        for (uint32_t c = 0; c < machine->clock_count; c++) {
            struct clock *clock = &machine->shard[i].clock[c];

            clock->hertz = machine->clock[c]->hertz;
            clock->order = loom_arena_take(arena, clock->count,
                                           sizeof(struct loom_component *));
            if (clock->order == NULL || !loom_clock_start(clock, arena)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = component(machine, i);

        self->clock->order[self->position] = self;
    }
    return true;
}

bool loom_machine_tie(struct loom_machine *machine, struct loom_arena *arena)
{
    bool good = true;

    for (size_t i = 0; good && i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        good =
            (link->request == NULL || loom_channel_tie(link->request, arena)) &&
            (link->reply == NULL || loom_channel_tie(link->reply, arena));
    }
    return good;
}

bool loom_machine_shard(struct loom_machine *machine)
{
    size_t count = machine->components.count;
    struct loom_component **all = malloc((count + 1) * sizeof(*all));
    bool good;

    if (all == NULL) {
        return false;
    }
    find_lookahead(machine);
    machine->meeting =
        loom_arena_take(&machine->arena, count, sizeof(*machine->meeting));
    good = machine->meeting != NULL && make_shard(machine);
    for (size_t i = 0; i < count; i++) {
        all[i] = component(machine, i);
    }
    qsort(all, count, sizeof(struct loom_component *), in_order);
    for (size_t i = 0; good && i < count; i++) {
        all[i]->shard = machine->shard;
        all[i]->clock = &machine->shard->clock[all[i]->clock_number];
        all[i]->position = all[i]->clock->count++;
    }
    free(all);
    return good && loom_shard_clocks(machine, &machine->arena) &&
           loom_machine_tie(machine, &machine->arena);
}

/* First cycle of a clock that is not in the window that has just ended; the
 * clock is brought up to it. */
static loom_cycle soonest(struct clock *clock, loom_time end)
{
    loom_cycle first = loom_clock_after(clock, end - 1);

    loom_clock_catch_up(clock, first);
    return first;
}

void loom_shard_merge(struct shard *shard)
{
    struct loom_machine *machine = shard->machine;

    for (uint32_t i = 0; i < machine->shards; i++) {
        struct shard *from = &machine->shard[i];
        struct loom_channel *c = from->sent[shard->index];

        for (; c != NULL; c = c->next_sent) {
            loom_channel_take_messages(
                c, soonest(c->receiver_clock, machine->end));
        }
        from->sent[shard->index] = NULL;
        for (c = from->freed[shard->index]; c != NULL; c = c->next_freed) {
            loom_channel_take_credits(c,
                                      soonest(c->sender_clock, machine->end));
        }
        from->freed[shard->index] = NULL;
    }
}

void loom_machine_interruptible(struct loom_machine *machine,
                                struct loom_interrupt *interrupt)
{
    machine->interrupt = interrupt;
}

uint32_t loom_machine_islands(const struct loom_machine *machine)
{
    return machine->islands;
}

loom_time loom_machine_lookahead(const struct loom_machine *machine)
{
    return machine->lookahead;
}

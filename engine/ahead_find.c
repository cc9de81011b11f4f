/*
 * Who may run ahead (see engine/ahead.c), found once.
 *
 * A component waits for another if that one's messages come soon.  Those that
 * say that they can run ahead and wait for nobody, but get messages from afar,
 * are the first; then those that wait only for them, and so on.
 */
#include <stdlib.h>

#include "engine/ahead_private.h"

enum kind {
    UNDECIDED,
    BEHIND,
    AHEAD
};

/* What is known while the parts are being found. */
struct search {
    struct loom_machine *machine;
    struct loom_arena *arena;
    uint32_t count;    /* components */
    uint8_t *kind;     /* [count] enum kind */
    uint32_t *takes;   /* [count] ops->places() */
    uint32_t *number;  /* [count] of the part, among its shard's */
    uint32_t *parts;   /* [shards] so far */
    bool *waits, *fed; /* [count] see look() */
};

static struct loom_component *component(const struct loom_machine *machine,
                                        size_t i)
{
    return machine->components.item[i];
}

static loom_time delay_of(const struct loom_channel *c)
{
    return loom_least_time(c->sender, c->receiver, c->latency);
}

static loom_time period_of(const struct clock *clock)
{
    return UINT64_C(1000000000000000) / clock->hertz;
}

/* A policy is asked in the order of time by all that share it; and by all of
 * its type if that says so. */
static void leave_sharers(struct search *s, const struct loom_component *self)
{
    for (size_t i = 0; i < self->type->slots.count; i++) {
        for (uint32_t k = 0; k < self->slots[i].count; k++) {
            const struct loom_policy *policy = self->slots[i].bound[k].policy;

            if (policy->host != self) {
                s->kind[policy->host->id] = BEHIND;
                s->kind[self->id] = BEHIND;
            }
            if (policy->type->in_order) {
                s->kind[self->id] = BEHIND;
            }
        }
    }
}

static void leave_unable(struct search *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct loom_component *self = component(s->machine, i);
        const struct loom_ahead_ops *ops = self->ops->ahead;

        s->takes[i] =
            ops != NULL && ops->places != NULL ? ops->places(self) : 0;
        if (s->takes[i] == 0) {
            s->kind[i] = BEHIND;
        }
        leave_sharers(s, self);
    }
}

/* One channel: its receiver waits for the sender if messages come soon, unless
 * that one runs ahead of it; or is fed from afar. */
static void look(struct search *s, const struct loom_channel *c)
{
    uint32_t id;

    if (c == NULL) {
        return;
    }
    id = c->receiver->id;
    if (delay_of(c) >= AHEAD_SHORT * period_of(c->receiver_clock)) {
        s->fed[id] = true;
    } else if (s->kind[c->sender->id] != AHEAD ||
               c->sender->shard != c->receiver->shard) {
        s->waits[id] = true;
    }
}

/* Those that wait for nobody but for who runs before them; returns how many
 * there are. */
static uint32_t add_round(struct search *s)
{
    uint32_t added = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        s->waits[i] = s->fed[i] = false;
    }
    for (size_t i = 0; i < s->machine->links.count; i++) {
        const struct link *link = s->machine->links.item[i];

        look(s, link->request);
        look(s, link->reply);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->kind[i] == UNDECIDED && s->fed[i] && !s->waits[i]) {
            s->kind[i] = AHEAD;
            s->number[i] = s->parts[component(s->machine, i)->shard->index]++;
            added++;
        }
    }
    return added;
}

static uint32_t find_parts(struct search *s)
{
    uint32_t parts = 0, added;

    leave_unable(s);
    do {
        added = add_round(s);
        parts += added;
    } while (added != 0);
    return parts;
}

/* Messages and credits cross from a part to `other`. */
static void cross(struct ahead_part *part, const struct loom_component *other)
{
    const struct ahead_share *ahead = part->self->shard->ahead;
    uint32_t mine = part->self->clock_number, number = other->clock_number;
    const loom_cycle *next = ahead->edges[mine].next[number];
    uint32_t i = 0;

    while (i < part->crossings && part->crossing[i].next != next) {
        i++;
    }
    if (i == part->crossings && number != mine) {
        part->crossing[part->crossings++] =
            (struct ahead_crossing){&part->self->shard->clock[number], next};
    }
}

/* What a channel means to who runs ahead at either end. */
static void join(const struct search *s, struct ahead *ahead,
                 struct loom_channel *c)
{
    const struct loom_component *from, *to;
    bool sends, takes, beside;

    if (c == NULL) {
        return;
    }
    from = c->sender;
    to = c->receiver;
    sends = s->kind[from->id] == AHEAD;
    takes = s->kind[to->id] == AHEAD;
    beside = from->shard != to->shard;
    if (sends &&
        (!takes || beside || s->number[to->id] > s->number[from->id])) {
        struct ahead_part *part =
            &from->shard->ahead->part[s->number[from->id]];

        part->out[part->outs++] = (struct ahead_out){c, c->room + c->capacity};
        part->cramped = part->cramped || c->capacity <= part->beyond;
    }
    if (sends) {
        cross(&from->shard->ahead->part[s->number[from->id]], to);
    }
    if (takes) {
        struct ahead_part *part = &to->shard->ahead->part[s->number[to->id]];
        loom_time delay = delay_of(c);

        cross(part, from);
        if (delay < AHEAD_SHORT * period_of(c->receiver_clock)) {
            part->before[part->befores++] = s->number[from->id];
        } else {
            ahead->length = delay < ahead->length ? delay : ahead->length;
        }
    }
}

/* The lists of a component that are filled next. */
static bool start_part(const struct search *s, struct ahead_part *part,
                       struct loom_component *self)
{
    struct loom_arena *arena = s->arena;
    uint32_t links = 0;

    for (size_t i = 0; i < self->type->ports.count; i++) {
        links += self->ports[i].count;
    }
    part->self = self;
    part->beyond = s->takes[self->id] - 1;
    part->out = loom_arena_take(arena, links, sizeof(*part->out));
    part->before = loom_arena_take(arena, links, sizeof(*part->before));
    part->crossing = loom_arena_take(arena, s->machine->clock_count,
                                     sizeof(*part->crossing));
    return part->out != NULL && part->before != NULL && part->crossing != NULL;
}

/* Times of a stretch, which is kept short enough for them. */
static bool start_share(const struct search *s, struct shard *shard)
{
    struct loom_arena *arena = s->arena;
    uint32_t clocks = s->machine->clock_count;
    struct ahead_share *share = loom_arena_take(arena, 1, sizeof(*share));

    if (share == NULL) {
        return false;
    }
    shard->ahead = share;
    share->parts = s->parts[shard->index];
    share->part = loom_arena_take(arena, share->parts, sizeof(*share->part));
    share->edges = loom_arena_take(arena, clocks, sizeof(*share->edges));
    for (uint32_t i = 0; share->edges != NULL && i < clocks; i++) {
        share->edges[i].next =
            loom_arena_take(arena, clocks, sizeof(*share->edges[i].next));
    }
    return !arena->failed;
}

static bool find_notifiers(const struct search *s, struct ahead *ahead)
{
    ahead->notifier =
        loom_arena_take(s->arena, s->count, sizeof(struct loom_component *));
    for (size_t i = 0; ahead->notifier != NULL && i < s->count; i++) {
        struct loom_component *self = component(s->machine, i);

        if (self->ops->ahead != NULL && self->ops->ahead->calm != NULL) {
            ahead->notifier[ahead->notifiers++] = self;
        }
    }
    return ahead->notifier != NULL;
}

static bool build(const struct search *s, struct ahead *ahead)
{
    struct loom_machine *machine = s->machine;

    ahead->period = LOOM_NEVER;
    for (uint32_t i = 0; i < machine->clock_count; i++) {
        loom_time period = period_of(machine->clock[i]);

        ahead->period = period < ahead->period ? period : ahead->period;
    }
    ahead->length = (AHEAD_SPAN - 2) * ahead->period;
    for (uint32_t i = 0; i < machine->shards; i++) {
        if (s->parts[i] != 0 && !start_share(s, &machine->shard[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        struct loom_component *self = component(machine, i);

        if (s->kind[i] == AHEAD &&
            !start_part(s, &self->shard->ahead->part[s->number[i]], self)) {
            return false;
        }
    }
    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        join(s, ahead, link->request);
        join(s, ahead, link->reply);
    }
    return find_notifiers(s, ahead);
}

/* Without anybody who notifies a kernel's end would be seen too late. */
static bool find(struct search *s)
{
    struct loom_machine *machine = s->machine;
    struct ahead *ahead;

    if (machine->shuffled || find_parts(s) == 0) {
        return true;
    }
    ahead = loom_arena_take(s->arena, 1, sizeof(*ahead));
    if (ahead == NULL || !build(s, ahead)) {
        return false;
    }
    machine->ahead = ahead->notifiers != 0 ? ahead : NULL;
    return true;
}

bool loom_ahead_find(struct loom_machine *machine, struct loom_arena *arena)
{
    uint32_t count = (uint32_t)machine->components.count;
    size_t places = (size_t)count + 1;
    struct search s = {.machine = machine, .arena = arena, .count = count};
    bool good;

    s.kind = calloc(places, sizeof(*s.kind));
    s.takes = calloc(places, sizeof(*s.takes));
    s.number = calloc(places, sizeof(*s.number));
    s.parts = calloc(machine->shards, sizeof(*s.parts));
    s.waits = calloc(places, sizeof(*s.waits));
    s.fed = calloc(places, sizeof(*s.fed));
    good = s.kind != NULL && s.takes != NULL && s.number != NULL &&
           s.parts != NULL && s.waits != NULL && s.fed != NULL && find(&s);
    free(s.kind);
    free(s.takes);
    free(s.number);
    free(s.parts);
    free(s.waits);
    free(s.fed);
    return good;
}

/*
 * Channels: ring buffers that know when each place is full and free.
 *
 * Exactly one of a place's `arrive` and `free_at` is LOOM_NEVER, so peek and
 * ready are one comparison each and no clock has to be consulted.  Those of
 * the head and of the tail are repeated in the channel itself, because ticks
 * ask many channels that have nothing for them.
 */
#include "engine/machine_private.h"

enum {
    LINE = 64 /* bytes; messages that fill one start at one */
};

static struct place *after(const struct loom_channel *c, struct place *place)
{
    unsigned char *next = (unsigned char *)place + c->stride;

    return next == (unsigned char *)c->end ? c->first
                                           : (struct place *)(void *)next;
}

static uint32_t number_of(const struct loom_channel *c,
                          const struct place *place)
{
    return (uint32_t)((const unsigned char *)place -
                      (const unsigned char *)c->first) /
           c->stride;
}

static struct place *place_at(const struct loom_channel *c, uint32_t number)
{
    unsigned char *first = (unsigned char *)c->first;

    return (struct place *)(void *)(first + (size_t)number * c->stride);
}

struct loom_channel *loom_channel_create(struct loom_machine *machine,
                                         struct loom_component *sender,
                                         struct loom_component *receiver,
                                         size_t size, struct loom_wire wire)
{
    struct loom_arena *arena = &machine->arena;
    struct loom_channel *c = loom_arena_take(arena, 1, sizeof(*c));
    size_t stride = (sizeof(struct place) + size + 15) / 16 * 16;

    if (c == NULL) {
        return NULL;
    }
    stride = stride < LINE ? stride : (stride + LINE - 1) / LINE * LINE;
    c->first = loom_arena_take(arena, wire.capacity, stride);
    if (c->first == NULL) {
        return NULL;
    }
    c->capacity = wire.capacity;
    c->stride = (uint32_t)stride;
    c->end = place_at(c, c->capacity);
    c->head = c->first;
    c->tail = c->first;
    for (uint32_t i = 0; i < wire.capacity; i++) {
        place_at(c, i)->arrive = LOOM_NEVER;
    }
    c->head_at = LOOM_NEVER;
    c->latency = wire.latency;
    c->credit = wire.credit;
    c->sender = sender;
    c->receiver = receiver;
    c->sender_clock = sender->clock;
    c->receiver_clock = receiver->clock;
    return c;
}

bool loom_channel_tie(struct loom_channel *c, struct loom_arena *arena)
{
    c->sender_clock = c->sender->clock;
    c->receiver_clock = c->receiver->clock;
    c->sender_position = c->sender->position;
    c->receiver_position = c->receiver->position;
    c->same_clock = c->sender_clock == c->receiver_clock;
    c->near = c->same_clock && c->credit < WHEEL_SLOTS;
    c->time = &c->sender->shard->now;
    c->deferred = c->sender->shard != c->receiver->shard;
    if (!c->deferred) {
        return true;
    }
    c->out_at = loom_arena_take(arena, c->capacity, sizeof(loom_cycle));
    c->back_at = loom_arena_take(arena, c->capacity, sizeof(loom_cycle));
    return c->out_at != NULL && c->back_at != NULL;
}

void loom_watch(struct loom_channel *channel, uint64_t *word, uint64_t bit)
{
    channel->watch = word;
    channel->watched = bit;
}

/* The cycle of clock `to` that is `delay` cycles after cycle `now`, which is
 * at `time`, of clock `from`, of another shard. */
static loom_cycle later(const struct clock *from, const struct clock *to,
                        loom_time time, loom_cycle now, loom_cycle delay)
{
    if (LOOM_LIKELY(from->hertz == to->hertz)) {
        return now + delay;
    }
    return loom_clock_after(to, time) + delay - 1;
}

/* The message in this place can be seen from `at` on. */
static void land(struct loom_channel *c, struct place *place, loom_cycle at)
{
    place->arrive = at;
    if (place == c->head) {
        c->head_at = at;
    }
    if (c->watch != NULL) {
        *c->watch |= c->watched;
    }
}

/* This place can be taken from `at` on. */
static void vacate(struct loom_channel *c, struct place *place, loom_cycle at)
{
    place->free_at = at;
    if (place == c->tail) {
        c->tail_at = at;
    }
}

bool loom_ready(struct loom_channel *channel, loom_cycle now)
{
    loom_cycle at = channel->tail_at;

    if (LOOM_LIKELY(at <= now)) {
        return true;
    }
    if (at == LOOM_NEVER) {
        channel->starved = true;
    } else {
        loom_clock_wake(channel->sender_clock, channel->sender_position, at);
    }
    return false;
}

uint32_t loom_room(const struct loom_channel *channel, loom_cycle now)
{
    struct place *place = channel->tail;
    uint32_t room = 0;

    while (room < channel->capacity && place->free_at <= now) {
        room++;
        place = after(channel, place);
    }
    return room;
}

static loom_cycle defer_message(struct loom_channel *channel, loom_cycle now,
                                loom_cycle delay)
{
    struct shard *from = channel->sender->shard;
    struct loom_channel **list = &from->sent[channel->receiver->shard->index];
    loom_cycle at = later(channel->sender_clock, channel->receiver_clock,
                          from->now, now, delay);

    at = at < channel->last_arrival ? channel->last_arrival : at;
    channel->out_at[number_of(channel, channel->tail)] = at;
    if (channel->out_count++ == 0) {
        channel->next_sent = *list;
        *list = channel;
    }
    return at;
}

/* To a receiver of another clock; returns when it can be seen there. */
static LOOM_INLINE loom_cycle send_across(struct loom_channel *c,
                                          loom_cycle now, loom_cycle delay)
{
    loom_cycle at;

    if (LOOM_UNLIKELY(c->deferred)) {
        return defer_message(c, now, delay);
    }
    at = loom_clock_after_near(c->receiver_clock, *c->time) + delay - 1;
    at = at < c->last_arrival ? c->last_arrival : at;
    loom_clock_wake(c->receiver_clock, c->receiver_position, at);
    land(c, c->tail, at);
    return at;
}

/* The tail's message arrives at `at`. */
static LOOM_INLINE void *take_tail(struct loom_channel *c, loom_cycle at)
{
    struct place *place = c->tail;
    struct place *next = after(c, place);

    place->free_at = LOOM_NEVER;
    c->last_arrival = at;
    c->tail = next;
    c->tail_at = next->free_at;
    c->sent++;
    return place + 1;
}

/* To another clock, or far ahead. */
static LOOM_NOINLINE void *send_far(struct loom_channel *c, loom_cycle now,
                                    loom_cycle delay)
{
    loom_cycle at = now + c->latency + delay;

    LOOM_CHECK(c->tail_at <= now);
    if (c->same_clock) {
        at = at < c->last_arrival ? c->last_arrival : at;
        loom_clock_wake(c->receiver_clock, c->receiver_position, at);
        land(c, c->tail, at);
    } else {
        at = send_across(c, now, c->latency + delay);
    }
    return take_tail(c, at);
}

/* Without a call: most of what a run does is to send and to pop. */
void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay)
{
    struct clock *clock = channel->receiver_clock;
    loom_cycle at = now + channel->latency + delay;

    at = at < channel->last_arrival ? channel->last_arrival : at;
    if (LOOM_UNLIKELY(!channel->same_clock || channel->tail_at > now ||
                      at - clock->base >= WHEEL_SLOTS || at < clock->next)) {
        return send_far(channel, now, delay);
    }
    loom_clock_wake_near(clock, channel->receiver_position, at);
    land(channel, channel->tail, at);
    return take_tail(channel, at);
}

const void *loom_peek(const struct loom_channel *channel, loom_cycle now)
{
    return channel->head_at <= now ? channel->head + 1 : NULL;
}

static void defer_credit(struct loom_channel *channel, loom_cycle now)
{
    struct shard *from = channel->receiver->shard;
    struct loom_channel **list = &from->freed[channel->sender->shard->index];

    channel->back_at[number_of(channel, channel->head)] =
        later(channel->receiver_clock, channel->sender_clock, from->now, now,
              channel->credit);
    if (channel->back_count++ == 0) {
        channel->next_freed = *list;
        *list = channel;
    }
}

/* The credit of the oldest place goes to a sender of another clock. */
static LOOM_INLINE void credit_across(struct loom_channel *c, loom_cycle now)
{
    loom_cycle at;

    if (LOOM_UNLIKELY(c->deferred)) {
        defer_credit(c, now);
        return;
    }
    at = loom_clock_after_near(c->sender_clock, *c->time) + c->credit - 1;
    if (c->starved) {
        c->starved = false;
        loom_clock_wake(c->sender_clock, c->sender_position, at);
    }
    vacate(c, c->head, at);
}

/* The oldest place is empty; its credit is on its way. */
static LOOM_INLINE void take_head(struct loom_channel *c, loom_cycle now)
{
    struct clock *clock = c->receiver_clock;
    struct place *next = after(c, c->head);
    loom_cycle at;

    c->head->arrive = LOOM_NEVER;
    at = next->arrive; /* a ring of one place: of the same */
    c->head = next;
    c->head_at = at;
    c->popped++;
    clock->pops++;
    if (at == LOOM_NEVER) {
        if (c->watch != NULL) {
            *c->watch &= ~c->watched;
        }
    } else if (at <= now) {
        /* A receiver that takes one message a cycle may go to sleep in
         * between: the next message wakes it again. */
        loom_clock_wake_near(clock, c->receiver_position, now + 1);
    }
}

/* From another clock, or with a credit far ahead. */
static LOOM_NOINLINE void pop_far(struct loom_channel *c, loom_cycle now)
{
    LOOM_CHECK(c->head_at <= now);
    if (!c->same_clock) {
        credit_across(c, now);
    } else {
        vacate(c, c->head, now + c->credit);
        if (c->starved) {
            c->starved = false;
            loom_clock_wake(c->sender_clock, c->sender_position,
                            now + c->credit);
        }
    }
    take_head(c, now);
}

void loom_pop(struct loom_channel *channel, loom_cycle now)
{
    if (LOOM_UNLIKELY(!channel->near || channel->head_at > now)) {
        pop_far(channel, now);
        return;
    }
    vacate(channel, channel->head, now + channel->credit);
    if (channel->starved) {
        channel->starved = false;
        loom_clock_wake_near(channel->sender_clock, channel->sender_position,
                             now + channel->credit);
    }
    take_head(channel, now);
}

void loom_channel_take_messages(struct loom_channel *c, loom_cycle soonest)
{
    for (; c->out_count != 0; c->out_count--) {
        uint32_t number = c->out_first;
        loom_cycle at = c->out_at[number];

        LOOM_CHECK(at >= soonest);
        land(c, place_at(c, number), at);
        loom_clock_wake(c->receiver_clock, c->receiver_position, at);
        c->out_first = number + 1 == c->capacity ? 0 : number + 1;
    }
}

void loom_channel_take_credits(struct loom_channel *c, loom_cycle soonest)
{
    for (; c->back_count != 0; c->back_count--) {
        uint32_t number = c->back_first;
        loom_cycle at = c->back_at[number];

        LOOM_CHECK(at >= soonest);
        vacate(c, place_at(c, number), at);
        if (c->starved) {
            c->starved = false;
            loom_clock_wake(c->sender_clock, c->sender_position, at);
        }
        c->back_first = number + 1 == c->capacity ? 0 : number + 1;
    }
}

loom_cycle loom_arrival(const struct loom_channel *channel)
{
    return channel->head_at;
}

uint32_t loom_occupancy(const struct loom_channel *channel)
{
    return (uint32_t)(channel->sent - channel->popped);
}

uint32_t loom_capacity(const struct loom_channel *channel)
{
    return channel->capacity;
}

uint64_t loom_sent(const struct loom_channel *channel)
{
    return channel->sent;
}

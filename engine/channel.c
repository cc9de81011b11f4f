/*
 * Channels: ring buffers that know when each place is full and free.
 *
 * Exactly one of a place's `arrive` and `free_at` is LOOM_NEVER, so peek and
 * ready are one comparison each and no clock has to be consulted.  Those of
 * the head and of the tail are repeated in the channel itself, because ticks
 * ask many channels that have nothing for them.
 */
#include "engine/machine_private.h"

static struct place *place_at(const struct loom_channel *c, uint32_t number)
{
    return (struct place *)(void *)(c->place + (size_t)number * c->stride);
}

static uint32_t after(const struct loom_channel *c, uint32_t number)
{
    return number + 1 == c->capacity ? 0 : number + 1;
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
    c->place = loom_arena_take(arena, wire.capacity, stride);
    if (c->place == NULL) {
        return NULL;
    }
    c->capacity = wire.capacity;
    c->stride = (uint32_t)stride;
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

/* Wakes a component of another clock of this shard, `delay` of its cycles
 * after `time` and not before `least`.  Returns when. */
static loom_cycle wake_later(struct clock *clock, uint32_t position,
                             loom_time time, loom_cycle delay, loom_cycle least)
{
    loom_cycle first = loom_clock_after_near(clock, time);
    loom_cycle at = first + delay - 1;

    at = at < least ? least : at;
    if (clock->base_time != time) {
        loom_clock_catch_up(clock, first);
    }
    loom_clock_wake(clock, position, at);
    return at;
}

/* The message in place `number` can be seen from `at` on. */
static void land(struct loom_channel *c, uint32_t number, loom_cycle at)
{
    place_at(c, number)->arrive = at;
    if (number == c->head) {
        c->head_at = at;
    }
    if (c->watch != NULL) {
        *c->watch |= c->watched;
    }
}

/* Place `number` can be taken from `at` on. */
static void vacate(struct loom_channel *c, uint32_t number, loom_cycle at)
{
    place_at(c, number)->free_at = at;
    if (number == c->tail) {
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
    uint32_t number = channel->tail;
    uint32_t room = 0;

    while (room < channel->capacity &&
           place_at(channel, number)->free_at <= now) {
        room++;
        number = after(channel, number);
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
    channel->out_at[channel->tail] = at;
    if (channel->out_count++ == 0) {
        channel->next_sent = *list;
        *list = channel;
    }
    return at;
}

void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay)
{
    uint32_t number = channel->tail;
    struct place *place = place_at(channel, number);
    loom_cycle at = now + channel->latency + delay;

    LOOM_CHECK(channel->tail_at <= now);
    place->free_at = LOOM_NEVER;
    if (LOOM_LIKELY(channel->same_clock)) {
        at = at < channel->last_arrival ? channel->last_arrival : at;
        loom_clock_wake(channel->receiver_clock, channel->receiver_position,
                        at);
        land(channel, number, at);
    } else if (channel->deferred) {
        at = defer_message(channel, now, channel->latency + delay);
    } else {
        at = wake_later(channel->receiver_clock, channel->receiver_position,
                        channel->sender->shard->now, channel->latency + delay,
                        channel->last_arrival);
        land(channel, number, at);
    }
    channel->last_arrival = at;
    channel->tail = after(channel, number);
    channel->tail_at = place_at(channel, channel->tail)->free_at;
    channel->sent++;
    return place + 1;
}

const void *loom_peek(const struct loom_channel *channel, loom_cycle now)
{
    if (channel->head_at > now) {
        return NULL;
    }
    return place_at(channel, channel->head) + 1;
}

static void defer_credit(struct loom_channel *channel, uint32_t number,
                         loom_cycle now)
{
    struct shard *from = channel->receiver->shard;
    struct loom_channel **list = &from->freed[channel->sender->shard->index];

    channel->back_at[number] =
        later(channel->receiver_clock, channel->sender_clock, from->now, now,
              channel->credit);
    if (channel->back_count++ == 0) {
        channel->next_freed = *list;
        *list = channel;
    }
}

/* The place's credit goes to a sender of this shard but another clock. */
static void return_credit(struct loom_channel *c, uint32_t number)
{
    loom_time time = c->receiver->shard->now;

    if (c->starved) {
        c->starved = false;
        vacate(c, number,
               wake_later(c->sender_clock, c->sender_position, time, c->credit,
                          0));
    } else {
        vacate(c, number,
               loom_clock_after_near(c->sender_clock, time) + c->credit - 1);
    }
}

static void give_back(struct loom_channel *c, uint32_t number, loom_cycle now)
{
    if (LOOM_UNLIKELY(!c->same_clock)) {
        if (c->deferred) {
            defer_credit(c, number, now);
        } else {
            return_credit(c, number);
        }
        return;
    }
    vacate(c, number, now + c->credit);
    if (c->starved) {
        c->starved = false;
        loom_clock_wake(c->sender_clock, c->sender_position, now + c->credit);
    }
}

void loom_pop(struct loom_channel *channel, loom_cycle now)
{
    uint32_t number = channel->head;

    LOOM_CHECK(channel->head_at <= now);
    place_at(channel, number)->arrive = LOOM_NEVER;
    give_back(channel, number, now);
    channel->head = after(channel, number);
    channel->head_at = place_at(channel, channel->head)->arrive;
    channel->popped++;
    channel->receiver_clock->pops++;
    if (channel->head_at == LOOM_NEVER) {
        if (channel->watch != NULL) {
            *channel->watch &= ~channel->watched;
        }
    } else if (channel->head_at <= now) {
        /* A receiver that takes one message a cycle may go to sleep in
         * between: the next message wakes it again. */
        loom_clock_wake(channel->receiver_clock, channel->receiver_position,
                        now + 1);
    }
}

void loom_channel_take_messages(struct loom_channel *c, loom_cycle soonest)
{
    for (; c->out_count != 0; c->out_count--) {
        uint32_t number = c->out_first;
        loom_cycle at = c->out_at[number];

        LOOM_CHECK(at >= soonest);
        land(c, number, at);
        loom_clock_wake(c->receiver_clock, c->receiver_position, at);
        c->out_first = after(c, number);
    }
}

void loom_channel_take_credits(struct loom_channel *c, loom_cycle soonest)
{
    for (; c->back_count != 0; c->back_count--) {
        uint32_t number = c->back_first;
        loom_cycle at = c->back_at[number];

        LOOM_CHECK(at >= soonest);
        vacate(c, number, at);
        if (c->starved) {
            c->starved = false;
            loom_clock_wake(c->sender_clock, c->sender_position, at);
        }
        c->back_first = after(c, number);
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

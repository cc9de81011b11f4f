/*
 * Channels: ring buffers that know when each place is full and free.
 *
 * arrive[i] is the receiver's cycle from which the message in place i can be
 * seen, free_at[i] the sender's cycle from which the place can be taken.
 * Exactly one of the two is LOOM_NEVER, so peek and ready are one comparison
 * each and no clock has to be consulted.
 */
#include "engine/machine_private.h"

struct loom_channel *loom_channel_create(struct loom_machine *machine,
                                         struct loom_component *sender,
                                         struct loom_component *receiver,
                                         size_t size, struct loom_wire wire)
{
    struct loom_arena *arena = &machine->arena;
    struct loom_channel *c = loom_arena_take(arena, 1, sizeof(*c));

    if (c == NULL) {
        return NULL;
    }
    c->arrive = loom_arena_take(arena, wire.capacity, sizeof(*c->arrive));
    c->free_at = loom_arena_take(arena, wire.capacity, sizeof(*c->free_at));
    c->data = loom_arena_take(arena, wire.capacity, size);
    if (c->arrive == NULL || c->free_at == NULL || c->data == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < wire.capacity; i++) {
        c->arrive[i] = LOOM_NEVER;
    }
    c->capacity = wire.capacity;
    c->size = (uint32_t)size;
    c->latency = wire.latency;
    c->credit = wire.credit;
    c->sender = sender;
    c->receiver = receiver;
    c->sender_clock = sender->clock;
    c->receiver_clock = receiver->clock;
    return c;
}

/* The cycle of clock `to` that is `delay` cycles after cycle `now`, which is
 * at `time`, of clock `from`. */
static loom_cycle later(const struct clock *from, const struct clock *to,
                        loom_time time, loom_cycle now, loom_cycle delay)
{
    if (LOOM_LIKELY(from->hertz == to->hertz)) {
        return now + delay;
    }
    return loom_clock_after(to, time) + delay - 1;
}

/* Wakes a component of this shard, maybe of another clock. */
static void wake(struct loom_component *self, loom_time time, loom_cycle at)
{
    struct clock *clock = self->clock;

    if (clock->base_time != time) {
        loom_clock_catch_up(clock, loom_clock_after(clock, time));
    }
    loom_clock_wake(clock, self->position, at);
}

bool loom_ready(struct loom_channel *channel, loom_cycle now)
{
    loom_cycle at = channel->free_at[channel->tail];

    if (LOOM_LIKELY(at <= now)) {
        return true;
    }
    if (at == LOOM_NEVER) {
        channel->starved = true;
    } else {
        loom_clock_wake(channel->sender_clock, channel->sender->position, at);
    }
    return false;
}

uint32_t loom_room(const struct loom_channel *channel, loom_cycle now)
{
    uint32_t place = channel->tail;
    uint32_t room = 0;

    while (room < channel->capacity && channel->free_at[place] <= now) {
        room++;
        place = place + 1 == channel->capacity ? 0 : place + 1;
    }
    return room;
}

static void defer_message(struct loom_channel *channel, loom_cycle at)
{
    struct shard *from = channel->sender->shard;
    struct loom_channel **list = &from->sent[channel->receiver->shard->index];

    channel->out_at[channel->tail] = at;
    if (channel->out_count++ == 0) {
        channel->next_sent = *list;
        *list = channel;
    }
}

void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay)
{
    uint32_t place = channel->tail;
    loom_time time = channel->sender->shard->now;
    loom_cycle at = later(channel->sender_clock, channel->receiver_clock, time,
                          now, channel->latency + delay);

    LOOM_CHECK(channel->free_at[place] <= now);
    if (at < channel->last_arrival) {
        at = channel->last_arrival;
    }
    channel->last_arrival = at;
    channel->free_at[place] = LOOM_NEVER;
    if (LOOM_UNLIKELY(channel->deferred)) {
        defer_message(channel, at);
    } else {
        channel->arrive[place] = at;
        wake(channel->receiver, time, at);
    }
    channel->tail = place + 1 == channel->capacity ? 0 : place + 1;
    channel->sent++;
    return channel->data + (size_t)place * channel->size;
}

const void *loom_peek(const struct loom_channel *channel, loom_cycle now)
{
    if (channel->arrive[channel->head] > now) {
        return NULL;
    }
    return channel->data + (size_t)channel->head * channel->size;
}

static void defer_credit(struct loom_channel *channel, loom_cycle at)
{
    struct shard *from = channel->receiver->shard;
    struct loom_channel **list = &from->freed[channel->sender->shard->index];

    channel->back_at[channel->head] = at;
    if (channel->back_count++ == 0) {
        channel->next_freed = *list;
        *list = channel;
    }
}

void loom_pop(struct loom_channel *channel, loom_cycle now)
{
    uint32_t place = channel->head;
    struct shard *shard = channel->receiver->shard;
    loom_cycle at = later(channel->receiver_clock, channel->sender_clock,
                          shard->now, now, channel->credit);

    LOOM_CHECK(channel->arrive[place] <= now);
    channel->arrive[place] = LOOM_NEVER;
    if (LOOM_UNLIKELY(channel->deferred)) {
        defer_credit(channel, at);
    } else {
        channel->free_at[place] = at;
        if (channel->starved) {
            channel->starved = false;
            wake(channel->sender, shard->now, at);
        }
    }
    channel->head = place + 1 == channel->capacity ? 0 : place + 1;
    channel->popped++;
    shard->progress++;
    /* A receiver that takes one message a cycle may go to sleep in between:
     * the next message wakes it again. */
    if (channel->arrive[channel->head] <= now) {
        loom_clock_wake(channel->receiver_clock, channel->receiver->position,
                        now + 1);
    }
}

loom_cycle loom_arrival(const struct loom_channel *channel)
{
    return channel->arrive[channel->head];
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

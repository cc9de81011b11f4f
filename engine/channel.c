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

/* The receiver's cycle `delay` cycles after the sender's `now`. */
static loom_cycle cross(struct clock *from, struct clock *to, loom_time time,
                        loom_cycle now, loom_cycle delay)
{
    loom_cycle first;

    if (LOOM_LIKELY(from == to)) {
        return now + delay;
    }
    first = loom_clock_after(to, time);
    loom_clock_catch_up(to, first);
    return first + delay - 1;
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

void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay)
{
    uint32_t place = channel->tail;
    struct loom_machine *machine = channel->sender->machine;
    loom_cycle at = cross(channel->sender_clock, channel->receiver_clock,
                          machine->now, now, channel->latency + delay);

    LOOM_CHECK(channel->free_at[place] <= now);
    if (at < channel->last_arrival) {
        at = channel->last_arrival;
    }
    channel->last_arrival = at;
    channel->free_at[place] = LOOM_NEVER;
    channel->arrive[place] = at;
    channel->tail = place + 1 == channel->capacity ? 0 : place + 1;
    channel->sent++;
    loom_clock_wake(channel->receiver_clock, channel->receiver->position, at);
    return channel->data + (size_t)place * channel->size;
}

const void *loom_peek(const struct loom_channel *channel, loom_cycle now)
{
    if (channel->arrive[channel->head] > now) {
        return NULL;
    }
    return channel->data + (size_t)channel->head * channel->size;
}

void loom_pop(struct loom_channel *channel, loom_cycle now)
{
    uint32_t place = channel->head;
    struct loom_machine *machine = channel->receiver->machine;
    loom_cycle at = cross(channel->receiver_clock, channel->sender_clock,
                          machine->now, now, channel->credit);
    loom_cycle next;

    LOOM_CHECK(channel->arrive[place] <= now);
    channel->arrive[place] = LOOM_NEVER;
    channel->free_at[place] = at;
    channel->head = place + 1 == channel->capacity ? 0 : place + 1;
    channel->popped++;
    machine->progress++;
    if (channel->starved) {
        channel->starved = false;
        loom_clock_wake(channel->sender_clock, channel->sender->position, at);
    }
    /* A receiver that takes one message a cycle may go to sleep in between:
     * the next message wakes it again. */
    next = channel->arrive[channel->head];
    if (next <= now) {
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

/*
 * Channels: rings of places that know when each is full and free.
 *
 * A place holds one of two times, and its highest bit says which, so peek and
 * ready are one comparison each and no clock has to be consulted.  That of
 * the head is repeated in the channel itself, because ticks ask many channels
 * that have nothing for them.
 */
#include <string.h>

#include "engine/machine_private.h"

static uint32_t after(const struct loom_channel *c, uint32_t place)
{
    return place + 1 == c->capacity ? 0 : place + 1;
}

static LOOM_INLINE struct place *next_of(struct place *place)
{
    return (struct place *)((unsigned char *)(place + 1) + place->step);
}

/* Their numbers. */
static uint32_t head_of(const struct loom_channel *c)
{
    return (uint32_t)(c->head - c->place);
}

static uint32_t tail_of(const struct loom_channel *c)
{
    return (uint32_t)(c->tail - c->room);
}

/* Messages that are not larger than a line do not cross into the next one. */
static size_t stride_of(size_t size)
{
    size_t stride = 16;

    while (stride < size && stride < LOOM_LINE) {
        stride *= 2;
    }
    return stride >= size ? stride
                          : (size + LOOM_LINE - 1) / LOOM_LINE * LOOM_LINE;
}

/* Takes the memory of a message that has been popped. */
static LOOM_INLINE void push_message(struct loom_channel *c, uint32_t message)
{
    uint32_t link = c->free - message - c->stride;

    memcpy((unsigned char *)c + message, &link, sizeof(link));
    c->free = message;
}

static LOOM_INLINE uint32_t pop_message(struct loom_channel *c)
{
    uint32_t message = c->free;
    uint32_t link;

    memcpy(&link, (unsigned char *)c + message, sizeof(link));
    c->free = message + c->stride + link;
    return message;
}

struct loom_channel *loom_channel_create(struct loom_machine *machine,
                                         struct loom_component *sender,
                                         struct loom_component *receiver,
                                         size_t size, struct loom_wire wire)
{
    size_t stride = stride_of(size);
    size_t head = sizeof(struct loom_channel) +
                  (size_t)wire.capacity * sizeof(struct place);
    size_t bytes;
    struct loom_channel *c;

    head = (head + LOOM_LINE - 1) / LOOM_LINE * LOOM_LINE;
    bytes = head + wire.capacity * stride;
    LOOM_CHECK(stride <= UINT16_MAX);
    if (bytes > UINT32_MAX) {
        return NULL;
    }
    c = loom_arena_take(&machine->arena, 1, bytes);
    if (c == NULL) {
        return NULL;
    }
    c->capacity = wire.capacity;
    c->stride = (uint16_t)stride;
    c->free = (uint32_t)head; /* all, in order: their memory is zero */
    c->size = (uint32_t)size;
    c->room = c->head = c->tail = c->place;
    c->place[wire.capacity - 1].step =
        -(int32_t)(wire.capacity * sizeof(struct place));
    c->head_at = LOOM_NEVER;
    c->tail_at = 0;
    c->watch = &c->watched; /* no bit of no word */
    c->latency = (uint32_t)wire.latency;
    c->credit = (uint32_t)wire.credit;
    c->sender = sender;
    c->receiver = receiver;
    c->sender_clock = sender->clock;
    c->receiver_clock = receiver->clock;
    return c;
}

/* The sender gets places of its own. */
static bool split(struct loom_channel *c, struct loom_arena *arena)
{
    uint32_t tail = tail_of(c);
    struct place *room =
        loom_arena_take(arena, c->capacity, sizeof(struct place));

    c->out_at = loom_arena_take(arena, c->capacity, sizeof(loom_cycle));
    c->back_at = loom_arena_take(arena, c->capacity, sizeof(loom_cycle));
    if (c->out_at == NULL || c->back_at == NULL || room == NULL) {
        return false;
    }
    memcpy(room, c->place, c->capacity * sizeof(*room));
    for (uint32_t i = 0; i < c->capacity; i++) {
        if (room[i].at >= LOOM_TAKEN) {
            room[i].at = LOOM_UNSEEN;
        }
    }
    c->room = room;
    c->tail = room + tail;
    c->out_first = tail;
    c->back_first = head_of(c);
    return true;
}

void loom_channel_gather(struct loom_channel *c)
{
    uint32_t tail = tail_of(c);

    if (!c->deferred) {
        return;
    }
    LOOM_CHECK(c->out_count == 0 && c->back_count == 0);
    for (uint32_t i = 0; i < c->capacity; i++) {
        if (c->place[i].at < LOOM_TAKEN) {
            c->place[i].at = c->room[i].at;
        }
    }
    c->room = c->place;
    c->tail = c->place + tail;
    c->tail_at = c->tail->at;
    c->out_at = c->back_at = NULL;
    c->deferred = false;
}

bool loom_channel_tie(struct loom_channel *c, struct loom_arena *arena)
{
    bool far, parted;

    c->sender_clock = c->sender->clock;
    c->receiver_clock = c->receiver->clock;
    c->sender_position = c->sender->position;
    c->receiver_position = c->receiver->position;
    c->receiver_row = c->receiver_clock->bucket + c->receiver_position / 64;
    c->receiver_bit = loom_bit(c->receiver_position % 64);
    far = c->head_at != LOOM_NEVER &&
          c->last_at - c->receiver_clock->base >= WHEEL_SLOTS;
    c->distant = c->distant || far;
    c->same_clock = c->sender_clock == c->receiver_clock;
    c->same_pace = c->sender_clock->hertz == c->receiver_clock->hertz;
    c->near = c->same_clock && c->credit < WHEEL_SLOTS && !c->distant;
    c->time = &c->sender->shard->now;
    parted = c->sender->shard != c->receiver->shard;
    c->across = !c->same_clock && !parted && !c->distant;
    c->deferred = parted && split(c, arena);
    return c->deferred == parted;
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

/* `message` in this place can be seen from `at` on. */
static LOOM_INLINE void land(struct loom_channel *c, struct place *place,
                             loom_cycle at, uint32_t message)
{
    place->at = LOOM_TAKEN | at;
    place->message = message;
    c->head_at = loom_choose(place == c->head, at, c->head_at);
    c->message = (uint32_t)loom_choose(place == c->head, message, c->message);
    *c->watch |= c->watched;
}

uint32_t loom_room(const struct loom_channel *channel, loom_cycle now)
{
    struct place *place = channel->tail;
    uint32_t room = 0;

    LOOM_CHECK(!channel->unsure);
    while (room < channel->capacity && place->at <= now) {
        room++;
        place = next_of(place);
    }
    return room;
}

bool loom_ready(struct loom_channel *channel, loom_cycle now)
{
    loom_cycle at = channel->tail_at;

    if (LOOM_LIKELY(at <= now)) {
        return true;
    }
    if (at >= LOOM_TAKEN) {
        LOOM_CHECK(!channel->unsure);
        channel->starved = true;
    } else {
        loom_clock_wake(channel->sender_clock, channel->sender_position, at);
    }
    return false;
}

static void defer_message(struct loom_channel *channel, loom_cycle now,
                          loom_cycle delay, uint32_t message)
{
    struct shard *from = channel->sender->shard;
    struct loom_channel **list = &from->sent[channel->receiver->shard->index];
    loom_cycle at = later(channel->sender_clock, channel->receiver_clock,
                          from->now, now, delay);

    at = at < channel->last_at ? channel->last_at : at;
    channel->last_at = at;
    channel->tail->at = LOOM_UNSEEN;
    channel->tail->message = message;
    channel->out_at[tail_of(channel)] = at;
    if (channel->out_count++ == 0) {
        channel->next_sent = *list;
        *list = channel;
    }
}

static LOOM_INLINE void *take_tail(struct loom_channel *c, uint32_t message)
{
    struct place *tail = next_of(c->tail);

    c->tail = tail;
    c->tail_at = tail->at;
    return (unsigned char *)c + message;
}

/* To another shard, far ahead, or before the next cycle with work. */
static LOOM_NOINLINE void *send_far(struct loom_channel *c, loom_cycle now,
                                    loom_cycle delay)
{
    uint32_t message;

    LOOM_CHECK(c->tail_at <= now);
    message = pop_message(c);
    delay += c->latency;
    if (LOOM_UNLIKELY(c->deferred)) {
        defer_message(c, now, delay, message);
    } else {
        loom_cycle at = now + delay;

        if (!c->same_clock) {
            at = loom_clock_after_near(c->receiver_clock, *c->time) + delay - 1;
        }
        at = at < c->last_at ? c->last_at : at;
        c->last_at = at;
        if (at - c->receiver_clock->base >= WHEEL_SLOTS) {
            /* The clock keeps the earliest only: pop_far() wakes for the one
             * that comes next. */
            c->distant = true;
            c->near = c->across = false;
        }
        loom_clock_wake(c->receiver_clock, c->receiver_position, at);
        land(c, c->tail, at, message);
    }
    return take_tail(c, message);
}

/* Without a call: most of what a run does is to send and to pop.  A message is
 * not seen before the one sent last. */
void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay)
{
    struct clock *clock = channel->receiver_clock;
    loom_cycle at = now + channel->latency + delay;
    uint32_t message;

    if (!channel->same_clock) {
        if (!channel->across || clock->met_time != *channel->time) {
            return send_far(channel, now, delay);
        }
        at += clock->met_cycle - 1 - now;
    }
    at = at < channel->last_at ? channel->last_at : at;
    if (LOOM_UNLIKELY(channel->tail_at > now ||
                      at - clock->base >= WHEEL_SLOTS || at < clock->next)) {
        return send_far(channel, now, delay);
    }
    channel->last_at = at;
    loom_clock_set(clock, channel->receiver_row, channel->receiver_bit, at);
    message = pop_message(channel);
    land(channel, channel->tail, at, message);
    return take_tail(channel, message);
}

void *loom_send_ahead(struct loom_channel *channel, loom_cycle now,
                      loom_cycle then)
{
    if (LOOM_UNLIKELY(channel->tail_at > now || !channel->same_pace)) {
        return NULL;
    }
    return loom_send(channel, now, then - now);
}

const void *loom_peek(const struct loom_channel *channel, loom_cycle now)
{
    return channel->head_at <= now
               ? (const unsigned char *)channel + channel->message
               : NULL;
}

static void defer_credit(struct loom_channel *channel, loom_cycle now)
{
    struct shard *from = channel->receiver->shard;
    struct loom_channel **list = &from->freed[channel->sender->shard->index];

    channel->back_at[head_of(channel)] =
        later(channel->receiver_clock, channel->sender_clock, from->now, now,
              channel->credit);
    if (channel->back_count++ == 0) {
        channel->next_freed = *list;
        *list = channel;
    }
}

/* A message that has been popped belongs to the sender again: who reads it
 * nevertheless shall notice. */
static LOOM_INLINE void forget(struct loom_channel *c, uint32_t message)
{
#ifdef LOOM_DEBUG
    memset((unsigned char *)c + message, 0xA5, c->size);
#else
    (void)c;
    (void)message;
#endif
}

/* The oldest place is empty and can be taken from `at` on. */
static LOOM_INLINE void vacate(struct loom_channel *c, loom_cycle at)
{
    forget(c, c->message);
    push_message(c, c->message);
    c->head->at = at;
    c->tail_at = loom_choose(c->head == c->tail, at, c->tail_at);
}

/* The oldest place is empty; its credit is on its way. */
static LOOM_INLINE void take_head(struct loom_channel *c, loom_cycle now)
{
    struct clock *clock = c->receiver_clock;
    struct place *head = next_of(c->head);
    loom_cycle at = head->at ^ LOOM_TAKEN; /* a ring of one: of the same */
    bool empty = at >= LOOM_TAKEN;

    c->head = head;
    clock->pops++;
    c->head_at = at | (0 - (uint64_t)empty); /* LOOM_NEVER */
    c->message = head->message;
    *c->watch &= ~(c->watched & (0 - (uint64_t)empty));
    if (at <= now) {
        /* A receiver that takes one message a cycle may go to sleep in
         * between: the next message wakes it again. */
        loom_clock_set(clock, c->receiver_row, c->receiver_bit, now + 1);
    }
}

/* To another shard, or with a message or a credit far ahead. */
static LOOM_NOINLINE void pop_far(struct loom_channel *c, loom_cycle now)
{
    LOOM_CHECK(c->head_at <= now);
    if (c->deferred) {
        forget(c, c->message);
        c->head->at = LOOM_UNPAID;
        defer_credit(c, now);
    } else {
        loom_cycle at = now + c->credit;

        if (!c->same_clock) {
            at = loom_clock_after_near(c->sender_clock, *c->time) + c->credit -
                 1;
        }
        if (c->starved) {
            c->starved = false;
            loom_clock_wake(c->sender_clock, c->sender_position, at);
        }
        vacate(c, at);
    }
    take_head(c, now);
    if (c->head_at > now && c->head_at != LOOM_NEVER) {
        loom_clock_wake(c->receiver_clock, c->receiver_position, c->head_at);
    }
}

void loom_pop(struct loom_channel *channel, loom_cycle now)
{
    loom_cycle at = now + channel->credit;

    if (LOOM_UNLIKELY(!channel->near)) {
        const struct clock *clock = channel->sender_clock;

        if (!channel->across || clock->met_time != *channel->time) {
            pop_far(channel, now);
            return;
        }
        if (channel->starved) {
            pop_far(channel, now);
            return;
        }
        at += clock->met_cycle - 1 - now;
    }
    LOOM_CHECK(channel->head_at <= now);
    vacate(channel, at);
    if (channel->starved) {
        channel->starved = false;
        loom_clock_wake_near(channel->sender_clock, channel->sender_position,
                             at);
    }
    take_head(channel, now);
}

void loom_channel_take_messages(struct loom_channel *c, loom_cycle soonest)
{
    for (; c->out_count != 0; c->out_count--) {
        uint32_t number = c->out_first;
        loom_cycle at = c->out_at[number];

        LOOM_CHECK(at >= soonest);
        land(c, &c->place[number], at, c->room[number].message);
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
        push_message(c, c->room[number].message);
        c->room[number].at = at;
        if (&c->room[number] == c->tail) {
            c->tail_at = at;
        }
        if (c->starved) {
            c->starved = false;
            loom_clock_wake(c->sender_clock, c->sender_position, at);
        }
        c->back_first = after(c, number);
    }
}

const void *loom_newest(const struct loom_channel *channel, loom_cycle *at)
{
    uint32_t tail = tail_of(channel);

    if (channel->head_at == LOOM_NEVER) {
        return NULL;
    }
    *at = channel->last_at;
    tail = tail == 0 ? channel->capacity - 1 : tail - 1;
    return (const unsigned char *)channel + channel->room[tail].message;
}

loom_cycle loom_arrival(const struct loom_channel *channel)
{
    return channel->head_at;
}

uint32_t loom_occupancy(const struct loom_channel *channel)
{
    uint32_t capacity = channel->capacity;
    uint32_t head = head_of(channel), tail = tail_of(channel);

    if (tail == head) {
        return channel->head_at != LOOM_NEVER ? capacity : 0;
    }
    return tail > head ? tail - head : capacity - head + tail;
}

/* Their first word says where the next one is. */
void loom_channel_rest(struct loom_channel *c)
{
    uint32_t count = c->capacity - loom_occupancy(c);
    uint32_t message = c->free;

    for (uint32_t i = 0; i < count; i++) {
        unsigned char *at = (unsigned char *)c + message;
        uint32_t link;

        memcpy(&link, at, sizeof(link));
        memset(at + sizeof(link), 0, c->stride - sizeof(link));
        message += c->stride + link;
    }
}

uint32_t loom_capacity(const struct loom_channel *channel)
{
    return channel->capacity;
}

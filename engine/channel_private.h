/*
 * The inside of a channel.  Only files in engine/ include this.
 */
#ifndef ENGINE_CHANNEL_PRIVATE_H
#define ENGINE_CHANNEL_PRIVATE_H

#include "engine/arena_private.h"
#include "engine/clock_private.h"
#include "engine/machine.h"

/* A place of a channel.  With LOOM_TAKEN: the receiver's cycle from which its
 * message can be seen; without: the sender's from which it can be taken.  So
 * peek and ready are one comparison each, and places that nothing was ever in
 * are zero, memory that nobody has touched. */
#define LOOM_TAKEN (UINT64_C(1) << 63)
#define LOOM_UNSEEN UINT64_MAX       /* taken; it arrives after the window */
#define LOOM_UNPAID (LOOM_TAKEN - 1) /* empty until a credit comes */

struct place {
    loom_cycle at;
    uint32_t message; /* where it is, in bytes after the channel's start */
    int32_t step;     /* from the end of this one to the next of the ring */
};

/* The first two cache lines and a place are all that most sends and pops need
 * of it, and the first one is all that it takes to find out whether there is
 * anything to do: head_at, message and tail_at repeat what the places at both
 * ends say.  After it lie its places and after those its messages.  The memory
 * of the message that was popped last is filled next, as it is still in the
 * cache: a long ring that is nearly empty costs no more than a short one. */
struct loom_channel {
    _Alignas(LOOM_LINE) loom_cycle head_at; /* arrival of the oldest */
    loom_cycle tail_at; /* when `tail` can be taken; LOOM_TAKEN is set: unknown,
                         * it waits for its credit */
    struct place *head;
    struct place *tail; /* of `room` */
    loom_cycle last_at; /* arrival of the message sent last */
    uint32_t message;   /* of the head */
    uint32_t free;      /* message to fill next; its first word is how far
                         * the next lies behind the one after it */
    uint32_t latency, credit;
    bool same_clock;
    bool same_pace; /* clocks of one frequency */
    bool near;      /* same clock, and credits within the wheel's horizon */
    bool across;    /* other clock of the same shard */
    bool deferred;  /* sender and receiver are of different shards */
    bool distant;   /* it had a message beyond the wheel's horizon */

    struct clock *receiver_clock;
    uint64_t *receiver_row; /* of the wheel: its word of slot 0 */
    uint64_t receiver_bit;  /* its bit in such words */
    uint64_t *watch;        /* word in which `watched` is set while not empty */
    uint64_t watched;       /* bit, or none */
    struct clock *sender_clock;
    const loom_time *time; /* of the sender's shard */
    uint32_t capacity;     /* places */
    /* The sender found it full and wants to be woken.  Not beside the others:
     * the receiver of another shard reads those, together, when it may not
     * read this. */
    bool starved;
    bool unsure;     /* the sender runs ahead: credits to come are not known */
    uint16_t stride; /* bytes from message to message */

    uint32_t receiver_position, sender_position;
    struct loom_component *sender, *receiver;
    uint32_t size;      /* bytes of a message */
    struct place *room; /* [capacity] as the sender sees them */
    /* Between shards, where `room` is the sender's own: what is handed over
     * at the end of a window.  NULL otherwise. */
    loom_cycle *out_at;  /* [capacity] arrivals, written by the sender */
    loom_cycle *back_at; /* [capacity] credits, written by the receiver */
    uint32_t out_first, out_count, back_first, back_count;
    struct loom_channel *next_sent, *next_freed;
    struct place place[]; /* [capacity] as the receiver sees them */
};

struct loom_channel *loom_channel_create(struct loom_machine *machine,
                                         struct loom_component *sender,
                                         struct loom_component *receiver,
                                         size_t size, struct loom_wire wire);
/* Once clocks and positions are known: at first, or after
 * loom_channel_gather(). */
bool loom_channel_tie(struct loom_channel *c, struct loom_arena *arena);
/* Between windows: the sender's and the receiver's places become one again. */
void loom_channel_gather(struct loom_channel *c);
/* Clears messages that have been taken (engine/image.h). */
void loom_channel_rest(struct loom_channel *c);
/* Between windows: what the other shard sent or freed; none of it is due
 * before `soonest`. */
void loom_channel_take_messages(struct loom_channel *c, loom_cycle soonest);
void loom_channel_take_credits(struct loom_channel *c, loom_cycle soonest);

#endif

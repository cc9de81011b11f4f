/*
 * Bounded, typed channels: the only way two components talk.
 *
 * A link joins a client port and a server port of the same protocol and makes
 * two channels: client to server (requests) and server to client (replies).
 * Each channel is a queue of `capacity` messages with two latencies:
 *
 *   forward  a message sent at an edge of the sender is seen by the receiver
 *            `latency` receiver cycles later, never in the cycle it was sent;
 *   credit   a place freed by loom_pop() is free for the sender
 *            `credit` sender cycles later, never in the cycle it was freed.
 *
 * Both are at least 1, so the order in which components tick within a cycle
 * cannot matter.  Between different clocks the first receiver edge strictly
 * after the sender's counts as one cycle.  Full rate needs
 * capacity >= latency + credit.
 *
 * Messages leave in the order in which they entered, also when one was sent
 * with a longer delay than the next.  A message is a plain struct of at most
 * LOOM_MESSAGE_MAX bytes, copied by value.
 *
 * Only the sending component's tick may call loom_ready and loom_send, only
 * the receiving component's tick loom_peek and loom_pop.
 */
#ifndef ENGINE_CHANNEL_H
#define ENGINE_CHANNEL_H

#include "engine/base.h"

#define LOOM_MESSAGE_MAX 96

struct loom_channel;

/* What is said over a link.  Protocols are compared by address. */
struct loom_protocol {
    const char *name;
    const char *doc;
    size_t request_size; /* client to server; 0: nothing is sent that way */
    size_t reply_size;   /* server to client; 0: nothing is sent that way */
};

enum loom_role {
    LOOM_CLIENT, /* sends requests, receives replies */
    LOOM_SERVER  /* receives requests, sends replies */
};

struct loom_port_decl {
    const char *name;
    const char *doc;
    enum loom_role role;
    const struct loom_protocol *protocol;
    uint32_t min, max; /* how many links: {1,1} one, {0,1} optional, {1,n} a
                        * vector */
};

struct loom_ports {
    const struct loom_port_decl *item;
    size_t count;
};

/* Sender: is there a free place at cycle `now` of the sender's clock?  If
 * not, the sender is woken when one becomes free. */
bool loom_ready(struct loom_channel *channel, loom_cycle now);

/* Sender: free places at `now`.  Does not arrange for a wake-up. */
uint32_t loom_room(const struct loom_channel *channel, loom_cycle now);

/* Sender: takes the next place; loom_ready must hold.  The caller fills the
 * message in place before its tick returns.  `delay` more cycles than the
 * channel's latency pass before it is seen (of the receiver's clock). */
void *loom_send(struct loom_channel *channel, loom_cycle now, loom_cycle delay);

/* Sender: the same as loom_send() in cycle `then`, from `now` on, if it is
 * known now that this will be possible and when the message will be seen: a
 * place is free, and the receiver's clock is as fast.  NULL: it is not. */
void *loom_send_ahead(struct loom_channel *channel, loom_cycle now,
                      loom_cycle then);

/* Receiver: the oldest message that has arrived by cycle `now` of the
 * receiver's clock, or NULL.  It stays valid until loom_pop(). */
const void *loom_peek(const struct loom_channel *channel, loom_cycle now);
void loom_pop(struct loom_channel *channel, loom_cycle now);

/* Receiver: cycle at which the oldest message can be seen; LOOM_NEVER if the
 * channel is empty. */
loom_cycle loom_arrival(const struct loom_channel *channel);

/* Receiver, between windows: the message that was sent last and the cycle at
 * which it can be seen; NULL if the channel is empty. */
const void *loom_newest(const struct loom_channel *channel, loom_cycle *at);

/* Receiver, once, in its init: from then on the one bit of `bit` is set in
 * *word while the channel holds a message, arrived or not, so that a component
 * of many ports need not ask each. */
void loom_watch(struct loom_channel *channel, uint64_t *word, uint64_t bit);

/* Messages in the channel, arrived or not. */
uint32_t loom_occupancy(const struct loom_channel *channel);
uint32_t loom_capacity(const struct loom_channel *channel);

#endif

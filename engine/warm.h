/*
 * Warming: messages that change what a component remembers (tags, what its
 * policies know, open rows) and take no time.
 *
 * A warm message is served in the call: the receiver does what it would have
 * done, asks components below it in the same way, and turns the message into
 * its reply.  Nothing waits, so nothing is ever under way afterwards.  It is
 * what gem5 calls an atomic access.
 *
 * What is under way in messages of channels stays as it is: a warm message
 * neither waits for it nor answers it.  One thread sends them, while none runs
 * the machine.
 */
#ifndef ENGINE_WARM_H
#define ENGINE_WARM_H

#include "engine/component.h"

struct loom_warm_ops {
    /* Serves `message`, a request of the port's protocol, at cycle `now` of
     * the component's clock, and turns it into the reply, if there is one.
     * NULL: it serves none, as it sends them only. */
    void (*serve)(struct loom_component *self, void *message, loom_cycle now);

    /* Is nothing under way that a warm message could meet?  Required. */
    bool (*quiet)(struct loom_component *self);

    /* Nothing is under way: what it kept of launches that are over, and does
     * not look at any more, is cleared, so that no address of theirs is in an
     * image (engine/image.h).  Optional. */
    void (*rest)(struct loom_component *self);
};

/* Sends a warm message to the component that receives from `channel`, which
 * must have `serve`.  Only the sender's tick, serve or command may call it. */
void loom_warm(const struct loom_channel *channel, void *message);
/* Does the component that receives from `channel` serve warm messages? */
bool loom_warms(const struct loom_channel *channel);

#endif

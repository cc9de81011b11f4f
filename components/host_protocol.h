/*
 * Between the host (whoever drives the machine) and the GPU.
 *
 * The Lua host program calls loom_machine_command() on the `host` component
 * with a struct loom_host_command: a task, which is queued.  Tasks of one
 * stream are done in order; those of different streams at the same time where
 * the machine allows it.  The host calls loom_notify() whenever a task is
 * complete; the driver then looks at struct loom_task.
 *
 * Timing only.  What copies do to memory is the driver's business, which
 * keeps the order in which tasks were given (see loom_launch.executed).
 */
#ifndef COMPONENTS_HOST_PROTOCOL_H
#define COMPONENTS_HOST_PROTOCOL_H

#include "engine/channel.h"

#include "workloads/stream.h"

/* Streams are numbered from 0.  A task of stream 0, CUDA's legacy default
 * stream, waits for all that were given before it, and all that are given
 * after it wait for it. */
#define LOOM_DEFAULT_STREAM 0u
#define LOOM_STREAMS 1024u

enum loom_task_kind {
    LOOM_TASK_LAUNCH, /* struct loom_launch */
    LOOM_TASK_COPY,   /* struct loom_copy */
    LOOM_TASK_MARK,   /* struct loom_task: notes the time it is reached */
    LOOM_TASK_WAIT    /* struct loom_wait: the stream waits for another task */
};

/* What every task has.  Owned by the driver; stays valid until complete. */
struct loom_task {
    enum loom_task_kind kind;
    uint32_t stream;  /* below LOOM_STREAMS */
    loom_time queued; /* command given */
    loom_time start;  /* LAUNCH: first CTA sent to an SM */
    loom_time end;    /* LAUNCH: last CTA done; meaningful if complete */
    bool complete;
};

/* When a launch may begin, after the one before it in its stream. */
enum loom_begin {
    LOOM_BEGIN_LATE,  /* ended, and the gpu's launch_gap later */
    LOOM_BEGIN_SOON,  /* ended: in a graph */
    LOOM_BEGIN_EARLY, /* each of its CTAs has ended or said so
                       * (griddepcontrol.launch_dependents): programmatic stream
                       * serialization */
    LOOM_BEGINS
};

struct loom_launch {
    struct loom_task task; /* first */
    const struct loom_kernel *kernel;
    uint64_t insts;    /* warp instructions of the CTAs sent so far */
    uint64_t resident; /* CTAs of it that the gpu holds; 0: not yet known */

    uint8_t begins; /* enum loom_begin */
    /* Set by the host: the launch before it in its stream, which had not ended
     * when this one was sent; or NULL. */
    const struct loom_launch *after;

    /* A kernel has launched it: the launch of that one, its CTA, and how many
     * others that has launched before.  NULL: the host has.  It may begin as
     * soon as that is so in time, if its stream is free. */
    const struct loom_launch *parent;
    uint32_t parent_cta, parent_before;
    /* Of one that may launch others: how many each CTA has launched so far, or
     * UINT32_MAX, it is done; [CTAs], the driver's, 0 at first.  NULL: it
     * launches none. */
    uint32_t *launched;

    /* It takes no time: it is executed and left out at once, as a warm message
     * (engine/warm.h) on an idle machine; the last CTAs make their accesses
     * (cta_protocol.h). */
    bool passed;
    uint64_t warm; /* so many of them */

    /* All CTAs are sent, so all have been executed functionally, and so have
     * those of all launches given before; those of later ones have not. */
    bool produced;
    /* Called at that moment, in the gpu's tick, to do what the driver was
     * told to do after this launch and before the next one.  May be NULL. */
    bool (*executed)(struct loom_launch *launch, struct loom_error *err);
};

enum loom_copy_way {
    LOOM_COPY_TO_DEVICE,
    LOOM_COPY_TO_HOST,
    LOOM_COPY_WITHIN,  /* the device; filling, too */
    LOOM_COPY_ON_HOST, /* its processor gathers into a pinned buffer, or
                        * scatters out of one; no bus is used */
    LOOM_COPY_WAYS
};

struct loom_copy {
    struct loom_task task; /* first */
    enum loom_copy_way way;
    uint64_t bytes;
};

struct loom_wait {
    struct loom_task task; /* first */
    const struct loom_task *until;
};

struct loom_host_command {
    struct loom_task *task;
};

/* The message on the host's link to the gpu, and its reply (the gpu has
 * filled in start and end by then; the host sets `complete`). */
struct loom_launch_message {
    struct loom_launch *launch;
};

/* Client: the host.  Server: the gpu. */
extern const struct loom_protocol loom_launch_protocol;

#endif

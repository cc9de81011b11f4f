/*
 * Between the host (whoever drives the machine) and the GPU.
 *
 * The Lua host program calls loom_machine_command() on the `host` component
 * with a struct loom_host_command; the host queues launches in order and
 * sends them over a link to the gpu.  It calls loom_notify() whenever a
 * kernel has completed; the driver then reads loom_launch.end.
 */
#ifndef COMPONENTS_HOST_PROTOCOL_H
#define COMPONENTS_HOST_PROTOCOL_H

#include "engine/channel.h"

#include "workloads/stream.h"

/* One launch and what is known of it.  Owned by the driver; stays valid
 * until it is complete. */
struct loom_launch {
    const struct loom_kernel *kernel;
    uint32_t stream;  /* launches of one stream run in order */
    loom_time queued; /* command given */
    loom_time start;  /* first CTA sent to an SM */
    loom_time end;    /* last CTA done; meaningful if complete */
    bool complete;
};

enum loom_host_kind {
    LOOM_HOST_LAUNCH
};

struct loom_host_command {
    enum loom_host_kind kind;
    struct loom_launch *launch;
};

/* The message on the host's link to the gpu, and its reply (the gpu has
 * filled in start and end by then; the host sets `complete`). */
struct loom_launch_message {
    struct loom_launch *launch;
};

/* Client: the host.  Server: the gpu. */
extern const struct loom_protocol loom_launch_protocol;

#endif

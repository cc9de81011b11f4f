/*
 * Inside the host component.
 */
#ifndef COMPONENTS_HOST_HOST_PRIVATE_H
#define COMPONENTS_HOST_HOST_PRIVATE_H

#include "engine/component.h"

#include "components/host_protocol.h"

struct host_config {
    uint32_t queue;
    uint32_t launch_latency;
    uint32_t concurrent_kernels;
    uint32_t copy_engines;
    uint32_t copy_latency;
    uint64_t copy_bandwidth;
    uint64_t device_bandwidth;
    uint64_t gather_bandwidth;
};

struct host_stats {
    uint64_t launches;
    uint64_t completed;
    uint64_t copies;
    uint64_t bytes_to_device;
    uint64_t bytes_to_host;
    uint64_t bytes_within;
    uint64_t copy_cycles;
    uint64_t gathers;
    uint64_t bytes_gathered;
    uint64_t gather_cycles;
};

enum {
    HOST_ENGINES = 4, /* to the device or both ways, to the host, within, CPU */
    HOST_WORDS = LOOM_STREAMS / 64
};

struct host_entry {
    struct loom_task *task; /* NULL: complete, and not ours any more */
    bool started;
};

struct host_engine {
    struct loom_task *task; /* NULL: free */
    loom_cycle end;
};

struct host {
    struct loom_component *self;
    const struct host_config *config;
    struct host_stats *stats;
    struct loom_channel *out, *in;
    struct host_entry *entry; /* [config->queue], a ring */
    uint64_t head;            /* oldest that is not complete */
    uint64_t stamped;         /* first without a time of its command */
    uint64_t tail;            /* first free */
    uint32_t running;         /* launches */
    struct host_engine engine[HOST_ENGINES];
};

/* ---- copy.c ---- */

/* It takes no time. */
bool host_copies_at_once(const struct host *host, const struct loom_copy *copy);
void host_count_copy(struct host *host, const struct loom_copy *copy);
/* false: its engine is busy. */
bool host_start_copy(struct host *host, struct loom_copy *copy, loom_cycle now);

#endif

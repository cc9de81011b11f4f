/*
 * Between whoever executes kernels without timing (lua/locality.c) and the
 * locality, which has no time: it gets commands and never ticks.
 */
#ifndef COMPONENTS_LOCALITY_PROTOCOL_H
#define COMPONENTS_LOCALITY_PROTOCOL_H

#include "components/mem_protocol.h"

/* What a launch executed. */
struct loom_locality_launch {
    uint64_t insts, thread_insts; /* of all kinds */
    uint64_t loads, lines;        /* of global and local memory */
};

/* To a locality: an access to a line for one of its caches, or a launch that is
 * over. */
struct loom_locality_command {
    const struct loom_mem_request *request; /* NULL: a launch */
    uint32_t cache;                         /* link of port `caches` */
    struct loom_locality_launch launch;
};

#endif

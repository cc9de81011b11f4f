/*
 * Between whoever executes kernels without timing (lua/locality.c) and the
 * components without time: they get commands, never messages, and never tick.
 */
#ifndef COMPONENTS_LOCALITY_PROTOCOL_H
#define COMPONENTS_LOCALITY_PROTOCOL_H

#include "components/mem_protocol.h"

/* To a locality_cache: one access to one line, or a question. */
struct loom_locality_command {
    const struct loom_mem_request *request; /* NULL: only asks */
    /* When the block is loaded next, LOOM_NEVER if it is written before that
     * or not loaded again; if the cache needs the future. */
    uint64_t next_use;
    bool *needs_future; /* the answer, if it only asks */
};

/* To the locality: what a launch executed. */
struct loom_locality_launch {
    uint64_t insts, thread_insts; /* of all kinds */
    uint64_t loads, lines;        /* of global and local memory */
};

#endif

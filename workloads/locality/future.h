/*
 * Accesses kept in their order until all have come, so that each can be
 * served with the knowledge of when its block is loaded next.
 *
 * Needs about 32 bytes per access, and 32 per distinct block at the end.
 */
#ifndef WORKLOADS_LOCALITY_FUTURE_H
#define WORKLOADS_LOCALITY_FUTURE_H

#include "engine/error.h"

#include "components/mem_protocol.h"

struct loom_future;

struct loom_future *loom_future_create(struct loom_error *err); /* or NULL */
void loom_future_destroy(struct loom_future *future);           /* or NULL */

/* Adds an access: its block, kind, inst, cta, sm, warp and space are
 * kept. */
bool loom_future_add(struct loom_future *future,
                     const struct loom_mem_request *request,
                     struct loom_error *err);

/* Told of each access in order: `next_use` is the number (from 0) of the next
 * access to the block if that is a load, else LOOM_NEVER. */
typedef bool loom_future_sink(void *context,
                              const struct loom_mem_request *request,
                              uint64_t next_use, struct loom_error *err);

/* While they are told: when a block is loaded next, counted after the access
 * that is being told.  `future` is a struct loom_future. */
uint64_t loom_future_next(const void *future, loom_addr block);

/* Tells all and forgets them. */
bool loom_future_replay(struct loom_future *future, loom_future_sink *sink,
                        void *context, struct loom_error *err);

#endif

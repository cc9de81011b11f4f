/*
 * The identity of the memory protocol.
 *
 * Protocols are compared by address, so there is exactly one object and it
 * lives beside its header rather than in one of the components that speak it.
 */
#include "components/mem_protocol.h"

const struct loom_protocol loom_mem_protocol = {
    .name = "mem",
    .doc = "Memory requests towards memory, replies back",
    .request_size = sizeof(struct loom_mem_request),
    .reply_size = sizeof(struct loom_mem_request),
};

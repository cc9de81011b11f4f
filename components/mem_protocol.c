/*
 * The identity of the memory protocol, and the names of its kinds.
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

const char *const loom_mem_kind_names[LOOM_MEM_KINDS + 1] = {
    [LOOM_MEM_LOAD] = "load",     [LOOM_MEM_STORE] = "store",
    [LOOM_MEM_ATOMIC] = "atomic", [LOOM_MEM_WRITEBACK] = "writeback",
    [LOOM_MEM_QUERY] = "query",   [LOOM_MEM_FLUSH] = "flush",
};

/*
 * The identity of the link between an SM and its load/store unit.
 */
#include "components/warp_protocol.h"

const struct loom_protocol loom_warp_protocol = {
    .name = "warp",
    .doc = "Warp memory instructions, and word of those completed",
    .request_size = sizeof(struct loom_warp_access),
    .reply_size = sizeof(struct loom_warp_done),
};

/*
 * The identity of the link between the host and the GPU.
 */
#include "components/host_protocol.h"

const struct loom_protocol loom_launch_protocol = {
    .name = "launch",
    .doc = "Kernel launches, and word of those complete",
    .request_size = sizeof(struct loom_launch_message),
    .reply_size = sizeof(struct loom_launch_message),
};

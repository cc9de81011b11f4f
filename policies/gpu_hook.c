/*
 * The identity of the GPU's hook.
 */
#include "policies/gpu_hook.h"

const struct loom_hook loom_dispatch_hook = {
    .name = "dispatch",
    .doc = "Chooses the SM that gets the next CTA",
};

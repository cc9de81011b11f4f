/*
 * The identities of the SM's hooks.
 */
#include "policies/sm_hook.h"

const struct loom_hook loom_scheduler_hook = {
    .name = "scheduler",
    .doc = "Picks the warp that issues next",
};

const struct loom_hook loom_throttle_hook = {
    .name = "throttle",
    .doc = "Says which warps may issue",
    .chain = true,
};

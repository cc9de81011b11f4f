/*
 * The identities of the network hooks.
 *
 * Hooks are compared by address; a network routes by one rule and each output
 * has one arbiter, so neither hook chains.
 */
#include "policies/noc_hook.h"

const struct loom_hook loom_routing_hook = {
    .name = "routing",
    .doc = "Output by which a packet leaves a router",
};

const struct loom_hook loom_arbiter_hook = {
    .name = "arbiter",
    .doc = "Which of the inputs that want an output gets it",
};

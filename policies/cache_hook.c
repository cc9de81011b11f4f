/*
 * The identities of the cache's hooks.
 *
 * Questions that restrict (admit, allocation, candidates) chain; there is
 * one replacement order, one set index and one power state per line.
 */
#include "policies/cache_hook.h"

const struct loom_hook loom_admit_hook = {
    .name = "admit",
    .doc = "Sends accesses around a cache before they are looked up",
    .chain = true,
};

const struct loom_hook loom_allocation_hook = {
    .name = "allocation",
    .doc = "Decides whether a miss gets a line, and what a failed access does",
    .chain = true,
};

const struct loom_hook loom_candidates_hook = {
    .name = "candidates",
    .doc = "Restricts the ways that may be replaced",
    .chain = true,
};

const struct loom_hook loom_replacement_hook = {
    .name = "replacement",
    .doc = "Chooses the victim, the place of insertion and the promotion",
};

const struct loom_hook loom_set_index_hook = {
    .name = "set_index",
    .doc = "Set of an address",
};

const struct loom_hook loom_power_hook = {
    .name = "power",
    .doc = "Turns lines on, drowsy or off",
};

/*
 * The identities of the memory system's hooks.
 *
 * Hooks are compared by address; an address lives in one place and a command
 * bus carries one command, so neither hook chains.
 */
#include "policies/dram_hook.h"

const struct loom_hook loom_map_hook = {
    .name = "map",
    .doc = "Channel, slice, bank, row and column of an address",
};

const struct loom_hook loom_schedule_hook = {
    .name = "schedule",
    .doc = "Next command among the queued requests of a DRAM channel",
};

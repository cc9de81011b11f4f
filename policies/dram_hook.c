/*
 * The identities of the memory system's hooks.
 *
 * Hooks are compared by address.  An address lives in one place, a command
 * bus carries one command and a row is closed once, so only watchers chain.
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

const struct loom_hook loom_page_hook = {
    .name = "page",
    .doc = "When a row that nobody wants any more is closed",
};

const struct loom_hook loom_commands_hook = {
    .name = "commands",
    .doc = "Told every command of a DRAM channel",
    .chain = true,
};

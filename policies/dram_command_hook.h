/*
 * The questions about a DRAM channel's rows, and its commands: when a row that
 * nobody wants is closed, and who watches the command bus.
 */
#ifndef POLICIES_DRAM_COMMAND_HOOK_H
#define POLICIES_DRAM_COMMAND_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"

extern const struct loom_hook loom_page_hook;
extern const struct loom_hook loom_commands_hook; /* a chain */

/* ---- open rows ---- */

struct loom_page_ops {
    /* A column of `row` was read or written at `now`, and no queued request
     * wants the row any more.  From which cycle on shall it be closed, if none
     * comes?  LOOM_NEVER: it stays open until the bank is needed for another
     * row.  Closing takes the row command bus when nobody else wants it.
     * Required. */
    loom_cycle (*close_at)(struct loom_policy *self, uint32_t bank,
                           uint32_t row, loom_cycle now);
};

/* ---- watching the command bus ---- */

enum loom_dram_command {
    LOOM_DRAM_ACT,
    LOOM_DRAM_PRE,
    LOOM_DRAM_RD,
    LOOM_DRAM_WR,
    LOOM_DRAM_REF,  /* of all banks; `bank` means nothing */
    LOOM_DRAM_REFB, /* of one bank */
    LOOM_DRAM_PREA  /* of all banks that are open; `bank` means nothing */
};

struct loom_command_event {
    loom_cycle now; /* of the command clock */
    enum loom_dram_command command;
    uint32_t bank;
    uint32_t row;    /* ACT, RD, WR: the open row */
    uint32_t column; /* RD, WR: in bursts */
};

struct loom_commands_shape {
    uint32_t channel; /* hardware index */
    uint32_t banks, groups;
    bool low_groups; /* a bank's group: its low bits, else its high ones */
};

struct loom_commands_ops {
    bool (*bind)(struct loom_policy *self,
                 const struct loom_commands_shape *shape,
                 struct loom_error *err); /* optional */
    /* Told in order of time; those of refreshes while the channel slept, when
     * it wakes. */
    void (*issued)(struct loom_policy *self,
                   const struct loom_command_event *event);
    /* The last command of a request that arrived at `arrived` is out; its data
     * has passed at `ready`.  Optional. */
    void (*served)(struct loom_policy *self,
                   const struct loom_mem_request *request, loom_cycle arrived,
                   loom_cycle now, loom_cycle ready);
};

#endif

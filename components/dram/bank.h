/*
 * Banks of a DRAM channel and of its pseudo channels.
 */
#ifndef COMPONENTS_DRAM_BANK_H
#define COMPONENTS_DRAM_BANK_H

#include "engine/base.h"

#define DRAM_WINDOW 32 /* activates remembered, for t32AW */

/* Commands to a bank, for tables of times. */
enum dram_kind {
    DRAM_ACT,
    DRAM_PRE,
    DRAM_RD,
    DRAM_WR,
    DRAM_KINDS
};

struct dram_bank {
    uint64_t entries; /* requests of this bank */
    uint64_t hits;    /* of these, for the open row */
    uint64_t accesses;
    uint32_t row;
    bool open;
    bool touched; /* a column of the open row was read or written */
};

/* Who may have to wait for a kind of command, see plan.c. */
struct dram_late {
    uint64_t banks; /* for their own time */
    uint64_t mates; /* for their group's: whole groups */
};

/* Activates of a pseudo channel, which is a data bus with its banks. */
struct dram_half {
    loom_cycle activated[DRAM_WINDOW]; /* the last ones, a ring */
    uint64_t activates;
};

#endif

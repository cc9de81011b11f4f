/*
 * The inside of a DRAM channel, shared by its files:
 *
 *   dram.c     what the outside sees: parameters, statistics, ports, slots
 *   command.c  banks and timing: which command may be issued when
 *   queue.c    requests in, commands chosen, replies out
 *
 * Timing is kept as the earliest cycle of each kind of command, per bank, per
 * bank group and for the channel.  A command pushes those forward when it is
 * issued, so nothing is counted down and an idle cycle costs nothing.
 *
 * Entries of the request queue are bits of 64-bit words.
 */
#ifndef COMPONENTS_DRAM_DRAM_PRIVATE_H
#define COMPONENTS_DRAM_DRAM_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/dram_hook.h"

enum {
    DRAM_ENTRIES = 64,
    DRAM_BANKS = 64,
    DRAM_PORTS = 16,
    DRAM_WINDOW = 32 /* activates remembered, for t32AW */
};

/* Times are cycles of the command clock. */
struct dram_config {
    uint32_t channels, slices_per_channel;
    uint32_t banks, bank_groups;
    const char *group_bits;
    uint32_t bus_bytes, burst_length, data_rate;
    uint32_t tccd, tccdl, trrd, trrdl, trcd, trcdwr, tras, trp, trc;
    uint32_t cl, wl, tcdlr, tcdlrl, twr, trtp, trtpl, trtrs;
    uint32_t tfaw, t32aw, trefi, trfc;
    bool dual_bus;
    uint32_t queue_entries, return_entries, latency, reply_lead;
};

struct dram_stats {
    uint64_t cycles;
    uint64_t read_requests, write_requests, queries;
    uint64_t replies, writebacks;
    uint64_t reads, writes, columns, row_hits;
    uint64_t activates, precharges, refreshes;
    uint64_t bytes_read, bytes_written, bytes;
    uint64_t busy_cycles;
    uint64_t queue_cycles, queue_full_cycles;
    struct loom_array bank_activates, bank_accesses;
    struct loom_histogram read_latency, write_latency;
};

/* What follows from the configuration. */
struct dram_timing {
    uint32_t burst, atom_bytes;
    uint32_t ccd, ccdl, rrd, rrdl, rcdrd, rcdwr, ras, rp, rc;
    uint32_t rtp, rtpl;
    uint32_t rtw, wtr, wtrl, wtp; /* last column command to the next one */
};

enum dram_command {
    DRAM_ACTIVATE,
    DRAM_PRECHARGE,
    DRAM_READ,
    DRAM_WRITE,
    DRAM_REFRESH /* all banks */
};

/* Earliest cycle of each command as far as this level is concerned. */
struct dram_earliest {
    loom_cycle act, pre, rd, wr;
};

struct dram_bank {
    struct dram_earliest at;
    uint64_t entries; /* requests of this bank */
    uint64_t hits;    /* of these, for the open row */
    uint32_t row, group;
    bool open;
    bool touched; /* a column of the open row was read or written */
};

struct dram_entry {
    struct loom_mem_request request;
    loom_cycle arrived;
    uint32_t left; /* column commands still to issue */
    uint32_t port;
};

/* A request whose last column command is out. */
struct dram_return {
    struct loom_mem_request request;
    loom_cycle arrived;
    loom_cycle ready; /* when the reply may leave */
    uint32_t port;
    bool silent; /* a write-back: nobody is told */
};

struct dram {
    struct dram_timing t;
    /* command.c */
    struct dram_bank bank[DRAM_BANKS];
    struct dram_earliest group[DRAM_BANKS], channel;
    loom_cycle activated[DRAM_WINDOW]; /* the last ones, a ring */
    uint64_t activates;
    /* Banks that have requests: closed ones; open ones with a request for the
     * open row; open ones with a request for another row. */
    uint64_t closed_banks, hit_banks, miss_banks;
    loom_cycle refresh_at;
    /* queue.c */
    uint64_t waiting, writes, hits, usable; /* usable: entries that exist */
    uint64_t sequence;
    uint64_t order[DRAM_ENTRIES];
    uint8_t newer[DRAM_ENTRIES], older[DRAM_ENTRIES];
    uint32_t newest;
    uint32_t bank_of[DRAM_ENTRIES];
    uint32_t row_of[DRAM_ENTRIES];
    struct dram_entry entry[DRAM_ENTRIES];
    struct dram_return *back; /* [return_entries], a ring by `ready` */
    uint32_t back_head, back_count;
    loom_cycle command_at; /* no command is possible before */
    bool declined;         /* one is possible, but the policy said no */
    bool spares_rows;      /* the policy never closes a row that is wanted */
    bool planned;          /* the masks of `view` are legal from plan_at on, */
    loom_cycle plan_at;    /* and nothing else is before plan_next */
    loom_cycle plan_next;
    loom_cycle counted;    /* occupancy is counted up to here */
    loom_cycle full_since; /* a request waits for a place; or LOOM_NEVER */
    uint32_t ports, turn;  /* port that is looked at first */
    uint64_t arriving;     /* ports that hold a request, arrived or not */
    struct loom_channel *in[DRAM_PORTS], *out[DRAM_PORTS];
    const struct dram_config *config;
    struct dram_stats *stats;
    struct loom_policy *map;
    const struct loom_map_ops *map_ops;
    struct loom_schedule_view view;
    struct loom_policy *schedule;
    const struct loom_schedule_ops *schedule_ops;
};

/* ---- command.c ---- */

void dram_derive(const struct dram_config *config, struct dram_timing *t);
void dram_start(struct dram *dram);
/* Finds the earliest cycle from `from` on at which a command is legal:
 * plan_at; which are, as masks of the view; and when it may be more of them:
 * plan_next. */
void dram_plan(struct dram *dram, loom_cycle from);
/* A request has arrived, whose first command may go out at `from`. */
void dram_plan_entry(struct dram *dram, uint32_t entry, loom_cycle from);
/* The one place where commands are issued. */
void dram_issue(struct dram *dram, enum dram_command command, uint32_t bank,
                uint32_t row, loom_cycle now);
/* Refresh is due: closes a bank, or refreshes.  Returns when to go on, or
 * `now` if the command bus was not needed. */
loom_cycle dram_refresh(struct dram *dram, loom_cycle now);
/* Refreshes up to cycle `now` that happened while the queue was empty. */
void dram_refresh_idle(struct dram *dram, loom_cycle now);

/* ---- queue.c ---- */

bool dram_bind(struct loom_component *self, struct loom_error *err);
loom_cycle dram_tick(struct loom_component *self, loom_cycle now);
void dram_settle(struct loom_component *self, loom_cycle now);
bool dram_check(struct loom_component *self, struct loom_error *err);
void dram_report(struct loom_component *self, struct loom_report *report);

/* The requests or the row of a bank have changed. */
static inline void dram_classify(struct dram *dram, uint32_t number)
{
    const struct dram_bank *bank = &dram->bank[number];
    uint64_t bit = loom_bit(number);
    bool closed = !bank->open && bank->entries != 0;
    bool miss = bank->open && bank->entries != bank->hits;

    dram->closed_banks = (dram->closed_banks & ~bit) | (closed ? bit : 0);
    dram->hit_banks = (dram->hit_banks & ~bit) | (bank->hits != 0 ? bit : 0);
    dram->miss_banks = (dram->miss_banks & ~bit) | (miss ? bit : 0);
}

#endif

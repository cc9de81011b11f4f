/*
 * The inside of a DRAM channel, shared by its files:
 *
 *   dram.c     what the outside sees: parameters, statistics, ports, slots
 *   legal.h    when a command is legal
 *   command.c  what it does
 *   plan.c     the next commands that are legal
 *   refresh.c  refreshes, also those while nobody looked
 *   queue.c    requests in
 *   tick.c     a cycle: replies out, commands chosen
 *
 * Timing is kept as the earliest cycle of each kind of command, per bank, per
 * bank group and per pseudo channel.  A command pushes those forward when it is
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
    DRAM_HALVES = 2, /* pseudo channels */
    DRAM_WINDOW = 32 /* activates remembered, for t32AW */
};

/* Times are cycles of the command clock. */
struct dram_config {
    uint32_t channels, slices_per_channel;
    uint32_t banks, bank_groups, pseudo_channels;
    const char *group_bits, *refresh;
    uint32_t bus_bytes, burst_length, data_rate;
    uint32_t tccd, tccdl, trrd, trrdl, trcd, trcdwr, tras, trp, trc;
    uint32_t cl, wl, tcdlr, tcdlrl, twr, trtp, trtpl, trtrs;
    uint32_t tfaw, t32aw, tppd, trefi, trfc, trfcb, trrefd;
    bool dual_bus;
    uint32_t queue_entries, write_entries, return_entries;
    uint32_t latency, reply_lead;
};

struct dram_stats {
    uint64_t cycles;
    uint64_t read_requests, write_requests, queries;
    uint64_t replies, writebacks;
    uint64_t reads, writes, columns, row_hits;
    uint64_t activates, precharges, refreshes, bank_refreshes;
    uint64_t active_cycles, precharged_cycles;
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

/* Earliest cycle of each command as far as this level is concerned. */
struct dram_earliest {
    loom_cycle act, pre, rd, wr;
};

struct dram_bank {
    struct dram_earliest at;
    uint64_t entries;    /* requests of this bank */
    uint64_t hits;       /* of these, for the open row */
    loom_cycle close_at; /* nobody wants the open row: when the page policy
                          * closes it */
    uint32_t row, group, half;
    bool open;
    bool touched; /* a column of the open row was read or written */
};

/* A pseudo channel: a data bus with its banks. */
struct dram_half {
    struct dram_earliest at;
    loom_cycle activated[DRAM_WINDOW]; /* the last ones, a ring */
    uint64_t activates;
};

struct dram_entry {
    struct loom_mem_request request;
    loom_cycle arrived;
    uint32_t column; /* of the next column command */
    uint32_t left;   /* column commands still to issue */
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
    struct dram_earliest group[DRAM_BANKS];
    struct dram_half half[DRAM_HALVES];
    /* Banks that have requests: closed ones; open ones with a request for the
     * open row; open ones with a request for another row. */
    uint64_t closed_banks, hit_banks, miss_banks;
    uint64_t closing;        /* banks with a close_at */
    uint32_t open_count;     /* banks with an open row */
    loom_cycle active_since; /* active cycles are counted up to here */
    loom_cycle bus_at;       /* after the last command */
    /* refresh.c */
    loom_cycle refresh_at, refresh_period;
    loom_cycle refreshed_at; /* bank refresh: another one from here on */
    uint64_t blocked;        /* banks that a refresh waits for */
    uint32_t refresh_bank;   /* whose turn it is */
    bool by_bank;
    /* queue.c and tick.c */
    uint64_t waiting, writes, hits;
    uint64_t usable, write_usable; /* entries that exist */
    uint64_t was_free;             /* entries that were when the tick began */
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
    struct loom_policy *page; /* or NULL: rows stay open */
    const struct loom_page_ops *page_ops;
    struct loom_binding watchers;
};

/* ---- command.c ---- */

void dram_derive(const struct dram_config *config, struct dram_timing *t);
void dram_start(struct dram *dram);
/* The one place where commands are issued.  `where` is the row of an ACT, the
 * column of a read or write. */
void dram_issue(struct dram *dram, enum loom_dram_command command,
                uint32_t bank, uint32_t where, loom_cycle now);
/* Counts cycles with an open row up to `now`. */
void dram_count_active(struct dram *dram, loom_cycle now);

/* ---- plan.c ---- */

/* Finds the earliest cycle from `from` on at which a command is legal:
 * plan_at; which are, as masks of the view; and when it may be more of them:
 * plan_next. */
void dram_plan(struct dram *dram, loom_cycle from);
/* A request has arrived, whose first command may go out at `from`. */
void dram_plan_entry(struct dram *dram, uint32_t entry, loom_cycle from);

/* ---- refresh.c ---- */

/* Is a refresh due?  Then its banks are blocked. */
bool dram_refresh_due(struct dram *dram, loom_cycle now);
/* One command for the refresh that is due, if one is legal; true if it went
 * out.  *next: when to go on. */
bool dram_refresh(struct dram *dram, loom_cycle now, loom_cycle *next);
/* What refresh did up to cycle `now` while nobody had anything to do. */
void dram_refresh_idle(struct dram *dram, loom_cycle now);

/* ---- queue.c ---- */

bool dram_bind(struct loom_component *self, struct loom_error *err);
/* One request of the ports in turn. */
void dram_accept(struct loom_component *self, loom_cycle now);
/* Has a request arrived that is not accepted yet?  *room: could one be? */
bool dram_pending(const struct dram *dram, loom_cycle now, bool *room);
/* An entry is served; `waiting` still has it. */
void dram_leave_line(struct dram *dram, uint32_t entry);
/* The queue's length changes at `now`. */
void dram_count_occupancy(struct dram *dram, loom_cycle now);

/* ---- tick.c ---- */

void dram_send_back(struct dram *dram, const struct dram_entry *entry,
                    loom_cycle ready);
loom_cycle dram_tick(struct loom_component *self, loom_cycle now);
void dram_settle(struct loom_component *self, loom_cycle now);
bool dram_check(struct loom_component *self, struct loom_error *err);
void dram_report(struct loom_component *self, struct loom_report *report);

#endif

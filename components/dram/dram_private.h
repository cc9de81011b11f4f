/*
 * The inside of a DRAM channel, shared by its files:
 *
 *   bank.h     banks, and when commands to them are legal
 *   config.h   parameters, statistics, what follows from parameters
 *   dram.c     what the outside sees: parameters, statistics, ports, slots
 *   bind.c     policies and ports
 *   tick.c     a cycle: which command
 *   warm.c     requests without time
 *   queue.c    requests in
 *   window.c   more requests than entries
 *   backlog.c  requests that the policy has not taken yet
 *   entry.h    requests that wait for commands
 *   back.c     replies out
 *   requests.h requests from their port to their reply: the five above
 *   refresh.c  refreshes, also those while nobody looked
 *   plan.c     the next commands that are legal
 *   command.c  what a command does
 *   legal.h    when it is legal
 *
 * A file calls those further down only.
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

#include "components/dram/bank.h"
#include "components/dram/config.h"
#include "components/dram/requests.h"
#include "components/mem_protocol.h"
#include "policies/dram_hook.h"

enum {
    DRAM_ENTRIES = 64,
    DRAM_LONGEST = 4096, /* queue */
    DRAM_PORTS = 16,
    DRAM_HALVES = 2 /* pseudo channels */
};

/* What is raised seldom; most statistics follow when they are read. */
struct dram_sums {
    uint64_t write_requests, writebacks;
    uint64_t writes;  /* write commands */
    uint64_t firsts;  /* columns that were the first of their row */
    uint64_t answers; /* to queries, and to writes that are posted */
    uint64_t posted;  /* writes answered before, completed */
};

struct dram_port {
    struct loom_channel *in, *out;
    const struct loom_mem_request *first; /* has arrived */
};

/* A tick finds what it touches on as few cache lines as possible: other
 * components have run in between. */
struct dram {
    uint64_t arriving; /* ports that hold a request, arrived or not */
    /* Ports whose first request has arrived; of these, with a write; with a
     * query. */
    uint32_t arrived, storing, asking;
    uint16_t queued;       /* requests that wait for commands */
    bool declined;         /* a command is possible, but the policy said no */
    bool special;          /* other than one command by the policy */
    bool taking;           /* the policy may take a request */
    bool takes, admits;    /* the policy takes requests; `delay` is given */
    bool deep;             /* there is a window of entries: window.c */
    bool paced;            /* one of these */
    uint8_t turn;          /* port that is looked at first */
    loom_cycle command_at; /* no command is possible before */
    loom_cycle refresh_at, refresh_by; /* at last, although requests wait */
    loom_cycle back_at;    /* when the first reply may leave; LOOM_NEVER */
    loom_cycle full_since; /* a request waits for a place; or LOOM_NEVER */
    uint64_t closing;      /* banks with a close_at */
    /* Its waiting, writes, hits and list are kept up to date; the rest is made
     * when the policy is asked. */
    _Alignas(DRAM_LINE) struct loom_schedule_view view;
    uint64_t sequence;  /* requests accepted, without queries */
    loom_cycle counted; /* occupancy is counted up to here */
    uint64_t queue_cycles, full_cycles;
    loom_cycle bus_at; /* after the last command */
    uint32_t atom_bytes;
    uint8_t ports, banks;
    /* Banks that have requests: closed ones; open ones with a read or a write
     * of the open row; open ones with a request for another row. */
    _Alignas(DRAM_LINE) uint64_t closed_banks, read_banks, write_banks;
    uint64_t miss_banks;
    uint64_t blocked; /* banks that a refresh waits for */
    bool first_ready; /* the schedule: see policies/dram_hook.h */
    /* A bank's group and a group's pseudo channel: which bits of the number. */
    uint8_t group_shift, group_mask, half_shift, half_mask;
    bool watched;                                 /* by watchers */
    _Alignas(DRAM_LINE) struct dram_return *back; /* [return_entries], a ring
                                                   * by `ready` */
    struct dram_record *record; /* [entries + return_entries] */
    loom_cycle back_last;       /* when the last reply may leave */
    uint64_t lead;              /* config's reply_lead */
    uint32_t back_head, back_count, back_size;
    uint32_t free;  /* record */
    uint64_t mates; /* the banks of group 0 */
    /* Earliest cycle of each command as far as a pseudo channel, a bank group
     * and a bank are concerned. */
    _Alignas(DRAM_LINE) struct dram_late late[DRAM_KINDS];
    loom_cycle half_at[DRAM_HALVES][DRAM_KINDS];
    uint64_t half_banks[DRAM_HALVES]; /* of each pseudo channel */
    loom_cycle group_at[DRAM_BANKS][DRAM_KINDS];
    _Alignas(DRAM_LINE) loom_cycle bank_at[DRAM_KINDS][DRAM_BANKS];
    struct dram_bank bank[DRAM_BANKS];
    _Alignas(DRAM_LINE) struct dram_timing t;
    _Alignas(DRAM_LINE) struct loom_policy *map, *schedule;
    const struct loom_map_ops *map_ops;
    const struct loom_schedule_ops *schedule_ops;
    uint64_t usable, write_usable; /* entries that exist */
    const struct loom_page_ops *page_ops;
    bool dual;               /* the command bus */
    bool both;               /* a column after a row command on one bus */
    bool assigns, assigning; /* the policy does; it may be asked */
    bool leaves;             /* requests leave the queue with their activate */
    bool posts;              /* config's post_writes */
    _Alignas(DRAM_LINE) struct dram_port port[DRAM_PORTS];
    _Alignas(DRAM_LINE) struct loom_schedule_entry entry[DRAM_ENTRIES];
    struct dram_wait wait[DRAM_ENTRIES];
    uint64_t before[DRAM_ENTRIES]; /* see struct loom_schedule_view */
    struct dram_stats *stats;
    const struct dram_config *config;
    struct loom_component *self;
    struct loom_policy *page; /* or NULL: rows stay open */
    struct loom_binding watchers;
    struct dram_sums sum;
    uint32_t open_count;     /* banks with an open row */
    loom_cycle active_since; /* active cycles are counted up to here */
    struct dram_backlog backlog;
    /* Nobody wants the open row of a bank that is `closing`: when the page
     * policy closes it. */
    loom_cycle close_at[DRAM_BANKS];
    struct dram_half half[DRAM_HALVES];
    /* refresh.c */
    loom_cycle refresh_period, refresh_late;
    loom_cycle refreshed_at; /* bank refresh: another one from here on */
    uint32_t refresh_bank;   /* whose turn it is */
    bool by_bank;
    bool at_once; /* one command closes all banks */
};

/* ---- command.c ---- */

void dram_derive(const struct dram_config *config, struct dram_timing *t);
void dram_start(struct dram *dram);
/* The only places where commands are issued. */
void dram_activate(struct dram *dram, uint32_t bank, uint32_t row,
                   loom_cycle now);
void dram_precharge(struct dram *dram, uint32_t bank, loom_cycle now);
/* All banks that are open, with one command. */
void dram_precharge_all(struct dram *dram, loom_cycle now);
void dram_column(struct dram *dram, uint32_t bank, uint32_t column, bool write,
                 loom_cycle now);
/* LOOM_DRAM_REF or LOOM_DRAM_REFB. */
void dram_issue_refresh(struct dram *dram, enum loom_dram_command command,
                        uint32_t bank, loom_cycle now);
/* Counts cycles with an open row up to `now`. */
void dram_count_active(struct dram *dram, loom_cycle now);

/* ---- plan.c ---- */

/* Shows in the view which commands are legal at `now`, and returns all. */
uint64_t dram_show(struct dram *dram, loom_cycle now);
/* The earliest cycle from `from` on at which a command is legal. */
loom_cycle dram_next(const struct dram *dram, loom_cycle from);
/* The next cycle after `now` at which another command becomes legal. */
loom_cycle dram_next_other(const struct dram *dram, loom_cycle now);
/* A request has arrived, whose first command is of `kind` and may go out from
 * `from` on. */
void dram_expect(struct dram *dram, enum dram_kind kind, uint32_t bank,
                 loom_cycle from);

/* ---- refresh.c ---- */

/* Is a refresh due, where none is put off?  Then its banks are blocked. */
bool dram_refresh_due(struct dram *dram, loom_cycle now);
/* One command for the refresh that is due, if one is legal; true if it went
 * out, or if the row bus is kept for it.  *next: when to go on. */
bool dram_refresh(struct dram *dram, loom_cycle now, loom_cycle *next);
/* What refresh did up to cycle `now` while nobody had anything to do. */
void dram_refresh_idle(struct dram *dram, loom_cycle now);

/* ---- tick.c ---- */

loom_cycle dram_tick(struct loom_component *self, loom_cycle now);
void dram_settle(struct loom_component *self, loom_cycle now);
bool dram_check(struct loom_component *self, struct loom_error *err);
void dram_report(struct loom_component *self, struct loom_report *report);

/* ---- warm.c ---- */

bool dram_quiet(struct loom_component *self);
void dram_serve_warm(struct loom_component *self, void *message,
                     loom_cycle now);

/* ---- bind.c ---- */

/* How its policy treats the queue; returns how many more requests that is at a
 * time. */
uint32_t dram_ways_of_queue(struct loom_component *self);
bool dram_bind(struct loom_component *self, struct loom_error *err);

#endif

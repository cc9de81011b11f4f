/*
 * Parameters, statistics and derived times of a DRAM channel.
 */
#ifndef COMPONENTS_DRAM_CONFIG_H
#define COMPONENTS_DRAM_CONFIG_H

#include "engine/component.h"

/* Times are cycles of the command clock. */
struct dram_config {
    uint32_t channels, slices_per_channel;
    uint32_t banks, bank_groups, pseudo_channels;
    const char *group_bits, *refresh, *refresh_close;
    uint32_t bus_bytes, burst_length, data_rate;
    uint32_t tccd, tccdl, trrd, trrdl, trcd, trcdwr, tras, trp, trc;
    uint32_t cl, wl, tcdlr, tcdlrl, twr, trtp, trtpl, trtrs;
    uint32_t tfaw, t32aw, tppd, trefi, trfc, trfcb, trrefd;
    uint32_t refresh_groups, refresh_postpone, act_cycles;
    bool dual_bus;
    uint32_t queue_entries, write_entries, return_entries;
    bool post_writes;
    uint32_t latency, reply_lead, delay;
};

struct dram_stats {
    uint64_t cycles;
    uint64_t read_requests, write_requests, queries, replies, writebacks;
    uint64_t reads, writes, columns, row_hits;
    uint64_t activates, precharges, refreshes, bank_refreshes;
    uint64_t bytes_read, bytes_written, bytes, busy_cycles;
    uint64_t queue_cycles, queue_full_cycles, active_cycles, precharged_cycles;
    struct loom_array bank_activates, bank_accesses;
    struct loom_histogram read_latency, write_latency;
};

/* What follows from the configuration. */
struct dram_timing {
    loom_cycle read_done, write_done; /* from the command to the reply */
    uint32_t ccd, ccdl, rtp, rtpl;
    uint32_t rtw, wtr, wtrl, wtp; /* last column command to the next one */
    /* Does a read keep its bank group longer than its pseudo channel from
     * reads; from writes; at all from precharges? */
    bool late_read, late_write, late_close;
    uint32_t burst;
    uint32_t rrd, rrdl, rcdrd, rcdwr, ras, rp, rc, ppd, faw, aw32;
    uint32_t rfc, rfcb, refd; /* refresh to activate */
    uint32_t act;             /* cycles of an activate on its bus */
    uint32_t extra;           /* of these but the first */
};

#endif

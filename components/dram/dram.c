/*
 * dram: one DRAM channel with its controller and banks.
 *
 * Requests of the channel's L2 slices wait in one queue; a policy chooses the
 * next command among those that the timing rules allow (open page, one
 * command per command clock).  Time is the command clock's; the delays on the
 * way from and to the L2 (GPGPU-Sim's ROP and DRAM latencies) belong to the
 * links or to `latency`.
 *
 * An unloaded read takes, from the cycle in which it is accepted to its last
 * data beat, 1 + CL + burst cycles if its row is open, tRCD more if the bank
 * is closed, tRP more still if another row is open.
 */
#include "engine/warm.h"

#include "components/dram/dram_private.h"

enum {
    LINE = 128 /* bytes of the largest request of a cache */
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Cycles that a refresh may come late, because a bank was used just before it
 * was due, and the rest of what keeps the next column command away.  An
 * interval of no more may hold no command but its refresh, for ever.  Banks
 * that are refreshed one by one share the interval: between two of them an
 * activation must find its place. */
static uint32_t refresh_floor(const struct dram_config *c)
{
    uint32_t burst = c->burst_length / c->data_rate;
    uint32_t column = larger(c->trcd, c->trcdwr);
    uint32_t last = larger(larger(c->trtp, c->trtpl), c->wl + burst + c->twr);
    uint32_t close =
        c->trp + larger(c->tras, column + larger(last, burst)) + c->act_cycles;

    uint32_t all = larger(c->trc, close) + c->banks + c->trfc + column;
    uint32_t apart = larger(larger(c->trrd, c->trrdl), c->tfaw);

    return c->refresh[0] == 'b'
               ? larger(all, c->banks * (c->trrefd + apart + column))
               : all;
}

static bool dram_validate(const void *untyped, struct loom_error *err)
{
    const struct dram_config *config = untyped;

    if (config->bank_groups > config->banks) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'bank_groups' is %u, expected at most "
                         "'banks', which is %u",
                         config->bank_groups, config->banks);
    }
    if (config->pseudo_channels > config->bank_groups) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'pseudo_channels' is %u, expected at most "
                         "'bank_groups', which is %u",
                         config->pseudo_channels, config->bank_groups);
    }
    if (config->burst_length % config->data_rate != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'burst_length' is %u, expected a multiple "
                         "of 'data_rate', which is %u",
                         config->burst_length, config->data_rate);
    }
    if (config->trefi != 0 && config->trefi <= refresh_floor(config)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'trefi' is %u, expected 0 or more than %u, "
                         "the cycles of 'trfc', a bank's use and 'trcd', or "
                         "nothing but refresh might happen",
                         config->trefi, refresh_floor(config));
    }
    return true;
}

/* A request of a line: each of its column commands may come after a refresh,
 * or after the row of another request. */
static loom_cycle longest(const struct dram_config *c)
{
    uint64_t columns = LINE / (c->bus_bytes * c->burst_length) + 1;
    uint64_t row = (uint64_t)c->trc + c->tras + c->trp + c->tppd + c->tfaw +
                   c->t32aw + c->trrd + c->trrdl + c->trcd + c->trcdwr +
                   c->act_cycles;
    uint64_t column = (uint64_t)c->tccd + c->tccdl + c->tcdlr + c->tcdlrl +
                      c->twr + c->trtp + c->trtpl + c->trtrs + c->wl +
                      c->burst_length;
    uint64_t refresh = (uint64_t)c->trefi + c->trfc + c->trfcb + c->trrefd;

    return columns * (row + column + refresh) + c->cl + c->latency;
}

static bool dram_init(struct loom_component *self, struct loom_error *err)
{
    const struct dram_config *config = loom_config(self);
    struct dram_stats *stats = loom_stats_of(self);
    struct dram *dram = loom_state(self);
    uint32_t records = config->queue_entries + config->write_entries +
                       config->return_entries + 1 + dram_ways_of_queue(self) +
                       (config->post_writes ? config->return_entries : 0);
    bool lists = dram->takes || dram->deep;

    dram->config = config;
    dram->self = self;
    dram->stats = stats;
    dram->back = loom_alloc(self, config->return_entries, sizeof(*dram->back));
    loom_array(self, &stats->bank_activates, config->banks);
    loom_array(self, &stats->bank_accesses, config->banks);
    dram->record = loom_alloc(self, records, sizeof(*dram->record));
    if (lists) {
        dram_backlog_init(dram, records);
    }
    dram_delay_init(dram);
    if (!loom_has_memory(self, err)) {
        return false;
    }
    dram_derive(config, &dram->t);
    dram_start(dram);
    loom_may_take(self, longest(config));
    return dram_bind(self, err);
}

#define GTX480 "GPGPU-Sim 3.2.2, GTX480 (GDDR5)"

/* One time of the command clock. */
#define TIME(field_, def_, source_, doc_)                                      \
    LOOM_PARAM(struct dram_config, field_, .unit = LOOM_UNIT_CYCLE,            \
               .def = {.u = (def_)}, .max = {.u = 1000000},                    \
               .source = (source_), .doc = doc_)

static const struct loom_param dram_params[] = {
    LOOM_PARAM(struct dram_config, channels, .def = {.u = 6}, .min = {.u = 1},
               .max = {.u = 1024}, .source = GTX480,
               .doc = "Channels of the whole memory, for the map"),
    LOOM_PARAM(struct dram_config, slices_per_channel, .def = {.u = 2},
               .min = {.u = 1}, .max = {.u = 16}, .source = GTX480,
               .doc = "L2 slices of a channel, for the map"),
    LOOM_PARAM(struct dram_config, banks, .def = {.u = 16}, .min = {.u = 1},
               .max = {.u = DRAM_BANKS}, .power_of_2 = true, .source = GTX480,
               .doc = "Banks of the channel"),
    LOOM_PARAM(struct dram_config, bank_groups, .def = {.u = 4},
               .min = {.u = 1}, .max = {.u = DRAM_BANKS}, .power_of_2 = true,
               .source = GTX480,
               .doc = "Bank groups; 1 switches the long timings off"),
    LOOM_PARAM(struct dram_config, group_bits, .def = {.s = "high"},
               .choices = LOOM_CHOICES("high", "low"),
               .source = "GPGPU-Sim 3.2.2 high, 4.x low by option",
               .doc = "Which bits of a bank's number are its group"),
    LOOM_PARAM(struct dram_config, pseudo_channels, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = DRAM_HALVES}, .power_of_2 = true,
               .source = "JESD235: an HBM2 channel can be two",
               .doc = "Data buses with banks of their own that share the "
                      "command buses; groups are divided among them"),
    LOOM_PARAM(struct dram_config, bus_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 256},
               .source = GTX480 ", 2 chips of 4 bytes",
               .doc = "Bytes of one transfer on a data bus"),
    LOOM_PARAM(struct dram_config, burst_length, .def = {.u = 8},
               .min = {.u = 1}, .max = {.u = 64}, .source = GTX480,
               .doc = "Transfers of one column command"),
    LOOM_PARAM(struct dram_config, data_rate, .def = {.u = 4}, .min = {.u = 1},
               .max = {.u = 16}, .source = GTX480,
               .doc = "Transfers in a cycle of the command clock"),
    TIME(tccd, 2, GTX480, "Column command to column command"),
    TIME(tccdl, 3, GTX480, "Column to column command of one bank group"),
    TIME(trrd, 6, GTX480, "Activate to activate of another bank"),
    TIME(trrdl, 0, NULL, "tRRD of one bank group; 0: as tRRD"),
    TIME(trcd, 12, GTX480, "Activate to read"),
    TIME(trcdwr, 0, GTX480 " derives it",
         "Activate to write; 0: tRCD - (WL + 1)"),
    TIME(tras, 28, GTX480, "Activate to precharge"),
    TIME(trp, 12, GTX480, "Precharge to activate"),
    TIME(trc, 40, GTX480,
         "Activate to activate of one bank; at least tRAS + tRP"),
    TIME(cl, 12, GTX480, "Read to its first data"),
    TIME(wl, 4, GTX480, "Write to its first data"),
    TIME(tcdlr, 5, GTX480, "Last write data to read (tWTR)"),
    TIME(tcdlrl, 0, NULL, "tWTR of one bank group; 0: as tCDLR"),
    TIME(twr, 12, GTX480, "Last write data to precharge"),
    TIME(trtp, 0, GTX480 " uses the burst",
         "Read to precharge of its bank; 0: cycles of a burst"),
    TIME(trtpl, 2, GTX480, "Read to precharge of a bank of its group"),
    TIME(trtrs, 2, "GPGPU-Sim 3.2.2, tRTW = CL + burst + 2 - WL",
         "Cycles in which the data bus turns round from read to write"),
    TIME(tfaw, 0, "not modelled by GPGPU-Sim",
         "Window of at most 4 activates; 0: none"),
    TIME(t32aw, 0, "not modelled by GPGPU-Sim",
         "Window of at most 32 activates; 0: none"),
    LOOM_PARAM(struct dram_config, act_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 4},
               .source = "JESD235: an activate of HBM takes 2",
               .doc = "Cycles of an activate on its command bus"),
    TIME(tppd, 0, "not modelled by GPGPU-Sim", "Precharge to precharge"),
    TIME(trefi, 0, "not modelled by GPGPU-Sim",
         "Time in which every bank is refreshed once; 0: never"),
    LOOM_PARAM(struct dram_config, refresh, .def = {.s = "all"},
               .choices = LOOM_CHOICES("all", "bank"),
               .source = "GDDR6 and HBM can refresh single banks",
               .doc = "All banks at once, or one after the other"),
    LOOM_PARAM(struct dram_config, refresh_close, .def = {.s = "each"},
               .choices = LOOM_CHOICES("each", "all"),
               .source = "DRAMsim3 each, Ramulator all",
               .doc = "A precharge for each bank before a refresh of all, or "
                      "one for all; then requests whose row was opened for "
                      "them are served first"),
    LOOM_PARAM(struct dram_config, refresh_groups, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 1024},
               .source = "not modelled by GPGPU-Sim",
               .doc = "Groups of channels, such as stacks, that refresh one "
                      "after the other within trefi; 1: all at once"),
    LOOM_PARAM(struct dram_config, refresh_postpone, .def = {.u = 0},
               .max = {.u = 64}, .source = "JESD79-4: at most 8",
               .doc = "Times trefi that a refresh is put off while requests "
                      "wait"),
    TIME(trfc, 0, "not modelled by GPGPU-Sim",
         "Refresh of all banks to activate"),
    TIME(trfcb, 0, "not modelled by GPGPU-Sim",
         "Refresh of a bank to its activate"),
    TIME(trrefd, 0, "not modelled by GPGPU-Sim",
         "Refresh of a bank to a refresh or activate of another"),
    LOOM_PARAM(struct dram_config, dual_bus, .def = {.b = false},
               .source = GTX480 " has one; HBM has two",
               .doc = "One row and one column command per cycle"),
    LOOM_PARAM(struct dram_config, queue_entries, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 16}, .min = {.u = 1}, .max = {.u = DRAM_LONGEST},
               .source = GTX480, .doc = "Requests the scheduler chooses among"),
    LOOM_PARAM(struct dram_config, write_entries, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 0}, .max = {.u = DRAM_LONGEST},
               .source = "not modelled by GPGPU-Sim",
               .doc = "Entries of their own for writes; 0: they share"),
    LOOM_PARAM(struct dram_config, return_entries, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 116}, .min = {.u = 1}, .max = {.u = 65536},
               .source = GTX480,
               .doc = "Requests whose commands are out, until they left"),
    LOOM_PARAM(struct dram_config, post_writes, .def = {.b = false},
               .source = "DRAMsim3 does",
               .doc = "A write is answered when it is queued, not when its "
                      "data has passed"),
    TIME(latency, 0, NULL, "Added between a request's data and its reply"),
    TIME(
        delay, 0, "GPGPU-Sim: -dram_latency",
        "From a request's acceptance, which waits for room in the queue, until "
        "it enters the queue; 0: it enters at once"),
    LOOM_PARAM(struct dram_config, reply_lead, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .max = {.u = 1},
               .doc = "Cycles by which replies leave before that, so that a "
                      "link of as many brings them on time"),
};

#define REQUESTS(field, doc_)                                                  \
    LOOM_COUNTER(struct dram_stats, field, LOOM_UNIT_REQUEST, doc_)
#define COMMANDS(field, doc_)                                                  \
    LOOM_COUNTER(struct dram_stats, field, LOOM_UNIT_EVENT, doc_)
#define CYCLES(field, doc_)                                                    \
    LOOM_COUNTER(struct dram_stats, field, LOOM_UNIT_CYCLE, doc_)
#define BYTES(field, doc_)                                                     \
    LOOM_COUNTER(struct dram_stats, field, LOOM_UNIT_BYTE, doc_)

static const struct loom_stat dram_stat_table[] = {
    CYCLES(cycles, "Cycles of the command clock"),
    REQUESTS(read_requests, "Loads and atomics accepted"),
    REQUESTS(write_requests, "Stores and write-backs accepted"),
    REQUESTS(queries, "Queries answered without touching a bank"),
    REQUESTS(replies, "Replies sent"),
    REQUESTS(writebacks, "Write-backs completed, which get no reply"),
    COMMANDS(reads, "Read commands"),
    COMMANDS(writes, "Write commands"),
    COMMANDS(columns, "Read and write commands"),
    COMMANDS(row_hits, "Column commands that were not the first of their row"),
    COMMANDS(activates, "Activate commands"),
    COMMANDS(precharges, "Precharge commands"),
    COMMANDS(refreshes, "Refreshes of all banks"),
    COMMANDS(bank_refreshes, "Refreshes of single banks"),
    CYCLES(active_cycles, "Cycles with an open row: active standby"),
    CYCLES(precharged_cycles, "Cycles without one: precharge standby"),
    BYTES(bytes_read, "Bytes moved by reads, whole bursts"),
    BYTES(bytes_written, "Bytes moved by writes, whole bursts"),
    BYTES(bytes, "Bytes moved on the data bus"),
    CYCLES(busy_cycles, "Cycles in which the data bus moved data"),
    CYCLES(queue_cycles, "Queued requests, summed over cycles"),
    CYCLES(queue_full_cycles, "Cycles a request waited for a place"),
    LOOM_RATIO(struct dram_stats, row_hit_ratio, row_hits, columns,
               LOOM_UNIT_RATIO, "Share of column commands that hit their row"),
    LOOM_RATE(struct dram_stats, bandwidth, bytes, LOOM_UNIT_BYTE_PER_SECOND,
              "Bytes moved per second"),
    LOOM_RATIO(struct dram_stats, utilisation, busy_cycles, cycles,
               LOOM_UNIT_RATIO, "Share of cycles with data on the bus"),
    LOOM_RATIO(struct dram_stats, mean_queue, queue_cycles, cycles,
               LOOM_UNIT_REQUEST, "Mean number of queued requests"),
    LOOM_ARRAY(struct dram_stats, bank_activates, "bank", LOOM_UNIT_EVENT,
               "Activate commands of each bank"),
    LOOM_ARRAY(struct dram_stats, bank_accesses, "bank", LOOM_UNIT_EVENT,
               "Column commands of each bank"),
    LOOM_HISTOGRAM(struct dram_stats, read_latency, LOOM_UNIT_CYCLE,
                   "Cycles from a read's acceptance to its reply"),
    LOOM_HISTOGRAM(struct dram_stats, write_latency, LOOM_UNIT_CYCLE,
                   "Cycles from a write's acceptance to its completion"),
};

#define GPUWATCH "GPUWattch, GTX 480: "

/* A channel of the GTX 480: 64 bytes per column command, 924 MHz. */
static const struct loom_energy dram_energies[] = {
    {"read", "A read command and its burst", "reads", 8.16619e-8,
     GPUWATCH "MEM_RD"},
    {"write", "A write command and its burst", "writes", 3.96621e-8,
     GPUWATCH "MEM_WR"},
    {"row", "A row opened and closed again", "activates", 3.8475e-8,
     GPUWATCH "MEM_PRE, which has both; its dram_act_coeff is 0"},
    {"refresh", "A refresh of all banks", "refreshes", 6.156e-7,
     "assumed: a row opened and closed in each of 16 banks"},
    {"bank_refresh", "A refresh of one bank", "bank_refreshes", 3.8475e-8,
     "assumed: a row opened and closed"},
    {"active", "Standby with an open row", "active_cycles", 3.24675e-10,
     "assumed: 100 mA at 1.5 V in each of two devices; GPUWattch has 0"},
    {"precharged", "Standby without one", "precharged_cycles", 2.5974e-10,
     "assumed: 80 mA at 1.5 V in each of two devices; GPUWattch has 0"},
    {"controller", "Leakage of the channel's controller", "time", 0.360854,
     GPUWATCH "leakage of six memory controllers, 380 K"},
};

static const struct loom_port_decl dram_ports[] = {
    {"up", "Requests of the channel's L2 slices, and replies to them",
     LOOM_SERVER, &loom_mem_protocol, 1, DRAM_PORTS},
};

static const struct loom_slot_decl dram_slots[] = {
    {"schedule", "Next command among the queued requests", &loom_schedule_hook,
     "frfcfs"},
    {"map", "Bank, row and column of an address", &loom_map_hook,
     "gpgpusim_map"},
    {"page", "When rows are closed; empty: they stay open", &loom_page_hook,
     NULL},
    {"commands", "Watchers of the command bus", &loom_commands_hook, NULL},
};

/* One reply, if there is a place for it. */
static uint32_t dram_places(struct loom_component *self)
{
    (void)self;
    return 1;
}

static const struct loom_ahead_ops dram_ahead = {.places = dram_places};

static const struct loom_warm_ops dram_warm = {.serve = dram_serve_warm,
                                               .quiet = dram_quiet};

static const struct loom_component_ops dram_ops = {
    .validate = dram_validate,
    .init = dram_init,
    .tick = dram_tick,
    .settle = dram_settle,
    .check = dram_check,
    .report = dram_report,
    .ahead = &dram_ahead,
    .warm = &dram_warm,
};

const struct loom_component_type dram_component = {
    .name = "dram",
    .doc = "One DRAM channel: request queue, banks, timing, data bus",
    .state_size = sizeof(struct dram),
    .config_size = sizeof(struct dram_config),
    .stats_size = sizeof(struct dram_stats),
    .params = LOOM_SLICE(dram_params),
    .stats = LOOM_SLICE(dram_stat_table),
    .energies = LOOM_SLICE(dram_energies),
    .ports = LOOM_SLICE(dram_ports),
    .slots = LOOM_SLICE(dram_slots),
    .ops = &dram_ops,
};

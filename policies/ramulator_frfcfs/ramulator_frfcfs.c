/*
 * ramulator_frfcfs: row hits and age as Ramulator weighs them, writes by
 * watermarks.
 *
 * The controllers of Ramulator 1 (CMU-SAFARI/ramulator 214f6358: Controller.h,
 * Scheduler.h with its FRFCFS_Cap) and 2 (ramulator2 c5b1c3a4:
 * generic_ddr_controller.cpp, hbm_controller_base.cpp, controller_base.cpp,
 * with frfcfs_rowhit.cpp).
 *
 * Reads and writes have a queue each.  Reads are served until there are more
 * writes than the share `write_high` of their places, or no reads; then writes
 * until there are fewer than the share `write_low` and a read waits.  That is
 * decided in every cycle, before a command is chosen; Ramulator 2 with one
 * command bus decides nothing in a cycle in which it serves a request whose row
 * was opened for it.  Such a request has left the queue and is served before
 * all others.
 *
 * Among the rest the oldest whose next command is legal has it, also if that
 * opens or closes a row.  Ramulator 2 closes no row that an older request of
 * that side wants, nor one that was opened for a request which waits. Ramulator
 * 1 closes any, and after more than `row_hits` columns of a row its hits count
 * as not ready.  With two command buses (Ramulator 2, HBM) a column is chosen
 * first, then a row command.
 */
#include "policies/dram_hook.h"

struct ramulator_config {
    uint32_t version, row_hits;
    double write_high, write_low;
};

enum {
    BANKS = 64
};

struct ramulator {
    bool first; /* Ramulator 1 */
    bool dual;
    bool writing;
    bool pending;           /* the queue has changed at `changed` and nothing */
    loom_cycle changed;     /* was decided since */
    uint32_t reads, writes; /* in the queue */
    float high, low;
    uint64_t begun;          /* entries whose row was opened for them */
    uint64_t stores;         /* entries that are writes */
    uint32_t columns[BANKS]; /* since the row was opened */
};

static bool ramulator_validate(const void *untyped, struct loom_error *err)
{
    const struct ramulator_config *config = untyped;

    if (config->write_low >= 0 && config->write_low < config->write_high &&
        config->write_high <= 1) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "parameters 'write_low' and 'write_high' are %g and %g, "
                     "expected shares of the write queue, the first smaller",
                     config->write_low, config->write_high);
}

static bool ramulator_bind(struct loom_policy *self,
                           const struct loom_schedule_shape *shape,
                           struct loom_error *err)
{
    const struct ramulator_config *config = loom_policy_config(self);
    struct ramulator *r = loom_policy_state(self);
    float places = (float)shape->write_entries;

    r->first = config->version == 1;
    r->dual = shape->dual;
    r->high = (float)config->write_high * places;
    r->low = (float)config->write_low * places;
    if (r->first) { /* whole numbers there */
        r->high = (float)(int)r->high;
        r->low = (float)(int)r->low;
    }
    if (shape->write_entries == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "ramulator_frfcfs has a queue for writes, but the "
                         "channel's parameter 'write_entries' is 0, expected "
                         "32 or so");
    }
    if (r->first && shape->ras < shape->rcd) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "version 1 of ramulator_frfcfs would close rows for "
                         "each other before their first columns, for ever: the "
                         "channel's parameter 'tras' is %u, expected at least "
                         "%u, the larger of 'trcd' and 'trcdwr'",
                         shape->ras, shape->rcd);
    }
    return true;
}

static bool ramulator_leaves(const struct loom_policy *self)
{
    (void)self;
    return true;
}

/* ---- reads or writes ---- */

static void decide(struct ramulator *r)
{
    r->pending = false;
    if (!r->writing) {
        r->writing = (float)r->writes > r->high || r->reads == 0;
    } else { /* a share of a small queue may be nothing: never without writes */
        r->writing =
            (r->writes != 0 && (float)r->writes >= r->low) || r->reads == 0;
    }
}

static void ramulator_queued(struct loom_policy *self, uint32_t reads,
                             uint32_t writes)
{
    struct ramulator *r = loom_policy_state(self);
    loom_cycle now = loom_policy_now(self);

    if (r->pending && r->changed < now) {
        decide(r); /* in the cycles between */
    }
    r->reads = reads;
    r->writes = writes;
    r->pending = true;
    r->changed = now;
}

static void ramulator_arrived(struct loom_policy *self, uint32_t entry,
                              uint32_t bank, uint32_t row, bool write)
{
    struct ramulator *r = loom_policy_state(self);

    (void)bank;
    (void)row;
    r->stores &= ~loom_bit(entry);
    r->stores |= write ? loom_bit(entry) : 0;
}

static void ramulator_served(struct loom_policy *self, uint32_t entry)
{
    struct ramulator *r = loom_policy_state(self);

    if (r->dual && (r->begun >> entry & 1) == 0) {
        /* It decides again before it chooses a row command. */
        r->reads -= (r->stores >> entry & 1) != 0 ? 0 : 1;
        r->writes -= (r->stores >> entry & 1) != 0 ? 1 : 0;
        decide(r);
    }
    r->begun &= ~loom_bit(entry);
}

/* ---- commands ---- */

/* The entries, among some, of one bank. */
static uint64_t in_bank(const struct loom_schedule_view *view, uint64_t entries,
                        uint32_t bank)
{
    uint64_t in = 0;

    for (; entries != 0; entries &= entries - 1) {
        uint32_t entry = loom_lowest(entries);

        in |= (uint64_t)(view->entry[entry].bank == bank) << entry;
    }
    return in;
}

/* Of some entries those whose precharge closes a row that an older one wants,
 * or for which it was opened. */
static uint64_t keep_rows(const struct ramulator *r,
                          const struct loom_schedule_view *view, uint64_t side,
                          uint64_t closing)
{
    uint64_t hits = view->hits & side, kept = 0;

    for (; closing != 0; closing &= closing - 1) {
        uint32_t entry = loom_lowest(closing);
        uint32_t bank = view->entry[entry].bank;
        uint64_t older = hits & view->before[entry];

        if (in_bank(view, older | (r->begun & view->waiting), bank) != 0) {
            kept |= loom_bit(entry);
        }
    }
    return kept;
}

/* Hits of rows that had their share. */
static uint64_t tired(const struct ramulator *r,
                      const struct loom_schedule_view *view, uint64_t columns,
                      uint32_t row_hits)
{
    uint64_t entries = 0;

    for (; columns != 0; columns &= columns - 1) {
        uint32_t entry = loom_lowest(columns);
        bool over = r->columns[view->entry[entry].bank] > row_hits;

        entries |= (uint64_t)over << entry;
    }
    return entries;
}

/* The oldest of `among` that is ready; Ramulator 1: and not tired, else the
 * oldest of all, if it is ready. */
static uint32_t oldest_ready(const struct ramulator *r,
                             const struct ramulator_config *config,
                             const struct loom_schedule_view *view,
                             uint64_t among, uint64_t ready)
{
    uint64_t fresh = ready & among;
    uint32_t entry;

    if (r->first) {
        fresh &= ~tired(r, view, fresh & view->column, config->row_hits);
    }
    if (fresh != 0) {
        return loom_schedule_oldest(view, fresh);
    }
    if (!r->first || (ready & among) == 0) {
        return LOOM_SCHEDULE_NONE;
    }
    entry = loom_schedule_oldest(view, among);
    return (ready >> entry & 1) != 0 ? entry : LOOM_SCHEDULE_NONE;
}

static uint32_t choose(struct ramulator *r,
                       const struct ramulator_config *config,
                       const struct loom_schedule_view *view, loom_cycle now)
{
    uint64_t ready = view->column | view->activate | view->precharge;
    uint64_t begun = r->begun & view->waiting, side;
    uint32_t entry = LOOM_SCHEDULE_NONE;

    if (r->first || r->dual || (r->pending && now > r->changed + 1)) {
        decide(r);
    }
    if ((begun & ready) != 0) {
        entry = oldest_ready(r, config, view, begun, ready);
    }
    if (entry != LOOM_SCHEDULE_NONE) {
        r->changed = r->pending ? now : r->changed; /* decides later */
        return entry;
    }
    decide(r);
    side = view->waiting & ~begun & (r->writing ? view->writes : ~view->writes);
    if (!r->first) {
        ready &= ~keep_rows(r, view, side, view->precharge & side);
    }
    if (r->dual && (view->column & side) != 0) {
        ready = view->column;
    }
    return oldest_ready(r, config, view, side, ready);
}

static uint32_t ramulator_pick(struct loom_policy *self,
                               const struct loom_schedule_view *view)
{
    const struct ramulator_config *config = loom_policy_config(self);
    struct ramulator *r = loom_policy_state(self);
    uint32_t entry = choose(r, config, view, view->now);

    if (entry != LOOM_SCHEDULE_NONE) {
        uint32_t bank = view->entry[entry].bank;

        r->columns[bank] += (uint32_t)(view->column >> entry & 1);
        if ((view->activate >> entry & 1) != 0) {
            r->begun |= loom_bit(entry);
            r->columns[bank] = 0;
        }
    }
    return entry;
}

static const struct loom_param ramulator_params[] = {
    LOOM_PARAM(struct ramulator_config, version, .def = {.u = 2},
               .min = {.u = 1}, .max = {.u = 2}, .doc = "Ramulator 1 or 2"),
    LOOM_PARAM(struct ramulator_config, row_hits, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 16}, .max = {.u = 65536},
               .source = "Ramulator 1: cap of its FRFCFS_Cap",
               .doc = "Version 1: columns of a row before its hits count as "
                      "not ready, but one"),
    LOOM_PARAM(struct ramulator_config, write_high, .unit = LOOM_UNIT_RATIO,
               .def = {.f = 0.8}, .source = "both: wr_high_watermark",
               .doc = "Share of the write queue above which it serves writes"),
    LOOM_PARAM(struct ramulator_config, write_low, .unit = LOOM_UNIT_RATIO,
               .def = {.f = 0.2}, .source = "both: wr_low_watermark",
               .doc = "Share below which it serves reads again"),
};

static const struct loom_schedule_ops ramulator_ops = {
    .bind = ramulator_bind,
    .pick = ramulator_pick,
    .leaves = ramulator_leaves,
    .arrived = ramulator_arrived,
    .served = ramulator_served,
    .queued = ramulator_queued,
};

static void ramulator_cost(const void *untyped,
                           const struct loom_cost_shape *shape,
                           struct loom_cost *cost)
{
    const struct ramulator_config *config = untyped;

    loom_cost_add(cost, "order", shape->entries, loom_bits_for(shape->entries),
                  "Place of a request in the order of arrival");
    loom_cost_add(cost, "begun", shape->banks, loom_bits_for(shape->entries),
                  "The request that a row was opened for");
    loom_cost_add(cost, "columns", config->version == 1 ? shape->banks : 0,
                  loom_bits_for((uint64_t)config->row_hits + 2),
                  "Columns of the open row");
    loom_cost_add(cost, "writing", 1, 1, "Writes are served now, not reads");
}

const struct loom_policy_type ramulator_frfcfs_policy = {
    .name = "ramulator_frfcfs",
    .doc = "DRAM requests by row hits and age, writes by watermarks "
           "(Ramulator 1 and 2)",
    .state_size = sizeof(struct ramulator),
    .config_size = sizeof(struct ramulator_config),
    .params = LOOM_SLICE(ramulator_params),
    .facets = LOOM_FACETS({&loom_schedule_hook, &ramulator_ops}),
    .validate = ramulator_validate,
    .cost = ramulator_cost,
};

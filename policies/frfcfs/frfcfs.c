/*
 * frfcfs: row hits first, then the oldest (Rixner et al., Memory Access
 * Scheduling, ISCA 2000).
 *
 * The oldest request whose read or write can go out now wins.  If there is
 * none, the oldest request that needs a row command which is legal now gets
 * it, but a row for which somebody still waits is never closed.  So a stream
 * of hits can hold a bank for ever; GPGPU-Sim has no cap either, and the
 * queue's length bounds how many hits can overtake.
 *
 * `row_hits` is such a cap, as DRAMsim3 has it: after so many columns of one
 * row while others of the bank wait for another row, its hits wait and the
 * row may be closed.
 *
 * `write_high` and `write_low` keep reads and writes apart, as Ramulator has
 * it: reads are served until there are `write_high` writes or no reads, then
 * writes until at most `write_low` are left and a read waits.  A request for
 * which a row was opened is served in any case and does not count any more
 * (ramulator2, generic_dram_controller.cpp: it moves to a buffer of its own,
 * which is asked first).  A row that only others of the other side want may be
 * closed.
 *
 * With `any_ready` row commands do not wait for reads and writes: the oldest
 * request whose next command is legal goes first (Ramulator 1, FRFCFS).
 */
#include "policies/dram_hook.h"

enum {
    BANKS = 64,
    ENTRIES = 64
};

struct frfcfs_config {
    uint32_t row_hits, write_high, write_low;
    bool any_ready;
};

struct frfcfs {
    bool plain, writing;
    uint64_t waiting, writes; /* entries */
    uint64_t begun;           /* a row was opened for them */
    uint32_t served[BANKS];   /* columns of the open row while others waited */
};

static bool frfcfs_validate(const void *untyped, struct loom_error *err)
{
    const struct frfcfs_config *config = untyped;

    if (config->write_low < config->write_high || config->write_high == 0) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "parameter 'write_low' is %u, expected less than "
                     "'write_high', which is %u",
                     config->write_low, config->write_high);
}

static bool frfcfs_bind(struct loom_policy *self,
                        const struct loom_schedule_shape *shape,
                        struct loom_error *err)
{
    const struct frfcfs_config *config = loom_policy_config(self);
    struct frfcfs *f = loom_policy_state(self);

    f->plain =
        config->row_hits == 0 && config->write_high == 0 && !config->any_ready;
    /* It counts writes by their entries, of which a longer queue shows some. */
    if (config->write_high == 0 || shape->entries <= ENTRIES) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "parameter 'write_high' is %u, but the channel has %u "
                     "places for requests; expected 0, or at most %d places, "
                     "'queue_entries' and 'write_entries' together",
                     config->write_high, shape->entries, ENTRIES);
}

/* Reads or writes?  Decided when the queue changes, not when a command is
 * legal: once it has turned to writes it waits until they may go out.  What a
 * row was opened for is under way and no longer counts. */
static void turn(struct frfcfs *f, const struct frfcfs_config *config)
{
    uint64_t waiting = f->waiting & ~f->begun;
    uint32_t writes = loom_popcount(waiting & f->writes);
    bool reads = (waiting & ~f->writes) != 0;

    if (f->writing) {
        f->writing = writes > config->write_low || !reads;
    } else {
        f->writing = writes >= config->write_high || !reads;
    }
}

/* A row is opened for these entries. */
static void begin(struct frfcfs *f, const struct frfcfs_config *config,
                  uint64_t entries)
{
    f->begun |= entries;
    turn(f, config);
}

static void frfcfs_arrived(struct loom_policy *self, uint32_t entry,
                           uint32_t bank, uint32_t row, bool write)
{
    struct frfcfs *f = loom_policy_state(self);

    (void)bank;
    (void)row;
    f->waiting |= loom_bit(entry);
    f->writes |= write ? loom_bit(entry) : 0;
    turn(f, loom_policy_config(self));
}

static void frfcfs_served(struct loom_policy *self, uint32_t entry)
{
    struct frfcfs *f = loom_policy_state(self);

    f->waiting &= ~loom_bit(entry);
    f->writes &= ~loom_bit(entry);
    f->begun &= ~loom_bit(entry);
    turn(f, loom_policy_config(self));
}

/* The banks of some entries. */
static uint64_t banks_of(const struct loom_schedule_view *view,
                         uint64_t entries)
{
    uint64_t banks = 0;

    for (; entries != 0; entries &= entries - 1) {
        banks |= loom_bit(view->entry[loom_lowest(entries)].bank);
    }
    return banks;
}

/* The entries, among some, of a set of banks. */
static uint64_t in_banks(const struct loom_schedule_view *view,
                         uint64_t entries, uint64_t banks)
{
    uint64_t in = 0;

    for (uint64_t rest = entries; rest != 0; rest &= rest - 1) {
        uint32_t entry = loom_lowest(rest);

        in |= (banks >> view->entry[entry].bank & 1) << entry;
    }
    return in;
}

static uint64_t side_of(const struct frfcfs *f,
                        const struct frfcfs_config *config,
                        const struct loom_schedule_view *view)
{
    if (config->write_high == 0) {
        return ~UINT64_C(0);
    }
    return (f->writing ? view->writes : ~view->writes) | f->begun;
}

/* The oldest whose next command is legal, after those for which a row was
 * opened; while one of these waits its row is not closed. */
static uint32_t frfcfs_pick_ready(struct frfcfs *f,
                                  const struct frfcfs_config *config,
                                  const struct loom_schedule_view *view,
                                  uint64_t side)
{
    uint64_t ready = view->column | view->activate | view->precharge;
    uint64_t among = ready & f->begun;
    uint32_t entry;

    if (among == 0) {
        among = ready & side;
    }
    if (among == 0) {
        return UINT32_MAX;
    }
    entry = loom_schedule_oldest(view, among);
    if ((view->precharge >> entry & 1) != 0 &&
        in_banks(view, f->begun, loom_bit(view->entry[entry].bank)) != 0) {
        return UINT32_MAX;
    }
    begin(f, config, view->activate & loom_bit(entry));
    return entry;
}

static LOOM_NOINLINE uint32_t
frfcfs_pick_among(struct frfcfs *f, const struct frfcfs_config *config,
                  const struct loom_schedule_view *view)
{
    uint64_t side = side_of(f, config, view);
    uint64_t misses = view->waiting & side & ~view->hits;
    uint64_t wanted, among, tired = 0;
    uint32_t entry;

    if (config->row_hits != 0) {
        uint64_t contested = banks_of(view, misses);

        for (; contested != 0; contested &= contested - 1) {
            uint32_t bank = loom_lowest(contested);

            tired |= f->served[bank] >= config->row_hits ? loom_bit(bank) : 0;
        }
    }
    if (config->any_ready) {
        return frfcfs_pick_ready(f, config, view, side);
    }
    wanted = view->hits & side;
    wanted &= tired != 0 ? ~in_banks(view, wanted, tired) : ~UINT64_C(0);
    among = view->column & wanted;
    if (among == 0) {
        uint64_t closable = view->precharge & side;

        closable &= ~in_banks(view, closable, banks_of(view, wanted));
        among = (view->activate & side) | closable;
    }
    if (among == 0) {
        return UINT32_MAX;
    }
    entry = loom_schedule_oldest(view, among);
    begin(f, config, view->activate & loom_bit(entry));
    if (config->row_hits != 0) {
        uint32_t bank = view->entry[entry].bank;
        bool column = (view->column >> entry & 1) != 0;
        bool contested = in_banks(view, misses, loom_bit(bank)) != 0;

        f->served[bank] = column ? f->served[bank] + (contested ? 1 : 0) : 0;
    }
    return entry;
}

static uint32_t frfcfs_pick(struct loom_policy *self,
                            const struct loom_schedule_view *view)
{
    struct frfcfs *f = loom_policy_state(self);

    return f->plain ? loom_schedule_first_ready(view)
                    : frfcfs_pick_among(f, loom_policy_config(self), view);
}

/* Columns first, no row is closed that is wanted, and nothing remembered. */
static bool frfcfs_is_plain(const struct loom_policy *self)
{
    const struct frfcfs_config *config = loom_policy_config(self);

    return config->row_hits == 0 && config->write_high == 0 &&
           !config->any_ready;
}

static const struct loom_param frfcfs_params[] = {
    LOOM_PARAM(struct frfcfs_config, row_hits, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 0}, .max = {.u = 65536},
               .source = "not in GPGPU-Sim; DRAMsim3 has 4",
               .doc =
                   "Columns of a row while others wait for the bank; 0: any"),
    LOOM_PARAM(struct frfcfs_config, write_high, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 0}, .max = {.u = 64},
               .source = "GPGPU-Sim 3.2.2 does not keep them apart",
               .doc = "Writes that make it serve writes; 0: no difference"),
    LOOM_PARAM(struct frfcfs_config, write_low, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 0}, .max = {.u = 63},
               .doc = "Writes left when it serves reads again"),
    LOOM_PARAM(struct frfcfs_config, any_ready, .def = {.b = false},
               .source = "Ramulator 1: its scheduler FRFCFS",
               .doc = "The oldest request whose next command is legal goes "
                      "first, also if that opens or closes a row"),
};

static const struct loom_schedule_ops frfcfs_schedule_ops = {
    .bind = frfcfs_bind,
    .pick = frfcfs_pick,
    .first_ready = frfcfs_is_plain,
    .arrived = frfcfs_arrived,
    .served = frfcfs_served,
};

static void frfcfs_cost(const void *untyped,
                        const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    const struct frfcfs_config *config = untyped;

    loom_cost_add(cost, "order", shape->entries, loom_bits_for(shape->entries),
                  "Place of a request in the order of arrival");
    loom_cost_add(cost, "row_hits", config->row_hits == 0 ? 0 : shape->banks,
                  loom_bits_for((uint64_t)config->row_hits + 1),
                  "Columns of the open row while others waited");
    loom_cost_add(cost, "writing", config->write_high == 0 ? 0 : 1, 1,
                  "Writes are served now, not reads");
}

const struct loom_policy_type frfcfs_policy = {
    .name = "frfcfs",
    .doc = "DRAM row hits first, then the oldest request",
    .state_size = sizeof(struct frfcfs),
    .config_size = sizeof(struct frfcfs_config),
    .params = LOOM_SLICE(frfcfs_params),
    .facets = LOOM_FACETS({&loom_schedule_hook, &frfcfs_schedule_ops}),
    .validate = frfcfs_validate,
    .cost = frfcfs_cost,
};

/*
 * bank_slots: one request of each bank at a time, banks in turn.
 *
 * GPGPU-Sim's DRAM scheduler (dram.cc, dram_sched.cc of versions 3 and 4,
 * -gpgpu_dram_scheduler 1).  Each bank has a slot for one request.  In each
 * cycle one request is taken into an empty slot: that of the first bank, from
 * `turn` on, that has one waiting; of its requests the oldest for the row that
 * was opened last, else the oldest.  Then `turn` moves on by one.
 *
 * Only requests in slots get commands.  Banks are looked at from `turn` on:
 * the first one whose command is legal has it, and after a row command `turn`
 * is the bank after it.  A bank whose slot has a request for another row
 * closes its row, whoever still waits for it: nobody does, or one of them
 * would have been taken.
 *
 * With `both` the walk goes on after a row command, and the first column
 * command of a later bank goes out in the same cycle, though there is one
 * command bus: version 4 does so.  As `turn` has moved meanwhile and the
 * walk's steps count from it, i + 1 banks are passed over after a row command
 * at step i.
 */
#include "policies/dram_hook.h"

enum {
    BANKS = 64
};

struct bank_slots_config {
    bool both;
};

struct bank_slots {
    uint32_t banks, turn;
    bool dual;
    uint64_t taken;      /* banks whose slot has a request */
    loom_cycle row_at;   /* the cycle of the last row command */
    uint32_t over;       /* steps that a column beside it passes over */
    uint32_t row[BANKS]; /* of the last request taken; 0 at first, as there */
    uint8_t bank[BANKS]; /* of an entry */
};

static bool bank_slots_bind(struct loom_policy *self,
                            const struct loom_schedule_shape *shape,
                            struct loom_error *err)
{
    struct bank_slots *b = loom_policy_state(self);

    (void)err;
    b->banks = shape->banks;
    b->dual = shape->dual;
    b->row_at = LOOM_NEVER;
    return true;
}

/* Steps from `turn` to a bank; there is a power of two of them. */
static uint32_t steps_to(const struct bank_slots *b, uint32_t bank)
{
    return (bank - b->turn) & (b->banks - 1);
}

static uint32_t bank_after(const struct bank_slots *b, uint32_t steps)
{
    return (b->turn + steps) & (b->banks - 1);
}

/* The first of some banks from `turn` on. */
static uint32_t first_bank(const struct bank_slots *b, uint64_t banks)
{
    uint64_t later = banks >> b->turn << b->turn;

    return loom_lowest(later != 0 ? later : banks);
}

static uint32_t bank_slots_take(struct loom_policy *self,
                                const struct loom_schedule_queue *queue)
{
    struct bank_slots *b = loom_policy_state(self);
    uint64_t empty = queue->banks & ~b->taken;
    uint32_t bank, oldest, number;

    if (empty == 0) {
        return LOOM_SCHEDULE_NONE;
    }
    bank = first_bank(b, empty);
    oldest = number = queue->first[bank];
    while (number != LOOM_SCHEDULE_NONE &&
           queue->request[number].row != b->row[bank]) {
        number = queue->request[number].next;
    }
    number = number != LOOM_SCHEDULE_NONE ? number : oldest;
    b->row[bank] = queue->request[number].row;
    b->turn = bank_after(b, 1);
    return number;
}

static void bank_slots_arrived(struct loom_policy *self, uint32_t entry,
                               uint32_t bank, uint32_t row, bool write)
{
    struct bank_slots *b = loom_policy_state(self);

    (void)row;
    (void)write;
    b->taken |= loom_bit(bank);
    b->bank[entry] = (uint8_t)bank;
}

static void bank_slots_served(struct loom_policy *self, uint32_t entry)
{
    struct bank_slots *b = loom_policy_state(self);

    b->taken &= ~loom_bit(b->bank[entry]);
}

/* Of some entries, one of a bank at most, the first from `turn` on that is not
 * less than `from` steps away; *steps: how far. */
static uint32_t first_of(const struct bank_slots *b, uint64_t entries,
                         uint32_t from, uint32_t *steps)
{
    uint32_t best = LOOM_SCHEDULE_NONE;

    *steps = b->banks;
    for (; entries != 0; entries &= entries - 1) {
        uint32_t entry = loom_lowest(entries);
        uint32_t at = steps_to(b, b->bank[entry]);

        if (at < *steps && at >= from) {
            *steps = at;
            best = entry;
        }
    }
    return best;
}

static uint32_t bank_slots_pick(struct loom_policy *self,
                                const struct loom_schedule_view *view)
{
    struct bank_slots *b = loom_policy_state(self);
    bool beside = !b->dual && b->row_at == view->now;
    uint32_t to_column, to_row;
    uint32_t column =
        first_of(b, view->column, beside ? b->over : 0, &to_column);
    uint32_t row = first_of(b, view->activate | view->precharge, 0, &to_row);

    if (column != LOOM_SCHEDULE_NONE && (b->dual || to_column < to_row)) {
        return column;
    }
    if (row != LOOM_SCHEDULE_NONE) {
        b->row_at = view->now;
        b->over = to_row + 1;
        b->turn = bank_after(b, to_row + 1);
    }
    return row;
}

static bool bank_slots_both(const struct loom_policy *self)
{
    const struct bank_slots_config *config = loom_policy_config(self);

    return config->both;
}

static const struct loom_param bank_slots_params[] = {
    LOOM_PARAM(struct bank_slots_config, both, .def = {.b = true},
               .source = "GPGPU-Sim 4, dram.cc; version 3.2.2: false",
               .doc = "A column command of a later bank goes out beside a row "
                      "command, though they share a bus"),
};

static const struct loom_schedule_ops bank_slots_ops = {
    .bind = bank_slots_bind,
    .pick = bank_slots_pick,
    .take = bank_slots_take,
    .both = bank_slots_both,
    .arrived = bank_slots_arrived,
    .served = bank_slots_served,
};

static void bank_slots_cost(const void *untyped,
                            const struct loom_cost_shape *shape,
                            struct loom_cost *cost)
{
    (void)untyped;
    loom_cost_add(cost, "slots", shape->banks, loom_bits_for(shape->entries),
                  "The request of each bank that is served");
    loom_cost_add(cost, "turn", 1, loom_bits_for(shape->banks),
                  "Bank that is looked at first");
}

const struct loom_policy_type bank_slots_policy = {
    .name = "bank_slots",
    .doc = "DRAM banks in turn, each with one request at a time (GPGPU-Sim)",
    .state_size = sizeof(struct bank_slots),
    .config_size = sizeof(struct bank_slots_config),
    .params = LOOM_SLICE(bank_slots_params),
    .facets = LOOM_FACETS({&loom_schedule_hook, &bank_slots_ops}),
    .cost = bank_slots_cost,
};

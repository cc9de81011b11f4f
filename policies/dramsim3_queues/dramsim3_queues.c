/*
 * dramsim3_queues: a command queue for each bank, banks in turn.
 *
 * DRAMsim3's controller (umd-memsys/DRAMsim3 29817593: controller.cc,
 * command_queue.cc).  Reads and writes wait in a line each.  In each cycle one
 * of them is assigned to the queue of its bank, which holds `depth`: the first
 * of its line whose bank has room.  It is the line of reads, unless writes are
 * drained: from when the line of writes is full, or longer than `drain_above`
 * while the queues of all banks are empty, until as many writes as there were
 * then are assigned.  (The last few would wait for ever: so they are drained,
 * too, when nothing was assigned for `drain_idle` cycles.)
 *
 * Banks are looked at in turn, from the one behind the last that had a command.
 * A bank's queue is looked at from its oldest request on; the first whose
 * command is legal has it.  Only the oldest of all may open a row; it may close
 * one that others of the queue want after `row_hits` columns.
 *
 * With a bus for columns of its own, DRAMsim3 looks for a second command, from
 * the next bank on, and stops at the first that it finds; if that is of the
 * kind of the first command, nothing is issued.  So a column may go out beside
 * a row command only if no row command is legal in the banks between them.
 */
#include "policies/dram_hook.h"

enum {
    BANKS = 64,
    ENTRIES = 64
};

struct queues_config {
    uint32_t depth, row_hits, drain_above, drain_idle;
};

struct queues {
    uint32_t banks, groups, per_group, write_entries;
    bool dual, low_groups;
    uint32_t turn; /* the last bank that had a command, in DRAMsim3's order */
    uint32_t draining; /* writes still to be assigned before reads */
    uint32_t total;    /* requests in the queues */
    uint32_t length[BANKS];
    uint32_t columns[BANKS]; /* since the row was opened */
    uint64_t entries[BANKS];
    uint8_t bank[ENTRIES];
    loom_cycle assigned_at; /* the last one */
    bool waking, late;      /* a timer is set; nothing came for long */
    loom_cycle now;         /* of the last command */
    bool row;               /* it was a row command */
    uint32_t second;        /* beside it */
};

/* What a walk over the banks has found. */
struct found {
    uint32_t entry, turn;
};

static bool queues_bind(struct loom_policy *self,
                        const struct loom_schedule_shape *shape,
                        struct loom_error *err)
{
    struct queues *q = loom_policy_state(self);

    q->banks = shape->banks;
    q->groups = shape->groups;
    q->per_group = shape->banks / shape->groups;
    q->write_entries = shape->write_entries;
    q->dual = shape->dual;
    q->low_groups = shape->low_groups;
    q->now = LOOM_NEVER;
    if (shape->write_entries != 0) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "dramsim3_queues has a queue for writes, but the "
                     "channel's parameter 'write_entries' is 0, expected 32 "
                     "or so");
}

static uint32_t queues_assigned(const struct loom_policy *self,
                                const struct loom_schedule_shape *shape)
{
    const struct queues_config *config = loom_policy_config(self);

    return config->depth * shape->banks;
}

/* ---- into the queues ---- */

static uint32_t queues_assign(struct loom_policy *self,
                              const struct loom_schedule_queue *queue)
{
    const struct queues_config *config = loom_policy_config(self);
    struct queues *q = loom_policy_state(self);
    bool full = queue->writes >= q->write_entries;
    bool idle = queue->writes > config->drain_above && q->total == 0;
    uint32_t number;

    if (q->draining == 0 && (full || idle || q->late)) {
        q->draining = queue->writes;
    }
    q->late = false;
    number = queue->line[q->draining != 0 ? 1 : 0];
    while (number != LOOM_SCHEDULE_NONE &&
           q->length[queue->request[number].bank] >= config->depth) {
        number = queue->request[number].next;
    }
    if (number != LOOM_SCHEDULE_NONE) {
        q->draining -= q->draining != 0 ? 1 : 0;
        q->length[queue->request[number].bank]++;
        q->total++;
        q->assigned_at = loom_policy_now(self);
    } else if (q->draining == 0 && queue->writes != 0 && !q->waking) {
        q->waking = true;
        loom_policy_wake(self, loom_policy_now(self) + config->drain_idle);
    }
    return number;
}

/* The last few writes shall not wait for ever. */
static void queues_timer(struct loom_policy *self, loom_cycle now)
{
    const struct queues_config *config = loom_policy_config(self);
    struct queues *q = loom_policy_state(self);
    loom_cycle due = q->assigned_at + config->drain_idle;

    q->late = now >= due;
    q->waking = !q->late;
    if (q->waking) {
        loom_policy_wake(self, due);
    }
}

static void queues_arrived(struct loom_policy *self, uint32_t entry,
                           uint32_t bank, uint32_t row, bool write)
{
    struct queues *q = loom_policy_state(self);

    (void)row;
    (void)write;
    q->entries[bank] |= loom_bit(entry);
    q->bank[entry] = (uint8_t)bank;
}

static void queues_served(struct loom_policy *self, uint32_t entry)
{
    struct queues *q = loom_policy_state(self);

    q->entries[q->bank[entry]] &= ~loom_bit(entry);
    q->length[q->bank[entry]]--;
    q->total--;
}

/* ---- commands ---- */

/* DRAMsim3 goes from group to group. */
static uint32_t bank_at(const struct queues *q, uint32_t place)
{
    return q->low_groups
               ? place % q->per_group * q->groups + place / q->per_group
               : place;
}

/* The first of a bank's requests whose command is legal. */
static uint32_t first_of(const struct queues *q,
                         const struct queues_config *config,
                         const struct loom_schedule_view *view, uint32_t bank)
{
    uint64_t mine = q->entries[bank], columns = view->column & mine;
    uint64_t rows = (view->activate | view->precharge) & mine, head;

    if ((columns | rows) == 0) {
        return LOOM_SCHEDULE_NONE;
    }
    head = loom_bit(loom_schedule_oldest(view, mine));
    if ((rows & head) != 0) {
        bool kept = (view->precharge & head) != 0 && (view->hits & mine) != 0 &&
                    q->columns[bank] < config->row_hits;

        if (!kept) {
            return loom_lowest(head);
        }
    }
    return columns != 0 ? loom_schedule_oldest(view, columns)
                        : LOOM_SCHEDULE_NONE;
}

/* From the bank behind place `turn` on, without bank `but`. */
static struct found walk(const struct queues *q,
                         const struct queues_config *config,
                         const struct loom_schedule_view *view, uint32_t turn,
                         uint32_t but)
{
    for (uint32_t i = 1; i <= q->banks; i++) {
        uint32_t place = (turn + i) & (q->banks - 1);
        uint32_t bank = bank_at(q, place), entry;

        if (bank == but) {
            continue;
        }
        entry = first_of(q, config, view, bank);
        if (entry != LOOM_SCHEDULE_NONE) {
            return (struct found){entry, place};
        }
    }
    return (struct found){LOOM_SCHEDULE_NONE, turn};
}

/* What is found beside a row command for `bank`.  After an activate no other
 * is legal. */
static void look_beside(struct queues *q, const struct queues_config *config,
                        const struct loom_schedule_view *view, uint32_t bank,
                        bool activate)
{
    struct loom_schedule_view rest = *view;
    struct found beside;

    rest.activate = activate ? 0 : rest.activate;
    beside = walk(q, config, &rest, q->turn, bank);
    q->turn = beside.turn;
    q->second = LOOM_SCHEDULE_NONE;
    if (beside.entry != LOOM_SCHEDULE_NONE &&
        (view->column >> beside.entry & 1) != 0) {
        q->second = beside.entry;
    }
}

static uint32_t queues_pick(struct loom_policy *self,
                            const struct loom_schedule_view *view)
{
    const struct queues_config *config = loom_policy_config(self);
    struct queues *q = loom_policy_state(self);
    bool again = q->now == view->now; /* the second command of the cycle */
    struct found found;
    uint32_t bank;

    if (again && q->row) {
        found.entry = q->second;
        found.turn = q->turn;
    } else {
        found = walk(q, config, view, q->turn, UINT32_MAX);
    }
    if (found.entry == LOOM_SCHEDULE_NONE) {
        return LOOM_SCHEDULE_NONE;
    }
    q->turn = found.turn;
    bank = view->entry[found.entry].bank;
    if ((view->column >> found.entry & 1) != 0) {
        q->columns[bank]++;
        q->row = false;
    } else {
        bool activate = (view->activate >> found.entry & 1) != 0;

        q->columns[bank] = activate ? 0 : q->columns[bank];
        q->row = true;
        if (q->dual && !again) {
            look_beside(q, config, view, bank, activate);
        }
    }
    q->now = view->now;
    return found.entry;
}

static const struct loom_param queues_params[] = {
    LOOM_PARAM(struct queues_config, depth, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 64},
               .source = "DRAMsim3: cmd_queue_size of its configurations",
               .doc = "Requests in the queue of a bank"),
    LOOM_PARAM(struct queues_config, row_hits, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = 65536},
               .source = "DRAMsim3: ArbitratePrecharge",
               .doc = "Columns of a row after which the oldest may close it"),
    LOOM_PARAM(struct queues_config, drain_above, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .max = {.u = 4096},
               .source = "DRAMsim3: ScheduleTransaction",
               .doc = "Writes are drained if there are more than that and the "
                      "queues of all banks are empty"),
    LOOM_PARAM(struct queues_config, drain_idle, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1000}, .min = {.u = 1}, .max = {.u = 1000000},
               .source = "DRAMsim3 keeps the last writes for ever",
               .doc = "Writes are drained if nothing was assigned for so long"),
};

static const struct loom_schedule_ops queues_ops = {
    .bind = queues_bind,
    .pick = queues_pick,
    .assign = queues_assign,
    .assigned = queues_assigned,
    .arrived = queues_arrived,
    .served = queues_served,
};

static void queues_cost(const void *untyped,
                        const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    const struct queues_config *config = untyped;

    loom_cost_add(cost, "queues", (uint64_t)config->depth * shape->banks,
                  loom_bits_for(shape->entries),
                  "The requests that are assigned to a bank");
    loom_cost_add(cost, "columns", shape->banks,
                  loom_bits_for((uint64_t)config->row_hits + 1),
                  "Columns of the open row");
    loom_cost_add(cost, "turn", 1, loom_bits_for(shape->banks),
                  "Bank that is looked at first");
    loom_cost_add(cost, "draining", 1, loom_bits_for(shape->entries),
                  "Writes still to be assigned before reads");
}

const struct loom_policy_type dramsim3_queues_policy = {
    .name = "dramsim3_queues",
    .doc = "DRAM command queues for each bank, banks in turn (DRAMsim3)",
    .state_size = sizeof(struct queues),
    .config_size = sizeof(struct queues_config),
    .params = LOOM_SLICE(queues_params),
    .facets = LOOM_FACETS({&loom_schedule_hook, &queues_ops}),
    .timer = queues_timer,
    .cost = queues_cost,
};

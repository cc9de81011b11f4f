/*
 * The request queue of a DRAM channel: requests in, commands chosen, replies
 * out.
 *
 * In one cycle: one reply leaves, one command (two with a dual command bus)
 * is issued, one request is accepted.  A request accepted in a cycle gets its
 * first command in the next one at the earliest, and a place freed in a cycle
 * is filled in the next one at the earliest, as in DRAMsim3 and Ramulator.
 *
 * A request occupies its entry until its last column command; from then on it
 * waits in the return queue until its data has passed and the reply has left.
 * Data passes in the order of the commands, so the return queue is a FIFO.
 *
 * Invariant: every accepted request is in exactly one of the two queues.
 */
#include "components/dram/dram_private.h"

bool dram_bind(struct loom_component *self, struct loom_error *err)
{
    const struct dram_config *config = loom_config(self);
    struct dram *dram = loom_state(self);
    struct loom_binding map = loom_slot(self, "map");
    struct loom_binding schedule = loom_slot(self, "schedule");
    const struct loom_map_shape map_shape = {config->channels,
                                             config->slices_per_channel};
    const struct loom_schedule_shape shape = {
        config->banks, config->bank_groups, config->queue_entries};

    dram->map = map.item[0].policy;
    dram->map_ops = map.item[0].ops;
    dram->schedule = schedule.item[0].policy;
    dram->schedule_ops = schedule.item[0].ops;
    dram->ports = loom_port_count(self, "up");
    for (uint32_t i = 0; i < dram->ports; i++) {
        dram->in[i] = loom_port_in(self, "up", i);
        loom_watch(dram->in[i], &dram->arriving, loom_bit(i));
        dram->out[i] = loom_port_out(self, "up", i);
    }
    dram->view.order = dram->order;
    dram->view.newer = dram->newer;
    dram->view.bank = dram->bank_of;
    dram->view.row = dram->row_of;
    if (dram->map_ops->bind != NULL &&
        !dram->map_ops->bind(dram->map, &map_shape, err)) {
        return false;
    }
    if (dram->schedule_ops->bind != NULL &&
        !dram->schedule_ops->bind(dram->schedule, &shape, err)) {
        return false;
    }
    dram->spares_rows = dram->schedule_ops->spares_rows != NULL &&
                        dram->schedule_ops->spares_rows(dram->schedule);
    return true;
}

/* The queue's length changes at `now`. */
static void count_occupancy(struct dram *dram, loom_cycle now)
{
    dram->stats->queue_cycles +=
        loom_popcount(dram->waiting) * (now - dram->counted);
    dram->counted = now;
}

/* ---- replies ---- */

static uint32_t back_place(const struct dram *dram, uint32_t number)
{
    uint32_t place = dram->back_head + number;
    uint32_t size = dram->config->return_entries;

    return place < size ? place : place - size;
}

static void send_back(struct dram *dram, const struct loom_mem_request *request,
                      loom_cycle arrived, uint32_t port, loom_cycle ready)
{
    struct dram_return *back = &dram->back[back_place(dram, dram->back_count)];
    loom_cycle last = 0;

    LOOM_CHECK(dram->back_count < dram->config->return_entries);
    if (dram->back_count != 0) {
        last = dram->back[back_place(dram, dram->back_count - 1)].ready;
    }
    back->request = *request;
    back->arrived = arrived;
    back->ready = ready > last ? ready : last;
    back->port = port;
    back->silent = !loom_mem_replied((enum loom_mem_kind)request->kind);
    dram->back_count++;
}

static void drop_back(struct dram *dram, loom_cycle now)
{
    struct dram_stats *stats = dram->stats;
    const struct dram_return *back = &dram->back[dram->back_head];
    uint64_t cycles = now + dram->config->reply_lead - back->arrived;

    switch ((enum loom_mem_kind)back->request.kind) {
    case LOOM_MEM_LOAD:
    case LOOM_MEM_ATOMIC:
        loom_histogram_add(&stats->read_latency, cycles);
        break;
    case LOOM_MEM_STORE:
    case LOOM_MEM_WRITEBACK:
        loom_histogram_add(&stats->write_latency, cycles);
        break;
    case LOOM_MEM_QUERY:
    case LOOM_MEM_FLUSH:
    case LOOM_MEM_KINDS:
        break;
    }
    if (dram->back_count == dram->config->return_entries &&
        dram->waiting != 0) {
        dram->command_at = now; /* columns were held back */
        dram->planned = false;
    }
    dram->back_head = back_place(dram, 1);
    dram->back_count--;
}

/* Returns false if the oldest reply found no place in its channel, whose
 * credit then wakes us. */
static bool reply(struct dram *dram, loom_cycle now)
{
    while (dram->back_count != 0) {
        const struct dram_return *back = &dram->back[dram->back_head];
        struct loom_channel *out = dram->out[back->port];

        if (back->ready > now) {
            return true;
        }
        if (back->silent) {
            dram->stats->writebacks++;
            drop_back(dram, now);
            continue;
        }
        if (loom_ready(out, now)) {
            struct loom_mem_request *answer = loom_send(out, now, 0);

            *answer = back->request;
            answer->flags |= LOOM_MEM_REPLY;
            dram->stats->replies++;
            drop_back(dram, now);
            return true;
        }
        return false;
    }
    return true;
}

/* ---- commands ---- */

/* `waiting` still has it. */
static void leave_line(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;
    uint32_t newer = dram->newer[number], older = dram->older[number];

    if (number == view->oldest) {
        view->oldest = newer;
    } else if (number == dram->newest) {
        dram->newest = older;
    } else {
        dram->newer[older] = (uint8_t)newer;
        dram->older[newer] = (uint8_t)older;
    }
}

static void serve(struct dram *dram, uint32_t number, loom_cycle data_end,
                  loom_cycle now)
{
    struct dram_entry *entry = &dram->entry[number];
    struct dram_bank *bank = &dram->bank[dram->bank_of[number]];
    uint64_t bit = loom_bit(number);

    count_occupancy(dram, now);
    leave_line(dram, number);
    dram->waiting &= ~bit;
    dram->writes &= ~bit;
    dram->hits &= ~bit;
    bank->entries &= ~bit;
    bank->hits &= ~bit;
    dram_classify(dram, dram->bank_of[number]);
    send_back(dram, &entry->request, entry->arrived, entry->port,
              data_end + dram->config->latency - dram->config->reply_lead);
    if (dram->schedule_ops->served != NULL) {
        dram->schedule_ops->served(dram->schedule, number);
    }
}

static void column(struct dram *dram, uint32_t number, loom_cycle now)
{
    struct dram_entry *entry = &dram->entry[number];
    bool write = (dram->writes >> number & 1) != 0;
    loom_cycle end = now + dram->t.burst;

    dram_issue(dram, write ? DRAM_WRITE : DRAM_READ, dram->bank_of[number],
               dram->row_of[number], now);
    end += write ? dram->config->wl : dram->config->cl;
    if (--entry->left == 0) {
        serve(dram, number, end, now);
    }
}

/* What kind of command was issued. */
enum asked {
    ASKED_NONE,
    ASKED_COLUMN,
    ASKED_ROW
};

static enum asked ask(struct dram *dram, loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t legal = view->column | view->activate | view->precharge;
    uint32_t number;
    bool open;

    if (legal == 0) {
        return ASKED_NONE;
    }
    view->waiting = dram->waiting;
    view->writes = dram->writes;
    view->hits = dram->hits;
    view->now = now;
    number = dram->schedule_ops->pick(dram->schedule, view);
    if (number == UINT32_MAX) {
        return ASKED_NONE;
    }
    LOOM_CHECK(number < DRAM_ENTRIES && (legal >> number & 1) != 0);
    if ((view->column >> number & 1) != 0) {
        column(dram, number, now);
        return ASKED_COLUMN;
    }
    open = (view->precharge >> number & 1) != 0;
    dram_issue(dram, open ? DRAM_PRECHARGE : DRAM_ACTIVATE,
               dram->bank_of[number], dram->row_of[number], now);
    return ASKED_ROW;
}

/* The second command of a dual bus: the other kind. */
static void ask_again(struct dram *dram, enum asked first, loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;

    dram_plan(dram, now);
    if (dram->plan_at != now) {
        return;
    }
    if (first == ASKED_COLUMN) {
        view->column = 0;
    } else {
        view->activate = view->precharge = 0;
    }
    ask(dram, now);
}

static void command(struct dram *dram, loom_cycle now)
{
    enum asked first;

    if (now >= dram->refresh_at) {
        dram->command_at = dram_refresh(dram, now);
        dram->planned = false;
        return;
    }
    if (!dram->planned || now >= dram->plan_next) {
        dram_plan(dram, now);
    }
    dram->declined = false;
    dram->command_at = dram->plan_at;
    if (dram->plan_at > now) {
        return;
    }
    first = ask(dram, now);
    if (first == ASKED_NONE) {
        dram->declined = true;
        dram->command_at = dram->plan_next;
        return;
    }
    if (dram->config->dual_bus) {
        ask_again(dram, first, now);
    }
    dram_plan(dram, now + 1);
    dram->command_at = dram->plan_at;
}

/* ---- requests ---- */

/* Waiting entries form a list in order of arrival. */

static void line_up(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;

    if (dram->waiting == 0) {
        view->oldest = number;
    } else {
        dram->newer[dram->newest] = (uint8_t)number;
        dram->older[number] = (uint8_t)dram->newest;
    }
    dram->newest = number;
}

static void enter(struct dram *dram, const struct loom_mem_request *request,
                  uint32_t number, const struct loom_place *place,
                  uint32_t port)
{
    struct dram_entry *entry = &dram->entry[number];
    struct dram_bank *bank = &dram->bank[place->bank];
    bool write =
        request->kind == LOOM_MEM_STORE || request->kind == LOOM_MEM_WRITEBACK;
    uint32_t atom = dram->t.atom_bytes;
    uint64_t bit = loom_bit(number);

    entry->request = *request;
    entry->port = port;
    entry->left = (request->size_bytes + atom - 1) / atom;
    entry->left = entry->left == 0 ? 1 : entry->left;
    dram->order[number] = dram->sequence++;
    line_up(dram, number);
    dram->bank_of[number] = place->bank;
    dram->row_of[number] = place->row;
    dram->waiting |= bit;
    dram->writes |= write ? bit : 0;
    bank->entries |= bit;
    if (bank->open && bank->row == place->row) {
        bank->hits |= bit;
        dram->hits |= bit;
    }
    dram_classify(dram, place->bank);
    dram->stats->read_requests += write ? 0 : 1;
    dram->stats->write_requests += write ? 1 : 0;
    if (dram->schedule_ops->arrived != NULL) {
        dram->schedule_ops->arrived(dram->schedule, number, place->bank,
                                    place->row, write);
    }
}

static bool locate(struct loom_component *self, struct dram *dram,
                   const struct loom_mem_request *request,
                   struct loom_place *place)
{
    loom_addr address = request->block;
    struct loom_error err;

    if (request->sectors != 0) {
        address += LOOM_SECTOR_BYTES * loom_lowest(request->sectors);
    }
    dram->map_ops->map(dram->map, address, place);
    if (place->bank < dram->config->banks) {
        return true;
    }
    loom_fail(&err, LOOM_ERR_CONFIG,
              "the map put address 0x%llx in bank %u, but parameter 'banks' "
              "is %u",
              (unsigned long long)address, place->bank, dram->config->banks);
    loom_fail_at(&err, loom_component_path(self));
    loom_raise(self, &err);
    return false;
}

/* Takes one request from `port` into one of the `free` entries. */
static bool take(struct loom_component *self, uint32_t port, uint64_t free,
                 loom_cycle now)
{
    struct dram *dram = loom_state(self);
    struct loom_channel *in = dram->in[port];
    const struct loom_mem_request *request = loom_peek(in, now);
    struct loom_place place;
    uint32_t number;

    if (request == NULL) {
        return false;
    }
    if (request->kind == LOOM_MEM_QUERY) {
        if (dram->back_count == dram->config->return_entries) {
            return false;
        }
        dram->stats->queries++;
        send_back(dram, request, now, port,
                  now + 1 + dram->config->latency - dram->config->reply_lead);
        dram->planned = false; /* perhaps that was the last place */
        loom_pop(in, now);
        return true;
    }
    LOOM_CHECK(request->kind < LOOM_MEM_FLUSH);
    if (free == 0 || !locate(self, dram, request, &place)) {
        return false;
    }
    count_occupancy(dram, now);
    if (dram->waiting == 0) {
        dram_refresh_idle(dram, now);
    }
    number = loom_lowest(free);
    enter(dram, request, number, &place, port);
    dram->entry[number].arrived = now;
    loom_pop(in, now);
    dram_plan_entry(dram, number, now + 1);
    return true;
}

/* One request of the ports in turn. */
static void accept(struct loom_component *self, struct dram *dram,
                   uint64_t free, loom_cycle now)
{
    uint64_t below = loom_bit(dram->turn) - 1;
    uint64_t rest = dram->arriving & ~below;

    for (int half = 0; half < 2; half++, rest = dram->arriving & below) {
        for (; rest != 0; rest &= rest - 1) {
            uint32_t port = loom_lowest(rest);

            if (take(self, port, free, now)) {
                if (loom_occupancy(dram->in[port]) == 0) {
                    dram->arriving &= ~loom_bit(port);
                }
                dram->turn = port + 1 < dram->ports ? port + 1 : 0;
                return;
            }
        }
    }
}

/* Has a request arrived that is not accepted yet? */
static bool pending(const struct dram *dram, loom_cycle now)
{
    for (uint64_t rest = dram->arriving; rest != 0; rest &= rest - 1) {
        if (loom_arrival(dram->in[loom_lowest(rest)]) <= now) {
            return true;
        }
    }
    return false;
}

static void count_full(struct dram *dram, bool full, loom_cycle now)
{
    if (dram->full_since != LOOM_NEVER) {
        dram->stats->queue_full_cycles += now - dram->full_since;
    }
    dram->full_since = full ? now : LOOM_NEVER;
}

loom_cycle dram_tick(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    uint64_t free = dram->usable & ~dram->waiting;
    loom_cycle next;
    bool more = false, room, free_way;

    free_way = reply(dram, now);
    if (dram->waiting != 0 && (now >= dram->command_at ||
                               now >= dram->refresh_at || dram->declined)) {
        command(dram, now);
    }
    if (dram->arriving != 0) {
        accept(self, dram, free, now);
        more = pending(dram, now);
    }
    room = dram->waiting != dram->usable;
    if ((more && !room) || dram->full_since != LOOM_NEVER) {
        count_full(dram, more && !room, now);
    }
    if (more && room) {
        return now + 1;
    }
    next = LOOM_NEVER;
    if (dram->back_count != 0 && free_way) {
        next = dram->back[dram->back_head].ready;
        next = next > now ? next : now + 1;
    }
    if (dram->waiting == 0) {
        return next;
    }
    next = dram->command_at < next ? dram->command_at : next;
    return dram->refresh_at > now && dram->refresh_at < next ? dram->refresh_at
                                                             : next;
}

void dram_settle(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);

    count_occupancy(dram, now);
    count_full(dram, dram->full_since != LOOM_NEVER, now);
    if (dram->waiting == 0 && now != 0) {
        dram_refresh_idle(dram, now - 1);
    }
    dram->stats->cycles = now;
}

bool dram_check(struct loom_component *self, struct loom_error *err)
{
    const struct dram *dram = loom_state(self);
    const struct dram_stats *stats = dram->stats;
    uint64_t in = stats->read_requests + stats->write_requests + stats->queries;
    uint64_t out = stats->replies + stats->writebacks;

    if (in == out && dram->waiting == 0 && dram->back_count == 0) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "%llu requests in, %llu out, %u queued, %u returning",
                     (unsigned long long)in, (unsigned long long)out,
                     loom_popcount(dram->waiting), dram->back_count);
}

void dram_report(struct loom_component *self, struct loom_report *report)
{
    const struct dram *dram = loom_state(self);
    uint32_t oldest = DRAM_ENTRIES;

    for (uint64_t rest = dram->waiting; rest != 0; rest &= rest - 1) {
        uint32_t number = loom_lowest(rest);

        if (oldest == DRAM_ENTRIES ||
            dram->order[number] < dram->order[oldest]) {
            oldest = number;
        }
    }
    if (oldest != DRAM_ENTRIES) {
        loom_report_line(report, self, dram->entry[oldest].arrived,
                         "%u requests queued, oldest 0x%llx in bank %u row %u",
                         loom_popcount(dram->waiting),
                         (unsigned long long)dram->entry[oldest].request.block,
                         dram->bank_of[oldest], dram->row_of[oldest]);
    }
    if (dram->back_count != 0) {
        const struct dram_return *back = &dram->back[dram->back_head];

        loom_report_line(report, self, back->arrived,
                         "%u replies held, first 0x%llx for up[%u]",
                         dram->back_count,
                         (unsigned long long)back->request.block, back->port);
    }
}

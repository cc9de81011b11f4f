/*
 * A cycle of a DRAM channel.
 *
 * In one cycle: one reply leaves, one command (two with a dual command bus)
 * is issued, one request is accepted.  A request accepted in a cycle gets its
 * first command in the next one at the earliest, and a place freed in a cycle
 * is filled in the next one at the earliest, as in DRAMsim3 and Ramulator.
 *
 * Who gets the command bus: a refresh that is due, then the scheduling
 * policy, then rows that the page policy closes.
 *
 * Data passes in the order of the commands, so the return queue is a FIFO.
 */
#include "components/dram/legal.h"

/* ---- replies ---- */

static uint32_t back_place(const struct dram *dram, uint32_t number)
{
    uint32_t place = dram->back_head + number;
    uint32_t size = dram->config->return_entries;

    return place < size ? place : place - size;
}

void dram_send_back(struct dram *dram, const struct dram_entry *entry,
                    loom_cycle ready)
{
    struct dram_return *back = &dram->back[back_place(dram, dram->back_count)];
    loom_cycle last = 0;

    LOOM_CHECK(dram->back_count < dram->config->return_entries);
    if (dram->back_count != 0) {
        last = dram->back[back_place(dram, dram->back_count - 1)].ready;
    }
    back->request = entry->request;
    back->arrived = entry->arrived;
    back->ready = ready > last ? ready : last;
    back->port = entry->port;
    back->silent = !loom_mem_replied((enum loom_mem_kind)entry->request.kind);
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

/* Nobody wants the open row of a bank any more. */
static void unwanted(struct dram *dram, uint32_t number, loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];

    bank->close_at =
        dram->page_ops->close_at(dram->page, number, bank->row, now);
    if (bank->close_at != LOOM_NEVER) {
        dram->closing |= loom_bit(number);
    }
}

static void serve(struct dram *dram, uint32_t number, loom_cycle data_end,
                  loom_cycle now)
{
    const struct dram_config *config = dram->config;
    uint32_t bank_number = dram->bank_of[number];
    struct dram_bank *bank = &dram->bank[bank_number];
    uint64_t bit = loom_bit(number);

    dram_count_occupancy(dram, now);
    dram_leave_line(dram, number);
    dram->waiting &= ~bit;
    dram->writes &= ~bit;
    dram->hits &= ~bit;
    bank->entries &= ~bit;
    bank->hits &= ~bit;
    dram_classify(dram, bank_number);
    if (dram->page_ops != NULL && bank->hits == 0) {
        unwanted(dram, bank_number, now);
    }
    dram_send_back(dram, &dram->entry[number],
                   data_end + config->latency - config->reply_lead);
    if (dram->schedule_ops->served != NULL) {
        dram->schedule_ops->served(dram->schedule, number);
    }
}

static void column(struct dram *dram, uint32_t number, loom_cycle now)
{
    struct dram_entry *entry = &dram->entry[number];
    bool write = (dram->writes >> number & 1) != 0;
    loom_cycle end = now + dram->t.burst;

    dram_issue(dram, write ? LOOM_DRAM_WR : LOOM_DRAM_RD, dram->bank_of[number],
               entry->column++, now);
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
    dram_issue(dram, open ? LOOM_DRAM_PRE : LOOM_DRAM_ACT,
               dram->bank_of[number], dram->row_of[number], now);
    return ASKED_ROW;
}

/* The second command of a dual bus: the other kind. */
static enum asked ask_again(struct dram *dram, enum asked first, loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;

    dram_plan(dram, now);
    if (dram->plan_at != now) {
        return ASKED_NONE;
    }
    if (first == ASKED_COLUMN) {
        view->column = 0;
    } else {
        view->activate = view->precharge = 0;
    }
    return ask(dram, now);
}

/* Closes one of the rows that nobody wants, if one may be closed and `free`:
 * the row bus is; returns when the next one may be. */
static loom_cycle close_one(struct dram *dram, bool free, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;
    uint64_t rest = dram->closing & ~dram->blocked;

    for (; rest != 0; rest &= rest - 1) {
        uint32_t number = loom_lowest(rest);
        const struct dram_bank *bank = &dram->bank[number];
        loom_cycle at =
            dram_later(bank->close_at, dram_precharge_at(dram, bank));

        if (at <= now && free) {
            dram_issue(dram, LOOM_DRAM_PRE, number, 0, now);
            dram->planned = false;
            free = false;
        } else {
            next = at < next ? at : next;
        }
    }
    return next > now ? next : now + 1;
}

/* What the policy wants to be issued. */
static enum asked by_policy(struct dram *dram, loom_cycle now)
{
    enum asked asked;

    if (!dram->planned || now >= dram->plan_next) {
        dram_plan(dram, now);
    }
    dram->declined = false;
    if (dram->plan_at > now) {
        return ASKED_NONE;
    }
    asked = ask(dram, now);
    dram->declined = asked == ASKED_NONE;
    return asked;
}

static void command(struct dram *dram, loom_cycle now)
{
    bool dual = dram->config->dual_bus, row, due;
    loom_cycle next = LOOM_NEVER;
    enum asked first = ASKED_NONE;

    due = dram_refresh_due(dram, now);
    if (due && dram_refresh(dram, now, &next)) {
        first = ASKED_ROW;
        dram->planned = false;
    }
    if (first == ASKED_NONE) {
        first = by_policy(dram, now);
    }
    row = first == ASKED_ROW;
    if (dual && first != ASKED_NONE) {
        row = ask_again(dram, first, now) == ASKED_ROW || row;
    }
    if (dram->closing != 0) {
        bool free = !row && (dual || first == ASKED_NONE);
        loom_cycle at = close_one(dram, free, now);

        next = at < next ? at : next;
    }
    if (first != ASKED_NONE || !dram->planned) {
        dram_plan(dram, now + 1);
        dram->declined = false;
    }
    dram->command_at = dram->declined ? dram->plan_next : dram->plan_at;
    dram->command_at = next < dram->command_at ? next : dram->command_at;
}

static void count_full(struct dram *dram, bool full, loom_cycle now)
{
    if (dram->full_since != LOOM_NEVER) {
        dram->stats->queue_full_cycles += now - dram->full_since;
    }
    dram->full_since = full ? now : LOOM_NEVER;
}

/* Is there anything to do but to refresh? */
static bool busy(const struct dram *dram)
{
    return (dram->waiting | dram->closing) != 0;
}

loom_cycle dram_tick(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    loom_cycle next;
    bool more = false, room = true, free_way;

    dram->was_free = ~dram->waiting;
    free_way = reply(dram, now);
    if (busy(dram) && (now >= dram->command_at || now >= dram->refresh_at ||
                       dram->declined)) {
        command(dram, now);
    }
    if (dram->arriving != 0) {
        dram_accept(self, now);
        more = dram_pending(dram, now, &room);
    }
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
    if (!busy(dram)) {
        return next;
    }
    next = dram->command_at < next ? dram->command_at : next;
    return dram->refresh_at > now && dram->refresh_at < next ? dram->refresh_at
                                                             : next;
}

void dram_settle(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);

    dram_count_occupancy(dram, now);
    count_full(dram, dram->full_since != LOOM_NEVER, now);
    if (!busy(dram) && now != 0) {
        dram_refresh_idle(dram, now - 1);
    }
    dram_count_active(dram, now);
    dram->stats->cycles = now;
    dram->stats->precharged_cycles = now - dram->stats->active_cycles;
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
    uint32_t oldest = dram->view.oldest;

    if (dram->waiting != 0) {
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

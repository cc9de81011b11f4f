/*
 * A cycle of a DRAM channel.
 *
 * In one cycle: one reply leaves, the policy may take one request out of the
 * queue, one command (two with a dual command bus) is issued, one request is
 * accepted.  A request accepted in a cycle gets its
 * first command in the next one at the earliest, as in DRAMsim3 and Ramulator,
 * and a place freed in a cycle is filled in the next one at the earliest, as in
 * DRAMsim3.
 *
 * Who gets the command bus: a refresh that is due, then the scheduling
 * policy, then rows that the page policy closes.
 */
#include "components/dram/legal.h"

/* Nobody wants the open row of a bank any more. */
static void unwanted(struct dram *dram, uint32_t number, loom_cycle now)
{
    loom_cycle at = dram->page_ops->close_at(dram->page, number,
                                             dram->bank[number].row, now);

    dram->close_at[number] = at;
    dram->closing |= at != LOOM_NEVER ? loom_bit(number) : 0;
}

/* An entry is served: it waits no more. */
static inline void leave(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;
    uint32_t bank_number = dram->entry[number].bank;
    struct dram_bank *bank = &dram->bank[bank_number];
    uint64_t others = ~loom_bit(number);

    dram->queued--;
    view->waiting &= others;
    view->writes &= others;
    view->hits &= others;
    bank->entries &= others;
    bank->hits &= others;
    /* It was for the open row. */
    dram->read_banks &=
        ~dram_bit_if((bank->hits & ~view->writes) == 0, bank_number);
    dram->write_banks &=
        ~dram_bit_if((bank->hits & view->writes) == 0, bank_number);
}

static LOOM_NOINLINE void tell_served(const struct dram *dram, uint32_t number,
                                      loom_cycle ready, loom_cycle now)
{
    const struct dram_record *record = &dram->record[number];

    for (uint32_t i = 0; i < loom_chain(&dram->watchers); i++) {
        const struct loom_commands_ops *ops = dram->watchers.item[i].ops;

        if (ops->served != NULL) {
            ops->served(dram->watchers.item[i].policy, &record->request,
                        record->arrived, now, ready);
        }
    }
}

static inline void serve(struct dram *dram, uint32_t number, loom_cycle ready,
                         loom_cycle now)
{
    uint32_t bank = dram->entry[number].bank;

    dram_count_occupancy(dram, now);
    if (LOOM_UNLIKELY(dram->paced)) {
        if (!dram->takes && !dram->assigns && !dram->wait[number].out) {
            dram_count_queue(dram, (dram->view.writes >> number & 1) != 0, -1);
        }
        dram->taking = dram->takes && dram->backlog.queue.banks != 0;
        dram->assigning = dram->assigns;
        dram->backlog.stale |= dram->deep ? loom_bit(bank) : 0;
    }
    leave(dram, number);
    if (dram->page_ops != NULL && dram->bank[bank].hits == 0) {
        unwanted(dram, bank, now);
    }
    if (LOOM_UNLIKELY(dram->watched)) {
        tell_served(dram, dram->wait[number].way.record, ready, now);
    }
    dram_send_back(dram, dram->wait[number].way, ready);
    if (!dram->first_ready && dram->schedule_ops->served != NULL) {
        dram->schedule_ops->served(dram->schedule, number);
    }
}

static LOOM_INLINE void column(struct dram *dram, uint32_t number,
                               loom_cycle now)
{
    struct dram_wait *wait = &dram->wait[number];
    uint32_t bank = dram->entry[number].bank;
    bool write = (dram->view.writes >> number & 1) != 0;

    dram_column(dram, bank, wait->column++, write, now);
    if (--wait->left == 0) {
        serve(dram, number,
              now + (write ? dram->t.write_done : dram->t.read_done), now);
    }
}

/* What kind of command was issued. */
enum asked {
    ASKED_NONE,
    ASKED_COLUMN,
    ASKED_ROW
};

static LOOM_NOINLINE uint32_t ask_policy(struct dram *dram, loom_cycle now)
{
    dram->view.now = now;
    dram->view.oldest = loom_schedule_oldest(&dram->view, dram->view.waiting);
    return dram->schedule_ops->pick(dram->schedule, &dram->view);
}

/* Which of the commands in the view, `legal` in all, does the policy want? */
static LOOM_INLINE enum asked ask(struct dram *dram, uint64_t legal,
                                  loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;
    uint32_t number = LOOM_LIKELY(dram->first_ready)
                          ? loom_schedule_first_ready(view)
                          : ask_policy(dram, now);

    if (number == UINT32_MAX) {
        return ASKED_NONE;
    }
    LOOM_CHECK(number < DRAM_ENTRIES && (legal >> number & 1) != 0);
    if ((view->column >> number & 1) != 0) {
        column(dram, number, now);
        return ASKED_COLUMN;
    }
    if ((view->precharge >> number & 1) != 0) {
        dram_precharge(dram, dram->entry[number].bank, now);
    } else {
        dram_activate(dram, dram->entry[number].bank, dram->entry[number].row,
                      now);
        if (LOOM_UNLIKELY(dram->leaves)) {
            dram_deep_open(dram, number);
        }
    }
    return ASKED_ROW;
}

/* The second command of a dual bus: the other kind. */
static LOOM_NOINLINE enum asked ask_again(struct dram *dram, enum asked first,
                                          loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t legal = dram_show(dram, now);

    if (first == ASKED_COLUMN) {
        view->column = 0;
        legal = view->activate | view->precharge;
    } else {
        view->activate = view->precharge = 0;
        legal = view->column;
    }
    return legal != 0 ? ask(dram, legal, now) : ASKED_NONE;
}

/* Closes one of the rows that nobody wants, if one may be closed and `free`:
 * the row bus is; returns when the next one may be. */
static loom_cycle close_one(struct dram *dram, bool free, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;
    uint64_t rest = dram->closing & ~dram->blocked;

    for (; rest != 0; rest &= rest - 1) {
        uint32_t number = loom_lowest(rest);
        loom_cycle at = dram_later(dram->close_at[number],
                                   dram_legal_at(dram, DRAM_PRE, number));

        if (at <= now && free) {
            dram_precharge(dram, number, now);
            dram->declined = false;
            free = false;
        } else {
            next = at < next ? at : next;
        }
    }
    return next > now ? next : now + 1;
}

/* What the policy wants to be issued. */
static LOOM_INLINE enum asked by_policy(struct dram *dram, loom_cycle now)
{
    uint64_t legal = dram_show(dram, now);
    enum asked asked;

    dram->declined = false;
    if (legal == 0) {
        return ASKED_NONE;
    }
    asked = ask(dram, legal, now);
    dram->declined = asked == ASKED_NONE;
    return asked;
}

static inline loom_cycle next_command(const struct dram *dram, loom_cycle now)
{
    return LOOM_UNLIKELY(dram->declined) ? dram_next_other(dram, now)
                                         : dram_next(dram, now + 1);
}

/* With a refresh, two command buses or rows that the page policy closes. */
static LOOM_NOINLINE void commands(struct dram *dram, loom_cycle now)
{
    bool dual = dram->dual, row;
    loom_cycle next = LOOM_NEVER, at;
    enum asked first = ASKED_NONE;

    if (now >= dram->refresh_by && dram_refresh_due(dram, now) &&
        dram_refresh(dram, now, &next)) {
        first = ASKED_ROW;
        dram->declined = false;
    }
    if (first == ASKED_NONE) {
        first = by_policy(dram, now);
    }
    row = first == ASKED_ROW;
    if (first == ASKED_ROW ? dram->both : dual && first == ASKED_COLUMN) {
        row = ask_again(dram, first, now) == ASKED_ROW || row;
    }
    if (dram->closing != 0) {
        bool free = !row && (dual || first == ASKED_NONE);

        at = close_one(dram, free, now);
        next = at < next ? at : next;
    }
    at = next_command(dram, now);
    dram->command_at = next < at ? next : at;
}

static inline void command(struct dram *dram, loom_cycle now)
{
    if (LOOM_UNLIKELY(dram->special || now >= dram->refresh_by)) {
        commands(dram, now);
        return;
    }
    by_policy(dram, now);
    dram->command_at = next_command(dram, now);
}

/* Up to `now` a request waited for a place, if one did. */
static inline void count_full(struct dram *dram, loom_cycle now)
{
    if (dram->full_since != LOOM_NEVER) {
        dram->full_cycles += now - dram->full_since;
        dram->full_since = LOOM_NEVER;
    }
}

/* Is there anything to do but to refresh? */
static inline bool busy(const struct dram *dram)
{
    return dram->queued != 0 || dram->closing != 0;
}

/* Ports whose first request has arrived and finds a place in `free`; a query
 * needs none and counts as a read.  `late`: after this cycle's commands. */
static LOOM_INLINE uint32_t with_room(const struct dram *dram, uint64_t free,
                                      bool late)
{
    uint32_t writes = dram->arrived & dram->storing;
    uint32_t reads = dram->arrived & ~dram->storing;

    if (LOOM_UNLIKELY(dram->paced)) {
        reads = reads != 0 && dram_backlog_room(dram, false, late) ? reads : 0;
        writes =
            writes != 0 && dram_backlog_room(dram, true, late) ? writes : 0;
        return reads | writes;
    }
    reads &= 0 - (uint32_t)((free & dram->usable) != 0);
    writes &= 0 - (uint32_t)((free & dram->write_usable) != 0);
    return reads | writes;
}

/* Accepts a request if one of `free` is a place for it.  True if another one
 * has arrived that could be accepted. */
static inline bool accept(struct dram *dram, uint64_t free, loom_cycle now)
{
    uint64_t fresh = dram->arriving & ~(uint64_t)dram->arrived;
    uint32_t ports;

    if (fresh != 0) {
        dram_look(dram, fresh, now);
    }
    ports = with_room(dram, free, false);
    if (LOOM_UNLIKELY(dram->asking != 0)) {
        ports &= ~dram->asking;
        ports |= dram->back_count < dram->back_size ? dram->asking : 0;
    }
    if (LOOM_UNLIKELY(dram->posts) && dram->back_count == dram->back_size) {
        ports &= ~dram->storing;
    }
    if (ports != 0) {
        dram_accept(dram, ports, free, now);
    }
    ports = with_room(dram, ~dram->view.waiting, true);
    if (ports != 0 || dram->arrived == 0) {
        count_full(dram, now);
    } else if (dram->full_since == LOOM_NEVER) {
        dram->full_since = now;
    }
    return ports != 0;
}

/* What is delayed or in lists; returns when to go on with it. */
static inline loom_cycle pace(struct dram *dram, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    if (dram->admits && dram->backlog.count != 0) {
        next = dram_undelay(dram, now);
    }
    if (dram->deep) {
        dram_deepen(dram, now);
        next = dram->assigning ? now + 1 : next;
    }
    return next;
}

loom_cycle dram_tick(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    uint64_t free = ~dram->view.waiting; /* places when the tick begins */
    bool free_way = dram_reply(dram, now), more;
    loom_cycle next = LOOM_NEVER, delayed = LOOM_NEVER;

    if (LOOM_UNLIKELY(dram->taking)) {
        dram_take(dram, now);
    }
    if ((now >= dram->command_at || now >= dram->refresh_by ||
         dram->declined) &&
        busy(dram)) {
        command(dram, now);
    }
    more = dram->arriving != 0 && accept(dram, free, now);
    if (LOOM_UNLIKELY(dram->paced)) {
        delayed = pace(dram, now);
    }
    if (more) {
        return now + 1;
    }
    if (free_way) {
        next = dram->back_at > now ? dram->back_at : now + 1;
    }
    next = delayed < next ? delayed : next;
    if (!busy(dram)) {
        return next;
    }
    if (LOOM_UNLIKELY(dram->taking)) {
        return now + 1;
    }
    next = dram->command_at < next ? dram->command_at : next;
    return dram->refresh_by > now && dram->refresh_by < next ? dram->refresh_by
                                                             : next;
}

/* What follows from other counters. */
static void derive_stats(const struct dram *dram, struct dram_stats *stats)
{
    const struct dram_sums *sum = &dram->sum;
    uint64_t atom = dram->atom_bytes;

    stats->columns = 0;
    for (uint32_t b = 0; b < dram->banks; b++) {
        stats->bank_accesses.item[b] = dram->bank[b].accesses;
        stats->columns += dram->bank[b].accesses;
    }
    stats->read_requests = dram->sequence - sum->write_requests;
    stats->write_requests = sum->write_requests;
    stats->writebacks = sum->writebacks;
    stats->replies = stats->read_latency.count + stats->write_latency.count -
                     sum->writebacks - sum->posted + sum->answers;
    stats->reads = stats->columns - sum->writes;
    stats->writes = sum->writes;
    stats->row_hits = stats->columns - sum->firsts;
    stats->bytes_read = stats->reads * atom;
    stats->bytes_written = sum->writes * atom;
    stats->bytes = stats->columns * atom;
    stats->busy_cycles = stats->columns * dram->t.burst;
    stats->queue_cycles = dram->queue_cycles;
    stats->queue_full_cycles = dram->full_cycles;
}

void dram_settle(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    struct dram_stats *stats = dram->stats;
    bool full = dram->full_since != LOOM_NEVER;

    dram_count_occupancy(dram, now);
    count_full(dram, now);
    dram->full_since = full ? now : LOOM_NEVER;
    if (!busy(dram) && now != 0) {
        dram_refresh_idle(dram, now - 1);
    }
    dram_count_active(dram, now);
    derive_stats(dram, stats);
    stats->cycles = now;
    stats->precharged_cycles = now - stats->active_cycles;
}

bool dram_check(struct loom_component *self, struct loom_error *err)
{
    const struct dram *dram = loom_state(self);
    const struct dram_stats *stats = dram->stats;
    uint64_t in = stats->read_requests + stats->write_requests + stats->queries;
    uint64_t out = stats->replies + stats->writebacks;

    if (in == out && dram->queued == 0 && dram->back_count == 0 &&
        dram->backlog.accepted == 0) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_LAW,
                     "%llu requests in, %llu out, %u queued, %u returning",
                     (unsigned long long)in, (unsigned long long)out,
                     dram->queued, dram->back_count);
}

void dram_report(struct loom_component *self, struct loom_report *report)
{
    const struct dram *dram = loom_state(self);

    if (dram->view.waiting != 0) {
        uint32_t number = loom_schedule_oldest(&dram->view, dram->view.waiting);
        const struct loom_schedule_entry *oldest = &dram->entry[number];
        const struct dram_record *record =
            &dram->record[dram->wait[number].way.record];

        loom_report_line(report, self, record->arrived,
                         "%u requests queued, oldest 0x%llx in bank %u row %u",
                         dram->queued,
                         (unsigned long long)record->request.block,
                         oldest->bank, oldest->row);
    }
    if (dram->back_count != 0) {
        const struct dram_return *back = &dram->back[dram->back_head];
        const struct dram_record *record = &dram->record[back->way.record];

        loom_report_line(
            report, self, record->arrived,
            "%u replies held, first 0x%llx for up[%u]", dram->back_count,
            (unsigned long long)record->request.block, back->way.port);
    }
}

/*
 * Banks and timing of a DRAM channel.
 *
 * The rules are those of GPGPU-Sim 3.2.2's GDDR5 model (dram.cc), extended by
 * the long forms of tRRD and tCDLR, by activation windows and by all-bank
 * refresh.  With B = cycles of one burst, derived times are
 *
 *   read to write    CL + B + tRTRS - WL      (the bus turns round)
 *   write to read    WL + B + tCDLR
 *   write to PRE     WL + B + tWR
 *   ACT to write     tRCD - (WL + 1), unless tRCDWR is given
 *
 * Column commands go out in the order of their data on the bus, so the data
 * bus needs no book-keeping of its own.
 *
 * Invariant: hits of a closed bank are 0; a bank's hits are a subset of its
 * entries; dram->hits is the union over banks.
 */
#include "components/dram/dram_private.h"

static loom_cycle later(loom_cycle a, loom_cycle b)
{
    return a > b ? a : b;
}

static uint32_t either(uint32_t given, uint32_t derived)
{
    return given != 0 ? given : derived;
}

static uint32_t above(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void dram_derive(const struct dram_config *config, struct dram_timing *t)
{
    uint32_t burst = config->burst_length / config->data_rate;

    burst = burst == 0 ? 1 : burst;
    t->burst = burst;
    t->atom_bytes = config->burst_length * config->bus_bytes;
    t->ccd = above(config->tccd, burst);
    t->ccdl = above(config->tccdl, t->ccd);
    t->rrd = config->trrd;
    t->rrdl = above(config->trrdl, config->trrd);
    t->rcdrd = config->trcd;
    t->rcdwr =
        config->trcd > config->wl + 1 ? config->trcd - config->wl - 1 : 1;
    t->rcdwr = either(config->trcdwr, t->rcdwr);
    t->ras = config->tras;
    t->rp = config->trp;
    t->rc = above(config->trc, config->tras + config->trp);
    t->rtp = either(config->trtp, burst);
    t->rtpl = config->trtpl;
    /* Never less than tCCD, whatever CL and WL are. */
    t->rtw = config->cl + burst + config->trtrs;
    t->rtw = t->rtw > config->wl ? t->rtw - config->wl : 0;
    t->rtw = above(t->rtw, t->ccd);
    t->wtr = above(config->wl + burst + config->tcdlr, t->ccd);
    t->wtrl = above(config->wl + burst + config->tcdlrl, t->wtr);
    t->wtp = config->wl + burst + config->twr;
}

void dram_start(struct dram *dram)
{
    const struct dram_config *config = dram->config;
    uint32_t per_group = config->banks / config->bank_groups;
    bool low = config->group_bits[0] == 'l';

    for (uint32_t b = 0; b < config->banks; b++) {
        dram->bank[b].group = low ? b % config->bank_groups : b / per_group;
    }
    dram->refresh_at = config->trefi != 0 ? config->trefi : LOOM_NEVER;
    dram->command_at = LOOM_NEVER;
    dram->full_since = LOOM_NEVER;
    dram->usable = ~UINT64_C(0) >> (DRAM_ENTRIES - config->queue_entries);
}

/* ---- when is it legal? ---- */

static loom_cycle activate_at(const struct dram *dram,
                              const struct dram_bank *bank)
{
    return later(bank->at.act,
                 later(dram->group[bank->group].act, dram->channel.act));
}

static loom_cycle precharge_at(const struct dram *dram,
                               const struct dram_bank *bank)
{
    return later(bank->at.pre, dram->group[bank->group].pre);
}

static loom_cycle read_at(const struct dram *dram, const struct dram_bank *bank)
{
    return later(bank->at.rd,
                 later(dram->group[bank->group].rd, dram->channel.rd));
}

static loom_cycle write_at(const struct dram *dram,
                           const struct dram_bank *bank)
{
    return later(bank->at.wr,
                 later(dram->group[bank->group].wr, dram->channel.wr));
}

/* A plan is made in one pass over the banks that have requests: the earliest
 * cycle from `from` on at which a command is legal, and all that are legal in
 * it. */
struct plan {
    struct loom_schedule_view *view;
    loom_cycle from, at, next;
};

/* Does a command that is legal from `at` on belong to the plan?  An earlier
 * one throws the others out. */
static inline bool earliest(struct plan *plan, loom_cycle at)
{
    at = later(at, plan->from);
    if (at > plan->at) {
        plan->next = at < plan->next ? at : plan->next;
        return false;
    }
    if (at < plan->at) {
        struct loom_schedule_view *view = plan->view;

        view->column = view->activate = view->precharge = view->kept = 0;
        plan->next = plan->at;
        plan->at = at;
    }
    return true;
}

/* Nothing of a kind is legal before `floor`, which the channel as a whole
 * says.  Is it worth looking at the banks? */
static inline bool worthwhile(struct plan *plan, loom_cycle floor)
{
    if (floor <= plan->at) {
        return true;
    }
    plan->next = floor < plan->next ? floor : plan->next;
    return false;
}

static void plan_columns(const struct dram *dram, struct plan *plan)
{
    struct loom_schedule_view *view = plan->view;
    uint64_t writes = dram->writes;
    loom_cycle floor = dram->channel.rd;

    floor = dram->channel.wr < floor ? dram->channel.wr : floor;
    if (!worthwhile(plan, floor)) {
        return;
    }
    for (uint64_t rest = dram->hit_banks; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
        uint64_t reads = bank->hits & ~writes;

        if (reads != 0 && earliest(plan, read_at(dram, bank))) {
            view->column |= reads;
        }
        if (reads != bank->hits && earliest(plan, write_at(dram, bank))) {
            view->column |= bank->hits & writes;
        }
    }
}

static void plan_activates(const struct dram *dram, struct plan *plan)
{
    if (!worthwhile(plan, dram->channel.act)) {
        return;
    }
    for (uint64_t rest = dram->closed_banks; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];

        if (earliest(plan, activate_at(dram, bank))) {
            plan->view->activate |= bank->entries;
        }
    }
}

static void plan_precharges(const struct dram *dram, struct plan *plan)
{
    uint64_t rest = dram->miss_banks;

    rest &= dram->spares_rows ? ~dram->hit_banks : ~UINT64_C(0);
    for (; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
        uint64_t misses = bank->entries & ~bank->hits;

        if (earliest(plan, precharge_at(dram, bank))) {
            plan->view->precharge |= misses;
            plan->view->kept |= bank->hits != 0 ? misses : 0;
        }
    }
}

void dram_plan(struct dram *dram, loom_cycle from)
{
    struct loom_schedule_view *view = &dram->view;
    struct plan plan = {view, from, LOOM_NEVER, LOOM_NEVER};

    view->column = view->activate = view->precharge = view->kept = 0;
    /* Without room for another reply, columns have to wait. */
    if (dram->hit_banks != 0 &&
        dram->back_count < dram->config->return_entries) {
        plan_columns(dram, &plan);
    }
    if (dram->closed_banks != 0) {
        plan_activates(dram, &plan);
    }
    plan_precharges(dram, &plan);
    dram->plan_at = plan.at;
    dram->plan_next = plan.next;
    dram->planned = true;
}

void dram_plan_entry(struct dram *dram, uint32_t entry, loom_cycle from)
{
    struct loom_schedule_view *view = &dram->view;
    const struct dram_bank *bank = &dram->bank[dram->bank_of[entry]];
    struct plan plan = {view, from, dram->plan_at, dram->plan_next};
    uint64_t *mask;
    loom_cycle at;

    if (!bank->open) {
        mask = &view->activate;
        at = activate_at(dram, bank);
    } else if (bank->row != dram->row_of[entry]) {
        mask = &view->precharge;
        at = precharge_at(dram, bank);
    } else {
        mask = &view->column;
        at = (dram->writes >> entry & 1) != 0 ? write_at(dram, bank)
                                              : read_at(dram, bank);
    }
    at = later(at, from);
    dram->command_at = at < dram->command_at ? at : dram->command_at;
    /* Its row is open while others of the bank want another, or the policy
     * has declined what was planned: think again. */
    if (dram->declined || (bank->hits != 0 && bank->hits != bank->entries) ||
        dram->back_count == dram->config->return_entries) {
        dram->planned = false;
    }
    if (dram->planned && earliest(&plan, at)) {
        *mask |= loom_bit(entry);
    }
    dram->plan_at = plan.at;
    dram->plan_next = plan.next;
}

/* ---- what a command does ---- */

static void issue_activate(struct dram *dram, struct dram_bank *bank,
                           uint32_t row, loom_cycle now)
{
    const struct dram_config *config = dram->config;
    struct dram_earliest *group = &dram->group[bank->group];
    loom_cycle next = now + dram->t.rrd;
    uint64_t count;

    bank->open = true;
    bank->touched = false;
    bank->row = row;
    bank->at.rd = now + dram->t.rcdrd;
    bank->at.wr = now + dram->t.rcdwr;
    bank->at.pre = later(bank->at.pre, now + dram->t.ras);
    bank->at.act = now + dram->t.rc;
    group->act = later(group->act, now + dram->t.rrdl);
    dram->activated[dram->activates % DRAM_WINDOW] = now;
    count = ++dram->activates;
    if (config->tfaw != 0 && count >= 4) {
        next = later(next,
                     dram->activated[(count - 4) % DRAM_WINDOW] + config->tfaw);
    }
    if (config->t32aw != 0 && count >= DRAM_WINDOW) {
        next =
            later(next, dram->activated[count % DRAM_WINDOW] + config->t32aw);
    }
    dram->channel.act = later(dram->channel.act, next);
    for (uint64_t rest = bank->entries; rest != 0; rest &= rest - 1) {
        uint32_t entry = loom_lowest(rest);

        bank->hits |= dram->row_of[entry] == row ? loom_bit(entry) : 0;
    }
    dram->hits |= bank->hits;
    dram->stats->activates++;
}

static void issue_precharge(struct dram *dram, struct dram_bank *bank,
                            loom_cycle now)
{
    bank->open = false;
    bank->at.act = later(bank->at.act, now + dram->t.rp);
    dram->hits &= ~bank->hits;
    bank->hits = 0;
    dram->stats->precharges++;
}

static void issue_read(struct dram *dram, struct dram_bank *bank,
                       loom_cycle now)
{
    struct dram_earliest *group = &dram->group[bank->group];
    struct dram_earliest *channel = &dram->channel;

    channel->rd = later(channel->rd, now + dram->t.ccd);
    channel->wr = later(channel->wr, now + dram->t.rtw);
    group->rd = later(group->rd, now + dram->t.ccdl);
    group->wr = later(group->wr, now + dram->t.ccdl);
    bank->at.pre = later(bank->at.pre, now + dram->t.rtp);
    group->pre = later(group->pre, now + dram->t.rtpl);
    dram->stats->reads++;
    dram->stats->bytes_read += dram->t.atom_bytes;
}

static void issue_write(struct dram *dram, struct dram_bank *bank,
                        loom_cycle now)
{
    struct dram_earliest *group = &dram->group[bank->group];
    struct dram_earliest *channel = &dram->channel;

    channel->wr = later(channel->wr, now + dram->t.ccd);
    channel->rd = later(channel->rd, now + dram->t.wtr);
    group->wr = later(group->wr, now + dram->t.ccdl);
    group->rd = later(group->rd, now + dram->t.wtrl);
    bank->at.pre = later(bank->at.pre, now + dram->t.wtp);
    dram->stats->writes++;
    dram->stats->bytes_written += dram->t.atom_bytes;
}

static void count_column(struct dram *dram, struct dram_bank *bank)
{
    struct dram_stats *stats = dram->stats;

    stats->columns++;
    stats->row_hits += bank->touched ? 1 : 0;
    stats->bytes += dram->t.atom_bytes;
    stats->busy_cycles += dram->t.burst;
    bank->touched = true;
}

void dram_issue(struct dram *dram, enum dram_command command, uint32_t number,
                uint32_t row, loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];

    switch (command) {
    case DRAM_ACTIVATE:
        issue_activate(dram, bank, row, now);
        dram_classify(dram, number);
        dram->stats->bank_activates.item[number]++;
        break;
    case DRAM_PRECHARGE:
        issue_precharge(dram, bank, now);
        dram_classify(dram, number);
        break;
    case DRAM_READ:
        issue_read(dram, bank, now);
        count_column(dram, bank);
        dram->stats->bank_accesses.item[number]++;
        break;
    case DRAM_WRITE:
        issue_write(dram, bank, now);
        count_column(dram, bank);
        dram->stats->bank_accesses.item[number]++;
        break;
    case DRAM_REFRESH:
        for (uint32_t b = 0; b < dram->config->banks; b++) {
            dram->bank[b].at.act =
                later(dram->bank[b].at.act, now + dram->config->trfc);
        }
        dram->stats->refreshes++;
        break;
    }
}

/* ---- refresh ---- */

loom_cycle dram_refresh(struct dram *dram, loom_cycle now)
{
    loom_cycle ready = 0, soonest = LOOM_NEVER;

    for (uint32_t b = 0; b < dram->config->banks; b++) {
        struct dram_bank *bank = &dram->bank[b];

        ready = later(ready, bank->at.act);
        if (bank->open && precharge_at(dram, bank) <= now) {
            dram_issue(dram, DRAM_PRECHARGE, b, 0, now);
            return now + 1;
        }
        if (bank->open && precharge_at(dram, bank) < soonest) {
            soonest = precharge_at(dram, bank);
        }
    }
    if (soonest != LOOM_NEVER) {
        return soonest;
    }
    if (ready > now) {
        return ready;
    }
    dram_issue(dram, DRAM_REFRESH, 0, 0, now);
    dram->refresh_at += dram->config->trefi;
    return now + 1;
}

void dram_refresh_idle(struct dram *dram, loom_cycle now)
{
    loom_cycle period = dram->config->trefi;
    loom_cycle last;

    if (dram->refresh_at > now) {
        return;
    }
    last = dram->refresh_at + (now - dram->refresh_at) / period * period;
    dram->stats->refreshes += (last - dram->refresh_at) / period;
    for (uint32_t b = 0; b < dram->config->banks; b++) {
        if (dram->bank[b].open) {
            dram_issue(dram, DRAM_PRECHARGE, b, 0, last);
        }
    }
    dram_issue(dram, DRAM_REFRESH, 0, 0, last);
    dram->refresh_at = last + period;
}

/*
 * Banks and timing of a DRAM channel.
 *
 * The rules are those of GPGPU-Sim 3.2.2's GDDR5 model (dram.cc), extended by
 * the long forms of tRRD and tCDLR, by activation windows, tPPD, refresh and
 * pseudo channels.  With B = cycles of one burst, derived times are
 *
 *   read to write    CL + B + tRTRS - WL      (the bus turns round)
 *   write to read    WL + B + tCDLR
 *   write to PRE     WL + B + tWR
 *   ACT to write     tRCD - (WL + 1), unless tRCDWR is given
 *
 * Column commands go out in the order of their data on the bus, so the data
 * bus needs no book-keeping of its own.
 *
 * An activate may take more than one cycle on its bus (HBM: two).  Times count
 * from the last cycle of a command to the last cycle of the next one; here
 * commands stand at their first, so what follows an activate comes later by
 * its further cycles, and the activate itself comes as much earlier.
 *
 * Invariant: hits of a closed bank are 0; a bank's hits are a subset of its
 * entries; view.hits is the union over banks.
 */
#include "components/dram/legal.h"

static uint32_t either(uint32_t given, uint32_t derived)
{
    return given != 0 ? given : derived;
}

static uint32_t above(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t less(uint32_t time, uint32_t earlier)
{
    return time > earlier ? time - earlier : 0;
}

/* Activates of several cycles: see above. */
static void lengthen(const struct dram_config *config, struct dram_timing *t)
{
    uint32_t extra = config->act_cycles - 1;

    t->act = config->act_cycles;
    t->extra = extra;
    t->rcdrd += extra;
    t->rcdwr += extra;
    t->ras += extra;
    t->rp = less(t->rp, extra);
    t->rfc = less(config->trfc, extra);
    t->rfcb = less(config->trfcb, extra);
    t->refd = less(config->trrefd, extra);
}

void dram_derive(const struct dram_config *config, struct dram_timing *t)
{
    uint32_t burst = config->burst_length / config->data_rate;

    burst = burst == 0 ? 1 : burst;
    t->burst = burst;
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
    t->ppd = config->tppd;
    t->faw = config->tfaw;
    t->aw32 = config->t32aw;
    t->read_done = (loom_cycle)burst + config->cl + config->latency;
    t->write_done = (loom_cycle)burst + config->wl + config->latency;
    t->read_done -= config->reply_lead; /* which is 1 at most */
    t->write_done -= config->reply_lead;
    t->late_read = t->ccdl > t->ccd;
    t->late_write = t->ccdl > t->rtw;
    t->late_close = t->rtpl != 0;
    lengthen(config, t);
}

static loom_cycle first_refresh(const struct dram *dram)
{
    const struct dram_config *config = dram->config;
    uint32_t number = loom_component_index(dram->self) % config->channels;
    uint64_t group =
        (uint64_t)number * config->refresh_groups / config->channels;

    return dram->refresh_period -
           dram->refresh_period * group / config->refresh_groups;
}

void dram_start(struct dram *dram)
{
    const struct dram_config *config = dram->config;
    uint32_t per_group = config->banks / config->bank_groups;
    uint32_t halves = config->pseudo_channels;
    uint32_t per_half = config->bank_groups / halves;
    bool low = config->group_bits[0] == 'l';

    /* All of these are powers of two. */
    dram->group_shift = (uint8_t)(low ? 0 : loom_log2(per_group));
    dram->group_mask = (uint8_t)(config->bank_groups - 1);
    dram->half_shift = (uint8_t)(low ? 0 : loom_log2(per_half));
    dram->half_mask = (uint8_t)(halves - 1);
    for (uint32_t b = 0; b < config->banks; b++) {
        dram->half_banks[dram_half_of(dram, b)] |= loom_bit(b);
        dram->mates |= dram_group_of(dram, b) == 0 ? loom_bit(b) : 0;
    }
    dram->by_bank = config->refresh[0] == 'b';
    dram->at_once = config->refresh_close[0] == 'a';
    dram->refresh_period = config->trefi / (dram->by_bank ? config->banks : 1);
    dram->refresh_late = (loom_cycle)config->trefi * config->refresh_postpone;
    dram->refresh_at =
        dram->refresh_period != 0 ? first_refresh(dram) : LOOM_NEVER;
    dram->refresh_by = dram->refresh_period != 0
                           ? dram->refresh_at + dram->refresh_late
                           : LOOM_NEVER;
    dram->banks = (uint8_t)config->banks;
    dram->dual = config->dual_bus;
    dram->atom_bytes = config->burst_length * config->bus_bytes;
    dram->lead = config->reply_lead;
    dram->posts = config->post_writes;
    dram->back_size = config->return_entries;
    dram->back_at = LOOM_NEVER;
    dram->command_at = LOOM_NEVER;
    dram->full_since = LOOM_NEVER;
    if (dram->deep || dram->takes) {
        return; /* see dram_backlog_room */
    }
    dram->usable = ~UINT64_C(0) >> (DRAM_ENTRIES - config->queue_entries);
    dram->write_usable = dram->usable;
    if (config->write_entries != 0) {
        dram->write_usable =
            ~UINT64_C(0) >> (DRAM_ENTRIES - config->write_entries)
                                << config->queue_entries;
    }
}

/* ---- what a command does ---- */

static LOOM_NOINLINE void tell(const struct dram *dram,
                               enum loom_dram_command command, uint32_t number,
                               uint32_t where, loom_cycle now)
{
    const struct dram_bank *bank = &dram->bank[number];
    const struct loom_command_event event = {
        .now = now,
        .command = command,
        .bank = number,
        .row = command == LOOM_DRAM_ACT ? where : bank->row,
        .column = where,
    };

    for (uint32_t i = 0; i < loom_chain(&dram->watchers); i++) {
        const struct loom_commands_ops *ops = dram->watchers.item[i].ops;

        ops->issued(dram->watchers.item[i].policy, &event);
    }
}

static inline void issued(struct dram *dram, enum loom_dram_command command,
                          uint32_t number, uint32_t where, loom_cycle now)
{
    dram->bus_at = now + 1;
    if (LOOM_UNLIKELY(dram->watched)) {
        tell(dram, command, number, where, now);
    }
}

static inline void late_bank(struct dram *dram, enum dram_kind kind,
                             uint32_t number)
{
    dram->late[kind].banks |= loom_bit(number);
}

static inline void late_group(struct dram *dram, enum dram_kind kind,
                              uint32_t group)
{
    dram->late[kind].mates |= dram_mates(dram, group);
}

/* An activation at `now`: when may the next one of its pseudo channel be? */
static loom_cycle next_activate(const struct dram *dram, struct dram_half *half,
                                loom_cycle now)
{
    loom_cycle next = now + dram->t.rrd;
    uint64_t count;

    half->activated[half->activates % DRAM_WINDOW] = now;
    count = ++half->activates;
    if (dram->t.faw != 0 && count >= 4) {
        next = dram_later(next, half->activated[(count - 4) % DRAM_WINDOW] +
                                    dram->t.faw);
    }
    if (dram->t.aw32 != 0 && count >= DRAM_WINDOW) {
        next = dram_later(next,
                          half->activated[count % DRAM_WINDOW] + dram->t.aw32);
    }
    return next;
}

/* An activate takes its bus for more than this cycle. */
static LOOM_NOINLINE void occupy(struct dram *dram, loom_cycle until)
{
    for (uint32_t half = 0; half < DRAM_HALVES; half++) {
        loom_cycle *at = dram->half_at[half];

        dram_not_before(&at[DRAM_ACT], until);
        dram_not_before(&at[DRAM_PRE], until);
        if (!dram->dual) {
            dram_not_before(&at[DRAM_RD], until);
            dram_not_before(&at[DRAM_WR], until);
        }
    }
}

void dram_activate(struct dram *dram, uint32_t number, uint32_t row,
                   loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];
    uint32_t group = dram_group_of(dram, number);
    uint32_t half = dram_half_of(dram, number);
    loom_cycle next = next_activate(dram, &dram->half[half], now);

    dram->active_since = dram->open_count == 0 ? now : dram->active_since;
    dram->open_count++;
    bank->open = true;
    bank->touched = false;
    bank->row = row;
    dram->bank_at[DRAM_RD][number] = now + dram->t.rcdrd;
    dram->bank_at[DRAM_WR][number] = now + dram->t.rcdwr;
    dram_not_before(&dram->bank_at[DRAM_PRE][number], now + dram->t.ras);
    dram->bank_at[DRAM_ACT][number] = now + dram->t.rc;
    dram_not_before(&dram->group_at[group][DRAM_ACT], now + dram->t.rrdl);
    dram_not_before(&dram->half_at[half][DRAM_ACT], next);
    if (LOOM_UNLIKELY(dram->t.extra != 0)) {
        occupy(dram, now + dram->t.act);
    }
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        late_bank(dram, (enum dram_kind)k, number);
    }
    late_group(dram, DRAM_ACT, group);
    for (uint64_t rest = bank->entries; rest != 0; rest &= rest - 1) {
        uint32_t entry = loom_lowest(rest);

        bank->hits |= (uint64_t)(dram->entry[entry].row == row) << entry;
    }
    dram->view.hits |= bank->hits;
    dram_classify(dram, number);
    if (LOOM_UNLIKELY(dram->deep)) {
        dram->backlog.stale |= loom_bit(number);
    }
    dram->stats->activates++;
    dram->stats->bank_activates.item[number]++;
    issued(dram, LOOM_DRAM_ACT, number, row, now);
}

static inline void close_row(struct dram *dram, uint32_t number, loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];

    dram_count_active(dram, now);
    dram->open_count--;
    bank->open = false;
    dram_not_before(&dram->bank_at[DRAM_ACT][number], now + dram->t.rp);
    late_bank(dram, DRAM_ACT, number);
    dram_not_before(&dram->half_at[dram_half_of(dram, number)][DRAM_PRE],
                    now + dram->t.ppd);
    dram->view.hits &= ~bank->hits;
    bank->hits = 0;
    dram->closing &= ~loom_bit(number);
    dram_classify(dram, number);
}

void dram_precharge(struct dram *dram, uint32_t number, loom_cycle now)
{
    close_row(dram, number, now);
    dram->stats->precharges++;
    issued(dram, LOOM_DRAM_PRE, number, 0, now);
}

void dram_precharge_all(struct dram *dram, loom_cycle now)
{
    for (uint32_t b = 0; b < dram->banks; b++) {
        if (dram->bank[b].open) {
            close_row(dram, b, now);
        }
    }
    dram->stats->precharges++;
    issued(dram, LOOM_DRAM_PREA, 0, 0, now);
}

/* A read and a write are issued only when they may be, so what they set lies
 * after what reads and writes before them have set, but where it says
 * "not before". */

static inline void issue_read(struct dram *dram, uint32_t number,
                              loom_cycle now)
{
    const struct dram_timing *t = &dram->t;
    uint32_t group = dram_group_of(dram, number);
    loom_cycle *half = dram->half_at[dram_half_of(dram, number)];
    loom_cycle *of_group = dram->group_at[group];

    half[DRAM_RD] = now + t->ccd;
    half[DRAM_WR] = now + t->rtw;
    of_group[DRAM_RD] = of_group[DRAM_WR] = now + t->ccdl;
    of_group[DRAM_PRE] = now + t->rtpl;
    dram_not_before(&dram->bank_at[DRAM_PRE][number], now + t->rtp);
    if (t->late_read) {
        late_group(dram, DRAM_RD, group);
    }
    if (t->late_write) {
        late_group(dram, DRAM_WR, group);
    }
    if (t->late_close) {
        late_group(dram, DRAM_PRE, group);
    }
    late_bank(dram, DRAM_PRE, number);
}

static inline void issue_write(struct dram *dram, uint32_t number,
                               loom_cycle now)
{
    const struct dram_timing *t = &dram->t;
    uint32_t group = dram_group_of(dram, number);
    loom_cycle *half = dram->half_at[dram_half_of(dram, number)];
    loom_cycle *of_group = dram->group_at[group];

    half[DRAM_WR] = now + t->ccd;
    half[DRAM_RD] = now + t->wtr;
    of_group[DRAM_WR] = now + t->ccdl;
    dram_not_before(&of_group[DRAM_RD], now + t->wtrl);
    dram_not_before(&dram->bank_at[DRAM_PRE][number], now + t->wtp);
    late_group(dram, DRAM_WR, group);
    late_group(dram, DRAM_RD, group);
    late_bank(dram, DRAM_PRE, number);
    dram->sum.writes++;
}

void dram_column(struct dram *dram, uint32_t number, uint32_t column,
                 bool write, loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];

    if (write) {
        issue_write(dram, number, now);
    } else {
        issue_read(dram, number, now);
    }
    if (!bank->touched) {
        bank->touched = true;
        dram->sum.firsts++;
    }
    bank->accesses++;
    issued(dram, write ? LOOM_DRAM_WR : LOOM_DRAM_RD, number, column, now);
}

static void issue_refresh(struct dram *dram, loom_cycle now)
{
    for (uint32_t b = 0; b < dram->banks; b++) {
        dram_not_before(&dram->bank_at[DRAM_ACT][b], now + dram->t.rfc);
    }
    dram->late[DRAM_ACT].banks = ~UINT64_C(0);
    dram->stats->refreshes++;
}

static void issue_bank_refresh(struct dram *dram, uint32_t number,
                               loom_cycle now)
{
    dram_not_before(&dram->bank_at[DRAM_ACT][number], now + dram->t.rfcb);
    late_bank(dram, DRAM_ACT, number);
    dram_not_before(&dram->half_at[dram_half_of(dram, number)][DRAM_ACT],
                    now + dram->t.refd);
    dram->refreshed_at = now + dram->config->trrefd;
    dram->stats->bank_refreshes++;
}

void dram_issue_refresh(struct dram *dram, enum loom_dram_command command,
                        uint32_t number, loom_cycle now)
{
    if (command == LOOM_DRAM_REF) {
        issue_refresh(dram, now);
    } else {
        issue_bank_refresh(dram, number, now);
    }
    issued(dram, command, number, 0, now);
}

void dram_count_active(struct dram *dram, loom_cycle now)
{
    if (dram->open_count != 0) {
        dram->stats->active_cycles += now - dram->active_since;
        dram->active_since = now;
    }
}

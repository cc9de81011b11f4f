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
 * Invariant: hits of a closed bank are 0; a bank's hits are a subset of its
 * entries; dram->hits is the union over banks.
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
    uint32_t halves = config->pseudo_channels;
    uint32_t per_half = config->bank_groups / halves;
    bool low = config->group_bits[0] == 'l';

    for (uint32_t b = 0; b < config->banks; b++) {
        struct dram_bank *bank = &dram->bank[b];

        bank->group = low ? b % config->bank_groups : b / per_group;
        bank->half = low ? bank->group % halves : bank->group / per_half;
        bank->close_at = LOOM_NEVER;
    }
    dram->by_bank = config->refresh[0] == 'b';
    dram->refresh_period = config->trefi / (dram->by_bank ? config->banks : 1);
    dram->refresh_at =
        dram->refresh_period != 0 ? dram->refresh_period : LOOM_NEVER;
    dram->command_at = LOOM_NEVER;
    dram->full_since = LOOM_NEVER;
    dram->usable = ~UINT64_C(0) >> (DRAM_ENTRIES - config->queue_entries);
    dram->write_usable = dram->usable;
    if (config->write_entries != 0) {
        dram->write_usable =
            ~UINT64_C(0) >> (DRAM_ENTRIES - config->write_entries)
                                << config->queue_entries;
    }
}

/* ---- what a command does ---- */

static void issue_activate(struct dram *dram, struct dram_bank *bank,
                           uint32_t row, loom_cycle now)
{
    const struct dram_config *config = dram->config;
    struct dram_earliest *group = &dram->group[bank->group];
    struct dram_half *half = &dram->half[bank->half];
    loom_cycle next = now + dram->t.rrd;
    uint64_t count;

    dram->active_since = dram->open_count == 0 ? now : dram->active_since;
    dram->open_count++;
    bank->open = true;
    bank->touched = false;
    bank->row = row;
    bank->at.rd = now + dram->t.rcdrd;
    bank->at.wr = now + dram->t.rcdwr;
    bank->at.pre = dram_later(bank->at.pre, now + dram->t.ras);
    bank->at.act = now + dram->t.rc;
    group->act = dram_later(group->act, now + dram->t.rrdl);
    half->activated[half->activates % DRAM_WINDOW] = now;
    count = ++half->activates;
    if (config->tfaw != 0 && count >= 4) {
        next = dram_later(next, half->activated[(count - 4) % DRAM_WINDOW] +
                                    config->tfaw);
    }
    if (config->t32aw != 0 && count >= DRAM_WINDOW) {
        next = dram_later(next,
                          half->activated[count % DRAM_WINDOW] + config->t32aw);
    }
    half->at.act = dram_later(half->at.act, next);
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
    struct dram_earliest *channel = &dram->half[bank->half].at;

    dram_count_active(dram, now);
    dram->open_count--;
    bank->open = false;
    bank->close_at = LOOM_NEVER;
    bank->at.act = dram_later(bank->at.act, now + dram->t.rp);
    channel->pre = dram_later(channel->pre, now + dram->config->tppd);
    dram->hits &= ~bank->hits;
    bank->hits = 0;
    dram->stats->precharges++;
}

static void issue_read(struct dram *dram, struct dram_bank *bank,
                       loom_cycle now)
{
    struct dram_earliest *group = &dram->group[bank->group];
    struct dram_earliest *channel = &dram->half[bank->half].at;

    channel->rd = dram_later(channel->rd, now + dram->t.ccd);
    channel->wr = dram_later(channel->wr, now + dram->t.rtw);
    group->rd = dram_later(group->rd, now + dram->t.ccdl);
    group->wr = dram_later(group->wr, now + dram->t.ccdl);
    bank->at.pre = dram_later(bank->at.pre, now + dram->t.rtp);
    group->pre = dram_later(group->pre, now + dram->t.rtpl);
    dram->stats->reads++;
    dram->stats->bytes_read += dram->t.atom_bytes;
}

static void issue_write(struct dram *dram, struct dram_bank *bank,
                        loom_cycle now)
{
    struct dram_earliest *group = &dram->group[bank->group];
    struct dram_earliest *channel = &dram->half[bank->half].at;

    channel->wr = dram_later(channel->wr, now + dram->t.ccd);
    channel->rd = dram_later(channel->rd, now + dram->t.wtr);
    group->wr = dram_later(group->wr, now + dram->t.ccdl);
    group->rd = dram_later(group->rd, now + dram->t.wtrl);
    bank->at.pre = dram_later(bank->at.pre, now + dram->t.wtp);
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

static void issue_refresh(struct dram *dram, loom_cycle now)
{
    for (uint32_t b = 0; b < dram->config->banks; b++) {
        struct dram_bank *bank = &dram->bank[b];

        bank->at.act = dram_later(bank->at.act, now + dram->config->trfc);
    }
    dram->stats->refreshes++;
}

static void issue_bank_refresh(struct dram *dram, struct dram_bank *bank,
                               loom_cycle now)
{
    struct dram_earliest *channel = &dram->half[bank->half].at;
    loom_cycle others = now + dram->config->trrefd;

    bank->at.act = dram_later(bank->at.act, now + dram->config->trfcb);
    channel->act = dram_later(channel->act, others);
    dram->refreshed_at = others;
    dram->stats->bank_refreshes++;
}

static void tell(const struct dram *dram, enum loom_dram_command command,
                 uint32_t number, uint32_t where, loom_cycle now)
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

void dram_issue(struct dram *dram, enum loom_dram_command command,
                uint32_t number, uint32_t where, loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[number];

    dram->bus_at = now + 1;
    switch (command) {
    case LOOM_DRAM_ACT:
        issue_activate(dram, bank, where, now);
        dram_classify(dram, number);
        dram->stats->bank_activates.item[number]++;
        break;
    case LOOM_DRAM_PRE:
        issue_precharge(dram, bank, now);
        dram->closing &= ~loom_bit(number);
        dram_classify(dram, number);
        break;
    case LOOM_DRAM_RD:
        issue_read(dram, bank, now);
        count_column(dram, bank);
        dram->stats->bank_accesses.item[number]++;
        break;
    case LOOM_DRAM_WR:
        issue_write(dram, bank, now);
        count_column(dram, bank);
        dram->stats->bank_accesses.item[number]++;
        break;
    case LOOM_DRAM_REF:
        issue_refresh(dram, now);
        break;
    case LOOM_DRAM_REFB:
        issue_bank_refresh(dram, bank, now);
        break;
    }
    if (LOOM_UNLIKELY(loom_chain(&dram->watchers) != 0)) {
        tell(dram, command, number, where, now);
    }
}

void dram_count_active(struct dram *dram, loom_cycle now)
{
    if (dram->open_count != 0) {
        dram->stats->active_cycles += now - dram->active_since;
        dram->active_since = now;
    }
}

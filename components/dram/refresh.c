/*
 * Refresh of a DRAM channel: of all banks at once, or of one bank after the
 * other.
 *
 * When a refresh is due its banks get no other commands.  Their rows are
 * closed as soon as the rules allow it; when all are closed and may be
 * activated (tRP and tRC are over), they are refreshed.  A refresh takes one
 * cycle of its bus, so it may not come as early as an activate of more.  A
 * refresh that comes late does not delay those after it.  While requests wait
 * refreshes are put off, as many as may be; they follow each other as soon as
 * the channel has nothing to do.
 *
 * A channel that has nothing to do sleeps.  What refresh did meanwhile is
 * made up for when it wakes or is looked at: the same commands at the same
 * times, but that those of banks that are closed anyway are only counted
 * unless somebody watches.
 */
#include "components/dram/legal.h"

/* Banks whose row was opened for a request that has had no column yet. */
static uint64_t unserved(const struct dram *dram)
{
    uint64_t banks = 0;

    for (uint32_t b = 0; b < dram->banks; b++) {
        const struct dram_bank *bank = &dram->bank[b];
        bool begun = bank->open && !bank->touched && bank->hits != 0;

        banks |= dram_bit_if(begun, b);
    }
    return banks;
}

bool dram_refresh_due(struct dram *dram, loom_cycle now)
{
    if (now < dram->refresh_at) {
        return false;
    }
    if (dram->blocked == 0) {
        dram->blocked =
            dram->by_bank ? loom_bit(dram->refresh_bank) : ~UINT64_C(0);
        dram->refresh_by = dram->refresh_at; /* it goes on, whoever comes */
    }
    if (dram->at_once && !dram->by_bank) {
        dram->blocked = ~unserved(dram);
    }
    return true;
}

static void done(struct dram *dram)
{
    dram->blocked = 0;
    dram->refresh_at += dram->refresh_period;
    dram->refresh_by = dram->refresh_at + dram->refresh_late;
    dram->refresh_bank++;
    if (dram->refresh_bank == dram->config->banks) {
        dram->refresh_bank = 0;
    }
}

static bool refresh_bank(struct dram *dram, loom_cycle now, loom_cycle *next)
{
    uint32_t number = dram->refresh_bank;
    bool open = dram->bank[number].open;
    loom_cycle activate = dram_legal_at(dram, DRAM_ACT, number);

    *next = open ? dram_legal_at(dram, DRAM_PRE, number)
                 : dram_later(activate + dram->t.extra, dram->refreshed_at);
    if (*next > now) {
        /* The activate of another bank, which may come that much earlier,
         * must not put it off: the row bus is kept. */
        return !open && activate <= now && *next <= now + dram->t.extra;
    }
    if (open) {
        dram_precharge(dram, number, now);
    } else {
        dram_issue_refresh(dram, LOOM_DRAM_REFB, number, now);
        done(dram);
    }
    *next = now + 1;
    return true;
}

static bool refresh_now(struct dram *dram, loom_cycle ready, loom_cycle now,
                        loom_cycle *next)
{
    *next = ready + dram->t.extra;
    if (*next > now) {
        return false;
    }
    dram_issue_refresh(dram, LOOM_DRAM_REF, 0, now);
    done(dram);
    *next = now + 1;
    return true;
}

/* One precharge for all: when every open bank may be closed. */
static bool refresh_at_once(struct dram *dram, loom_cycle now, loom_cycle *next)
{
    loom_cycle ready = 0, closable = 0;

    if (dram->blocked != ~UINT64_C(0)) {
        *next = LOOM_NEVER; /* until their columns are out */
        return false;
    }
    for (uint32_t b = 0; b < dram->banks; b++) {
        loom_cycle at = dram_legal_at(dram, DRAM_PRE, b);

        ready = dram_later(ready, dram->bank_at[DRAM_ACT][b]);
        closable = dram_later(closable, dram->bank[b].open ? at : 0);
    }
    if (dram->open_count == 0) {
        return refresh_now(dram, ready, now, next);
    }
    *next = closable;
    if (closable > now) {
        return false;
    }
    dram_precharge_all(dram, now);
    *next = now + 1;
    return true;
}

static bool refresh_all(struct dram *dram, loom_cycle now, loom_cycle *next)
{
    loom_cycle ready = 0, soonest = LOOM_NEVER;

    for (uint32_t b = 0; b < dram->config->banks; b++) {
        const struct dram_bank *bank = &dram->bank[b];
        loom_cycle at = dram_legal_at(dram, DRAM_PRE, b);

        ready = dram_later(ready, dram->bank_at[DRAM_ACT][b]);
        if (bank->open && at <= now) {
            dram_precharge(dram, b, now);
            *next = now + 1;
            return true;
        }
        soonest = bank->open && at < soonest ? at : soonest;
    }
    if (soonest != LOOM_NEVER) {
        *next = soonest;
        return false;
    }
    return refresh_now(dram, ready, now, next);
}

bool dram_refresh(struct dram *dram, loom_cycle now, loom_cycle *next)
{
    if (dram->by_bank) {
        return refresh_bank(dram, now, next);
    }
    return dram->at_once ? refresh_at_once(dram, now, next)
                         : refresh_all(dram, now, next);
}

/* Refreshes of closed banks, but for those of the last round. */
static void skip(struct dram *dram, loom_cycle now)
{
    uint64_t round = dram->by_bank ? dram->config->banks : 1;
    uint64_t count = (now - dram->refresh_at) / dram->refresh_period;

    if (dram->open_count != 0 || dram->watchers.count != 0 ||
        count < 2 * round) {
        return;
    }
    count = (count - round) / round * round;
    dram->refresh_at += count * dram->refresh_period;
    dram->refresh_by = dram->refresh_at + dram->refresh_late;
    if (dram->by_bank) {
        dram->stats->bank_refreshes += count;
    } else {
        dram->stats->refreshes += count;
    }
}

void dram_refresh_idle(struct dram *dram, loom_cycle now)
{
    loom_cycle at = dram_later(dram->refresh_at, dram->bus_at);

    while (at <= now) {
        loom_cycle next;

        if (dram->blocked == 0) {
            skip(dram, now);
            at = dram_later(at, dram->refresh_at);
        }
        dram_refresh_due(dram, at);
        dram_refresh(dram, at, &next);
        at = dram->blocked != 0 ? next : dram_later(next, dram->refresh_at);
    }
}

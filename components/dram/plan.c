/*
 * The next commands of a DRAM channel.
 *
 * A plan is made in one pass over the banks that have requests: the earliest
 * cycle from `from` on at which a command is legal, and all that are legal in
 * it.  A request that arrives is added to it.
 */
#include "components/dram/legal.h"

/* Banks that may have a command of each kind; the earliest of each kind. */
struct plan {
    loom_cycle at[DRAM_KINDS];
    uint64_t banks[DRAM_KINDS];
};

static inline loom_cycle sooner(loom_cycle a, loom_cycle b)
{
    return a < b ? a : b;
}

static inline uint64_t if_true(bool condition, uint64_t value)
{
    return value & -(uint64_t)condition;
}

/* When may a command of `kind` go out, from `from` on, and to which of some
 * banks?  No look at them if their pseudo channel says that it is not by
 * `limit`.  Nobody could predict which bank is the first, so there are no
 * branches.  Returns the earlier of that and `limit`. */
static inline loom_cycle plan_kind(const struct dram *dram, struct plan *plan,
                                   enum dram_kind kind, uint64_t banks,
                                   loom_cycle from, loom_cycle limit)
{
    loom_cycle first = LOOM_NEVER;
    uint64_t chosen = 0;

    for (uint32_t i = 0; i < dram->pseudo_channels && banks != 0; i++) {
        loom_cycle floor = dram_later(dram->half_at[i][kind], from);
        uint64_t rest = floor > limit ? 0 : banks & dram->half_banks[i];

        for (; rest != 0; rest &= rest - 1) {
            uint32_t b = loom_lowest(rest);
            loom_cycle at = dram_later(dram->bank_at[kind][b], floor);

            at = dram_later(at, dram->group_at[dram_group_of(dram, b)][kind]);
            chosen = if_true(at >= first, chosen) |
                     if_true(at <= first, rest & -rest);
            first = sooner(first, at);
        }
    }
    plan->at[kind] = first;
    plan->banks[kind] = chosen;
    return sooner(first, limit);
}

/* Open banks of which a request wants another row, and which may be closed. */
static inline uint64_t closable(const struct dram *dram)
{
    uint64_t spared = dram->spares_rows ? dram_hit_banks(dram) : 0;

    return dram->miss_banks & ~spared;
}

/* Banks that wait for a command of each kind.  Without room for another reply,
 * columns have to wait. */
static inline void waiting_banks(const struct dram *dram,
                                 uint64_t waiting[DRAM_KINDS])
{
    uint64_t others = ~dram->blocked;
    uint64_t column = dram->back_count < dram->back_size ? others : 0;

    waiting[DRAM_RD] = dram->read_banks & column;
    waiting[DRAM_WR] = dram->write_banks & column;
    waiting[DRAM_ACT] = dram->closed_banks & others;
    waiting[DRAM_PRE] = closable(dram) & others;
}

/* The requests of the banks that may have a command at `at`. */
static inline void show(struct dram *dram, const struct plan *plan,
                        loom_cycle at)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t columns = 0, activates = 0, precharges = 0, kept = 0;
    uint64_t banks[DRAM_KINDS];

    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        banks[k] = if_true(plan->at[k] == at, plan->banks[k]);
    }
    for (uint64_t rest = banks[DRAM_RD]; rest != 0; rest &= rest - 1) {
        columns |= dram->bank[loom_lowest(rest)].hits & ~view->writes;
    }
    for (uint64_t rest = banks[DRAM_WR]; rest != 0; rest &= rest - 1) {
        columns |= dram->bank[loom_lowest(rest)].hits & view->writes;
    }
    for (uint64_t rest = banks[DRAM_ACT]; rest != 0; rest &= rest - 1) {
        activates |= dram->bank[loom_lowest(rest)].entries;
    }
    for (uint64_t rest = banks[DRAM_PRE]; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
        uint64_t misses = bank->entries & ~bank->hits;

        precharges |= misses;
        kept |= if_true(bank->hits != 0, misses);
    }
    view->column = columns;
    view->activate = activates;
    view->precharge = precharges;
    view->kept = kept;
}

void dram_plan(struct dram *dram, loom_cycle from)
{
    struct plan plan;
    uint64_t waiting[DRAM_KINDS];
    loom_cycle at = LOOM_NEVER;

    waiting_banks(dram, waiting);
    at = plan_kind(dram, &plan, DRAM_RD, waiting[DRAM_RD], from, at);
    at = plan_kind(dram, &plan, DRAM_WR, waiting[DRAM_WR], from, at);
    at = plan_kind(dram, &plan, DRAM_ACT, waiting[DRAM_ACT], from, at);
    at = plan_kind(dram, &plan, DRAM_PRE, waiting[DRAM_PRE], from, at);
    show(dram, &plan, at);
    dram->plan_at = at;
    dram->planned = true;
}

loom_cycle dram_plan_after(const struct dram *dram, loom_cycle now)
{
    uint64_t waiting[DRAM_KINDS];
    loom_cycle next = LOOM_NEVER;

    waiting_banks(dram, waiting);
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        for (uint64_t rest = waiting[k]; rest != 0; rest &= rest - 1) {
            loom_cycle at =
                dram_legal_at(dram, (enum dram_kind)k, loom_lowest(rest));

            next = at > now ? sooner(next, at) : next;
        }
    }
    return next;
}

/* One more command is legal at `at`: of `entry`, in *mask of the view. */
static void plan_more(struct dram *dram, uint64_t *mask, uint32_t entry,
                      loom_cycle at)
{
    struct loom_schedule_view *view = &dram->view;

    if (at > dram->plan_at) {
        return;
    }
    if (at < dram->plan_at) {
        view->column = view->activate = view->precharge = view->kept = 0;
        dram->plan_at = at;
    }
    *mask |= loom_bit(entry);
}

void dram_plan_entry(struct dram *dram, uint32_t entry, loom_cycle from)
{
    struct loom_schedule_view *view = &dram->view;
    uint32_t number = dram->entry[entry].bank;
    const struct dram_bank *bank = &dram->bank[number];
    enum dram_kind kind;
    uint64_t *mask;
    loom_cycle at;

    if ((dram->blocked >> number & 1) != 0) {
        /* It waits for a refresh, which has to go on. */
        dram->command_at = sooner(dram->command_at, from);
        return;
    }
    if (!bank->open) {
        mask = &view->activate;
        kind = DRAM_ACT;
    } else if (bank->row != dram->entry[entry].row) {
        mask = &view->precharge;
        kind = DRAM_PRE;
    } else {
        mask = &view->column;
        kind = (view->writes >> entry & 1) != 0 ? DRAM_WR : DRAM_RD;
    }
    at = dram_legal_at(dram, kind, number);
    at = dram_later(at, from);
    /* Who has declined may want it now: an arrival turns reads and writes. */
    dram->command_at = sooner(dram->command_at, dram->declined ? from : at);
    /* Its row is open while others of the bank want another, or the policy
     * has declined what was planned: think again. */
    if (dram->declined || (bank->hits != 0 && bank->hits != bank->entries) ||
        dram->back_count == dram->back_size) {
        dram->planned = false;
    }
    if (dram->planned) {
        plan_more(dram, mask, entry, at);
    }
}

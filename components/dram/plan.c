/*
 * The next commands of a DRAM channel.
 *
 * Two questions: which commands are legal now, and when is the next one?  Most
 * banks and groups have been ready for a command for long, and what keeps it
 * is the pseudo channel.  So each kind of command has a set of those whose time
 * may lie ahead: a command adds them, and a look at one whose time has come
 * takes it away again.
 *
 * Invariant: the time of a bank and a group that are not in the set is over, or
 * not after its pseudo channel's.
 */
#include "components/dram/legal.h"

static inline loom_cycle sooner(loom_cycle a, loom_cycle b)
{
    return a < b ? a : b;
}

static inline uint64_t if_true(bool condition, uint64_t value)
{
    return value & -(uint64_t)condition;
}

/* The banks of the pseudo channels that may have a command of `kind`. */
static inline uint64_t open_halves(const struct dram *dram, enum dram_kind kind,
                                   loom_cycle now)
{
    uint64_t banks = if_true(dram->half_at[0][kind] <= now, ~UINT64_C(0));

    if (LOOM_UNLIKELY(dram->half_mask != 0)) {
        banks &= dram->half_banks[0];
        banks |= if_true(dram->half_at[1][kind] <= now, dram->half_banks[1]);
    }
    return banks;
}

/* Of some banks those that may have a command of `kind` at `now`. */
static inline uint64_t ready(struct dram *dram, enum dram_kind kind,
                             uint64_t banks, loom_cycle now)
{
    struct dram_late *late = &dram->late[kind];

    banks &= open_halves(dram, kind, now);
    for (uint64_t rest = banks & late->mates; rest != 0;) {
        uint32_t group = dram_group_of(dram, loom_lowest(rest));
        uint64_t mates = dram_mates(dram, group);
        uint64_t over = if_true(dram->group_at[group][kind] <= now, mates);

        late->mates &= ~over;
        banks &= ~(mates ^ over);
        rest &= ~mates;
    }
    for (uint64_t rest = banks & late->banks; rest != 0; rest &= rest - 1) {
        uint32_t bank = loom_lowest(rest);
        uint64_t over = (uint64_t)(dram->bank_at[kind][bank] <= now) << bank;

        late->banks &= ~over;
        banks &= ~(loom_bit(bank) ^ over);
    }
    return banks;
}

/* When may the first of some banks of pseudo channel `half` have a command of
 * `kind`, from `from` on?  Returns the earlier of that and `limit`. */
static inline loom_cycle first_in(const struct dram *dram, uint32_t half,
                                  enum dram_kind kind, uint64_t banks,
                                  loom_cycle from, loom_cycle limit)
{
    loom_cycle floor = dram_later(dram->half_at[half][kind], from);

    if (floor >= limit) {
        return limit;
    }
    if ((banks & ~(dram->late[kind].banks | dram->late[kind].mates)) != 0) {
        return floor;
    }
    for (; banks != 0; banks &= banks - 1) {
        loom_cycle at = dram_bank_at(dram, kind, loom_lowest(banks));

        limit = sooner(limit, dram_later(at, floor));
    }
    return limit;
}

static inline loom_cycle first_of(const struct dram *dram, enum dram_kind kind,
                                  uint64_t banks, loom_cycle from,
                                  loom_cycle limit)
{
    if (LOOM_LIKELY(dram->half_mask == 0)) {
        return first_in(dram, 0, kind, banks, from, limit);
    }
    for (uint32_t i = 0; i < DRAM_HALVES; i++) {
        uint64_t mine = banks & dram->half_banks[i];

        limit = first_in(dram, i, kind, mine, from, limit);
    }
    return limit;
}

/* Open banks of which a request wants another row, and which may be closed. */
static inline uint64_t closable(const struct dram *dram)
{
    uint64_t spared = dram->first_ready ? dram_hit_banks(dram) : 0;

    return dram->miss_banks & ~spared;
}

/* Without room for another reply, columns have to wait. */
static inline bool columns_wait(const struct dram *dram)
{
    return dram->back_count == dram->back_size;
}

/* The requests for the open rows of some banks, which are `all` that have any
 * but for those that are not `chosen`. */
static inline uint64_t hits_of(const struct dram *dram, uint64_t all,
                               uint64_t chosen)
{
    uint64_t hits = dram->view.hits;

    if (chosen == 0) {
        return 0;
    }
    for (uint64_t rest = all & ~chosen; rest != 0; rest &= rest - 1) {
        hits &= ~dram->bank[loom_lowest(rest)].hits;
    }
    return hits;
}

static inline uint64_t show_columns(struct dram *dram, uint64_t others,
                                    loom_cycle now)
{
    const struct loom_schedule_view *view = &dram->view;
    uint64_t reads = dram->read_banks, writes = dram->write_banks;
    uint64_t columns = 0;

    if (reads != 0) {
        uint64_t chosen = ready(dram, DRAM_RD, reads & others, now);

        columns = hits_of(dram, reads, chosen) & ~view->writes;
    }
    if (writes != 0) {
        uint64_t chosen = ready(dram, DRAM_WR, writes & others, now);

        columns |= hits_of(dram, writes, chosen) & view->writes;
    }
    return columns;
}

static inline void show_rows(struct dram *dram, uint64_t others, loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t closed = dram->closed_banks & others;
    uint64_t misses = closable(dram) & others;

    if (closed != 0) {
        uint64_t rest = ready(dram, DRAM_ACT, closed, now);

        for (; rest != 0; rest &= rest - 1) {
            view->activate |= dram->bank[loom_lowest(rest)].entries;
        }
    }
    if (misses != 0) {
        uint64_t rest = ready(dram, DRAM_PRE, misses, now);

        for (; rest != 0; rest &= rest - 1) {
            const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
            uint64_t wrong = bank->entries & ~bank->hits;

            view->precharge |= wrong;
            view->kept |= if_true(bank->hits != 0, wrong);
        }
    }
}

uint64_t dram_show(struct dram *dram, loom_cycle now)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t others = ~dram->blocked;

    view->column = columns_wait(dram) ? 0 : show_columns(dram, others, now);
    view->activate = view->precharge = view->kept = 0;
    if (view->column == 0 || dram->dual || !dram->first_ready) {
        show_rows(dram, others, now);
    }
    return view->column | view->activate | view->precharge;
}

loom_cycle dram_next(const struct dram *dram, loom_cycle from)
{
    uint64_t others = ~dram->blocked;
    uint64_t closed = dram->closed_banks & others;
    uint64_t misses = closable(dram) & others;
    loom_cycle at = LOOM_NEVER;

    if (!columns_wait(dram)) {
        uint64_t reads = dram->read_banks & others;
        uint64_t writes = dram->write_banks & others;

        at = reads != 0 ? first_of(dram, DRAM_RD, reads, from, at) : at;
        at = writes != 0 ? first_of(dram, DRAM_WR, writes, from, at) : at;
    }
    at = closed != 0 ? first_of(dram, DRAM_ACT, closed, from, at) : at;
    return misses != 0 ? first_of(dram, DRAM_PRE, misses, from, at) : at;
}

loom_cycle dram_next_other(const struct dram *dram, loom_cycle now)
{
    uint64_t others = ~dram->blocked, column = columns_wait(dram) ? 0 : others;
    const uint64_t waiting[DRAM_KINDS] = {
        [DRAM_RD] = dram->read_banks & column,
        [DRAM_WR] = dram->write_banks & column,
        [DRAM_ACT] = dram->closed_banks & others,
        [DRAM_PRE] = closable(dram) & others,
    };
    loom_cycle next = LOOM_NEVER;

    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        for (uint64_t rest = waiting[k]; rest != 0; rest &= rest - 1) {
            loom_cycle at =
                dram_legal_at(dram, (enum dram_kind)k, loom_lowest(rest));

            next = at > now ? sooner(next, at) : next;
        }
    }
    return next;
}

void dram_expect(struct dram *dram, enum dram_kind kind, uint32_t bank,
                 loom_cycle from)
{
    /* A bank that waits for a refresh has to go on with it.  Who has declined
     * may want it now: an arrival turns reads and writes. */
    loom_cycle at = dram_later(dram_legal_at(dram, kind, bank), from);

    if ((dram->blocked >> bank & 1) != 0 || dram->declined) {
        at = from;
    }
    dram->command_at = sooner(dram->command_at, at);
}

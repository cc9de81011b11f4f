/*
 * The next commands of a DRAM channel.
 *
 * A plan is made in one pass over the banks that have requests: the earliest
 * cycle from `from` on at which a command is legal, and all that are legal in
 * it.
 */
#include "components/dram/legal.h"

struct plan {
    struct loom_schedule_view *view;
    loom_cycle from, at, next;
};

static inline loom_cycle sooner(loom_cycle a, loom_cycle b)
{
    return a < b ? a : b;
}

/* Does a command that is legal from `at` on belong to the plan?  An earlier
 * one throws the others out. */
static inline bool earliest(struct plan *plan, loom_cycle at)
{
    at = dram_later(at, plan->from);
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
    loom_cycle floor = LOOM_NEVER;

    for (uint32_t i = 0; i < dram->config->pseudo_channels; i++) {
        floor = sooner(floor, dram->half[i].at.rd);
        floor = sooner(floor, dram->half[i].at.wr);
    }
    if (!worthwhile(plan, floor)) {
        return;
    }
    for (uint64_t rest = dram->hit_banks & ~dram->blocked; rest != 0;
         rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
        uint64_t reads = bank->hits & ~writes;

        if (reads != 0 && earliest(plan, dram_read_at(dram, bank))) {
            view->column |= reads;
        }
        if (reads != bank->hits && earliest(plan, dram_write_at(dram, bank))) {
            view->column |= bank->hits & writes;
        }
    }
}

static void plan_activates(const struct dram *dram, struct plan *plan)
{
    loom_cycle floor = LOOM_NEVER;

    for (uint32_t i = 0; i < dram->config->pseudo_channels; i++) {
        floor = sooner(floor, dram->half[i].at.act);
    }
    if (!worthwhile(plan, floor)) {
        return;
    }
    for (uint64_t rest = dram->closed_banks & ~dram->blocked; rest != 0;
         rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];

        if (earliest(plan, dram_activate_at(dram, bank))) {
            plan->view->activate |= bank->entries;
        }
    }
}

static void plan_precharges(const struct dram *dram, struct plan *plan)
{
    uint64_t rest = dram->miss_banks & ~dram->blocked;

    rest &= dram->spares_rows ? ~dram->hit_banks : ~UINT64_C(0);
    for (; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &dram->bank[loom_lowest(rest)];
        uint64_t misses = bank->entries & ~bank->hits;

        if (earliest(plan, dram_precharge_at(dram, bank))) {
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
        at = dram_activate_at(dram, bank);
    } else if (bank->row != dram->row_of[entry]) {
        mask = &view->precharge;
        at = dram_precharge_at(dram, bank);
    } else {
        mask = &view->column;
        at = (dram->writes >> entry & 1) != 0 ? dram_write_at(dram, bank)
                                              : dram_read_at(dram, bank);
    }
    if ((dram->blocked >> dram->bank_of[entry] & 1) != 0) {
        at = from; /* it waits for a refresh, which has to go on */
        dram->command_at = at < dram->command_at ? at : dram->command_at;
        return;
    }
    at = dram_later(at, from);
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

/*
 * Requests without time (engine/warm.h): they open rows.
 *
 * The row of a request is open afterwards in its bank, as if it had been
 * activated long ago; refreshes that were due before close rows first.  Where
 * a page policy closes rows that nobody wants they stay as they are, since it
 * would have closed them.  Nothing is counted but the time with open rows.
 */
#include "engine/warm.h"

#include "components/dram/legal.h"

bool dram_quiet(struct loom_component *self)
{
    const struct dram *dram = loom_state(self);

    return dram->queued == 0 && dram->back_count == 0 &&
           dram->backlog.accepted == 0 && dram->arriving == 0;
}

static void open_row(struct dram *dram, const struct loom_place *place,
                     loom_cycle now)
{
    struct dram_bank *bank = &dram->bank[place->bank];

    if (dram->page_ops != NULL || dram->closing != 0 ||
        !dram_quiet(dram->self)) {
        return;
    }
    if (now >= dram->refresh_at) {
        dram_refresh_idle(dram, now);
    }
    if (dram->blocked != 0) {
        return; /* its rows are closed soon */
    }
    if (!bank->open) {
        dram->active_since = dram->open_count == 0 ? now : dram->active_since;
        dram->open_count++;
        bank->open = true;
    }
    bank->row = place->row;
    bank->touched = true;
}

void dram_serve_warm(struct loom_component *self, void *message, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    struct loom_mem_request *r = message;
    struct loom_place place;

    if (r->kind != LOOM_MEM_QUERY && dram_locate(dram, r, &place)) {
        open_row(dram, &place, now);
    }
    r->flags = (uint8_t)((r->flags & ~(uint32_t)LOOM_MEM_HIT) | LOOM_MEM_REPLY);
    r->reply_bits = 0;
}

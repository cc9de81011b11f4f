/*
 * Accesses that wait.
 */
#include "components/cache/wait.h"

void cache_settle_wait(struct cache *c, struct cache_wait *w, loom_cycle now)
{
    uint64_t cycles = now - 1 - w->counted;

    if (w->reason == CACHE_DONE || now <= w->counted + 1) {
        return;
    }
    if (w->reason < LOOM_FAIL_REASONS) {
        c->stats->reservation_fails[w->reason] += cycles;
    } else {
        c->stats->other_stalls[w->reason - LOOM_FAIL_REASONS] += cycles;
    }
    w->counted += cycles;
}

/* A load that was refused a line or an MSHR is refused again as long as there
 * is none: only accesses of its bank could bring what it looks for, and they
 * are behind it. */
static bool still_refused(const struct cache *c, const struct cache_bank *bank)
{
    if (bank->wait.reason == LOOM_FAIL_MSHR) {
        return (c->mshr_used == c->mshr_entries) | (c->free_item == CACHE_NONE);
    }
    return bank->wait.reason == LOOM_FAIL_LINE &&
           cache_all_reserved(c, bank->set);
}

bool cache_hopeless(const struct cache *c, const struct cache_bank *bank)
{
    if (bank->patience == CACHE_IMPATIENT) {
        return false;
    }
    if (bank->patience == CACHE_ALONE && bank->load && still_refused(c, bank)) {
        return true;
    }
    return bank->tried == c->changes &&
           (bank->wait.reason == LOOM_FAIL_LINE ||
            bank->wait.reason == LOOM_FAIL_MSHR ||
            bank->wait.reason == LOOM_FAIL_MERGE ||
            (bank->wait.reason == LOOM_FAIL_MISS_QUEUE && c->queue_count != 0 &&
             c->queue_count == c->miss_queue));
}

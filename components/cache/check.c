/*
 * What must hold of a cache at the end of a run, and what waits in one that
 * makes no progress.
 */
#include "components/cache/init.h"

static bool fail(struct loom_error *err, const char *what, uint64_t found,
                 const char *than, uint64_t wanted)
{
    return loom_fail(err, LOOM_ERR_LAW, "%s %llu are not %s %llu", what,
                     (unsigned long long)found, than,
                     (unsigned long long)wanted);
}

static bool check_counts(const struct cache *c, struct loom_error *err)
{
    const struct cache_stats *s = c->stats;

    if (s->fetches != s->fills) {
        return fail(err, "fetches", s->fetches, "fills", s->fills);
    }
    if (s->sector_misses > s->misses) {
        return fail(err, "sector misses", s->sector_misses, "among misses",
                    s->misses);
    }
    if (s->partial_fetches > s->sector_misses) {
        return fail(err, "fetches of partly written sectors",
                    s->partial_fetches, "among sector misses",
                    s->sector_misses);
    }
    return true;
}

static bool check_empty(const struct cache *c, struct loom_error *err)
{
    if (c->mshrs.used != 0 || c->down.passing_used != 0 ||
        c->down.queries_out != 0 || c->up.parents_used != 0) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%u MSHRs, %u passing requests, %u split requests "
                         "and %u queries wait for replies",
                         c->mshrs.used, c->down.passing_used,
                         c->up.parents_used, c->down.queries_out);
    }
    if (c->pipe.held != 0 || c->down.count != 0 || c->down.query_count != 0 ||
        c->up.split_left != 0) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%u accesses, %u requests and %u queries are still "
                         "queued",
                         c->pipe.held, c->down.count, c->down.query_count);
    }
    return true;
}

/* What holds of lines and sets; most of a large cache is empty. */
static bool check_tags(const struct cache_tags *t, uint32_t *modified,
                       struct loom_error *err)
{
    for (uint32_t i = 0; i < t->lines; i++) {
        const struct cache_line *line = &t->line[i];

        if ((line->tag | line->pending | line->dirty | line->written) == 0) {
            continue;
        }
        *modified += line->written != 0;
        if (!cache_check_line(t, i, err)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < t->sets; i++) {
        if (!cache_check_set(t, i, err)) {
            return false;
        }
    }
    return true;
}

bool cache_check(struct loom_component *self, struct loom_error *err)
{
    const struct cache *c = loom_state(self);
    uint32_t modified = 0;

    /* Memory that nothing was written to is not read, either. */
    if (c->tags.touched && !check_tags(&c->tags, &modified, err)) {
        return false;
    }
    if (modified != c->tags.modified) {
        return fail(err, "modified lines", c->tags.modified, "those that are",
                    modified);
    }
    return check_counts(c, err) && check_empty(c, err);
}

static const char *const reason[] = {
    "no unreserved way", "no MSHR",          "no place in its MSHR",
    "the miss queue",    "no candidate way", "the data port",
    "room for a reply",  "a flush",          "its bank",
    "its turn",
};
_Static_assert(LOOM_COUNTOF(reason) == CACHE_DONE + 1, "one for each");

static void report_bank(const struct cache *c, uint32_t number,
                        struct loom_report *report)
{
    const struct cache_bank *bank = &c->pipe.bank[number];
    const struct cache_slot *slot = &bank->pipe[bank->head];
    bool waits = bank->wait.reason != CACHE_DONE;
    const struct loom_mem_request *r;

    if (bank->count == 0) { /* the slot is nobody's */
        return;
    }
    r = slot->parent == CACHE_NONE ? &bank->item[bank->head].request
                                   : &c->up.parent[slot->parent].request;
    loom_report_line(report, c->self, waits ? bank->wait.since : LOOM_NEVER,
                     "%u accesses queued, the oldest to block 0x%llx of "
                     "warp %u waits for %s",
                     bank->count, (unsigned long long)r->block, r->warp,
                     reason[bank->wait.reason]);
}

void cache_report(struct loom_component *self, struct loom_report *report)
{
    const struct cache *c = loom_state(self);

    for (uint32_t i = 0; i < c->pipe.banks; i++) {
        report_bank(c, i, report);
    }
    if (c->gate.reason != CACHE_DONE) {
        loom_report_line(report, self, c->gate.since, "a bypass waits for %s",
                         reason[c->gate.reason]);
    }
    if (c->mshrs.used + c->down.passing_used + c->down.count != 0) {
        loom_report_line(report, self, LOOM_NEVER,
                         "%u MSHRs and %u passing requests wait for replies, "
                         "%u requests to be sent",
                         c->mshrs.used, c->down.passing_used, c->down.count);
    }
}

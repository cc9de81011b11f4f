/*
 * Passing over (components/cta_protocol.h): warps go through their streams and
 * time does not go on.
 *
 * What is under way stays: a warp goes on elsewhere with the registers that it
 * waited for, as if what it waits for had been asked for there.  So the machine
 * is as full as it was, and its warps are as far apart.
 *
 * Each warp gets its share of the instructions: what warps of its age had in
 * time, as most schedulers go by age.  The last warp of a CTA stops in front of
 * its last instruction, so that the CTA ends in time if none follows.
 */
#include <string.h>

#include "engine/warm.h"

#include "components/sm/sm_private.h"

enum {
    PASS_TURN = 8,  /* instructions of a warp in a turn, on average */
    PASS_DUE = 1024 /* that a warp which waits is behind at most */
};

bool sm_pass_init(struct sm *sm, struct loom_error *err)
{
    struct sm_pass *pass = &sm->pass;
    uint32_t warps = sm->config->warps;

    pass->mark = loom_alloc(sm->self, warps, sizeof(*pass->mark));
    pass->place = loom_alloc(sm->self, warps, sizeof(*pass->place));
    pass->due = loom_alloc(sm->self, warps, sizeof(*pass->due));
    pass->turn = loom_alloc(sm->self, warps, sizeof(*pass->turn));
    pass->words = loom_alloc(sm->self, warps, sizeof(*pass->words));
    return loom_has_memory(sm->self, err);
}

/* ---- shares ---- */

static bool goes_on(const struct sm_warp *warp)
{
    return warp->cta != NULL && warp->inst != NULL;
}

static const struct loom_warp_stream *stream_of(const struct sm_warp *warp)
{
    return &warp->cta->stream->warp[warp->slot - warp->cta->first_warp];
}

static void mark(struct sm *sm)
{
    for (uint32_t w = 0; w < sm->config->warps; w++) {
        sm->pass.mark[w] = sm->warp[w].cursor.at;
    }
    sm->pass.marked = sm->stats->warp_insts;
}

/* Words that the warp went through since the last pass, of its present stream.
 */
static uint64_t words_since(const struct sm *sm, const struct sm_warp *warp)
{
    return (uint64_t)(warp->cursor.at - sm->pass.mark[warp->slot]);
}

/* Warps by age.  Shares belong to places in this order. */
static void line_up(struct sm *sm)
{
    struct sm_pass *pass = &sm->pass;
    uint32_t count = 0;

    for (uint32_t w = 0; w < sm->config->warps; w++) {
        const struct sm_warp *warp = &sm->warp[w];
        uint32_t at = count;

        if (!goes_on(warp)) {
            continue;
        }
        if (count == pass->turns) { /* more than there were */
            pass->turn[pass->turns++].share = 1;
            pass->shares++;
        }
        for (; at > 0 && sm->warp[pass->turn[at - 1].warp].age > warp->age;
             at--) {
            pass->turn[at].warp = pass->turn[at - 1].warp;
        }
        pass->turn[at].warp = (uint16_t)w;
        count++;
    }
    for (; pass->turns > count; pass->turns--) {
        pass->shares -= pass->turn[pass->turns - 1].share;
    }
}

/* How far the warps of each age got since the last pass; returns how much of
 * what they differ by is more than chance.  Warps that are apart by chance stay
 * as far apart, so the chance in a sum of n such distances is that of one. */
static double learn(struct sm *sm)
{
    struct sm_pass *pass = &sm->pass;
    double mean = 0, between = 0, within = 0;
    double n = ++pass->passes;

    for (uint32_t i = 0; i < pass->turns; i++) {
        struct sm_pass_words *w = &pass->words[i];
        double words = (double)words_since(sm, &sm->warp[pass->turn[i].warp]);

        w->sum += words;
        w->squares += words * words;
        mean += w->sum / n / pass->turns;
        within += w->squares / n - w->sum / n * (w->sum / n);
    }
    for (uint32_t i = 0; i < pass->turns; i++) {
        double apart = pass->words[i].sum / n - mean;

        between += apart * apart;
    }
    if (n == 1 || between * n * (n - 1) <= within) {
        return 0;
    }
    return 1 - within / (between * n * (n - 1));
}

static void share(struct sm *sm)
{
    struct sm_pass *pass = &sm->pass;
    double mean = 0, trust;

    if (pass->kernel != sm->kernel->number + 1) {
        memset(pass->words, 0, sm->config->warps * sizeof(*pass->words));
        pass->kernel = sm->kernel->number + 1;
        pass->passes = 0;
    }
    trust = learn(sm);
    for (uint32_t i = 0; i < pass->turns; i++) {
        mean += pass->words[i].sum / pass->passes / pass->turns;
    }
    pass->shares = 0;
    for (uint32_t i = 0; i < pass->turns; i++) {
        double own = pass->words[i].sum / pass->passes;

        pass->turn[i].share = 1 + mean + trust * (own - mean);
        pass->shares += pass->turn[i].share;
    }
}

/* ---- the gpu's commands ---- */

/* About how many instructions are left of the stream. */
static uint64_t left_of(const struct sm_warp *warp)
{
    const struct loom_warp_stream *stream = stream_of(warp);
    uint64_t words = (uint64_t)(warp->cursor.end - warp->cursor.at);

    return words == 0 ? 0 : words * stream->insts / stream->words;
}

/* What the warp does next is not looked at by the schedulers. */
static void set_next(struct sm *sm, const struct sm_warp *warp, bool on)
{
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];
    uint64_t *next = &scheduler->next[warp->inst->op];
    uint64_t *unit = &scheduler->next_unit[sm->op[warp->inst->op].unit];

    *next = on ? *next | warp->bit : *next & ~warp->bit;
    *unit = on ? *unit | warp->bit : *unit & ~warp->bit;
}

static void begin(struct sm *sm, struct loom_cta_pass *message)
{
    message->insts = sm->stats->warp_insts - sm->pass.marked;
    message->left = 0;
    message->held = 0;
    line_up(sm);
    share(sm);
    for (uint32_t w = 0; w < sm->config->warps; w++) {
        const struct sm_warp *warp = &sm->warp[w];

        sm_note_place(sm, warp, message->turnover);
        sm->pass.due[w] = 0;
        if (goes_on(warp)) {
            message->left += left_of(warp);
            set_next(sm, warp, false);
        }
    }
    for (uint32_t i = 0; i < SM_CTAS; i++) {
        sm->pass.stream[i] = sm->cta[i].stream;
        if (sm->cta[i].kernel != NULL && sm->cta[i].former != 0) {
            message->held |= loom_bit(i);
        }
    }
}

/* A turn of all warps; returns how many instructions.  Who waits for others
 * catches up later. */
static uint64_t turn(struct sm *sm, bool even, bool warm)
{
    struct sm_pass *pass = &sm->pass;
    double each = PASS_TURN * pass->turns / pass->shares;
    uint64_t before = sm->stats->warp_insts;

    for (uint32_t i = 0; i < pass->turns; i++) {
        struct sm_warp *warp = &sm->warp[pass->turn[i].warp];
        double *due = &pass->due[warp->slot];

        if (*due < PASS_DUE) {
            *due += even ? PASS_TURN : pass->turn[i].share * each;
        }
        while (*due >= 1 && sm_pass_inst(sm, warp, warm)) {
            (*due)--;
        }
    }
    return sm->stats->warp_insts - before;
}

/* Until as many instructions are done, or nothing can go on. */
static void go(struct sm *sm, struct loom_cta_pass *message)
{
    uint64_t done = 0, more = 1;

    while (done < message->insts && more != 0 && sm->pass.turns != 0) {
        more = turn(sm, false, message->warm);
        if (more == 0) { /* those that have had a share cannot go on */
            more = turn(sm, true, message->warm);
        }
        done += more;
    }
    message->insts = done;
    message->ended = 0;
    for (uint32_t i = 0; i < SM_CTAS; i++) {
        message->ended |= sm_cta_passed(sm, &sm->cta[i]) ? loom_bit(i) : 0;
    }
}

static void next(struct sm *sm, const struct loom_cta_pass *message)
{
    struct sm_cta *cta = &sm->cta[message->slot];

    for (uint64_t left = cta->running; left != 0; left &= left - 1) {
        sm_count_inst(sm, &sm->warp[cta->first_warp + loom_lowest(left)]);
    }
    sm_replace_cta(sm, cta, message->stream);
    for (uint32_t i = 0; i < message->stream->warp_count; i++) {
        struct sm_warp *warp = &sm->warp[cta->first_warp + i];

        sm->pass.due[warp->slot] = 0;
        sm->pass.place[warp->slot].at = 1;
        if (loom_stream_next(&warp->cursor, &warp->next)) {
            warp->inst = warp->table + warp->next.index;
        } else {
            sm_exhaust(sm, warp);
        }
    }
    line_up(sm);
}

static void land(struct sm *sm, struct loom_cta_pass *message)
{
    uint64_t may = message->ended;
    uint64_t before = sm->stats->warp_insts;

    message->ended = 0;
    for (uint32_t i = 0; i < SM_CTAS; i++) {
        struct sm_cta *cta = &sm->cta[i];

        if (cta->kernel != NULL && cta->running != 0 &&
            !sm_land_cta(sm, cta, (may >> i & 1) != 0) &&
            sm_cta_passed(sm, cta)) {
            message->ended |= loom_bit(i);
        }
    }
    message->insts = sm->stats->warp_insts - before;
}

static void end(struct sm *sm)
{
    for (uint32_t w = 0; w < sm->config->warps; w++) {
        struct sm_warp *warp = &sm->warp[w];

        if (goes_on(warp)) {
            set_next(sm, warp, true);
        }
        if (warp->cta != NULL) {
            sm_update(sm, warp);
        }
    }
    sm_restore_ages(sm);
    mark(sm);
    loom_warm_wake(sm->self);
}

static void serve(struct loom_component *self, void *message, loom_cycle now)
{
    struct sm *sm = loom_state(self);
    struct loom_cta_pass *pass = message;

    sm->now = now > sm->now ? now : sm->now;
    switch ((enum loom_pass_command)pass->command) {
    case LOOM_PASS_BEGIN:
        begin(sm, pass);
        break;
    case LOOM_PASS_GO:
        go(sm, pass);
        break;
    case LOOM_PASS_NEXT:
        next(sm, pass);
        break;
    case LOOM_PASS_LAND:
        land(sm, pass);
        break;
    case LOOM_PASS_END:
        end(sm);
        break;
    }
}

static bool quiet(struct loom_component *self)
{
    const struct sm *sm = loom_state(self);

    return sm->resident == 0;
}

const struct loom_warm_ops sm_warm = {.serve = serve, .quiet = quiet};

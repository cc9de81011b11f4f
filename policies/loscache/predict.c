/*
 * The prediction phase of loscache, its table, and what requests carry then.
 */
#include "engine/rng.h"

#include "policies/lib/load_table.h"
#include "policies/loscache/loscache_private.h"

#define QUERY_BYTES 16 /* a packet of control bytes there and one back */

static bool loscache_bind_cache(struct loom_policy *self,
                                const struct loom_cache_shape *shape,
                                struct loom_error *err)
{
    struct loscache *l = loom_policy_state(self);

    (void)err;
    l->host = shape->host;
    return true;
}

static bool loscache_bind_sm(struct loom_policy *self,
                             const struct loom_sm_shape *shape,
                             struct loom_error *err)
{
    struct loscache *l = loom_policy_state(self);

    (void)err;
    LOOM_CHECK(shape->schedulers <= LOSCACHE_SCHEDULERS);
    l->schedulers = shape->schedulers;
    return true;
}

static struct loscache_entry *find(struct loom_policy *self, uint32_t inst)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    stats->searches++;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entry[i].inst == inst && l->entry[i].kernel == l->name) {
            return &l->entry[i];
        }
    }
    return NULL;
}

static void forget_predictor(struct loscache *l)
{
    for (uint32_t i = 0; i < l->schedulers; i++) {
        l->first[i] = 0;
    }
}

/* ---- phases ---- */

/* What a phase entered that never ended goes: those are the last ones. */
static void drop_entries(struct loscache *l)
{
    while (l->count > 0 && (l->empties || !l->entry[l->count - 1].learnt)) {
        l->count--;
    }
    l->asked = l->asked < l->count ? l->asked : l->count;
}

static void begin(struct loom_policy *self, const struct loom_kernel *kernel,
                  loom_cycle now)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    stats->cut += l->phase == PHASE_PREDICT;
    forget_predictor(l);
    drop_entries(l);
    l->kernel = kernel->number;
    l->name = loom_load_table_name(kernel);
    stats->phases++;
    l->since = now;
    l->ctas = 0;
    l->accesses = 0;
    l->predictor = UINT32_MAX;
    l->drawn = false;
    l->phase = PHASE_PREDICT;
}

/* In the L1's tick. */
static void ask_more(struct loom_policy *self)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    while (l->asked < l->count && l->entry[l->asked].learnt) {
        const struct loscache_entry *e = &l->entry[l->asked];
        const struct loom_mem_request query = {
            .block = e->block,
            .inst = e->inst,
            .kernel = l->kernel,
            .accesses = 1,
            .space = LOOM_SPACE_GLOBAL,
        };

        if (!l->host->query(l->host->cache, &query)) {
            return; /* goes on with the next reply */
        }
        l->asked++;
        stats->queries++;
        stats->query_bytes += QUERY_BYTES;
    }
}

static void end(struct loom_policy *self, loom_cycle now)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    forget_predictor(l);
    l->phase = PHASE_NORMAL;
    stats->phase_cycles += now - l->since;
    stats->phase_accesses += l->accesses;
    for (uint32_t i = l->count; i > 0 && !l->entry[i - 1].learnt; i--) {
        l->entry[i - 1].learnt = true;
        stats->entries_made++;
    }
}

/* ---- the SM ---- */

/* Each CTA that comes before the draw is over takes the place of the one
 * drawn so far with probability 1/n: all n are equally likely. */
static void draw(struct loom_policy *self, uint32_t cta)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    bool taken;

    l->ctas++;
    taken =
        l->ctas == 1 ||
        (config->random && loom_rng_below(loom_policy_rng(self), l->ctas) == 0);
    if (taken) {
        forget_predictor(l);
        l->predictor = cta;
    }
}

static bool is_predictor(const struct loscache *l,
                         const struct loom_event *event)
{
    return l->phase == PHASE_PREDICT && event->kernel != NULL &&
           event->kernel->number == l->kernel && event->cta == l->predictor;
}

static void loscache_watch_sm(struct loom_policy *self,
                              const struct loom_event *event)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    uint64_t bit;

    switch (event->kind) {
    case LOOM_EVENT_KERNEL_START:
        begin(self, event->kernel, event->now);
        break;
    case LOOM_EVENT_KERNEL_END: /* of an SM without CTAs, for example */
        if (event->kernel->number == l->kernel) {
            stats->cut += l->phase == PHASE_PREDICT;
            forget_predictor(l);
            l->phase = PHASE_NONE;
        }
        break;
    case LOOM_EVENT_CTA_START:
        if (l->phase == PHASE_PREDICT && !l->drawn &&
            event->kernel->number == l->kernel) {
            draw(self, event->cta);
        }
        break;
    case LOOM_EVENT_CTA_FINISH:
        if (is_predictor(l, event)) {
            stats->ended_by_predictor++;
            end(self, event->now);
        }
        break;
    default:
        if (is_predictor(l, event)) {
            bit = loom_bit(event->warp / l->schedulers);
            if (event->kind == LOOM_EVENT_WARP_START) {
                l->first[event->scheduler] |= bit;
            } else {
                l->first[event->scheduler] &= ~bit;
            }
        }
        break;
    }
}

static uint64_t loscache_prefer(struct loom_policy *self,
                                const struct loom_throttle_view *view)
{
    const struct loscache_config *config = loom_policy_config(self);
    const struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    uint64_t first = l->first[view->scheduler];

    if (l->phase != PHASE_PREDICT || !config->prioritise) {
        return 0;
    }
    stats->preferred +=
        (view->ready & first) != 0 && (view->ready & ~first) != 0;
    return first;
}

/* ---- the L1 ---- */

/* An instruction of the predictor that is not in the table. */
static void enter(struct loom_policy *self, const struct loom_mem_request *r)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    if (l->count == config->entries) {
        stats->entries_refused++;
        return;
    }
    l->entry[l->count++] = (struct loscache_entry){
        .kernel = l->name, .block = r->block, .inst = r->inst};
}

/* A request that the L2 will get in the prediction phase. */
static void learn(struct loom_policy *self, const struct loom_mem_request *r,
                  bool known)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    if (!l->drawn) {
        l->drawn = true;
        stats->resident_ctas += l->ctas;
    }
    if (r->cta == l->predictor && !known) {
        enter(self, r);
    }
    l->accesses += l->counts_all || r->cta == l->predictor;
    if (config->phase_accesses != 0 && l->accesses >= config->phase_accesses) {
        stats->ended_by_accesses++;
        end(self, loom_policy_now(self));
        ask_more(self);
    }
}

/* `e` has a count. */
static uint16_t predict(struct loom_policy *self,
                        const struct loscache_entry *e)
{
    const struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    uint32_t count;

    count = (uint32_t)e->count + e->threshold;
    count = count < LOSCACHE_COUNT_MAX ? count : LOSCACHE_COUNT_MAX;
    stats->predicted++;
    stats->count_sum += count;
    return (uint16_t)(count << l->count_shift);
}

static uint16_t loscache_mark(struct loom_policy *self,
                              const struct loom_mem_request *r)
{
    const struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    const struct loscache_entry *e = NULL;
    bool in_phase = l->phase == PHASE_PREDICT, counts;

    if (r->kernel != l->kernel || r->kind > LOOM_MEM_ATOMIC ||
        l->phase == PHASE_NONE) {
        return 0;
    }
    if (!in_phase || !l->empties || r->cta == l->predictor) {
        e = find(self, r->inst);
    }
    counts = e != NULL && e->count != 0;
    stats->requests += !in_phase;
    if (in_phase) {
        stats->kept += counts;
        learn(self, r, e != NULL);
    }
    return counts ? predict(self, e) : 0;
}

/* The entry that an answer is for.  It may be of an earlier launch, if the
 * table outlives that: two that wait for the same block want the same. */
static struct loscache_entry *asked_for(struct loom_policy *self,
                                        const struct loom_mem_request *answer)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    if (l->empties && answer->kernel != l->kernel) {
        return NULL;
    }
    stats->searches++;
    for (uint32_t i = 0; i < l->asked; i++) {
        struct loscache_entry *e = &l->entry[i];

        if (e->inst == answer->inst && e->block == answer->block &&
            !e->answered) {
            return e;
        }
    }
    return NULL;
}

static void note_answer(struct loom_policy *self,
                        const struct loom_mem_request *r)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    uint32_t count =
        (uint32_t)r->reply_bits >> l->answer_shift & LOSCACHE_COUNT_MAX;
    struct loscache_entry *e = asked_for(self, r);

    stats->answers++;
    stats->empty_answers += count == 0;
    stats->saturated_answers += count == LOSCACHE_COUNT_MAX;
    if (e != NULL) {
        e->answered = true;
        e->count = (uint8_t)(count == LOSCACHE_COUNT_MAX ? 0
                             : count == 0                ? l->gone
                                                         : count);
    }
}

static void note_reply(struct loom_policy *self,
                       const struct loom_mem_request *r)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    struct loscache_entry *e;

    if (r->kernel != l->kernel || l->phase == PHASE_NONE) {
        return;
    }
    if (l->phase == PHASE_PREDICT && (r->reply_bits >> l->over_bit & 1) != 0) {
        stats->ended_by_l2++;
        end(self, loom_policy_now(self));
    }
    if ((r->reply_bits >> l->early_bit & 1) == 0) {
        return;
    }
    stats->early_replies++;
    e = find(self, r->inst);
    if (e != NULL && e->count != 0 && e->threshold < config->max_threshold) {
        e->threshold++;
        stats->raises++;
    }
}

static void loscache_watch_cache(struct loom_policy *self,
                                 const struct loom_event *event)
{
    if (event->kind == LOOM_EVENT_ANSWER) {
        note_answer(self, event->request);
    } else {
        note_reply(self, event->request);
    }
    ask_more(self);
}

const struct loom_allocation_ops loscache_allocation = {
    .bind = loscache_bind_cache};
const struct loom_throttle_ops loscache_throttle = {.bind = loscache_bind_sm,
                                                    .prefer = loscache_prefer};
const struct loom_mark_ops loscache_marks = {.mark = loscache_mark};
const struct loom_observe_ops loscache_cache = {
    .events = LOOM_EVENT(REPLY) | LOOM_EVENT(ANSWER),
    .observe = loscache_watch_cache,
};
const struct loom_observe_ops loscache_sm = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(KERNEL_END) |
              LOOM_EVENT(CTA_START) | LOOM_EVENT(CTA_FINISH) |
              LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH),
    .observe = loscache_watch_sm,
};

/*
 * loscache: predicts how often the L2's lines are accessed, per load.
 *
 * LoSCache (Tan, Yan, Song and Fu; paper 004), the part at an SM.  A kernel
 * begins with a prediction phase: one CTA of the SM, drawn at random, is the
 * predictor; its warps issue first, and each of its instructions that reaches
 * the L2 enters one block into the prediction table.  After so many accesses
 * to the L2, or when the predictor has finished, the L2 is asked how often the
 * blocks have been accessed.  From then on every request carries what the
 * table says of its instruction, and the L2 gates lines by it (policy
 * loscache_l2).  A reply that says that a line was gated too early raises the
 * prediction of its instruction.
 *
 * Queries are sent while the L1 is at work: if it has nothing more to do,
 * nobody needs the answers.
 */
#include <string.h>

#include "engine/rng.h"

#include "policies/cache_hook.h"
#include "policies/mark_hook.h"
#include "policies/sm_hook.h"

#define ENTRIES 256
#define SCHEDULERS 64
#define COUNT_BITS 6
#define COUNT_MAX ((1u << COUNT_BITS) - 1) /* a saturated counter */
#define QUERY_BYTES 16 /* a packet of control bytes there and one back */

struct loscache_config {
    uint32_t entries, phase_accesses, max_threshold;
    const char *counted, *gone;
    bool random, prioritise;
};

struct loscache_stats {
    uint64_t phases, ended_by_accesses, ended_by_predictor, ended_by_l2, cut;
    uint64_t resident_ctas, phase_cycles, phase_accesses, preferred;
    uint64_t entries_made, entries_refused;
    uint64_t queries, query_bytes, answers, empty_answers, saturated_answers;
    uint64_t requests, predicted, raises, early_replies;
    uint64_t count_sum, searches;
};

enum phase {
    PHASE_NONE, /* no kernel */
    PHASE_PREDICT,
    PHASE_NORMAL
};

struct entry {
    loom_addr block;
    uint32_t inst;
    uint8_t count, threshold; /* count 0: not known, or nothing to go by */
    bool answered;
};

struct loscache {
    const struct loom_cache_host *host;
    struct entry entry[ENTRIES];
    uint64_t first[SCHEDULERS]; /* warps of the predictor */
    loom_cycle since;           /* beginning of the phase */
    uint32_t count, asked;      /* entries in use; asked for so far */
    uint32_t kernel, predictor, ctas, accesses;
    uint32_t schedulers;
    uint32_t count_shift, early_bit, over_bit, answer_shift;
    enum phase phase;
    bool drawn;      /* the draw is over: there is traffic */
    bool counts_all; /* accesses, not the predictor's only */
    uint8_t gone;    /* the count of a block that the L2 does not have */
};

static bool loscache_init(struct loom_policy *self, struct loom_error *err)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);

    l->counts_all = strcmp(config->counted, "sm") == 0;
    l->gone = strcmp(config->gone, "once") == 0;
    return loom_policy_bits(self, LOOM_BITS_REQUEST, "loscache_count",
                            COUNT_BITS, &l->count_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_count", COUNT_BITS,
                            &l->answer_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_early", 1,
                            &l->early_bit, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_over", 1,
                            &l->over_bit, err);
}

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
    LOOM_CHECK(shape->schedulers <= SCHEDULERS);
    l->schedulers = shape->schedulers;
    return true;
}

static struct entry *find(struct loom_policy *self, uint32_t inst)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    stats->searches++;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entry[i].inst == inst) {
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

static void begin(struct loom_policy *self, uint32_t kernel, loom_cycle now)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    stats->cut += l->phase == PHASE_PREDICT;
    stats->phases++;
    forget_predictor(l);
    l->kernel = kernel;
    l->since = now;
    l->count = 0;
    l->asked = 0;
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

    while (l->asked < l->count) {
        const struct entry *e = &l->entry[l->asked];
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
    stats->entries_made += l->count;
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
        begin(self, event->kernel->number, event->now);
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

static void enter(struct loom_policy *self, const struct loom_mem_request *r)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    if (r->cta != l->predictor || find(self, r->inst) != NULL) {
        return;
    }
    if (l->count == config->entries) {
        stats->entries_refused++;
        return;
    }
    l->entry[l->count++] = (struct entry){.block = r->block, .inst = r->inst};
}

/* A request that the L2 will get in the prediction phase. */
static void learn(struct loom_policy *self, const struct loom_mem_request *r)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);

    if (!l->drawn) {
        l->drawn = true;
        stats->resident_ctas += l->ctas;
    }
    enter(self, r);
    l->accesses += l->counts_all || r->cta == l->predictor;
    if (l->accesses >= config->phase_accesses) {
        stats->ended_by_accesses++;
        end(self, loom_policy_now(self));
        ask_more(self);
    }
}

static uint16_t predict(struct loom_policy *self,
                        const struct loom_mem_request *r)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    const struct entry *e = find(self, r->inst);
    uint32_t count;

    stats->requests++;
    if (e == NULL || e->count == 0) {
        return 0;
    }
    count = (uint32_t)e->count + e->threshold;
    count = count < COUNT_MAX ? count : COUNT_MAX;
    stats->predicted++;
    stats->count_sum += count;
    return (uint16_t)(count << l->count_shift);
}

static uint16_t loscache_mark(struct loom_policy *self,
                              const struct loom_mem_request *r)
{
    const struct loscache *l = loom_policy_state(self);

    if (r->kernel != l->kernel || r->kind > LOOM_MEM_ATOMIC ||
        l->phase == PHASE_NONE) {
        return 0;
    }
    if (l->phase == PHASE_PREDICT) {
        learn(self, r);
        return 0;
    }
    return predict(self, r);
}

static void note_answer(struct loom_policy *self,
                        const struct loom_mem_request *r)
{
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    uint32_t count = (uint32_t)r->reply_bits >> l->answer_shift & COUNT_MAX;
    struct entry *e = r->kernel == l->kernel ? find(self, r->inst) : NULL;

    stats->answers++;
    stats->empty_answers += count == 0;
    stats->saturated_answers += count == COUNT_MAX;
    if (e != NULL) {
        e->answered = true;
        e->count = (uint8_t)(count == COUNT_MAX ? 0
                             : count == 0       ? l->gone
                                                : count);
    }
}

static void note_reply(struct loom_policy *self,
                       const struct loom_mem_request *r)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);
    struct loscache_stats *stats = loom_policy_stats(self);
    struct entry *e;

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
    const struct loscache *l = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_ANSWER) {
        note_answer(self, event->request);
    } else {
        note_reply(self, event->request);
    }
    if (l->phase == PHASE_NORMAL) {
        ask_more(self);
    }
}

static bool loscache_check(struct loom_policy *self, struct loom_error *err)
{
    const struct loscache *l = loom_policy_state(self);
    const struct loscache_stats *s = loom_policy_stats(self);
    uint64_t ended =
        s->ended_by_accesses + s->ended_by_predictor + s->ended_by_l2;

    if (s->answers != s->queries || s->predicted > s->requests ||
        ended + s->cut + (l->phase == PHASE_PREDICT) != s->phases) {
        return loom_fail(
            err, LOOM_ERR_LAW,
            "%llu answers to %llu queries, %llu phases of which "
            "%llu ended",
            (unsigned long long)s->answers, (unsigned long long)s->queries,
            (unsigned long long)s->phases, (unsigned long long)ended);
    }
    return true;
}

static const struct loom_allocation_ops loscache_allocation = {
    .bind = loscache_bind_cache};
static const struct loom_throttle_ops loscache_throttle = {
    .bind = loscache_bind_sm, .prefer = loscache_prefer};
static const struct loom_mark_ops loscache_marks = {.mark = loscache_mark};
static const struct loom_observe_ops loscache_cache = {
    .events = LOOM_EVENT(REPLY) | LOOM_EVENT(ANSWER),
    .observe = loscache_watch_cache,
};
static const struct loom_observe_ops loscache_sm = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(KERNEL_END) |
              LOOM_EVENT(CTA_START) | LOOM_EVENT(CTA_FINISH) |
              LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH),
    .observe = loscache_watch_sm,
};

static void loscache_cost(const void *config,
                          const struct loom_cost_shape *shape,
                          struct loom_cost *cost)
{
    const struct loscache_config *k = config;
    uint32_t block = shape->address_bits - loom_bits_for(shape->line_bytes);

    loom_cost_add(cost, "table", k->entries,
                  block + shape->pc_bits + COUNT_BITS,
                  "Block, address of the instruction and access count");
    loom_cost_add(cost, "threshold", k->entries,
                  loom_bits_for((uint64_t)k->max_threshold + 1),
                  "What is added to an entry's count");
}

static const struct loom_param loscache_params[] = {
    LOOM_PARAM(struct loscache_config, entries, .def = {.u = 21},
               .min = {.u = 1}, .max = {.u = ENTRIES},
               .doc = "Entries of the prediction table; instructions that "
                      "come later are not predicted",
               .source = "paper 004, section IV.D"),
    LOOM_PARAM(struct loscache_config, phase_accesses,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 100}, .min = {.u = 1},
               .doc = "Accesses of this SM to the L2 after which the "
                      "prediction phase ends",
               .source = "paper 004, section IV.C"),
    LOOM_PARAM(struct loscache_config, counted, .def = {.s = "sm"},
               .choices = LOOM_CHOICES("sm", "predictor"),
               .doc = "Whose accesses end the phase: all of the SM's, or the "
                      "predictor's"),
    LOOM_PARAM(struct loscache_config, gone, .def = {.s = "none"},
               .choices = LOOM_CHOICES("none", "once"),
               .doc = "What an instruction is predicted whose block the L2 no "
                      "longer has when it is asked: nothing, or one access"),
    LOOM_PARAM(struct loscache_config, max_threshold, .def = {.u = 3},
               .max = {.u = COUNT_MAX},
               .doc = "How much an instruction's prediction is raised at "
                      "most; 0 is the naive prediction",
               .source = "paper 004, section IV.C"),
    LOOM_PARAM(struct loscache_config, random, .def = {.b = true},
               .doc = "The predictor is drawn from the CTAs that are resident "
                      "at the first access to the L2; false: the first one",
               .source = "paper 004, section IV.B"),
    LOOM_PARAM(struct loscache_config, prioritise, .def = {.b = true},
               .doc = "The predictor's warps issue before the others in the "
                      "prediction phase",
               .source = "paper 004, section IV.B"),
};

static const struct loom_stat loscache_stat_table[] = {
    LOOM_COUNTER(struct loscache_stats, phases, LOOM_UNIT_EVENT,
                 "Prediction phases begun, one per kernel"),
    LOOM_COUNTER(struct loscache_stats, ended_by_accesses, LOOM_UNIT_EVENT,
                 "Of these, ended by phase_accesses"),
    LOOM_COUNTER(struct loscache_stats, ended_by_predictor, LOOM_UNIT_EVENT,
                 "Of these, ended as the predictor had finished"),
    LOOM_COUNTER(struct loscache_stats, ended_by_l2, LOOM_UNIT_EVENT,
                 "Of these, ended by a slice of the L2 with phase_accesses"),
    LOOM_COUNTER(struct loscache_stats, cut, LOOM_UNIT_EVENT,
                 "Of these, cut short by the end of the kernel"),
    LOOM_COUNTER(struct loscache_stats, resident_ctas, LOOM_UNIT_CTA,
                 "CTAs that predictors were drawn from"),
    LOOM_COUNTER(struct loscache_stats, phase_cycles, LOOM_UNIT_CYCLE,
                 "Cycles of prediction phases that have ended"),
    LOOM_COUNTER(struct loscache_stats, phase_accesses, LOOM_UNIT_REQUEST,
                 "Accesses to the L2 that were counted in them"),
    LOOM_COUNTER(struct loscache_stats, preferred, LOOM_UNIT_EVENT,
                 "Times a scheduler took the predictor's warp before another"),
    LOOM_COUNTER(struct loscache_stats, entries_made, LOOM_UNIT_EVENT,
                 "Entries of the table at the ends of the phases"),
    LOOM_COUNTER(struct loscache_stats, entries_refused, LOOM_UNIT_REQUEST,
                 "Requests that found the table full"),
    LOOM_COUNTER(struct loscache_stats, queries, LOOM_UNIT_REQUEST,
                 "Questions sent to the L2"),
    LOOM_COUNTER(struct loscache_stats, query_bytes, LOOM_UNIT_BYTE,
                 "Traffic of questions and answers: 8 bytes each"),
    LOOM_COUNTER(struct loscache_stats, answers, LOOM_UNIT_REQUEST,
                 "Answers that have come"),
    LOOM_COUNTER(struct loscache_stats, empty_answers, LOOM_UNIT_REQUEST,
                 "Of these, about a block that the L2 did not have"),
    LOOM_COUNTER(struct loscache_stats, saturated_answers, LOOM_UNIT_REQUEST,
                 "Of these, a counter at its limit, which predicts nothing"),
    LOOM_COUNTER(struct loscache_stats, requests, LOOM_UNIT_REQUEST,
                 "Requests to the L2 after prediction phases"),
    LOOM_COUNTER(struct loscache_stats, predicted, LOOM_UNIT_REQUEST,
                 "Of these, with a prediction"),
    LOOM_COUNTER(struct loscache_stats, count_sum, LOOM_UNIT_REQUEST,
                 "Sum of these predictions"),
    LOOM_RATIO(struct loscache_stats, mean_prediction, count_sum, predicted,
               LOOM_UNIT_RATIO, "Accesses predicted per line, on average"),
    LOOM_COUNTER(struct loscache_stats, searches, LOOM_UNIT_EVENT,
                 "Searches of the prediction table for an instruction"),
    LOOM_COUNTER(struct loscache_stats, early_replies, LOOM_UNIT_REQUEST,
                 "Replies that told of a line gated too early"),
    LOOM_COUNTER(struct loscache_stats, raises, LOOM_UNIT_EVENT,
                 "Predictions raised for that"),
};

/* The addresses of instructions are a CAM, what belongs to them is a RAM. */
static const struct loom_energy loscache_energies[] = {
    {"table_search", "Looking for an instruction in the prediction table",
     "searches", 1.7386e-12,
     "CACTI 7: CAM of 21 x 32 bits, between 16 and 32 entries, 40 nm"},
    {"table_read", "Reading an entry that was found, or one to ask for",
     "predicted + queries", 0.4249e-12, "CACTI 7: RAM of 32 x 32 bits, 40 nm"},
    {"table_write", "Writing an entry, an answer or a threshold",
     "entries_made + answers + raises", 0.5488e-12,
     "CACTI 7: RAM of 32 x 32 bits, 40 nm"},
};

const struct loom_policy_type loscache_policy = {
    .name = "loscache",
    .doc = "Predicts accesses to lines of the L2 from one CTA, for loscache_l2",
    .state_size = sizeof(struct loscache),
    .config_size = sizeof(struct loscache_config),
    .stats_size = sizeof(struct loscache_stats),
    .params = LOOM_SLICE(loscache_params),
    .stats = LOOM_SLICE(loscache_stat_table),
    .energies = LOOM_SLICE(loscache_energies),
    .facets = LOOM_FACETS({&loom_throttle_hook, &loscache_throttle},
                          {&loom_cache_mark_hook, &loscache_marks},
                          {&loom_allocation_hook, &loscache_allocation},
                          {&loom_cache_observe_hook, &loscache_cache},
                          {&loom_sm_observe_hook, &loscache_sm}),
    .init = loscache_init,
    .check = loscache_check,
    .cost = loscache_cost,
};

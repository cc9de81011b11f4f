/*
 * mrpb: a memory request prioritization buffer (Jia et al., HPCA 2014).
 *
 * Two halves, each of which can be switched off.  Reordering: accesses go
 * into FIFO queues by a signature, the warp's number by default, and one
 * queue is drained before the next has its turn, so that accesses of few
 * warps are in the L1 at a time.  Bypass: a load that the L1 refuses, for
 * want of a way in its set by default, goes around it.
 *
 * Accesses with one signature stay in order, so those of a warp do with
 * by = "warp" and "cta".  With `patience` a queue whose head has waited so
 * long has the next turn, whatever its number.
 */
#include <string.h>

#include "policies/ldst_hook.h"
#include "policies/lib/bypass.h"

#define QUEUES 64
#define NONE UINT32_MAX

struct mrpb_config {
    bool reorder, greedy;
    uint32_t queues, depth;
    const char *by, *turn;
    uint64_t patience;
    bool bypass_on_line, bypass_on_mshr, bypass_on_merge;
    bool bypass_on_miss_queue;
    uint32_t fetch_bytes;
    bool merge;
};

struct mrpb_stats {
    uint64_t sent, overtakes, turns, urgent_turns;
    struct loom_histogram run;
    uint64_t bypasses, bypasses_by_reason[LOOM_FAIL_REASONS];
};

enum by {
    BY_WARP,
    BY_CTA,
    BY_INST,
    BY_SCHEDULER
};

enum turn {
    TURN_FIXED,
    TURN_ROUND,
    TURN_LONGEST
};

struct mrpb {
    enum by by;
    enum turn turn;
    uint32_t queues;
    uint32_t current;         /* queue whose turn it is, or NONE */
    uint32_t last;            /* queue that sent last */
    uint64_t run;             /* accesses sent in this turn */
    bool urgent;              /* the turn came out of patience */
    loom_cycle since[QUEUES]; /* its head was first seen; LOOM_NEVER: empty */
    bool bypass[LOOM_FAIL_REASONS];
};

static const char *const bys[] = {"warp", "cta", "inst", "scheduler", NULL};
static const char *const turns[] = {"fixed", "round", "longest", NULL};

static uint32_t choice(const char *const *list, const char *value)
{
    uint32_t i = 0;

    while (list[i + 1] != NULL && strcmp(list[i], value) != 0) {
        i++;
    }
    return i;
}

static bool mrpb_init(struct loom_policy *self, struct loom_error *err)
{
    const struct mrpb_config *config = loom_policy_config(self);
    struct mrpb *m = loom_policy_state(self);

    (void)err;
    m->by = (enum by)choice(bys, config->by);
    m->turn = (enum turn)choice(turns, config->turn);
    m->current = NONE;
    for (uint32_t i = 0; i < QUEUES; i++) {
        m->since[i] = LOOM_NEVER;
    }
    m->bypass[LOOM_FAIL_LINE] = config->bypass_on_line;
    m->bypass[LOOM_FAIL_MSHR] = config->bypass_on_mshr;
    m->bypass[LOOM_FAIL_MERGE] = config->bypass_on_merge;
    m->bypass[LOOM_FAIL_MISS_QUEUE] = config->bypass_on_miss_queue;
    return true;
}

/* ---- the queues ---- */

static bool mrpb_bind(struct loom_policy *self,
                      const struct loom_ldst_shape *shape, uint32_t *queues,
                      uint32_t *depth, struct loom_error *err)
{
    const struct mrpb_config *config = loom_policy_config(self);
    struct mrpb *m = loom_policy_state(self);

    (void)shape;
    (void)err;
    *queues = config->reorder ? config->queues : 1;
    *depth = config->reorder ? config->depth : 1;
    m->queues = *queues;
    return true;
}

static uint32_t mrpb_queue_of(struct loom_policy *self,
                              const struct loom_mem_request *request)
{
    const struct mrpb *m = loom_policy_state(self);

    switch (m->by) {
    case BY_CTA:
        return request->cta % m->queues;
    case BY_INST:
        return request->inst % m->queues;
    case BY_SCHEDULER:
        return request->scheduler % m->queues;
    case BY_WARP:
        break;
    }
    return request->warp % m->queues;
}

/* A queue whose head has waited too long, the longest first. */
static uint32_t impatient(struct loom_policy *self, loom_cycle now)
{
    const struct mrpb_config *config = loom_policy_config(self);
    const struct mrpb *m = loom_policy_state(self);
    uint32_t found = NONE;

    if (config->patience == 0) {
        return NONE;
    }
    for (uint32_t i = 0; i < m->queues; i++) {
        if (m->since[i] != LOOM_NEVER &&
            now - m->since[i] >= config->patience &&
            (found == NONE || m->since[i] < m->since[found])) {
            found = i;
        }
    }
    return found;
}

/* Whose turn is next; some queue is not empty. */
static uint32_t next_turn(const struct mrpb *m,
                          const struct loom_queue_view *queue)
{
    uint32_t at = m->turn == TURN_ROUND ? (m->last + 1) % m->queues : 0;
    uint32_t best = NONE;

    for (uint32_t i = 0; i < m->queues; i++) {
        if (queue[at].length != 0 &&
            (best == NONE || (m->turn == TURN_LONGEST &&
                              queue[at].length > queue[best].length))) {
            best = at;
        }
        at = at + 1 == m->queues ? 0 : at + 1;
    }
    return best;
}

static void note_heads(struct mrpb *m, const struct loom_queue_view *queue,
                       loom_cycle now)
{
    for (uint32_t i = 0; i < m->queues; i++) {
        if (queue[i].length == 0) {
            m->since[i] = LOOM_NEVER;
        } else if (m->since[i] == LOOM_NEVER) {
            m->since[i] = now;
        }
    }
}

static void count_overtakes(struct loom_policy *self,
                            const struct loom_queue_view *queue,
                            uint32_t chosen)
{
    const struct mrpb *m = loom_policy_state(self);
    struct mrpb_stats *stats = loom_policy_stats(self);

    for (uint32_t i = 0; i < m->queues; i++) {
        if (queue[i].length != 0 &&
            queue[i].head->born < queue[chosen].head->born) {
            stats->overtakes++;
            return;
        }
    }
}

/* Asked once for each access that is sent. */
static uint32_t mrpb_next(struct loom_policy *self,
                          const struct loom_queue_view *queue, uint32_t queues,
                          loom_cycle now)
{
    const struct mrpb_config *config = loom_policy_config(self);
    struct mrpb *m = loom_policy_state(self);
    struct mrpb_stats *stats = loom_policy_stats(self);
    uint32_t urgent, chosen;

    if (queues == 1) {
        return 0;
    }
    note_heads(m, queue, now);
    urgent = impatient(self, now);
    if (urgent != NONE) {
        chosen = urgent;
    } else if (config->greedy && m->current != NONE &&
               queue[m->current].length != 0) {
        chosen = m->current;
    } else {
        chosen = next_turn(m, queue);
    }
    stats->urgent_turns += urgent != NONE && chosen != m->current;
    m->current = chosen;
    count_overtakes(self, queue, chosen);
    return chosen;
}

static void mrpb_sent(struct loom_policy *self, uint32_t queue,
                      const struct loom_mem_request *request)
{
    struct mrpb *m = loom_policy_state(self);
    struct mrpb_stats *stats = loom_policy_stats(self);

    (void)request;
    if (stats->sent == 0 || queue != m->last) {
        if (m->run != 0) {
            loom_histogram_add(&stats->run, m->run);
        }
        stats->turns++;
        m->run = 0;
        m->last = queue;
    }
    m->run++;
    stats->sent++;
    m->since[queue] = LOOM_NEVER; /* the next head's time starts anew */
}

/* ---- the way around ---- */

static enum loom_on_fail mrpb_fail(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   enum loom_fail_reason reason,
                                   struct loom_bypass *bypass)
{
    const struct mrpb_config *config = loom_policy_config(self);
    const struct mrpb *m = loom_policy_state(self);
    struct mrpb_stats *stats = loom_policy_stats(self);

    if (!loom_bypass_load(request) || reason >= LOOM_FAIL_REASONS ||
        !m->bypass[reason]) {
        return LOOM_FAIL_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    stats->bypasses_by_reason[reason]++;
    return LOOM_FAIL_BYPASS;
}

static bool mrpb_check(struct loom_policy *self, struct loom_error *err)
{
    const struct mrpb *m = loom_policy_state(self);
    const struct mrpb_stats *s = loom_policy_stats(self);
    uint64_t reasons = 0;

    for (uint32_t i = 0; i < LOOM_FAIL_REASONS; i++) {
        reasons += s->bypasses_by_reason[i];
    }
    if (reasons != s->bypasses || s->run.sum + m->run != s->sent ||
        s->overtakes > s->sent) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "bypasses %llu are %llu by reason, or turns have "
                         "not sent %llu accesses",
                         (unsigned long long)s->bypasses,
                         (unsigned long long)reasons,
                         (unsigned long long)s->sent);
    }
    return true;
}

static const struct loom_order_ops mrpb_order = {
    .bind = mrpb_bind,
    .queue_of = mrpb_queue_of,
    .next = mrpb_next,
    .sent = mrpb_sent,
};
static const struct loom_allocation_ops mrpb_allocation = {.fail = mrpb_fail};

static void mrpb_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct mrpb_config *k = config;

    if (k->reorder) {
        loom_cost_add(cost, "queues", (uint64_t)k->queues * k->depth,
                      shape->address_bits + loom_bits_for(shape->warps) + 32,
                      "Address, warp and lanes of an access that waits");
        loom_cost_add(cost, "turn", 1, loom_bits_for(k->queues),
                      "Queue that is drained");
    }
    if (k->reorder && k->patience != 0) {
        loom_cost_add(cost, "patience", k->queues,
                      loom_bits_for(k->patience + 1),
                      "Cycles that a head has waited");
    }
}

static const struct loom_param mrpb_params[] = {
    LOOM_PARAM(struct mrpb_config, reorder, .def = {.b = true},
               .doc = "Accesses go through the queues; without, through one "
                      "of one place, as without mrpb"),
    LOOM_PARAM(struct mrpb_config, queues, .def = {.u = 8}, .min = {.u = 1},
               .max = {.u = QUEUES}, .doc = "Queues"),
    LOOM_PARAM(struct mrpb_config, depth, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Accesses that a queue holds"),
    LOOM_PARAM(struct mrpb_config, by, .def = {.s = "warp"}, .choices = bys,
               .doc = "What chooses an access's queue",
               .source = "MRPB, HPCA 2014 (from memory: the warp's number is "
                         "best)"),
    LOOM_PARAM(struct mrpb_config, turn, .def = {.s = "fixed"},
               .choices = turns,
               .doc = "Which queue's turn is next: the lowest that is not "
                      "empty, the next one round, or the longest"),
    LOOM_PARAM(struct mrpb_config, greedy, .def = {.b = true},
               .doc = "A queue has its turn until it is empty"),
    LOOM_PARAM(struct mrpb_config, patience, .unit = LOOM_UNIT_CYCLE,
               .doc = "A head that has waited so long goes next; 0: never"),
    LOOM_PARAM(struct mrpb_config, bypass_on_line, .def = {.b = true},
               .doc = "A load goes around if every way of its set is reserved",
               .source = "MRPB, HPCA 2014: bypass on associativity stalls"),
    LOOM_PARAM(struct mrpb_config, bypass_on_mshr, .def = {.b = false},
               .doc = "A load goes around if no MSHR is free"),
    LOOM_PARAM(struct mrpb_config, bypass_on_merge, .def = {.b = false},
               .doc = "A load goes around if its MSHR takes no more"),
    LOOM_PARAM(struct mrpb_config, bypass_on_miss_queue, .def = {.b = false},
               .doc = "A load goes around if the miss queue is full; it then "
                      "waits for the same queue, but holds nothing else"),
    LOOM_BYPASS_PARAMS(struct mrpb_config),
};

static const char *const reasons[] = {"line", "mshr", "merge", "miss_queue",
                                      "candidates"};

static const struct loom_stat mrpb_stat_table[] = {
    LOOM_COUNTER(struct mrpb_stats, sent, LOOM_UNIT_REQUEST,
                 "Accesses that left the queues"),
    LOOM_COUNTER(struct mrpb_stats, overtakes, LOOM_UNIT_REQUEST,
                 "Of these, sent while the head of another queue was older"),
    LOOM_COUNTER(struct mrpb_stats, turns, LOOM_UNIT_EVENT, "Turns of queues"),
    LOOM_COUNTER(struct mrpb_stats, urgent_turns, LOOM_UNIT_EVENT,
                 "Of these, out of patience"),
    LOOM_HISTOGRAM(struct mrpb_stats, run, LOOM_UNIT_REQUEST,
                   "Accesses sent in a turn that has ended"),
    LOOM_COUNTER(struct mrpb_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Loads that were refused and sent around"),
    LOOM_VECTOR(struct mrpb_stats, bypasses_by_reason, "reason", reasons,
                LOOM_UNIT_REQUEST, "The same by what refused them"),
};

const struct loom_policy_type mrpb_policy = {
    .name = "mrpb",
    .doc = "Accesses queue by warp; loads that the L1 refuses go around it",
    .state_size = sizeof(struct mrpb),
    .config_size = sizeof(struct mrpb_config),
    .stats_size = sizeof(struct mrpb_stats),
    .params = LOOM_SLICE(mrpb_params),
    .stats = LOOM_SLICE(mrpb_stat_table),
    .facets = LOOM_FACETS({&loom_allocation_hook, &mrpb_allocation},
                          {&loom_order_hook, &mrpb_order}),
    .init = mrpb_init,
    .check = mrpb_check,
    .cost = mrpb_cost,
};

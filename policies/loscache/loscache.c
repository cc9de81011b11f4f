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
 * There is one table for all kernels, whose instructions have different
 * addresses: what it has learnt of a kernel is there when that is launched
 * again, and further instructions are added to it then (`reset`).
 *
 * Queries are sent while the L1 is at work: if it has nothing more to do,
 * nobody needs the answers.
 */
#include <string.h>

#include "policies/loscache/loscache_private.h"

static bool loscache_init(struct loom_policy *self, struct loom_error *err)
{
    const struct loscache_config *config = loom_policy_config(self);
    struct loscache *l = loom_policy_state(self);

    l->counts_all = strcmp(config->counted, "sm") == 0;
    l->empties = strcmp(config->reset, "launch") == 0;
    l->gone = strcmp(config->gone, "once") == 0;
    return loom_policy_bits(self, LOOM_BITS_REQUEST, "loscache_count",
                            LOSCACHE_COUNT_BITS, &l->count_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_count",
                            LOSCACHE_COUNT_BITS, &l->answer_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_early", 1,
                            &l->early_bit, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_over", 1,
                            &l->over_bit, err);
}

static bool loscache_check(struct loom_policy *self, struct loom_error *err)
{
    const struct loscache *l = loom_policy_state(self);
    const struct loscache_stats *s = loom_policy_stats(self);
    uint64_t ended =
        s->ended_by_accesses + s->ended_by_predictor + s->ended_by_l2;

    if (s->answers != s->queries || s->predicted > s->requests + s->kept ||
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

static void loscache_cost(const void *config,
                          const struct loom_cost_shape *shape,
                          struct loom_cost *cost)
{
    const struct loscache_config *k = config;
    uint32_t block = shape->address_bits - loom_bits_for(shape->line_bytes);

    loom_cost_add(cost, "table", k->entries,
                  block + shape->pc_bits + LOSCACHE_COUNT_BITS,
                  "Block, address of the instruction and access count");
    loom_cost_add(cost, "threshold", k->entries,
                  loom_bits_for((uint64_t)k->max_threshold + 1),
                  "What is added to an entry's count");
}

static const struct loom_param loscache_params[] = {
    LOOM_PARAM(struct loscache_config, entries, .def = {.u = 21},
               .min = {.u = 1}, .max = {.u = LOSCACHE_ENTRIES},
               .doc = "Entries of the prediction table; instructions that "
                      "come later are not predicted",
               .source = "paper 004, section IV.D"),
    LOOM_PARAM(struct loscache_config, phase_accesses,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 100},
               .doc = "Accesses to the L2 after which the prediction phase "
                      "ends; 0: it ends with the predictor only",
               .source = "paper 004, section IV.C"),
    LOOM_PARAM(struct loscache_config, counted, .def = {.s = "predictor"},
               .choices = LOOM_CHOICES("sm", "predictor"),
               .doc = "Whose accesses end the phase: all of the SM's, or the "
                      "predictor's",
               .source = "not given in paper 004: the predictor's fill its "
                         "tables as it says (section IV.D)"),
    LOOM_PARAM(struct loscache_config, reset, .def = {.s = "never"},
               .choices = LOOM_CHOICES("never", "launch"),
               .doc = "When the table is emptied: never, so that it holds the "
                      "instructions of all kernels, and of a kernel that is "
                      "launched again what it has is predicted from the first "
                      "request on; or at each launch",
               .source = "paper 004, section IV.D: one table of 21 entries "
                         "with addresses of 32 bits, enough for any program"),
    LOOM_PARAM(struct loscache_config, gone, .def = {.s = "none"},
               .choices = LOOM_CHOICES("none", "once"),
               .doc = "What an instruction is predicted whose block the L2 no "
                      "longer has when it is asked: nothing, or one access"),
    LOOM_PARAM(struct loscache_config, max_threshold, .def = {.u = 3},
               .max = {.u = LOSCACHE_COUNT_MAX},
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
                 "Prediction phases begun, one per launch"),
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
                 "Entries that phases have made"),
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
    LOOM_COUNTER(struct loscache_stats, kept, LOOM_UNIT_REQUEST,
                 "Requests in prediction phases that an earlier launch lets "
                 "predict"),
    LOOM_COUNTER(struct loscache_stats, predicted, LOOM_UNIT_REQUEST,
                 "Of both, with a prediction"),
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
    .joins = true,
    .cost = loscache_cost,
};

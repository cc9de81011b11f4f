/*
 * Lost-locality scores.
 *
 * Every warp that is there has a score of at least the base.  Their sum may
 * not be more than the cut-off, base times warps: warps in order of their
 * scores may load up to and including the one that reaches it.  So a warp
 * that loses locality pushes others, with the lowest scores, over the edge.
 *
 * An event sets the warp's score to
 *
 *     hits in tags / instructions issued * factor * cut-off
 *
 * of the warps that are there.  Scores decay in every cycle.  While nothing
 * happens all above the base fall alike, so their order stays, and the next
 * cycle in which somebody else may load follows from the sums: the SM may
 * sleep until then.
 */
#include "policies/ccws/ccws_private.h"

static uint64_t cut_off(struct loom_policy *self)
{
    const struct ccws_config *config = loom_policy_config(self);
    const struct ccws *ccws = loom_policy_state(self);

    return (uint64_t)ccws->present * config->base_score;
}

void ccws_raise(struct loom_policy *self, uint32_t warp)
{
    const struct ccws_config *config = loom_policy_config(self);
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    struct ccws_warp *w = &ccws->warp[warp];
    uint64_t insts = ccws->insts != 0 ? ccws->insts : 1;
    uint64_t score;

    w->hits++;
    ccws->hits++;
    score = ccws->hits * config->factor * cut_off(self) / insts;
    w->score = score > config->base_score ? score : config->base_score;
    stats->events++;
    loom_histogram_add(&stats->scores, w->score);
}

/* The warps that are there, highest score first, then lowest slot. */
static uint32_t sort(const struct ccws *ccws, uint16_t *slot)
{
    uint32_t count = 0;

    for (uint32_t w = 0; count < ccws->present; w++) {
        uint32_t i = count;

        if (!ccws->warp[w].present) {
            continue;
        }
        for (; i > 0 && ccws->warp[slot[i - 1]].score < ccws->warp[w].score;
             i--) {
            slot[i] = slot[i - 1];
        }
        slot[i] = (uint16_t)w;
        count++;
    }
    return count;
}

/* Cycles until the next change: one of those within, whose sum is `sum`, is
 * no longer enough, or somebody falls to the base and may change places. */
static loom_cycle next_change(struct loom_policy *self, const uint16_t *slot,
                              uint32_t within, uint64_t sum)
{
    const struct ccws_config *config = loom_policy_config(self);
    const struct ccws *ccws = loom_policy_state(self);
    uint64_t soonest = LOOM_NEVER, falling = 0;

    for (uint32_t i = 0; i < ccws->present; i++) {
        uint64_t above = ccws->warp[slot[i]].score - config->base_score;
        uint64_t left = (above + config->decay - 1) / config->decay;

        if (above != 0) {
            soonest = left < soonest ? left : soonest;
            falling += i < within;
        }
    }
    if (falling != 0 && within < ccws->present) {
        uint64_t left = (sum - cut_off(self)) / (falling * config->decay) + 1;

        soonest = left < soonest ? left : soonest;
    }
    return soonest;
}

void ccws_rank(struct loom_policy *self)
{
    struct ccws *ccws = loom_policy_state(self);
    uint16_t slot[LOOM_WARP_SLOTS];
    uint32_t count = sort(ccws, slot);
    uint64_t limit = cut_off(self), sum = 0;
    uint32_t within = 0;
    loom_cycle left;

    for (uint32_t s = 0; s < LOOM_SM_SCHEDULERS; s++) {
        ccws->allowed[s] = 0;
    }
    while (within < count && sum < limit) {
        uint32_t w = slot[within++];

        sum += ccws->warp[w].score;
        ccws->allowed[w % ccws->schedulers] |= loom_bit(w / ccws->schedulers);
    }
    ccws->excluded = count - within;
    left = next_change(self, slot, within, sum);
    ccws->until = left == LOOM_NEVER ? LOOM_NEVER : ccws->at + left;
}

/* `cycles` in which the masks do not change. */
static void pass(struct loom_policy *self, uint64_t cycles)
{
    const struct ccws_config *config = loom_policy_config(self);
    struct ccws_stats *stats = loom_policy_stats(self);
    struct ccws *ccws = loom_policy_state(self);
    uint64_t fall = cycles * config->decay;
    uint64_t sum = 0;

    for (uint32_t w = 0, found = 0; found < ccws->present; w++) {
        struct ccws_warp *warp = &ccws->warp[w];
        uint64_t above = warp->score - config->base_score;

        if (warp->present) {
            found++;
            warp->score -= above < fall ? above : fall;
            sum += warp->score;
        }
    }
    ccws->at += cycles;
    stats->limited_cycles += ccws->excluded != 0 ? cycles : 0;
    stats->limited_warp_cycles += ccws->excluded * cycles;
    stats->limited = ccws->excluded;
    stats->score_sum = sum;
}

void ccws_advance(struct loom_policy *self, loom_cycle now)
{
    struct ccws *ccws = loom_policy_state(self);

    while (ccws->until <= now) {
        pass(self, ccws->until - ccws->at);
        ccws_rank(self);
    }
    if (now > ccws->at) {
        pass(self, now - ccws->at);
    }
}

/*
 * Launches that are alike: some are timed, others are passed over as a whole
 * and put at the rates of those before and after them.
 */
#include <string.h>

#include "stats/estimate_private.h"

void loom_estimate_launch(struct loom_estimate *e, uint32_t group)
{
    struct loom_estimate_series *s = e->series[group];

    loom_estimate_read(e);
    for (size_t q = 0; q < e->count; q++) {
        s->begin[q] = e->now[q] + e->correction[q];
    }
    s->begun = loom_estimate_read_work(e).of[LOOM_BASE_INSTS];
}

/* The variance of what was passed over between two launches: as that of windows
 * (estimate.c). */
static double weight_of(double gap, double work, double compared)
{
    return gap > 0 ? loom_estimate_widening(compared) * gap * (gap + work) / 2
                   : 0;
}

static void take_apart(struct loom_estimate *e, struct loom_estimate_series *s,
                       double weight)
{
    for (size_t q = 0; q < e->count; q++) {
        double square = e->scratch[q] * e->scratch[q];

        s->squares[q] += square;
        e->variance[q] += weight * square;
        e->correction[q] += s->gap * e->scratch[q] / 2;
    }
    for (size_t i = 0; i < e->pairs; i++) {
        const struct loom_estimate_pair *pair = &e->pair[i];
        double both = e->scratch[pair->top] * e->scratch[pair->bottom];

        s->squares[pair->of] += both;
        e->variance[pair->of] += weight * both;
    }
}

double loom_estimate_launched(struct loom_estimate *e, uint32_t group)
{
    struct loom_estimate_series *s = e->series[group];
    size_t time = e->count - 1;
    double work;

    loom_estimate_read(e);
    work = loom_estimate_read_work(e).of[LOOM_BASE_INSTS] - s->begun;
    if (!(work > 0)) {
        return 0;
    }
    for (size_t q = 0; q < e->count; q++) {
        double change = e->now[q] + e->correction[q] - s->begin[q];

        e->scratch[q] =
            e->exact[q] || s->work == 0 ? 0 : change / work - s->change[q];
        s->change[q] = change / work;
    }
    if (s->work > 0) {
        loom_estimate_differ(&s->spread, s->change[time] - e->scratch[time],
                             s->change[time]);
        s->compared++;
        take_apart(e, s, weight_of(s->gap, work, s->compared));
    }
    s->work = work;
    s->gap = 0;
    return loom_estimate_late(e);
}

void loom_estimate_pass(struct loom_estimate *e)
{
    loom_estimate_read(e);
    memcpy(e->left, e->now, e->count * sizeof(*e->left));
    e->at_left = loom_estimate_read_work(e);
}

double loom_estimate_passed(struct loom_estimate *e, uint32_t group, double off)
{
    struct loom_estimate_series *s = e->series[group];
    double gap;

    loom_estimate_read(e);
    gap = loom_estimate_read_work(e).of[LOOM_BASE_INSTS] -
          e->at_left.of[LOOM_BASE_INSTS];
    for (size_t q = 0; q < e->count; q++) {
        double filled = gap * s->change[q], wrong = off * filled;

        if (!e->exact[q]) {
            e->correction[q] += filled - (e->now[q] - e->left[q]);
            /* They are all wrong in the same way. */
            e->variance[q] += wrong * (2 * s->wrong[q] + wrong);
            s->wrong[q] += wrong;
        }
    }
    s->gap += gap;
    e->out += gap;
    return loom_estimate_late(e);
}

double loom_estimate_launch_spread(const struct loom_estimate *e,
                                   uint32_t group)
{
    return loom_estimate_deviation(&e->series[group]->spread);
}

void loom_estimate_end(struct loom_estimate *e)
{
    for (uint32_t i = 0; i < e->groups; i++) {
        struct loom_estimate_series *s = e->series[i];
        double weight = weight_of(s->gap, s->work, s->compared);

        for (size_t q = 0; q < e->count && s->compared > 0; q++) {
            /* The rates of those before only. */
            e->variance[q] += 2 * weight * s->squares[q] / s->compared;
        }
        s->gap = 0;
    }
}

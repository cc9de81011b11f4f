/*
 * Windows: what was left out is put at the rates of its neighbours.
 */
#include <string.h>

#include "stats/estimate_private.h"

/* Of what windows say of how much they differ, the next one keeps as much. */
static const double KEPT = 15.0 / 16;

static struct loom_estimate_work between(struct loom_estimate_work from,
                                         struct loom_estimate_work to)
{
    for (enum loom_estimate_base b = 0; b < LOOM_BASES; b++) {
        to.of[b] -= from.of[b];
    }
    return to;
}

static void copy(double *to, const double *from, size_t count)
{
    memcpy(to, from, count * sizeof(*to));
}

void loom_estimate_open(struct loom_estimate *e)
{
    loom_estimate_read(e);
    copy(e->begin, e->now, e->count);
    e->begun = loom_estimate_read_work(e);
    e->is_open = true;
}

/* What was left out takes the place of what counters did meanwhile. */
static void fill_in(struct loom_estimate *e, size_t q, double gap, double rate)
{
    if (!e->exact[q]) {
        e->correction[q] += gap * rate - (e->begin[q] - e->left[q]);
        e->wrong[q] += e->off * gap * rate;
    }
}

double loom_estimate_late(struct loom_estimate *e)
{
    size_t q = e->count - 1;
    double by = e->correction[q] + e->carry;

    e->correction[q] = 0; /* the clock will show it */
    e->carry = by < 0 ? by : 0;
    return by < 0 ? 0 : by;
}

double loom_estimate_widening(double differences)
{
    /* Student's t, to 3 %. */
    double ratio =
        1 + 1.3 / differences + 4.2 / (differences * differences * differences);

    return ratio * ratio;
}

void loom_estimate_differ(struct loom_estimate_spread *spread, double former,
                          double latter)
{
    double sum = former + latter;
    double apart = sum > 0 ? 2 * (latter - former) / sum : 0;

    spread->squares = spread->squares * KEPT + apart * apart;
    spread->count = spread->count * KEPT + 1;
}

double loom_estimate_deviation(const struct loom_estimate_spread *spread)
{
    double count = spread->count;

    return count == 0 ? LOOM_NAN
                      : __builtin_sqrt(loom_estimate_widening(count) *
                                       spread->squares / (2 * count));
}

/* Two windows that follow each other, the second with these changes: how their
 * rates differ. */
static void compare(struct loom_estimate *e, enum loom_estimate_base base,
                    double work, double gap)
{
    double weight = (gap * gap + gap * work) / 2;
    double former = 1.0 / e->work.of[base], latter = 1.0 / work;
    double *squares = e->squares[base], *local = e->local[base];
    size_t time = e->count - 1;

    loom_estimate_differ(&e->spread[base], e->change[time] * former,
                         (e->now[time] - e->begin[time]) * latter);
    for (size_t q = 0; q < e->count; q++) {
        e->scratch[q] = e->exact[q] ? 0
                                    : (e->now[q] - e->begin[q]) * latter -
                                          e->change[q] * former;
        squares[q] += e->scratch[q] * e->scratch[q];
        local[q] += weight * e->scratch[q] * e->scratch[q];
    }
    for (size_t i = 0; i < e->pairs; i++) {
        const struct loom_estimate_pair *pair = &e->pair[i];

        double both = e->scratch[pair->top] * e->scratch[pair->bottom];

        squares[pair->of] += both;
        local[pair->of] += weight * both;
    }
}

static bool has_work(struct loom_estimate_work work,
                     enum loom_estimate_base base)
{
    return work.of[base] > 0;
}

/* The base by which the quantities from `first` on differ less, in all. */
static enum loom_estimate_base steadier(const struct loom_estimate *e,
                                        size_t first, size_t count,
                                        struct loom_estimate_work work)
{
    double apart[LOOM_BASES] = {0, 0};

    if (!has_work(work, LOOM_BASE_ACCESSES) ||
        e->compared.of[LOOM_BASE_ACCESSES] < e->compared.of[LOOM_BASE_INSTS]) {
        return LOOM_BASE_INSTS; /* some windows had none */
    }
    for (size_t q = first; q < first + count; q++) {
        double change = e->change[q];

        for (enum loom_estimate_base b = 0; b < LOOM_BASES && change > 0; b++) {
            apart[b] += e->squares[b][q] * e->work.of[b] * e->work.of[b] /
                        (change * change);
        }
    }
    return apart[LOOM_BASE_ACCESSES] < apart[LOOM_BASE_INSTS]
               ? LOOM_BASE_ACCESSES
               : LOOM_BASE_INSTS;
}

/* What the rates of a class's quantities, and that of time, are per. */
static void choose_bases(struct loom_estimate *e,
                         struct loom_estimate_work work)
{
    for (uint32_t i = 0; i < e->catalog->count; i++) {
        struct loom_estimate_group *group = &e->group[i];

        group->base =
            steadier(e, group->first + group->class->count * group->width,
                     group->width, work);
    }
    e->time_base = steadier(e, e->count - 1, 1, work);
}

static enum loom_estimate_base base_of(const struct loom_estimate *e,
                                       uint32_t group)
{
    return group < e->catalog->count ? e->group[group].base : e->time_base;
}

/* The quantities of a group; after the last one comes that of time. */
static size_t end_of(const struct loom_estimate *e, uint32_t group)
{
    return group + 1 < e->catalog->count ? e->group[group + 1].first
           : group < e->catalog->count   ? e->count - 1
                                         : e->count;
}

/* Puts what was left out at the rates of the windows on both sides. */
static void fill_between(struct loom_estimate *e, struct loom_estimate_work gap,
                         struct loom_estimate_work work)
{
    size_t q = 0;

    for (uint32_t i = 0; i <= e->catalog->count; i++) {
        enum loom_estimate_base b = base_of(e, i);
        double both = e->work.of[b] + work.of[b];

        for (size_t end = end_of(e, i); q < end; q++) {
            double change = e->now[q] - e->begin[q];

            fill_in(e, q, gap.of[b], (e->change[q] + change) / both);
        }
    }
}

struct loom_estimate_window loom_estimate_close(struct loom_estimate *e)
{
    struct loom_estimate_window window = {0};
    struct loom_estimate_work work, gap = {{0, 0}};

    loom_estimate_read(e);
    e->is_open = false;
    work = between(e->begun, loom_estimate_read_work(e));
    window.insts = (uint64_t)work.of[LOOM_BASE_INSTS];
    window.time = (loom_time)(e->now[e->count - 1] - e->begin[e->count - 1]);
    if (window.insts == 0) {
        return window;
    }
    if (e->has_left) {
        gap = between(e->at_left, e->begun);
        e->gaps++;
    }
    if (has_work(e->work, LOOM_BASE_INSTS)) {
        for (enum loom_estimate_base b = 0; b < LOOM_BASES; b++) {
            if (has_work(e->work, b) && has_work(work, b)) {
                compare(e, b, work.of[b], gap.of[b]);
                e->compared.of[b]++;
            }
        }
        choose_bases(e, work);
    }
    if (e->has_left) {
        fill_between(e, gap, work);
        window.late = loom_estimate_late(e);
        e->has_left = false;
        e->gap = gap;
        e->out += gap.of[LOOM_BASE_INSTS];
    }
    for (size_t q = 0; q < e->count; q++) {
        e->change[q] = e->now[q] - e->begin[q];
    }
    e->work = work;
    return window;
}

void loom_estimate_leave(struct loom_estimate *e, double off)
{
    LOOM_CHECK(!e->has_left);
    loom_estimate_read(e);
    copy(e->left, e->now, e->count);
    e->at_left = loom_estimate_read_work(e);
    e->has_left = true;
    e->off = off;
}

/* Nothing came after what was left out that counts: it is put at the rates of
 * the window before it. */
static double fill_last(struct loom_estimate *e)
{
    struct loom_estimate_work gap;
    size_t q = 0;

    if (!e->is_open) {
        loom_estimate_open(e);
    }
    gap = between(e->at_left, e->begun);
    e->gaps++;
    e->out += gap.of[LOOM_BASE_INSTS];
    if (!has_work(e->work, LOOM_BASE_INSTS)) {
        return 0; /* nor before it */
    }
    for (uint32_t i = 0; i <= e->catalog->count; i++) {
        enum loom_estimate_base b = base_of(e, i);
        double g = gap.of[b], n = e->compared.of[b];
        double weight =
            n > 0 ? g * (g + e->gap.of[b] + e->work.of[b]) / (2 * n) : 0;

        for (size_t end = end_of(e, i); q < end; q++) {
            fill_in(e, q, g, e->change[q] / e->work.of[b]);
            e->local[b][q] += weight * e->squares[b][q];
        }
    }
    return loom_estimate_late(e);
}

double loom_estimate_finish(struct loom_estimate *e)
{
    double by = e->has_left ? fill_last(e) : 0;
    double compared = e->compared.of[LOOM_BASE_INSTS];
    size_t q = 0;

    e->blind = e->blind || (e->gaps > 0 && compared == 0);
    for (uint32_t i = 0; e->gaps > 0 && i <= e->catalog->count; i++) {
        const double *local = e->local[base_of(e, i)];

        for (size_t end = end_of(e, i); q < end; q++) {
            e->variance[q] += loom_estimate_widening(e->gaps) * local[q] +
                              e->wrong[q] * e->wrong[q];
            e->wrong[q] = 0;
        }
    }
    for (enum loom_estimate_base b = 0; b < LOOM_BASES; b++) {
        memset(e->squares[b], 0, e->count * sizeof(*e->squares[b]));
        memset(e->local[b], 0, e->count * sizeof(*e->local[b]));
        e->gap.of[b] = e->work.of[b] = e->compared.of[b] = 0;
        e->spread[b] = (struct loom_estimate_spread){0, 0};
    }
    for (uint32_t i = 0; i < e->catalog->count; i++) {
        e->group[i].base = LOOM_BASE_INSTS;
    }
    e->time_base = LOOM_BASE_INSTS;
    e->gaps = 0;
    e->has_left = e->is_open = false;
    return by;
}

double loom_estimate_spread(const struct loom_estimate *e,
                            uint64_t *differences)
{
    enum loom_estimate_base b = e->time_base;

    *differences = (uint64_t)e->compared.of[b];
    return loom_estimate_deviation(&e->spread[b]);
}

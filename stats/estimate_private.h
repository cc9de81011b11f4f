/*
 * The inside of estimates.  Which files do what, from the top down:
 *
 *     estimate_show.c    what catalogues show, and errors
 *     estimate_launch.c  launches that are passed over
 *     estimate.c         windows, and what is put between them
 *     estimate_read.c    all quantities as they are
 *     estimate_layout.c  what quantities there are
 */
#ifndef STATS_ESTIMATE_PRIVATE_H
#define STATS_ESTIMATE_PRIVATE_H

#include "stats/estimate.h"

/* What rates are per: counts that are known of what was left out, too. */
enum loom_estimate_base {
    LOOM_BASE_INSTS,    /* warp instructions */
    LOOM_BASE_ACCESSES, /* loads, stores and atomics among them */
    LOOM_BASES
};

/* The catalogue is the estimates' own: its blocks are the machine's.
 *
 * Every number of every instance is a quantity, and so is its sum over the
 * instances of a class: a row more.  A statistic has as many in a row as it is
 * wide; a ratio one, whose `squares` and `variance` are those of its two
 * inputs together.  Simulated time is the last. */
struct loom_estimate_group {
    const struct loom_class *class;
    size_t first, width; /* of the first row; of a row */
    size_t *at;          /* [stats] in a row */
    enum loom_estimate_base
        base;      /* what its rates are per, as far as is known */
    char **shadow; /* [class->count] its statistics with estimates */
};

/* A ratio's quantity, and its inputs. */
struct loom_estimate_pair {
    size_t of, top, bottom;
};

/* Of a window, or of what was left out. */
struct loom_estimate_work {
    double of[LOOM_BASES];
};

/* How much rates of time differ from one window to the next: squares of
 * differences, as parts of the rates, and how many.  What is long ago counts
 * less. */
struct loom_estimate_spread {
    double squares, count;
};

/* Launches that are alike. */
struct loom_estimate_series {
    double *begin;   /* [count] estimates when the launch began that is timed */
    double *change;  /* [count] per instruction, in the last one that was */
    double *squares; /* [count] of differences from one to the next */
    double *wrong;   /* [count] errors that all have in common that were passed
                      * over */
    double begun, work; /* instructions until it began; of the last one */
    double gap;         /* passed over since */
    double compared;    /* how many differences */
    struct loom_estimate_spread spread;
};

struct loom_estimate {
    struct loom_catalog *catalog;
    struct loom_estimate_group *group; /* [catalog->count] */
    struct loom_estimate_pair *pair;
    size_t count, pairs;
    bool *exact;                 /* [count] */
    double *begin;               /* [count] when the window began */
    double *now;                 /* [count] of the last reading */
    double *left;                /* [count] when time was left */
    double *change;              /* [count] in the last window */
    double *scratch;             /* [count] */
    double *correction;          /* [count] estimates less counters */
    double *squares[LOOM_BASES]; /* [count] of differences of rates per each, of
                                  * this launch */
    double *local[LOOM_BASES];   /* [count] variance of what was left out, of
                                  * this launch */
    double *variance;            /* [count] of launches before */
    double *wrong; /* [count] standard errors that windows have in common, of
                    * this launch */
    struct loom_estimate_work begun, at_left; /* totals then */
    struct loom_estimate_work work; /* of the last window; none: there was none
                                     * in this launch */
    struct loom_estimate_work gap;  /* what was left out before it */
    double gaps;                    /* in this launch */
    struct loom_estimate_spread spread[LOOM_BASES];
    enum loom_estimate_base time_base;
    struct loom_estimate_work compared; /* differences between windows */
    double out, carry, off;
    bool is_open, has_left, blind;
    struct loom_estimate_series **series; /* [groups] */
    uint32_t groups;
};

/* ---- estimate.c ---- */

/* How much longer what was left out takes than what has passed.  What is too
 * long already is taken off the next ones. */
double loom_estimate_late(struct loom_estimate *e);
/* Two rates that follow each other. */
void loom_estimate_differ(struct loom_estimate_spread *spread, double former,
                          double latter);
/* The standard deviation of one, as a part of it; NaN: nobody can tell. */
double loom_estimate_deviation(const struct loom_estimate_spread *spread);
/* The square of how much wider a 95 % interval is than that of a normal
 * variable, as the variance is from so many differences only. */
double loom_estimate_widening(double differences);

/* ---- estimate_layout.c ---- */

/* The field of a statistic in a block. */
const void *loom_estimate_field(const struct loom_class *class,
                                const void *block, size_t stat);
/* How many quantities a statistic is in a row. */
size_t loom_estimate_width(const struct loom_class *class, size_t stat);
/* The first quantity of a statistic; row class->count: of all rows. */
size_t loom_estimate_quantity(const struct loom_estimate_group *group,
                              uint32_t row, size_t stat);
/* Of a ratio or rate; SIZE_MAX where an input is none. */
struct loom_estimate_pair
loom_estimate_pair_of(const struct loom_estimate *e,
                      const struct loom_estimate_group *group, uint32_t row,
                      size_t stat);

/* ---- estimate_read.c ---- */

/* All quantities, into e->now. */
void loom_estimate_read(struct loom_estimate *e);
/* How much was executed so far. */
struct loom_estimate_work
loom_estimate_read_work(const struct loom_estimate *e);

#endif

/*
 * Estimates of counters of which parts were not simulated in time.
 *
 *     create -> show -> leave -> enter -> close -> leave .. -> finish -> ..
 *
 * A sampled run has, within a launch, windows of time, between which CTAs are
 * left out of time (components/cta_protocol.h).  What counters did from where
 * time was left until a window is entered again (the ramp before it) is
 * replaced by what they did per warp instruction, or per load and store, in the
 * windows on both sides: of a class by what its rates differ less from window
 * to window. Counters that leaving out counts as time does (struct loom_stat,
 * exact) stay as they are.
 *
 * Laws hold between counters; estimates are sums of the same windows with the
 * same weights, so what is linear holds between them, too, up to rounding.
 *
 * Standard errors.  Rates of windows that follow each other differ by chance:
 * half the mean square of these differences is the variance of one window, and
 * trends make it larger, not smaller.  Of an estimate it is that of the
 * weights that windows have, and that of what was left out itself, taken as so
 * many windows that nobody saw.
 *
 * To that comes a part of what was left out, `off`: what windows have in
 * common, after something was left out, is not seen in their differences.
 *
 * A catalogue that estimates are shown in has them where counters would be:
 * its blocks are copies.  The machine's own counters stay as they are.
 */
#ifndef STATS_ESTIMATE_H
#define STATS_ESTIMATE_H

#include "stats/catalog.h"

struct loom_estimate;

/* Of a frozen machine, which must outlive it; `model` may be NULL and is asked
 * now only.  NULL on failure. */
struct loom_estimate *
loom_estimate_create(struct loom_machine *machine,
                     const struct loom_energy_model *model,
                     struct loom_error *err);
void loom_estimate_destroy(struct loom_estimate *estimate); /* accepts NULL */

/* A catalogue of the same machine and energies has estimates from now on. */
void loom_estimate_show(struct loom_estimate *estimate,
                        struct loom_catalog *catalog);
/* Brings a catalogue's statistics up to now, estimates or not. */
void loom_estimate_settle(const struct loom_catalog *catalog);

/* Here a window begins that nothing was left before: the first of a launch, or
 * one after another. */
void loom_estimate_open(struct loom_estimate *estimate);
/* A window ends. */
struct loom_estimate_window {
    uint64_t insts; /* warp instructions of it */
    loom_time time;
    /* What the part before it took more than what has passed since it was
     * left, or less. */
    double late;
};
struct loom_estimate_window loom_estimate_close(struct loom_estimate *estimate);
/* Time is left: from here on counters do not count.  Where no window was closed
 * in this launch, it is put at the rates of the next one alone.  By how much,
 * as a part of it, what is left out may be off in what windows have in common:
 * `off`, one standard error. */
void loom_estimate_leave(struct loom_estimate *estimate, double off);
/* A launch has ended.  If time was left and no window came after that and was
 * closed, what was left out until the one that is open, or until now, is put at
 * the rate of the last window; returns its `late`. */
double loom_estimate_finish(struct loom_estimate *estimate);

/* Launches that are alike, as windows: some are timed, others passed over,
 * which leaves counters that are exact and what warm messages count.
 *
 *     group -> launch -> launched -> pass -> passed -> launch -> launched ..
 *
 * A launch that is timed may itself have parts that are left out.  What is
 * passed over is put at the rates of the one that was timed last, and, when the
 * next one has been, at the mean of both. */
/* A new group; false: no memory. */
bool loom_estimate_group(struct loom_estimate *estimate, uint32_t *number);
/* A launch of the group begins, in time; ends, after finish().  Returns what is
 * to be added to time now, as `late`. */
void loom_estimate_launch(struct loom_estimate *estimate, uint32_t group);
double loom_estimate_launched(struct loom_estimate *estimate, uint32_t group);
/* One is passed over, between these; returns its time. */
void loom_estimate_pass(struct loom_estimate *estimate);
double loom_estimate_passed(struct loom_estimate *estimate, uint32_t group,
                            double off);
/* As loom_estimate_spread() of the group's launches; NaN: nobody can tell. */
double loom_estimate_launch_spread(const struct loom_estimate *estimate,
                                   uint32_t group);
/* No launch follows. */
void loom_estimate_end(struct loom_estimate *estimate);

/* Standard error of a statistic of one instance of class number `class` of the
 * catalogue, or with row = its count of
 * all together; `key` of a vector, an array, a histogram's bin or (after
 * those) its count or sum.  0: it is exact; NaN: nobody can tell. */
double loom_estimate_error(const struct loom_estimate *estimate, uint32_t class,
                           size_t stat, uint32_t row, uint32_t key);
/* Of the windows of this launch, the last ones most: the standard deviation of
 * their time per instruction as a part of it, and how many differences that is
 * from. */
double loom_estimate_spread(const struct loom_estimate *estimate,
                            uint64_t *differences);
/* Of simulated time, in seconds. */
double loom_estimate_time_error(const struct loom_estimate *estimate);
/* Warp instructions that were not in time, or not counted. */
uint64_t loom_estimate_left_out(const struct loom_estimate *estimate);

#endif

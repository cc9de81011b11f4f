/*
 * Windows in which a policy watches a cache, and the modes that follow.
 *
 * What two_level and miss_rate_bypass share: when a kernel's first CTA starts
 * on an SM, accesses and misses of its L1 are counted for `window_cycles`;
 * then all loads go around or none for `hold_cycles`, after which the next
 * window begins.  This clock goes on from launch to launch, whether the SM has
 * work or not, or starts anew with each kernel's first CTA (`restart`).
 *
 * The end of a window is noticed by whatever comes after it: an access, an
 * event of the SM or a reader of statistics (`while (window.end <= now)`).
 * Nothing that the window counts can happen in between, so this is the same as
 * a timer.
 *
 * The policy's config has the fields of LOOM_WINDOW_PARAMS, its statistics an
 * array `mode_cycles[LOOM_WINDOW_MODES]`.
 */
#ifndef POLICIES_LIB_WINDOW_H
#define POLICIES_LIB_WINDOW_H

#include <string.h>

#include "policies/observe_hook.h"

enum loom_window_mode {
    LOOM_WINDOW_CACHE,
    LOOM_WINDOW_SAMPLE,
    LOOM_WINDOW_BYPASS,
    LOOM_WINDOW_MODES
};

#define LOOM_WINDOW_MODE_KEYS                                                  \
    {                                                                          \
        "cache", "sample", "bypass"                                            \
    }
#define LOOM_WINDOW_FEW                                                        \
    {                                                                          \
        "bypass", "cache", NULL                                                \
    }
#define LOOM_WINDOW_RESTART                                                    \
    {                                                                          \
        "never", "launch", NULL                                                \
    }

struct loom_window {
    enum loom_window_mode mode;
    bool each_launch;          /* begins anew with it */
    bool begun;                /* the first window of the run has begun */
    bool fresh;                /* a kernel's first CTA has not started yet */
    loom_cycle end;            /* of the window, or of the decision's time */
    loom_cycle counted;        /* mode_cycles are up to date until here */
    uint64_t *mode_cycles;     /* in the policy's statistics */
    uint64_t accesses, misses; /* of this window */
};

/* uint64_t window_cycles, hold_cycles; uint32_t min_accesses;
 * bool pending_hits_miss, count_stores; const char *few, *restart; */
#define LOOM_WINDOW_PARAMS(T, few_choices_, restart_choices_)                  \
    LOOM_PARAM(T, window_cycles, .unit = LOOM_UNIT_CYCLE, .def = {.u = 5000},  \
               .min = {.u = 1}, .max = {.u = 1u << 30},                        \
               .doc = "Length of the sampling period",                         \
               .source = "two-level bypassing (002), section 3.2: 5K cycles"), \
        LOOM_PARAM(T, hold_cycles, .unit = LOOM_UNIT_CYCLE,                    \
                   .def = {.u = 95000}, .max = {.u = UINT64_C(1) << 40},       \
                   .doc = "How long a decision holds before the next sample; " \
                          "0: until the clock is started anew",                \
                   .source = "not given: \"a long period\"; accesses of NW "   \
                             "and LUD fall by 95 %, section 4, which is 5K "   \
                             "cycles sampled of 100K"),                        \
        LOOM_PARAM(T, restart, .def = {.s = "never"},                          \
                   .choices = (restart_choices_),                              \
                   .doc = "When the clock of samples and decisions starts "    \
                          "anew: never after the run's first CTA on the SM, "  \
                          "or with the first CTA of each launch",              \
                   .source = "two-level bypassing (002), section 4: all of 8 " \
                             "benchmarks' loads go around but in samples"),    \
        LOOM_PARAM(T, min_accesses, .unit = LOOM_UNIT_REQUEST,                 \
                   .def = {.u = 1},                                            \
                   .doc = "A window with fewer accesses is decided by `few`"), \
        LOOM_PARAM(T, few, .def = {.s = "bypass"}, .choices = (few_choices_),  \
                   .doc = "Decision if there were too few accesses",           \
                   .source = "two-level bypassing (002), section 4: bypasses " \
                             "when few accesses occur"),                       \
        LOOM_PARAM(T, pending_hits_miss, .def = {.b = true},                   \
                   .doc = "Accesses to data that is on its way count as "      \
                          "misses, as GPGPU-Sim prints them for a cache that " \
                          "allocates on fills"),                               \
        LOOM_PARAM(T, count_stores, .def = {.b = false},                       \
                   .doc = "Stores count as accesses, too")

static inline void loom_window_init(struct loom_window *w, const char *restart,
                                    uint64_t *mode_cycles)
{
    w->each_launch = strcmp(restart, "launch") == 0;
    w->mode_cycles = mode_cycles;
    w->end = LOOM_NEVER;
}

/* Brings mode_cycles up to `at`. */
static inline void loom_window_settle(struct loom_window *w, loom_cycle at)
{
    if (at > w->counted) {
        w->mode_cycles[w->mode] += at - w->counted;
        w->counted = at;
    }
}

/* The mode from cycle `at` on, for so many cycles; 0: until further notice. */
static inline void loom_window_enter(struct loom_window *w,
                                     enum loom_window_mode mode, loom_cycle at,
                                     uint64_t cycles)
{
    loom_window_settle(w, at);
    w->mode = mode;
    w->end = cycles == 0 ? LOOM_NEVER : at + cycles;
}

/* A window that begins in cycle `at`. */
static inline void loom_window_sample(struct loom_window *w, loom_cycle at,
                                      uint64_t cycles)
{
    w->accesses = 0;
    w->misses = 0;
    loom_window_enter(w, LOOM_WINDOW_SAMPLE, at, cycles);
}

/* Counts an access that the cache accepted (hit, pending hit or miss) if a
 * window is open and counts its kind; did it? */
static inline bool loom_window_count(struct loom_window *w,
                                     const struct loom_event *event,
                                     bool pending_hits_miss, bool count_stores)
{
    uint32_t kind = event->request->kind;

    if (w->mode != LOOM_WINDOW_SAMPLE ||
        (kind != LOOM_MEM_LOAD && !(kind == LOOM_MEM_STORE && count_stores))) {
        return false;
    }
    w->accesses++;
    w->misses += event->kind == LOOM_EVENT_MISS ||
                 (event->kind == LOOM_EVENT_PENDING_HIT && pending_hits_miss);
    return true;
}

/* Of an SM's KERNEL_START and CTA_START: does the clock start with it?  It is
 * a kernel's first CTA, of any kernel or of the run. */
static inline bool loom_window_starts(struct loom_window *w,
                                      const struct loom_event *event)
{
    bool first = event->kind == LOOM_EVENT_CTA_START && w->fresh;

    w->fresh = event->kind == LOOM_EVENT_KERNEL_START || (w->fresh && !first);
    first = first && (w->each_launch || !w->begun);
    w->begun = w->begun || first;
    return first;
}

#endif

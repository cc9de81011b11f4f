/*
 * The questions an SM asks: which warp issues next, and which may.
 *
 * One scheduler policy serves all warp schedulers of an SM.  Warp slot w of
 * the SM belongs to scheduler w mod n and is bit w / n of that scheduler's
 * 64-bit masks; "local" below is that bit number.
 *
 * Each cycle, per scheduler with at least one ready warp:
 *
 *     throttles: allow (masks AND), prefer  ->  scheduler: pick  ->  issued
 *
 * and `stalled` where no warp issued.  A sleeping SM asks nothing; `stalled`
 * is then told once with the number of cycles.
 */
#ifndef POLICIES_SM_HOOK_H
#define POLICIES_SM_HOOK_H

#include "engine/component.h"

#include "workloads/stream.h"

extern const struct loom_hook loom_scheduler_hook;
extern const struct loom_hook loom_throttle_hook; /* chain */

struct loom_sm_shape {
    uint32_t sm; /* hardware index */
    uint32_t schedulers;
    uint32_t warps;  /* per SM */
    uint32_t locals; /* per scheduler: ceil(warps / schedulers), <= 64 */
};

struct loom_scheduler_ops {
    /* Is rank() a lasting order, such as that of age, by which a warp may be
     * told to matter more than another?  False: it changes with each issue. */
    bool ranked;
    /* Optional. */
    bool (*bind)(struct loom_policy *self, const struct loom_sm_shape *shape,
                 struct loom_error *err);
    /* One of the set bits of `ready`, which is not 0.  Must not change
     * state: the pick may fail to issue.  Required. */
    uint32_t (*pick)(struct loom_policy *self, uint32_t scheduler,
                     uint64_t ready, loom_cycle now);
    /* Place of a warp in the scheduler's order of preference, 0 = first,
     * among its started warps, ready or not.  Required. */
    uint32_t (*rank)(struct loom_policy *self, uint32_t scheduler,
                     uint32_t local);
    /* Events; all optional.  `age` grows with each warp started on the SM. */
    void (*issued)(struct loom_policy *self, uint32_t scheduler, uint32_t local,
                   loom_cycle now);
    void (*stalled)(struct loom_policy *self, uint32_t scheduler,
                    uint64_t cycles);
    void (*started)(struct loom_policy *self, uint32_t scheduler,
                    uint32_t local, uint64_t age);
    void (*finished)(struct loom_policy *self, uint32_t scheduler,
                     uint32_t local);
};

/* A scheduler's warps by what their next instruction is and by what it waits
 * for.  The masks of all schedulers are for limits that count the warps of the
 * SM; this scheduler's are among them. */
struct loom_throttle_view {
    uint64_t ready;       /* could issue now */
    uint64_t active;      /* started and not finished */
    uint64_t waiting;     /* at a barrier or membar */
    uint64_t memory;      /* for a register while loads are outstanding, or for
                           * the old value of an atomic */
    uint64_t loads;       /* of `ready`: a load from global or local memory */
    const uint64_t *next; /* [LOOM_OPS] next instruction's op class */
    const uint64_t *sm_active, *sm_waiting; /* [schedulers] of all */
    loom_cycle now;
    uint32_t scheduler;
};

struct loom_throttle_ops {
    /* Optional. */
    bool (*bind)(struct loom_policy *self, const struct loom_sm_shape *shape,
                 struct loom_error *err);
    /* The warps that may issue; bits outside view->ready are ignored.  A
     * policy whose answer grows with time alone must set a timer, or the SM
     * may sleep.  One of the two is required. */
    uint64_t (*allow)(struct loom_policy *self,
                      const struct loom_throttle_view *view);
    /* The warps that go first, whatever the scheduler: it picks among the
     * others only if none of these is in view->ready, which is what all
     * `allow` have left and not empty.  In a chain the first one's preference
     * comes before the next one's.  0: none. */
    uint64_t (*prefer)(struct loom_policy *self,
                       const struct loom_throttle_view *view);
};

#endif

/*
 * What schedulers that go by age share: the order of age of each scheduler's
 * warps, and the ops that keep it.
 *
 * The state of such a policy begins with a struct loom_age_scheduler.
 */
#ifndef POLICIES_LIB_AGE_SCHEDULER_H
#define POLICIES_LIB_AGE_SCHEDULER_H

#include "policies/lib/age_matrix.h"
#include "policies/sm_hook.h"

struct loom_age_scheduler {
    struct loom_age_matrix *ages; /* [schedulers] */
};

/* Members of struct loom_scheduler_ops; the oldest warp has rank 0. */
bool loom_age_scheduler_bind(struct loom_policy *self,
                             const struct loom_sm_shape *shape,
                             struct loom_error *err);
uint32_t loom_age_scheduler_rank(struct loom_policy *self, uint32_t scheduler,
                                 uint32_t local);
void loom_age_scheduler_started(struct loom_policy *self, uint32_t scheduler,
                                uint32_t local, uint64_t age);
void loom_age_scheduler_finished(struct loom_policy *self, uint32_t scheduler,
                                 uint32_t local);

/* What the order costs in hardware: the policy type's. */
void loom_age_scheduler_cost(const void *config,
                             const struct loom_cost_shape *shape,
                             struct loom_cost *cost);

#endif

/*
 * Clusters: CTAs that run together, wait for each other and reach each
 * other's shared memory.
 */
#ifndef WORKLOADS_PTX_EXEC_CLUSTER_H
#define WORKLOADS_PTX_EXEC_CLUSTER_H

#include "workloads/ptx/exec/access.h"

/* A CTA begins, in a cluster of its own. */
void ptx_cluster_start(struct exec_launch *launch);
/* Linear number of the CTA that has this rank in the cluster of `cta`. */
uint32_t ptx_cluster_cta(const struct exec_launch *launch, uint32_t cta,
                         uint32_t rank);
uint32_t ptx_cluster_rank(const struct exec_launch *launch, uint32_t cta);

/* barrier.cluster: false: the warp must come again. */
bool ptx_cluster_arrive(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op);
/* A warp has ended. */
void ptx_cluster_leave(struct exec_launch *launch);
/* Nobody of the cluster can go on, and not all are done: launch->err is set. */
bool ptx_cluster_stuck(const struct exec_launch *launch);

/* Host view of a shared address and what follows it; NULL: none there. */
unsigned char *ptx_cluster_at(const struct exec_launch *launch,
                              uint64_t address, uint64_t *bytes);
/* Of all lanes, whose addresses lose their ranks; false: *lane has none. */
bool ptx_cluster_locate(const struct exec_launch *launch,
                        struct exec_access *access, uint32_t *lane);

#endif

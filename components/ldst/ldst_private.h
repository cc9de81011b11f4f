/*
 * The inside of a load/store unit.  Only files in components/ldst/ include
 * this.
 */
#ifndef COMPONENTS_LDST_LDST_PRIVATE_H
#define COMPONENTS_LDST_LDST_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "components/warp_protocol.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/observe_hook.h"
#include "workloads/stream.h"

#define LDST_NONE UINT32_MAX
#define LDST_QUEUES 64

/* Why the instruction in dispatch, or the access in front, waits. */
enum ldst_stall {
    LDST_STALL_PENDING, /* no entry in the table of pending instructions */
    LDST_STALL_QUEUE,   /* its queue between coalescer and L1 is full */
    LDST_STALL_L1,      /* the L1 takes no access */
    LDST_STALL_SHARED,  /* the shared memory is busy with conflicts */
    LDST_STALL_CONST,   /* the constant cache is busy */
    LDST_STALL_FLUSH,   /* a flush waits for earlier accesses */
    LDST_STALLS,
    LDST_MOVED = LDST_STALLS
};

/* Who writes registers back. */
enum ldst_pipe {
    LDST_PIPE_SHARED,
    LDST_PIPE_CONST,
    LDST_PIPE_GLOBAL,
    LDST_PIPES,
    LDST_PIPE_ACK = LDST_PIPES, /* stores and flushes: no register */
    LDST_RINGS
};

struct ldst_config {
    uint32_t warps, line_bytes;
    uint32_t pending_entries, accesses_per_cycle;
    uint32_t shared_latency, shared_banks, const_latency;
    bool flushes_l1;
};

struct ldst_stats {
    /* [space] */
    uint64_t load_insts[LOOM_SPACES], store_insts[LOOM_SPACES];
    uint64_t atomic_insts[LOOM_SPACES];
    uint64_t accesses, coalesced_loads, load_accesses;
    uint64_t store_accesses, atomic_accesses;
    uint64_t replies, l1_hits, l1_bypasses, flushes;
    uint64_t shared_conflict_cycles, const_serial_cycles;
    uint64_t stall_cycles[LDST_STALLS];
    uint64_t pending_entry_cycles;
    struct loom_histogram load_latency;
};

/* A memory instruction whose replies are not all back, or that waits to
 * write its registers. */
struct ldst_pending {
    const struct loom_kernel *kernel;
    loom_time born;
    uint32_t outstanding, accesses, hits, bypasses;
    uint32_t inst, cta, mask;
    uint16_t warp, rank;
    uint8_t scheduler, done; /* enum loom_warp_done_kind */
};

struct ldst_done {
    struct loom_warp_done message;
    loom_time born;
    loom_cycle ready;
    uint32_t entry; /* of the pending table, to be freed; or LDST_NONE */
};

struct ldst_ring {
    struct ldst_done *item; /* [capacity] */
    uint32_t head, count, capacity;
};

struct ldst_wait {
    loom_cycle since, counted;
    uint32_t reason; /* LDST_MOVED: nothing waits */
};

struct ldst_queue {
    struct loom_mem_request *item; /* [depth] ring */
    uint32_t head;
};

struct ldst {
    struct loom_component *self;
    const struct ldst_config *config;
    struct ldst_stats *stats;
    struct loom_channel *from_sm, *to_sm, *to_l1, *from_l1;
    /* The instruction in dispatch. */
    struct loom_warp_access access;
    struct loom_mem_request request; /* what its accesses have in common */
    struct loom_access made[LOOM_ACCESS_MAX];
    uint32_t made_count, made_next;
    bool busy, started; /* started: it has its entry and its accesses */
    struct ldst_wait dispatch_wait, l1_wait;
    /* Between coalescer and L1. */
    struct ldst_queue *queue;
    struct loom_queue_view view[LDST_QUEUES];
    uint32_t queues, depth, queued;
    loom_cycle sent_at;
    /* Pending instructions. */
    struct ldst_pending *pending; /* [pending_entries] */
    uint32_t *pending_free;       /* [pending_entries] stack */
    uint32_t pending_used;
    loom_cycle pending_counted;
    /* Completion. */
    struct ldst_ring ring[LDST_RINGS];
    uint32_t turn; /* pipe that writes back next */
    loom_cycle shared_free, const_free;
    bool flushing;
    loom_time period; /* femtoseconds of a cycle, rounded */
    uint32_t id, sm;
    /* Policies */
    struct loom_binding marks;
    const struct loom_coalesce_ops *coalesce;
    struct loom_policy *coalesce_self;
    const struct loom_order_ops *order;
    struct loom_policy *order_self;
    struct loom_observers observers;
};

/* tick.c */
loom_cycle ldst_tick(struct loom_component *self, loom_cycle now);
void ldst_settle(struct loom_component *self, loom_cycle now);

/* onchip.c: memories that never leave the SM */
enum ldst_stall ldst_shared(struct ldst *u, const struct loom_static_inst *inst,
                            loom_cycle now);
enum ldst_stall ldst_const(struct ldst *u, const struct loom_static_inst *inst,
                           loom_cycle now);

/* complete.c */
void ldst_push_done(struct ldst *u, uint32_t ring,
                    const struct ldst_done *done);
uint8_t ldst_done_kind(const struct loom_static_inst *inst);
void ldst_complete(struct ldst *u, uint32_t entry, loom_cycle now);
void ldst_take_replies(struct ldst *u, loom_cycle now);
void ldst_write_back(struct ldst *u, loom_cycle now);
void ldst_integrate(struct ldst *u, loom_cycle now);

#endif

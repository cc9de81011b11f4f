/*
 * The inside of a load/store unit.  Only files in components/ldst/ include
 * this.
 */
#ifndef COMPONENTS_LDST_LDST_PRIVATE_H
#define COMPONENTS_LDST_LDST_PRIVATE_H

#include "engine/component.h"

#include "components/ldst/config.h"
#include "components/mem_protocol.h"
#include "components/warp_protocol.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/observe_hook.h"
#include "workloads/stream.h"

#define LDST_NONE UINT32_MAX
#define LDST_QUEUES 64
#define LDST_PARTS 8 /* of an SM: its schedulers */

/* Who writes registers back, in the order of GPGPU-Sim's clients. */
enum ldst_pipe {
    LDST_PIPE_SHARED,
    LDST_PIPE_TEXTURE,
    LDST_PIPE_CONST,
    LDST_PIPE_BYPASS, /* loads that went around the L1, if they are apart */
    LDST_PIPE_GLOBAL,
    LDST_PIPES,
    LDST_PIPE_ACK = LDST_PIPES, /* stores and flushes: no register */
    LDST_RINGS
};

/* Where accesses go. */
enum ldst_port {
    LDST_L1D,
    LDST_L1C,
    LDST_L1T,
    LDST_PORTS
};

/* A memory instruction whose replies are not all back, or that waits to
 * write its registers. */
struct ldst_pending {
    const struct loom_kernel *kernel;
    loom_time born;
    uint32_t outstanding, accesses, hits, bypasses;
    uint32_t inst, cta, mask;
    uint16_t warp, rank;
    uint8_t scheduler, slot;
    uint8_t done;   /* enum loom_warp_done_kind */
    uint8_t port;   /* enum ldst_port */
    uint8_t passes; /* over the banks, of loads with return_cycles */
};

struct ldst_done {
    struct loom_warp_done message;
    uint32_t entry; /* of the pending table, to be freed; or LDST_NONE.  Here,
                     * so that there is no padding (engine/image_save.c) */
    loom_time born;
    loom_cycle ready;
};
_Static_assert(sizeof(struct ldst_done) ==
                   sizeof(struct loom_warp_done) + sizeof(uint32_t) +
                       sizeof(loom_time) + sizeof(loom_cycle),
               "no padding");

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

/* What is worked out once per kernel. */
struct ldst_kernel {
    uint32_t number;
    uint32_t ctas;    /* resident on an SM at most */
    uint32_t threads; /* of a CTA, rounded up to whole warps */
    uint64_t grid_threads;
};

/* What most ticks look at comes first, a cache line to a paragraph. */
struct ldst {
    uint64_t incoming;  /* bit per port: its channel holds a reply */
    loom_cycle sent_at; /* an access went to the L1 */
    struct loom_channel *from_sm, *to_sm;
    struct ldst_stats *stats;
    uint32_t due;                   /* bit per ring: not empty */
    uint32_t queued;                /* accesses in all queues */
    uint32_t made_count, made_next; /* of the instruction in dispatch */
    bool busy, started; /* started: it has its entry and its accesses */
    bool full; /* the next access found its queue full; none has left since */
    uint8_t port;            /* that its accesses go to */
    uint16_t width, replies; /* per cycle: accesses made, replies taken */

    struct loom_channel *to[LDST_PORTS], *from[LDST_PORTS]; /* NULL: none */
    /* Between coalescer and L1. */
    struct loom_queue_view *view; /* [queues] */
    struct ldst_queue *queue;     /* [queues], right behind them */

    const struct loom_order_ops *order;
    struct loom_policy *order_self;
    struct ldst_wait dispatch_wait, l1_wait;

    /* Pending instructions. */
    struct ldst_pending *pending; /* [pending_entries] */
    uint32_t *pending_free;       /* [pending_entries] stack */
    loom_cycle pending_counted;
    uint32_t pending_used;
    uint32_t turn; /* pipe that writes back next */
    uint32_t queues, depth;
    struct loom_binding marks;
    loom_time period; /* femtoseconds of a cycle, rounded */

    struct ldst_ring ring[LDST_RINGS];
    struct loom_component *self;
    const struct ldst_config *config;
    loom_cycle shared_free, const_free;
    loom_cycle taken_up[LDST_PARTS]; /* until then results go to a part */
    uint32_t sm;
    uint16_t id;
    bool flushing;
    bool by_slot;     /* local memory is interleaved by hardware slot */
    bool first_words; /* of what a lane accesses there, the first only */
    bool per_kernel;  /* something has to be worked out for each kernel */
    bool resizing;    /* the L1 has not said that it has its new size */
    bool announced;   /* `kernel` is that of the last access */

    /* The instruction in dispatch. */
    struct loom_mem_request request; /* what its accesses have in common */
    struct loom_access made[LOOM_ACCESS_MAX];
    struct loom_warp_access access;
    struct ldst_kernel kernel;
    uint64_t carved; /* KiB of shared memory, if is_carved */
    uint32_t newest; /* number of the kernel that it was for */
    bool is_carved;
    /* Policies */
    const struct loom_coalesce_ops *coalesce;
    struct loom_policy *coalesce_self;
    struct loom_observers observers;
    struct ldst *apart; /* the dispatch of accesses without time */
};

/* ldst.c */
bool ldst_init(struct loom_component *self, struct loom_error *err);
bool ldst_check(struct loom_component *self, struct loom_error *err);
void ldst_report(struct loom_component *self, struct loom_report *report);

/* tick.c */
loom_cycle ldst_tick(struct loom_component *self, loom_cycle now);
void ldst_settle(struct loom_component *self, loom_cycle now);

/* caches.c: constant and texture caches */
/* Is the instruction for one of them, and is there one? */
bool ldst_cached(const struct ldst *u, const struct loom_static_inst *inst,
                 enum ldst_port *port);
enum ldst_stall ldst_start_cached(struct ldst *u,
                                  const struct loom_static_inst *inst,
                                  enum ldst_port port, loom_cycle now);
enum ldst_stall ldst_send_cached(struct ldst *u, loom_cycle now);

/* warm.c */
extern const struct loom_warm_ops ldst_warm;
/* Makes what accesses without time need; after all else. */
bool ldst_warm_init(struct ldst *u, struct loom_error *err);

/* begin.c: steps of an instruction that begins */
/* Makes u->made of the lanes of a global or local access. */
void ldst_coalesce(struct ldst *u, const struct loom_static_inst *inst);
/* What the requests of u->made have in common. */
void ldst_describe_request(struct ldst *u, const struct loom_static_inst *inst,
                           uint32_t entry);
/* Takes an entry and makes of u->made[0 .. made_count - 1] what goes out. */
void ldst_begin(struct ldst *u, const struct loom_static_inst *inst,
                enum ldst_port port, loom_cycle now);

/* kernel.c: local memory by slots, shares of a unified memory */
bool ldst_validate(const void *config, struct loom_error *err);
/* Called before the first access of a kernel; false: the L1 must be told its
 * size first and takes no message now. */
bool ldst_meet_kernel(struct ldst *u, loom_cycle now);
/* The same without time; the L1 keeps its size. */
void ldst_meet_kernel_warm(struct ldst *u);
/* Coalesces a local access; false: the addresses are used as they are. */
bool ldst_local(struct ldst *u, const struct loom_static_inst *inst,
                const loom_addr *address);

/* onchip.c: memories that never leave the SM */
/* How often banks of 4 bytes are read for the instruction in dispatch. */
uint32_t ldst_passes(const struct ldst *u, const struct loom_static_inst *inst);
enum ldst_stall ldst_shared(struct ldst *u, const struct loom_static_inst *inst,
                            loom_cycle now);
/* The same, behind what has the banks: of a copy, whose data come later. */
enum ldst_stall ldst_store_copy(struct ldst *u,
                                const struct loom_static_inst *inst,
                                loom_cycle now);
enum ldst_stall ldst_const(struct ldst *u, const struct loom_static_inst *inst,
                           loom_cycle now);

/* Loads that are not copies to shared memory. */
static inline bool ldst_to_registers(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD && (inst->flags & LOOM_INST_ASYNC) == 0;
}

/* complete.c */
/* When a load of so many passes, of which the last ends at `last`, has been
 * taken up by its part of the SM. */
loom_cycle ldst_returned(struct ldst *u, uint32_t part, uint32_t passes,
                         loom_cycle last);
void ldst_push_done(struct ldst *u, uint32_t ring,
                    const struct ldst_done *done);
uint8_t ldst_done_kind(const struct loom_static_inst *inst);
void ldst_complete(struct ldst *u, uint32_t entry, loom_cycle now);
void ldst_take_replies(struct ldst *u, loom_cycle now);
void ldst_write_back(struct ldst *u, loom_cycle now);
void ldst_integrate(struct ldst *u, loom_cycle now);

#endif

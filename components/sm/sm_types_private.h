/*
 * The state of an SM: warps, CTAs, schedulers, and what holds them all.
 */
#ifndef COMPONENTS_SM_SM_TYPES_PRIVATE_H
#define COMPONENTS_SM_SM_TYPES_PRIVATE_H

#include "components/cta_protocol.h"
#include "components/sm/sm_config_private.h"
#include "components/sm/sm_units_private.h"
#include "components/warp_protocol.h"
#include "policies/observe_hook.h"
#include "policies/sm_hook.h"

/* What a warp waits for. */
enum sm_state {
    SM_EMPTY,      /* no warp in this slot */
    SM_FETCH,      /* its next instruction is being fetched */
    SM_BARRIER,    /* the others of its CTA */
    SM_ATOMIC,     /* the old value of an atomic */
    SM_MEMBAR,     /* its own memory operations */
    SM_PRODUCTS,   /* products of its warpgroup */
    SM_SCOREBOARD, /* a register */
    SM_READY,      /* its turn and a unit */
    SM_DRAIN,      /* all is issued; something is outstanding */
    SM_STATES
};

/* Which of its operations a memory barrier of the warp waits for. */
enum sm_membar {
    SM_MEMBAR_NONE,
    SM_MEMBAR_BUT_COPIES,
    SM_MEMBAR_ALL
};

/* A cache line to a paragraph: what decides its state; its next instruction;
 * where it comes from and what is outstanding; copies. */
struct sm_warp {
    _Alignas(64) const struct loom_static_inst *inst; /* next; NULL: no more */
    uint64_t pending[LOOM_REG_WORDS]; /* registers that are not written */
    loom_cycle fetch_at; /* the next instruction can issue from here on */
    uint16_t atomics;    /* outstanding, that return a value */
    uint8_t scheduler, local, state;
    uint8_t membar; /* enum sm_membar */
    uint8_t held;   /* enum sm_state: until barrier_at */
    bool awaits_copies;
    bool wrong; /* fetches the fall-through of a taken branch */
    bool open;  /* another part of its stream follows */

    uint64_t bit;          /* in its scheduler's masks */
    loom_cycle barrier_at; /* as fetch_at; LOOM_NEVER: waits for others */
    struct loom_warp_inst next;
    struct loom_cursor cursor;
    uint32_t results; /* on the wheel */
    uint16_t entries; /* of the instruction buffer that are left */
    uint16_t slot;    /* hardware warp slot */

    const struct loom_static_inst *table; /* of the kernel */
    struct sm_cta *cta;
    uint32_t loads, stores; /* outstanding instructions */
    loom_cycle since;       /* last issue */
    uint64_t age;
    uint32_t fetch_pc; /* of what is being fetched */
    uint8_t step;      /* enum sm_fetch_step */
    uint16_t behind;   /* slot of the next one in its list (fetch.c) */

    /* Copies (LOOM_INST_ASYNC) on their way; those issued in each of the last
     * groups; and how many may be left for the warp to go on. */
    uint32_t group[SM_COPY_GROUPS];
    uint32_t copies, copies_left;
    uint8_t group_at; /* the running group */

    /* Products that are queued: when the last one is done, and those of the
     * last groups. */
    uint8_t product_group; /* the next one */
    loom_cycle product_end;
    loom_cycle product[SM_PRODUCT_GROUPS];
};

struct sm_cta {
    const struct loom_kernel *kernel; /* NULL: slot is free */
    struct loom_cta_stream *stream;
    uint64_t running; /* warps that have instructions left, by number */
    uint64_t arrived[SM_NAMED_BARRIERS]; /* warps */
    uint64_t waiting[SM_NAMED_BARRIERS]; /* those of them that wait */
    uint32_t arrivals[SM_NAMED_BARRIERS];
    uint32_t expected[SM_NAMED_BARRIERS]; /* arrivals; 0: of all warps */
    uint64_t code;                        /* address of the kernel's */
    bool waits;        /* the kernel that its own follows is not over */
    bool triggered;    /* the kernel that follows may begin */
    uint64_t behind;   /* warps that wait for that, by number */
    uint32_t launches; /* of kernels, by its warps */
    uint64_t asking;   /* warps that want their next parts, by number */
    uint64_t insts;    /* of parts that came later */
    uint32_t left;     /* warps not retired */
    uint32_t posted;   /* stores on their way, of those that are */
    bool gone;         /* the gpu knows that its warps are */
    uint32_t first_warp;
};

/* What was last told of a warp slot. */
struct sm_told {
    const struct loom_static_inst *inst;
    uint32_t reg;   /* that holds it up; UINT32_MAX: none */
    uint8_t reason; /* enum loom_wait_reason; LOOM_WAIT_REASONS: no warp */
};

struct sm_scheduler {
    _Alignas(64) uint64_t state[SM_STATES];

    uint64_t active;  /* started, with instructions left */
    uint64_t loading; /* loads or atomics outstanding */
    uint64_t next_unit[SM_WAYS];

    uint64_t missing;         /* wait for a line of instructions */
    uint64_t refused;         /* throttles were asked about these just now */
    uint32_t turn;            /* of memory instructions: the next warp */
    uint32_t idle_slot;       /* enum sm_slot of cycles slept through */
    uint64_t slots[SM_SLOTS]; /* what became of its cycles */
    uint64_t next[LOOM_OPS];
    uint64_t wake[SM_RING]; /* warps to look at again in a cycle */
};

/* What most ticks look at comes first, what is large last. */
struct sm {
    struct loom_component *self;
    const struct sm_config *config;
    struct sm_stats *stats;
    loom_cycle now;     /* of the running tick */
    loom_cycle counted; /* cycles before this are in the statistics */
    struct sm_scheduler *scheduler; /* [schedulers] */
    struct sm_warp *warp;           /* [warps] */
    uint64_t ring_used;             /* bit per cycle of the rings */

    struct loom_channel *gpu_in, *gpu_out, *ldst_out, *ldst_in;
    struct sm_result *result; /* [results] pool; [0] is not used */
    uint32_t results, result_free;
    uint32_t resident; /* warps */
    uint32_t buffered; /* warps with a valid instruction, after a tick */
    uint32_t told_buffered;
    uint32_t ending;        /* enum sm_ending */
    uint64_t done_slots;    /* CTAs to be reported done */
    uint64_t trigger_slots; /* CTAs to be reported as triggers */
    uint64_t launch_slots;  /* CTAs to be reported for their launches */
    uint64_t leave_slots;   /* CTAs to be reported as leaving */
    uint64_t ask_slots;     /* CTAs with warps that want their next parts */
    uint64_t incoming;      /* SM_FROM_*: what holds a message */

    uint64_t busy;      /* SM_GROUP bits per sub-core, bit per kind: no unit was
                         * free when last looked at */
    loom_cycle told_at; /* IBUFFER events: cycles before this are told */
    bool rotate;
    bool looks_on; /* for another of the warp, behind what is issued */
    bool again;    /* a message waits for the next cycle */
    bool waiting;  /* a command waits for the end of a kernel */
    bool changed;  /* something happened in this tick */
    bool prefers;  /* a throttle says who goes first */
    struct loom_bound scheduler_policy;
    const struct loom_scheduler_ops *scheduler_ops;
    struct loom_binding throttles;
    struct sm_bus_slot *bus; /* [SM_WHEEL]; NULL: without limit */

    struct loom_observers observers;
    struct sm_told *told; /* [warps] WAIT events, if anybody is told */
    uint64_t wheel_used[SM_WHEEL / 64];
    struct sm_op op[SM_OPS];
    uint8_t apart[LOOM_FORMS];        /* its place in op; 0: as its op */
    uint8_t more[LOOM_USES];          /* cycles of a result, by its reader */
    uint8_t multiplies;               /* enum sm_unit: tensor operations */
    const struct loom_kernel *kernel; /* announced last */
    uint64_t ages;                    /* warps started so far */
    loom_cycle barrier_free;          /* the next arrival is heard */
    loom_cycle start_free;            /* the next warp of a CTA can start */
    loom_cycle fence_at;              /* the last fence goes out; 0: none */
    struct sm_fetch fetch;
    struct sm_operands operands;
    /* By sub-core; without them all are in the first, as the load/store unit
     * always is.  Of SM_UNIT_MUL there is free_at only. */
    struct sm_unit_kind unit[SM_SCHEDULERS][SM_GROUP];
    uint32_t wheel[SM_WHEEL]; /* first result of a cycle, 0: none */
    struct sm_cta cta[SM_CTAS];
};

#endif

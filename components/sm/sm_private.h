/*
 * The inside of an SM, shared by its stages:
 *
 *     sm.c        the cycle, checks, report
 *     describe.c  the descriptor and the table of operations
 *     cta.c       commands of the gpu, CTAs and warps coming and going
 *     warp.c      what a warp waits for; its next instruction; barriers
 *     issue.c     the warp schedulers and why a slot was not used
 *     exec.c      execution units, the timing wheel, the load/store link
 *     fetch.c     fetch slots and the instruction cache
 *     collect.c   operand collectors and register banks
 *
 * Everything is driven by events.  A warp is always in exactly one state of
 * enum sm_state, and each scheduler has one mask per state: an event moves
 * one bit, and choosing a warp is a few operations on masks.  Nothing looks
 * at all warps in a cycle.
 *
 * Warp slot w belongs to scheduler w mod n and is bit w / n of its masks.
 */
#ifndef COMPONENTS_SM_SM_PRIVATE_H
#define COMPONENTS_SM_SM_PRIVATE_H

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
    SM_SCOREBOARD, /* a register */
    SM_READY,      /* its turn and a unit */
    SM_DRAIN,      /* all is issued; something is outstanding */
    SM_STATES
};

/* A cache line to a paragraph: what decides its state; its next instruction;
 * where it comes from and what is outstanding; copies. */
struct sm_warp {
    _Alignas(64) const struct loom_static_inst *inst; /* next; NULL: no more */
    uint64_t pending[LOOM_REG_WORDS]; /* registers that are not written */
    loom_cycle fetch_at; /* the next instruction can issue from here on */
    uint16_t atomics;    /* outstanding, that return a value */
    uint8_t scheduler, local, state;
    bool membar;
    bool awaits_copies;
    bool wrong; /* fetches the fall-through of a taken branch */

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
    uint32_t left;                        /* warps not retired */
    uint32_t first_warp;
};

struct sm_scheduler {
    _Alignas(64) uint64_t state[SM_STATES];

    uint64_t active;  /* started, with instructions left */
    uint64_t loading; /* loads or atomics outstanding */
    uint64_t next_unit[SM_UNITS];

    uint64_t missing;         /* wait for a line of instructions */
    uint64_t refused;         /* throttles were asked about these just now */
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
    struct sm_result *result; /* pool; [0] is not used */
    uint32_t result_free;
    uint32_t resident; /* warps */
    uint32_t buffered; /* warps with a valid instruction, after a tick */
    uint32_t told_buffered;
    uint32_t ending;     /* enum sm_ending */
    uint64_t done_slots; /* CTAs to be reported done */
    uint64_t incoming;   /* SM_FROM_*: what holds a message */

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
    uint64_t wheel_used[SM_WHEEL / 64];
    struct sm_op op[LOOM_OPS];
    const struct loom_kernel *kernel; /* announced last */
    uint64_t ages;                    /* warps started so far */
    struct sm_fetch fetch;
    struct sm_operands operands;
    /* By sub-core; without them all are in the first, as the load/store unit
     * always is. */
    struct sm_unit_kind unit[SM_SCHEDULERS][SM_UNITS];
    uint32_t wheel[SM_WHEEL]; /* first result of a cycle, 0: none */
    struct sm_cta cta[SM_CTAS];
};

/* ---- sm.c ---- */

extern const struct loom_component_ops sm_ops;

#define SM_ENERGY_COUNT 12
extern const struct loom_energy sm_energies[SM_ENERGY_COUNT]; /* energy.c */

/* ---- describe.c ---- */

void sm_make_ops(struct sm *sm);
bool sm_validate(const void *config, struct loom_error *err);
struct sm_kind sm_kind_of(const struct sm_config *config, uint32_t unit);

/* ---- cta.c ---- */

void sm_receive_commands(struct sm *sm);
void sm_send_dones(struct sm *sm);
/* The warp has nothing left to issue and nothing outstanding. */
void sm_retire(struct sm *sm, struct sm_warp *warp);
/* The L1 has answered a flush. */
void sm_flushed(struct sm *sm);

/* ---- warp.c ---- */

/* Decodes the warp's next instruction and says when it can issue. */
void sm_next_inst(struct sm *sm, struct sm_warp *warp);
/* Puts the warp into the state that its fields imply now; retires it if it
 * has nothing left. */
void sm_update(struct sm *sm, struct sm_warp *warp);
/* Looks at the warp again at `at`, at most SM_RING - 1 cycles ahead. */
void sm_wake_at(struct sm *sm, const struct sm_warp *warp, loom_cycle at);
void sm_wake_due(struct sm *sm);
void sm_barrier_arrive(struct sm *sm, struct sm_warp *warp, uint32_t barrier);
/* A warp of the CTA has no more instructions: others may go on. */
void sm_barrier_leave(struct sm *sm, struct sm_cta *cta);
struct loom_event sm_warp_event(const struct sm *sm, const struct sm_warp *warp,
                                enum loom_event_kind kind);

/* ---- issue.c ---- */

void sm_issue(struct sm *sm);
/* Next cycle at which a scheduler can issue without further events, and what
 * the cycles until then are counted as. */
loom_cycle sm_plan(struct sm *sm);

/* ---- exec.c ---- */

/* Kinds of units of which none is free at `at`. */
uint64_t sm_busy_at(struct sm *sm, loom_cycle at);
/* Sub-core of a scheduler's units of a kind. */
uint32_t sm_group(const struct sm *sm, uint32_t scheduler, uint32_t unit);
/* Is there a slot on the result bus `latency` cycles from now? */
bool sm_bus_free(const struct sm *sm, uint32_t latency);
bool sm_unit_free(const struct sm *sm, uint32_t group, uint32_t unit);
void sm_execute(struct sm *sm, struct sm_warp *warp);
/* What has its operands enters a unit that is free. */
void sm_start_flight(struct sm *sm, const struct sm_flight *flight);
void sm_write_due(struct sm *sm);
loom_cycle sm_next_write(const struct sm *sm);
void sm_receive_dones(struct sm *sm);

/* ---- fetch.c ---- */

bool sm_fetch_init(struct sm *sm, struct loom_error *err);
/* The warp's buffer is to be filled from warp->fetch_pc, at `from` or as soon
 * after it as there is a slot. */
void sm_fetch_want(struct sm *sm, struct sm_warp *warp, loom_cycle from);
/* Its time has come. */
void sm_fetch_woken(struct sm *sm, struct sm_warp *warp);
void sm_fetch_replies(struct sm *sm);
void sm_fetch(struct sm *sm);
/* Is there something to fetch in the next cycle? */
bool sm_fetch_again(const struct sm *sm);

/* ---- collect.c ---- */

bool sm_operands_init(struct sm *sm, struct loom_error *err);
void sm_operands_issue(struct sm *sm, const struct sm_warp *warp);
/* A result is written: its banks cannot be read in this cycle. */
void sm_operands_write(struct sm *sm, const struct sm_warp *warp,
                       const struct loom_static_inst *inst);
/* The same for a load, if its banks are not being written: else false. */
bool sm_operands_try_write(struct sm *sm, const struct sm_warp *warp,
                           const struct loom_static_inst *inst);
void sm_operands_step(struct sm *sm);
/* Next cycle in which a step can do something without further events. */
loom_cycle sm_operands_next(const struct sm *sm);

#endif

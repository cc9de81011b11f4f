/*
 * The inside of an SM, shared by its stages:
 *
 *     describe.c  the descriptor
 *     sm.c        the cycle, checks, report
 *     issue.c     the warp schedulers and why a slot was not used
 *     exec.c      instructions that issue and are done
 *     collect.c   operand collectors and register banks
 *     units.c     execution units, the timing wheel, the load/store link
 *     cta.c       commands of the gpu, CTAs and warps coming and going
 *     parts.c     warps whose streams come in parts
 *     warp.c      what a warp waits for; its next instruction; its end
 *     barrier.c   barriers of a CTA
 *     fetch.c     fetch slots and the instruction cache
 *     pass.c      CTAs that are left out of time
 *     tell.c      events
 *     kinds.c     kinds of units, the table of operations
 *     energy.c    what instructions take
 *
 * A file calls those further down only.
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

#include "components/sm/sm_types_private.h"

/* Products that are made one after the other (kinds.c). */
struct sm_op sm_several(struct sm_op op, uint32_t parts);

/* What an instruction adds to statistics, in time or not. */
static LOOM_INLINE void sm_count_inst(struct sm_stats *stats,
                                      const struct loom_static_inst *inst,
                                      uint32_t mask)
{
    stats->warp_insts++;
    stats->lane_slots += LOOM_WARP_LANES;
    stats->thread_insts +=
        mask == UINT32_MAX ? LOOM_WARP_LANES : loom_popcount(mask);
    stats->insts[inst->op]++;
}

/* How the instruction is executed, by its op or, if the machine has that
 * apart, its form: one of it; all of its parts; where. */
static LOOM_INLINE struct sm_op
sm_timing_of_one(const struct sm *sm, const struct loom_static_inst *inst)
{
    uint32_t apart = sm->apart[inst->form];

    return sm->op[apart != 0 ? apart : inst->op];
}

static LOOM_INLINE struct sm_op sm_timing(const struct sm *sm,
                                          const struct loom_static_inst *inst)
{
    struct sm_op op = sm_timing_of_one(sm, inst);

    return LOOM_UNLIKELY(inst->parts > 1) ? sm_several(op, inst->parts) : op;
}

static LOOM_INLINE uint32_t sm_unit_of(const struct sm *sm,
                                       const struct loom_static_inst *inst)
{
    return sm_timing_of_one(sm, inst).unit;
}

/* Looks at the warp again at `at`, at most SM_RING - 1 cycles ahead. */
static inline void sm_wake_at(struct sm *sm, const struct sm_warp *warp,
                              loom_cycle at)
{
    LOOM_DEBUG_CHECK(at > sm->now && at - sm->now < SM_RING);
    sm->scheduler[warp->scheduler].wake[at % SM_RING] |= warp->bit;
    sm->ring_used |= loom_bit((uint32_t)(at % SM_RING));
}

/* If that is farther ahead than the ring reaches, as far as it does. */
static inline void sm_wake_until(struct sm *sm, const struct sm_warp *warp,
                                 loom_cycle at)
{
    loom_cycle most = sm->now + SM_RING - 1;

    sm_wake_at(sm, warp, at < most ? at : most);
}

/* ---- sm.c, energy.c ---- */

extern const struct loom_component_ops sm_ops;

#define SM_ENERGY_COUNT 12
extern const struct loom_energy sm_energies[SM_ENERGY_COUNT];

/* ---- issue.c ---- */

void sm_issue(struct sm *sm);
/* Ready warps of a scheduler that could issue in the next cycle. */
uint64_t sm_issuable(struct sm *sm, uint32_t number);
/* Next cycle at which a scheduler can issue without further events, and what
 * the cycles until then are counted as. */
loom_cycle sm_plan(struct sm *sm);

/* ---- exec.c ---- */

void sm_execute(struct sm *sm, struct sm_warp *warp);
void sm_write_due(struct sm *sm);
void sm_receive_dones(struct sm *sm);

/* ---- collect.c ---- */

bool sm_operands_init(struct sm *sm, struct loom_error *err);
void sm_operands_issue(struct sm *sm, const struct sm_warp *warp);
/* A result is written: its banks cannot be read in this cycle. */
void sm_operands_write(struct sm *sm, const struct sm_warp *warp,
                       const struct loom_static_inst *inst);
/* The same for a load, if its banks are not being written: else false. */
bool sm_operands_try_write(struct sm *sm, const struct sm_warp *warp,
                           const struct loom_static_inst *inst);
/* No instruction is under way. */
void sm_operands_rest(struct sm *sm);
void sm_operands_step(struct sm *sm);
/* Next cycle in which a step can do something without further events. */
loom_cycle sm_operands_next(const struct sm *sm);

/* ---- units.c ---- */

/* Kinds of units of which none is free at `at`. */
uint64_t sm_busy_at(struct sm *sm, loom_cycle at);
/* Sub-core of a scheduler's units of a kind. */
uint32_t sm_group(const struct sm *sm, uint32_t scheduler, uint32_t unit);
bool sm_unit_free(const struct sm *sm, uint32_t group, uint32_t unit);
void sm_take_unit(struct sm *sm, uint32_t group, struct sm_op op);
/* The warp's product goes into the queue of a unit. */
void sm_queue_product(struct sm *sm, struct sm_warp *warp);
/* Is there a slot on the result bus `latency` cycles from now? */
bool sm_bus_free(const struct sm *sm, uint32_t latency);
void sm_take_bus(struct sm *sm, uint32_t latency);
void sm_write_later(struct sm *sm, uint32_t warp, uint32_t inst,
                    uint32_t latency);
loom_cycle sm_next_write(const struct sm *sm);
void sm_send_access(struct sm *sm, const struct sm_warp *warp,
                    const struct loom_warp_inst *inst, uint16_t rank);
/* What has its operands enters a unit that is free. */
void sm_start_flight(struct sm *sm, const struct sm_flight *flight,
                     struct sm_op op);

/* ---- cta.c ---- */

void sm_receive_commands(struct sm *sm);
void sm_send_dones(struct sm *sm);
/* griddepcontrol: lets the next kernel begin, or waits for the one before; or
 * launches kernels. */
void sm_depend(struct sm *sm, struct sm_warp *warp);
/* The L1 has answered a flush. */
void sm_flushed(struct sm *sm);

/* ---- parts.c ---- */

void sm_meet(struct loom_component *self, loom_cycle now);

/* ---- pass.c ---- */

extern const struct loom_warm_ops sm_warm;

/* ---- warp.c ---- */

/* Decodes the warp's next instruction and says when it can issue. */
void sm_next_inst(struct sm *sm, struct sm_warp *warp);
/* Puts the warp into the state that its fields imply now; retires it if it
 * has nothing left. */
void sm_update(struct sm *sm, struct sm_warp *warp);
/* A store of a warp that has retired. */
void sm_arrived(struct sm *sm, struct sm_cta *cta);
void sm_wake_due(struct sm *sm);

/* ---- barrier.c ---- */

void sm_barrier_arrive(struct sm *sm, struct sm_warp *warp, uint32_t barrier);
/* A warp that waits at a barrier is looked at again when it may go on. */
void sm_barrier_wake(struct sm *sm, const struct sm_warp *warp);
/* Keeps the warp until then, if that is to come. */
void sm_hold(struct sm *sm, struct sm_warp *warp, loom_cycle until,
             enum sm_state as);
/* A warp of the CTA has no more instructions: others may go on. */
void sm_barrier_leave(struct sm *sm, struct sm_cta *cta);

/* ---- fetch.c ---- */

bool sm_fetch_init(struct sm *sm, struct loom_error *err);
/* The warp's buffer is to be filled from warp->fetch_pc, at `from` or as soon
 * after it as there is a slot. */
void sm_fetch_want(struct sm *sm, struct sm_warp *warp, loom_cycle from);
/* Its time has come. */
void sm_fetch_woken(struct sm *sm, struct sm_warp *warp);
/* A CTA starts whose kernel's instructions are from that address on. */
void sm_fetch_begin(struct sm *sm, loom_addr code);
void sm_fetch_replies(struct sm *sm);
void sm_fetch(struct sm *sm);
/* Is there something to fetch in the next cycle? */
bool sm_fetch_again(const struct sm *sm);

/* ---- tell.c ---- */

struct loom_event sm_warp_event(const struct sm *sm, const struct sm_warp *warp,
                                enum loom_event_kind kind);
void sm_tell_kernel(const struct sm *sm, const struct loom_kernel *kernel,
                    enum loom_event_kind kind);
void sm_tell_cta(const struct sm *sm, const struct sm_cta *cta,
                 enum loom_event_kind kind);
void sm_tell_warp(const struct sm *sm, const struct sm_warp *warp,
                  enum loom_event_kind kind);
/* An event for each warp that waits for something else now.  By scheduler:
 * the ready warps that could issue in the next cycle. */
void sm_tell_waits(const struct sm *sm, const uint64_t issuable[]);
/* One event for each loop that the step from `from` to `to` leaves,
 * innermost first.  `inst` is the last instruction inside. */
void sm_tell_loops(const struct sm *sm, const struct sm_warp *warp,
                   uint32_t inst, uint16_t to);

/* ---- kinds.c ---- */

bool sm_validate(const void *config, struct loom_error *err);
struct sm_kind sm_kind_of(const struct sm_config *config, uint32_t unit);
void sm_make_ops(struct sm *sm);

#endif

/*
 * Building and running a machine: clocks, components, policies, links.
 *
 * This is what the Lua binding and the tests call, in this order:
 *
 *     create -> clock.. -> add.. -> set.. -> attach.. -> link.. -> freeze
 *            -> command / run / settle / read statistics .. -> check
 *            -> destroy
 *
 * Nothing is ticked before freeze.  Components and policies never include
 * this header: a component cannot create another one.
 *
 * Order of everything: (time, phase, tick order, port, sequence).  Component
 * ids come from the sorted canonical paths, never from the order of creation.
 * Tick order is by id except that components of one group (those that share
 * a policy instance) tick together in ascending `depth`.
 */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/component.h"
#include "engine/interrupt.h"

struct loom_machine;

struct loom_machine *loom_machine_create(uint64_t seed);
void loom_machine_destroy(struct loom_machine *machine); /* accepts NULL */

/* A clock domain.  Returns its number.  Clocks of equal frequency are one
 * clock.  0 < hertz <= 10^12.  LOOM_NO_CLOCK, with which no component can be
 * added: there is no memory. */
#define LOOM_NO_CLOCK UINT32_MAX
uint32_t loom_machine_clock(struct loom_machine *machine, uint64_t hertz);

/* Canonical paths are unique: "gpu[0].sm[3].l1d". */
struct loom_component *loom_machine_add(struct loom_machine *machine,
                                        const struct loom_component_type *type,
                                        const char *path, uint32_t clock,
                                        struct loom_error *err);
/* Path of a policy: that of the component it was first attached to, then
 * ".policy.<name>"; made unique by the caller. */
struct loom_policy *loom_machine_add_policy(struct loom_machine *machine,
                                            const struct loom_policy_type *type,
                                            const char *path,
                                            struct loom_error *err);

/* Sets one parameter.  An unknown name is an error, never ignored.  Strings
 * and lists are copied. */
bool loom_machine_set(struct loom_component *component, const char *param,
                      union loom_value value, struct loom_error *err);
bool loom_machine_set_policy(struct loom_policy *policy, const char *param,
                             union loom_value value, struct loom_error *err);

/* The same where the declaration of the parameter, one of the type's, is at
 * hand. */
bool loom_machine_put(struct loom_component *component,
                      const struct loom_param *param, union loom_value value,
                      struct loom_error *err);
bool loom_machine_put_policy(struct loom_policy *policy,
                             const struct loom_param *param,
                             union loom_value value, struct loom_error *err);

/* Attaches the facet of `policy` that answers the slot's hook. */
bool loom_machine_attach(struct loom_component *component, const char *slot,
                         struct loom_policy *policy, struct loom_error *err);

/* Timing of one direction of a link. */
struct loom_wire {
    loom_cycle latency; /* >= 1, cycles of the receiver's clock */
    loom_cycle credit;  /* >= 1, cycles of the sender's clock */
    uint32_t capacity;  /* >= 1 messages */
};
struct loom_end {
    struct loom_component *component;
    const char *port;
    uint32_t index;
};
bool loom_machine_link(struct loom_machine *machine, struct loom_end client,
                       struct loom_end server, struct loom_wire request,
                       struct loom_wire reply, struct loom_error *err);

/* Tests only: ticks components in an order shuffled by `seed`, all of them in
 * the order of time (engine/ahead.c).  Groups stay together and in their inner
 * order. */
void loom_machine_shuffle(struct loom_machine *machine, uint64_t seed);

/* How many threads run the machine, 1 unless set; any number gives the same
 * bits.  More than there are islands are not started. */
#define LOOM_THREADS_MAX 64
enum loom_pace {
    LOOM_PACE_FIXED,  /* all of them, always */
    LOOM_PACE_CHANGE, /* tests: one, two, ... all, in turn */
    LOOM_PACE_PAYS    /* as many as make it faster, tried now and then */
};
void loom_machine_threads(struct loom_machine *machine, uint32_t threads,
                          enum loom_pace pace);

/* Who may stop runs from outside, which they see within some thousand windows.
 * NULL, as at first: nobody. */
void loom_machine_interruptible(struct loom_machine *machine,
                                struct loom_interrupt *interrupt);

/* Sorts, checks that required ports and slots are filled, validates and
 * initialises every part.  Errors of all parts are reported to `sink`, one
 * call each; returns false if there was any. */
typedef void loom_error_sink(void *context, const char *path,
                             const struct loom_error *err);
bool loom_machine_freeze(struct loom_machine *machine, loom_error_sink *sink,
                         void *context);

/* From now on components may meet (loom_meet()): one thread runs the machine
 * then, and nobody runs ahead. */
void loom_machine_together(struct loom_machine *machine, bool together);

/* Why a run ended.  A run ends between windows of the lookahead. */
enum loom_stop {
    LOOM_STOP_NOTIFY, /* a component called loom_notify */
    LOOM_STOP_IDLE,   /* nothing will ever happen again */
    LOOM_STOP_TIME,   /* `until` was reached */
    LOOM_STOP_STUCK,  /* no progress for `patience` */
    LOOM_STOP_ERROR,  /* a component called loom_raise */
    LOOM_STOP_ASKED   /* the word of loom_machine_interruptible() was set */
};
/* Runs until one of the above: windows of the lookahead, on a grid from time
 * 0, are finished first, so a run may go past `until` by less than that.
 * `until` and `patience` are femtoseconds; LOOM_NEVER for no limit.  On
 * LOOM_STOP_ERROR *err is filled in.  Patience is at least what a component
 * says that it needs (loom_may_take()).  Whoever waits for something longer
 * than that, and has asked to be woken then, is waited for, up to eight times
 * without progress in between: a timer that goes off again and again hides no
 * deadlock. */
enum loom_stop loom_machine_run(struct loom_machine *machine, loom_time until,
                                loom_time patience, struct loom_error *err);

/* What outside asks of a component; its ops->command. */
bool loom_machine_command(struct loom_component *component, const void *command,
                          struct loom_error *err);

/* Has no component raised an error?  For who gives commands and does not run
 * the machine, which would say so. */
bool loom_machine_sound(const struct loom_machine *machine,
                        struct loom_error *err);

/* Is nothing under way between components that serve warm messages
 * (engine/warm.h), nor in one of them? */
bool loom_machine_quiet(const struct loom_machine *machine);

/* Brings all counters up to the present. */
void loom_machine_settle(struct loom_machine *machine);

/* Tells all policies of work, by its number, before it is given to a component
 * (loom_policy_type.given).  False: no memory. */
bool loom_machine_given(struct loom_machine *machine, uint32_t number,
                        const void *work, uint32_t kind,
                        struct loom_error *err);

/* All conservation laws; also that no message is left in a channel.  Errors
 * go to `sink`. */
bool loom_machine_check(struct loom_machine *machine, loom_error_sink *sink,
                        void *context);

/* The no-progress report as text (full channels, who waits for whom, what
 * each component holds, oldest first).  The caller frees it. */
char *loom_machine_report(struct loom_machine *machine);

/* So much time passes in which no part of the machine takes part: they do not
 * notice.  Times that are given to a machine and had from it have it. */
void loom_machine_skip(struct loom_machine *machine, loom_time time);
loom_time loom_machine_now(const struct loom_machine *machine);
loom_cycle loom_machine_cycle(const struct loom_machine *machine,
                              uint32_t clock);

/* Reading the machine, for statistics and topology. */
uint32_t loom_machine_component_count(const struct loom_machine *machine);
struct loom_component *
loom_machine_component(const struct loom_machine *machine, uint32_t id);
struct loom_component *loom_machine_find(const struct loom_machine *machine,
                                         const char *path);
/* Those that are no part of the machine are not among them. */
uint32_t loom_machine_policy_count(const struct loom_machine *machine);
struct loom_policy *loom_machine_policy(const struct loom_machine *machine,
                                        uint32_t number); /* by path */
const struct loom_component_type *
loom_component_type_of(const struct loom_component *component);
uint32_t loom_component_clock(const struct loom_component *component);
uint64_t loom_machine_hertz(const struct loom_machine *machine, uint32_t clock);
/* The component that hosts a policy (the first it was attached to). */
struct loom_component *loom_policy_host(const struct loom_policy *policy);

struct loom_link_info {
    struct loom_end client, server;
    struct loom_wire request, reply;
    const struct loom_protocol *protocol;
};
uint32_t loom_machine_link_count(const struct loom_machine *machine);
struct loom_link_info loom_machine_link_info(const struct loom_machine *machine,
                                             uint32_t number);
/* Messages that are in a link's two channels now, on their way or waiting. */
struct loom_link_load {
    uint32_t request, reply;
};
struct loom_link_load loom_machine_link_load(const struct loom_machine *machine,
                                             uint32_t number);

/* Parts of the machine that can run beside each other, and the longest time
 * in which none of them can affect another, in femtoseconds. */
uint32_t loom_machine_islands(const struct loom_machine *machine);
loom_time loom_machine_lookahead(const struct loom_machine *machine);

/* Ticks executed so far: the engine's own work, for benchmarks; and those of
 * them that ran ahead (engine/ahead.c). */
uint64_t loom_machine_ticks(const struct loom_machine *machine);
uint64_t loom_machine_ticks_ahead(const struct loom_machine *machine);

#endif

/*
 * The digest of what a run has computed.
 *
 * Two runs that agree in every counter of every part have the same digest;
 * the driver adds the simulated memory.  It is what tests of determinism and
 * users of `warploom diff` compare first.
 */
#ifndef STATS_STATE_H
#define STATS_STATE_H

#include "engine/digest.h"
#include "engine/machine.h"

/* Adds all counters, gauges, vectors, arrays and histograms of all
 * components and then all policies, in order of id, brought up to now.  Each
 * is preceded by its instance's path and its name, so moving a count from
 * one to another changes the digest. */
void loom_state_digest(struct loom_machine *machine,
                       struct loom_digest *digest);

#endif

/*
 * Energy events of the parts in stats_rig.h.  Nobody has coefficients for
 * them unless a test brings a model.
 */
#ifndef TESTS_UNIT_ENERGY_RIG_H
#define TESTS_UNIT_ENERGY_RIG_H

#include "engine/energy.h"

static const struct loom_energy rig_core_energies[] = {
    {"hit", "A hit", "hits", 2.0, "a test"},
    {"mixed", "Stalls", "accesses + 3*stall.memory + stall", 0.5, "a test"},
    {"idle", "Leakage", "time", 1.0, "assumed: a test"}};
static const struct loom_energy rig_store_energies[] = {
    {"fill", "A fill", "fills", 4.0, "a test"}};

#endif

/*
 * HDF5 ends a process that has no memory left, by a fault or by exit(-1).
 * With this guard such a process says why and ends with a status of its own.
 */
#ifndef STATS_GUARD_H
#define STATS_GUARD_H

#include "engine/base.h"

#define LOOM_H5_GUARD_STATUS 5

/* For the main program, once; false if it cannot be had. */
bool loom_h5_guard(void);

#endif

/*
 * What S-L1's instructions are for, as marks of static instructions
 * (workloads/stream.h): sl1 writes them, sl1_count counts them.
 *
 * A mark is a role, and in its low byte the kernel's parameter that the
 * structure came by.
 */
#ifndef POLICIES_LIB_SL1_MARKS_H
#define POLICIES_LIB_SL1_MARKS_H

enum sl1_role {
    SL1_NOTHING,   /* the program's own */
    SL1_SIMULATED, /* once for each access in the monitoring slice */
    SL1_SIMULATE,  /* the rest of simulateCache() */
    SL1_LOOKED_UP, /* once for each access in the computation slice */
    SL1_CACHED,    /* once for each of these that the cache serves */
    SL1_FILLED,    /* once for each line that is filled */
    SL1_MANAGE,    /* the rest of accessThroughCache(), flushes */
    SL1_DECIDE,    /* what is cached, and how control passes */
    SL1_ROLES
};

#define SL1_ROLE_SHIFT 8

#endif

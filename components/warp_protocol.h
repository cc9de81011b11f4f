/*
 * Between an SM and its load/store unit: warp memory instructions one way,
 * completions the other.
 *
 * The instruction's lane addresses are not copied: `inst` points into the
 * CTA's stream, which stays valid until the CTA has finished, and no CTA
 * finishes before all its completions have been received.
 */
#ifndef COMPONENTS_WARP_PROTOCOL_H
#define COMPONENTS_WARP_PROTOCOL_H

#include "engine/channel.h"

#include "workloads/stream.h"

struct loom_warp_access {
    const struct loom_kernel *kernel; /* NULL: command instead (flush) */
    struct loom_warp_inst inst; /* decoded record; points into the stream */
    loom_time born;             /* when it issued */
    uint32_t cta;               /* linear CTA id */
    uint16_t warp;              /* hardware warp slot */
    uint16_t rank;
    uint8_t scheduler;
    uint8_t slot;    /* of its CTA */
    uint8_t command; /* enum loom_warp_command */
};

enum loom_warp_command {
    LOOM_WARP_MEMORY, /* the memory instruction `inst` */
    LOOM_WARP_FLUSH   /* drop the L1's contents; answered with a done */
};

_Static_assert(sizeof(struct loom_warp_access) <= LOOM_MESSAGE_MAX,
               "an access is one message");

enum loom_warp_done_kind {
    LOOM_DONE_LOAD,   /* registers written: release the scoreboard */
    LOOM_DONE_STORE,  /* all acknowledgements are back */
    LOOM_DONE_ATOMIC, /* as a load, and the warp may issue again */
    LOOM_DONE_FLUSH
};

struct loom_warp_done {
    uint16_t warp;
    uint8_t kind;  /* enum loom_warp_done_kind */
    uint8_t slot;  /* as the access has it; the warp's may be another's now */
    uint32_t inst; /* static instruction index */
    uint32_t cta;
};

/* Client: the SM.  Server: its load/store unit. */
extern const struct loom_protocol loom_warp_protocol;

#endif

/*
 * What the stages of an SM share: its units, that is execution units, the
 * fetch stage and the operand collectors, and where messages come from.
 *
 * All of it belongs to one SM, is sized in init and changes in ticks only.
 */
#ifndef COMPONENTS_SM_SM_UNITS_PRIVATE_H
#define COMPONENTS_SM_SM_UNITS_PRIVATE_H

#include "engine/channel.h"

#include "workloads/stream.h"

enum {
    SM_WHEEL = 1024, /* cycles that a result can lie ahead; power of 2 */
    SM_RING = 64,    /* cycles that a warp's wake-up can lie ahead */
    /* Of a CTA (PTX ISA, bar), and its cluster's. */
    SM_NAMED_BARRIERS = LOOM_CLUSTER_BARRIER + 1,
    SM_COPY_GROUPS = 16,   /* that a warp can tell apart; power of 2 */
    SM_PRODUCT_GROUPS = 8, /* likewise (PTX ISA: wgmma.wait_group 0..7) */
    SM_CTAS = 64,
    SM_SCHEDULERS = 8,
    SM_UNITS_MAX = 16, /* of one kind */
    SM_GROUP = 8,      /* bits of a busy mask for the units of a sub-core */
    SM_GENERIC = 7,    /* the collectors for all kinds, in such a mask */
    SM_BANKS = 64,
    SM_WARP_WORDS = 8,  /* 64-bit words for a bit per warp slot */
    SM_READS = 12,      /* registers that an instruction reads at most */
    SM_WRITE_CYCLES = 2 /* from the end of a unit to the register file */
};

/* Kinds of execution units. */
enum sm_unit {
    SM_UNIT_SP,
    SM_UNIT_INT,
    SM_UNIT_DP,
    SM_UNIT_SFU,
    SM_UNIT_TENSOR,
    SM_UNIT_LDST,
    SM_UNIT_QUEUE, /* places in front of tensor units, for warpgroups */
    SM_UNITS
};
_Static_assert(SM_UNITS == (int)SM_GENERIC && SM_GENERIC < (int)SM_GROUP,
               "a mask has a bit for each set of collectors");

/* What instructions may want besides, where SP units multiply integers: the
 * first of them, which a mask has in place of the collectors for all kinds; it
 * or an integer unit. */
enum {
    SM_UNIT_MUL = SM_GENERIC,
    SM_UNIT_EITHER,
    SM_WAYS
};

/* Where messages come from: bits of a mask. */
enum {
    SM_FROM_GPU = 1,
    SM_FROM_LDST = 2,
    SM_FROM_L1I = 4
};

/* The end of a kernel on this SM. */
enum sm_ending {
    SM_RUNNING,
    SM_FLUSH_SEND,
    SM_FLUSH_WAIT,
    SM_ANSWER
};

/* Ops, and behind them forms of ops. */
enum {
    SM_OPS = LOOM_OPS + (int)LOOM_FORMS
};
/* How an op class is executed. */
struct sm_op {
    uint16_t latency;  /* cycles from issue until its result can be used */
    uint16_t interval; /* cycles for which its unit takes no other */
    uint16_t rest;     /* of the interval, in 1/256 of a cycle: below 256 */
    uint16_t unit;     /* enum sm_unit, or SM_UNIT_MUL or _EITHER */
};

/* Where the fetch of a warp is; used only if there is a fetch stage. */
enum sm_fetch_step {
    SM_FETCH_NONE,  /* the next instruction is in the buffer or comes */
    SM_FETCH_DELAY, /* from `fetch_at` on it wants a slot */
    SM_FETCH_WANT,  /* waits for a fetch slot */
    SM_FETCH_MISS,  /* waits for its line */
    SM_FETCH_FILLED /* its line has come; waits for a slot */
};

/* A result on its way. */
struct sm_result {
    uint32_t next; /* of the same cycle, 0: none; or engine/free_list.h */
    uint32_t inst; /* static index */
    uint32_t warp;
};

struct sm_unit_kind {
    loom_cycle free_at; /* the earliest of: */
    uint32_t count;
    loom_cycle until[SM_UNITS_MAX]; /* from then on a unit is free */
    uint8_t rest[SM_UNITS_MAX];     /* of intervals, not waited for yet */
};

/* Results that the bus delivers in a cycle. */
struct sm_bus_slot {
    loom_cycle at;
    uint32_t count;
};

/* Warps in the order in which they came, by `behind`. */
struct sm_fetch_list {
    uint16_t first, last, count;
};

/* A request for instructions on its way, and who waits for it. */
struct sm_fetch_miss {
    uint64_t line; /* number + 1; 0: free */
    struct sm_fetch_list waiting;
};

/* The fetch slots and the instruction cache (fetch.c). */
struct sm_fetch {
    struct loom_channel *out, *in; /* port l1i; NULL: not connected */
    uint64_t want[SM_WARP_WORDS];  /* bit per warp slot */
    struct sm_fetch_list filled;   /* SM_FETCH_FILLED */
    uint64_t *line;                /* [sets * ways] number + 1; 0: none */
    loom_cycle *used;              /* [sets * ways] last use */
    loom_cycle *ready;             /* [sets * ways] there from then on */
    loom_cycle free;               /* the last one on its way is there */
    bool *ahead;                   /* [sets * ways] nobody has used it */
    struct sm_fetch_miss *miss;    /* [l0i_mshrs], or [warps] without l0i */
    uint32_t misses;               /* how many of them */
    uint32_t last;                 /* warp fetched last */
    uint32_t line_shift;
    uint32_t words; /* of want that are used */
    bool stage;     /* false: every warp fetches on its own and hits */
    bool streams;   /* lines come at a rate, from no port */
    bool blocked;   /* the wants of this cycle wait for a reply or for room */
};

/* An instruction between issue and its unit (collect.c). */
struct sm_flight {
    _Alignas(64) struct loom_warp_inst inst;
    uint64_t order;  /* of issue */
    uint16_t next;   /* of the free ones: engine/free_list.h */
    uint16_t rank;   /* of its warp at issue */
    uint16_t warp;   /* slot */
    uint8_t unit;    /* enum sm_unit */
    uint8_t group;   /* sub-core of its scheduler */
    uint8_t missing; /* operands not read */
    uint8_t set;     /* its collector: the bit of the set, and in that */
    uint8_t place;
};

/* Instructions of one kind in front of or behind the collectors. */
struct sm_latch {
    uint16_t count, capacity;
    uint16_t flight[SM_UNITS_MAX];
};

/* Collector units [first, end) that share ports. */
struct sm_collectors {
    uint16_t first, end;
    uint16_t ports; /* accepted and dispatched in a cycle */
    uint16_t last;  /* dispatched last */
    uint16_t held;  /* units in use */
    uint64_t ready; /* bit per unit: all operands of what is in it are read */
};

/* Operands that wait for a bank: a ring of the instructions they are of.
 * An empty one begins at its start again, which is in the host's cache. */
struct sm_bank {
    uint16_t head, count;
    uint16_t flight[]; /* [sm_operands.units * SM_READS] */
};

struct sm_operands {
    struct sm_flight *flight; /* pool; [0] is not used */
    uint16_t *unit;           /* [units] flight in a collector unit; 0: free */
    unsigned char *bank;      /* [register_banks] of bank_bytes */
    uint32_t bank_bytes;
    uint32_t flight_free, flights, units;
    uint32_t busy; /* instructions between issue and their unit */
    bool moved;    /* something changed place since the last step began */
    bool on;
    uint64_t written; /* bit per bank: taken by a write in this cycle */
    uint64_t asked;   /* bit per bank: operands wait for it */
    /* SM_GROUP bits per sub-core. */
    uint64_t full;     /* latches of issue without room */
    uint64_t waiting;  /* latches of issue with something in them */
    uint64_t leaving;  /* likewise behind the collectors */
    uint64_t refusing; /* of those: with a reason in `refused` */
    uint64_t gathered; /* sets of collectors with one that is ready */
    uint64_t orders;
    /* By sub-core and kind. */
    struct sm_collectors own[SM_SCHEDULERS][SM_UNITS];
    struct sm_collectors generic[SM_SCHEDULERS];
    struct sm_latch in[SM_SCHEDULERS][SM_UNITS];
    struct sm_latch out[SM_SCHEDULERS][SM_UNITS];
    uint8_t refused[SM_SCHEDULERS][SM_UNITS]; /* enum sm_slot, 0: none */
};

#endif

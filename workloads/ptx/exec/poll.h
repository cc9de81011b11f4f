/*
 * What is remembered of a warp that may wait for others: see ptx_give_way()
 * (meet.h).
 */
#ifndef WORKLOADS_PTX_EXEC_POLL_H
#define WORKLOADS_PTX_EXEC_POLL_H

#include <stdint.h>

/* Rounds of a loop after which one looks whether anything changes in it, and
 * how many loops, nested, that is known of. */
#define EXEC_POLLS_FIRST 16u
#define EXEC_POLLED 4u
/* Rounds after which lanes give way that count as they wait. */
#define EXEC_POLLS_LONG 4096u

/* A loop: where its branches with EXEC_POLLS go, how often they have since it
 * was entered here or the warp gave way; after how many of these the warp's
 * state is looked at, and a digest of it then.  due 0: none. */
struct exec_poll {
    uint32_t target, rounds, due;
    uint64_t state;
};

struct exec_polls {
    struct exec_poll loop[EXEC_POLLED];
    uint32_t next; /* of these, that makes room for another one */
    /* launch->moved when the warp gave way last, and how often it has since
     * that changed. */
    uint32_t gave;
    uint64_t moved;
};

#endif

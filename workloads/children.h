/*
 * What a kernel has asked the system for while it was executed: launches of
 * other kernels (CUDA's dynamic parallelism), copies, and what orders them.
 *
 * The driver reads the list when all CTAs are executed and gives the tasks
 * then: memory sees them after the kernel, and in time they begin as soon as
 * they were asked for.
 */
#ifndef WORKLOADS_CHILDREN_H
#define WORKLOADS_CHILDREN_H

#include "engine/error.h"

#include "workloads/stream.h"

enum loom_child_kind {
    LOOM_CHILD_LAUNCH,
    LOOM_CHILD_MOVE,   /* a copy within the device's memory, of rows */
    LOOM_CHILD_FILL,   /* rows of bytes, each `value` */
    LOOM_CHILD_RECORD, /* of the event `event` */
    LOOM_CHILD_WAIT,   /* for its last record, if there is one */
    LOOM_CHILD_KINDS
};

/* CUDA's handles of streams that are there for every kernel.  The first three
 * are one stream for each CTA, the others none that orders anything. */
#define LOOM_CHILD_STREAM_CTA 2u /* 0, legacy; 1, per thread */
#define LOOM_CHILD_STREAM_LAST                                                 \
    3u                             /* after the kernel and its other children  \
                                    */
#define LOOM_CHILD_STREAM_ALONE 4u /* at once */
#define LOOM_CHILD_STREAM_OWN 16u  /* those that kernels make: from here on */

struct loom_child {
    enum loom_child_kind kind;
    uint32_t cta; /* linear id of who asked */
    uint64_t stream;
    /* LAUNCH */
    const char *kernel; /* of the same program */
    struct loom_dim3 grid, block;
    uint32_t shared_bytes; /* dynamic */
    uint32_t param_bytes;
    unsigned char *params; /* [param_bytes], the list's own; NULL: none */
    /* MOVE, FILL */
    uint64_t to, from, bytes, rows; /* bytes of a row */
    uint64_t to_pitch, from_pitch;  /* from one row to the next; rows > 1 */
    uint8_t value;
    /* RECORD, WAIT */
    uint64_t event;
};

struct loom_children {
    struct loom_child *item; /* [count], as asked for: in the order of CTAs,
                              * but where these take turns */
    uint32_t count, room;
};

/* A new one at the end, all 0; NULL: no memory. */
struct loom_child *loom_children_add(struct loom_children *list);
void loom_children_free(struct loom_children *list);

#endif

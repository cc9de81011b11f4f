/*
 * A region of a block as values and those who make and use them: each write
 * makes a value of its own, so that only data and memory say what comes before
 * what (region.c).  Sizes are in registers.
 */
#ifndef WORKLOADS_PTX_ANALYSIS_REGION_PRIVATE_H
#define WORKLOADS_PTX_ANALYSIS_REGION_PRIVATE_H

#include "workloads/ptx/analysis/analysis_private.h"

struct region_value {
    uint32_t writer; /* node + 1; 0: from before */
    uint32_t left;   /* nodes that read it */
    int32_t size;
    bool out;  /* needed behind the region */
    bool data; /* what a store or an atomic reads beside a wide address */
    bool same; /* for all lanes */
};

struct region_uses { /* of a node, in list: what it reads, then writes */
    uint32_t first, reads, writes;
};

struct region {
    const struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    const struct ptx_sinks *sinks;
    uint8_t *holds;           /* [reg_count] */
    struct ptx_node *node;    /* [PTX_NODES] */
    struct region_uses *uses; /* [PTX_NODES] */
    uint32_t nodes;
    struct region_value *value;
    uint32_t values, value_room;
    uint32_t *list; /* of values */
    uint32_t listed, list_room;
    uint32_t *name; /* [named]: registers that the region names */
    uint32_t named, number;
    uint32_t *stamp; /* [reg_count]: the last region that names it */
    uint32_t *now;   /* [reg_count]: its value in that region */
    bool *live;      /* [reg_count]: behind what is built, then before it */
    bool *entered;   /* [reg_count]: the region reads it from before */
    int32_t base;    /* size of what lives, but for what the region names */
    int32_t entry;   /* size of what the region names and has from before */
    bool failed;
};

bool region_open(struct region *r, const struct ptx_analysis *a,
                 const struct ptx_ranges *range, const struct ptx_sinks *sinks);
void region_close(struct region *r);
/* Sets what lives behind a block. */
void region_begin_block(struct region *r, const struct ptx_ranges *range,
                        const struct ptx_block *block);
/* Builds a region from instructions first to last, `copies` times one behind
 * the other.  Blocks are built from their end. */
void region_build(struct region *r, uint32_t first, uint32_t last,
                  uint32_t copies);
/* Sets what lives before it. */
void region_leave(struct region *r);

#endif

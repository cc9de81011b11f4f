/*
 * Inside the PTX front end: parser and analyses.
 *
 * text --ptx_parse--> struct loom_ptx_module --ptx_analyse--> per function:
 * control flow, reconvergence points, physical registers, static table.
 *
 * An analysis holds no pointer into the text, but refers to the function's
 * instructions by index: it is stale as soon as the function is changed.
 */
#ifndef WORKLOADS_PTX_PTX_PRIVATE_H
#define WORKLOADS_PTX_PTX_PRIVATE_H

#include "engine/error.h"

#include "workloads/ptx_ir.h"
#include "workloads/stream.h"

/* Parses text[bytes] (a final zero ends it early).  `name` is for messages:
 * "k.ptx:41: ...".  On failure *module is NULL. */
bool ptx_parse(const char *name, const char *text, size_t bytes,
               struct loom_ptx_module **module, struct loom_error *err);

#define PTX_NO_BLOCK UINT32_MAX
#define PTX_EXIT UINT32_MAX /* "reconverges at the exit" */

struct ptx_block {
    uint32_t first, last;    /* instructions; `last` is inside */
    uint32_t successor[2];   /* fall-through first; PTX_NO_BLOCK: none */
    uint32_t dominator;      /* immediate; PTX_NO_BLOCK: entry, unreachable */
    uint32_t post_dominator; /* immediate; PTX_NO_BLOCK: the exit */
    uint16_t loop;           /* innermost, or LOOM_NO_LOOP */
    bool reachable;
    bool exits;  /* control may leave the function at its end */
    bool header; /* of `loop` */
};

/* A shared variable's place in the CTA's shared memory. */
struct ptx_shared {
    const struct loom_ptx_var *var;
    uint32_t offset;
};

struct ptx_analysis {
    const struct loom_ptx_function *function;
    uint32_t inst_count; /* as function->inst_count */

    struct ptx_block *block; /* in program order; block 0 is the entry */
    uint32_t block_count;
    uint32_t *block_of; /* [inst_count] */

    /* [inst_count].  Of a branch (bra, also unguarded): the instruction
     * where its lanes come together again, or PTX_EXIT.  Else PTX_EXIT. */
    uint32_t *reconvergence;
    /* [inst_count].  Of a bra: its target's instruction index (inst_count:
     * the function's end, as good as ret).  Else PTX_EXIT. */
    uint32_t *target;

    /* [reg_count].  Number in LOOM_REG_* terms: general registers from 0
     * (64-bit values: this one and the next), predicates from
     * LOOM_REG_PREDICATE; LOOM_PTX_NONE: never used.  Not wrapped: may
     * exceed what masks hold. */
    uint32_t *physical;
    uint32_t registers;  /* per thread, for occupancy */
    uint32_t predicates; /* most at a time */

    /* [inst_count] static table, with its loops and texts. */
    struct loom_static_inst *inst;
    struct loom_loop *loop;
    uint32_t loop_count;
    char *text;
    uint32_t text_bytes;

    /* Which kernel parameters are used as addresses. */
    bool *pointer; /* [param_count] */

    /* Shared variables in use here and in what it calls. */
    struct ptx_shared *shared; /* [shared_count], as found */
    uint32_t shared_count;
    uint32_t shared_bytes;   /* static */
    uint32_t dynamic_offset; /* of extern arrays: shared_bytes, aligned */
};

bool ptx_analyse(const struct loom_ptx_function *function,
                 struct ptx_analysis **analysis, struct loom_error *err);
void ptx_analysis_destroy(struct ptx_analysis *analysis); /* or NULL */

#endif

/*
 * Analyses of the functions of a PTX module.
 *
 * text --ptx_parse--> struct loom_ptx_module --ptx_analyse--> per function:
 * control flow, reconvergence points, physical registers, static table.
 *
 * An analysis holds no pointer into the text, but refers to the function's
 * instructions by index: it is stale as soon as the function is changed.
 */
#ifndef WORKLOADS_PTX_ANALYSIS_ANALYSIS_H
#define WORKLOADS_PTX_ANALYSIS_ANALYSIS_H

#include "engine/error.h"

#include "workloads/ir/ir.h"
#include "workloads/stream.h"

#define PTX_NO_BLOCK UINT32_MAX
#define PTX_EXIT UINT32_MAX /* "reconverges at the exit" */

struct ptx_block {
    uint32_t first, last;    /* instructions; `last` is inside */
    uint32_t successor[2];   /* fall-through first; PTX_NO_BLOCK: none */
    const uint32_t *more;    /* brx.idx: [more_count] blocks, others than */
    uint32_t more_count;     /* those in `successor`, each once */
    uint32_t dominator;      /* immediate; PTX_NO_BLOCK: entry, unreachable */
    uint32_t post_dominator; /* immediate; PTX_NO_BLOCK: the exit */
    uint16_t loop;           /* innermost, or LOOM_NO_LOOP */
    bool reachable;
    bool exits;  /* control may leave the function at its end */
    bool fails;  /* it does not come back: an assertion, a trap */
    bool header; /* of `loop` */
};

/* A shared variable's place in the CTA's shared memory. */
struct ptx_shared {
    const struct loom_ptx_var *var;
    uint32_t offset;
};

/* A function inside a linked one.  Section 0 is the function that was to be
 * analysed; the others are what it calls. */
struct ptx_section {
    const struct loom_ptx_function *function;
    uint32_t first, count;   /* instructions */
    uint32_t reg, reg_count; /* registers */
    uint32_t local_bytes;    /* of an activation: variables, parameters */
    uint32_t shift;          /* of its registers' physical numbers */
    bool calls_registers;    /* has calls through a register */
    bool taken;              /* its address is used */
};

/* Where a parameter is in its function's local memory.  A kernel's own
 * parameters have no place. */
struct ptx_place {
    const struct loom_ptx_var *var;
    uint32_t section, offset;
};

/* A call of `to` at instruction `at` of `from`; of an indirect call one for
 * each function whose address is taken. */
struct ptx_call {
    uint32_t at, from, to;
    bool back; /* recursion: `to` is active already */
};

/* How a compiler's schedule has a function: what is timed of it, and in which
 * order (fold.c, schedule.c).  A region is a run of instructions of a block
 * that are executed one after the other, and timed in any order that keeps
 * their dependences. */
struct ptx_schedule {
    uint32_t *order; /* [inst_count]: of each region, its instructions as they
                      * are timed, the folded ones last */
    uint32_t *last;  /* [inst_count]: the last instruction of its region */
    uint8_t *times;  /* [inst_count]: instructions of the machine; 0: folded */
    uint8_t *sequence; /* [inst_count]: enum ptx_sequence, what these are */
    /* [reg_count]: the folded instruction that those who read the register
     * stand for, or LOOM_PTX_NONE. */
    uint32_t *forward;
    bool *low;  /* [reg_count]: nobody needs the upper half */
    bool *sums; /* [reg_count]: wgmma adds to it; NULL: there is none */
};

#define PTX_REGION 512u /* instructions of a region, at most */
#define PTX_TIMES 12u   /* the most of `times` */

/* What several instructions of the machine are that stand for one. */
enum ptx_sequence {
    PTX_ALIKE, /* or there is one only */
    PTX_WIDE,  /* a 64-bit integer's */
    PTX_SUM,   /* and the second one waits for the first one's carry */
    PTX_CLZ,
    PTX_ANGLE, /* sin, cos */
    PTX_ROOT,  /* sqrt.rn.f32 */
    PTX_SEQUENCES
};

/* Some of them that are alike.  One part is the instruction's entry in the
 * table; others have entries of their own behind the table. */
struct ptx_step {
    uint8_t op, form;
    uint8_t count;     /* 0: all but one */
    uint8_t first_use; /* enum loom_use; of the last part what was found */
    bool own;          /* the instruction's op and form */
    bool more;         /* has an entry of its own */
    bool apart;        /* they touch none of its registers */
};
#define PTX_STEPS 4u
struct ptx_steps {
    uint32_t count; /* 0: PTX_ALIKE */
    struct ptx_step step[PTX_STEPS];
};
extern const struct ptx_steps ptx_sequences[PTX_SEQUENCES];
/* Entries behind the table that it needs; and makes, with its own one, for
 * `inst`, of which there are `times`. */
uint32_t ptx_more_entries(uint32_t sequence);
void ptx_make_steps(uint32_t sequence, uint32_t times,
                    struct loom_static_inst *inst,
                    struct loom_static_inst *more);

struct ptx_analysis {
    /* The function itself or, if it calls others, a copy with all of them
     * one behind the other. */
    const struct loom_ptx_function *function;
    uint32_t inst_count; /* as function->inst_count */

    struct ptx_section *section;
    uint32_t section_count;
    uint32_t *section_order; /* callers first, but for recursion */
    struct ptx_place *place; /* sorted by var */
    uint32_t place_count;
    struct ptx_call *call; /* sorted by at */
    uint32_t call_count;
    bool recursive;       /* or indirect, or alloca: the need is not known */
    uint32_t local_bytes; /* per thread: the deepest chain of calls */

    struct ptx_block *block; /* in program order; block 0 is the entry */
    uint32_t block_count;
    uint32_t *block_of; /* [inst_count] */

    /* [inst_count].  Of a branch (bra, also unguarded): the instruction
     * where its lanes come together again, or PTX_EXIT.  Else PTX_EXIT. */
    uint32_t *reconvergence;
    /* [inst_count].  Of a bra: its target's instruction index (inst_count:
     * the function's end, as good as ret).  Else PTX_EXIT. */
    uint32_t *target;

    struct ptx_schedule *schedule; /* NULL: timed as it is executed */
    bool reads_time;               /* an instruction of it does */

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
    uint32_t *more; /* of the blocks */

    /* Which kernel parameters are used as addresses. */
    bool *pointer; /* [param_count] */

    /* Shared variables in use here and in what it calls. */
    struct ptx_shared *shared; /* [shared_count], as found */
    uint32_t shared_count;
    uint32_t shared_bytes;   /* static */
    uint32_t dynamic_offset; /* of extern arrays: shared_bytes, aligned */
};

/* `scheduled`: with a schedule. */
bool ptx_analyse(const struct loom_ptx_function *function, bool scheduled,
                 struct ptx_analysis **analysis, struct loom_error *err);
void ptx_analysis_destroy(struct ptx_analysis *analysis); /* or NULL */

static inline bool ptx_barrier_reduces(uint32_t op)
{
    return op == LOOM_PTX_BAR_RED || op == LOOM_PTX_BARRIER_RED ||
           op == LOOM_PTX_BAR_CTA_RED || op == LOOM_PTX_BARRIER_CTA_RED;
}

static inline bool ptx_barrier_arrives(uint32_t op)
{
    return op == LOOM_PTX_BAR_ARRIVE || op == LOOM_PTX_BARRIER_ARRIVE ||
           op == LOOM_PTX_BAR_CTA_ARRIVE || op == LOOM_PTX_BARRIER_CTA_ARRIVE;
}

/* Does it read a clock register? */
static inline bool ptx_reads_time(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_MOV && inst->operand_count > 1 &&
           inst->operand[1].kind == LOOM_PTX_OP_SPECIAL &&
           inst->operand[1].value >= LOOM_PTX_CLOCK &&
           inst->operand[1].value <= LOOM_PTX_GLOBALTIMER_HI;
}

/* An access with which threads talk to each other: it has to be executed at
 * its time, if there is one. */
static inline bool ptx_is_strong(const struct loom_ptx_inst *inst)
{
    return inst->order > LOOM_PTX_WEAK ||
           loom_ptx_opcodes[inst->op].group == LOOM_PTX_G_ATOMIC ||
           (inst->op >= LOOM_PTX_MBARRIER_TEST &&
            inst->op <= LOOM_PTX_MBARRIER_TRY_PARITY);
}

/* The function that a name stands for. */
const struct loom_ptx_function *
ptx_real_function(const struct loom_ptx_function *function);
/* Section of that function, or LOOM_PTX_NONE. */
uint32_t ptx_section_of(const struct ptx_analysis *analysis,
                        const struct loom_ptx_function *function);
/* NULL: not a parameter with a place. */
const struct ptx_place *ptx_place_of(const struct ptx_analysis *analysis,
                                     const struct loom_ptx_var *var);
/* Is it an access to a parameter of the kernel?  (Not: of a call.) */
bool ptx_kernel_param(const struct ptx_analysis *analysis,
                      const struct loom_ptx_inst *inst);
/* Section of an instruction of the linked function. */
uint32_t ptx_section_at(const struct ptx_analysis *analysis, uint32_t inst);

static inline uint32_t ptx_successors(const struct ptx_block *block)
{
    return 2 + block->more_count;
}

/* May be PTX_NO_BLOCK. */
static inline uint32_t ptx_successor(const struct ptx_block *block, uint32_t n)
{
    return n < 2 ? block->successor[n] : block->more[n - 2];
}

#endif

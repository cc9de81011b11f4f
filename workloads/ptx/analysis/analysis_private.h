/*
 * Between the files of the PTX analyses.  Each step fills in its part of
 * struct ptx_analysis from the parts of the steps before it, in this order.
 * They return false for lack of memory only; ptx_analyse() then frees what
 * there is.
 */
#ifndef WORKLOADS_PTX_ANALYSIS_ANALYSIS_PRIVATE_H
#define WORKLOADS_PTX_ANALYSIS_ANALYSIS_PRIVATE_H

#include "workloads/ptx/analysis/analysis.h"

/* function, section, place, call ... */
bool ptx_link(struct ptx_analysis *analysis,
              const struct loom_ptx_function *function);
/* place, and the sections' local_bytes; ptx_link() calls it */
bool ptx_place_parameters(struct ptx_analysis *analysis);
/* Registers that the code sequence behind one PTX instruction needs for
 * itself (registers.c). */
uint32_t ptx_temporaries(const struct loom_ptx_inst *inst);
/* block, block_of, target; dominators, post-dominators, reconvergence */
bool ptx_find_blocks(struct ptx_analysis *analysis);
bool ptx_find_dominators(struct ptx_analysis *analysis);
/* loop, and the blocks' loops */
bool ptx_find_loops(struct ptx_analysis *analysis);
/* What of the function is needed: needed[inst_count], schedule->low
 * (needs.c). */
bool ptx_find_needs(struct ptx_analysis *analysis, bool *needed);
/* Where an access is, as far as the text says.  Two with the same base are in
 * their order already if it is written between them. */
struct ptx_where {
    const struct loom_ptx_var *var;
    uint32_t reg; /* LOOM_PTX_NONE: the variable, or nothing, is the base */
    int64_t from, to;
    uint8_t space; /* enum loom_ptx_space; generic: any */
    bool known;
};
/* What an instruction is for the order of others (depend.c). */
struct ptx_access {
    uint8_t is;
    struct ptx_where where;
};
struct ptx_access ptx_access_of(const struct ptx_analysis *analysis,
                                uint32_t inst);
/* Is it a sequence with a branch to where operands out of range are looked
 * after?  So that blocks end there. */
bool ptx_has_slow_path(const struct loom_ptx_inst *inst);
/* Must the first come before the second, if it does in the text? */
bool ptx_ordered(const struct ptx_access *first,
                 const struct ptx_access *second);
/* Cycles until its results are there, in a machine of no name. */
uint32_t ptx_latency(const struct loom_ptx_inst *inst);
/* Instructions of a region, and which comes before which (depend.c).  Edges
 * lead to later ones. */
#define PTX_NODES 1024u
#define PTX_NODE_WORDS (PTX_NODES / 64u)
struct ptx_node {
    uint32_t inst;
    uint32_t height;   /* cycles to the region's end */
    uint32_t earliest; /* all operands are there */
    uint32_t waits;    /* nodes that must come before and have not */
    struct ptx_access access;
    uint64_t data[PTX_NODE_WORDS]; /* nodes that read what it writes */
    uint64_t then[PTX_NODE_WORDS]; /* others that come after it */
};
static inline void ptx_set_bit(uint64_t *bits, uint32_t n)
{
    bits[n / 64] |= loom_bit(n % 64);
}
/* What memory says of the order of the nodes and another one behind them. */
void ptx_order_memory(struct ptx_node *node, uint32_t nodes);
/* Heights, and who waits for how many, before each schedule; ready[words]: who
 * waits for none. */
void ptx_measure(const struct ptx_analysis *a, struct ptx_node *node,
                 uint32_t nodes, uint64_t *ready);
/* One is issued at a cycle: those that waited for it only are ready. */
void ptx_release(const struct ptx_analysis *a, struct ptx_node *node,
                 uint32_t nodes, uint32_t issued, uint32_t now,
                 uint64_t *ready);
/* schedule: what is folded (fold.c), then all of it (schedule.c) */
bool ptx_fold(struct ptx_analysis *analysis);
bool ptx_find_schedule(struct ptx_analysis *analysis);
void ptx_schedule_free(struct ptx_schedule *schedule); /* or NULL */
/* Registers of instruction `inst` as it is timed: as loom_ptx_visit(), but
 * those that folded instructions stand for; of a folded one none. */
void ptx_visit(const struct ptx_analysis *analysis, uint32_t inst,
               void (*visit)(void *context, uint32_t reg, bool write),
               void *context);
/* An order of blocks in which what belongs together is together: places of
 * their first instructions, and what is at each place (places.c). */
bool ptx_find_places(const struct ptx_analysis *a, uint32_t *place,
                     uint32_t *inst);
/* Loads that a compiler moves to other blocks (sink.c). */
struct ptx_sinks {
    bool *moved;            /* [inst_count] */
    uint32_t *first, *next; /* [block_count], [inst_count]: those that come to
                             * a block's begin, in order; LOOM_PTX_NONE */
    bool any;
};
bool ptx_find_sinks(const struct ptx_analysis *a, struct ptx_sinks *sinks);
void ptx_free_sinks(struct ptx_sinks *sinks);
/* From where to where registers are needed (liveness.c).  What there is of it
 * is freed in any case. */
struct ptx_ranges {
    uint32_t *inst;        /* [inst_count]: the instruction at a place */
    uint32_t *place;       /* [block_count]: of their first instructions */
    uint32_t *start, *end; /* [reg_count]: 2 k: read by the instruction at
                            * place k, 2 k + 1: written; start > end: unused */
    bool *constant;        /* [reg_count]: in the constant bank */
    /* [block_count][words]: bits of what lives into a block; which register a
     * bit is.  And the memory of both. */
    uint64_t *in, *sets;
    uint32_t *of, *memory;
    uint32_t words;
};
/* `sinks`: as if loads had been moved (their places are nowhere then), or
 * NULL. */
bool ptx_find_ranges(const struct ptx_analysis *a,
                     const struct ptx_sinks *sinks, struct ptx_ranges *ranges);
void ptx_free_ranges(struct ptx_ranges *ranges);
/* What is known of registers, holds[reg_count] (holds.c). */
enum {
    PTX_HOLDS_SAME = 1, /* the same for all lanes, in no ordinary register */
    PTX_HOLDS_LOW = 2,  /* its upper half is zero */
    PTX_IS_UNIFORM = 4  /* the same for all lanes */
};
bool ptx_find_holds(const struct ptx_analysis *analysis, const bool *constant,
                    uint8_t *holds);
/* The two of them that tell of lanes; writes[reg_count]: how many instructions
 * write it (uniform.c). */
bool ptx_find_uniform(const struct ptx_analysis *analysis, const bool *constant,
                      const uint32_t *writes, uint8_t *holds);
/* Does a block that is a loop count in steps of a number to what is known
 * before? */
bool ptx_counts(const struct ptx_analysis *analysis,
                const struct ptx_block *block);
/* Registers that a compiler would give to a thread (count.c). */
bool ptx_count_registers(const struct ptx_analysis *analysis,
                         const struct ptx_ranges *range, uint32_t *registers);
/* physical, registers, predicates */
bool ptx_allocate_registers(struct ptx_analysis *analysis);

/* Where the values of a register come from, as far as addresses go. */
struct ptx_origin {
    uint8_t param;  /* kernel parameter, LOOM_NO_PARAM or LOOM_MIXED_PARAM */
    bool sure;      /* that parameter is a pointer for certain */
    uint8_t spaces; /* PTX_FROM_* */
};

enum {
    PTX_FROM_SHARED = 1,
    PTX_FROM_LOCAL = 2,
    PTX_FROM_PARAM = 4
};

/* pointer, and origin[reg_count] for the static table */
bool ptx_find_origins(struct ptx_analysis *analysis, struct ptx_origin *origin);
/* Does it move what is far from the ALUs: a special register that is no
 * constant, or the address of a shared variable? */
bool ptx_reads_special(const struct loom_ptx_inst *inst);
/* first_use of the table's entries (first_use.c) */
bool ptx_find_first_uses(struct ptx_analysis *analysis);
/* way of the table's entries (ways.c) */
bool ptx_find_ways(struct ptx_analysis *analysis);
/* Does it read a predicate as a guard, not as a number? */
bool ptx_is_guarded(const struct loom_ptx_inst *inst);
/* Of an entry whose class is known. */
void ptx_set_form(struct loom_static_inst *s, const struct loom_ptx_inst *inst);
/* inst, text */
bool ptx_make_table(struct ptx_analysis *analysis,
                    const struct ptx_origin *origin);

/* Successors of all blocks and of the virtual exit (the last node), both
 * ways round; edge lists of node n are at [first[n], first[n + 1]). */
struct ptx_graph {
    uint32_t nodes;
    uint32_t *first_out, *out;
    uint32_t *first_in, *in;
};

bool ptx_graph_make(const struct ptx_analysis *analysis,
                    struct ptx_graph *graph);
void ptx_graph_free(struct ptx_graph *graph);
/* A depth-first search's result, and its memory. */
struct ptx_order {
    uint32_t *order; /* [nodes] in postorder; the first `count` are there */
    uint32_t *rank;  /* [nodes] place in it; LOOM_PTX_NONE: not reached */
    uint32_t *stack; /* [2 * nodes] */
    uint32_t count;
};

/* Appends what can be reached from `root` over the edges first/to. */
void ptx_postorder(const uint32_t *first, const uint32_t *to, uint32_t root,
                   struct ptx_order *result);

static inline uint32_t ptx_inst_bytes(const struct loom_ptx_inst *inst)
{
    return loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]);
}

static inline bool ptx_inst_real(const struct loom_ptx_inst *inst)
{
    return loom_ptx_type_real((enum loom_ptx_type)inst->type[0]);
}

/* Reads or writes the carry, which is no register. */
static inline bool ptx_carries(const struct loom_ptx_inst *inst)
{
    return (inst->flags & LOOM_PTX_CC) != 0 || inst->op == LOOM_PTX_ADDC ||
           inst->op == LOOM_PTX_SUBC || inst->op == LOOM_PTX_MADC;
}

/* The register that is the base of an address, or LOOM_PTX_NONE. */
static inline uint32_t ptx_base_of(const struct loom_ptx_inst *inst)
{
    uint32_t at = loom_ptx_address_operand(inst);

    return at != LOOM_PTX_NONE && inst->operand[at].kind == LOOM_PTX_OP_ADDRESS
               ? inst->operand[at].reg
               : LOOM_PTX_NONE;
}

#endif

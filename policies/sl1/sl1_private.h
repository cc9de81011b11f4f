/*
 * The inside of sl1.  Only files in policies/sl1/ include this.
 *
 *     sl1.c        what it is: parameters, statistics, the answer
 *     plan.c       what is there: loops, data structures, accesses
 *     emit.c       the new text: the body around the loops, splicing
 *     slice.c      a loop's slices, and how control passes between them
 *     access.c     an access, simulated or through the cache
 *     lines.c      lines: chosen, filled, written back, flushed
 *     registers.c  registers of the new code
 *     values.c     what lives on from turn to turn, and names for the rest
 *     text.c       pieces of text
 *
 * A loop nest (an outermost loop with all in it) becomes, in this order,
 *
 *     m  the monitoring slice: the loop, simulateCache() after each access
 *     p  where all threads of a warp meet; what to cache is decided here
 *     q  those that have left the loop go to f, the others on to
 *     c  the computation slice: the loop, each access through the cache
 *     r  for those that left m inside an inner loop: the rest of that
 *        iteration of the outer loop, as in c; then on to q
 *     f  the flush, and on to where the loop was left to
 *
 * What lives on from one turn of the loop to the next is in the same registers
 * in all slices, so that control may pass from a header of one to the same
 * header of another.  Other values have names of their own in each.
 */
#ifndef POLICIES_SL1_SL1_PRIVATE_H
#define POLICIES_SL1_SL1_PRIVATE_H

#include "policies/lib/sl1_marks.h"
#include "policies/transform_hook.h"
#include "workloads/ir/ir.h"

#define SL1_STRUCTURES 16 /* of a nest */
#define SL1_EXITS 32
#define SL1_INNER 16
#define SL1_NO_NEST UINT16_MAX
#define SL1_RETURN UINT32_MAX /* an exit: the thread ends */
#define SL1_PREFIX "%sl1_"

struct sl1_config {
    uint32_t line, threshold, lines;
    uint64_t shared_bytes;
    bool restricted, marks;
    const char *cache, *leave;
};

/* What an instruction of a nest is to the cache. */
enum sl1_kind {
    SL1_OTHER,
    SL1_ACCESS,        /* of a structure that may be cached */
    SL1_FOREIGN_LOAD,  /* may touch what is in any line */
    SL1_FOREIGN_STORE, /* and write it, atomically or not */
    SL1_FENCE
};

struct sl1_inst {
    uint16_t nest; /* SL1_NO_NEST */
    uint8_t kind;  /* enum sl1_kind */
    uint8_t structure;
    uint8_t width; /* bytes of an access, all elements */
    bool store;
    bool alone; /* of a foreign access: it is to a structure of its own, which
                 * `restrict` says no line holds */
};

struct sl1_structure {
    uint8_t param;
    bool written;
    const char *refused; /* why it is never cached, or NULL */
};

struct sl1_nest {
    uint16_t loop; /* the outermost */
    uint32_t header;
    struct sl1_structure all[SL1_STRUCTURES];
    uint32_t all_count;
    uint32_t structure[SL1_STRUCTURES]; /* those of `all` that may be cached */
    uint32_t count;
    uint32_t exit[SL1_EXITS]; /* instructions, inst_count or SL1_RETURN */
    uint32_t exits;
    uint32_t inner[SL1_INNER]; /* headers of loops inside */
    uint32_t inners;
    bool together; /* lanes must not part: barriers, votes, shuffles */
    const char *refused;
    uint32_t number; /* of those that are rewritten */
};

struct sl1_plan {
    const struct loom_ptx_function *f;
    struct sl1_inst *inst; /* [f->inst_count + 1] */
    struct sl1_nest *nest;
    uint32_t nests;
    uint32_t used;  /* nests that are rewritten */
    uint32_t most;  /* structures of such a nest */
    uint32_t lines; /* CLN */
    uint32_t threads;
    bool mixes; /* generic addresses may be of shared or local memory */
    uint64_t free_bytes; /* of shared memory, for a CTA */
    bool all;            /* structures are cached whatever their hit ratio */
};

/* plan.c: false for lack of memory; what there is is the module's. */
bool sl1_plan_make(struct sl1_plan *plan, const struct sl1_config *config,
                   const struct loom_rewrite *work);

static inline bool sl1_in(const struct sl1_plan *plan, uint32_t nest,
                          uint32_t inst)
{
    return inst < plan->f->inst_count && plan->inst[inst].nest == nest;
}

/* May control go on to the next instruction? */
bool sl1_falls_through(const struct loom_ptx_inst *inst);
/* The instruction that a bra names. */
uint32_t sl1_target(const struct loom_ptx_function *f,
                    const struct loom_ptx_inst *inst);

struct sl1_out {
    struct loom_ptx_module *module; /* whose memory it uses */
    char *text;
    size_t used, room;
    bool failed;
};

/* A stretch of new code: its temporaries are nobody else's.  In texts they end
 * in '~', for which sl1_put() writes the number.  '^' is that of the nest. */
struct sl1_site {
    uint32_t number;
    uint32_t offset; /* the register %sl1_o~ */
};

/* In the running slice, a register of the program has another's name. */
struct sl1_rename {
    uint32_t reg, as;
};

struct sl1_emit {
    const struct sl1_config *config;
    const struct sl1_plan *plan;
    struct loom_ptx_function *f;
    const struct sl1_nest *nest;
    uint32_t nest_index;
    char slice;         /* 'm', 'c', 'r' */
    bool *in_rest;      /* [inst_count]: is it in slice r? */
    struct sl1_out *to; /* where text goes: &body or &late */
    struct sl1_out body;
    struct sl1_out late;         /* what follows the slice */
    uint32_t on[SL1_STRUCTURES]; /* registers %sl1_on<s> */
    struct sl1_site site;
    uint32_t sites;            /* so far */
    struct sl1_rename *rename; /* [renames] */
    uint32_t renames;
    uint32_t named[LOOM_PTX_TYPES]; /* so far, of each type */
    bool near;        /* 32 bits tell addresses apart, and are all that is kept
                       * of lines' and looked at to find them */
    const char *word; /* "u32" or, if not near, "u64": the type of these */
    struct loom_dim3 block;
    uint32_t labels;      /* numbers given so far */
    uint32_t target_arch; /* 35 of sm_35 */
};

/* emit.c: the module's text; NULL: no memory. */
char *sl1_emit_text(struct sl1_emit *e, const struct loom_rewrite *work);
/* text.c */
void sl1_put(struct sl1_emit *e, const char *fmt, ...) LOOM_PRINTF(2, 3);
void sl1_emit_inst(struct sl1_emit *e, const struct loom_ptx_inst *inst);
/* What follows, up to the next mark, has this role, for structure `s`. */
void sl1_mark(struct sl1_emit *e, enum sl1_role role, uint32_t s);
/* "@%p3 " or "" into text. */
void sl1_guard_text(const struct sl1_emit *e, const struct loom_ptx_inst *inst,
                    bool negated, char text[96]);
/* registers.c: those of all nests; and, at last, those of all sites. */
void sl1_add_registers(struct sl1_emit *e);
void sl1_add_temporaries(struct sl1_emit *e);
/* From here on; returns where we were. */
struct sl1_site sl1_new_site(struct sl1_emit *e);
/* values.c: new names for the registers of the nest that do not live on; and
 * swaps them with the old ones, to have the slice printed with them. */
void sl1_rename(struct sl1_emit *e);
void sl1_swap_names(struct sl1_emit *e);
/* slice.c */
void sl1_emit_nest(struct sl1_emit *e);
/* access.c */
void sl1_emit_simulated(struct sl1_emit *e, uint32_t i);
void sl1_emit_cached(struct sl1_emit *e, uint32_t i);
void sl1_emit_foreign(struct sl1_emit *e, uint32_t i);
/* lines.c */
void sl1_emit_start(struct sl1_emit *e);
void sl1_emit_choice(struct sl1_emit *e);
/* Of a structure's slot: a register, and what is to be added. */
const char *sl1_slot(const struct sl1_emit *e, uint32_t s, char name[32],
                     uint32_t *offset);
/* `word`: the address of an access in e->word's bits; `address`: in 64. */
void sl1_emit_line_of(struct sl1_emit *e, uint32_t s, const char *word,
                      const char *to);
/* And %sl1_d~, the place of `word` in the line. */
void sl1_emit_fill(struct sl1_emit *e, uint32_t s, const char *word,
                   const char *address);
void sl1_emit_write_back(struct sl1_emit *e, uint32_t s);
void sl1_emit_evict(struct sl1_emit *e, uint32_t s, const char *word,
                    uint32_t width);
void sl1_emit_flush(struct sl1_emit *e, bool invalidate);

static inline const struct sl1_structure *
sl1_structure(const struct sl1_emit *e, uint32_t s)
{
    return &e->nest->all[e->nest->structure[s]];
}

static inline const char *sl1_param_name(const struct sl1_emit *e, uint32_t s)
{
    return e->f->param[sl1_structure(e, s)->param]->name;
}

#endif

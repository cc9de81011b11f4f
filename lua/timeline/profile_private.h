/*
 * A profile: what each static instruction did in a run, of all SMs together,
 * and what warps waited for before it could issue.
 *
 *     record.c   its columns, into the results file
 *     profile.c  warps' cycles, memory instructions' ways
 *     code.c     the instructions, by kernel
 *
 * Memory is taken when the machine is built: an instruction that finds no
 * place is counted and not followed.
 */
#ifndef LUA_TIMELINE_PROFILE_PRIVATE_H
#define LUA_TIMELINE_PROFILE_PRIVATE_H

#include "workloads/stream.h"

enum {
    TL_CODES = 1 << 17,      /* static instructions that were executed */
    TL_CODE_TEXT = 16 << 20, /* bytes of what they are */
    TL_CODE_KERNELS = 4096,  /* by name and instructions */
    TL_UNWANTED,             /* in place of one: nobody asked for it */
    TL_LAUNCHES = 64,        /* whose kernels are remembered */
    TL_REGISTERS = LOOM_REG_WORDS * 64
};

/* What became of a cycle of a warp; a register's by who writes it. */
enum tl_reason {
    TL_ISSUED,
    TL_TURN, /* another warp had the slot */
    TL_UNIT,
    TL_L1,
    TL_MERGED, /* another access of the L1 to that line */
    TL_L2,
    TL_DRAM,
    TL_MEMORY, /* it is not known where */
    TL_SHARED,
    TL_ON_CHIP, /* constants, parameters, textures */
    TL_SFU,
    TL_TENSOR,
    TL_ARITHMETIC,
    TL_ATOMIC,
    TL_MEMBAR,
    TL_BARRIER,
    TL_FETCH,
    TL_DRAIN,
    TL_REASONS
};

/* Where a memory instruction spent its time. */
enum tl_place {
    TL_QUEUE, /* of the SM: operands, coalescing, accesses before it */
    TL_IN_L1,
    TL_IN_MIDDLE, /* L1.5 */
    TL_NOC_OUT,
    TL_IN_L2,
    TL_IN_L3,
    TL_DRAM_QUEUE,
    TL_IN_DRAM,
    TL_NOC_BACK,
    TL_IN_MERGED, /* another access to that line is on its way */
    TL_WRITE_BACK,
    TL_EXECUTION, /* all of it in the SM */
    TL_NOT_FOLLOWED,
    TL_PLACES
};

enum {
    TL_OUTCOMES = 4 /* hit, merged, miss, bypass */
};

/* A static instruction.  Times are cycles of the SM's clock. */
struct tl_code {
    const char *kernel, *text, *op;
    uint64_t id; /* of its kernel; two may have the same name */
    uint64_t inst, pc, line;
    uint64_t issues, lanes;
    uint64_t waits[TL_REASONS]; /* cycles of warps whose next one it is */
    uint64_t held;              /* cycles of warps that wait for its result */
    uint64_t done, cycles, accesses;
    uint64_t l1[TL_OUTCOMES]; /* accesses */
    double place[TL_PLACES];
    uint32_t next; /* of its kernel */
};

struct timeline;

struct tl_profile {
    const struct timeline *of; /* says which launches are wanted */
    struct tl_code *code;      /* [TL_CODES] */
    uint32_t *index;           /* [2 * TL_CODES] 1 + code, by hash */
    char *text;                /* [TL_CODE_TEXT] */
    size_t text_used;
    struct {
        const char *name;
        uint32_t first; /* code; UINT32_MAX: none */
    } * kernel;         /* [TL_CODE_KERNELS] */
    struct {
        uint32_t launch; /* 1 + its number; 0: none */
        uint32_t kernel;
    } recent[TL_LAUNCHES];
    uint32_t codes, kernels;
    double period;     /* femtoseconds of a cycle */
    uint64_t left_out; /* events of instructions without a place */
};

/* Who writes a register. */
struct tl_producer {
    struct tl_code *code;
    uint8_t reason; /* enum tl_reason */
};

/* A warp slot. */
struct tl_watch {
    const struct loom_kernel *kernel; /* NULL: no warp */
    struct tl_code *code; /* comes next; of a warp that ends, came last */
    struct tl_code *last; /* issued last */
    loom_cycle since;     /* cycles before this are counted */
    uint32_t inst, reg;
    uint8_t reason; /* enum loom_wait_reason */
    struct tl_producer by[TL_REGISTERS];
};

/* ---- code.c ---- */

bool tl_profile_init(struct tl_profile *profile);
void tl_profile_free(struct tl_profile *profile); /* accepts NULL */
/* The row of an instruction; NULL if there is no place for it. */
struct tl_code *tl_code_of(struct tl_profile *profile,
                           const struct loom_kernel *kernel, uint32_t inst);

#endif

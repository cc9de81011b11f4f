/*
 * Rows of per-load statistics: one for each static load of the kernels that
 * run, in the order of the launches and of the program.
 *
 * All policies of a machine are told of every launch (given), wherever they
 * are, so all instances have the same loads in the same rows, and sums over
 * them mean something.  A kernel that is launched again has the rows that it
 * had (the driver tells kernels apart by name).  Loads of a trace, whose table
 * of instructions grows, get their rows when they are first noted, which may
 * be another order for each instance.  Loads beyond the last row have none.
 */
#ifndef POLICIES_LIB_LOAD_TABLE_H
#define POLICIES_LIB_LOAD_TABLE_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "workloads/stream.h"

#define LOOM_NO_ROW UINT32_MAX

enum {
    LOOM_LOAD_KERNELS = 64, /* of which it is known how far they were known */
    LOOM_LOAD_MEMO = 64
};

struct loom_load_row {
    uint32_t kernel, inst; /* number in order of first launch; static index */
    uint32_t pc, line;
};

struct loom_load_memo {
    uint32_t launch, inst, row;
    bool used;
};

struct loom_load_table {
    struct loom_load_row *row; /* [capacity] */
    uint32_t capacity, used;
    uint32_t known[LOOM_LOAD_KERNELS]; /* instructions, when last given */
    const struct loom_work *work;      /* kernels of launches */
    struct loom_load_memo memo[LOOM_LOAD_MEMO];
};

/* Which load a row is, as statistics: a member of a policy's statistics, with
 * the rows LOOM_LOAD_IDS in their table. */
struct loom_load_ids {
    struct loom_array kernel, inst, pc, line;
};

#define LOOM_LOAD_ID(T, name_, field, unit_, doc_)                             \
    {                                                                          \
        .name = name_, .doc = doc_, .kind = LOOM_STAT_ARRAY,                   \
        .unit = LOOM_UNIT_##unit_, .offset = LOOM_ARRAY_AT(T, field),          \
        .axis = "load"                                                         \
    }
#define LOOM_LOAD_IDS(T, ids)                                                  \
    LOOM_LOAD_ID(T, "load_kernel", ids.kernel, NONE,                           \
                 "Its kernel, in order of first launch"),                      \
        LOOM_LOAD_ID(T, "load_inst", ids.inst, NONE,                           \
                     "Its static instruction index"),                          \
        LOOM_LOAD_ID(T, "load_pc", ids.pc, BYTE, "Its address in the kernel"), \
        LOOM_LOAD_ID(T, "load_line", ids.line, NONE, "Its line of the source")

/* Of `count` rows; for init and bind only.  False: no memory. */
void loom_load_ids_init(struct loom_load_ids *ids, struct loom_policy *self,
                        uint32_t count);
/* Writes down the table's rows. */
void loom_load_ids_publish(struct loom_load_ids *ids,
                           const struct loom_load_table *table);

/* For caches: the row of a load of global or local memory, which is written
 * down if it is new, as those of traces are; others have none. */
uint32_t loom_load_ids_row(struct loom_load_ids *ids,
                           struct loom_load_table *table,
                           const struct loom_mem_request *request);

/* For init and bind only.  False: no memory. */
bool loom_load_table_init(struct loom_load_table *table,
                          struct loom_policy *self, uint32_t capacity,
                          struct loom_error *err);

/* What tells kernels apart: a digest of the name. */
uint64_t loom_load_table_name(const struct loom_kernel *kernel);

/* In `given`: rows for loads of global and local memory of the machine's
 * kernel `number`. */
void loom_load_table_given(struct loom_load_table *table,
                           const struct loom_kernel *kernel, uint32_t number);

/* Row of a static instruction of a launch, or LOOM_NO_ROW. */
uint32_t loom_load_table_find(struct loom_load_table *table, uint32_t launch,
                              uint32_t inst);

/* The same, and gives a row to a load that has none. */
uint32_t loom_load_table_note(struct loom_load_table *table,
                              const struct loom_kernel *kernel, uint32_t inst);

/* The same where the kernel is not at hand, but that it is a load of global or
 * local memory: its place and line are left 0. */
uint32_t loom_load_table_meet(struct loom_load_table *table, uint32_t launch,
                              uint32_t inst);

/* Is it a load of global or local memory? */
static inline bool loom_is_load(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD && (inst->space == LOOM_SPACE_GLOBAL ||
                                        inst->space == LOOM_SPACE_LOCAL);
}

#endif

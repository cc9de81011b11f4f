/*
 * Second half of ldst_rig.h: the bench itself: building, running and reading
 * it.
 */
#ifndef TESTS_UNIT_LDST_RIG_RUN_H
#define TESTS_UNIT_LDST_RIG_RUN_H

#include "tests/unit/ldst_rig.h"

/* Static instructions by number. */
enum {
    LOAD,
    STORE,
    ATOMIC,
    LOAD_CG,
    LOAD_SHARED,
    STORE_SHARED,
    STORE_COPY,
    ATOMIC_SHARED,
    ATOMIC_REAL,
    ATOMIC_SWAP,
    LOAD_SHARED_8,
    LOAD_CONST,
    LOAD_PARAM,
    INSTS
};
static const struct loom_static_inst insts[INSTS] = {
    [LOAD] = {.op = LOOM_OP_LOAD, .bytes = 4, .vector = 1},
    [STORE] = {.op = LOOM_OP_STORE, .bytes = 4, .vector = 1},
    [ATOMIC] = {.op = LOOM_OP_ATOMIC, .bytes = 4, .vector = 1},
    [ATOMIC_REAL] = {.op = LOOM_OP_ATOMIC,
                     .bytes = 4,
                     .vector = 1,
                     .form = LOOM_FORM_ATOMIC_REAL},
    [ATOMIC_SWAP] = {.op = LOOM_OP_ATOMIC,
                     .bytes = 4,
                     .vector = 1,
                     .form = LOOM_FORM_ATOMIC_SWAP},
    [LOAD_CG] = {.op = LOOM_OP_LOAD,
                 .bytes = 4,
                 .vector = 1,
                 .cache_op = LOOM_CACHE_CG},
    [LOAD_SHARED] = {.op = LOOM_OP_LOAD,
                     .bytes = 4,
                     .vector = 1,
                     .space = LOOM_SPACE_SHARED},
    [STORE_SHARED] = {.op = LOOM_OP_STORE,
                      .bytes = 4,
                      .vector = 1,
                      .space = LOOM_SPACE_SHARED},
    [STORE_COPY] = {.op = LOOM_OP_STORE,
                    .bytes = 4,
                    .vector = 1,
                    .space = LOOM_SPACE_SHARED,
                    .flags = LOOM_INST_ASYNC},
    [ATOMIC_SHARED] = {.op = LOOM_OP_ATOMIC,
                       .bytes = 4,
                       .vector = 1,
                       .space = LOOM_SPACE_SHARED},
    [LOAD_SHARED_8] = {.op = LOOM_OP_LOAD,
                       .bytes = 8,
                       .vector = 1,
                       .space = LOOM_SPACE_SHARED},
    [LOAD_CONST] = {.op = LOOM_OP_LOAD,
                    .bytes = 4,
                    .vector = 1,
                    .space = LOOM_SPACE_CONST},
    [LOAD_PARAM] = {.op = LOOM_OP_LOAD,
                    .bytes = 4,
                    .vector = 1,
                    .space = LOOM_SPACE_PARAM},
};
static const struct loom_kernel kernel = {
    .name = "test", .number = 3, .inst = insts, .inst_count = INSTS};

struct rig {
    struct loom_machine *machine;
    struct loom_component *ldst;
    struct fake_sm *sm;
    struct fake_memory *memory;
    struct watch *watch;
    struct loom_policy *order;
    struct loom_error err;
};

static struct loom_policy *attach_policy(struct rig *rig, const char *slot,
                                         const struct loom_policy_type *type)
{
    struct loom_policy *policy;
    char path[64];

    snprintf(path, sizeof(path), "sm[2].ldst.policy.%s", type->name);
    policy = loom_machine_add_policy(rig->machine, type, path, &rig->err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(rig->ldst, slot, policy, &rig->err));
    return policy;
}

static inline void *attach(struct rig *rig, const char *slot,
                           const struct loom_policy_type *type)
{
    return loom_policy_state(attach_policy(rig, slot, type));
}

static inline void set(struct rig *rig, const char *param, uint64_t value)
{
    REQUIRE(loom_machine_set(rig->ldst, param, (union loom_value){.u = value},
                             &rig->err));
}

static inline struct rig *open_rig_with(const struct loom_policy_type *order)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    struct loom_wire wire = {1, 1, 4};
    struct loom_component *sm, *memory;
    uint32_t clock;

    rig->machine = loom_machine_create(1);
    clock = loom_machine_clock(rig->machine, 700000000);
    sm = loom_machine_add(rig->machine, &fake_sm_component, "sm[2]", clock,
                          &rig->err);
    rig->ldst = loom_machine_add(rig->machine, &ldst_component, "sm[2].ldst",
                                 clock, &rig->err);
    memory = loom_machine_add(rig->machine, &fake_memory_component, "memory",
                              clock, &rig->err);
    REQUIRE(loom_machine_link(rig->machine, (struct loom_end){sm, "ldst", 0},
                              (struct loom_end){rig->ldst, "sm", 0}, wire, wire,
                              &rig->err));
    REQUIRE(loom_machine_link(
        rig->machine, (struct loom_end){rig->ldst, "l1", 0},
        (struct loom_end){memory, "up", 0}, wire, wire, &rig->err));
    rig->sm = loom_state(sm);
    rig->memory = loom_state(memory);
    attach(rig, "coalesce", &fermi_coalesce_policy);
    rig->order = attach_policy(rig, "order", order);
    rig->watch = attach(rig, "observe", &watch_policy);
    return rig;
}

static inline struct rig *open_rig(void)
{
    return open_rig_with(&fifo_order_policy);
}

static void complain(void *context, const char *path,
                     const struct loom_error *err)
{
    uint32_t *complaints = context;

    printf("\n    %s: %s", path, err->text);
    (*complaints)++;
}

static void run(struct rig *rig)
{
    uint32_t complaints = 0;

    REQUIRE(loom_machine_freeze(rig->machine, complain, &complaints));
    REQUIRE(loom_machine_command(loom_machine_find(rig->machine, "sm[2]"), "go",
                                 &rig->err));
    EXPECT_EQ(loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err),
              LOOM_STOP_IDLE);
    loom_machine_settle(rig->machine);
    loom_machine_check(rig->machine, complain, &complaints);
    EXPECT_EQ(complaints, 0);
}

static void close_rig(struct rig *rig)
{
    loom_machine_destroy(rig->machine);
    free(rig);
}

static inline const void *field(struct rig *rig, const char *name)
{
    const struct loom_stat *stat = loom_stats_find(ldst_component.stats, name);

    REQUIRE(stat != NULL);
    return (const char *)loom_stats_of(rig->ldst) + stat->offset;
}

static inline uint64_t stat_of(struct rig *rig, const char *name, uint32_t i)
{
    return ((const uint64_t *)field(rig, name))[i];
}

/* Appends an instruction whose lane i is at base + i * stride. */
static struct loom_warp_access *put(struct rig *rig, loom_cycle when,
                                    uint32_t inst, loom_addr base,
                                    uint64_t stride)
{
    struct fake_sm *sm = rig->sm;
    uint32_t n = sm->count++;

    REQUIRE(n < MAX);
    for (uint32_t i = 0; i < 32; i++) {
        loom_addr address = base + i * stride;

        sm->word[n][2 * i] = (uint32_t)address;
        sm->word[n][2 * i + 1] = (uint32_t)(address >> 32);
    }
    sm->when[n] = when;
    sm->script[n] = (struct loom_warp_access){
        .kernel = &kernel,
        .inst = {.address = sm->word[n],
                 .index = inst,
                 .mask = UINT32_MAX,
                 .mode = LOOM_ADDR_LIST},
        .cta = 9,
        .warp = (uint16_t)(n % 48),
        .rank = 4,
        .scheduler = 1,
        .command = LOOM_WARP_MEMORY,
    };
    return &sm->script[n];
}

#endif

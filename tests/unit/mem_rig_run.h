/*
 * Lists of requests, and machines around the two ends of mem_rig.h.
 */
#ifndef TESTS_UNIT_MEM_RIG_RUN_H
#define TESTS_UNIT_MEM_RIG_RUN_H

#include <stdlib.h>

#include "tests/unit/mem_rig.h"

/* ---- lists ---- */

static inline struct rig_list rig_list(uint32_t send, uint32_t got)
{
    struct rig_list list = {0};

    list.send = calloc(send + 1, sizeof(*list.send));
    list.sent_at = calloc(send + 1, sizeof(*list.sent_at));
    list.got = calloc(got + 1, sizeof(*list.got));
    list.got_max = got;
    REQUIRE(list.send != NULL && list.sent_at != NULL && list.got != NULL);
    return list;
}

static inline void rig_list_free(struct rig_list *list)
{
    free(list->send);
    free(list->sent_at);
    free(list->got);
}

static inline struct loom_mem_request *rig_add(struct rig_list *list,
                                               loom_cycle at, loom_addr address,
                                               enum loom_mem_kind kind,
                                               uint32_t bytes)
{
    struct rig_seen *shot = &list->send[list->send_count++];

    shot->at = at;
    shot->message.block = address / LOOM_BLOCK_BYTES * LOOM_BLOCK_BYTES;
    shot->message.sectors =
        (uint8_t)(1u << (address % LOOM_BLOCK_BYTES / LOOM_SECTOR_BYTES));
    shot->message.size_bytes = (uint16_t)bytes;
    shot->message.kind = (uint8_t)kind;
    return &shot->message;
}

/* ---- machines ---- */

static inline void rig_error(void *context, const char *path,
                             const struct loom_error *err)
{
    struct loom_error *last = context;

    (void)path;
    *last = *err;
}

static inline struct loom_component *
rig_part(struct loom_machine *machine, const struct loom_component_type *type,
         const char *path, uint32_t clock)
{
    struct loom_error err;
    struct loom_component *c =
        loom_machine_add(machine, type, path, clock, &err);

    REQUIRE(c != NULL);
    return c;
}

static inline struct loom_policy *
rig_policy(struct loom_component *component, struct loom_machine *machine,
           const char *slot, const struct loom_policy_type *type)
{
    struct loom_error err;
    struct loom_policy *policy;
    char path[200];

    snprintf(path, sizeof(path), "%s.%s.policy.%s",
             loom_component_path(component), slot, type->name);
    policy = loom_machine_add_policy(machine, type, path, &err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(component, slot, policy, &err));
    return policy;
}

static inline void rig_set(struct loom_component *c, const char *name,
                           uint64_t value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(c, name, (union loom_value){.u = value}, &err));
}

static inline void rig_flag(struct loom_component *c, const char *name,
                            bool value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(c, name, (union loom_value){.b = value}, &err));
}

static inline void rig_link(struct loom_machine *machine,
                            struct loom_end client, struct loom_end server,
                            uint32_t capacity)
{
    struct loom_wire wire = {1, 1, capacity};
    struct loom_error err;

    REQUIRE(loom_machine_link(machine, client, server, wire, wire, &err));
}

/* Freezes a machine that has no mistakes. */
static inline void rig_freeze(struct loom_machine *machine)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};
    bool good = loom_machine_freeze(machine, rig_error, &err);

    if (!good) {
        printf("\n%s\n", err.text);
    }
    REQUIRE(good);
}

static inline void rig_give(struct loom_component *c, struct rig_list *list)
{
    struct loom_error err;

    REQUIRE(loom_machine_command(c, &list, &err));
}

/* Runs to the end and checks all conservation laws.  Unless `step` is 0 the
 * run is interrupted every `step` femtoseconds and all counters are settled,
 * twice, which must change nothing. */
static inline void rig_run(struct loom_machine *machine, loom_time step)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};
    enum loom_stop stop;
    loom_time until = step;
    bool good;

    do {
        stop = loom_machine_run(machine, step == 0 ? LOOM_NEVER : until,
                                LOOM_NEVER, &err);
        until += step;
        loom_machine_settle(machine);
        loom_machine_settle(machine);
    } while (stop == LOOM_STOP_TIME);

    EXPECT_EQ(stop, LOOM_STOP_IDLE);
    good = loom_machine_check(machine, rig_error, &err);
    EXPECT(good);
    if (!good) {
        printf("\n%s\n", err.text);
    }
}

#endif

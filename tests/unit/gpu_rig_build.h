/*
 * Builds the small GPU of sm_rig.h: any number of SMs, each with a
 * recorder and a load/store unit that only waits.
 *
 * Front end and pipeline are made transparent (fetch 1 cycle, a large buffer,
 * no pipeline overhead, no flush) unless a test sets them, so that expected
 * cycles can be counted by hand.
 */
#ifndef TESTS_UNIT_GPU_RIG_BUILD_H
#define TESTS_UNIT_GPU_RIG_BUILD_H

#include "engine/machine.h"

#include "policies/gpu_hook.h"
#include "policies/sm_hook.h"
#include "tests/unit/cta_source.h"
#include "tests/unit/sm_rig.h"

extern const struct loom_component_type sm_component, gpu_component,
    host_component;
extern const struct loom_policy_type gto_policy, lrr_policy, round_robin_policy;

enum {
    RIG_SMS = 4
};
struct rig {
    struct loom_machine *machine;
    struct loom_component *host, *gpu, *sm[RIG_SMS], *ldst[RIG_SMS];
    struct loom_policy *scheduler[RIG_SMS], *recorder[RIG_SMS];
    struct loom_error last;
    uint32_t sms, errors;
};

static inline void rig_error(void *context, const char *path,
                             const struct loom_error *err)
{
    struct rig *rig = context;

    (void)path;
    rig->errors++;
    rig->last = *err;
}

static inline void rig_set(struct loom_component *component, const char *name,
                           uint64_t value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(component, name, (union loom_value){.u = value},
                             &err));
}

static inline void rig_flag(struct loom_component *component, const char *name,
                            bool value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(component, name, (union loom_value){.b = value},
                             &err));
}

static inline struct loom_policy *rig_attach(struct rig *rig,
                                             struct loom_component *component,
                                             const char *slot,
                                             const struct loom_policy_type *t)
{
    struct loom_policy *policy;
    struct loom_error err;
    char path[96];

    snprintf(path, sizeof(path), "%s.policy.%s", loom_component_path(component),
             t->name);
    policy = loom_machine_add_policy(rig->machine, t, path, &err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(component, slot, policy, &err));
    return policy;
}

static inline void rig_link(struct rig *rig, struct loom_component *client,
                            const char *port, uint32_t index,
                            struct loom_end server)
{
    struct loom_wire request = {1, 1, 4}, reply = {1, 1, 64};
    struct loom_error err;

    REQUIRE(loom_machine_link(rig->machine,
                              (struct loom_end){client, port, index}, server,
                              request, reply, &err));
}

static inline void rig_add_sm(struct rig *rig, uint32_t i, uint32_t clock,
                              const struct loom_policy_type *scheduler)
{
    struct loom_error err;
    char path[32];

    snprintf(path, sizeof(path), "gpu[0].sm[%u]", i);
    rig->sm[i] =
        loom_machine_add(rig->machine, &sm_component, path, clock, &err);
    snprintf(path, sizeof(path), "gpu[0].sm[%u].ldst", i);
    rig->ldst[i] =
        loom_machine_add(rig->machine, &fake_ldst, path, clock, &err);
    REQUIRE(rig->sm[i] != NULL && rig->ldst[i] != NULL);
    rig_set(rig->sm[i], "ibuffer_entries", 64);
    rig_set(rig->sm[i], "fetch_cycles", 1);
    rig_set(rig->sm[i], "flush_cycles", 0);
    rig_set(rig->sm[i], "pipeline_cycles", 0);
    rig_set(rig->sm[i], "schedulers", 1);
    rig_flag(rig->sm[i], "flush_l1", false);
    rig->scheduler[i] = rig_attach(rig, rig->sm[i], "scheduler", scheduler);
    rig->recorder[i] = rig_attach(rig, rig->sm[i], "observe", &recorder_policy);
    rig_link(rig, rig->gpu, "sm", i, (struct loom_end){rig->sm[i], "gpu", 0});
    rig_link(rig, rig->sm[i], "ldst", 0,
             (struct loom_end){rig->ldst[i], "sm", 0});
}

static inline struct rig rig_build(uint32_t sms,
                                   const struct loom_policy_type *scheduler,
                                   const struct loom_policy_type *dispatch)
{
    struct rig rig = {.sms = sms};
    struct loom_error err;
    uint32_t clock;

    rig.machine = loom_machine_create(1);
    clock = loom_machine_clock(rig.machine, 1000000000);
    rig.host =
        loom_machine_add(rig.machine, &host_component, "host[0]", clock, &err);
    rig.gpu =
        loom_machine_add(rig.machine, &gpu_component, "gpu[0]", clock, &err);
    REQUIRE(rig.host != NULL && rig.gpu != NULL);
    rig_attach(&rig, rig.gpu, "dispatch", dispatch);
    rig_link(&rig, rig.host, "gpu", 0, (struct loom_end){rig.gpu, "host", 0});
    for (uint32_t i = 0; i < sms; i++) {
        rig_add_sm(&rig, i, clock, scheduler);
    }
    return rig;
}

#endif

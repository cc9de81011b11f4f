/*
 * Builds and runs the small GPU of sm_rig.h: any number of SMs, each with a
 * recorder and a load/store unit that only waits.
 *
 * Front end and pipeline are made transparent (fetch 1 cycle, a large buffer,
 * no pipeline overhead, no flush) unless a test sets them, so that expected
 * cycles can be counted by hand.
 */
#ifndef TESTS_UNIT_GPU_RIG_H
#define TESTS_UNIT_GPU_RIG_H

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

static inline void rig_freeze(struct rig *rig)
{
    bool good = loom_machine_freeze(rig->machine, rig_error, rig);

    if (!good) {
        printf("%s\n", rig->last.text);
    }
    REQUIRE(good);
}

static inline void rig_launch(struct rig *rig, struct source *source)
{
    struct loom_host_command command = {&source->launch.task};
    struct loom_error err;

    source_seal(source);
    REQUIRE(loom_machine_command(rig->host, &command, &err));
}

static inline enum loom_stop rig_go(struct rig *rig)
{
    return loom_machine_run(rig->machine, LOOM_NEVER,
                            UINT64_C(100000) * 1000000, &rig->last);
}

/* Runs one kernel to its end on a machine that is ready, and checks it. */
static inline void rig_run(struct rig *rig, struct source *source)
{
    rig_freeze(rig);
    rig_launch(rig, source);
    EXPECT_EQ(rig_go(rig), LOOM_STOP_NOTIFY);
    EXPECT(source->launch.task.complete);
    if (!loom_machine_check(rig->machine, rig_error, rig)) {
        printf("%s\n", rig->last.text);
    }
    EXPECT_EQ(rig->errors, 0);
}

static inline void rig_free(struct rig *rig, struct source *source)
{
    loom_machine_destroy(rig->machine);
    source_free(source);
}

/* ---- what was recorded on SM 0 ---- */

static inline const struct recorder *rig_record(const struct rig *rig)
{
    return loom_policy_state(rig->recorder[0]);
}

/* Number `n` of the events of a kind; the test stops if there is none. */
static inline const struct loom_event *
rig_event(const struct rig *rig, enum loom_event_kind kind, uint32_t n)
{
    const struct recorder *recorder = rig_record(rig);

    for (uint32_t i = 0; i < recorder->count; i++) {
        if (recorder->event[i].kind == (uint32_t)kind && n-- == 0) {
            return &recorder->event[i];
        }
    }
    REQUIRE(false);
    return NULL;
}

static inline uint32_t rig_count(const struct rig *rig,
                                 enum loom_event_kind kind)
{
    const struct recorder *recorder = rig_record(rig);
    uint32_t count = 0;

    for (uint32_t i = 0; i < recorder->count; i++) {
        count += recorder->event[i].kind == (uint32_t)kind;
    }
    return count;
}

/* Cycle of issue `n` after the first issue of the SM. */
static inline loom_cycle rig_issue(const struct rig *rig, uint32_t n)
{
    return rig_event(rig, LOOM_EVENT_ISSUE, n)->now -
           rig_event(rig, LOOM_EVENT_ISSUE, 0)->now;
}

/* A counter, or one key of a vector. */
static inline uint64_t rig_stat(struct loom_component *component,
                                const char *name, const char *key)
{
    const struct loom_component_type *type = loom_component_type_of(component);
    const struct loom_stat *stat = loom_stats_find(type->stats, name);
    const char *base = loom_stats_of(component);
    uint32_t i = 0;

    REQUIRE(stat != NULL);
    while (key != NULL && i < stat->count && strcmp(stat->keys[i], key) != 0) {
        i++;
    }
    REQUIRE(key == NULL || i < stat->count);
    return *(const uint64_t *)(const void *)(base + stat->offset +
                                             i * sizeof(uint64_t));
}

#endif

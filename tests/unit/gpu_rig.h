/*
 * Runs the small GPU of gpu_rig_build.h, and reads what was recorded and
 * counted.
 */
#ifndef TESTS_UNIT_GPU_RIG_H
#define TESTS_UNIT_GPU_RIG_H

#include "tests/unit/gpu_rig_build.h"

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

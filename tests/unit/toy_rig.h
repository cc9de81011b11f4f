/*
 * A source and a sink in a machine of their own, and an error sink.
 */
#ifndef TESTS_UNIT_TOY_RIG_H
#define TESTS_UNIT_TOY_RIG_H

#include "tests/unit/toys.h"

/* An error sink that keeps the last text and counts. */
struct toy_errors {
    uint32_t count;
    char path[64];
    struct loom_error last;
};

static inline void toy_error(void *context, const char *path,
                             const struct loom_error *err)
{
    struct toy_errors *errors = context;

    errors->count++;
    snprintf(errors->path, sizeof(errors->path), "%s", path);
    errors->last = *err;
}

struct toy_pair {
    struct loom_machine *machine;
    struct loom_component *source, *sink;
    struct toy_errors errors;
};

struct toy_shape {
    uint64_t source_hertz, sink_hertz;
    loom_cycle latency, credit;
    uint32_t capacity, source_period, sink_period;
    uint64_t count;
    bool reply, deaf;
    uint32_t ahead;
};

static inline void toy_set(struct loom_component *c, const char *name,
                           uint64_t value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(c, name, (union loom_value){.u = value}, &err));
}

static inline struct toy_pair toy_build(const struct toy_shape *shape)
{
    struct toy_pair pair = {0};
    struct loom_error err;
    struct loom_wire wire = {shape->latency, shape->credit, shape->capacity};
    uint32_t a, b;

    pair.machine = loom_machine_create(1);
    a = loom_machine_clock(pair.machine, shape->source_hertz);
    b = loom_machine_clock(pair.machine, shape->sink_hertz);
    pair.source =
        loom_machine_add(pair.machine, &toy_source, "m.source", a, &err);
    pair.sink = loom_machine_add(pair.machine, &toy_sink, "m.sink", b, &err);
    REQUIRE(pair.source != NULL && pair.sink != NULL);
    toy_set(pair.source, "period", shape->source_period);
    toy_set(pair.source, "count", shape->count);
    toy_set(pair.source, "ahead", shape->ahead);
    toy_set(pair.sink, "period", shape->sink_period);
    REQUIRE(loom_machine_set(pair.sink, "reply",
                             (union loom_value){.b = shape->reply}, &err));
    REQUIRE(loom_machine_set(pair.sink, "deaf",
                             (union loom_value){.b = shape->deaf}, &err));
    REQUIRE(loom_machine_link(
        pair.machine, (struct loom_end){pair.source, "out", 0},
        (struct loom_end){pair.sink, "in", 0}, wire, wire, &err));
    REQUIRE(loom_machine_freeze(pair.machine, toy_error, &pair.errors));
    /* A command wakes the source; nothing else would. */
    REQUIRE(loom_machine_command(pair.source, "go", &err));
    return pair;
}

#endif

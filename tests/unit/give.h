/*
 * What the driver does before a launch: the machine's policies are told of it.
 * Kernels are numbered by name, in the order in which they come.
 */
#ifndef TESTS_UNIT_GIVE_H
#define TESTS_UNIT_GIVE_H

#include <string.h>

#include "engine/machine.h"

#include "tests/unit/test.h"
#include "workloads/stream.h"

static inline void give_kernel(struct loom_machine *machine,
                               const struct loom_kernel *kernel)
{
    static const struct loom_machine *of;
    static const char *name[8];
    static uint32_t names;
    struct loom_error err;
    uint32_t number = 0;

    names = of == machine ? names : 0;
    of = machine;
    while (number < names && strcmp(name[number], kernel->name) != 0) {
        number++;
    }
    REQUIRE(number < LOOM_COUNTOF(name));
    name[number] = kernel->name;
    names = number == names ? names + 1 : names;
    REQUIRE(loom_machine_given(machine, kernel->number, kernel, number, &err));
}

#endif

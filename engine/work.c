/*
 * Work that the driver gives to a machine: of which kind each piece is, for
 * policies that count by kind.  Nothing ticks while this changes.
 */
#include <stdlib.h>

#include "engine/machine_private.h"

static bool reserve(struct loom_machine *machine, uint32_t count)
{
    uint32_t capacity = machine->work_capacity;
    uint32_t *grown;

    if (count <= capacity) {
        return true;
    }
    while (capacity < count) {
        capacity = capacity > UINT32_MAX / 2 ? count : capacity * 2 + 64;
    }
    grown = realloc(machine->work_kind, capacity * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    machine->work_kind = grown;
    machine->work_capacity = capacity;
    machine->work.kind = grown;
    return true;
}

bool loom_machine_given(struct loom_machine *machine, uint32_t number,
                        const void *work, uint32_t kind, struct loom_error *err)
{
    if (number == UINT32_MAX || !reserve(machine, number + 1)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u launches",
                         number);
    }
    while (machine->work.count <= number) {
        machine->work_kind[machine->work.count++] = LOOM_NO_KIND;
    }
    machine->work_kind[number] = kind;
    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (policy->type->given != NULL) {
            policy->type->given(policy, work, kind);
        }
    }
    return true;
}

const struct loom_work *loom_policy_work(const struct loom_policy *policy)
{
    return &policy->machine->work;
}

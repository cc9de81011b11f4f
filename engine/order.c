/*
 * Tick order: by id, but components that share a policy instance tick
 * together, those nearest to memory first (L1, load/store unit, SM), because
 * within a group the order can matter.  The order of groups cannot; tests
 * shuffle it to prove that.
 */
#include <stdlib.h>

#include "engine/machine_private.h"

static struct loom_component *component(struct loom_machine *machine, size_t i)
{
    return machine->components.item[i];
}

/* Merges groups: afterwards group is the smallest id of the group. */
static void join(struct loom_machine *machine, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;

    if (low == high) {
        return;
    }
    for (size_t i = 0; i < machine->components.count; i++) {
        if (component(machine, i)->group == high) {
            component(machine, i)->group = low;
        }
    }
}

static void find_groups(struct loom_machine *machine)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        component(machine, i)->group = (uint32_t)i;
    }
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = component(machine, i);

        for (size_t s = 0; s < self->type->slots.count; s++) {
            for (uint32_t k = 0; k < self->slots[s].count; k++) {
                struct loom_policy *policy = self->slots[s].bound[k].policy;

                join(machine, self->group, policy->host->group);
            }
        }
    }
}

/* depth = longest chain of links towards memory inside the group. */
static void find_depths(struct loom_machine *machine)
{
    bool changed = true;

    for (uint32_t round = 0; changed && round < 16; round++) {
        changed = false;
        for (size_t i = 0; i < machine->links.count; i++) {
            const struct link *link = machine->links.item[i];
            struct loom_component *c = link->info.client.component;
            const struct loom_component *s = link->info.server.component;

            if (c->group == s->group && c != s && c->depth <= s->depth) {
                c->depth = s->depth + 1;
                changed = true;
            }
        }
    }
}

/* Gives every group a random number in place of its own. */
static void shuffle(struct loom_machine *machine)
{
    size_t count = machine->components.count;
    struct loom_rng rng;
    uint32_t *number = malloc((count + 1) * sizeof(*number));

    LOOM_CHECK(number != NULL);
    loom_rng_init(&rng, machine->shuffle, "tick order");
    for (size_t i = 0; i < count; i++) {
        size_t other = (size_t)loom_rng_below(&rng, i + 1);

        number[i] = number[other];
        number[other] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        struct loom_component *self = component(machine, i);

        self->group = number[self->group];
    }
    free(number);
}

void loom_machine_order(struct loom_machine *machine)
{
    find_groups(machine);
    find_depths(machine);
    if (machine->shuffled) {
        shuffle(machine);
    }
}

void loom_machine_shuffle(struct loom_machine *machine, uint64_t seed)
{
    LOOM_CHECK(!machine->frozen);
    machine->shuffle = seed;
    machine->shuffled = true;
}

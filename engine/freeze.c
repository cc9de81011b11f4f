/*
 * Freezing: from a list of instances in any order to a machine that runs.
 *
 * Everything that could depend on the order of creation is sorted here:
 * components and policies by path (numbers in brackets compare as numbers),
 * links by their ends.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

static uint64_t number(const char **at)
{
    uint64_t n = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++) {
        n = n * 10 + (uint64_t)(**at - '0');
    }
    return n;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

int loom_path_compare(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (digit(*a) && digit(*b)) {
            uint64_t x = number(&a), y = number(&b);

            if (x != y) {
                return x < y ? -1 : 1;
            }
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a == *b ? 0 : *a == '\0' ? -1 : 1;
}

static int by_path(const void *a, const void *b)
{
    const struct loom_component *const *x = a, *const *y = b;

    return loom_path_compare((*x)->path, (*y)->path);
}

static int by_policy_path(const void *a, const void *b)
{
    const struct loom_policy *const *x = a, *const *y = b;
    int apart = (int)(*x)->type->apart - (int)(*y)->type->apart;

    return apart != 0 ? apart : loom_path_compare((*x)->path, (*y)->path);
}

static int by_ends(const void *a, const void *b)
{
    const struct link *const *x = a, *const *y = b;
    const struct loom_end *e = &(*x)->info.client, *f = &(*y)->info.client;
    int order = loom_path_compare(e->component->path, f->component->path);

    if (order == 0) {
        order = strcmp(e->port, f->port);
    }
    return order != 0 ? order : e->index < f->index ? -1 : 1;
}

static void sort(struct list *list, int (*compare)(const void *, const void *))
{
    if (list->count != 0) {
        qsort(list->item, list->count, sizeof(*list->item), compare);
    }
}

static bool ports_are_linked(const struct loom_component *self,
                             struct loom_error *err)
{
    struct loom_ports ports = self->type->ports;

    for (size_t i = 0; i < ports.count; i++) {
        const struct loom_port_decl *decl = &ports.item[i];
        const struct port *port = &self->ports[i];

        if (port->count < decl->min) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "port '%s' has %u links, expected at least %u",
                             decl->name, port->count, decl->min);
        }
        for (uint32_t k = 0; k < port->count; k++) {
            if (port->peer[k] == NULL) {
                return loom_fail(err, LOOM_ERR_CONFIG,
                                 "port '%s[%u]' is not linked, but '%s[%u]' is",
                                 decl->name, k, decl->name, port->count - 1);
            }
        }
    }
    return true;
}

static bool slots_are_filled(const struct loom_component *self,
                             struct loom_error *err)
{
    struct loom_slots slots = self->type->slots;

    for (size_t i = 0; i < slots.count; i++) {
        if (self->slots[i].count == 0 && slots.item[i].def != NULL) {
            return loom_fail(err, LOOM_ERR_CONFIG, "slot '%s' is empty",
                             slots.item[i].name);
        }
    }
    return true;
}

static bool required_are_set(struct loom_params params, const void *config,
                             struct loom_error *err)
{
    for (size_t i = 0; i < params.count; i++) {
        const struct loom_param *p = &params.item[i];
        union loom_value v = loom_param_get(p, config);

        if (p->required && ((p->type == LOOM_STR && v.s == NULL) ||
                            (p->type == LOOM_LIST && v.list.item == NULL))) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' is not given", p->name);
        }
    }
    return true;
}

bool loom_component_freeze(struct loom_component *self, struct loom_error *err)
{
    const struct loom_component_type *type = self->type;

    self->frozen = true;
    if (!ports_are_linked(self, err) || !slots_are_filled(self, err) ||
        !required_are_set(type->params, self->config, err)) {
        return false;
    }
    return type->ops->validate == NULL ||
           type->ops->validate(self->config, err);
}

static bool policy_freeze(struct loom_policy *policy, struct loom_error *err)
{
    const struct loom_policy_type *type = policy->type;

    if (policy->host == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "is attached to nothing");
    }
    if (!required_are_set(type->params, policy->config, err)) {
        return false;
    }
    return type->validate == NULL || type->validate(policy->config, err);
}

static bool validate(struct loom_machine *machine, loom_error_sink *sink,
                     void *context)
{
    size_t count = machine->components.count;
    struct loom_error err;
    bool good = true;

    if (count > LOOM_COMPONENTS_MAX) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "it has %zu components, expected at most %d", count,
                  LOOM_COMPONENTS_MAX);
        sink(context, "machine", &err);
        good = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct loom_component *self = machine->components.item[i];

        self->id = (uint32_t)i;
        if (!loom_component_freeze(self, &err)) {
            sink(context, self->path, &err);
            good = false;
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (!policy_freeze(policy, &err)) {
            sink(context, policy->path, &err);
            good = false;
        }
    }
    return good;
}

/* Also where a part did not look at what it got: it would run with less than
 * it believes to have. */
static bool start_policy(struct loom_policy *policy, struct loom_error *err)
{
    return (policy->type->init == NULL || policy->type->init(policy, err)) &&
           loom_arena_whole(&policy->arena, err);
}

static bool start_component(struct loom_component *self, struct loom_error *err)
{
    return self->ops->init(self, err) && loom_arena_whole(&self->arena, err);
}

static bool start(struct loom_machine *machine, loom_error_sink *sink,
                  void *context)
{
    struct loom_error err;
    bool good = true;

    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (!start_policy(policy, &err)) {
            sink(context, policy->path, &err);
            good = false;
        }
    }
    for (size_t i = 0; good && i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (!start_component(self, &err)) {
            sink(context, self->path, &err);
            good = false;
        } else {
            self->started = true;
            if (self->ops->starts) {
                loom_clock_wake(self->clock, self->position,
                                loom_clock_after(self->clock, 0));
            }
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        ((struct loom_policy *)machine->policies.item[i])->frozen = true;
    }
    return good;
}

bool loom_machine_freeze(struct loom_machine *machine, loom_error_sink *sink,
                         void *context)
{
    struct loom_error err;

    LOOM_CHECK(!machine->frozen);
    machine->frozen = true;
    sort(&machine->components, by_path);
    sort(&machine->policies, by_policy_path);
    for (size_t i = 0; i < machine->policies.count; i++) {
        const struct loom_policy *policy = machine->policies.item[i];

        machine->apart += policy->type->apart ? 1 : 0;
    }
    sort(&machine->links, by_ends);
    if (!validate(machine, sink, context)) {
        return false;
    }
    loom_machine_order(machine);
    if (!loom_machine_shard(machine) || !loom_pace_start(machine) ||
        !loom_foresight_start(machine)) {
        loom_fail(&err, LOOM_ERR_MEMORY, "no memory or threads for the run");
        sink(context, "", &err);
        return false;
    }
    if (!start(machine, sink, context)) {
        return false;
    }
    loom_image_parts_end(machine);
    if (machine->arena.failed || !loom_ahead_find(machine, &machine->arena) ||
        !loom_image_begin(machine)) {
        loom_fail(&err, LOOM_ERR_MEMORY, "no memory for the run");
        sink(context, "", &err);
        return false;
    }
    machine->alone.ahead = machine->ahead;
    machine->ahead_at = machine->ahead != NULL ? 0 : LOOM_NEVER;
    loom_foresight_meet(machine);
    return true;
}

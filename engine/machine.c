/*
 * Building a machine: clocks, components, policies, attachments, links.
 */
#include "engine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "engine/forecast_private.h"
#include "engine/machine_private.h"

bool loom_list_add(struct list *list, void *item)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        void **grown = realloc(list->item, capacity * sizeof(*grown));

        if (grown == NULL) {
            return false;
        }
        list->item = grown;
        list->capacity = capacity;
    }
    list->item[list->count++] = item;
    return true;
}

struct loom_machine *loom_machine_create(uint64_t seed)
{
    struct loom_machine *machine = calloc(1, sizeof(*machine));

    if (machine != NULL) {
        machine->seed = seed;
        machine->threads = 1;
        machine->mark = LOOM_NEVER;
    }
    return machine;
}

static void component_destroy(struct loom_component *self)
{
    if (self->started && self->ops->fini != NULL) {
        self->ops->fini(self);
    }
    for (size_t i = 0; i < self->type->ports.count; i++) {
        free(self->ports[i].out);
        free(self->ports[i].in);
        free(self->ports[i].peer);
    }
    for (size_t i = 0; i < self->type->slots.count; i++) {
        free(self->slots[i].bound);
    }
    free(self->hosted);
}

void loom_machine_destroy(struct loom_machine *machine)
{
    if (machine == NULL) {
        return;
    }
    loom_threads_stop(machine);
    loom_deal_free(machine);
    loom_pace_free(machine);
    loom_foresight_free(machine);
    for (size_t i = 0; i < machine->components.count; i++) {
        component_destroy(machine->components.item[i]);
    }
    for (size_t i = 0; i < machine->links.count; i++) {
        free(machine->links.item[i]);
    }
    for (uint32_t i = 0; i < machine->clock_count; i++) {
        free(machine->clock[i]);
    }
    free(machine->clock);
    free(machine->components.item);
    free(machine->policies.item);
    free(machine->links.item);
    free(machine->work_kind);
    loom_arena_free(&machine->arena);
    loom_image_free(machine);
    free(machine);
}

uint32_t loom_machine_clock(struct loom_machine *machine, uint64_t hertz)
{
    struct clock **grown;
    uint32_t count = machine->clock_count;

    LOOM_CHECK(hertz > 0 && hertz <= UINT64_C(1000000000000));
    for (uint32_t i = 0; i < count; i++) {
        if (machine->clock[i]->hertz == hertz) {
            return i;
        }
    }
    grown = realloc(machine->clock, (count + 1) * sizeof(*grown));
    if (grown == NULL) {
        return LOOM_NO_CLOCK;
    }
    machine->clock = grown;
    machine->clock[count] = calloc(1, sizeof(**grown));
    if (machine->clock[count] == NULL) {
        return LOOM_NO_CLOCK;
    }
    machine->clock[count]->hertz = hertz;
    return machine->clock_count++;
}

static bool component_take(struct loom_component *self, const char *path)
{
    const struct loom_component_type *type = self->type;
    struct loom_arena *arena = &self->arena;

    self->hash = loom_hash_of(path);
    self->path = loom_arena_text(arena, path);
    self->config = loom_arena_take(arena, 1, type->config_size);
    self->stats = loom_arena_take(arena, 1, type->stats_size);
    self->ports =
        loom_arena_take(arena, type->ports.count, sizeof(*self->ports));
    self->slots =
        loom_arena_take(arena, type->slots.count, sizeof(*self->slots));
    return self->path != NULL && self->config != NULL && self->stats != NULL &&
           self->ports != NULL && self->slots != NULL;
}

struct loom_component *loom_machine_add(struct loom_machine *machine,
                                        const struct loom_component_type *type,
                                        const char *path, uint32_t clock,
                                        struct loom_error *err)
{
    struct loom_component *self;

    if (clock == LOOM_NO_CLOCK) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the clock of '%s'",
                  path);
        return NULL;
    }
    LOOM_CHECK(clock < machine->clock_count && !machine->frozen);
    self =
        loom_arena_take(&machine->arena, 1, sizeof(*self) + type->state_size);
    if (self == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'", path);
        return NULL;
    }
    self->type = type;
    self->ops = type->ops;
    self->tick = type->ops->tick;
    self->machine = machine;
    self->clock = machine->clock[clock];
    self->clock_number = clock;
    self->timer = LOOM_NEVER;
    self->arena.from = &machine->arena;
    if (loom_machine_find(machine, path) != NULL) {
        loom_fail(err, LOOM_ERR_CONFIG, "path '%s' is used twice", path);
    } else if (!component_take(self, path) ||
               !loom_list_add(&machine->components, self)) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'", path);
    } else {
        loom_params_default(type->params, self->config);
        loom_rng_init(&self->rng, machine->seed, path);
        return self;
    }
    return NULL;
}

void loom_machine_together(struct loom_machine *machine, bool together)
{
    machine->together = together;
}

struct loom_policy *loom_machine_add_policy(struct loom_machine *machine,
                                            const struct loom_policy_type *type,
                                            const char *path,
                                            struct loom_error *err)
{
    struct loom_arena *from = loom_policy_arena(machine);
    struct loom_policy *policy =
        loom_arena_take(from, 1, sizeof(*policy) + type->state_size);
    struct loom_arena *arena;

    if (policy == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'", path);
        return NULL;
    }
    arena = &policy->arena;
    arena->from = from;
    policy->type = type;
    policy->machine = machine;
    policy->timer = LOOM_NEVER;
    policy->path = loom_arena_text(arena, path);
    policy->config = loom_arena_take(arena, 1, type->config_size);
    policy->stats = loom_arena_take(arena, 1, type->stats_size);
    if (policy->path == NULL || policy->config == NULL ||
        policy->stats == NULL || !loom_list_add(&machine->policies, policy)) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'", path);
        return NULL;
    }
    loom_params_default(type->params, policy->config);
    loom_rng_init(&policy->rng, machine->seed, path);
    return policy;
}

/* Strings and lists live as long as the instance. */
static bool keep(struct loom_arena *arena, const struct loom_param *param,
                 union loom_value *value)
{
    if (param->type == LOOM_STR) {
        value->s = loom_arena_text(arena, value->s);
        return value->s != NULL;
    }
    if (param->type == LOOM_LIST) {
        size_t bytes = value->list.count * sizeof(uint64_t);
        uint64_t *copy = loom_arena_take(arena, 1, bytes);

        if (copy == NULL) {
            return false;
        }
        if (bytes != 0) {
            memcpy(copy, value->list.item, bytes);
        }
        value->list.item = copy;
    }
    return true;
}

static bool set(struct loom_arena *arena, const struct loom_param *param,
                void *config, union loom_value value, struct loom_error *err)
{
    if (!keep(arena, param, &value)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'",
                         param->name);
    }
    return loom_param_set(param, config, value, err);
}

bool loom_machine_put(struct loom_component *component,
                      const struct loom_param *param, union loom_value value,
                      struct loom_error *err)
{
    LOOM_CHECK(!component->frozen);
    return set(&component->arena, param, component->config, value, err);
}

bool loom_machine_set(struct loom_component *component, const char *param,
                      union loom_value value, struct loom_error *err)
{
    const struct loom_param *found =
        loom_params_find(component->type->params, param);

    if (found == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "'%s' has no parameter '%s'",
                         component->type->name, param);
    }
    return loom_machine_put(component, found, value, err);
}

bool loom_machine_put_policy(struct loom_policy *policy,
                             const struct loom_param *param,
                             union loom_value value, struct loom_error *err)
{
    LOOM_CHECK(!policy->frozen);
    return set(&policy->arena, param, policy->config, value, err);
}

bool loom_machine_set_policy(struct loom_policy *policy, const char *param,
                             union loom_value value, struct loom_error *err)
{
    const struct loom_param *found =
        loom_params_find(policy->type->params, param);

    if (found == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "'%s' has no parameter '%s'",
                         policy->type->name, param);
    }
    return loom_machine_put_policy(policy, found, value, err);
}

static bool bind(struct slot *slot, struct loom_policy *policy, const void *ops)
{
    struct loom_bound *grown =
        realloc(slot->bound, (slot->count + 1) * sizeof(*grown));

    if (grown == NULL) {
        return false;
    }
    slot->bound = grown;
    slot->bound[slot->count++] = (struct loom_bound){policy, ops};
    return true;
}

static bool host(struct loom_component *component, struct loom_policy *policy)
{
    struct loom_policy **grown;

    if (policy->host != NULL) {
        return true;
    }
    grown = realloc(component->hosted, (component->hosted_count + 1) *
                                           sizeof(struct loom_policy *));
    if (grown == NULL) {
        return false;
    }
    component->hosted = grown;
    component->hosted[component->hosted_count++] = policy;
    policy->host = component;
    return true;
}

bool loom_machine_attach(struct loom_component *component, const char *slot,
                         struct loom_policy *policy, struct loom_error *err)
{
    struct loom_slots slots = component->type->slots;

    for (size_t i = 0; i < slots.count; i++) {
        const struct loom_slot_decl *decl = &slots.item[i];
        const void *ops = loom_policy_type_ops(policy->type, decl->hook);

        if (strcmp(decl->name, slot) != 0) {
            continue;
        }
        if (ops == NULL) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "policy '%s' does not answer '%s', which slot "
                             "'%s' of '%s' asks",
                             policy->type->name, decl->hook->name, slot,
                             component->path);
        }
        if (component->slots[i].count != 0 && !decl->hook->chain) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "slot '%s' of '%s' already holds '%s' and takes "
                             "one policy only",
                             slot, component->path,
                             component->slots[i].bound[0].policy->type->name);
        }
        if (!bind(&component->slots[i], policy, ops) ||
            !host(component, policy)) {
            return loom_fail(err, LOOM_ERR_MEMORY, "no memory for '%s'", slot);
        }
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG, "'%s' has no slot '%s'",
                     component->type->name, slot);
}
